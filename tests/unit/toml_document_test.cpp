// Files of TOML as keys with their lines: all of TOML that a line can say, and what is wrong where.
#include "app/files/toml_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gravlab {
namespace {

using testing::ElementsAre;

/// "3 [view] glow = 0.5", "1 [view]", "2 expected ...".
std::vector<std::string> shown(std::string_view text) {
    const TomlDocument document = tomlDocument(text);
    std::vector<std::string> all;
    for (const TomlTable& table : document.tables) all.push_back(std::to_string(table.line) + " [" + table.name + "]");
    for (const TomlEntry& entry : document.entries)
        all.push_back(std::to_string(entry.line) + " " + (entry.table.empty() ? "" : entry.table + ".") + entry.key + " = " +
                      entry.value);
    for (const TomlFaultLine& fault : document.faults)
        all.push_back(std::to_string(fault.line) + " in " + fault.table + ": " + fault.why);
    return all;
}

TEST(TomlDocument, hasEachKeyWithItsTableAndLine) {
    EXPECT_THAT(
        shown("# a remark\nscene = \"disc\" # another\n\n[view]\r\nglow=0.5\r\n[camera.path]\npoints = [\n  [0, 1.50], "
              "# first\n\n  [2, 3],\n]\n"),
        ElementsAre("4 [view]", "6 [camera.path]", "2 scene = \"disc\"", "5 view.glow = 0.5",
                    "7 camera.path.points = [[0, 1.50], [2, 3]]"));
}

TEST(TomlDocument, takesWhatTomlHas) {
    EXPECT_THAT(
        shown("name = 'a # b' # c\n\"law\" = \"x \\u00e9\"\nview.glow = 1e-3\nset = { b = 2, a = 0x10 }\nlong = [1,\n2]\n"),
        ElementsAre("1 name = \"a # b\"", "2 law = \"x \u00e9\"", "3 view.glow = 1e-3",
                    "4 set = { \"a\" = 0x10, \"b\" = 2 }", "5 long = [1, 2]"));
}

TEST(TomlDocument, handsOnValuesThatAreNoneAsTheyStand) {
    EXPECT_THAT(shown("seed = 18446744073709551615\ndt = .5\npaper = yes\ntone = \"aces\n"),
                ElementsAre("1 seed = 18446744073709551615", "2 dt = .5", "3 paper = yes", "4 tone = \"aces"));
}

TEST(TomlDocument, oneWrongLineSpoilsItselfAlone) {
    EXPECT_THAT(shown("a = 1\nnonsense\na = 2\nopen = [1,\nb = 3\n[view]\nc = 4\n[view]\nd = 5\n[}\n"),
                ElementsAre("6 [view]", "1 a = 1", "4 open = [1,", "5 b = 3", "7 view.c = 4", "9 ?.d = 5",
                            "2 in : expected KEY = VALUE, not 'nonsense'", "3 in : a is there twice, first in line 1",
                            "8 in view: [view] is there twice, first in line 6", "10 in ?: expected KEY = VALUE, not '[}'"));
}

TEST(TomlDocument, endsForEveryText) {
    const std::string text = "[view]\nname = 'x'\npoints = [[1, 2],\n[3, 4]]\n";
    for (std::size_t n = 0; n <= text.size(); ++n) tomlDocument(std::string_view(text).substr(0, n));
    std::string many;
    for (int i = 0; i < 20000; ++i) many += "x = [\n1,\n";
    EXPECT_EQ(tomlDocument(many).entries.size(), 1u);
}

}  // namespace
}  // namespace gravlab
