// What the window's file panel shows and asks for. Plain data: the panel and keys write what is asked, SessionFiles acts.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace gravlab {

struct FilesState {
    /// A file that can be opened.
    struct Entry {
        std::string path, name, detail;  ///< detail: size and date, for people
        bool operator==(const Entry&) const = default;
    };

    bool shown = false;                ///< the panel
    bool listed = false;               ///< `entries` are those of the present folder
    std::vector<Entry> entries;        ///< newest first
    std::string folder;                ///< that was listed
    std::string busy;                  ///< "Opening ...": a job is under way; empty: none
    std::vector<std::string> folders;  ///< of `folder`, by name; ".." is not among them
    std::vector<Entry> recent;         ///< that were opened or saved last, newest first
    std::string folderAsked;           ///< to list instead: absolute, or from `folder`
    std::string proposed;              ///< a name to save under, without the ending
    std::string ending = ".hdf5";      ///< of a file to be saved: it decides the format
    std::string recover;               ///< an autosave that can be opened; empty: none
    std::string recoverText;           ///< where it comes from, for people

    bool saveAsked = false;       ///< quick save, under a name with the time
    std::string saveAs;           ///< a path to save to
    std::string openAsked;        ///< a path to open
    std::string openUnits;        ///< row of unitSystems() that its numbers are in; empty: as the file says
    std::uint64_t doubtLeft = 0;  ///< run whose question about units was put away
    bool openEnded = false;       ///< the file that was asked for last is open, or `openError` says why not
    std::string openError;
    bool recoverAsked = false, forgetAsked = false;
    bool operator==(const FilesState&) const = default;
};

}  // namespace gravlab
