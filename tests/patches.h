// Patches that tests keep beside the sources: whether they fit, and which files they change.
#pragma once
#include "tests/files.h"

#include <filesystem>
#include <map>
#include <sstream>
#include <string>

namespace gravlab {

/// The first hunk of a unified diff whose old lines are not together in its file under root, or nothing.
inline std::string misfit(const std::string& patch, const std::filesystem::path& root) {
    std::istringstream lines(patch);
    std::string line, path, source, before;
    bool inHunk = false, lost = false;
    const auto closed = [&] {
        lost = lost || (inHunk && source.find("\n" + before) == std::string::npos);
        return lost;
    };
    while (std::getline(lines, line)) {
        if (line.starts_with("--- a/")) {
            if (closed()) return path;
            inHunk = false;
            path = line.substr(6);
            source = "\n" + contentOf(root / path);
        } else if (line.starts_with("--- /dev/null")) {
            if (closed()) return path;
            inHunk = false;
            path.clear();
        } else if (line.starts_with("+++ ")) {
            // A new file has no old lines, and must not exist.
            if (path.empty() && std::filesystem::exists(root / line.substr(6))) return line.substr(6) + " exists";
            if (path.empty()) source = "\n";
        } else if (line.starts_with("@@")) {
            if (closed()) return path + ":\n" + before;
            inHunk = true;
            before.clear();
        } else if (inHunk && (line.starts_with(" ") || line.starts_with("-"))) {
            before += line.substr(1) + "\n";
        } else if (inHunk && line.empty()) {
            before += "\n";
        }
    }
    if (!inHunk) return "no hunk";
    return closed() ? path + ":\n" + before : "";
}

/// The files of a unified diff, and whether it makes them.
inline std::map<std::string, bool> filesOfPatch(const std::string& patch) {
    std::istringstream lines(patch);
    std::map<std::string, bool> files;
    bool made = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("--- ")) made = line.starts_with("--- /dev/null");
        if (line.starts_with("+++ b/")) files[line.substr(6)] = made;
    }
    return files;
}

}  // namespace gravlab
