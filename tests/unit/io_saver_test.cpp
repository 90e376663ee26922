// The thread that saves beside a run, the folder for autosaves, the marks of running sessions, the watch for numbers that
// are not finite.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>
#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <thread>
#include "app/files/open_file.h"
#include "app/files/snapshot_jobs.h"
#include "app/files/state_folder.h"
#include "app/services/non_finite_monitor.h"
#include "app/services/spot_check.h"
#include "app/system/file_names.h"
#include "sim/api/errors.h"
#include "sim/io/file/file_calls.h"
#include "tests/surroundings.h"
#include "tests/unit/io_support.h"

namespace gravlab {
namespace {

using io_test::TempFolder;
using testing::HasSubstr;

/// A state that exists already.
std::function<Snapshot()> given(Snapshot snapshot) {
    return [snapshot = std::move(snapshot)] { return snapshot; };
}

/// Posts a save, whose outcome is noted.
void save(FileJobs& jobs, const std::filesystem::path& path, Snapshot snapshot, const WriteOptions& options,
          std::vector<std::string>& errors) {
    FileJob job = saving(path.string(), given(std::move(snapshot)), options);
    job.done = [&errors](const FileOutcome& outcome) {
        errors.push_back(outcome.status == FileOutcome::Status::written ? "" : outcome.sentence);
    };
    jobs.post(std::move(job));
}

TEST(FileJobs, savesInOrderAndReportsEach) {
    const TempFolder folder;
    FileJobs jobs;
    std::vector<std::string> errors;
    for (int i = 0; i < 6; ++i) {
        Snapshot snapshot = io_test::sample(50);
        snapshot.bodies.position[0].x = i;
        save(jobs, folder / "s.csv", std::move(snapshot), {.keepPrevious = true}, errors);
    }
    save(jobs, folder / "gone/s.csv", io_test::sample(2), {}, errors);
    save(jobs, folder / "s.xyz", io_test::sample(2), {}, errors);
    std::optional<LoadedStart> again, never;
    const auto open = [&](const std::filesystem::path& path, std::optional<LoadedStart>& into) {
        jobs.post({.work =
                       [&into, path] {
                           into = openStart(path.string(), {});
                           return std::string();
                       },
                   .done = [&](const FileOutcome& outcome) { errors.push_back(outcome.sentence); }});
    };
    open(folder / "s.csv", again);
    open(folder / "missing.csv", never);
    jobs.wait();
    EXPECT_TRUE(jobs.poll());
    ASSERT_EQ(errors.size(), 10u);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(errors[i], "");
    EXPECT_THAT(errors[6], HasSubstr("gone/s.csv"));
    EXPECT_THAT(errors[7], HasSubstr(".csv"));
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->request.start->state.bodies.position[0].x, 5);
    EXPECT_FALSE(never.has_value());
    EXPECT_THAT(errors[9], HasSubstr("missing.csv"));
    EXPECT_FALSE(jobs.poll());
    EXPECT_EQ(readSnapshot(folder / "s_prev.csv").bodies.position[0].x, 4);
}

TEST(FileJobs, theCallerGoesOnWhileTheDiskIsSlow) {
    const TempFolder folder;
    static std::atomic<bool> release;
    release = false;
    const FileCalls usual = fileCalls();
    static int (*sync)(int);
    sync = usual.sync;
    fileCalls().sync = [](int fd) {
        while (!release) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return sync(fd);
    };
    std::vector<std::string> errors;
    {
        FileJobs jobs;
        for (const char* name : {"s.csv", "a.csv", "b.csv", "c.csv", "d.csv"})
            save(jobs, folder / name, io_test::sample(10), {}, errors);
        EXPECT_TRUE(jobs.busy());
        EXPECT_FALSE(jobs.poll());
        EXPECT_GE(jobs.waiting(), 4u);
        release = true;
        jobs.wait();
        EXPECT_TRUE(jobs.poll());
        EXPECT_EQ(errors.size(), 5u);
        save(jobs, folder / "t.csv", io_test::sample(10), {}, errors);
        // Queued data is saved even when nothing waits for it.
    }
    EXPECT_TRUE(std::filesystem::exists(folder / "t.csv"));
    fileCalls() = usual;
}

/// A job that is not ready delays later ones. If its input never arrives, it fails and the others run.
TEST(FileJobs, theOrderStaysWhereAJobIsNotReady) {
    std::string said;
    bool ready = false;
    FileJobs jobs;
    const auto note = [&](const std::string& name) {
        return [&said, name](const FileOutcome& outcome) {
            said += name + (outcome.status == FileOutcome::Status::written ? " " : "! ");
        };
    };
    const auto nothing = [] { return std::string(); };
    jobs.post({.work = nothing, .done = note("first"), .ready = [&] { return ready; }});
    jobs.post({.work = nothing, .done = note("second")});
    jobs.post({.work = nothing, .done = note("looks"), .reads = true});
    EXPECT_FALSE(jobs.poll());
    EXPECT_TRUE(jobs.busy());
    ready = true;
    for (jobs.poll(); jobs.busy();) jobs.poll();
    jobs.poll();
    EXPECT_EQ(said, "first second looks ");
    said.clear();
    jobs.post({.work = nothing, .done = note("broken"), .ready = []() -> bool { throw IoError("no copy"); }});
    jobs.post({.work = nothing, .done = note("never"), .ready = [] { return false; }});
    jobs.post({.work = nothing, .done = note("looks"), .reads = true});
    jobs.post({.work = nothing, .done = note("last")});
    jobs.dropReads();
    jobs.wait();
    jobs.poll();
    EXPECT_EQ(said, "broken! never! last ");
}

TEST(StateFolder, isTheOneThatTheSystemNames) {
    const TempFolder folder;
    const EnvironmentVariable home("XDG_STATE_HOME", folder / "made/on/the/way");
    EXPECT_EQ(stateFolder(), folder / "made/on/the/way/gravlab");
    const auto mode = std::filesystem::status(stateFolder()).permissions();
    EXPECT_EQ(mode & std::filesystem::perms::others_all, std::filesystem::perms::none);
    EXPECT_EQ(mode & std::filesystem::perms::group_all, std::filesystem::perms::none);
    put(folder / "file", "x");
    const EnvironmentVariable bad("XDG_STATE_HOME", folder / "file");
    EXPECT_THROW(stateFolder(), IoError);
}

TEST(StateFolder, namesNeverLeaveItAndOldRunsStay) {
    const TempFolder folder;
    const EnvironmentVariable home("XDG_STATE_HOME", folder.path());
    for (const char* scene : {"../../etc/passwd", "a b/c", "", "\xff\n"}) {
        EXPECT_EQ(leftRunFile(scene).parent_path(), stateFolder()) << scene;
        EXPECT_EQ(leftRunFile(scene).extension(), ".hdf5");
    }
    for (int i = 0; i < 20; ++i) put(stateFolder() / ("run-x-" + std::to_string(i) + ".hdf5"), "x");
    leftRunFile("x");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(stateFolder()), {}), 20);
}

