// What the window's file panel shows and asks for. Plain data: the panel and keys write what is asked, SessionFiles acts.
#pragma once
#include <string>
#include <vector>

namespace gravlab {

struct FilesState {
    /// A file that can be opened.
    struct Entry {
        std::string path, name, detail;  ///< detail: size and date, for people
        bool operator==(const Entry&) const = default;
    };

    bool shown = false;          ///< the panel
    bool listed = false;         ///< `entries` are those of the present folder
    std::vector<Entry> entries;  ///< newest first
    std::string folder;          ///< that was listed
    std::string busy;            ///< "Opening ...": a job is under way; empty: none
    std::string recover;         ///< an autosave that can be opened; empty: none
    std::string recoverText;     ///< where it comes from, for people

    bool saveAsked = false;  ///< quick save, under a name with the time
    std::string saveAs;      ///< a path to save to
    std::string openAsked;   ///< a path to open
    bool openEnded = false;  ///< the file that was asked for last is open, or `openError` says why not
    std::string openError;
    bool recoverAsked = false, forgetAsked = false;
    bool operator==(const FilesState&) const = default;
};

}  // namespace gravlab
