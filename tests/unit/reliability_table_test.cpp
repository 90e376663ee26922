// docs/reliability.md: every test that it names exists, and every fault of the list has a row.
#include "tests/files.h"
#include "tests/paths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

namespace gravlab {
namespace {

namespace fs = std::filesystem;

/// "Suite.test" of everything in tests/; suites of TEST_P have their instance's name in front when they run.
std::set<std::string> testsOfTheTree() {
    std::set<std::string> found;
    const std::regex pattern(R"(TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\))");
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(GRAVLAB_SOURCE_DIR "/tests")) {
        if (entry.path().extension() != ".cpp" && entry.path().extension() != ".cu" && entry.path().extension() != ".h")
            continue;
        const std::string text = contentOf(entry.path());
        for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
            found.insert((*at)[1].str() + "." + (*at)[2].str());
    }
    return found;
}

/// The names in backquotes that look like tests: "Suite.test", "Suite.*", "Suite.Begins...", "Instance/Suite.test/*".
std::vector<std::string> testsNamed(const std::string& text) {
    std::vector<std::string> names;
    const std::regex pattern(R"(`(?:\w+/)?([A-Z]\w+)\.(\w*)(\*|\.\.\.|/\*)?`)");
    for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
        const std::string open = (*at)[3];
        names.push_back((*at)[1].str() + "." + (*at)[2].str() + (open == "*" || open == "..." ? "*" : ""));
    }
    return names;
}

bool exists(const std::string& name, const std::set<std::string>& tests) {
    if (!name.ends_with('*')) return tests.contains(name);
    const std::string begin = name.substr(0, name.size() - 1);
    const auto at = tests.lower_bound(begin);
    return at != tests.end() && at->starts_with(begin);
}

TEST(ReliabilityTable, everyTestThatItNamesExists) {
    const std::set<std::string> tests = testsOfTheTree();
    const std::vector<std::string> named = testsNamed(contentOf(GRAVLAB_SOURCE_DIR "/docs/reliability.md"));
    EXPECT_GT(tests.size(), 500u);
    EXPECT_GT(named.size(), 60u) << "the names were not found";
    for (const std::string& name : named) EXPECT_TRUE(exists(name, tests)) << name << " is not in tests/";
}

TEST(ReliabilityTable, aNameOfNoTestIsNoticed) {
    const std::set<std::string> tests{"Suite.one", "Suite.two"};
    EXPECT_EQ(testsNamed("`Suite.one`, `Rows/Suite.two/*`, `gravlab`, `Suite.o...`, `Suite.*`"),
              (std::vector<std::string>{"Suite.one", "Suite.two", "Suite.o*", "Suite.*"}));
    for (const char* good : {"Suite.one", "Suite.*", "Suite.o*"}) EXPECT_TRUE(exists(good, tests)) << good;
    for (const char* bad : {"Suite.three", "Other.*", "Suite.x*"}) EXPECT_FALSE(exists(bad, tests)) << bad;
}

/// The list of faults has 24 rows, F1 to F24; each has a promise and a test here.
TEST(ReliabilityTable, allTwentyFourFaultsHaveARowWithATest) {
    const std::string text = contentOf(GRAVLAB_SOURCE_DIR "/docs/reliability.md");
    std::set<int> seen;
    const std::regex row(R"(\n\| F(\d+) [^|]*\|([^|]*)\|([^|]*)\|)");
    for (std::sregex_iterator at(text.begin(), text.end(), row), end; at != end; ++at) {
        seen.insert(std::stoi((*at)[1]));
        EXPECT_GT((*at)[2].str().size(), 10u) << "F" << (*at)[1] << " has no promise";
        EXPECT_FALSE(testsNamed((*at)[3]).empty()) << "F" << (*at)[1] << " has no test";
    }
    for (int fault = 1; fault <= 24; ++fault) EXPECT_TRUE(seen.contains(fault)) << "F" << fault;
}

}  // namespace
}  // namespace gravlab
