// Documents: every link to a file of this tree leads somewhere, and the course names every lesson with its minutes.
#include "app/commands/subcommand.h"
#include "app/lessons/lesson_file.h"
#include "app/system/built_in.h"
#include "sim/api/errors.h"
#include "tests/files.h"
#include "tests/paths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace gravlab {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> documents() {
    const fs::path root(GRAVLAB_SOURCE_DIR);
    std::vector<fs::path> found{root / "README.md", root / "CONTRIBUTING.md", root / "CHANGELOG.md", root / "SECURITY.md",
                                root / "CODE_OF_CONDUCT.md"};
    for (const auto& entry : fs::recursive_directory_iterator(root / "docs"))
        if (entry.path().extension() == ".md") found.push_back(entry.path());
    return found;
}

/// Files and folders to which a page links.
std::vector<std::string> linksOf(const std::string& text) {
    static const std::regex link(R"(\]\(([^)#\s]+)(#[^)]*)?\))");
    std::vector<std::string> targets;
    for (auto found = std::sregex_iterator(text.begin(), text.end(), link); found != std::sregex_iterator(); ++found)
        if (const std::string target = (*found)[1]; target.find("://") == std::string::npos) targets.push_back(target);
    return targets;
}

/// Links of a page that lead to no file.
std::string deadLinks(const std::string& text, const fs::path& folder) {
    std::string dead;
    for (const std::string& target : linksOf(text))
        if (!fs::exists(folder / target)) dead += target + " ";
    return dead;
}

TEST(Documents, nameTheVersionOfTheProgram) {
    const fs::path root(GRAVLAB_SOURCE_DIR);
    const std::string known(version());
    const std::string changes = contentOf(root / "CHANGELOG.md"), citation = contentOf(root / "CITATION.cff");
    std::smatch heading;
    ASSERT_TRUE(std::regex_search(changes, heading, std::regex("\\n## (\\S+) - (unreleased|\\d{4}-\\d\\d-\\d\\d)\\n")));
    EXPECT_EQ(heading[1], known) << "the newest heading of CHANGELOG.md";
    EXPECT_NE(citation.find("\nversion: " + known + "\n"), std::string::npos) << "CITATION.cff";
}

TEST(Documents, linksLeadSomewhere) {
    for (const fs::path& page : documents()) EXPECT_EQ(deadLinks(contentOf(page), page.parent_path()), "") << page;
    EXPECT_EQ(deadLinks("[a](no-such.md), [b](http://x.org), ![c](README.md#part)", GRAVLAB_SOURCE_DIR), "no-such.md ");
}

