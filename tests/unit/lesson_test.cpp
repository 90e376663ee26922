// Lessons: the content of a file, mistakes with their line, texts with numbers in them, worksheets.
#include "app/lessons/lesson_file.h"

#include "app/control/script.h"
#include "app/lessons/lesson_runner.h"
#include "app/lessons/placeholders.h"
#include "app/lessons/worksheet.h"
#include "app/model/recorded.h"
#include "sim/api/errors.h"
#include "tests/files.h"
#include "tests/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace gravlab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kLesson = R"(title = "T"
idea = "I"
[[step]]
title = "S"
text = """
First line,
then {run.step}.
"""
setup = ["open two-body",
         "set run.speed 0"]
control = "run.speed"
task = "Wait."
until = ["wait run.step >= 10 within 20"]
show = ["set run.paused false"]
keep = ["steps = run.step", "twice = 2 * steps"]
explain = "It made {twice}."
[step.question]
text = "Which?"
choices = ["a", "b"]
answer = 2
)";

/// The file with one text in place of another.
std::string with(const std::string& before, const std::string& after) {
    std::string text = kLesson;
    const std::size_t at = text.find(before);
    EXPECT_NE(at, std::string::npos) << before;
    return text.replace(at, before.size(), after);
}

std::string refusalOf(const std::string& text) {
    try {
        parseLesson(text, "my", "my.toml");
    } catch (const InputError& error) {
        return error.what();
    }
    return "taken";
}

TEST(LessonFile, holdsStepsWithTheirLines) {
    const Lesson lesson = parseLesson(kLesson, "my", "my.toml");
    ASSERT_EQ(lesson.steps.size(), 1u);
    const LessonStep& step = lesson.steps.front();
    EXPECT_EQ(step.line, 3u);
    ASSERT_EQ(step.setup.size(), 2u);
    EXPECT_EQ(step.setup[1].number, 10u);
    EXPECT_EQ(step.setup[1].text, "set run.speed 0");
    ASSERT_TRUE(step.question);
    EXPECT_EQ(step.question->answer, 2);
    EXPECT_FALSE(step.predict);
}

struct Mistake {
    const char *before, *after, *line, *why;
};

