// The program has the fonts of panels and pictures, whatever the system has.
#include "app/system/built_in.h"
#include "tests/files.h"
#include "tests/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace gravlab {
namespace {

TEST(Fonts, areInTheProgram) {
    if (std::getenv("GRAVLAB_FONT")) GTEST_SKIP() << "GRAVLAB_FONT names another font";
    const std::string program = contentOf(GRAVLAB_BINARY);
    ASSERT_FALSE(program.empty());
    for (const FontBytes font : {textFont(), monoFont()}) {
        ASSERT_GT(font.size(), 100000u);
        EXPECT_EQ(font[0], 0);
        EXPECT_EQ(font[1], 1) << "a TrueType file begins so";
        const std::string bytes(font.begin(), font.end());
        EXPECT_NE(program.find(bytes), std::string::npos);
    }
    EXPECT_NE(textFont().data(), monoFont().data());
}

}  // namespace
}  // namespace gravlab