TEST(LeftRuns, stayUntilTheirBudgetIsUsed) {
    namespace fs = std::filesystem;
    const TempFolder folder;
    std::vector<fs::path> files;
    for (int i = 0; i < 20; ++i) {
        files.push_back(folder / ("run-" + std::to_string(i) + ".hdf5"));
        std::ofstream(files.back()) << std::string(1000, 'x');
        fs::last_write_time(files.back(), fs::file_time_type::clock::now() - std::chrono::hours(i));
    }
    keepWithin(20000, files);
    for (const fs::path& file : files) EXPECT_TRUE(fs::exists(file)) << file;
    keepWithin(5500, files);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(fs::exists(files[static_cast<std::size_t>(i)]), i < 5) << "the oldest go first";
    fs::resize_file(files[0], 9000);
    keepWithin(5500, files);
    for (int i = 0; i < 5; ++i)
        EXPECT_TRUE(fs::exists(files[static_cast<std::size_t>(i)])) << "a large newest drives none out";
    keepWithin(10, files);
    EXPECT_TRUE(fs::exists(files[0])) << "the newest is never taken away";
    EXPECT_FALSE(fs::exists(files[1]));
}

TEST(SessionLocks, tellACrashFromACleanEndAndFromTheLiving) {
    const TempFolder folder;
    const EnvironmentVariable home("XDG_STATE_HOME", folder.path());
    const auto workspace = [](bool clean) {
        const pid_t child = ::fork();
        if (child == 0) {
            SessionLock mark;
            put(mark.autosave(), "saved");
            if (clean) mark.remove();
            ::_exit(0);  // as a crash: no destructor
        }
        ::waitpid(child, nullptr, 0);
    };
    workspace(true);
    EXPECT_TRUE(crashedSessions().empty());
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(stateFolder()), {}), 0);
    SessionLock living;
    put(living.autosave(), "mine");
    workspace(false);
    const auto crashed = crashedSessions();
    ASSERT_EQ(crashed.size(), 1u);
    EXPECT_NE(crashed[0], living.autosave());
    EXPECT_EQ(contentOf(crashed[0]), "saved");
    forgetSession(crashed[0]);
    EXPECT_TRUE(crashedSessions().empty());
    EXPECT_TRUE(std::filesystem::exists(living.autosave()));
    forgetAutosave(living.autosave());
    const auto files = [] { return std::distance(std::filesystem::directory_iterator(stateFolder()), {}); };
    EXPECT_EQ(files(), 1) << "the mark of the living";
    forgetSession({});
    EXPECT_EQ(files(), 1);
}

