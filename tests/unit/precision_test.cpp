// The one table that spells precisions.
#include "sim/forces/precision.h"

#include "sim/core/error.h"
#include "tests/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

namespace gravlab {
namespace {

namespace fs = std::filesystem;

TEST(Precisions, haveOneNameEachThereAndBack) {
    ASSERT_EQ(precisions().size(), 3u);
    for (const PrecisionRow& row : precisions()) {
        EXPECT_EQ(nameOf(row.precision), row.name);
        EXPECT_EQ(precision(row.name).precision, row.precision);
        EXPECT_EQ(findPrecision(row.name), &row);
        EXPECT_FALSE(row.idea.empty());
    }
    EXPECT_EQ(nameOf(Precision::mixed), "mixed");
    EXPECT_EQ(findPrecision("fp16"), nullptr);
    EXPECT_EQ(precisionNames(), "fp32, mixed or fp64");
    EXPECT_EQ(precisionNames("'"), "'fp32', 'mixed' or 'fp64'");
    try {
        precision("mixd");
        ADD_FAILURE() << "there is no such precision";
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(), "unknown precision 'mixd'; did you mean 'mixed'? valid: fp32, mixed, fp64");
    }
}

TEST(Precisions, areSpelledNowhereElse) {
    const std::regex name(R"RE("(fp32|mixed|fp64)")RE");
    for (const char* folder : {"sim", "render", "app"})
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(fs::path(GRAVLAB_SOURCE_DIR) / folder)) {
            const std::string extension = entry.path().extension().string();
            if (extension != ".h" && extension != ".cpp") continue;
            std::ifstream file(entry.path());
            const std::string text{std::istreambuf_iterator<char>(file), {}};
            EXPECT_EQ(std::regex_search(text, name), entry.path().filename() == "precision.cpp") << entry.path();
        }
}

}  // namespace
}  // namespace gravlab
