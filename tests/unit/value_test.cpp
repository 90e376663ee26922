// Values: text and back for every kind, and text that is no number stays text.
#include "sim/core/value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <limits>

namespace gravlab {
namespace {

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
