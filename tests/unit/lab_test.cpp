// The lab without its panel: sweeps and searches in slices, results, and refusals.
#include "app/lab/lab.h"
#include "app/bench/tuner.h"
#include "app/model/lab_panel.h"

#include "sim/core/error.h"
#include "tests/on_backend.h"
#include "tests/surroundings.h"
#include "tests/unit/cli_support.h"
#include "tests/unit/spoilt_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace gravlab {
namespace {

using testing::HasSubstr;

LabSubject subject(const char* kernelName, std::size_t bodies) {
    LabSubject s;
    s.backend = "cpu";
    s.kernel.kernel = kernelName;
    s.bodies = bodies;
    return s;
}

const LabSweep& sweepNamed(std::string_view name) {
    const auto rows = labSweeps();
    return *std::find_if(rows.begin(), rows.end(), [&](const LabSweep& row) { return row.name == name; });
}

TEST(Lab, sweepsInSlicesAndQuietensTheDeviceFirst) {
    Lab lab;
    int quiet = 0;
    const auto quieten = [&quiet] { ++quiet; };
    lab.advance(0.01, quieten);
    EXPECT_EQ(quiet, 0) << "nothing is measured, so nothing waits";
    lab.startSweep(sweepNamed("threads"), subject("simd-threads", 64));
    EXPECT_TRUE(lab.busy());
    while (lab.busy()) lab.advance(0.05, quieten);
    EXPECT_GT(quiet, 1);
    ASSERT_FALSE(lab.results().empty());
    EXPECT_EQ(lab.results().front().row.kernel, "simd-threads");
    EXPECT_EQ(lab.results().front().point.x, 1);
    ASSERT_NE(lab.best(), nullptr);
    EXPECT_TRUE(lab.best()->row.verified);
}

TEST(Lab, cancelKeepsTheResultsAndANewSweepDropsThem) {
    Lab lab;
    lab.startSweep(sweepNamed("bodies"), subject("simd", 64));
    while (lab.results().empty()) lab.advance(0.02, [] {});
    lab.cancel();
    EXPECT_FALSE(lab.busy());
    EXPECT_EQ(lab.status(), "cancelled");
    EXPECT_FALSE(lab.results().empty());
    lab.startSweep(sweepNamed("bodies"), subject("simd", 64));
    EXPECT_TRUE(lab.results().empty());
}

TEST(Lab, greysWhatAKernelCannotVary) {
    EXPECT_THAT(refusal(sweepNamed("block"), kernel("cpu", "simd")), HasSubstr("no block size"));
    EXPECT_THAT(refusal(sweepNamed("block x unroll"), kernel("cuda", "pairs")), HasSubstr("no unroll"));
    EXPECT_EQ(refusal(sweepNamed("block x unroll"), kernel("cuda", "tiled")), "");
    EXPECT_EQ(refusal(sweepNamed("bodies"), kernel("cpu", "naive")), "");
}

TEST(Lab, offersTheNearestKernelThatHasWhatOneLacks) {
    const ForceSettings force;
    const ForceSettings exact{.precision = Precision::fp64};
    if (testing_support::isBuilt("cuda")) {
        EXPECT_EQ(nearestWith("unroll", kernel("cuda", "pairs"), force)->name, "aos");
        EXPECT_EQ(nearestWith("unroll", kernel("cuda", "tree"), force)->name, "symmetric-runs")
            << "of any masses and numbers";
        EXPECT_EQ(nearestWith("split", kernel("cuda", "tiled"), force)->name, "tiled-split");
        const KernelRow inUse = kernel("cuda", "pairs");
        EXPECT_EQ(nearestWith("unroll", inUse, force)->name, "aos") << "a row may be a copy";
        EXPECT_EQ(nearestWith("unroll", kernel("cuda", "pairs"), exact)->name, "tiled") << "those before it have no fp64";
    }
    EXPECT_EQ(nearestWith("block", kernel("cpu", "simd"), force)->name, "symmetric-threads");
    EXPECT_EQ(nearestWith("unroll", kernel("cpu", "tree"), force)->name, "simd-threads");
    EXPECT_EQ(nearestWith("split", kernel("cpu", "simd"), force), nullptr);
    // In the default view at least one number of a launch can be changed, and a row with the grey ones is one click away. On
    // the CPU, too, where the textbook loops have no numbers to choose.
    for (const KernelRow& row : kernels()) {
        const bool textbook = row.backend == "cpu" && (row.name.starts_with("naive") || row.name == "openmp");
        if (row.backend == "cpu" && row.byCutOff) continue;  // a core's unit of work is a cell
        if (row.backend == "reference" || !testing_support::isBuilt(row.backend)) continue;
        EXPECT_TRUE(textbook || axisRefusal("block", row).empty() || axisRefusal("unroll", row).empty()) << row.name;
        for (const char* axis : {"block", "unroll"})
            EXPECT_TRUE(axisRefusal(axis, row).empty() || nearestWith(axis, row, force)) << row.name << ", " << axis;
    }
}

constexpr std::size_t kMany = 300000;

/// While closed it blocks every caller, with a time limit, so that a test of the picture's thread fails instead of hanging.
class TimedGate {
public:
    void pass() {
        std::unique_lock lock(mutex_);
        if (!changed_.wait_for(lock, std::chrono::seconds(20), [this] { return open_; })) gaveUp_ = true;
    }
    void open() {
        const std::lock_guard lock(mutex_);
        open_ = true;
        changed_.notify_all();
    }
    bool gaveUp() const { return gaveUp_; }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool open_ = false;
    std::atomic<bool> gaveUp_ = false;
};

/// A device for many bodies: it loads when the gate is open and reports a quarter of a step per call.
class Large : public test::Spoilt {
public:
    explicit Large(TimedGate& gate) : Spoilt(nullptr), gate_(gate) {}
    std::string_view name() const override { return "cpu"; }
    std::size_t size() const override { return bodies_.size(); }
    void load(const ParticleSet& bodies, const ForceTerms& terms, const SystemConfiguration& configuration) override {
        gate_.pass();
        bodies_ = bodies;
        configure(pairLawOf(terms), configuration.at(0).kernel);
    }
    void snapshot(ParticleSet& out) override { out = bodies_; }
    void configure(const ForceSettings&, const KernelChoice& choice) override {
        kernel_ = &kernel("cpu", choice.kernel.value_or("simd-threads"));
    }
    const KernelRow& activeKernel() const override { return *kernel_; }
    AdvanceStatus advance(StepProgram, double, const Budget& budget, VertexSink*) override {
        EXPECT_LE(budget.seconds, 0.05) << "a slice of the picture's time";
        quarters_ += 1;
        totals_.interactions += 0.25 * static_cast<double>(size()) * static_cast<double>(size());
        totals_.forceSeconds += 1e-3;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return {.stepsCompleted = quarters_ % 4 == 0, .stepProgress = 0.25 * (quarters_ % 4)};
    }
    void accelerations(std::vector<Double4>&) override { ADD_FAILURE() << "all forces at once would stop the picture"; }
    void requestForceCheck(std::vector<std::uint32_t> targets) override {
        EXPECT_LE(targets.size(), 256u);
        check_ = ForceCheck{};
        check_->passed = true;
    }
    std::optional<ForceCheck> takeForceCheck() override {
        return quarters_ % 4 == 0 ? std::exchange(check_, {}) : std::nullopt;
    }
    WorkTotals totals() override { return totals_; }

private:
    TimedGate& gate_;
    ParticleSet bodies_;
    const KernelRow* kernel_ = &kernel("cpu", "simd-threads");
    int quarters_ = 0;
    WorkTotals totals_;
    std::optional<ForceCheck> check_;
};

TEST(Lab, preparesManyBodiesBesideThePictureAndMeasuresThemInSlices) {
    TimedGate gate;
    Lab lab;
    lab.maker = [&gate](const std::string&, const BackendOptions&) { return std::make_unique<Large>(gate); };
    lab.startSweep(sweepNamed("threads"), subject("simd-threads", kMany));
    for (int frame = 0; frame < 20; ++frame) lab.advance(0.02, [] {});
    EXPECT_FALSE(gate.gaveUp()) << "a frame waited for the bodies";
    EXPECT_TRUE(lab.busy());
    EXPECT_TRUE(lab.results().empty());
    EXPECT_THAT(lab.status(), HasSubstr("preparing 300,000 bodies"));
    gate.open();
    double last = 0;
    while (lab.busy()) {
        lab.advance(0.02, [] {});
        if (!lab.busy()) break;
        EXPECT_GE(lab.progress(), last - 1e-12);
        last = lab.progress();
    }
    EXPECT_GT(last, 0);
    ASSERT_FALSE(lab.results().empty());
    for (const SweepResult& result : lab.results()) {
        EXPECT_TRUE(result.row.verified) << result.row.note;
        EXPECT_EQ(result.row.bodies, kMany);
    }
}

TEST(Lab, cancellingDoesNotWaitForWhatIsBeingPrepared) {
    TimedGate gate;
    Lab lab;
    lab.maker = [&gate](const std::string&, const BackendOptions&) { return std::make_unique<Large>(gate); };
    for (int again = 0; again < 2; ++again) {
        lab.startSweep(sweepNamed("threads"), subject("simd-threads", kMany));
        lab.advance(0.02, [] {});
        lab.cancel();
        EXPECT_FALSE(lab.busy());
        lab.startTune(subject("simd-threads", kMany));
        lab.advance(0.02, [] {});
        EXPECT_TRUE(lab.tuning());
        EXPECT_THAT(lab.status(), HasSubstr("preparing"));
        lab.cancel();
        EXPECT_EQ(lab.status(), "cancelled");
    }
    EXPECT_FALSE(gate.gaveUp());
    gate.open();
}

TEST(Lab, tunesManyBodiesWithoutASingleLongPiece) {
    TimedGate gate;
    gate.open();
    const auto make = [&gate](const std::string&, const BackendOptions&) { return std::make_unique<Large>(gate); };
    Tuner tuner({.backend = "cpu",
                 .options = {},
                 .bodies = kMany,
                 .kernels = {"simd-threads"},
                 .patience = 0.1,
                 .checkOnHost = false},
                {}, make);
    while (tuner.advance(0.02)) {
    }
    ASSERT_TRUE(tuner.choice());
    EXPECT_EQ(tuner.choice()->bodies, kMany);
}

TEST(Lab, measuresAndTunesTheKernelsOfATermAsThoseOfThePairLaw) {
    const ScratchFolder folder;  // what is tuned is kept there
    const EnvironmentVariable cache("XDG_CACHE_HOME", folder.path());
    LabSubject springs = subject("blocks", 200);
    springs.term = "springs";
    springs.scene = "test-chain";
    const KernelRow& row = termKernel("cpu", "springs", "blocks");
    EXPECT_EQ(refusal(sweepNamed("block"), row), "");
    EXPECT_THAT(refusal(sweepNamed("unroll"), row), HasSubstr("no unroll factor"));
    EXPECT_THAT(refusal(sweepNamed("traps"), termKernel("cuda", "bonds", "bonds-per-row")), HasSubstr("no trap"));
    Lab lab;
    lab.startSweep(sweepNamed("block"), springs);
    while (lab.results().empty()) lab.advance(0.05, [] {});
    EXPECT_EQ(lab.results().front().row.kernel, "springs:blocks");
    EXPECT_EQ(lab.results().front().row.block, 16);
    EXPECT_TRUE(lab.results().front().row.verified) << lab.results().front().row.note;
    EXPECT_THAT(lab.shown().title, HasSubstr("springs:blocks on cpu"));
    lab.startTune(springs);
    EXPECT_TRUE(lab.tuning());
    std::optional<TunedChoice> found;
    while (lab.busy()) {
        lab.advance(0.05, [] {});
        if (auto tuned = lab.takeTuned()) found = tuned;
    }
    EXPECT_FALSE(lab.tuning());
    ASSERT_TRUE(found) << lab.status();
    EXPECT_EQ(found->term, "springs");
    EXPECT_NE(found->kernel.kernel, "wrong") << "what fails its check competes";
    EXPECT_THAT(lab.status(), HasSubstr("cpu:springs:" + found->kernel.kernel));
    ASSERT_EQ(lab.best()->point.term, "springs");
    const std::shared_ptr<const Tuning> kept = readTuning(tuneCachePath());
    ASSERT_EQ(kept->choices().size(), 1u);
    EXPECT_EQ(kept->choices()[0].kernel, found->kernel);
}

TEST(Lab, findsAPageByName) {
    EXPECT_EQ(labPage("matrix"), LabPage::matrix);
    EXPECT_THROW(labPage("matrices"), UsageError);
}

}  // namespace
}  // namespace gravlab