TEST(NonFiniteMonitor, findsTheBodyWithinItsStepsAndKeepsTheGoodState) {
    Simulation simulation({.scene = "two-body", .backend = "reference", .timeStep = 1e152});
    NonFiniteMonitor guard;
    EXPECT_FALSE(guard.check(simulation, false));
    EXPECT_TRUE(guard.startIsGood());
    std::optional<NonFiniteState> blown;
    for (int i = 0; i < 1000 && !blown; ++i) {
        simulation.advance({.steps = guard.stepsLeft(simulation)}, nullptr);
        blown = guard.check(simulation, false);
    }
    ASSERT_TRUE(blown.has_value());
    EXPECT_EQ(blown->body, 0u);
    EXPECT_GT(guard.lastGood()->step(), 0);
    EXPECT_LE(blown->step - guard.lastGood()->step(), NonFiniteMonitor::kSteps);
    for (const Double4& p : guard.lastGood()->state.bodies.position) EXPECT_TRUE(std::isfinite(p.x + p.y + p.z));
}

/// Positions that single precision still holds, and whose squares it does not. Of very many bodies no state is kept.
void namesABodyThatIsTooFar(std::size_t mostKept) {
    for (const Precision precision : {Precision::fp32, Precision::fp64}) {
        RunRequest settings{.scene = "plummer", .bodies = 300, .backend = "cpu"};
        settings.precision = precision;
        settings.timeStep = 1e-3;
        Simulation simulation(settings);
        ASSERT_EQ(simulation.configuration().force.precision, precision);
        ParticleSet bodies = simulation.bodies();
        bodies.velocity[7].y = -2e21;
        simulation.load(bodies);
        NonFiniteMonitor guard(mostKept);
        std::optional<NonFiniteState> bad;
        for (int step = 0; step < 10 && !bad; ++step) {
            bad = guard.check(simulation, true);
            simulation.advance({.steps = 1}, nullptr);
        }
        EXPECT_EQ(bad.has_value(), precision == Precision::fp32);
        if (!bad) continue;
        EXPECT_EQ(bad->body, 7u);
        EXPECT_EQ(bad->step, 3);
        EXPECT_NEAR(bad->distance, 6e18, 1e17);
        EXPECT_THAT(bad->text(), testing::AllOf(HasSubstr("Body 7 "), HasSubstr("6e+18"), HasSubstr("fp64")));
        EXPECT_EQ(guard.lastGood() ? guard.lastGood()->step() : -1, mostKept > 0 ? 2 : -1);
        EXPECT_EQ(guard.stepsLeft(simulation), NonFiniteMonitor::kSteps - 2) << "after the last good step";
    }
}
TEST(NonFiniteMonitor, namesABodyThatIsTooFarForSinglePrecision) {
    for (const std::size_t mostKept : {NonFiniteMonitor::kMostKept, std::size_t{0}}) namesABodyThatIsTooFar(mostKept);
}

