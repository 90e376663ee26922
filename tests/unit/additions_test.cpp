// CONTRIBUTING names the files that each kind of addition changes, by an existing example. docs/architecture.md names the
// functions that a position and a command pass through. This test looks them up, so that both pages stay true.
#include "sim/backends/backend.h"
#include "sim/forces/law.h"
#include "tests/files.h"
#include "tests/patches.h"
#include "tests/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace gravlab {
namespace {

namespace fs = std::filesystem;

/// A row of the table: the addition, the words that find the example, and the files that have these words.
struct Addition {
    std::string what;
    std::set<std::string> words, files;
};

/// The texts between pairs of backticks.
std::set<std::string> inBackticks(const std::string& cell) {
    static const std::regex quoted("`([^`]+)`");
    std::set<std::string> found;
    for (std::sregex_iterator it(cell.begin(), cell.end(), quoted), end; it != end; ++it) found.insert((*it)[1]);
    return found;
}

/// The rows below the heading: `| what | words | files |`.
std::vector<Addition> additionsOf(const std::string& text) {
    static const std::regex row(R"(\| ([^|`]+) \| ([^|]+) \| ([^|]+) \|)");
    std::vector<Addition> rows;
    const std::size_t from = text.find("\n## What an addition changes\n");
    if (from == std::string::npos) return rows;
    const std::string part = text.substr(from, text.find("\n## ", from + 4) - from);
    for (std::sregex_iterator it(part.begin(), part.end(), row), end; it != end; ++it) {
        Addition addition{(*it)[1], inBackticks((*it)[2]), inBackticks((*it)[3])};
        if (!addition.words.empty()) rows.push_back(std::move(addition));
    }
    return rows;
}

bool hasWord(const std::string& text, const std::string& word) {
    const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        const bool begins = at == 0 || !letter(text[at - 1]) || !letter(word.front());
        const bool ends = at + word.size() == text.size() || !letter(text[at + word.size()]) || !letter(word.back());
        if (begins && ends) return true;
    }
    return false;
}

/// Sources of the program that have one of the words.
std::set<std::string> filesWith(const std::set<std::string>& words) {
    std::set<std::string> found;
    const fs::path root = GRAVLAB_SOURCE_DIR;
    for (const char* part : {"sim", "render", "shaders", "app"})
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / part)) {
            if (!entry.is_regular_file()) continue;
            const std::string text = contentOf(entry.path());
            for (const std::string& word : words)
                if (hasWord(text, word)) found.insert(fs::relative(entry.path(), root).generic_string());
        }
    return found;
}

TEST(Additions, changeTheFilesThatContributingNames) {
    const std::vector<Addition> rows = additionsOf(contentOf(fs::path(GRAVLAB_SOURCE_DIR) / "CONTRIBUTING.md"));
    EXPECT_GE(rows.size(), 8u) << "the table was not found";
    for (const Addition& row : rows) {
        EXPECT_THAT(row.files, testing::Not(testing::IsEmpty())) << row.what;
        const std::set<std::string> found = filesWith(row.words);
        EXPECT_FALSE(found.empty()) << row.what << ": the example is gone";
        for (const std::string& file : found)
            EXPECT_TRUE(row.files.contains(file))
                << row.what << " changes " << file << ", which CONTRIBUTING.md does not name";
        for (const std::string& file : row.files)
            EXPECT_TRUE(fs::exists(fs::path(GRAVLAB_SOURCE_DIR) / file)) << row.what << ": " << file << " is gone";
    }
}

/// A function of a source: the last part of its name, its file and its text.
struct RouteStop {
    std::string name, file, text;
};

/// Adds the functions that begin at the left margin of a file.
void addStops(const std::string& file, std::vector<RouteStop>& to) {
    static const std::regex head(R"(^(?!namespace|struct|class|using|enum)[A-Za-z][^(]*?(\w+)\()");
    std::istringstream lines(contentOf(fs::path(GRAVLAB_SOURCE_DIR) / file));
    std::smatch match;
    for (std::string line; std::getline(lines, line);)
        if (std::regex_search(line, match, head))
            to.push_back({match[1], file, line.substr(static_cast<std::size_t>(match.position(1) + match.length(1)))});
        else if (!to.empty() && line.find("//") == std::string::npos)
            to.back().text += line + "\n";
}

