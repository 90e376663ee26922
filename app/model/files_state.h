// What the window's file panel shows. Plain data, which SessionFiles writes.
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

    bool shown = false;                ///< the panel
    bool listed = false;               ///< `entries` are those of the present folder
    std::vector<Entry> entries;        ///< newest first
    std::string folder;                ///< that was listed
    std::string busy;                  ///< "Opening ...": a job is under way; empty: none
    std::vector<std::string> folders;  ///< of `folder`, by name; ".." is not among them
    std::vector<Entry> recent;         ///< that were opened or saved last, newest first
    std::string proposed;              ///< a name to save under, without the ending
    std::string ending = ".hdf5";      ///< of a file to be saved: it decides the format
    std::string recover;               ///< an autosave that can be opened; empty: none
    std::string recoverText;           ///< where it comes from, for people
    int shared = -1;                   ///< descriptor of memory that a client shares; below 0: none
    std::string doubtLeft;             ///< file whose question about units was put away
    bool operator==(const FilesState&) const = default;
};

}  // namespace gravlab
