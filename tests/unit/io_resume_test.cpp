// A run that is saved, loaded and continued equals a run without a stop, to the last bit: for every kernel row that promises
// equal bits, every integrator, and every format that keeps them.
#include "sim/api/errors.h"
#include "sim/forces/law.h"
#include "sim/forces/law_numbers.h"
#include "tests/resume_suite.h"

#include <gmock/gmock.h>
#include <cmath>
#include <set>

namespace gravlab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Row {
    std::string backend, kernel, integrator;
    Precision precision = Precision::fp32;
};

std::string nameOf(const testing::TestParamInfo<Row>& info) {
    constexpr const char* kPrecisions[] = {"fp32", "mixed", "fp64"};
    std::string name = info.param.backend + "_" + info.param.kernel + "_" + info.param.integrator + "_" +
                       kPrecisions[static_cast<int>(info.param.precision)];
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

/// All rows of the tables that can run on any machine.
std::vector<Row> rows() {
    std::vector<Row> found;
    for (const KernelRow& kernelRow : kernels()) {
        if (kernelRow.backend == "cuda" || !kernelRow.deterministic) continue;
        const BackendRow& backendRow = backend(kernelRow.backend);
        for (const Integrator& integratorRow : integrators())
            for (const Precision precision : {Precision::fp32, Precision::fp64}) {
                if (kernelRow.backend == "reference" && precision == Precision::fp64) continue;
                if (!refusal(backendRow, integratorRow, 8).empty()) continue;
                if (!refusal(kernelRow, {.precision = precision}).empty()) continue;
                found.push_back({std::string(kernelRow.backend), std::string(kernelRow.name),
                                 std::string(integratorRow.name), precision});
            }
    }
    return found;
}

RunRequest settingsOf(const Row& row, const std::string& scene, std::size_t bodies) {
    RunRequest settings{.scene = scene, .bodies = bodies, .seed = 3, .backend = row.backend};
    if (row.backend == "cpu") settings.backendOptions.threads = 2;
    if (row.kernel != "auto") settings.pairs().kernel.kernel = row.kernel;
    settings.integrator = row.integrator;
    settings.precision = row.precision;
    return settings;
}

const char* exactFormat() { return fileFormat("hdf5").unavailable().empty() ? "hdf5" : nullptr; }

void PrintTo(const Row& row, std::ostream* out) { *out << row.kernel; }

class Resume : public testing::TestWithParam<Row> {};

TEST_P(Resume, equalsNeverHavingStopped) {
    if (!exactFormat()) GTEST_SKIP() << "this build has no HDF5";
    // 70 bodies: more than the engines treat as tiny, and no multiple of a block size.
    for (const auto& [scene, bodies] : {std::pair<const char*, std::size_t>{"pythagorean", 0}, {"plummer", 70}}) {
        SCOPED_TRACE(scene);
        testing_support::expectGoesOnExactly(settingsOf(GetParam(), scene, bodies), 4, 5);
    }
}

INSTANTIATE_TEST_SUITE_P(Rows, Resume, testing::ValuesIn(rows()), nameOf);

TEST(ResumeOf, anAdaptiveIntegratorNeedsItsOwnState) {
    // The comparison must notice a missing state, otherwise it proves nothing.
    const Row row{"reference", "plain", "radau15"};
    Simulation whole(settingsOf(row, "pythagorean", 0)), first(settingsOf(row, "pythagorean", 0));
    run(whole, 3000);
    run(first, 1500);
    Snapshot saved = checkpointOf(first);
    ASSERT_FALSE(saved.state.empty());
    saved.state.clear();
    Simulation second(startFrom(std::move(saved), "x.hdf5").request);
    run(second, 1500);
    EXPECT_FALSE(io_test::sameSnapshot(checkpointOf(second), checkpointOf(whole)));
}

TEST(ResumeOf, aStepUnderWayIsNotSavedHalf) {
    testing_support::expectNotSavedHalf(settingsOf({"reference", "plain", "leapfrog"}, "plummer", 700));
}

TEST(ResumeOf, aStateBetweenTwoTermsGoesOnExactly) {
    for (const Precision precision : {Precision::fp32, Precision::mixed}) {
        RunRequest settings = settingsOf({"cpu", "tree", "leapfrog", precision}, "plummer", 1500);
        settings.pairs().accuracy = 1e-3;
        settings.fields = "uniform,ax=0.1";
        testing_support::expectGoesOnAfterEachSlice(settings);
    }
}

TEST(ResumeOf, aCheckpointInSinglePrecisionTakes48BytesPerBody) {
    if (!exactFormat()) GTEST_SKIP();
    RunRequest settings = settingsOf({"cpu", "tree", "leapfrog"}, "plummer", 20000);
    settings.pairs().accuracy = 1e-3;
    Simulation simulation(settings);
    simulation.advance({.steps = 1}, nullptr);
    const Snapshot whole = checkpointOf(simulation);
    ASSERT_GE(whole.state.size(), 2u) << "accelerations and their lengths";
    EXPECT_LT(static_cast<double>(encodeSnapshot(whole, "hdf5").size()), 48.0 * 20000 + 40000);
}

TEST(ResumeOf, anotherTimeStepRebasesTheClock) {
    const Row row{"reference", "plain", "leapfrog"};
    Simulation simulation(settingsOf(row, "two-body", 0));
    run(simulation, 10);
    RunRequest wanted = simulation.request();
    wanted.timeStep = 2 * simulation.configuration().timeStep;
    simulation.apply(wanted);
    run(simulation, 7);
    Simulation second(startFrom(checkpointOf(simulation), "x.hdf5").request);
    EXPECT_EQ(second.time(), simulation.time());
    EXPECT_EQ(second.clock().step0, 10);
    run(simulation, 5);
    run(second, 5);
    EXPECT_EQ(second.time(), simulation.time());
}

TEST(ResumeOf, anOpenedFileBringsItsOwnKernelIntoARunningSimulation) {
    RunRequest saved = settingsOf({"cpu", "naive-symmetric", "leapfrog"}, "plummer", 90);
    Simulation whole(saved), first(saved);
    run(whole, 6);
    run(first, 3);
    for (const char* running : {"auto", "naive-symmetric", "naive"}) {
        Simulation second(settingsOf({"cpu", running, "rk4"}, "plummer", 40));
        run(second, 2);
        second.apply(startFrom(checkpointOf(first), "x.hdf5").request);
        EXPECT_EQ(second.configuration().pairs().kernel.kernel, "naive-symmetric");
        EXPECT_EQ(second.step(), 3);
        run(second, 3);
        EXPECT_TRUE(io_test::sameSnapshot(checkpointOf(second), checkpointOf(whole))) << running;
    }
}

TEST(ResumeOf, everySceneUnderItsOwnLaw) {
    if (!exactFormat()) GTEST_SKIP() << "this build has no HDF5";
    std::set<Law> seen;
    for (const Scene& scene : sceneTable()) {
        if (scene.fixedBodies > 1000) continue;
        RunRequest settings{.scene = std::string(scene.name),
                            .bodies = scene.fixedBodies ? 0 : 200,
                            .backend = seen.contains(scene.law) ? "cpu" : "reference"};
        SCOPED_TRACE(settings.scene + " " + *settings.backend);
        testing_support::expectGoesOnExactly(settings, 2, 3);
        seen.insert(scene.law);
    }
    EXPECT_GE(seen.size(), 2u);
}

TEST(ResumeOf, numbersOfALawThatAreNotTheScenesOwn) {
    if (!exactFormat()) GTEST_SKIP() << "this build has no HDF5";
    for (const KernelRow& kernelRow : kernels()) {
        if (kernelRow.backend == "cuda" || !kernelRow.deterministic) continue;
        for (const char* scene : {"charges", "power-law", "lennard-jones"}) {
            const Row row{std::string(kernelRow.backend), std::string(kernelRow.name), "leapfrog", Precision::fp64};
            RunRequest settings = settingsOf(row, scene, 70);
            settings.lawNumbers.exponent = 1.3;
            settings.lawNumbers.strength = 1.7;
            settings.lawNumbers.diameter = 0.93;
            settings.lawNumbers.cutOff = 3.1;
            const ForceSettings force{.law = sceneNamed(scene).law, .precision = Precision::fp64};
            if (!refusal(kernelRow, force).empty()) continue;
            SCOPED_TRACE(row.kernel + " " + scene);
            Simulation whole(settings), first(settings);
            run(whole, 9);
            run(first, 4);
            LoadedStart offer =
                startFrom(decodeSnapshot(encodeSnapshot(checkpointOf(first), exactFormat()), "x.hdf5"), "x.hdf5");
            Simulation second(offer.request), forgetful([&] {
                offer.request.lawNumbers = {};
                return offer.request;
            }());
            EXPECT_EQ(second.force(), whole.force());
            run(second, 5);
            run(forgetful, 5);
            EXPECT_TRUE(io_test::sameSnapshot(checkpointOf(second), checkpointOf(whole)));
            EXPECT_FALSE(io_test::sameBodies(checkpointOf(forgetful).bodies, checkpointOf(whole).bodies))
                << "the numbers change nothing, so the comparison proves nothing";
        }
    }
}

TEST(ResumeOf, aVeryLongRunStillCountsItsSteps) {
    const Row row{"reference", "plain", "leapfrog"};
    for (const std::int64_t start : {(std::int64_t{1} << 31) - 10, (std::int64_t{1} << 53) - 10}) {
        Simulation first(settingsOf(row, "two-body", 0));
        Snapshot saved = checkpointOf(first);
        saved.step = saved.stepOrigin = start;
        saved.time = saved.timeOrigin = 1e9;
        Simulation second(startFrom(std::move(saved), "x.hdf5").request);
        run(second, 100);
        EXPECT_EQ(second.step(), start + 100);
        EXPECT_EQ(second.time(), 1e9 + 100 * second.configuration().timeStep);
        const Snapshot again = checkpointOf(second);
        EXPECT_EQ(again.step, start + 100);
        EXPECT_EQ(again.stepOrigin, start);
    }
}

TEST(StartFile, resetGoesBackToTheFileAndAnotherSceneLeavesIt) {
    const Row row{"reference", "plain", "leapfrog"};
    Simulation first(settingsOf(row, "plummer", 30));
    run(first, 3);
    const Snapshot saved = checkpointOf(first);
    Simulation second(startFrom(Snapshot(saved), "run.hdf5").request);
    EXPECT_EQ(second.configuration().scene, "run.hdf5");
    EXPECT_EQ(second.scene().caption, sceneNamed("plummer").caption);
    run(second, 2);
    second.reset();
    EXPECT_EQ(second.step(), 3);
    EXPECT_TRUE(io_test::sameSnapshot(checkpointOf(second), saved));
    RunRequest wanted = second.request();
    wanted.changeScene("two-body");
    second.apply(wanted);
    EXPECT_EQ(second.configuration().bodies, 2u);
    EXPECT_EQ(second.configuration().start, nullptr);
    EXPECT_EQ(second.step(), 0);
}

TEST(StartFile, theParametersOfItsSceneStayOnRecord) {
    RunRequest settings{.backend = "reference"};
    for (const Scene& row : sceneTable()) {
        if (row.parameters.empty() || row.fixedBodies > 100) continue;
        settings.scene = row.name;
        settings.bodies = row.fixedBodies ? row.fixedBodies : 64;
        const double value = 0.5 * (row.parameters[0].value + row.parameters[0].most);
        settings.parameters = {{std::string(row.parameters[0].name), value}};
        Simulation first(settings);
        Simulation second(startFrom(checkpointOf(first), "x.hdf5").request);
        EXPECT_TRUE(second.scene().parameters.empty());
        EXPECT_EQ(checkpointOf(second).settings, checkpointOf(first).settings);
        EXPECT_THAT(checkpointOf(second).settings, HasSubstr(std::string(row.parameters[0].name) + " = "));
        return;
    }
    GTEST_SKIP() << "no scene has parameters";
}

TEST(StartFile, plainBodiesGetWhatSuitsThem) {
    Snapshot snapshot = io_test::sample(2000);
    for (Double4& p : snapshot.bodies.position) p.x += 1000;
    const LoadedStart offer = startFrom(std::move(snapshot), "plummer");
    EXPECT_EQ(offer.request.scene, "./plummer") << "the scene keeps its name";
    const Scene& row = offer.request.start->row;
    EXPECT_NEAR(row.view.target[0], 1000, 2);
    EXPECT_GT(row.view.distance, 10);
    EXPECT_LT(row.view.distance, 100);
    EXPECT_GT(row.softening, 0);
    EXPECT_GT(row.timeStep, 0);
    EXPECT_THAT(offer.notes, testing::Contains(HasSubstr("suit the bodies")));
    Simulation simulation(offer.request);
    run(simulation, 2);
    EXPECT_EQ(simulation.configuration().bodies, 2000u);
}

TEST(StartFile, oddBodiesStillGetAFiniteStart) {
    for (const double far : {0.0, 1e-300, 1e300}) {
        Snapshot snapshot;
        snapshot.bodies.resize(3);
        for (std::size_t i = 0; i < 3; ++i) {
            snapshot.bodies.position[i] = {far, 0, 0, 0};
            snapshot.bodies.velocity[i] = {0, 0, 0, 1};
            snapshot.bodies.id[i] = static_cast<std::uint32_t>(i);
        }
        const LoadedStart offer = startFrom(std::move(snapshot), "odd.csv");
        const Scene& row = offer.request.start->row;
        EXPECT_TRUE(std::isfinite(row.timeStep) && row.timeStep > 0) << far;
        EXPECT_TRUE(std::isfinite(row.view.distance) && row.view.distance > 0) << far;
        EXPECT_TRUE(std::isfinite(row.view.speedScale) && row.view.speedScale > 0) << far;
    }
}

TEST(StartFile, whatThisMachineLacksGivesWayWithANote) {
    Snapshot snapshot = io_test::sample(3);
    snapshot.settings = "scene = \"plummer\"\nbackend = \"quantum\"\nkernel = \"warp\"\nfuture = 1\ntime_step = 0.25\n";
    const LoadedStart offer = startFrom(std::move(snapshot), "x.hdf5");
    EXPECT_EQ(offer.request.backend, std::nullopt);
    EXPECT_EQ(offer.request.pairs().kernel.kernel, std::nullopt);
    EXPECT_EQ(offer.request.timeStep, 0.25);
    EXPECT_THAT(offer.notes, testing::Contains(HasSubstr("quantum")));
    EXPECT_THAT(offer.notes, testing::Contains(HasSubstr("future")));
}

TEST(StartFile, settingsThatMakeNoSenseAreRefused) {
    for (const char* settings :
         {"integrator = \"guess\"", "time_step = nan", "precision = 7", "bodies = -1", "parameters = { a }",
          "parameters = { a = 1, }", "parameters = { a = 1, a = 2 }", "parameters = { a.b = 1 }", "seed = 1 2",
          "scene = \"a", "block 3", "seed = 1\nseed = 1", "softening = -0.5"}) {
        Snapshot snapshot = io_test::sample(3);
        snapshot.settings = settings;
        EXPECT_THROW(startFrom(std::move(snapshot), "x.hdf5"), InputError) << settings;
    }
    Snapshot far = io_test::sample(3);
    far.settings = "seed = 1";
    far.step = std::numeric_limits<std::int64_t>::max();
    EXPECT_THROW(startFrom(std::move(far), "x.hdf5"), InputError);
}

TEST(StartFile, theStateOfAnIntegratorIsHeldAgainstTheBodies) {
    Simulation simulation({.scene = "figure-eight", .integrator = "radau15"});
    simulation.advance({.steps = 3}, nullptr);
    const Snapshot good = checkpointOf(simulation);
    ASSERT_FALSE(good.state.empty());
    EXPECT_NO_THROW(startFrom(Snapshot(good), "good.hdf5"));
    for (std::size_t k = 0; k < good.state.size(); ++k) {
        Snapshot missing = good, half = good;
        missing.state.erase(missing.state.begin() + static_cast<std::ptrdiff_t>(k));
        half.state[k].values.resize(half.state[k].values.size() / 2);
        EXPECT_THROW(startFrom(std::move(missing), "x.hdf5"), InputError) << good.state[k].name;
        EXPECT_THROW(startFrom(std::move(half), "x.hdf5"), InputError) << good.state[k].name;
    }
    for (const char* name : {"radau15.solver_x", "radau15.from_v"}) {
        Snapshot other = good;
        for (StateArray& array : other.state)
            if (array.name == name) std::fill(array.values.begin(), array.values.end(), -1.0);
        EXPECT_THROW(startFrom(std::move(other), "x.hdf5"), InputError) << name;
    }
    Snapshot fewer = good;
    fewer.bodies.resize(2);
    EXPECT_THROW(startFrom(std::move(fewer), "x.hdf5"), InputError);
    Snapshot none = good;
    none.state.clear();
    EXPECT_THAT(startFrom(std::move(none), "x.hdf5").notes, testing::Contains(HasSubstr("no state of radau15")));
    Snapshot twice = good;
    twice.timeStep = 0.5;
    EXPECT_THAT(startFrom(std::move(twice), "x.hdf5").notes, testing::Contains(HasSubstr("that of the settings is used")));
}

TEST(RunSettings, textAndBackIsTheSame) {
    RunRequest settings{.scene = "a \"quoted\" \\ name # with\nall of it",
                        .sceneVersion = 3,
                        .bodies = 2147483647,
                        .seed = ~std::uint64_t{0},
                        .parameters = {{"mass-ratio", 0.1}, {"tilt_2", -1e-5}},
                        .backend = "cuda",
                        .backendOptions = {3, {0, 3}, 7, "AVX2"}};
    settings.pairs().kernel = {"tiled", {256, 8, 2, 4}};
    settings.terms.merge(parsedTermRequests("springs=list:block=64"));
    settings.pairs().accuracy = 1e-3 / 3;
    settings.pairs().opening = 0.1 * 7;
    settings.integrator = "yoshida6";
    settings.timeStep = -0.1 / 3;
    settings.softening = 5e-324;
    settings.precision = Precision::mixed;
    settings.law = kLaw<PowerLaw>;
    settings.lawNumbers.exponent = -0.1 / 7;
    settings.lawNumbers.strength = 0.1 / 3;
    settings.lawNumbers.diameter = 1 / 7.0;
    settings.lawNumbers.cutOff = 10 / 3.0;
    settings.fields = fieldsText(parsedFields("harmonic,frequency=0.3"));
    settings.contact = ContactMode::bounce;
    settings.radius = 0.1 / 3;
    settings.density = 7.0 / 3;
    settings.restitution = 1 / 3.0;
    settings.friction = 0.1 / 7;
    std::vector<std::string> notes;
    EXPECT_EQ(parsedSettings(settingsText(settings), "x", notes), settings);
    EXPECT_TRUE(notes.empty());
    // Every row has a value: this finds a row that copy() or text() leaves out.
    RunRequest copied;
    for (const SettingRow& row : settingRows()) {
        EXPECT_NE(row.text(copied), row.text(settings)) << row.key;
        row.copy(copied, settings);
    }
    EXPECT_EQ(copied, settings);
    // A file with one device has a number, as before there were several.
    settings.backendOptions.helpers.clear();
    EXPECT_THAT(settingsText(settings), HasSubstr("\ndevice = 3\n"));
    EXPECT_EQ(parsedSettings("device = 5\n", "x", notes).backendOptions, (BackendOptions{.device = 5}));
    EXPECT_EQ(parsedSettings("device = \"2,4\"\n", "x", notes).backendOptions,
              (BackendOptions{.device = 2, .helpers = {4}}));
}

TEST(RunSettings, sayThatSumsHadAnotherOrder) {
    const auto notesOf = [](const std::string& text) {
        std::vector<std::string> notes;
        parsedSettings(text, "x", notes);
        return notes;
    };
    RunRequest request{.backend = "cuda"};
    request.pairs().kernel.kernel = "symmetric";
    const std::string text = settingsText(request);
    EXPECT_TRUE(notesOf(text).empty());
    ASSERT_TRUE(text.ends_with("sums = 2\n"));
    EXPECT_THAT(notesOf(text.substr(0, text.size() - 9)),
                ElementsAre("it was saved with earlier sums of kernel symmetric: the last digits will differ from now on"));
    for (const char* unchanged : {"symmetric-atomics", "tiled", "tree"}) {
        request.pairs().kernel.kernel = unchanged;
        EXPECT_EQ(settingsText(request).find("sums ="), std::string::npos) << unchanged;
    }
}

TEST(RunSettings, sayTheLineAndWhatIsAllowed) {
    std::vector<std::string> notes;
    try {
        parsedSettings("# remark\n\nscene = \"x\" # remark\nprecision = \"fp16\"\n", "file.hdf5", notes);
        FAIL() << "accepted";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("file.hdf5"), HasSubstr("line 4"), HasSubstr("\"mixed\"")));
    }
}

}  // namespace
}  // namespace gravlab
