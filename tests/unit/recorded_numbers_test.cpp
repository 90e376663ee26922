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
#include <set>
#include <sstream>
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

/// Rates and times of a text outside braces: no table checks them.
std::string typedIn(std::string_view text) {
    std::string outside;
    int depth = 0;
    for (const char c : text) {
        if (c == '{') ++depth;
        if (depth == 0) outside += c;
        if (c == '}' && --depth == 0) outside += 'x';
    }
    static const std::regex rate(R"(\b[0-9][0-9,.]* (G/s|G pairs|G interactions|ms|us|microseconds)\b)");
    std::string typed;
    for (auto found = std::sregex_iterator(outside.begin(), outside.end(), rate); found != std::sregex_iterator(); ++found)
        typed += found->str() + "; ";
    return typed;
}

TEST(RecordedNumbers, ofLessonsStandInBracesThatTheTablesBearOut) {
    for (const std::string& name : lessonNames()) {
        EXPECT_EQ(typedIn(lessonFile(name + ".toml")), "") << name;
        EXPECT_NO_THROW(lessonNamed(name)) << name;
    }
    EXPECT_EQ(typedIn("{a / 2} G/s and {3 = b} ms"), "");
    EXPECT_EQ(typedIn("742 G/s with {40 = registers}"), "742 G/s; ");
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

/// Each rate and share on the page that compares papers with this program is checked against a table, also in its prose.
TEST(RecordedNumbers, ofThePageOfPapersAreAllMarked) {
    std::string page = contentOf(fs::path(GRAVLAB_SOURCE_DIR) / "docs/benchmarks/papers.md");
    const std::size_t begin = page.find("<!-- table: begin -->"), end = page.find("<!-- table: end -->");
    ASSERT_LT(begin, end);
    page.erase(begin, end - begin);  // another test compares it with the numbers
    static const std::regex bare(R"(\b[0-9][0-9,.]* (G/s|GFLOP/s|G pairs|%))");
    std::string unmarked;
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);)
        if (std::regex_search(line, bare)) unmarked += line + "\n";
    EXPECT_EQ(unmarked, "");
    EXPECT_TRUE(std::regex_search(std::string("with split 32 it reaches 63 %"), bare));
}

/// The dates in a table of docs/benchmarks; empty where it has none. `name` may end with "-*": those of all such tables.
std::set<std::string> datesOf(const std::string& name) {
    std::set<std::string> dates;
    for (const auto& entry : fs::directory_iterator(fs::path(GRAVLAB_SOURCE_DIR) / "docs/benchmarks")) {
        const std::string stem = entry.path().stem().string();
        const bool meant = name.ends_with("-*") ? stem.starts_with(name.substr(0, name.size() - 1)) : stem == name;
        if (!meant || entry.path().extension() != ".csv") continue;
        for (const RecordedRow& row : rowsOf(contentOf(entry.path())))
            if (const auto date = row.find("date"); date != row.end()) dates.insert(date->second);
    }
    return dates;
}

/// Dates of a text beside tables that have others; one text is one paragraph, row or step of a lesson.
std::string wrongDatesIn(const std::string& text) {
    static const std::regex table(R"([a-z0-9]+(-[a-z0-9]+)*(-\*)?)"), date(R"(20[0-9]{2}-[0-9]{2}-[0-9]{2})");
    std::set<std::string> recorded;
    const std::sregex_iterator none;
    if (std::sregex_iterator(text.begin(), text.end(), date) == none) return {};
    for (auto found = std::sregex_iterator(text.begin(), text.end(), table); found != none; ++found)
        recorded.merge(datesOf(found->str()));
    std::string wrong;
    for (auto found = std::sregex_iterator(text.begin(), text.end(), date); found != none; ++found)
        if (!recorded.empty() && !recorded.contains(found->str())) wrong += found->str() + ", ";
    return wrong.empty() ? wrong : wrong + "in: " + text.substr(0, 100) + "\n";
}

TEST(RecordedNumbers, haveTheDatesOfTheirTables) {
    const auto wrongIn = [](const std::string& text, const std::regex& ends) {
        std::string wrong;
        for (auto part = std::sregex_token_iterator(text.begin(), text.end(), ends, -1);
             part != std::sregex_token_iterator(); ++part)
            wrong += wrongDatesIn(part->str());
        return wrong;
    };
    static const std::regex paragraphs(R"(\n\n|\n(?=[-|#]))"), steps(R"(\[\[step\]\])");
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(GRAVLAB_SOURCE_DIR) / "docs"))
        if (entry.path().extension() == ".md") {
            EXPECT_EQ(wrongIn(contentOf(entry.path()), paragraphs), "") << entry.path();
        }
    for (const std::string& name : lessonNames())
        EXPECT_EQ(wrongIn(std::string(lessonFile(name + ".toml")), steps), "") << name;
    EXPECT_EQ(wrongDatesIn("666 (recorded(nvidia-h200 tiled), 2026-11-26)"), "");
    EXPECT_THAT(wrongDatesIn("[nvidia-h200-split.csv](nvidia-h200-split.csv) (2026-11-22)"), HasSubstr("2026-11-22"));
    EXPECT_THAT(wrongDatesIn("| `amd-epyc-2-threads-*` | 2026-11-21"), HasSubstr("2026-11-21"));
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
