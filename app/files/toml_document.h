// The keys of a TOML text, each with its table, value and line, for config.toml and scene files.
// Rule: an invalid line affects only itself. A reader can name it, or skip it and use the rest.
#pragma once
#include "sim/api/errors.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// A key with its value.
struct TomlEntry {
    std::string table;  ///< "view", "camera.path"; empty: above all tables
    std::string key;
    std::string value;  ///< TOML on one line and without remarks; the original text where it is invalid
    std::size_t line = 0;
};

struct TomlTable {
    std::string name;  ///< "view", and "[view]" for a list of tables; empty where the heading is invalid
    std::size_t line = 0;
};

/// An invalid line.
struct TomlFaultLine {
    std::string table;  ///< table of the line
    std::size_t line = 0;
    std::string why;
};

/// Each list is in the order of the text.
struct TomlDocument {
    std::vector<TomlTable> tables;
    std::vector<TomlEntry> entries;
    std::vector<TomlFaultLine> faults;
};
TomlDocument tomlDocument(std::string_view text);

/// Converts a UsageError of `doing` to an InputError with file and line.
template <class Doing>
auto atLine(const std::string& file, std::size_t line, Doing doing) {
    try {
        return doing();
    } catch (const UsageError& error) {
        throw InputError(file + ", line " + std::to_string(line) + ": " + error.what());
    }
}

}  // namespace gravlab
