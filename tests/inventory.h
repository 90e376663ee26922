// tests/data/inventory.txt: the names and texts for users, as of the day it was written. Sections [NAME], one entry per
// line. A test collects a section from the program and compares it with the file: a missing entry was lost, a new one needs
// a line.
#pragma once
#include "tests/paths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace gravlab {

using InventorySections = std::map<std::string, std::set<std::string>>;

inline InventorySections readInventory(const std::string& file = GRAVLAB_SOURCE_DIR "/tests/data/inventory.txt") {
    InventorySections sections;
    std::ifstream stream(file);
    std::string section;
    for (std::string line; std::getline(stream, line);) {
        if (line.empty() || line.front() == '#') continue;
        if (line.front() == '[')
            sections[section = line.substr(1, line.size() - 2)];
        else
            sections[section].insert(line);
    }
    return sections;
}

/// One line for each difference between a section of the file and the program.
inline std::vector<std::string> inventoryDifferences(const std::string& section, const std::set<std::string>& listed,
                                                     const std::set<std::string>& found) {
    std::vector<std::string> lines, gone, added;
    std::set_difference(listed.begin(), listed.end(), found.begin(), found.end(), std::back_inserter(gone));
    std::set_difference(found.begin(), found.end(), listed.begin(), listed.end(), std::back_inserter(added));
    for (const std::string& entry : gone) lines.push_back("lost from [" + section + "]: " + entry);
    for (const std::string& entry : added)
        lines.push_back("new in [" + section + "], to be added to tests/data/inventory.txt: " + entry);
    return lines;
}

/// Fails with the name of each entry that is lost or not listed.
inline void expectInventory(const std::string& section, const std::set<std::string>& found) {
    EXPECT_FALSE(found.empty()) << "nothing was found for [" << section << "]";
    for (const std::string& line : inventoryDifferences(section, readInventory()[section], found)) ADD_FAILURE() << line;
}

}  // namespace gravlab
