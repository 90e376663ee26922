// Texts about unrolling agree with the kernels.
#include "app/bench/benchmark_text.h"
#include "app/parameters/parameter.h"
#include "cli_support.h"
#include "sim/backends/kernel.h"
#include "sim/io/run_settings.h"
#include "sim/run/configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

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

}  // namespace
}  // namespace gravlab
