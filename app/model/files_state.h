// The content of the window's file panel. Rule: plain data; commands set it, SessionFiles reports.
#pragma once
#include <string>
#include <vector>

namespace gravlab {

/// What is known about files.
struct FilesList {
    /// A file that can be opened.
    struct Entry {
        std::string path, name, detail;  ///< detail: size and date, for people
        bool operator==(const Entry&) const = default;
    };

    bool listed = false;               ///< `entries` belong to the present folder
    std::vector<Entry> entries;        ///< newest first
    std::string folder;                ///< the listed folder
    std::string busy;                  ///< "Opening ...": a job is running; empty: none
    std::vector<std::string> folders;  ///< of `folder`, by name, without ".."
    std::vector<Entry> recent;         ///< files opened or saved last, newest first
    std::string proposed;              ///< a name for saving, without the extension
    std::string recover;               ///< an autosave that can be opened; empty: none
    std::string recoverText;           ///< its origin, for people
    int shared = -1;                   ///< descriptor of memory that a client shares; below 0: none
    bool operator==(const FilesList&) const = default;
};

/// With the wishes of the user.
struct FilesState : FilesList {
    bool shown = false;            ///< visibility of the panel
    std::string ending = ".hdf5";  ///< extension of a file to be saved: it decides the format
    std::string doubtLeft;         ///< file whose question about units was dismissed
    bool operator==(const FilesState&) const = default;
};

}  // namespace gravlab
