// Documents: the parser takes every command that they name.
#include "app/commands/subcommand.h"
#include "sim/api/errors.h"
#include "tests/files.h"
#include "tests/paths.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
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

}  // namespace
}  // namespace gravlab
