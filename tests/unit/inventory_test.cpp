// Every name for users, collected from the program itself and compared with a checked-in list.
#include "tests/inventory.h"
#include "app/commands/subcommand.h"
#include "app/control/action.h"
#include "cli_support.h"
#include "sim/api/errors.h"
#include "sim/backends/kernel.h"
#include "sim/core/text.h"
#include "tests/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace gravlab {
namespace {

using Entries = std::set<std::string>;
using OrderedJson = nlohmann::ordered_json;

/// A number as people write it: 16, 1.5.
std::string trimmed(double value) { return formatted("%g", value); }

std::vector<std::string> piecesOf(const std::string& text, char at) {
    std::vector<std::string> pieces;
    std::istringstream stream(text);
    for (std::string piece; std::getline(stream, piece, at);) {
        const std::size_t begin = piece.find_first_not_of(" \r\n"), end = piece.find_last_not_of(" \r\n");
        if (begin != std::string::npos) pieces.push_back(piece.substr(begin, end - begin + 1));
    }
    return pieces;
}

/// The rows of a help text under "Options:" and "Positionals:", without their descriptions: "--size WxH".
Entries optionsOf(const std::string& help) {
    static const std::regex row(R"(^  (\S+( \S+)*)(  +.*)?$)");
    Entries found;
    bool inside = false;
    for (const std::string& line : linesOf(help)) {
        if (line == "Options:" || line == "Positionals:") inside = true;
        if (line == "Examples:" || line.rfind("Exit codes", 0) == 0) inside = false;
        std::smatch match;
        if (inside && std::regex_match(line, match, row)) found.insert(match[1].str());
    }
    return found;
}

/// The commands in the program's help.
std::vector<std::string> commands() {
    static const std::regex row(R"(^  gravlab ([a-z]+) .*$)");
    std::vector<std::string> names;
    for (const std::string& line : linesOf(runGravlab({"--help"}).out)) {
        std::smatch match;
        if (std::regex_match(line, match, row)) names.push_back(match[1].str());
        if (line.empty() && !names.empty()) break;
    }
    return names;
}

/// Kernels added by tests do not belong to the program.
std::string withoutBrought(std::string names) {
    for (const KernelRow* row : listedKernels()) {
        const auto built = [&](const KernelRow& other) { return other.name == row->name; };
        if (std::ranges::any_of(kernels(), built)) continue;
        if (const std::size_t at = names.find(", " + std::string(row->name) + ","); at != std::string::npos)
            names.erase(at, 2 + row->name.size());
    }
    return names;
}

/// The values that a refusal allows: the names after "valid:", otherwise the limits, as "1 to 4096", "at least 1", "above
/// 0".
std::string allowedBy(const std::string& refusal) {
    static const std::regex limits(R"((at least|at most|above|from|to|below|or) -?[0-9]([0-9.e+]*[0-9])?)");
    const std::size_t valid = refusal.find("valid: ");
    if (valid != std::string::npos)
        return withoutBrought(refusal.substr(valid + 7, refusal.find_first_of(";\n", valid) - valid - 7));
    std::string text;
    for (std::sregex_iterator it(refusal.begin(), refusal.end(), limits), end; it != end; ++it)
        text += (text.empty() ? "" : " ") + it->str();
    return text;
}

/// The refusal of a command line; empty when it is accepted.
std::string refusalOfLine(const std::vector<std::string>& line, const fs::path& folder) {
    // Most lines are refused before anything starts. These need no process; otherwise there would be eight hundred.
    std::vector<const char*> argv{"gravlab"};
    for (const std::string& word : line) argv.push_back(word.c_str());
    try {
        parseOptions(static_cast<int>(argv.size()), argv.data());
    } catch (const UsageError& error) {
        return error.what();
    }
    const Outcome outcome = runGravlab(line, {.folder = folder});
    return outcome.code == 2 ? outcome.err : "";
}

TEST(Inventory, holdsTheOptionsOfEachCommand) {
    const std::vector<std::string> names = commands();
    expectInventory("commands", {names.begin(), names.end()});
    for (const std::string& command : names)
        expectInventory("options " + command, optionsOf(runGravlab({command, "--help"}).out));
}

TEST(Inventory, holdsWhatEachOptionAllows) {
    const ScratchFolder folder;
    const std::pair<const char*, std::vector<std::string>> starts[] = {
        {"view", {}},
        {"render", {"-o", "a.png"}},
        {"run", {"--steps", "1"}},
        {"bench", {"-n", "64", "--steps", "1", "--repeats", "1"}},
        {"tune", {}},
        {"check", {}},
        {"fingerprint", {}},
        {"groups", {}}};
    // Free texts, and values that depend on the machine.
    static const std::regex named(R"(^  (?:-\w,)?(--[A-Za-z-]+)(?:,--\w+)? (\S+).*)"), free("FILE|DIR|PATTERN|NAME=VALUE"),
        passed("--columns|--twin|--simd");
    Entries seen, found;
    for (const auto& [command, rest] : starts)
        for (const std::string& row : linesOf(runGravlab({command, "--help"}).out)) {
            std::smatch match;
            // An option of several commands has the same meaning in each.
            if (!std::regex_match(row, match, named) || std::regex_match(match[2].str(), free) ||
                std::regex_match(match[1].str(), passed) || !seen.insert(row).second)
                continue;
            std::string allowed;
            for (const char* bad : {"?", "-99999999999"}) {
                std::vector<std::string> line{command};
                line.insert(line.end(), rest.begin(), rest.end());
                line.push_back(match[1].str() + "=" + bad);
                allowed = allowedBy(refusalOfLine(line, folder.path()));
                if (!allowed.empty()) break;
            }
            found.insert(match[1].str() + " " + match[2].str() + ": " + allowed);
        }
    expectInventory("allowed", found);
}

TEST(Inventory, holdsTheRowsOfEveryTable) {
    const Outcome refused = runGravlab({"list", "?"});
    const std::vector<std::string> lists = piecesOf(allowedBy(refused.err), ',');
    expectInventory("lists", {lists.begin(), lists.end()});
    for (const std::string& list : lists) {
        const OrderedJson rows = OrderedJson::parse(runGravlab({"list", list, "--json"}).out);
        Entries columns, names;
        for (const auto& [name, value] : rows.front().items()) columns.insert(name);
        expectInventory("columns of list " + list, columns);
        // Pages of docs have these rows, which other tests compare; and the sections "commands" and "actions".
        if (list == "keys" || list == "parameters" || list == "commands" || list == "actions") continue;
        for (const OrderedJson& row : rows) {
            if (list == "devices")
                names.insert(row.at("backend"));
            else if (list == "kernels")
                names.insert(row.at("backend").get<std::string>() + " " + row.at("name").get<std::string>() + " block " +
                             row.at("blocks").get<std::string>() + " unroll " + row.at("unrolls").dump() +
                             " bodies_per_thread " + row.at("bodies_per_thread").dump() + " split " +
                             row.at("splits").get<std::string>() + (row.at("deterministic") ? "" : " not deterministic"));
            else if (list == "scenes") {
                std::string parameters;
                for (const auto& one : row.at("parameters"))
                    parameters += (parameters.empty() ? "" : " ") + one.at("name").get<std::string>() + "=" +
                                  trimmed(one.at("value").get<double>());
                names.insert(row.at("name").get<std::string>() + " " + row.at("bodies_gpu").dump() + " " +
                             row.at("bodies_cpu").dump() + " " + parameters);
            } else if (list == "laws")
                names.insert(row.at("name").get<std::string>() + ": " + row.at("numbers").get<std::string>());
            else if (list == "encoders")
                names.insert(row.at("name").get<std::string>() + ": " + row.at("files").get<std::string>());
            else
                names.insert(row.at("name"));
        }
        expectInventory("list " + list, names);
    }
}

TEST(Inventory, holdsTheActions) {
    Entries found;
    for (const Menu& menu : menus())
        for (const Action& action : menu.rows) found.insert(std::string(action.name) + " | " + keyText(action));
    expectInventory("actions", found);
}

TEST(Inventory, holdsTheKeysOfSceneFiles) {
    const ScratchFolder folder;
    const std::pair<const char*, const char*> texts[] = {{"keys of a run's settings", "q = 1\n"},
                                                         {"keys of [view]", "[view]\nq = 1\n"},
                                                         {"keys of [twin]", "[twin]\nq = 1\n"}};
    for (const auto& [section, text] : texts) {
        std::ofstream(folder / "scene.toml") << text;
        const Outcome outcome = runGravlab({"render", "scene.toml", "-o", "a.png"}, {.folder = folder.path()});
        const std::vector<std::string> keys = piecesOf(allowedBy(outcome.err), ',');
        expectInventory(section, {keys.begin(), keys.end()});
    }
}

TEST(Inventory, holdsTheColumnsOfItsTables) {
    const ScratchFolder folder;
    const Start here{.folder = folder.path()};
    const auto columns = [](const std::string& text) {
        const std::vector<std::string> names = piecesOf(text.substr(0, text.find('\n')), ',');
        return Entries(names.begin(), names.end());
    };
    const auto members = [](const OrderedJson& object) {
        Entries names;
        for (const auto& [name, value] : object.items()) names.insert(name);
        return names;
    };
    const std::vector<std::string> bench{"bench", "--backend", "cpu", "-n", "64", "--steps", "2", "--repeats", "1"};
    const auto with = [](std::vector<std::string> line, std::initializer_list<std::string> more) {
        line.insert(line.end(), more);
        return line;
    };
    expectInventory("columns of bench --format csv", columns(runGravlab(with(bench, {"--format", "csv"})).out));
    expectInventory("members of bench --format json",
                    members(OrderedJson::parse(runGravlab(with(bench, {"--format", "json"})).out).front()));
    expectInventory("members of fingerprint --json",
                    members(OrderedJson::parse(runGravlab({"fingerprint", "-n", "8", "--json"}).out)));
    expectInventory("members of groups --json",
                    members(OrderedJson::parse(runGravlab({"groups", "-n", "64", "--backend", "cpu", "--json"}).out)));
    const Outcome ran = runGravlab({"run", "plummer", "-n", "2000", "--steps", "1", "--csv", "e.csv", "--twin",
                                    "integrator=euler", "--plots", "plots", "--final", "end.hdf5"},
                                   here);
    EXPECT_EQ(ran.code, 0) << ran.err;
    expectInventory("columns of run --csv with --twin", columns(contentOf(folder / "e.csv")));
    expectInventory("columns of the profile of run --plots", columns(contentOf(folder / "plots/profile.csv")));
    Entries plots;
    for (const auto& entry : fs::directory_iterator(folder / "plots")) plots.insert(entry.path().filename());
    if (ran.err.find("python3-matplotlib") == std::string::npos) expectInventory("files of run --plots", plots);
    expectInventory("columns of bodies as csv",
                    columns(runGravlab({"run", "two-body", "--steps", "0", "--final", "-"}).out));
    Entries facts;
    for (const std::string& line : linesOf(runGravlab({"info", "end.hdf5"}, here).out))
        facts.insert(line.substr(0, line.find_first_of(line.front() == ' ' ? "=" : ":")));
    expectInventory("lines of info", facts);
}

TEST(Inventory, holdsTheVariablesOfTheEnvironment) {
    static const std::regex pattern(R"re((?:getenv|userFolder)\("([A-Z_]+)")re");
    Entries found;
    for (const char* part : {"sim", "render", "app"})
        for (const auto& entry : fs::recursive_directory_iterator(fs::path(GRAVLAB_SOURCE_DIR) / part)) {
            if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
            const std::string text = contentOf(entry.path());
            for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) found.insert((*it)[1]);
        }
    expectInventory("environment", found);
}

TEST(Inventory, noticesWhatIsLostAndWhatIsNew) {
    EXPECT_THAT(inventoryDifferences("x", {"a", "b"}, {"b", "c"}),
                testing::ElementsAre("lost from [x]: a", "new in [x], to be added to tests/data/inventory.txt: c"));
    EXPECT_TRUE(inventoryDifferences("x", {"a"}, {"a"}).empty());
    EXPECT_EQ(allowedBy("unknown q; valid: a, b; nor c"), "a, b");
    EXPECT_EQ(allowedBy("expected a whole number from 1 to 4096"), "from 1 to 4096");
    EXPECT_EQ(optionsOf("Options:\n  -n,--bodies N     a number\n  --paper\nExamples:\n  gravlab  x\n").size(), 2u);
}

}  // namespace
}  // namespace gravlab
