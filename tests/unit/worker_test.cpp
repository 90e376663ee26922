// Work beside the frames: order, the newest request wins, failures are passed on, and nothing is left behind.
#include "app/system/worker.h"
#include "app/files/file_jobs.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace gravlab {
namespace {

/// Threads of this process.
std::ptrdiff_t threads() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator{});
}

/// Whether there are that many threads, once the system has removed a joined one.
bool become(std::ptrdiff_t wanted) {
    for (int tries = 0; tries < 5000 && threads() != wanted; ++tries)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return threads() == wanted;
}

/// Blocks work until it is opened.
class Gate {
public:
    void open() {
        open_ = true;
        open_.notify_all();
    }
    void pass() {
        reached_ = true;
        reached_.notify_all();
        open_.wait(false);
    }
    void reach() const { reached_.wait(false); }

private:
    std::atomic<bool> open_{false}, reached_{false};
};

TEST(Worker, worksOffAllInTurn) {
    std::vector<int> found;
    Worker<int, int> worker([](int asked, auto&) { return asked * asked; }, QueuePolicy::fifo, 3);
    for (int i = 0; i < 100; ++i) worker.ask(i);
    worker.wait();
    EXPECT_FALSE(worker.busy());
    while (const std::optional<int> result = worker.poll()) found.push_back(*result);
    ASSERT_EQ(found.size(), 100u);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(found[static_cast<std::size_t>(i)], i * i);
}

TEST(Worker, boundsWhatWaits) {
    Gate gate;
    std::atomic<int> asked{0};
    Worker<int, int> worker(
        [&](int i, auto&) {
            gate.pass();
            return i;
        },
        QueuePolicy::fifo, 2);
    std::jthread other([&] {
        for (int i = 0; i < 10; ++i) {
            worker.ask(i);
            ++asked;
        }
    });
    gate.reach();
    while (asked < 3) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(asked, 3) << "one under way and two that wait; the fourth must wait to be taken";
    EXPECT_EQ(worker.waiting(), 2u);
    gate.open();
    other.join();
    worker.wait();
    int results = 0;
    while (worker.poll()) ++results;
    EXPECT_EQ(results, 10);
}

TEST(Worker, theNewestRequestWins) {
    Gate gate;
    std::atomic<bool> noticed{false};
    Worker<int, int> worker([&](int asked, auto& task) {
        if (asked == 1) {
            task.report(-1);
            gate.pass();
            noticed = task.dropped();
            task.report(-2);
        }
        return asked;
    });
    worker.ask(1);
    gate.reach();
    EXPECT_EQ(worker.poll(), -1) << "a result so far can be taken";
    worker.ask(2);
    worker.ask(3);
    gate.open();
    worker.wait();
    EXPECT_TRUE(noticed);
    EXPECT_EQ(worker.poll(), 3);
    EXPECT_EQ(worker.poll(), std::nullopt);
}

TEST(Worker, whatIsDroppedNeverComes) {
    Gate gate;
    Worker<int, int> worker([&](int asked, auto&) {
        gate.pass();
        return asked;
    });
    worker.ask(1);
    gate.reach();
    EXPECT_TRUE(worker.busy());
    worker.drop();
    EXPECT_FALSE(worker.busy());
    gate.open();
    worker.ask(2);
    worker.wait();
    EXPECT_EQ(worker.poll(), 2);
    worker.ask(3);
    worker.wait();
    worker.drop();
    EXPECT_EQ(worker.poll(), std::nullopt) << "also when it had come";
}

TEST(Worker, aFailureIsThrownToWhoAskedAndTheNextRequestIsWorkedAt) {
    Worker<int, int> worker(
        [](int asked, auto&) {
            if (asked == 1) throw std::runtime_error("one");
            return asked;
        },
        QueuePolicy::fifo);
    worker.ask(1);
    worker.ask(2);
    worker.wait();
    try {
        worker.poll();
        FAIL() << "the failure was lost";
    } catch (const std::runtime_error& error) {
        EXPECT_EQ(error.what(), std::string("one"));
    }
    EXPECT_EQ(worker.poll(), 2);
}

TEST(Worker, waitsForAtMostSoLong) {
    Gate gate;
    Worker<int, int> worker([&](int asked, auto&) {
        gate.pass();
        return asked;
    });
    EXPECT_TRUE(worker.wait(0)) << "nothing was asked";
    worker.ask(1);
    EXPECT_FALSE(worker.wait(1e-3));
    gate.open();
    EXPECT_TRUE(worker.wait(60));
}

