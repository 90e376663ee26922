// The engine behind figures, tuning and the lab: its measurements, its refusals, and the failures that it survives.
#include "app/bench/sweep.h"
#include "app/bench/sweep_axis.h"

#include "sim/api/errors.h"
#include "sim/scenes/scene.h"
#include "tests/unit/spoilt_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace gravlab {
namespace {

using test::Spoilt;
using testing::HasSubstr;
using testing::StartsWith;

constexpr BenchmarkPlan kQuick{.steps = 2, .repeats = 3, .warmUpSeconds = 0};

SweepPoint point(const char* backendName, const char* kernelName, std::size_t bodies) {
    SweepPoint p{.backend = backendName,
                 .bodies = bodies,
                 .kernel = {.kernel = kernelName},
                 .plan = kQuick,
                 .series = kernelName,
                 .x = static_cast<double>(bodies)};
    return p;
}

TEST(Sweep, measuresAllPointsInOrder) {
    Sweep sweep({point("reference", "plain", 16), point("cpu", "naive", 33), point("cpu", "simd", 33)}, {});
    EXPECT_EQ(sweep.total(), 3u);
    while (sweep.advance(10)) {
    }
    ASSERT_EQ(sweep.results().size(), 3u);
    for (const SweepResult& result : sweep.results()) {
        EXPECT_TRUE(result.row.verified) << result.row.note;
        EXPECT_GT(result.row.interactionsPerSecond, 0);
        EXPECT_GT(result.row.stepInteractionsPerSecond, 0);
        EXPECT_EQ(result.row.bodies, result.point.bodies);
        EXPECT_EQ(result.row.kernel, result.point.kernel.kernel);
        EXPECT_EQ(result.row.repeats, 3);
    }
    EXPECT_GT(sweep.results()[2].facts.vectorLanes, 0);
    EXPECT_EQ(sweep.progress(), 1);
    EXPECT_FALSE(sweep.cancelled());
    ASSERT_NE(bestOf(sweep.results()), nullptr);
}

TEST(Sweep, smallSlicesGiveTheSameResultsAndGrowingProgress) {
    // A step takes longer than a slice, as in the frame loop of a window.
    SweepPoint p = point("cpu", "naive", 3000);
    p.plan = {.steps = 2, .repeats = 2, .warmUpSeconds = 0, .checkOnHost = false, .checkBodies = 64};
    Sweep sweep({p, point("reference", "plain", 8)}, {});
    int calls = 0;
    double last = 0;
    bool grows = true;
    while (sweep.advance(1e-3)) {
        ++calls;
        grows = grows && sweep.progress() >= last - 1e-12;
        last = sweep.progress();
    }
    EXPECT_GT(calls, 5);
    EXPECT_TRUE(grows);
    ASSERT_EQ(sweep.results().size(), 2u);
    EXPECT_TRUE(sweep.results()[0].row.verified) << sweep.results()[0].row.note;
    EXPECT_EQ(sweep.results()[0].row.steps, 2);
    EXPECT_EQ(sweep.results()[0].row.repeats, 2);
}

TEST(Sweep, refusedPointsSayWhyAndTheRestGoesOn) {
    Sweep sweep({point("cpu", "no-such-kernel", 16), point("cpu", "naive", 16)}, {});
    while (sweep.advance(10)) {
    }
    ASSERT_EQ(sweep.results().size(), 2u);
    EXPECT_TRUE(sweep.results()[0].refused);
    EXPECT_FALSE(sweep.results()[0].row.verified);
    EXPECT_THAT(sweep.results()[0].row.note, HasSubstr("no-such-kernel"));
    EXPECT_TRUE(sweep.results()[1].row.verified);
    EXPECT_EQ(bestOf(sweep.results()), &sweep.results()[1]);
}

TEST(Sweep, countsOthersWhoseBarsReachThoseOfTheBest) {
    std::vector<SweepResult> results(4);
    for (std::size_t i = 0; i < 4; ++i) results[i].row.verified = i < 3;
    for (const auto& [place, rate, spread] : {std::tuple{0, 4.75e9, 0.2}, {1, 4.2e9, 0.1}, {2, 3e9, 0.2}, {3, 5e9, 0.1}}) {
        results[static_cast<std::size_t>(place)].row.interactionsPerSecond = rate;
        results[static_cast<std::size_t>(place)].row.spread = spread;
    }
    EXPECT_EQ(asFastAs(results[0], results, kForceRate), 1u) << "neither a lower bar nor a rate that is not verified";
}

TEST(Sweep, aWrongKernelHasNoRateAndIsNeverTheBest) {
    int made = 0;
    const auto make = [&made](const std::string&, const BackendOptions&) -> std::unique_ptr<Backend> {
        ++made;
        auto wrong = std::make_unique<Spoilt>([](auto& a) { a.front().x *= 1.1; });
        return wrong;
    };
    Sweep sweep({point("reference", "plain", 16)}, {}, make);
    while (sweep.advance(10)) {
    }
    ASSERT_EQ(sweep.results().size(), 1u);
    EXPECT_FALSE(sweep.results()[0].row.verified);
    EXPECT_FALSE(sweep.results()[0].refused);
    EXPECT_EQ(sweep.results()[0].row.interactionsPerSecond, 0);
    EXPECT_EQ(sweep.results()[0].row.stepInteractionsPerSecond, 0);
    EXPECT_EQ(bestOf(sweep.results()), nullptr);
    EXPECT_EQ(made, 1);
}

TEST(Sweep, aDeviceThatFailsIsAResultAndANewBackendIsMade) {
    int made = 0;
    const auto make = [&made](const std::string&, const BackendOptions&) -> std::unique_ptr<Backend> {
        const bool broken = made++ == 0;
        return std::make_unique<Spoilt>([broken](auto&) {
            if (broken) throw DeviceError("the launch failed");
        });
    };
    Sweep sweep({point("reference", "plain", 16), point("reference", "plain", 16)}, {}, make);
    while (sweep.advance(10)) {
    }
    ASSERT_EQ(sweep.results().size(), 2u);
    EXPECT_THAT(sweep.results()[0].row.note, HasSubstr("launch failed"));
    EXPECT_TRUE(sweep.results()[1].row.verified) << sweep.results()[1].row.note;
    EXPECT_EQ(made, 2);
}

TEST(Sweep, cancelKeepsWhatWasMeasured) {
    Sweep sweep({point("reference", "plain", 8), point("cpu", "naive", 60000)}, {});
    while (sweep.results().empty()) sweep.advance(1e-3);
    sweep.advance(1e-3);
    sweep.cancel();
    EXPECT_TRUE(sweep.finished());
    EXPECT_TRUE(sweep.cancelled());
    EXPECT_FALSE(sweep.advance(1));
    EXPECT_EQ(sweep.results().size(), 1u);
}

TEST(Sweep, csvHasAColumnForBothRatesAndEmptyCellsWithoutOne) {
    SweepResult right, wrong;
    right.point.series = "a, b";
    right.point.x = 128;
    right.row.verified = true;
    right.row.interactionsPerSecond = 2e9;
    right.row.stepInteractionsPerSecond = 1e9;
    wrong.row.note = "off";
    const SweepResult results[] = {right, wrong};
    const std::string text = sweepCsv(results);
    EXPECT_THAT(text, StartsWith("series,x,extrapolated,backend,"));
    EXPECT_THAT(text, HasSubstr(",interactions_per_second,spread,step_interactions_per_second,"));
    EXPECT_THAT(text, HasSubstr("\n\"a, b\",128,false,"));
    EXPECT_THAT(text, HasSubstr(",2000000000.0,"));
    EXPECT_THAT(text, HasSubstr(",1000000000.0,"));
    const std::string last = text.substr(text.rfind('\n', text.size() - 2) + 1);
    EXPECT_THAT(last, HasSubstr(",,,,,,"));
    const auto commas = [](const std::string& line) { return std::count(line.begin(), line.end(), ','); };
    EXPECT_EQ(commas(last), commas(text.substr(0, text.find('\n'))));
}

TEST(Trial, slowStepsEndEarlyWhereAskedTo) {
    const std::unique_ptr<Backend> slow = backend("cpu").make({.threads = 1});
    slow->load(sceneNamed("plummer").build({2000, 1}));
    const ForceSettings force{.softening = 0.05};
    slow->configure(force, {"naive", {}});
    const BenchmarkPlan plan{.steps = 1000, .repeats = 3, .warmUpSeconds = 0, .mostSeconds = 0.02};
    const BenchmarkRow row = timeKernel(*slow, integrators().front(), 1e-4, force, plan);
    EXPECT_TRUE(row.verified) << row.note;
    EXPECT_GE(row.steps, 1);
    EXPECT_LT(row.steps, 1000);
}

TEST(Trial, wholeStepsAboveTheBoundAreAnErrorToo) {
    KernelRow bounded = kernel("reference", "plain");
    bounded.issuedPerDirectedPair = 10;
    Spoilt fast({});
    fast.row = &bounded;
    fast.issueSlots = 1e6;
    fast.load(sceneNamed("plummer").build({64, 1}));
    const ForceSettings force{.softening = 0.05};
    fast.configure(force, {});
    const BenchmarkRow row = timeKernel(fast, integrators().front(), 1e-3, force, kQuick);
    EXPECT_FALSE(row.verified);
    EXPECT_DOUBLE_EQ(row.boundPerSecond, 1e5);
    EXPECT_THAT(row.note, HasSubstr("cannot issue"));
    EXPECT_EQ(row.stepInteractionsPerSecond, 0);
}

/// Says that it has very many bodies.
class VeryMany : public Spoilt {
public:
    VeryMany() : Spoilt({}) { row = &kernel("cpu", "tree"); }
    std::size_t size() const override { return 100'000'000; }
    void requestForceCheck(std::vector<std::uint32_t> targets) override { checked = targets.size(); }
    std::size_t checked = 0;
};

TEST(Trial, checksAsManyBodiesOfAnyNumber) {
    VeryMany many;
    many.load(sceneNamed("plummer").build({8, 1}));
    Trial(many, integrators().front(), 1e-3, {.softening = 0.05}, kQuick).advance(0);
    EXPECT_EQ(many.checked, 1024u);
}

}  // namespace
}  // namespace gravlab
