// Values of TOML: valid ones, invalid ones, and values of this program's older files.
#include "sim/io/toml_value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <utility>

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

}  // namespace
}  // namespace gravlab
