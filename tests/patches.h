// Patches that tests keep beside the sources: whether they fit, and which files they change.
#pragma once
#include "tests/files.h"

#include <cstdio>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>

namespace gravlab {

/// The first hunk of a unified diff whose old lines are not together in its file under root, which has no line around its
/// change, or whose numbers of lines differ from its head; or nothing. `git apply` refuses the same.
inline std::string misfit(const std::string& patch, const std::filesystem::path& root) {
    std::istringstream lines(patch);
    std::string line, path, source, before;
    bool inHunk = false, lost = false;
    std::size_t had = 0, has = 0, linesBefore = 0, linesAfter = 0, around = 0;
    const auto closed = [&] {
        lost = lost || (inHunk && (source.find("\n" + before) == std::string::npos || linesBefore != had ||
                                   linesAfter != has || (around == 0 && had > 0)));
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
            had = has = 1;  // where the head has no number
            linesBefore = linesAfter = around = 0;
            unsigned place[2];
            if (std::sscanf(line.c_str(), "@@ -%u,%zu", &place[0], &had) == 2)
                std::sscanf(line.c_str(), "@@ -%*u,%*u +%u,%zu", &place[1], &has);
            else
                std::sscanf(line.c_str(), "@@ -%*u +%u,%zu", &place[1], &has);
        } else if (inHunk) {
            const bool kept = line.empty() || line.starts_with(" "), old = kept || line.starts_with("-");
            if (old) before += line.substr(line.empty() ? 0 : 1) + "\n";
            around += kept;
            linesBefore += old;
            linesAfter += kept || line.starts_with("+");
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
