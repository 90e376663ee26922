// Kernels that are wrong on purpose: in no list, in no run, and always without a rate.
#include "app/bench/benchmark_text.h"
#include "app/bench/sweep_axis.h"
#include "app/bench/tuner.h"
#include "cli_support.h"
#include "sim/api/errors.h"
#include "sim/scenes/scene.h"
#include "spoilt_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace gravlab {
namespace {

using testing::HasSubstr;
using testing::Not;

BenchmarkRow trapRow(bool failChecks) {
    test::Spoilt backend(nullptr);
    backend.load(sceneNamed("plummer").build({.bodies = 100, .seed = 1}), {{.softening = 0.05}, {}});
    backend.row = &kernel("cuda", "no-barrier");
    backend.failChecks = failChecks;
    BenchmarkPlan plan{.steps = 2, .repeats = 2, .warmUpSeconds = 0.001, .repetitionSeconds = 0.001};
    plan.checkOnHost = false;
    return timeKernel(backend, integrator("leapfrog"), 1e-3, {.precision = Precision::fp64, .softening = 0.05}, plan);
}

TEST(Traps, areFoundByNameAndInNoList) {
    ASSERT_GE(trapKernels().size(), 3u);
    for (const KernelRow& trap : trapKernels()) {
        EXPECT_FALSE(trap.trap.empty()) << trap.name;
        EXPECT_TRUE(hasKernel(trap.backend, trap.name));
        EXPECT_EQ(kernel(trap.backend, trap.name).trap, trap.trap);
        for (const KernelRow& row : kernels()) EXPECT_NE(row.name, trap.name);
    }
    for (const KernelRow& row : kernels()) EXPECT_TRUE(row.trap.empty()) << row.name;
}

TEST(Traps, haveNoRateWhetherTheirForcesAreRightOrWrong) {
    for (const bool wrong : {false, true}) {
        const BenchmarkRow row = trapRow(wrong);
        EXPECT_FALSE(row.verified);
        EXPECT_EQ(row.interactionsPerSecond, 0);
        EXPECT_GT(row.struckRate, 0) << "what the clock shows is shown, struck through";
        EXPECT_THAT(row.note, HasSubstr("not a rate: without its second barrier"));
        EXPECT_THAT(row.note, HasSubstr(wrong ? "its forces are wrong" : "happened to be right"));
        for (const BenchmarkFormat& format : benchmarkFormats()) {
            const std::string text = format.text(std::vector<BenchmarkRow>{row});
            EXPECT_THAT(text, HasSubstr("not a rate")) << format.name;
            if (format.name != "json") continue;
            const auto all = nlohmann::json::parse(text);
            EXPECT_TRUE(all.at(0).at("interactions_per_second").is_null());
            EXPECT_EQ(all.at(0).at("verified"), false);
        }
    }
}

TEST(Traps, areNeverTuned) {
    TuneRequest request{.backend = "cuda", .bodies = 1024, .kernels = {"1025-threads"}};
    EXPECT_THROW(Tuner(request, {}), UsageError);
    request.kernels.clear();
    Tuner tuner(request, {});
    EXPECT_THAT(tuner.status(), Not(HasSubstr("1025")));
}

TEST(Traps, areListedAsWhatTheyAre) {
    const auto rows = nlohmann::json::parse(runGravlab({"list", "kernels", "--json"}).out);
    int traps = 0;
    for (const auto& row : rows) {
        const std::string trap = row.at("trap");
        if (trap.empty()) continue;
        ++traps;
        EXPECT_THAT(trap, HasSubstr("not a rate: "));
    }
    EXPECT_EQ(traps, static_cast<int>(trapKernels().size()));
}

TEST(Traps, areMeasuredBesideARightKernel) {
    SweepPoint base{.backend = "cuda"};
    std::vector<std::string> names;
    for (const SweepPoint& point : pointsAlong(sweepAxis("traps"), kernel("cuda", "tiled"), base))
        names.push_back(nameOf(point.kernel));
    EXPECT_THAT(names, testing::ElementsAre("tiled", "no-barrier", "1025-threads", "float4-as-float3"));
    EXPECT_FALSE(sweepAxis("traps").refuses(kernel("cpu", "simd")).empty());
}

}  // namespace
}  // namespace gravlab
