// The search for the fastest launch, the file that keeps it, and its use by `auto`.
#include "app/bench/tuner.h"

#include "app/system/built_in.h"
#include "app/system/host_clock.h"
#include "sim/api/errors.h"
#include "sim/run/simulation.h"
#include "tests/unit/cli_support.h"
#include "tests/unit/spoilt_backend.h"

#include <gmock/gmock.h>

#include <atomic>
#include <cmath>

namespace gravlab {
namespace {

using test::Spoilt;
using testing::HasSubstr;

/// A clock that advances by a millisecond with each step of a Graded, so that the load of the machine does not affect a
/// rate.
class StepClock {
public:
    StepClock() : usual_(hostClockSource()) {
        seconds = 1;
        hostClockSource() = [] { return seconds.load(); };
    }
    ~StepClock() { hostClockSource() = usual_; }
    StepClock(const StepClock&) = delete;
    StepClock& operator=(const StepClock&) = delete;
    static inline std::atomic<double> seconds = 1;

private:
    HostClockSource usual_;
};

constexpr LaunchConfig kPeak{.block = 96, .unroll = 32, .bodiesPerThread = 1, .split = 8};

/// Acts as a device whose rate falls steeply around one launch of `tiled-split`.
class Graded : public Spoilt {
public:
    Graded() : Spoilt({}) { row = &kernel("cuda", "tiled"); }
    std::string_view name() const override { return "cuda"; }
    LaunchConfig activeLaunch() const override { return launch_; }
    LaunchFacts launchFacts() const override { return {.device = "graded", .driver = "1.0", .multiprocessors = 4}; }
    void configure(const ForceSettings& force, const KernelChoice& choice) override {
        Spoilt::configure(force, {});
        row = &kernel("cuda", choice.kernel.value_or("tiled"));
        launch_ = choice.launch;
        const auto off = [](int value, int best) { return std::abs(std::log2(static_cast<double>(value) / best)); };
        const double distance = off(launch_.block, kPeak.block) + off(launch_.unroll, kPeak.unroll) +
                                off(launch_.bodiesPerThread, kPeak.bodiesPerThread) + off(launch_.split, kPeak.split);
        rateFactor = std::pow(30.0, -distance);
        if (launch_.block == 1024) throw UsageError("1024 threads are too many");
    }
    AdvanceStatus advance(StepProgram program, double timeStep, const Budget& budget, VertexSink* sink) override {
        const AdvanceStatus status = Spoilt::advance(program, timeStep, {.steps = budget.steps}, sink);
        StepClock::seconds = StepClock::seconds + 1e-3 * static_cast<double>(status.stepsCompleted);
        return status;
    }

private:
    LaunchConfig launch_;
};

std::unique_ptr<Backend> makeGraded(const std::string&, const BackendOptions&) { return std::make_unique<Graded>(); }

TuneRequest quick(std::size_t bodies, std::vector<std::string> kernelNames) {
    TuneRequest request{.backend = "cuda", .bodies = bodies, .kernels = std::move(kernelNames), .patience = 0.01};
    return request;
}

TEST(Tuner, walksToThePeakThatTheCoarseRoundMisses) {
    const StepClock clock;
    Tuner tuner(quick(512, {"tiled", "tiled-split"}), {}, makeGraded);
    double last = 0;
    while (tuner.advance(0.05)) {
        EXPECT_GE(tuner.progress(), last - 1e-12);
        last = tuner.progress();
        EXPECT_THAT(tuner.status(), HasSubstr("round"));
    }
    EXPECT_EQ(tuner.progress(), 1);
    ASSERT_NE(tuner.automatic(), nullptr);
    const std::optional<TunedChoice> found = tuner.choice();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->kernel.kernel, "tiled-split");
    EXPECT_EQ(found->kernel.launch, kPeak) << launchSentence("cuda", found->kernel);
    EXPECT_EQ(found->device, "graded");
    EXPECT_EQ(found->driver, "1.0");
    EXPECT_EQ(found->bodies, 512u);
    EXPECT_GT(found->interactionsPerSecond, tuner.automatic()->row.stepInteractionsPerSecond);
}

TEST(Tuner, cancelledFindsNothing) {
    Tuner tuner(quick(64, {"tiled"}), {}, makeGraded);
    tuner.advance(0.01);
    tuner.cancel();
    EXPECT_TRUE(tuner.finished());
    EXPECT_TRUE(tuner.cancelled());
    EXPECT_FALSE(tuner.advance(1));
    EXPECT_FALSE(tuner.choice());
}

TEST(Tuner, wrongKernelsNeverWin) {
    const auto make = [](const std::string&, const BackendOptions&) -> std::unique_ptr<Backend> {
        auto wrong = std::make_unique<Graded>();
        wrong->failChecks = true;
        return wrong;
    };
    Tuner tuner(quick(64, {"tiled"}), {}, make);
    while (tuner.advance(1)) {
    }
    EXPECT_FALSE(tuner.choice());
}

TEST(Tuner, refusesWhereThereIsNothingToChoose) {
    TuneRequest request = quick(64, {});
    request.backend = "reference";
    EXPECT_THROW(Tuner(request, {}), UsageError);
    request.backend = "cpu";
    request.kernels = {"warp"};
    EXPECT_THROW(Tuner(request, {}), UsageError);
}

TunedChoice choiceFor(std::size_t bodies, const char* kernelName) {
    return {.backend = "cpu",
            .device = "d",
            .driver = "",
            .precision = Precision::fp32,
            .bodies = bodies,
            .kernel = {kernelName, {64, 4, 2, 8}},
            .threads = 3,
            .interactionsPerSecond = 1.5e9};
}

TEST(Tuning, findsTheNearestNumberOfBodiesOnThatDeviceOnly) {
    const Tuning tuning({choiceFor(1000, "a"), choiceFor(1400, "b")});
    const LaunchFacts facts{.device = "d"};
    EXPECT_EQ(tuning.find("cpu", facts, Precision::fp32, 1100)->kernel.kernel, "a");
    EXPECT_EQ(tuning.find("cpu", facts, Precision::fp32, 1300)->kernel.kernel, "b");
    EXPECT_EQ(tuning.find("cpu", facts, Precision::fp32, 2100)->kernel.kernel, "b");
    EXPECT_EQ(tuning.find("cpu", facts, Precision::fp32, 2200), nullptr);
    EXPECT_EQ(tuning.find("cpu", facts, Precision::fp32, 600), nullptr);
    EXPECT_EQ(tuning.find("cuda", facts, Precision::fp32, 1000), nullptr);
    EXPECT_EQ(tuning.find("cpu", facts, Precision::fp64, 1000), nullptr);
    EXPECT_EQ(tuning.find("cpu", {.device = "e"}, Precision::fp32, 1000), nullptr);
    EXPECT_EQ(tuning.find("cpu", {.device = "d", .driver = "2"}, Precision::fp32, 1000), nullptr);
}

TEST(Tuning, aNewChoiceTakesThePlaceOfTheOld) {
    const Tuning tuning = Tuning({choiceFor(1000, "a"), choiceFor(4000, "c")}).with(choiceFor(1000, "b"));
    EXPECT_EQ(tuning.choices().size(), 2u);
    EXPECT_EQ(tuning.find("cpu", {.device = "d"}, Precision::fp32, 1000)->kernel.kernel, "b");
}

TEST(TuneCache, whatIsWrittenIsRead) {
    const ScratchFolder folder;
    const fs::path file = folder / "new" / "tune.json";
    EXPECT_TRUE(readTuning(file)->choices().empty());
    writeTuning(file, Tuning({choiceFor(1000, "a"), choiceFor(4000, "b")}));
    const auto read = readTuning(file);
    ASSERT_EQ(read->choices().size(), 2u);
    EXPECT_EQ(read->choices()[0], choiceFor(1000, "a"));
    EXPECT_EQ(read->choices()[1], choiceFor(4000, "b"));
}

TEST(TuneCache, otherVersionsAndBrokenFilesGiveNothing) {
    const ScratchFolder folder;
    const fs::path file = folder / "tune.json";
    writeTuning(file, Tuning({choiceFor(1000, "a")}));
    std::string text = contentOf(file);
    const std::string now = "\"program\": \"" + std::string(version()) + "\"";
    ASSERT_THAT(text, HasSubstr(now));
    text.replace(text.find(now), now.size(), "\"program\": \"0.0.0\"");
    std::ofstream(file) << text;
    EXPECT_TRUE(readTuning(file)->choices().empty());
    for (const char* broken : {"", "{", "[]", "{\"format\": 1, \"choices\": [{\"program\": 3}]}", "\xff\xfe"}) {
        std::ofstream(file) << broken;
        EXPECT_TRUE(readTuning(file)->choices().empty()) << broken;
    }
    EXPECT_THROW(writeTuning({}, Tuning()), IoError);
    for (const char* threads : {"1000000000", "-1", "4097"}) {
        text = "{\"format\": 1, \"choices\": [{" + now +
               ", \"backend\": \"cpu\", \"device\": \"d\", \"driver\": \"\", \"precision\": \"fp32\", \"n\": 1000, "
               "\"kernel\": \"a\", \"block\": 1, \"unroll\": 1, \"bodies_per_thread\": 1, \"split\": 1, \"threads\": " +
               threads + ", \"step_interactions_per_second\": 1}]}";
        std::ofstream(file) << text;
        EXPECT_TRUE(readTuning(file)->choices().empty()) << threads;
    }
    fs::remove(file);
    fs::create_directory(file);
    EXPECT_TRUE(readTuning(file)->choices().empty()) << "a folder";
    fs::remove(file);
    ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
    EXPECT_TRUE(readTuning(file)->choices().empty()) << "a pipe that nobody writes to";
}

TEST(TunedAuto, aSimulationTakesTheTunedKernelForItsNumberOfBodies) {
    const std::string device = backend("cpu").make({})->launchFacts().device;
    TunedChoice small = choiceFor(64, "naive"), wrong = choiceFor(1024, "not-in-this-build");
    small.device = wrong.device = device;
    small.threads = wrong.threads = std::nullopt;
    RunRequest settings{.scene = "plummer", .bodies = 64, .backend = "cpu"};
    settings.precision = Precision::fp32;  // the precision of the choices
    Simulation plain(settings);
    EXPECT_EQ(plain.configuration().pairs().kernel.kernel, "simd-threads");

    settings.tuning = std::make_shared<Tuning>(std::vector{small, wrong});
    Simulation tuned(settings);
    EXPECT_EQ(tuned.configuration().pairs().kernel.kernel, "naive");

    RunRequest more = tuned.request();
    more.bodies = 256;
    tuned.apply(more);
    EXPECT_EQ(tuned.configuration().pairs().kernel.kernel, "simd-threads") << "the choice for 64 bodies says nothing of 256";
    more = tuned.request();
    more.bodies = 1024;
    tuned.apply(more);
    EXPECT_EQ(tuned.configuration().pairs().kernel.kernel, "simd-threads") << "a kernel of another build is not an error";
    more = tuned.request();
    more.bodies = 64;
    tuned.apply(more);
    EXPECT_EQ(tuned.configuration().pairs().kernel.kernel, "naive");

    settings.pairs().kernel.kernel = "simd";
    EXPECT_EQ(Simulation(settings).configuration().pairs().kernel.kernel, "simd") << "a kernel that was named stays";
}

TEST(TunedAuto, aNewFindIsTakenUpByARunningSimulation) {
    RunRequest settings{.scene = "plummer", .bodies = 64, .backend = "cpu"};
    settings.precision = Precision::fp32;  // the precision of the choices
    Simulation simulation(settings);
    TunedChoice found = choiceFor(64, "simd");
    found.device = simulation.backend().launchFacts().device;
    RunRequest wanted = simulation.request();
    wanted.tuning = std::make_shared<Tuning>(std::vector{found});
    simulation.apply(wanted);
    EXPECT_EQ(simulation.configuration().pairs().kernel.kernel, "simd");
    EXPECT_EQ(simulation.step(), 0);
}

TEST(CliTune, storesWhatAutoThenUses) {
    const ScratchFolder folder;
    const Outcome o = runGravlab({"tune", "--backend", "cpu", "--kernel", "naive,simd", "-n", "64"});
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(o.out, HasSubstr("N = 64"));
    EXPECT_THAT(o.out, HasSubstr("tune.json"));
    const Outcome refused = runGravlab({"tune", "--backend", "reference", "-n", "64"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err, HasSubstr("nothing to tune"));
}

}  // namespace
}  // namespace gravlab