TEST(SpotCheck, soundsForWhatRoundingCannotExplain) {
    SpotCheck spot;
    const auto alarm = [&](double median, double worst, std::size_t nonFinite) {
        ForceCheck check{.samples = 10, .nonFinite = nonFinite, .median = median, .max = worst};
        return !spot.judge(check).empty();
    };
    EXPECT_FALSE(alarm(1e-7, 5e-5, 0)) << "forces that cancel";
    EXPECT_TRUE(alarm(1e-7, 0.5, 0)) << "one body is wrong";
    EXPECT_TRUE(alarm(1e-3, 2e-3, 0)) << "all are a little wrong";
    EXPECT_TRUE(alarm(1e-7, 1e-6, 1));
    EXPECT_TRUE(alarm(std::nan(""), std::nan(""), 0));
    EXPECT_EQ(spot.failures(), 4);
    EXPECT_EQ(spot.results(), 5);
    // Approximated far bodies: an allowed error is no alarm, an error that the check refuses is one.
    ForceCheck far{.samples = 10, .median = 3e-4, .max = 5e-3, .passed = true, .allowed = 1e-3};
    EXPECT_TRUE(spot.judge(far).empty());
    far.passed = false;
    EXPECT_FALSE(spot.judge(far).empty());
    far.median = 1e-2;
    EXPECT_FALSE(spot.judge(far).empty());
}

TEST(SpotCheck, goesOnBesideARunOfAnySceneAndLeavesTheFirstVerdict) {
    for (const Scene& row : sceneTable()) {
        RunRequest settings{.scene = std::string(row.name)};
        if (row.fixedBodies == 0) settings.bodies = 300;
        if (row.fixedBodies > 2000) continue;
        for (const char* backend : {"reference", "cpu"}) {
            settings.backend = backend;
            Simulation simulation(settings);
            SpotCheck spot(0);
            std::optional<ForceCheck> first;
            for (int i = 0; i < 12; ++i) {
                simulation.advance({.steps = 3}, nullptr);
                simulation.backend().wait();
                EXPECT_EQ(spot.update(simulation), "") << row.name << " " << backend << " step " << simulation.step();
                if (!first) first = simulation.forceCheck();
            }
            EXPECT_GE(spot.results(), 3) << row.name << " " << backend;
            ASSERT_TRUE(first.has_value()) << row.name;
            EXPECT_EQ(simulation.forceCheck()->max, first->max) << row.name;
        }
    }
}

TEST(SpotCheck, judgesEveryConfigurationThatWasCheckedSinceItLooked) {
    RunRequest settings{.scene = "plummer", .bodies = 300, .backend = "cpu"};
    Simulation simulation(settings);
    SpotCheck spot;
    for (const double softening : {0.01, 0.02, 0.04}) {
        settings.softening = softening;
        simulation.apply(settings);
        simulation.advance({.steps = 1}, nullptr);
        EXPECT_EQ(spot.settle(simulation), "");
    }
    EXPECT_EQ(spot.results(), 3);
}

TEST(NumberedName, takesOneNumberAndNothingElse) {
    EXPECT_EQ(numberedName("--x", "s_%05d.csv", 42), "s_00042.csv");
    EXPECT_EQ(numberedName("--x", "%d%%", 7), "7%");
    EXPECT_EQ(numberedName("--x", "%3d", 1234567), "1234567");
    EXPECT_EQ(numberedName("--x", "%04d", -5), "-0005");
    for (const char* bad : {"", "a", "%", "%%", "%d%d", "%s", "%n", "%5", "%-5d", "%.2d", "%ld", "%21d", "%99999999999d"})
        EXPECT_THROW(numberedName("--x", bad, 1), UsageError) << bad;
}

}  // namespace
}  // namespace gravlab
