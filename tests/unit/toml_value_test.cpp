// Values of TOML: valid ones, invalid ones, and values of this program's older files.
#include "sim/io/toml_value.h"
#include "app/files/toml_document.h"
#include "sim/core/value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <clocale>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace gravlab {
namespace {

TEST(TomlValues, areReadAsTomlHasThem) {
    EXPECT_EQ(tomlValue("true"), Value(true));
    EXPECT_EQ(tomlValue("12"), Value(std::int64_t{12}));
    EXPECT_EQ(tomlValue("1_000"), Value(std::int64_t{1000}));
    EXPECT_EQ(tomlValue("0x10"), Value(std::int64_t{16}));
    EXPECT_EQ(tomlValue("-0.5e-3"), Value(-0.5e-3));
    EXPECT_EQ(tomlValue("\"a \\\"b\\\" \\u00e9\""), Value(std::string("a \"b\" \xc3\xa9")));
    EXPECT_EQ(tomlValue("'no \\escape'"), Value(std::string("no \\escape")));
    EXPECT_EQ(tomlValue("[1, 2.5, -3]"), Value(std::vector<double>{1, 2.5, -3}));
    EXPECT_EQ(tomlTable("{ toomre-q = 1.5, n = 2 }"),
              (std::map<std::string, double, std::less<>>{{"n", 2}, {"toomre-q", 1.5}}));
    EXPECT_TRUE(tomlTable("{}")->empty());
}

TEST(TomlValues, areNothingWhereTheyAreNone) {
    for (const char* text : {"",         "disc",  "\"open",  "open\"",    "\"a\" \"b\"", "1,5",      "1 2",
                             "True",     "[1, 2", "[\"a\"]", "{ a = 1 }", "1979-05-27",  "1\nw = 2", "5 = 6",
                             "\"\x01\"", "]",     "[}",      "[1, }",     "[{]",         "[,",       "{,}"})
        EXPECT_FALSE(tomlValue(text)) << text;
    for (const char* text : {"", "{", "{ a = }", "{ a = 1, a = 2 }", "{ a = \"1\" }", "{ a = nan }", "[1]", "{ a = 1 } x"})
        EXPECT_FALSE(tomlTable(text)) << text;
}

TEST(TomlValues, openWhatOlderFilesHold) {
    EXPECT_EQ(tomlValue("18446744073709551615"), Value(std::numeric_limits<std::uint64_t>::max())) << "a seed";
    EXPECT_EQ(tomlValue("+7"), Value(std::int64_t{7}));
    EXPECT_EQ(tomlValue("007"), Value(std::int64_t{7}));
    EXPECT_EQ(tomlValue("5."), Value(5.0));
    EXPECT_EQ(tomlValue("1e-05"), Value(1e-05));
    EXPECT_EQ(tomlValue("\"caf\xe9.hdf5\""), Value(std::string("caf\xe9.hdf5"))) << "a name of a file that is no UTF-8";
}

TEST(TomlValues, ofTextComeBack) {
    for (const std::string text :
         {"", "plain", "with \"quotes\" and \\", "line\nbreak\ttab", "\x7f\x01", "caf\xc3\xa9", "caf\xe9 \xc3"})
        EXPECT_EQ(tomlValue(tomlString(text)), Value(text));
}

TEST(TomlValues, lettersBeyondAsciiBelongIntoQuotes) {
    EXPECT_EQ(tomlValue("\"\xC2\xBD \xC3\xA9\""), Value(std::string("\xC2\xBD \xC3\xA9")));
    EXPECT_EQ(tomlValue("'\xC2\xBD'"), Value(std::string("\xC2\xBD")));
    EXPECT_EQ(tomlValue("\"a\\\"\xC2\xBD\""), Value(std::string("a\"\xC2\xBD")));
    EXPECT_EQ(tomlValue("\"\"\"\xC2\xBD\"\"\""), Value(std::string("\xC2\xBD"))) << "between three quotes";
    EXPECT_EQ(tomlValue("\"it's \xC2\xBD\""), Value(std::string("it's \xC2\xBD")));
    for (const char* text :
         {"-o\"P\xEF\xBB\xBEP", "'''''''\xD2\x93um", "2)'))'))'\xEF\xBB\xBD'", "\"a\"x\"\xC2\xBD\"", "[\"\xC2\xBD\"]",
          "\xC2\xBD", "\xC2\xBD\"two-body\"", "0{}.\xEF\xBF\xBD", "[1, \xC2\xA0 2]", "\"a\" \xC2\xBD"})
        EXPECT_EQ(tomlValue(text), std::nullopt) << text;
}

TEST(TomlValues, keepTheLettersOfEveryKindOfText) {
    const std::pair<const char*, const char*> texts[] = {
        {"'\xC2\xBD \"\\'", "\xC2\xBD \"\\"},         {"'''\xC2\xBD\"'''", "\xC2\xBD\""},
        {"'''\xC2\xBD'''''", "\xC2\xBD''"},           {"\"\"\"\xC2\xBD\"\"\"\"\"", "\xC2\xBD\"\""},
        {"\"\\\\\xC2\xBD\"", "\\\xC2\xBD"},           {"'\xE9'", "\xE9"},
        {"\"\xF4\x8F\x82\x80\"", "\xF4\x8F\x82\x80"}, {"\"\xC2\xBD\" # \xC2\xBD", "\xC2\xBD"},
    };
    for (const auto& [text, value] : texts) EXPECT_EQ(tomlValue(text), Value(std::string(value))) << text;
    EXPECT_EQ(tomlTable("{ '\xC2\xBD' = 2 }"), (std::map<std::string, double, std::less<>>{{"\xC2\xBD", 2}}));
}

// toml++ receives only ASCII, also when the text is no TOML: its behaviour for other letters is undefined there.
TEST(TomlText, isAsciiOrRefused) {
    for (const char* text :
         {"\"\"\"\\\xC2\xBD\"\"\"", "\"\\\xC2\xBD\"", "\"\" \xC2\xBD", "\"\\U0010f080\"", "\"\\U0010F0C0\""})
        EXPECT_EQ(asciiToml(text).foreignLine, 1u) << text;
    EXPECT_EQ(asciiToml("a = 'x'\n# \xC2\xBD\nb = \"\"\"\n\xC2\xBD\"\"\"\nc = \xC2\xBD").foreignLine, 5u);
    std::mt19937 chance(7);
    const std::string pieces[] = {"\"",       "'",    "\"\"\"",           "'''",   "\\", "#", "\n", "=", "a", " ",
                                  "\xC2\xBD", "\xE9", "\xF4\x8F\x82\x80", "u00e9", "[",  "]"};
    for (int round = 0; round < 20000; ++round) {
        std::string text;
        for (unsigned i = chance() % 12; i > 0; --i) text += pieces[chance() % std::size(pieces)];
        const AsciiToml ascii = asciiToml(text);
        EXPECT_TRUE(std::ranges::all_of(ascii.text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) << text;
        if (ascii.foreignLine == 0) {
            EXPECT_EQ(std::ranges::count(ascii.text, '\n'), std::ranges::count(text, '\n')) << text;
        }
        if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
            EXPECT_EQ(ascii.text, text);
        }
    }
}

// Files of TOML as keys with their lines: all of TOML that a line can say, and what is wrong where.

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

// Values: text and back for every kind, and text that is no number stays text.

TEST(Values, comeBackFromTheirText) {
    const Value values[] = {Value(),
                            true,
                            false,
                            std::int64_t{0},
                            std::int64_t{-7},
                            std::numeric_limits<std::int64_t>::max(),
                            std::numeric_limits<std::uint64_t>::max(),
                            0.1,
                            -1e-300,
                            3.0,
                            1e22,
                            std::string("leapfrog"),
                            std::string(""),
                            std::string("true"),
                            std::string("12"),
                            std::string("0.5"),
                            std::string("[1, 2]"),
                            std::string("nothing"),
                            std::string("two words"),
                            std::string("with \"quotes\" and \\"),
                            std::string("#no remark"),
                            std::vector<double>{},
                            std::vector<double>{1, -2.5, 1e-9}};
    for (const Value& value : values) EXPECT_EQ(valueOf(valueText(value)), value) << valueText(value);
}

TEST(Values, areReadAsWhatTheyLookLike) {
    EXPECT_EQ(valueOf(" 12 "), Value(std::int64_t{12}));
    EXPECT_EQ(valueOf("+12"), Value(std::int64_t{12}));
    EXPECT_EQ(valueOf("1e3"), Value(1000.0));
    EXPECT_EQ(valueOf("18446744073709551615"), Value(std::numeric_limits<std::uint64_t>::max()));
    EXPECT_EQ(valueOf("[1,2 , 3]"), Value(std::vector<double>{1, 2, 3}));
    EXPECT_EQ(valueOf("\"a b\""), Value(std::string("a b")));
    for (const char* text : {"+-1", "1 2", "0x10", "1,5", "[1,]", "[1, x]", "\"open", "\"a\" b", "-", "64k", "True"})
        EXPECT_EQ(valueOf(text), Value(std::string(text))) << "no value but text";
}

TEST(Values, doNotDependOnTheLocale) {
    const std::string before = std::setlocale(LC_NUMERIC, nullptr);
    for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8"})
        if (std::setlocale(LC_NUMERIC, name)) break;
    EXPECT_EQ(valueText(0.5), "0.5");
    EXPECT_EQ(valueOf("0.5"), Value(0.5));
    std::setlocale(LC_NUMERIC, before.c_str());
}

TEST(Values, ofFloatsAreWhatPeopleWrote) {
    EXPECT_EQ(plainNumber(0.3f), 0.3);
    EXPECT_EQ(static_cast<float>(plainNumber(1e-30f)), 1e-30f);
    EXPECT_NE(static_cast<double>(0.3f), 0.3) << "else this test says nothing";
}

TEST(Values, areNumbersOrNot) {
    EXPECT_EQ(numberOf(std::int64_t{3}), 3.0);
    EXPECT_EQ(numberOf(0.25), 0.25);
    EXPECT_FALSE(numberOf(std::string("3")));
    EXPECT_FALSE(numberOf(true));
    EXPECT_FALSE(numberOf(Value()));
}

}  // namespace
}  // namespace gravlab
