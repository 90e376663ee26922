// Numbers in lessons and documents are those of the recorded tables and of the papers: docs/benchmarks/*.csv.
#include "app/lessons/lesson_file.h"
#include "app/lessons/placeholders.h"
#include "app/model/recorded.h"
#include "sim/api/errors.h"
#include "sim/core/text.h"
#include "tests/files.h"
#include "tests/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>

namespace gravlab {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

Value noNumber(std::string_view) { return {}; }

/// Why a document's marked number is wrong; empty: it agrees. A mark stands behind its number: 666<!-- = EXPRESSION -->
std::string wrongIn(const std::string& text, int& marks) {
    static const std::regex mark(R"(([0-9][0-9,.]*)?<!-- = (.*?) -->)");
    std::string wrong;
    for (auto found = std::sregex_iterator(text.begin(), text.end(), mark); found != std::sregex_iterator(); ++found) {
        ++marks;
        try {
            requireNumber((*found)[1].str(), evaluate((*found)[2].str(), noNumber));
        } catch (const UsageError& error) {
            wrong += found->str() + ": " + error.what() + "\n";
        }
    }
    return wrong;
}

TEST(RecordedNumbers, ofLessonsStandInBracesThatTheTablesBearOut) {
    for (const std::string& name : lessonNames()) EXPECT_NO_THROW(lessonNamed(name)) << name;
}

TEST(RecordedNumbers, ofDocumentsAreThoseOfTheTables) {
    const fs::path root(GRAVLAB_SOURCE_DIR);
    int marks = 0;
    EXPECT_EQ(wrongIn(contentOf(root / "README.md"), marks), "");
    for (const auto& entry : fs::recursive_directory_iterator(root / "docs"))
        if (entry.path().extension() == ".md") {
            EXPECT_EQ(wrongIn(contentOf(entry.path()), marks), "") << entry.path();
        }
    EXPECT_GT(marks, 70);
}

/// No table of a lesson shows the first of several rows.
TEST(RecordedNumbers, ofATableOfALessonAreOneRowEach) {
    LessonTable table{.device = "nvidia-h200-split", .over = "n", .kernels = {"tiled-split"}, .at = {4096}};
    EXPECT_THROW(recordedTable(table), UsageError);
    table.where = {{"split", 16}};
    EXPECT_EQ(recordedTable(table).rows.front().back(), "1,512");
}

TEST(RecordedNumbers, aWrongNumberFails) {
    int marks = 0;
    EXPECT_EQ(wrongIn("666<!-- = recorded(nvidia-h200 global n=65536) --> G/s", marks), "");
    EXPECT_THAT(wrongIn("667<!-- = recorded(nvidia-h200 global n=65536) --> G/s", marks), HasSubstr("should be 666.16"));
    EXPECT_THAT(wrongIn("6.66<!-- = recorded(nvidia-h200 global n=65536) --> G/s", marks), HasSubstr("should be"));
    EXPECT_THAT(wrongIn("<!-- = recorded(nvidia-h200 global n=65536) -->", marks), HasSubstr("is no number"));
    EXPECT_EQ(marks, 4);
    EXPECT_EQ(filledIn("{1,737 = recorded(nvidia-h200 tiled n=65536)} G/s", noNumber), "1,737 G/s");
    EXPECT_THROW(filledIn("{1,738 = recorded(nvidia-h200 tiled n=65536)} G/s", noNumber), UsageError);
    EXPECT_EQ(blankedOut("{1,737 = recorded(nvidia-h200 tiled n=65536)}, {2 * 3}, {run.time}", "__"), "1,737, 6, __");
}

TEST(RecordedNumbers, nameOneRowOfOneTable) {
    EXPECT_DOUBLE_EQ(recordedNumber("papers global block=31"), 33.852);
    EXPECT_DOUBLE_EQ(recordedNumber("papers naive-symmetric of=seconds"), 9000);
    EXPECT_DOUBLE_EQ(recordedNumber("nsight-nvidia-h200 soa counter=l1tex__t_sector_hit_rate.pct of=counted"), 96.83);
    for (const char* which :
         {"papers global", "papers no-such-kernel", "papers global block=31 of=page", "", "no-such-table x"})
        EXPECT_THROW(recordedNumber(which), UsageError) << which;
    for (const std::string& device : recordedDevices()) EXPECT_TRUE(device.starts_with("nvidia-")) << device;
}

}  // namespace
}  // namespace gravlab