/// Files of the functions in the order in which a call of `name` reaches them, each function once.
void walkRoute(const std::string& name, std::vector<RouteStop>& left, std::vector<std::string>& files) {
    static const std::regex call(R"((\.|->)?\b(\w+)\()");
    const auto found = std::ranges::find(left, name, &RouteStop::name);
    if (found == left.end()) return;
    files.push_back(found->file);
    const std::string text = found->text;
    left.erase(found);
    for (std::sregex_iterator it(text.begin(), text.end(), call), end; it != end; ++it)
        if (!(*it)[1].matched) walkRoute((*it)[2], left, files);
}

TEST(Additions, aSettingReturnsToAnEarlierFileAtMostFiveTimesOnItsWayToTheRun) {
    std::vector<RouteStop> all;
    for (const char* stage : {"simulation", "resolve", "judge", "build", "adopt"})
        addStops("sim/run/" + std::string(stage) + ".cpp", all);
    std::vector<std::string> files;
    walkRoute("apply", all, files);
    EXPECT_THAT(files, testing::IsSupersetOf({"sim/run/resolve.cpp", "sim/run/judge.cpp", "sim/run/build.cpp"}));
    std::set<std::string> left;
    int returns = 0;
    for (std::size_t k = 1; k < files.size(); ++k) {
        if (files[k] == files[k - 1]) continue;
        left.insert(files[k - 1]);
        returns += left.contains(files[k]);
    }
    EXPECT_LE(returns, 5);
}

TEST(Additions, aLessonIsItsFileAlone) {
    ASSERT_TRUE(fs::exists(fs::path(GRAVLAB_SOURCE_DIR) / "assets/lessons/energy-puzzle.toml"));
    EXPECT_THAT(filesWith({"energy-puzzle"}), testing::IsEmpty());
}

/// Words that only an addition in tests has: no file of the program may contain them.
TEST(Additions, aTermAndAMethodAreAtMostThreeFilesEach) {
    for (const auto& [name, words] : std::vector<std::pair<std::string, std::set<std::string>>>{
             {"extensions/springs", {"Springs", "SpringEnds"}},
             {"methods/trailing", {"\"trailing\"", "CpuTrailing", "CudaTrailing"}}}) {
        int files = 0;
        const fs::path path = fs::path(GRAVLAB_SOURCE_DIR) / "tests" / name;
        for (const fs::directory_entry& entry : fs::directory_iterator(path.parent_path()))
            files += entry.path().filename().string().starts_with(path.filename().string());
        EXPECT_GE(files, 2) << name;
        EXPECT_LE(files, 3) << name;
        EXPECT_THAT(filesWith(words), testing::IsEmpty()) << "the program knows " << name;
    }
}

/// Besides its own file, only the list and scenes under it name a law. The loops of every backend, measurements and `check`
/// iterate over the list.
TEST(Additions, aLawIsItsFileAndItsPlaceInTheList) {
    const std::string folder = "sim/forces/laws/";
    const std::string list = contentOf(fs::path(GRAVLAB_SOURCE_DIR) / folder / "laws.inl");
    static const std::regex all("using Laws = LawList<([^>]+)>"), word("\\w+");
    std::smatch found;
    ASSERT_TRUE(std::regex_search(list, found, all));
    const std::string names = found[1];
    std::size_t count = 0;
    for (std::sregex_iterator it(names.begin(), names.end(), word), end; it != end; ++it, ++count) {
        const std::string type = it->str(), name(laws()[count].name);
        if (laws()[count].law == Law::gravity) continue;
        std::string file = folder + name + ".inl";
        std::ranges::replace(file, '-', '_');
        EXPECT_THAT(filesWith({type + "<", type + ",", type + ">", "struct " + type, "\"" + name + "\""}),
                    testing::IsSubsetOf({file, folder + "laws.inl", std::string("sim/scenes/law_scenes.cpp")}));
        EXPECT_THAT(filesWith({"struct " + type}), testing::ElementsAre(file));
    }
    EXPECT_EQ(count, laws().size());
}

