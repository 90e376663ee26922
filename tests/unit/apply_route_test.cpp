// A change to a run passes through four stages. tests/data/apply_route.txt lists every function of these stages in the order
// of the calls; this test compares the list with the sources, so that the path of a request stays short. A stage reads the
// present run through a callable value, which is not on the list.
#include "tests/files.h"
#include "tests/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace gravlab {
namespace {

constexpr std::size_t kMostFunctions = 12;
constexpr std::size_t kMostReturns = 5;

// Every function of these files belongs to a stage; in simulation.cpp only the functions that a change calls do.
constexpr const char* kStages[] = {"sim/run/resolve.cpp", "sim/run/judge.cpp", "sim/run/build.cpp", "sim/run/adopt.cpp"};
constexpr const char* kDoor = "sim/run/simulation.cpp";

struct RouteFunction {
    std::string file, name, body;
    std::string shown() const { return file + " " + name; }
};

/// Comments and texts become blanks.
std::string codeOnly(const std::string& text) {
    static const std::regex noise(R"(//[^\n]*|"(?:\\.|[^"\\\n])*")");
    return std::regex_replace(text, noise, " ");
}

/// The functions that a source defines, also those inside a struct.
std::vector<RouteFunction> functionsOf(const std::string& file, const std::string& text) {
    // The first name before a parenthesis: an initializer list may have further names behind it.
    static const std::regex named(R"(([A-Za-z_][\w:~]*)\s*\()"), outer(R"(\b(namespace|struct|class|enum)\b)");
    const std::string code = codeOnly(text);
    std::vector<RouteFunction> found;
    std::size_t depth = 0, begin = 0, statement = 0;
    std::smatch match;
    for (std::size_t at = 0; at < code.size(); ++at) {
        if (depth > 0) {
            if (code[at] == '{') ++depth;
            if (code[at] != '}' || --depth > 0) continue;
            found.back().body = code.substr(begin, at - begin);
            statement = at + 1;
        } else if (code[at] == ';' || code[at] == '}') {
            statement = at + 1;
        } else if (code[at] == '{') {
            const std::string before = code.substr(statement, at - statement);
            if (std::regex_search(before, match, named)) {
                found.push_back({file, match[1], {}});
                depth = 1;
                begin = at;
            } else if (!std::regex_search(before, outer)) {
                found.push_back({file, "values", {}});  // of a table
                depth = 1;
                begin = at;
            } else {
                statement = at + 1;
            }
        }
    }
    std::erase_if(found, [](const RouteFunction& function) { return function.name == "values"; });
    return found;
}

std::string lastWord(const std::string& name) {
    return name.substr(name.rfind(':') == std::string::npos ? 0 : name.rfind(':') + 1);
}

/// Functions in the order in which a call of `first` reaches them, each once.
std::vector<const RouteFunction*> routeFrom(const std::string& first, const std::vector<RouteFunction>& all) {
    std::vector<const RouteFunction*> route;
    const std::function<void(const RouteFunction&)> walk = [&](const RouteFunction& function) {
        if (std::ranges::find(route, &function) != route.end()) return;
        route.push_back(&function);
        // A call of another object's member is not one of these functions.
        static const std::regex call(R"((\.|->)?\b([A-Za-z_]\w*)\()");
        for (std::sregex_iterator it(function.body.begin(), function.body.end(), call), end; it != end; ++it)
            for (const RouteFunction& other : all)
                if (!(*it)[1].matched && lastWord(other.name) == (*it)[2]) walk(other);
    };
    for (const RouteFunction& function : all)
        if (function.name == first) walk(function);
    return route;
}

std::size_t returnsOf(const std::vector<std::string>& files) {
    std::set<std::string> left;
    std::size_t returns = 0;
    for (std::size_t k = 1; k < files.size(); ++k) {
        if (files[k] == files[k - 1]) continue;
        left.insert(files[k - 1]);
        returns += left.contains(files[k]);
    }
    return returns;
}

std::filesystem::path sourcePath(const std::string& file) { return std::filesystem::path(GRAVLAB_SOURCE_DIR) / file; }

std::vector<RouteFunction> sources() {
    std::vector<RouteFunction> all = functionsOf(kDoor, contentOf(sourcePath(kDoor)));
    for (const char* file : kStages) {
        const std::vector<RouteFunction> more = functionsOf(file, contentOf(sourcePath(file)));
        EXPECT_FALSE(more.empty()) << file;
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

TEST(ApplyRouteTest, theListHasEveryFunctionInTheOrderOfTheCalls) {
    std::vector<std::string> listed;
    std::istringstream lines(contentOf(sourcePath("tests/data/apply_route.txt")));
    for (std::string line; std::getline(lines, line);)
        if (!line.empty() && line[0] != '#') listed.push_back(line);
    const std::vector<RouteFunction> all = sources();
    std::vector<std::string> found, files;
    for (const RouteFunction* function : routeFrom("Simulation::apply", all)) {
        found.push_back(function->shown());
        files.push_back(function->file);
    }
    EXPECT_THAT(listed, ::testing::ElementsAreArray(found));
    EXPECT_LE(found.size(), kMostFunctions);
    EXPECT_LE(returnsOf(files), kMostReturns);
    // This test cannot follow a function that no call names.
    for (const RouteFunction& function : all)
        EXPECT_TRUE(function.file == kDoor || std::ranges::find(found, function.shown()) != found.end()) << function.shown();
}

TEST(ApplyRouteTest, aStageKnowsNoLaterOne) {
    std::vector<std::string> later{"sim/run/simulation.h"};
    for (const char* stage : {"build", "judge", "resolve"}) {
        const std::string file = std::string("sim/run/") + stage;
        for (const char* end : {".h", ".cpp"})
            for (const std::string& header : later)
                EXPECT_THAT(contentOf(sourcePath(file + end)), ::testing::Not(::testing::HasSubstr(header))) << file << end;
        later.push_back(file + ".h");
    }
}

TEST(ApplyRouteTest, theReaderSeesHelpersDetoursAndDeadCode) {
    const std::vector<RouteFunction> all = functionsOf("a.cpp", R"(
namespace gravlab {
const int kTable[] = {1, 2};
struct Helper { int inside() const { return kTable[0]; } };
int second(int x) { if (x) { return Helper{}.inside(); } return 0; }
Door::Door() : x_(second(1)) {}
int Door::apply(const std::function<int(int)>& f) {
    return f(third()) + second("third() {");  // third()
}
int third() { return 1; }
int dead() { return 2; }
}
)");
    std::vector<std::string> names, route;
    for (const RouteFunction& function : all) names.push_back(function.name);
    for (const RouteFunction* function : routeFrom("Door::apply", all)) route.push_back(function->name);
    EXPECT_THAT(names, ::testing::ElementsAre("inside", "second", "Door::Door", "Door::apply", "third", "dead"));
    EXPECT_THAT(route, ::testing::ElementsAre("Door::apply", "third", "second"));
    EXPECT_EQ(returnsOf({"a", "b", "b", "a", "c", "a", "b"}), 3u);
}

}  // namespace
}  // namespace gravlab