/// The command lines of a page, as words: lines that begin with the program's name, up to a comment or a pipe.
/// Forms with brackets or capitals, such as FILE, are no commands.
std::vector<std::vector<std::string>> documentedCommands(const std::string& text) {
    static const std::regex line(R"((?:^|\n)[ \t]*(?:\./build/)?gravlab ((?:[^\n\\]|\\\n)*))"),
        end(R"( {2,}| [#|>&] ?| \d>)"), form(R"(\[|\.\.\.|(?:^| )[A-Z]+\b)"), word(R"x('([^']*)'|"([^"]*)"|([^\s\\'"]+))x");
    std::vector<std::vector<std::string>> commands;
    for (auto found = std::sregex_iterator(text.begin(), text.end(), line); found != std::sregex_iterator(); ++found) {
        std::string rest = std::regex_replace((*found)[1].str(), std::regex(R"(\s*\\\n\s*)"), " ");
        if (std::smatch cut; std::regex_search(rest, cut, end)) rest.resize(static_cast<std::size_t>(cut.position()));
        if (std::regex_search(rest, form) || rest.starts_with("is ")) continue;
        std::vector<std::string> words{"gravlab"};
        for (auto w = std::sregex_iterator(rest.begin(), rest.end(), word); w != std::sregex_iterator(); ++w)
            words.push_back((*w)[1].matched ? (*w)[1] : (*w)[2].matched ? (*w)[2] : (*w)[3]);
        commands.push_back(std::move(words));
    }
    return commands;
}

/// What the parser of the command line says against it; empty: nothing.
std::string parserRefusal(const std::vector<std::string>& words) {
    std::vector<const char*> arguments;
    for (const std::string& word : words) arguments.push_back(word.c_str());
    try {
        parseOptions(static_cast<int>(arguments.size()), arguments.data());
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

TEST(Documents, theParserTakesEveryCommand) {
    std::size_t tried = 0;
    for (const fs::path& page : documents())
        for (const std::vector<std::string>& words : documentedCommands(contentOf(page))) {
            std::string all;
            for (const std::string& word : words) all += word + " ";
            const std::string refusal = parserRefusal(words);
            EXPECT_TRUE(refusal.empty() || refusal.find(" cannot run here") != std::string::npos)
                << page.filename() << ": " << all << ": " << refusal;
            ++tried;
        }
    EXPECT_GT(tried, 100u);
    EXPECT_NE(parserRefusal({"gravlab", "run", "disc", "--no-such-option"}), "");
}

TEST(Documents, theIndexNamesEveryPage) {
    const fs::path folder = fs::path(GRAVLAB_SOURCE_DIR) / "docs";
    const std::vector<std::string> named = linksOf(contentOf(folder / "README.md"));
    for (const fs::path& page : documents()) {
        const std::string path = page.lexically_relative(folder).generic_string();
        if (path.starts_with("..") || path == "README.md") continue;
        EXPECT_NE(std::ranges::find(named, path), named.end()) << path;
    }
}

TEST(Documents, theCourseNamesEveryLessonWithItsMinutes) {
    const std::string page = contentOf(fs::path(GRAVLAB_SOURCE_DIR) / "docs/lessons.md");
    for (const std::string& name : lessonNames()) {
        const std::string quoted = "`" + std::string(name) + "`";
        EXPECT_NE(page.find("| " + quoted), page.find(", " + quoted)) << name << " is not in the course";
        const std::size_t row = page.find("\n| " + quoted + " | ");
        if (row == std::string::npos) continue;
        EXPECT_EQ(std::stoi(page.substr(row + quoted.size() + 6)), lessonNamed(name)->minutes) << name;
    }
}

/// "Suite.test" of everything in tests/; suites of TEST_P have their instance's name in front when they run.
std::set<std::string> testsOfTheTree() {
    static const std::regex pattern(R"(TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\))");
    std::set<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(GRAVLAB_SOURCE_DIR "/tests")) {
        const std::string ending = entry.path().extension().string();
        if (ending != ".cpp" && ending != ".cu" && ending != ".h") continue;
        const std::string text = contentOf(entry.path());
        for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
            found.insert((*at)[1].str() + "." + (*at)[2].str());
    }
    return found;
}

/// Names in backquotes: "Suite.test", "Suite.*", "Suite.Begins...", "Instance/Suite.test/*". Each must begin a test's name.
TEST(Documents, testsThatReliabilityNamesExist) {
    const std::set<std::string> tests = testsOfTheTree();
    const std::string text = contentOf(GRAVLAB_SOURCE_DIR "/docs/reliability.md");
    static const std::regex pattern(R"(`(?:\w+/)?([A-Z]\w+)\.(\w*)(\*|\.\.\.|/\*)?`)"),
        fault(R"(\n\| F\d+ [^|]*\|[^|]*\|[^|]*`)");
    int named = 0;
    for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at, ++named) {
        const std::string name = (*at)[1].str() + "." + (*at)[2].str(), open = (*at)[3];
        const auto first = tests.lower_bound(name);
        const bool begins = first != tests.end() && first->starts_with(name);
        EXPECT_TRUE(open == "*" || open == "..." ? begins : tests.contains(name)) << name << " is not in tests/";
    }
    EXPECT_GT(named, 60) << "the names were not found";
    EXPECT_EQ(std::distance(std::sregex_iterator(text.begin(), text.end(), fault), std::sregex_iterator()), 24)
        << "a fault has no test";
    EXPECT_FALSE(tests.contains("Suite.none"));
}

}  // namespace
}  // namespace gravlab
