// Texts about unrolling agree with the kernels.
#include "app/bench/benchmark_text.h"
#include "app/parameters/parameter.h"
#include "cli_support.h"
#include "sim/backends/kernel.h"
#include "sim/io/run_settings.h"
#include "sim/run/configuration.h"
#include "tests/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace gravlab {
namespace {

using testing::HasSubstr;
using testing::Not;

BenchmarkRow rowOf(const char* backend, const char* kernel, int unroll) {
    BenchmarkRow row{.backend = backend, .kernel = kernel, .block = 128, .unroll = unroll};
    return row;
}

TEST(Unroll, isLeftOutOfTablesWhereThereIsNoSuchFactor) {
    const std::vector<BenchmarkRow> rows{rowOf("cuda", "pairs", 1), rowOf("cuda", "tiled", 1),
                                         rowOf("cuda", "tiled", kAutoUnroll)};
    for (const BenchmarkFormat& format : benchmarkFormats()) {
        const std::string text = format.text(rows);
        const std::vector<std::string> lines = linesOf(text);
        if (format.name == "json") {
            const nlohmann::json all = nlohmann::json::parse(text);
            EXPECT_TRUE(all.at(0).at("unroll").is_null());
            EXPECT_EQ(all.at(1).at("unroll"), 1);
            EXPECT_EQ(all.at(2).at("unroll"), "auto");
        } else if (format.name == "csv") {
            ASSERT_EQ(lines.size(), 4u);
            EXPECT_THAT(lines[1], HasSubstr("pairs,0,128,,"));
            EXPECT_THAT(lines[2], HasSubstr("tiled,0,128,1,"));
            EXPECT_THAT(lines[3], HasSubstr("tiled,0,128,auto,"));
        } else {
            ASSERT_GE(lines.size(), 5u);
            EXPECT_THAT(lines[2], Not(HasSubstr("128 x")));
            EXPECT_THAT(lines[3], HasSubstr("128 x1"));
            EXPECT_THAT(lines[4], HasSubstr("128 xauto"));
        }
    }
}

TEST(Unroll, isANumberInFilesAndTheWordLeavesItOpen) {
    const SettingRow& row = settingRow("unroll");
    RunRequest request;
    for (const int unroll : {1, 3, kAutoUnroll}) {
        EXPECT_TRUE(row.take(request, std::to_string(unroll)));
        EXPECT_EQ(request.pairs().kernel.launch.unroll, unroll);
        EXPECT_EQ(row.text(request), std::to_string(unroll));
    }
    EXPECT_TRUE(row.take(request, "\"auto\"")) << "what files say of what nobody chose";
    EXPECT_FALSE(request.pairs().kernel.launch.unroll.has_value());
    EXPECT_FALSE(row.take(request, "-1"));
    parameter("run.unroll").ask(request, std::string("auto"));
    EXPECT_EQ(request.pairs().kernel.launch.unroll, kAutoUnroll) << "what people say of the compiler's choice";
    parameter("run.unroll").ask(request, std::int64_t{1});
    EXPECT_EQ(request.pairs().kernel.launch.unroll, 1);
}

TEST(Unroll, ofAFastRowLeavesTheRestOfItsUsualLaunch) {
    TermRequest request{.kernel = {.kernel = "symmetric", .launch = {}}};
    EXPECT_EQ(request.choice().launch, (LaunchConfig{.block = 32, .unroll = 4, .bodiesPerThread = 8}));
    request.kernel.launch.unroll = 8;
    EXPECT_EQ(request.choice().launch, (LaunchConfig{.block = 32, .unroll = 8, .bodiesPerThread = 8}));
    request.kernel.kernel = "tiled";
    EXPECT_EQ(request.choice().launch, (LaunchConfig{.block = 128, .unroll = 8}));
}

/// Kernel -> inverse roots in nvcc's output for a file: one per pair that is written out.
std::map<std::string, int> inverseRoots(const std::string& name) {
    std::map<std::string, int> roots;
    const ScratchFolder folder;
    const std::string file = (folder / "kernels.ptx").string();
    const std::string command = "PATH=\"$PATH:/usr/local/cuda/bin\" nvcc -O3 -std=c++20 -ptx -I '" GRAVLAB_SOURCE_DIR
                                "' '" GRAVLAB_SOURCE_DIR "/sim/backends/cuda/kernels/" +
                                name + "' -o '" + file + "' >/dev/null 2>&1";
    if (std::system(command.c_str()) != 0) return roots;
    std::string entry;
    for (const std::string& line : linesOf(contentOf(file))) {
        if (line.find(".entry ") != std::string::npos) entry = line.substr(line.find(".entry ") + 7);
        if (line.find("rsqrt") != std::string::npos) ++roots[entry];
    }
    return roots;
}

/// Inverse roots of the kernel with that name and factor; 0 when there is none.
int rootsOf(const std::map<std::string, int>& roots, const std::string& kernelName, int factor) {
    for (const auto& [entry, found] : roots)
        if (entry.find(kernelName + "ILi" + std::to_string(factor) + "E") != std::string::npos) return found;
    return 0;
}

TEST(Unroll, isWhatTheMachineCodeOfTilesSays) {
    const std::map<std::string, int> roots = inverseRoots("force_fused.cu");
    if (roots.empty()) GTEST_SKIP() << "there is no nvcc here that can build the kernel";
    // All tiled rows have the loop of tiled.cuh. A factor above 1 adds one pair for the remaining sources.
    for (const int factor : {1, 2, 3, 4, 8, 16, 32})
        EXPECT_EQ(rootsOf(roots, "fusedForce", factor), factor == 1 ? 1 : factor + 1) << "factor " << factor;
    EXPECT_GT(rootsOf(roots, "fusedForce", kAutoUnroll), 1) << "nvcc writes such a loop out by itself";
}

TEST(Unroll, isWhatTheMachineCodeOfTheLowerRungsSays) {
    const std::map<std::string, int> roots = inverseRoots("global.cu");
    if (roots.empty()) GTEST_SKIP() << "there is no nvcc here that can build the kernels";
    for (const char* kernelName : {"forceAos", "forceGlobal", "forceSoa", "forceConstant"}) {
        EXPECT_EQ(rootsOf(roots, kernelName, 1), 1) << kernelName;
        EXPECT_GT(rootsOf(roots, kernelName, kAutoUnroll), 1) << kernelName;
        for (const int factor : {2, 3, 4, 8, 16, 32})
            EXPECT_GE(rootsOf(roots, kernelName, factor), factor) << kernelName << ", factor " << factor;
    }
    // One more pair, for warps that are not full.
    EXPECT_EQ(rootsOf(roots, "forceShuffle", 1), 2);
    EXPECT_GT(rootsOf(roots, "forceShuffle", kAutoUnroll), 2);
}

}  // namespace
}  // namespace gravlab