/// Everywhere else a row's fields describe it: exact, usesCores, onDevice.
TEST(Additions, aBackendIsNamedInItsFolderAlone) {
    const std::set<std::string> exceptions{"sim/core/fault_plan.cpp"};  // "cuda" begins the names of CUDA's functions
    for (const BackendRow& row : backends()) {
        const std::string name(row.name);
        const std::set<std::string> files = filesWith({"\"" + name + "\""});
        EXPECT_FALSE(files.empty());
        for (const std::string& file : files)
            EXPECT_TRUE(file.starts_with("sim/backends/" + name + "/") || exceptions.contains(file))
                << file << " names the backend '" << name << "'";
    }
}

TEST(Additions, architectureNamesFunctionsThatAreThere) {
    static const std::regex row(R"(\n\| ([^|]*`[^|]+`[^|]*) \| `([^`]+)` \|)");
    const std::string text = contentOf(fs::path(GRAVLAB_SOURCE_DIR) / "docs/architecture.md");
    int rows = 0;
    for (std::sregex_iterator it(text.begin(), text.end(), row), end; it != end; ++it, ++rows) {
        const std::string file = contentOf(fs::path(GRAVLAB_SOURCE_DIR) / (*it)[2].str());
        for (const std::string& name : inBackticks((*it)[1]))
            EXPECT_TRUE(hasWord(file, name.substr(name.rfind(':') + 1))) << name << " is not in " << (*it)[2];
    }
    EXPECT_GE(rows, 14);
}

/// tests/additions has an example of each, which tests/additions.sh builds and tries. These are the files that `git diff
/// --stat` shows for it.
TEST(Additions, examplesFitAndChangeFewFiles) {
    struct Example {
        const char* name;
        std::size_t files, folders;
    };
    const fs::path root = GRAVLAB_SOURCE_DIR;
    for (const auto& [name, most, folders] :
         {Example{"action", 2, 0}, Example{"panel", 3, 0}, Example{"term", 3, 0}, Example{"host", 3, 1}}) {
        SCOPED_TRACE(name);
        const std::string patch = contentOf(root / "tests/additions" / (std::string(name) + ".patch"));
        EXPECT_EQ(misfit(patch, root), "");
        std::set<std::string> made, files;
        for (const auto& [file, isNew] : filesOfPatch(patch)) {
            const std::string folder = file.substr(0, file.rfind('/'));
            if (isNew && !fs::exists(root / folder))
                made.insert(folder);
            else
                files.insert(file);
        }
        EXPECT_THAT(files, testing::SizeIs(testing::Le(most)));
        EXPECT_THAT(files, testing::Not(testing::IsEmpty()));
        EXPECT_THAT(made, testing::SizeIs(folders));
        EXPECT_THAT(patch, testing::HasSubstr("\nTry: "));
        EXPECT_THAT(patch, testing::HasSubstr("\nExpect: "));
    }
}

TEST(Additions, areReadFromTheTableAndFoundAsWords) {
    const std::vector<Addition> rows = additionsOf(
        "x\n\n## What an addition changes\n\n| addition | found by | files |\n| --- | --- | --- |\n"
        "| a scene | `\"cube\"`, `cube` | `a/b.cpp`, `c.h` |\n\n## Next\n| no | `x` | `y` |\n");
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].what, "a scene");
    EXPECT_EQ(rows[0].words, (std::set<std::string>{"\"cube\"", "cube"}));
    EXPECT_EQ(rows[0].files, (std::set<std::string>{"a/b.cpp", "c.h"}));
    EXPECT_TRUE(hasWord("x = cube(3)", "cube"));
    EXPECT_FALSE(hasWord("cubes and acube", "cube"));
    EXPECT_TRUE(hasWord("{\"cube\", 1}", "\"cube\""));
}

}  // namespace
}  // namespace gravlab
