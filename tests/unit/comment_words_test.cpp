// Words that make comments hard to read, searched in all comments.
#include "app/control/action.h"
#include "app/model/document.h"
#include "app/parameters/parameter.h"
#include "sim/backends/kernel.h"
#include "tests/paths.h"
#include "tests/unit/cli_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {
namespace {

namespace fs = std::filesystem;

/// Each replaces a noun or verb of the field. "share", "part" and "turn" have good uses, so only phrases of them are here.
constexpr const char* kAvoidedWords =
    "\\b(asked|told|served?|serves|met|meets?|of so many|for so many bodies|goes on|takes up|lots?|"
    "shares? of|by turns|in parts of|whoever|nobody's)\\b";

constexpr const char* kPlainFolders[] = {"app", "render", "shaders", "sim"};

/// A comment, or several on consecutive lines, so that a phrase is found across a line break.
struct CommentBlock {
    int line = 0;      ///< first line
    int lastLine = 0;  ///< last line
    std::string text;
    std::vector<int> lines;  ///< of each letter of `text`
};

/// The end of a literal that begins at `at`, for strings, raw strings and characters.
std::size_t endOfLiteral(std::string_view text, std::size_t at) {
    const bool raw = text[at] == '"' && at > 0 && text[at - 1] == 'R';
    if (raw) {
        const std::size_t open = text.find('(', at);
        if (open == std::string_view::npos) return text.size();
        const std::string close = ")" + std::string(text.substr(at + 1, open - at - 1)) + "\"";
        const std::size_t end = text.find(close, open);
        return end == std::string_view::npos ? text.size() : end + close.size();
    }
    for (std::size_t i = at + 1; i < text.size(); ++i) {
        if (text[i] == '\\')
            ++i;
        else if (text[i] == text[at] || text[i] == '\n')
            return i + 1;
    }
    return text.size();
}

std::vector<CommentBlock> commentsOf(std::string_view text) {
    std::vector<CommentBlock> blocks;
    int line = 1;
    const auto add = [&](std::string_view comment) {
        if (blocks.empty() || blocks.back().lastLine + 1 < line) blocks.push_back({line, line, {}, {}});
        CommentBlock& block = blocks.back();
        bool code = false, atStart = true;  // text in `backticks` is code; marks at the start of a line are no words
        for (const char c : comment) {
            if (c == '`') code = !code;
            if (c == '\n') ++line, atStart = true;
            if (atStart && (c == '/' || c == '*' || c == '<' || c == '!')) continue;
            atStart = atStart && (c == ' ' || c == '\n');
            const bool blank = code || c == '\n';
            if (blank && !block.text.empty() && block.text.back() == ' ') continue;
            if (c == ' ' && !block.text.empty() && block.text.back() == ' ') continue;
            block.text += blank ? ' ' : c;
            block.lines.push_back(line);
        }
        if (block.text.empty() || block.text.back() != ' ') block.text += ' ', block.lines.push_back(line);
        block.lastLine = line;
    };
    for (std::size_t i = 0; i < text.size();) {
        const bool wordBefore = i > 0 && std::isalnum(static_cast<unsigned char>(text[i - 1])) != 0;
        if (text[i] == '\n') {
            ++line, ++i;
        } else if (text.substr(i, 2) == "//") {
            const std::size_t end = std::min(text.find('\n', i), text.size());
            add(text.substr(i, end - i));
            i = end;
        } else if (text.substr(i, 2) == "/*") {
            const std::size_t close = text.find("*/", i + 2);
            const std::size_t end = close == std::string_view::npos ? text.size() : close + 2;
            add(text.substr(i, end - i));
            i = end;
        } else if (text[i] == '"' || (text[i] == '\'' && !wordBefore)) {
            const std::size_t end = endOfLiteral(text, i);
            line += static_cast<int>(std::count(text.begin() + static_cast<std::ptrdiff_t>(i),
                                                text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
            i = end;
        } else {
            ++i;
        }
    }
    return blocks;
}

/// "FILE:LINE: WORD in TEXT" for each avoided word in the comments of a text.
std::vector<std::string> avoidedIn(const std::string& file, std::string_view text) {
    static const std::regex words(kAvoidedWords, std::regex::icase);
    std::vector<std::string> found;
    for (const CommentBlock& block : commentsOf(text))
        for (std::sregex_iterator hit(block.text.begin(), block.text.end(), words), end; hit != end; ++hit) {
            const auto at = static_cast<std::size_t>(hit->position());
            found.push_back(file + ":" + std::to_string(block.lines[at]) + ": \"" + hit->str() + "\" in: " + block.text);
        }
    return found;
}

bool hasComments(const fs::path& file) {
    const std::string ending = file.extension().string();
    constexpr std::string_view kEndings[] = {".h", ".cpp", ".cu", ".cuh", ".inl", ".vert", ".frag", ".comp", ".glsl"};
    return std::find(std::begin(kEndings), std::end(kEndings), ending) != std::end(kEndings);
}

TEST(CommentWords, commentsOfPlainRoomsAvoidTheseWords) {
    int files = 0;
    for (const char* room : kPlainFolders) {
        const fs::path folder = fs::path(GRAVLAB_SOURCE_DIR) / room;
        ASSERT_TRUE(fs::is_directory(folder)) << room;
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
            if (!entry.is_regular_file() || !hasComments(entry.path())) continue;
            std::ifstream in(entry.path(), std::ios::binary);
            const std::string text(std::istreambuf_iterator<char>(in), {});
            const std::string name = fs::relative(entry.path(), GRAVLAB_SOURCE_DIR).generic_string();
            for (const std::string& hit : avoidedIn(name, text)) ADD_FAILURE() << hit;
            ++files;
        }
    }
    EXPECT_GT(files, 300) << "the rooms are not where they were";
}

// Labels, tooltips and reasons of actions and parameters.
TEST(CommentWords, rowsAvoidThemToo) {
    int texts = 0;
    const auto check = [&](std::string_view row, std::initializer_list<std::string_view> words) {
        for (const std::string_view text : words) {
            texts += text.empty() ? 0 : 1;
            for (const std::string& hit : avoidedIn(std::string(row), "// " + std::string(text))) ADD_FAILURE() << hit;
        }
    };
    for (const Menu& menu : menus())
        for (const Action& row : menu.rows) check(row.name, {row.label, row.idea, row.whyNotUndoable, row.undoSkips});
    for (const Parameter& row : parameters()) check(row.path, {row.label, row.idea, row.explanation});
    EXPECT_GT(texts, 600);
}

// Negative control: every kind of comment is read, and code and strings are not.
TEST(CommentWords, wordsAreFoundInCommentsAlone) {
    const std::string text =
        "int asked = 0;  // told by a trailing comment\n"
        "/// of so\n"
        "/// many bodies\n"
        "const char* words = \"the /* served */ // met\";\n"
        "const char* raw = R\"x(// lots\n)x\";\n"
        "const int digits = 1'000;  /* goes on\n"
        "   and takes up a block */\n"
        "const char quote = '\"';  // `asked` is a name, Meet is not\n"
        "// the parasol, a server and meetings are other words\n";
    const std::vector<std::string> found = avoidedIn("made_up.cpp", text);
    const auto at = [](const char* start) { return testing::StartsWith(std::string("made_up.cpp:") + start); };
    EXPECT_THAT(found, testing::ElementsAre(at("1: \"told\""), at("2: \"of so many\""), at("7: \"goes on\""),
                                            at("8: \"takes up\""), at("9: \"Meet\"")));
}

// Texts for users stand alone: the idea of a kernel does not refer to its neighbours, and one step is written as "a step".

using testing::HasSubstr;
using testing::Not;

TEST(PlainWords, theIdeaOfAKernelStandsAlone) {
    for (const std::string_view backend : {"cpu", "cuda"}) {
        std::set<std::string> ideas;
        for (const KernelRow& row : kernels()) {
            if (row.backend != backend) continue;
            const std::string idea(row.idea);
            EXPECT_THAT(idea, Not(HasSubstr("the same "))) << row.name << ": the same as what?";
            EXPECT_THAT(idea, Not(HasSubstr("the tiled kernel"))) << row.name;
            EXPECT_TRUE(ideas.insert(idea).second) << row.name << " has the idea of another kernel";
            EXPECT_LE(std::count(idea.begin(), idea.end(), ' '), 24) << row.name << ": 25 words at most";
        }
    }
}

TEST(PlainWords, oneStepIsAStep) {
    EXPECT_THAT(runGravlab({"run", "two-body", "--steps", "1"}).out, HasSubstr(", 1 step of 0."));
    EXPECT_THAT(runGravlab({"run", "two-body", "--steps", "2"}).out, HasSubstr(", 2 steps of 0."));
}

TEST(PlainWords, aVectorHoldsBodiesOfThePrecision) {
    Document document;
    const auto bodies = [&] { return parameter("run.vector_bodies").get(document); };
    document.facts.launch.vectorLanes = 0;
    EXPECT_TRUE(isNothing(bodies())) << "a GPU has none";
    document.facts.launch.vectorLanes = 8;
    document.facts.configuration.force.precision = Precision::fp32;
    EXPECT_EQ(bodies(), Value(std::int64_t{8}));
    document.facts.configuration.force.precision = Precision::fp64;
    EXPECT_EQ(bodies(), Value(std::int64_t{4})) << "a number takes the room of two";
}

}  // namespace
}  // namespace gravlab
