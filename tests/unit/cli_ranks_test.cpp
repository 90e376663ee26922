// The program under mpirun: one run on several processes, spoken for by rank 0.
#include "cli_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/io/snapshot.h"
#include "tests/paths.h"

namespace gravlab {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// One thread per rank, any number of ranks per core, and also for root.
const Start kJob{.environment = {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"}, .program = "/usr/bin/env"};

std::vector<std::string> onRanks(int ranks, std::vector<std::string> words) {
    std::vector<std::string> all{"mpirun", "--oversubscribe",     "--bind-to",   "none",
                                 "-n",     std::to_string(ranks), GRAVLAB_BINARY};
    all.insert(all.end(), words.begin(), words.end());
    return all;
}

bool hasMpirun() {
    return fs::exists(fs::path(GRAVLAB_BINARY).parent_path() / "libgravlab_mpi.so") &&
           runGravlab({"sh", "-c", "command -v mpirun"}, kJob).code == 0;
}

class CliRanks : public testing::Test {
    void SetUp() override {
        if (!hasMpirun()) GTEST_SKIP() << "SKIPPED: no mpirun, or a build without MPI, so ranks are not tested";
    }
};

void waitForStep(const StartedProgram& program) {
    for (int i = 0; i < 1000 && program.errorsSoFar().find("each force") == std::string::npos; ++i) ::usleep(10000);
    ::usleep(200000);
}

TEST_F(CliRanks, giveTheStateOfOneProcess) {
    const std::vector<std::string> run{"run",     "plummer", "-n",         "1501", "--kernel", "tree", "--threads", "1",
                                       "--steps", "4",       "--autosave", "0",    "--final",  "-",    "--backend", "cpu"};
    const Outcome one = runGravlab(run);
    for (const int ranks : {2, 4}) {
        const Outcome o = runGravlab(onRanks(ranks, run), kJob);
        EXPECT_EQ(o.code, 0) << o.err;
        EXPECT_EQ(o.out, one.out);
        const std::string count = std::to_string(ranks) + " ranks";
        EXPECT_THAT(o.err, AllOf(HasSubstr("gravlab: " + count + " on 1 host"), HasSubstr("1 MiB went to every rank"),
                                 HasSubstr("gravlab: " + count + ": each force")));
        EXPECT_EQ(o.err.find("plummer, 1,501"), o.err.rfind("plummer, 1,501")) << "rank 0 alone speaks: " << o.err;
    }
}

TEST_F(CliRanks, endWithTheSentenceAndCodeOfRankZero) {
    const Outcome o = runGravlab(onRanks(2, {"run", "no-such-scene"}), kJob);
    EXPECT_EQ(o.code, 2);
    EXPECT_EQ(o.err.find("unknown scene"), o.err.rfind("unknown scene")) << o.err;
}

TEST_F(CliRanks, saveTheirStateWhenTheyEndEarly) {
    if (!hasHdf5()) GTEST_SKIP() << "this build has no HDF5";
    const ScratchFolder folder;
    const std::string kept = folder / "kept.hdf5", scene = "1000";
    for (const bool killed : {false, true}) {
        StartedProgram job(onRanks(3, {"run", "plummer", "-n", scene, "--kernel", "simd-threads", "--backend", "cpu",
                                       "--threads", "1", "--steps", "1000000000", "--checkpoint", kept}),
                           kJob);
        waitForStep(job);
        // env became mpirun, whose children are the ranks.
        const std::string process = std::to_string(job.id());
        std::istringstream children(contentOf("/proc/" + process + "/task/" + process + "/children"));
        std::vector<pid_t> ranks;
        for (pid_t rank = 0; children >> rank;) ranks.push_back(rank);
        ASSERT_EQ(ranks.size(), 3u);
        if (killed)
            ::kill(ranks.back(), SIGKILL);
        else
            job.send(SIGTERM);
        const Outcome o = job.wait();
        EXPECT_NE(o.code, 0);
        EXPECT_THAT(o.err, HasSubstr("terminated; the state of step "));
        EXPECT_EQ(o.err.find("process rank 2") != std::string::npos, killed) << o.err;
        if (!killed) continue;
        const std::string steps = std::to_string(*readSnapshot(kept).step + 2);
        const std::vector<std::string> as{"--kernel", "simd-threads", "--backend", "cpu", "--autosave", "0", "--final", "-"};
        std::vector<std::string> whole{"run", "plummer", "-n", scene, "--steps", steps}, rest{"run", kept, "--steps", "2"};
        whole.insert(whole.end(), as.begin(), as.end());
        rest.insert(rest.end(), as.begin(), as.end());
        EXPECT_EQ(runGravlab(whole).out, runGravlab(rest).out);
    }
}

TEST(CliRanksWithoutMpi, areRefused) {
    // Beside that program is no library.
    const Outcome o =
        runGravlab({"run", "two-body", "--steps", "2"},
                   {.environment = {"OMPI_COMM_WORLD_SIZE=2", "OMPI_COMM_WORLD_RANK=0"}, .program = GRAVLAB_EXTENDED});
    EXPECT_EQ(o.code, 4);
    EXPECT_THAT(o.err, AllOf(HasSubstr("one of 2 processes"), HasSubstr("this build has no MPI")));
    EXPECT_EQ(runGravlab({"run", "two-body", "--steps", "2", "--autosave", "0"},
                         {.environment = {"OMPI_COMM_WORLD_SIZE=1"}, .program = GRAVLAB_EXTENDED})
                  .code,
              0);
}

TEST_F(CliRanks, areBehindTheWindowOfRankZero) {
    if (!std::getenv("DISPLAY")) GTEST_SKIP() << "SKIPPED: no display";
    const ScratchFolder folder;
    Start start = kJob;
    start.display = true;
    const std::string picture = folder / "seen.png";
    const Outcome o = runGravlab(onRanks(2, {"view", "plummer", "-n", "2000", "--kernel", "simd-threads", "--backend", "cpu",
                                             "--frames", "3", "--size", "160x120", "--screenshot", picture}),
                                 start);
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(o.err, HasSubstr("2 ranks on 1 host"));
    EXPECT_TRUE(fs::exists(picture));
}

}  // namespace
}  // namespace gravlab
