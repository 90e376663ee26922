// A TOML text as its keys, each with its table, value and line: config.toml and scene files are read from this.
// Rule: what is no TOML spoils its own line, so that a reader can name it, or leave it out and take the rest.
#pragma once
#include "sim/core/error.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// A key that has a value.
struct TomlEntry {
    std::string table;  ///< "view", "camera.path"; empty: above all tables
    std::string key;
    std::string value;  ///< as TOML, on one line and without remarks; as it stands where it is none
    std::size_t line = 0;
};

/// A heading.
struct TomlTable {
    std::string name;  ///< "view", and "[view]" of a list of tables; empty where the heading is none
    std::size_t line = 0;
};

/// A line that is left out.
struct TomlFaultLine {
    std::string table;  ///< that it stands in
    std::size_t line = 0;
    std::string why;
};

/// Each in the order of the text.
struct TomlDocument {
    std::vector<TomlTable> tables;
    std::vector<TomlEntry> entries;
    std::vector<TomlFaultLine> faults;
};
TomlDocument tomlDocument(std::string_view text);

/// What `doing` refuses is refused as input, with file and line. Throws InputError.
template <class Doing>
auto atLine(const std::string& file, std::size_t line, Doing doing) {
    try {
        return doing();
    } catch (const UsageError& error) {
        throw InputError(file + ", line " + std::to_string(line) + ": " + error.what());
    }
}

}  // namespace gravlab
