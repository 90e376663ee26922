// The program with what tests/extensions adds, from its command line: a force term with three kernels and a force method
// with a state are listed, chosen, tuned, saved, continued, checked and timed like the program's own.
#include "cli_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace gravlab {
namespace {

using testing::HasSubstr;
using testing::Not;

Outcome runExtended(const std::vector<std::string>& arguments, const fs::path& folder = fs::current_path(),
                    std::vector<std::string> environment = {}) {
    return runGravlab(arguments, {.folder = folder, .environment = std::move(environment), .program = GRAVLAB_EXTENDED});
}

TEST(CliExtension, listsShowTheKernelsOfEachTerm) {
    const Outcome listed = runExtended({"list", "kernels", "--json"});
    ASSERT_EQ(listed.code, 0) << listed.err;
    std::vector<std::string> springs;
    bool trailing = false;
    for (const auto& row : nlohmann::json::parse(listed.out)) {
        if (row.at("term") == "springs" && row.at("backend") == "cpu") springs.push_back(row.at("name"));
        trailing = trailing || (row.at("backend") == "cpu" && row.at("name") == "trailing" && row.at("term") == "pair-law");
    }
    EXPECT_EQ(springs, (std::vector<std::string>{"wrong", "blocks", "list"}));
    EXPECT_TRUE(trailing);
    EXPECT_THAT(runGravlab({"list", "kernels"}).out, Not(HasSubstr(" springs         ")))
        << "the program itself has no springs";
}

TEST(CliExtension, runsAreSavedAndContinuedWithTheKernelsOfTheirTerms) {
    const ScratchFolder folder;
    const std::vector<std::string> start{
        "run",      "test-chain", "-n",          "64",   "--backend",     "cpu",
        "--kernel", "trailing",   "--precision", "fp64", "--term-kernel", "springs=blocks:block=16"};
    const auto with = [&](std::vector<std::string> more) {
        std::vector<std::string> all = start;
        all.insert(all.end(), more.begin(), more.end());
        return all;
    };
    const Outcome whole = runExtended(with({"--steps", "8", "--final", "whole.hdf5"}), folder.path());
    ASSERT_EQ(whole.code, 0) << whole.err;
    ASSERT_EQ(runExtended(with({"--steps", "4", "--final", "half.hdf5"}), folder.path()).code, 0);
    EXPECT_THAT(contentOf(folder / "half.hdf5"), HasSubstr("springs=blocks:block=16"));
    const Outcome rest = runExtended({"run", "half.hdf5", "--steps", "4", "--final", "rest.hdf5"}, folder.path());
    ASSERT_EQ(rest.code, 0) << rest.err;
    EXPECT_THAT(contentOf(folder / "rest.hdf5"), HasSubstr("springs=blocks:block=16"));
    // The same bodies to the last bit: what the method kept and the choice of the term came along.
    const auto table = [&](const char* file) {
        const std::string out = std::string(file) + ".csv";
        EXPECT_EQ(runExtended({"convert", file, out}, folder.path()).code, 0);
        return contentOf(folder / out.c_str());
    };
    EXPECT_EQ(table("rest.hdf5"), table("whole.hdf5"));
    const Outcome refused = runExtended({"run", "plummer", "-n", "16", "--steps", "1", "--term-kernel", "springs=list"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err, HasSubstr("nothing acts beside the pair law"));
    const Outcome both = runExtended({"run", "test-chain", "-n", "16", "--backend", "cpu", "--steps", "1", "--term-kernel",
                                      "springs=list,pair-law=naive", "--final", "both.hdf5"},
                                     folder.path());
    EXPECT_EQ(both.code, 0) << both.err;
    EXPECT_THAT(contentOf(folder / "both.hdf5"), HasSubstr("kernel = \"naive\""));
}

TEST(CliExtension, checkBenchAndTuneTakeTheKernelsOfATerm) {
    const ScratchFolder folder;
    const Outcome bench = runExtended({"bench", "test-chain", "-n", "64", "--backend", "cpu", "--steps", "4", "--repeats",
                                       "1", "--term-kernel", "springs=all", "--format", "json"});
    EXPECT_EQ(bench.code, 7) << "one of them is wrong on purpose";
    EXPECT_THAT(bench.err, HasSubstr("springs:wrong"));
    int verified = 0;
    for (const auto& row : nlohmann::json::parse(bench.out)) verified += row.at("verified") == true;
    EXPECT_EQ(verified, 2);
    const Outcome method = runExtended(
        {"bench", "plummer", "-n", "64", "--backend", "cpu", "--kernel", "trailing", "--steps", "4", "--repeats", "1"});
    EXPECT_EQ(method.code, 0) << method.err;
    const Outcome tune =
        runExtended({"tune", "-n", "64", "--backend", "cpu", "--term-kernel", "springs=all"}, folder.path());
    EXPECT_EQ(tune.code, 0) << tune.err;
    EXPECT_THAT(tune.out, HasSubstr("springs: "));
}

TEST(CliExtension, checkVerifiesEachKernelOfATerm) {
    const Outcome check = runExtended({"check"});
    EXPECT_EQ(check.code, 7);
    std::vector<std::string> failed;
    for (const std::string& line : linesOf(check.out))
        if (line.starts_with("cpu") && line.find("FAILED") != std::string::npos) failed.push_back(line);
    ASSERT_FALSE(failed.empty()) << check.out;
    for (const std::string& line : failed) EXPECT_THAT(line, HasSubstr("springs:wrong"));
    for (const char* name : {"springs:list", "springs:blocks", "springs:plain", "reference  plain", "simd-threads", "cuda"})
        EXPECT_THAT(check.out, HasSubstr(name));
}

}  // namespace
}  // namespace gravlab
