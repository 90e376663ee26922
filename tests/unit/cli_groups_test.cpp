// The command groups: what it writes, what it prints, what it refuses.
#include "cli_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace gravlab {
namespace {

using testing::HasSubstr;

/// Two groups of three and one body alone, in an order in which they alternate; ids are not indices.
std::string sevenBodies() {
    return "id,m,x,y,z,vx,vy,vz\n"
           "70,1,0,0,0,1,0,0\n"
           "71,2,10,0,0,0,3,0\n"
           "72,1,0.9,0,0,1,0,0\n"
           "73,2,10,0.9,0,0,3,0\n"
           "74,1,1.8,0,0,1,0,0\n"
           "75,2,10,1.8,0,0,3,0\n"
           "76,5,-50,0,0,0,0,0\n";
}

TEST(GroupsCommand, writesARowABodyAndPrintsTheLargest) {
    const ScratchFolder folder;
    std::ofstream(folder / "seven.csv") << sevenBodies();
    const Outcome outcome =
        runGravlab({"groups", "seven.csv", "--backend", "cpu", "--linking-length", "1", "--least", "2", "-o", "groups.csv"},
                   {.folder = folder.path()});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(contentOf(folder / "groups.csv"), "id,group\n70,70\n71,71\n72,70\n73,71\n74,70\n75,71\n76,-1\n");
    EXPECT_THAT(outcome.out, HasSubstr("2 groups of at least 2 bodies, with 6 of all; 3 of any size"));
    EXPECT_THAT(outcome.out, HasSubstr("checked against every pair"));
    EXPECT_THAT(outcome.out, testing::ContainsRegex("\n +70 +3 +3 "));
    EXPECT_THAT(outcome.out, testing::ContainsRegex("\n +71 +3 +6 "));
}

TEST(GroupsCommand, sameLabelsByEveryRungOfTheHostAndOnStandardOutput) {
    const auto by = [](const char* backend, const char* rung) {
        return runGravlab(
            {"groups", "plummer", "-n", "3000", "--backend", backend, "--kernel", rung, "--least", "1", "-o", "-"});
    };
    const Outcome pairs = by("reference", "pairs");
    ASSERT_EQ(pairs.code, 0) << pairs.err;
    EXPECT_EQ(linesOf(pairs.out).size(), 3001u);
    EXPECT_THAT(pairs.err, HasSubstr("pairs on reference: checked against")) << "the table goes beside the rows";
    EXPECT_EQ(by("cpu", "union-grid").out, pairs.out);
    EXPECT_EQ(by("cpu", "union-tree").out, pairs.out);
}

TEST(GroupsCommand, jsonHasAllGroupsInTheUnitsOfTheFile) {
    const ScratchFolder folder;
    std::ofstream(folder / "seven.csv") << sevenBodies();
    const Outcome outcome = runGravlab(
        {"groups", "seven.csv", "--units", "cluster", "--backend", "cpu", "--linking-length", "1", "--least", "1", "--json"},
        {.folder = folder.path()});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto json = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(json.at("units").at("length"), "pc");
    EXPECT_NEAR(json.at("linking_length").get<double>(), 1, 1e-12);
    ASSERT_EQ(json.at("groups").size(), 3u);
    const auto& second = json.at("groups")[1];
    EXPECT_EQ(second.at("group"), 71);
    EXPECT_NEAR(second.at("mass").get<double>(), 6, 1e-9);
    EXPECT_NEAR(second.at("centre")[1].get<double>(), 0.9, 1e-9);
    EXPECT_NEAR(second.at("velocity")[1].get<double>(), 3, 1e-9);
}

TEST(GroupsCommand, takesALengthWithItsUnit) {
    const ScratchFolder folder;
    std::ofstream(folder / "seven.csv") << sevenBodies();
    const auto linked = [&](const char* length) {
        const Outcome outcome = runGravlab({"groups", "seven.csv", "--units", "cluster", "--backend", "cpu",
                                            "--linking-length", length, "--least", "1", "--json"},
                                           {.folder = folder.path()});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return nlohmann::json::parse(outcome.out).at("linking_length").get<double>();
    };
    EXPECT_NEAR(linked("1pc"), 1, 1e-9);
    EXPECT_NEAR(linked("0.002kpc"), 2, 1e-9);
    const Outcome wrong =
        runGravlab({"groups", "seven.csv", "--backend", "cpu", "--linking-length", "1pc"}, {.folder = folder.path()});
    EXPECT_EQ(wrong.code, 2);
    EXPECT_THAT(wrong.err, HasSubstr("has no units"));
}

TEST(GroupsCommand, refusesWhatCannotBe) {
    const ScratchFolder folder;
    std::ofstream(folder / "seven.csv") << sevenBodies();
    const Start here{.folder = folder.path()};
    const std::pair<std::vector<std::string>, const char*> cases[] = {
        {{"--linking", "0.2", "--linking-length", "1"}, "exclude each other"},
        {{"--linking", "0"}, "above 0"},
        {{"--linking-length", "1Myr"}, "not the unit of a length"},
        {{"--linking-length", "1e200"}, "1e-150 to 1e150"},
        {{"--least", "0"}, "at least 1"},
        {{"--kernel", "bfs"}, "valid: pairs, union-grid, union-tree, bfs-host"},
        {{"--kernel", "bfs-host"}, "valid: union-grid, union-tree"},
        {{"-o", "seven.csv"}, "would replace"},
        {{"-n", "3"}, "leave out -n"}};
    for (const auto& [more, why] : cases) {
        std::vector<std::string> line{"groups", "seven.csv", "--backend", "cpu"};
        line.insert(line.end(), more.begin(), more.end());
        const Outcome outcome = runGravlab(line, here);
        EXPECT_EQ(outcome.code, 2) << more.front();
        EXPECT_THAT(outcome.err, HasSubstr(why));
    }
    EXPECT_EQ(runGravlab({"groups", "seven.csv", "-o", "nowhere/groups.csv"}, here).code, 6);
    EXPECT_EQ(contentOf(folder / "seven.csv"), sevenBodies());
}

}  // namespace
}  // namespace gravlab