TEST(LessonFile, refusesEachMistakeWithItsLine) {
    const Mistake mistakes[] = {
        {"idea = \"I\"", "idea = \"I", "line 2", ""},
        {"idea = \"I\"", "idea = 3", "line 2", "text in quotes"},
        {"idea = \"I\"", "ideas = \"I\"", "line 2", "unknown key of a lesson 'ideas'; did you mean 'idea'?"},
        {"control = \"run.speed\"", "controll = \"run.speed\"", "line 11", "unknown key of a step"},
        {"control = \"run.speed\"", "control = \"run.sped\"", "line 11", "run.sped"},
        {"\"set run.speed 0\"", "\"set run.speed fast\"", "line 10", "run.speed"},
        {"\"set run.speed 0\"", "\"do save /tmp/x.hdf5\"", "line 10", "a lesson cannot 'do save'"},
        {"\"set run.speed 0\"", "\"do quit\"", "line 10", "a lesson cannot 'do quit'"},
        {"\"set run.speed 0\"", "\"do own-try\"", "line 10", "a lesson compiles nothing by itself"},
        {"\"set run.speed 0\"", "\"set lab.own_text x\"", "line 10", "a lesson brings no texts of kernels"},
        {"\"set run.speed 0\"", "\"do own-open /tmp/x.cu\"", "line 10", "a lesson cannot 'do own-open'"},
        {"open two-body", "open /etc/passwd", "line 9", "unknown scene"},
        {"wait run.step >= 10 within 20", "expect run.step >= 10", "line 13", "lines that wait"},
        {"wait run.step >= 10 within 20", "wait run.step >= 10 within 1000", "line 13", "more than 120 s"},
        {"wait run.step >= 10 within 20", "wait run.steps >= 10", "line 13", "run.step"},
        {"{run.step}", "{run.stop}", "line 7", "run.stop"},
        {"{run.step}", "{run.step", "line 7", "a brace does not end"},
        {"{twice}", "{thrice}", "line 16", "thrice"},
        {"twice = 2 * steps", "twice = 2 * stops", "line 15", "stops"},
        {"twice = 2 * steps", "twice = 2 *", "line 15", "missing"},
        {"explain = \"It", "ranges = [\"thrice = 1 to 2\"]\nexplain = \"It", "line 16", "of a number that is kept"},
        {"explain = \"It", "ranges = [\"steps = 2 to 1\"]\nexplain = \"It", "line 16", "LEAST to MOST"},
        {"explain = \"It", "ranges = [\"steps = 2\"]\nexplain = \"It", "line 16", "LEAST to MOST"},
        {"choices = [\"a\", \"b\"]\nanswer = 2", "answer = \"2 * run.step\"", "line 19", "recorded() alone"},
        {"answer = 2", "answer = 3", "line 20", "from 1 to 2"},
        {"answer = 2", "", "line 17", "the answer is missing"},
        {"until = [\"wait run.step >= 10 within 20\"]", "", "line 12", "a task needs 'until'"},
        {"[[step]]", "[step]", "line 3", "[[step]]"},
        {"task = \"Wait.\"", "task = \xc3\xa4", "line 12", "beyond ASCII"},
        {"\"Wait.\"", "\"\"\"\\\xc3\xa4\"\"\"", "line 12", "beyond ASCII"},
        {"Wait.", "\x1b[2J", "line 12", "control character"},
        {"Wait.", "\\u001b[2J", "line 12", "control character"},
        {"Wait.", "\\u009b2J", "line 12", "control character"},
        {"Wait.", "\\u061c", "line 12", "control character"},
        {"choices = [\"a\", \"b\"]", "choices = []", "line 19", "an empty list of choices"},
        {"Wait.", "W\xe4rte.", "line 12", "no UTF-8"},
        {"explain = \"It made {twice}.\"", "explain = \"{recorded:nvidia-h200:tiled:12345}\"", "line 16", "12345"},
    };
    for (const Mistake& mistake : mistakes) {
        const std::string why = refusalOf(with(mistake.before, mistake.after));
        EXPECT_THAT(why, HasSubstr(std::string("my.toml, ") + mistake.line + ":")) << mistake.after;
        EXPECT_THAT(why, HasSubstr(mistake.why)) << mistake.after;
    }
    EXPECT_EQ(refusalOf(with("Wait.", "W\xc3\xa4rte.")), "taken") << "letters of every language in texts";
}

TEST(LessonFile, noStepOfOurOwnWaitsLongerThanItMay) {
    EXPECT_FALSE(lessonNames().empty());
    for (const std::string& name : lessonNames()) {
        const auto lesson = lessonNamed(name);
        EXPECT_GE(lesson->steps.size(), 2u) << name;
        bool asks = false;
        for (const LessonStep& step : lesson->steps) {
            double seconds = 0;
            for (const LessonLine& line : step.until) {
                const auto parsed = parseScriptLine(line.text);
                ASSERT_TRUE(parsed);
                EXPECT_THAT(line.text, HasSubstr("within")) << name << ", line " << line.number << ": says no limit";
                seconds += parsed->seconds;
            }
            EXPECT_LE(seconds, kLongestStep) << name << ", " << step.title;
            asks = asks || step.question || step.predict;
        }
        EXPECT_TRUE(asks) << name << " asks nothing";
    }
}

/// A file outside the list would never be shown.
TEST(LessonFile, namesEachPaperWhereItComesFirst) {
    for (const std::string& name : lessonNames()) {
        const std::string text(lessonFile(name + ".toml"));
        for (const char* number : {"000", "001", "002", "003", "004"}) {
            const std::size_t first =
                std::min(text.find("paper " + std::string(number)), text.find("Paper " + std::string(number)));
            if (first == text.npos) continue;
            EXPECT_EQ(text.substr(first + 9, 2), " (") << name << " does not say what paper " << number << " is";
        }
    }
}