TEST(Worker, goesWithoutWhatWaitsOrAfterItAndLeavesNoThread) {
    const std::ptrdiff_t before = threads();
    for (const QueuePolicy asking : {QueuePolicy::cancelEarlier, QueuePolicy::fifo}) {
        Gate gate;
        std::atomic<int> worked{0};
        std::atomic<bool> noticed{false};
        auto worker = std::make_unique<Worker<int, int>>(
            [&](int asked, auto& task) {
                gate.pass();
                noticed = task.dropped();
                ++worked;
                return asked;
            },
            asking);
        EXPECT_TRUE(become(before)) << "no thread before the first request";
        worker->ask(1);
        gate.reach();
        EXPECT_EQ(threads(), before + 1);
        if (asking == QueuePolicy::fifo)
            for (int i = 0; i < 5; ++i) worker->ask(i);
        std::jthread opens([&] {
            // While the worker is being destroyed, as far as a test can arrange it.
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            gate.open();
        });
        worker.reset();
        opens.join();
        EXPECT_TRUE(become(before));
        EXPECT_EQ(worked, asking == QueuePolicy::cancelEarlier ? 1 : 6);
        EXPECT_EQ(noticed, asking == QueuePolicy::cancelEarlier);
    }
}

/// Signals are for the thread that runs steps or frames: a worker must not be interrupted in a write.
TEST(Worker, getsNoSignals) {
    Worker<int, bool> worker([](int asked, auto&) {
        sigset_t blocked;
        pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
        return sigismember(&blocked, asked) == 1;
    });
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        worker.ask(signal);
        worker.wait();
        EXPECT_EQ(worker.poll(), true) << signal;
    }
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    EXPECT_FALSE(sigismember(&blocked, SIGINT)) << "and the thread that asked gets them as before";
}

/// A request holds a copy of bodies: the copy is released before the result appears.
TEST(Worker, letsGoOfARequestBeforeItIsDone) {
    const auto held = std::make_shared<int>(1);
    Worker<std::shared_ptr<int>, int> worker([](const std::shared_ptr<int>& asked, auto&) { return *asked; });
    worker.ask(held);
    worker.wait();
    EXPECT_EQ(held.use_count(), 1);
}

/// A window that ends does not wait for sums over all pairs, because their result is no longer needed.
TEST(Worker, workDeepDownSeesThatItWasDropped) {
    Gate begun;
    begun.open();
    std::atomic<bool> wanted{true};
    {
        Worker<int, int> worker([&](int, auto&) {
            begun.pass();
            while (!WorkWatch::dropped()) std::this_thread::yield();  // would loop for ever without the drop
            wanted = false;
            return 0;
        });
        worker.ask(1);
        begun.reach();
        EXPECT_TRUE(wanted);
    }
    EXPECT_FALSE(wanted);
    EXPECT_FALSE(WorkWatch::dropped()) << "a thread without a worker";
}

/// A frame posts its files and continues, however slow a disk is.
TEST(FileJobs, neitherPostNorPollWaits) {
    Gate disk;
    std::vector<std::string> said;
    const auto note = [&](const FileOutcome& outcome) {
        said.push_back((outcome.status == FileOutcome::Status::written   ? ""
                        : outcome.status == FileOutcome::Status::refused ? "? "
                                                                         : "! ") +
                       outcome.sentence);
    };
    FileJobs jobs;
    jobs.post({[&] {
                   disk.pass();
                   return std::string("first");
               },
               note});
    jobs.post({[]() -> std::string { throw std::runtime_error("full"); }, note});
    jobs.post({[]() -> std::string { throw UsageError("no such ending"); }, note});
    jobs.post({[]() -> std::string { throw std::bad_alloc(); }, note});
    jobs.post({[]() -> std::string { throw InputError("no numbers"); }, note});
    jobs.post({[]() -> std::string { throw IoError("unreadable"); }, note});
    disk.reach();
    EXPECT_FALSE(jobs.poll());
    EXPECT_TRUE(jobs.busy());
    disk.open();
    jobs.wait();
    EXPECT_TRUE(said.empty()) << "it is heard of where poll() is called";
    EXPECT_TRUE(jobs.poll());
    ASSERT_EQ(said.size(), 6u);
    EXPECT_EQ(said[0], "first");
    EXPECT_EQ(said[1], "! full");
    EXPECT_EQ(said[2], "? no such ending");
    EXPECT_TRUE(said[3].starts_with("! There is not enough memory")) << said[3];
    EXPECT_EQ(said[4], "? no numbers");
    EXPECT_EQ(said[5], "! unreadable");
    EXPECT_FALSE(jobs.poll());
}

TEST(FileJobs, whatIsPostedIsWrittenAlsoWhenTheyGo) {
    std::atomic<int> written{0};
    testing::internal::CaptureStderr();
    {
        FileJobs jobs;
        for (int i = 0; i < 20; ++i)
            jobs.post({[&] {
                ++written;
                return std::string();
            }});
        jobs.post({[]() -> std::string { throw std::runtime_error("no room for a.csv"); }});
    }
    EXPECT_EQ(written, 20);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "gravlab: no room for a.csv\n");
}

}  // namespace
}  // namespace gravlab
