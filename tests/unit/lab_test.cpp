// The lab without its panel: sweeps and searches in slices, results, and refusals.
#include "app/lab/lab.h"
#include "app/bench/tuner.h"
#include "app/model/lab_panel.h"
#include "app/system/picture.h"
#include "sim/api/errors.h"
#include "sim/backends/backend.h"
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
#include <mutex>
#include <thread>

namespace gravlab {
namespace {

using testing::HasSubstr;

LabSubject subject(const char* kernelName, std::size_t bodies) {
    LabSubject s{.backend = "cpu", .kernel = {.kernel = kernelName}, .bodies = bodies};
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
    EXPECT_EQ(lab.sweepFor(kernel("cpu", "simd-threads")).name, "threads") << "the list names what is measured";
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
        EXPECT_LE(targets.size(), 1024u);
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

// Figures by starting the program.

using testing::AllOf;
using testing::StartsWith;

TEST(CliFigure, writesNumbersAndPictures) {
    const ScratchFolder folder;
    const Outcome csv = runGravlab({"bench", "--backend", "cpu", "--figure", "bodies", "--kernel", "simd", "-n", "64,128",
                                    "--repeats", "2", "-o", (folder / "f.csv").string()});
    ASSERT_EQ(csv.code, 0) << csv.err;
    const auto lines = linesOf(contentOf(folder / "f.csv"));
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_THAT(lines[0], AllOf(StartsWith("series,x,extrapolated,backend,"), HasSubstr(",step_interactions_per_second,")));
    EXPECT_THAT(lines[1], StartsWith("simd,64,false,cpu,"));
    EXPECT_THAT(lines[2], StartsWith("simd,128,false,cpu,"));

    const Outcome png = runGravlab({"bench", "--backend", "cpu", "--figure", "bodies", "--kernel", "simd", "-n", "64",
                                    "--repeats", "1", "-o", (folder / "f.png").string()});
    ASSERT_EQ(png.code, 0) << png.err;
    const Picture picture = readPng((folder / "f.png").string());
    EXPECT_EQ(picture.width, 1920);
    EXPECT_EQ(picture.texts.at("gravlab:figure"), "bodies");
}

TEST(CliFigure, threadsMakesPictureAndNumbersOfOneMeasurement) {
    const ScratchFolder folder;
    const Outcome both =
        runGravlab({"bench", "--backend", "cpu", "--figure", "threads", "--threads", "1,2", "-n", "256", "--repeats", "1",
                    "-o", (folder / "t.png").string(), "--csv", (folder / "t.csv").string()});
    ASSERT_EQ(both.code, 0) << both.err;
    EXPECT_EQ(readPng((folder / "t.png").string()).texts.at("gravlab:figure"), "threads");
    const auto lines = linesOf(contentOf(folder / "t.csv"));
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_THAT(lines[0], HasSubstr(",processor,speed_up,efficiency,driver,date"));
}

TEST(CliFigure, rooflineMeasuresWhatTheProcessorCanDo) {
    const ScratchFolder folder;
    const Outcome csv = runGravlab({"bench", "--backend", "cpu", "--figure", "roofline", "--kernel", "simd", "-n", "256",
                                    "--repeats", "1", "-o", (folder / "r.csv").string()});
    ASSERT_EQ(csv.code, 0) << csv.err;
    const auto lines = linesOf(contentOf(folder / "r.csv"));
    ASSERT_EQ(lines.size(), 2u);
    const auto cells = [](const std::string& line) {
        std::vector<std::string> all(1);
        bool quoted = false;
        for (const char c : line) {
            if (c == '"') quoted = !quoted;
            if (c == ',' && !quoted)
                all.emplace_back();
            else
                all.back() += c;
        }
        return all;
    };
    const auto names = cells(lines[0]), values = cells(lines[1]);
    ASSERT_EQ(names.size(), values.size());
    const auto value = [&](std::string_view name) {
        for (std::size_t i = 0; i < names.size(); ++i)
            if (names[i] == name) return std::stod(values[i]);
        return 0.0;
    };
    const double adds = value("peak_multiply_adds_per_second"), rate = value("interactions_per_second");
    EXPECT_GT(adds, 1e8);
    EXPECT_LT(adds, 1e15);
    EXPECT_GT(adds, rate) << "a pair takes more than one multiply-add";
    EXPECT_GT(value("peak_inverse_roots_per_second"), 1e7);
    EXPECT_GT(value("peak_bytes_per_second"), 1e7);
    EXPECT_DOUBLE_EQ(value("flop_per_byte"), 20.0 * 256 / 16);
}

TEST(CliBench, listsOfThreadsAreTimedOneAfterTheOther) {
    const Outcome o = runGravlab({"bench", "--backend", "cpu", "--kernel", "simd-threads", "-n", "64", "--threads", "1,2",
                                  "--steps", "2", "--repeats", "1", "--format", "csv"});
    ASSERT_EQ(o.code, 0) << o.err;
    const auto lines = linesOf(o.out);
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_TRUE(lines[0].ends_with(",threads")) << lines[0];
    EXPECT_TRUE(lines[1].ends_with(",1"));
    EXPECT_TRUE(lines[2].ends_with(",2"));
}

TEST(CliBench, aTreeIsTimedAtTheAccuracyAndTheOpeningAskedFor) {
    const auto timed = [](const std::string& kernel, const std::string& option, const std::string& value) {
        const Outcome o = runGravlab({"bench", "--backend", "cpu", "--kernel", kernel, "-n", "2048", option, value,
                                      "--steps", "1", "--repeats", "1", "--format", "json"});
        EXPECT_EQ(o.code, 0) << o.err;
        return o.out;
    };
    EXPECT_THAT(timed("tree", "--accuracy", "1e-2"), HasSubstr("\"accuracy\": 0.01,"));
    EXPECT_THAT(timed("tree-cells", "--accuracy", "1e-4"), HasSubstr("\"accuracy\": 0.0001,"));
    EXPECT_THAT(timed("tree-theta", "--opening", "0.25"), HasSubstr("\"accuracy\": 0.000625,"));
}

TEST(CliBench, theSceneHasTheNumbersThatAreAskedFor) {
    const auto rungs = [](const char* depth) {
        const Outcome o =
            runGravlab({"bench", "king", "--set", std::string("w0=") + depth, "--backend", "cpu", "-n", "2048",
                        "--integrator", "block-leapfrog", "--steps", "1", "--repeats", "1", "--format", "json"});
        EXPECT_EQ(o.code, 0) << o.err;
        const std::size_t at = o.out.find("\"bodies_on_rungs\": \"");
        EXPECT_NE(at, std::string::npos) << o.out;
        return at == std::string::npos ? "" : o.out.substr(at, o.out.find('\n', at) - at);
    };
    EXPECT_NE(rungs("3"), rungs("12"));
    const Outcome unknown = runGravlab({"bench", "king", "--set", "depth=3", "--backend", "cpu", "-n", "64"});
    EXPECT_EQ(unknown.code, 2);
    EXPECT_THAT(unknown.err, HasSubstr("depth"));
}

TEST(CliFigure, refusesWhatCannotBeMadeBeforeAnythingIsMeasured) {
    const ScratchFolder folder;
    const std::string file = (folder / "f.png").string();
    EXPECT_THAT(runGravlab({"bench", "--figure", "unroll"}).err, HasSubstr("-o FILE.png or FILE.csv"));
    EXPECT_THAT(runGravlab({"bench", "--figure", "unrol", "-o", file}).err, HasSubstr("unroll"));
    const Outcome cpu = runGravlab({"bench", "--backend", "cpu", "--figure", "split", "-o", file});
    EXPECT_EQ(cpu.code, 4);
    EXPECT_THAT(cpu.err, HasSubstr("no cpu kernel has a split"));
    const Outcome nowhere =
        runGravlab({"bench", "--backend", "cpu", "--figure", "bodies", "-n", "64", "-o", "/no/such/folder/f.csv"});
    EXPECT_EQ(nowhere.code, 6);
    EXPECT_EQ(linesOf(nowhere.err).size(), 1u) << "it was measured first: " << nowhere.err;
    EXPECT_EQ(folder.entries(), 0u);
}

TEST(CliFigure, refusesWhatItWouldLeaveOut) {
    const std::vector<std::vector<std::string>> lines{
        {"--figure", "cpu-gpu", "--backend", "cpu"}, {"--figure", "cpu-gpu", "--kernel", "naive"},
        {"--figure", "cpu-gpu", "--format", "json"}, {"--figure", "ladder", "--kernel", "naive"},
        {"--figure", "ladder", "--unroll", "3"},     {"--figure", "matrix", "--split", "2"},
        {"--figure", "energy-dt", "--repeats", "2"}, {"--figure", "bodies", "--steps", "1000"},
        {"--figure", "bodies", "--law", "coulomb"},  {"--figure", "bodies", "--spread-masses"},
        {"--figure", "bodies", "--until", "2"},      {"--figure", "crossover", "--accuracy", "1e-3"},
        {"--figure", "crossover", "--block", "64"},  {"--card", "c.png", "--format", "csv"},
        {"--card", "c.png", "--steps", "3"},
    };
    const ScratchFolder folder;
    for (std::vector<std::string> line : lines) {
        const std::string study = line[0], option = line[2];
        if (study == "--figure") line.insert(line.end(), {"-o", "f.png"});
        line.insert(line.begin(), "bench");
        const Outcome outcome = runGravlab(line, {.folder = folder.path()});
        EXPECT_EQ(outcome.code, 2) << option << ": " << outcome.err;
        EXPECT_THAT(outcome.err, AllOf(HasSubstr(option + " does nothing with " + study))) << option;
    }
    const std::vector<std::pair<std::string, std::string>> lists{{"unroll", "--block"},        {"block", "--unroll"},
                                                                 {"bodies", "--threads"},      {"threads", "--dt"},
                                                                 {"energy-dt", "--softening"}, {"ladder", "-n"}};
    for (const auto& [name, option] : lists) {
        const Outcome two =
            runGravlab({"bench", "--figure", name, option, "32,64", "-o", "f.png"}, {.folder = folder.path()});
        EXPECT_EQ(two.code, 2) << name;
        EXPECT_THAT(two.err, HasSubstr("takes one " + option)) << name;
    }
    EXPECT_THAT(runGravlab({"bench", "--dt", "0.1,0.2"}).err, HasSubstr("a list is for --figure"));
    EXPECT_THAT(runGravlab({"bench", "--csv", "x.csv"}).err, HasSubstr("needs --figure"));
    EXPECT_THAT(runGravlab({"bench", "--figure", "bodies", "-o", "x.csv", "--csv", "y.csv"}).err, HasSubstr("-o FILE.png"));
    EXPECT_EQ(folder.entries(), 0u);
}

}  // namespace
}  // namespace gravlab