TEST(LessonFile, everyFileOfTheFolderIsInTheList) {
    std::size_t files = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(GRAVLAB_SOURCE_DIR) / "assets/lessons")) {
        EXPECT_NO_THROW(lessonNamed(entry.path().stem().string())) << entry.path();
        ++files;
    }
    EXPECT_EQ(files, lessonNames().size());
}

TEST(LessonFile, anUnknownNameNamesTheNearest) {
    try {
        lessonNamed("leapfrogg");
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_THAT(error.what(), HasSubstr("did you mean 'leapfrog'?"));
    }
    EXPECT_THROW(lessonNamed("/no/such/lesson.toml"), InputError);
}

Value known(std::string_view name) {
    if (name == "a") return 6.0;
    if (name == "b") return 1.5;
    if (name == "scene.toomre-q") return 2.0;
    if (name == "word") return std::string("euler");
    return {};
}

TEST(LessonText, fillsNumbersIn) {
    EXPECT_EQ(filledIn("{a} {a / b} {a - b * 2} {(a - b) * 2} {log2(a / b)} {scene.toomre-q} {word}", known),
              "6 4 3 9 2 2 euler");
    EXPECT_EQ(filledIn("{{x}} {nobody} {a / nobody}", known), "{x} (not measured) (not measured)");
    EXPECT_EQ(filledIn("{1000 * a} {0.000123456} {a - 7}", known), "6,000 0.000123 -1");
    EXPECT_THROW(filledIn("{word / 2}", known), UsageError);
    EXPECT_THROW(filledIn("{a b}", known), UsageError);
    EXPECT_THROW(filledIn("a }", known), UsageError);
    EXPECT_EQ(blankedOut("It was {a}.", "____"), "It was ____.");
}

TEST(LessonText, hasParagraphsPointsAndProgramText) {
    const std::vector<TextBlock> blocks = blocksOf("one\ntwo\n\n- a\n- b\n  goes on\n\n    for (;;)\n      x\nend\n");
    using Kind = TextBlock::Kind;
    ASSERT_EQ(blocks.size(), 5u);
    EXPECT_EQ(blocks[0].text, "one two");
    EXPECT_EQ(blocks[2].kind, Kind::point);
    EXPECT_EQ(blocks[2].text, "b goes on");
    EXPECT_EQ(blocks[3].kind, Kind::code);
    EXPECT_EQ(blocks[3].text, "for (;;)\n  x");
    EXPECT_EQ(blocks[4].text, "end");
}

TEST(LessonProgress, onlyGrows) {
    std::string text = withReached("", "order", 2);
    text = withReached(text, "leapfrog", 1);
    text = withReached(text, "order", 1);
    EXPECT_EQ(reachedOf(text, "order"), 2);
    EXPECT_EQ(reachedOf(text, "leapfrog"), 1);
    EXPECT_EQ(reachedOf(text, "leap"), 0);
    EXPECT_EQ(reachedOf("garbage order:x :3", "order"), 0);
}

TEST(Recorded, saysWhereAndWhen) {
    const std::string text = recordedText("nvidia-h200:tiled:65536");
    EXPECT_THAT(text, HasSubstr("G/s (recorded, NVIDIA H200, 20"));
    const RecordedTable table = recordedTable(
        {.device = "nvidia-h200", .over = "n", .kernels = {"global", "tiled"}, .at = {4096, 65536}, .where = {}});
    EXPECT_THAT(table.heading, HasSubstr("Recorded: NVIDIA H200, 20"));
    EXPECT_THAT(table.columns, ElementsAre("4,096", "65,536"));
    ASSERT_EQ(table.rates.size(), 2u);
    EXPECT_GT(table.rates[1][1], table.rates[0][1]) << "tiled is faster than global";
    EXPECT_THROW(recordedText("nvidia-h200:tiled"), UsageError);
    EXPECT_THROW(recordedText("no-such-device:tiled:65536"), UsageError);
    EXPECT_THROW(recordedTable({.device = "nvidia-h200", .over = "n", .kernels = {"tiled"}, .at = {7}, .where = {}}),
                 UsageError);
    EXPECT_THAT(csvCells("a,\"b, c\",,d"), ElementsAre("a", "b, c", "", "d"));
}

