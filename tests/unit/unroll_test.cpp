// What is said of unrolling is what the kernels do.
#include "app/lab/benchmark_text.h"
#include "cli_support.h"
#include "sim/backends/kernel.h"
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
    BenchmarkRow row;
    row.backend = backend;
    row.kernel = kernel;
    row.block = 128;
    row.unroll = unroll;
    return row;
}

TEST(Unroll, isLeftOutOfTablesWhereThereIsNoSuchFactor) {
    const std::vector<BenchmarkRow> rows{rowOf("cuda", "global", 1), rowOf("cuda", "tiled", 1)};
    for (const BenchmarkFormat& format : benchmarkFormats()) {
        const std::string text = format.text(rows);
        const std::vector<std::string> lines = linesOf(text);
        if (format.name == "json") {
            const nlohmann::json all = nlohmann::json::parse(text);
            EXPECT_TRUE(all.at(0).at("unroll").is_null());
            EXPECT_EQ(all.at(1).at("unroll"), 1);
        } else if (format.name == "csv") {
            ASSERT_EQ(lines.size(), 3u);
            EXPECT_THAT(lines[1], HasSubstr("global,0,128,,"));
            EXPECT_THAT(lines[2], HasSubstr("tiled,0,128,1,"));
        } else {
            ASSERT_GE(lines.size(), 4u);
            EXPECT_THAT(lines[2], Not(HasSubstr("128 x")));
            EXPECT_THAT(lines[3], HasSubstr("128 x1"));
        }
    }
}

/// Kernel -> inverse roots in what nvcc makes of it: one a pair that is written out.
std::map<std::string, int> inverseRoots() {
    std::map<std::string, int> roots;
    const ScratchFolder folder;
    const std::string file = (folder / "fused.ptx").string();
    const std::string command = "PATH=\"$PATH:/usr/local/cuda/bin\" nvcc -O3 -std=c++20 -ptx -I '" GRAVLAB_SOURCE_DIR
                                "' '" GRAVLAB_SOURCE_DIR "/sim/backends/cuda/kernels/force_fused.cu' -o '" +
                                file + "' >/dev/null 2>&1";
    if (std::system(command.c_str()) != 0) return roots;
    std::string entry;
    for (const std::string& line : linesOf(contentOf(file))) {
        if (line.find(".entry ") != std::string::npos) entry = line.substr(line.find(".entry ") + 7);
        if (line.find("rsqrt") != std::string::npos) ++roots[entry];
    }
    return roots;
}

TEST(Unroll, ofOneIsNone) {
    const std::map<std::string, int> roots = inverseRoots();
    if (roots.empty()) GTEST_SKIP() << "there is no nvcc here that can build the kernel";
    // All tiled rows share the loop of tiled.cuh. A factor above 1 has one more pair, for what it leaves over.
    const std::map<int, int> expected{{1, 1}, {2, 3}, {4, 5}, {8, 9}, {16, 17}, {32, 33}};
    for (const auto& [factor, count] : expected) {
        int seen = 0;
        for (const auto& [entry, found] : roots)
            if (entry.find("fusedForceILi" + std::to_string(factor) + "E") != std::string::npos) {
                EXPECT_EQ(found, count) << entry;
                ++seen;
            }
        EXPECT_EQ(seen, 1) << "factor " << factor;
    }
}

}  // namespace
}  // namespace gravlab