TEST(Recorded, curvesSayWhereAndWhenAndAreThoseOfTheFile) {
    const std::vector<std::string> devices = recordedDevices();
    ASSERT_FALSE(devices.empty());
    EXPECT_EQ(devices.front(), "nvidia-h200");
    for (const std::string& device : devices) EXPECT_FALSE(device.starts_with("nvidia-h200-")) << "a figure is no device";
    const RecordedFigure& bodies = recordedFigure("nvidia-h200", "bodies");
    EXPECT_THAT(bodies.heading, HasSubstr("Recorded: NVIDIA H200, 20"));
    ASSERT_FALSE(bodies.curves.empty());
    EXPECT_LE(bodies.curves.size(), 7u) << "as many as there are colours";
    for (const RecordedCurve& curve : bodies.curves) {
        EXPECT_EQ(curve.x.size(), curve.y.size());
        for (const double rate : curve.y) EXPECT_GT(rate, 1) << "G/s of a GPU";
    }
    EXPECT_THAT(recordedFigure("nvidia-t4", "block").missing, HasSubstr("make.sh"));
    for (const RecordedRow& row : recordedRows("nvidia-h200"))
        if (row.at("kernel") == "tiled" && row.at("n") == "65536" && !recordedRate(row).empty()) {
            EXPECT_THAT(recordedText("nvidia-h200:tiled:65536"), HasSubstr(recordedRate(row) + " G/s"));
        }
}

TEST(Worksheet, asksWithoutTellingAndTellsTheTeacher) {
    const Lesson lesson = parseLesson(kLesson, "my", "my.toml");
    for (const bool page : {false, true}) {
        const auto write = page ? worksheetHtml : worksheetMarkdown;
        const LessonAnswers unmeasured;
        const std::string students = write(lesson, nullptr), teachers = write(lesson, &unmeasured);
        EXPECT_THAT(students, HasSubstr("Which?"));
        EXPECT_THAT(students, HasSubstr("Step, complete steps since the start: ________ (steps)"));
        EXPECT_THAT(students, testing::Not(HasSubstr("Answer")));
        EXPECT_THAT(students, testing::Not(HasSubstr("It made")));
        EXPECT_THAT(teachers, HasSubstr("Answer: b"));
        EXPECT_THAT(teachers, HasSubstr("It made ________."));
    }
    const Lesson ranged = parseLesson(with("explain", "ranges = [\"steps = 10 to 14\"]\nexplain"), "my", "my.toml");
    const LessonAnswers measured{.numbers = {{"steps", std::int64_t{11}}, {"twice", 22.0}}, .about = "Measured here."};
    const std::string told = worksheetMarkdown(ranged, &measured);
    EXPECT_THAT(told, HasSubstr("Measured here."));
    EXPECT_THAT(told, HasSubstr("Step, complete steps since the start: 11 (steps; a class may get 10 to 14)"));
    EXPECT_THAT(told, HasSubstr("Twice: 22 (2 * steps)"));
    EXPECT_THAT(told, HasSubstr("It made 22."));
    EXPECT_THAT(worksheetMarkdown(ranged, nullptr), testing::Not(HasSubstr("a class may get")));
    Lesson sharp = lesson;
    sharp.steps[0].title = "<script>";
    EXPECT_THAT(worksheetHtml(sharp, nullptr), testing::Not(HasSubstr("<script>")));
    EXPECT_THAT(worksheetHtml(sharp, nullptr), HasSubstr("&lt;script&gt;"));
}

}  // namespace
}  // namespace gravlab
