// Ranks of a job over a transport within this process: the bits of one process, and ranks that fail.
#include "sim/api/errors.h"
#include "sim/backends/cpu/backend_cpu.h"
#include "sim/backends/division.h"
#include "sim/backends/ranks/job.h"
#include "tests/divided_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace gravlab {
namespace {

using namespace testing_support;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// What is on its way between ranks, and what goes wrong.
struct Wires {
    explicit Wires(int count) : ranks(count) {}
    int ranks;
    std::mutex mutex;
    std::map<std::array<int, 3>, std::deque<std::vector<std::byte>>> between;  ///< from, to, channel
    std::atomic<int> silent{-1};                                               ///< that rank hears and says nothing
    std::atomic<bool> spoils{false};                                           ///< large pieces to rank 0 change by a bit
    std::atomic<int> aborted{0};                                               ///< code
};

class WireTransport final : public Transport {
public:
    WireTransport(Wires& wires, int rank) : wires_(wires), rank_(rank) {}
    int rank() const override { return rank_; }
    int ranks() const override { return wires_.ranks; }
    std::string name() const override { return "wires"; }
    int broadcast(std::span<std::byte> bytes) override {
        if (rank_ != 0) return receive(0, bytes);
        for (int to = 1; to < wires_.ranks; ++to) send(to, bytes);
        return ++newest_;
    }
    int send(int to, std::span<std::byte> bytes, int channel = 0) override {
        const std::lock_guard lock(wires_.mutex);
        if (rank_ != wires_.silent) {
            auto& sent = wires_.between[{rank_, to, channel}].emplace_back(bytes.begin(), bytes.end());
            if (to == 0 && wires_.spoils && bytes.size() > 1000) sent[999] ^= std::byte{4};
        }
        return ++newest_;
    }
    int receive(int from, std::span<std::byte> bytes, int channel = 0) override {
        awaited_[++newest_] = {{from, rank_, channel}, bytes};
        return newest_;
    }
    bool done(int operation) override {
        const auto found = awaited_.find(operation);
        if (found == awaited_.end()) return true;
        const std::lock_guard lock(wires_.mutex);
        auto& waiting = wires_.between[found->second.first];
        if (waiting.empty() || rank_ == wires_.silent) return false;
        EXPECT_EQ(waiting.front().size(), found->second.second.size());
        std::ranges::copy(waiting.front(), found->second.second.begin());
        waiting.pop_front();
        awaited_.erase(found);
        return true;
    }
    void abort(int code) override { wires_.aborted = code; }

private:
    Wires& wires_;
    int rank_, newest_ = 0;
    std::map<int, std::pair<std::array<int, 3>, std::span<std::byte>>> awaited_;
};

/// A job whose ranks are all in this process.
struct WiredJob {
    explicit WiredJob(int count, double patience = 10) : wires(count) {
        for (int rank = 0; rank < count; ++rank)
            ranks.push_back(std::make_unique<Job>([&, rank] { return std::make_unique<WireTransport>(wires, rank); },
                                                  rankOfCpu(), patience));
    }
    Wires wires;
    std::vector<std::unique_ptr<Job>> ranks;  ///< rank 0 ends first
    ~WiredJob() {
        for (auto& rank : ranks) rank->end(0);
    }
};

TEST(Ranks, haveTheBitsOfOneProcessAndOfThreads) {
    for (const std::size_t count : {1501u, 257u, 2u}) {
        const ParticleSet start = unevenBodies(count);
        for (const DividedCase& of : {DividedCase{"simd-threads"}, DividedCase{"simd-threads", Precision::mixed},
                                      DividedCase{"tree", Precision::fp32, "block-leapfrog"}, DividedCase{"tree-theta"}}) {
            ASSERT_FALSE(Job::current());
            const auto one = backend("cpu").make({.threads = 1}), threads = backend("cpu").make({.helpers = {0, 0}});
            const ParticleSet want = stepped(*one, of, start);
            EXPECT_TRUE(sameState(stepped(*threads, of, start), want));
            for (const int ranks : {2, 3, 4}) {
                SCOPED_TRACE(std::string(of.row) + ", " + std::to_string(ranks) + " ranks, " + std::to_string(count));
                WiredJob job(ranks);
                job.ranks[0]->start();
                const auto by = backend("cpu").make({.threads = 1});
                EXPECT_TRUE(sameState(stepped(*by, of, start), want));
                EXPECT_EQ(by->totals().interactions, one->totals().interactions);
                if (ranks == 3) {
                    EXPECT_TRUE(sameState(stepped(*by, of, start, 0), want)) << "in the smallest slices";
                    EXPECT_THAT(by->description(), HasSubstr("3 threads, 3 ranks"));
                    EXPECT_THAT(divisionSentence(*by, {}, integrator(of.integrator).program),
                                HasSubstr(count == 2 ? "3 ranks: the force stays on rank 0" : "3 ranks: each force"));
                    EXPECT_TRUE(sameState(stepped(*backend("cpu").make({.helpers = {0}}), of, start), want))
                        << "two parts of rank 0 beside two ranks";
                }
            }
        }
    }
}

TEST(Ranks, areGreetedAndEndedByRankZero) {
    WiredJob job(3);
    job.ranks[0]->start();
    EXPECT_THAT(job.ranks[0]->greeting(),
                AllOf(HasSubstr("3 ranks on 1 host, "), HasSubstr("by wires; 1 MiB went to every rank and back in "),
                      Not(HasSubstr("another processor"))));
    EXPECT_EQ(job.ranks[0]->end(7), 7);
    EXPECT_EQ(job.ranks[1]->end(1), 0) << "the exit code is rank 0's alone";
    EXPECT_EQ(job.wires.aborted, 0);
}

TEST(Ranks, transferBytesBesideTheirMessagesInTheOrderOfEachChannel) {
    WiredJob job(2);
    job.ranks[0]->start();
    std::array<std::byte, 3> sent{std::byte{1}, std::byte{2}, std::byte{3}}, got{};
    std::atomic<int> prepared = 0;
    std::vector<Transfers::Done> done;
    const auto transfer = [&](int rank, std::byte& at, int channel) {
        done.push_back(job.ranks[rank]->transfer(rank == 1, 1 - rank, channel, {&at, 1}, [&] { ++prepared; }));
    };
    transfer(0, got[2], 7);  // before the others, which come first
    transfer(1, sent[0], 5);
    transfer(1, sent[1], 5);
    transfer(0, got[0], 5);
    transfer(0, got[1], 5);
    EXPECT_FALSE(*done[0]);
    transfer(1, sent[2], 7);
    for (const Transfers::Done& one : done)
        while (!*one) std::this_thread::yield();
    EXPECT_EQ(got, sent);
    EXPECT_EQ(prepared, 6);
    EXPECT_FALSE(job.ranks[0]->takesDevices());
}

TEST(Ranks, thatSendOtherBytesAreNamedAtTheStart) {
    WiredJob job(2, 0.3);
    job.wires.spoils = true;
    try {
        job.ranks[0]->start();
        ADD_FAILURE() << "a wrong byte was not seen";
    } catch (const DeviceError& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr("rank 1 on "), HasSubstr("data came back changed")));
    }
    EXPECT_FALSE(Job::current());
    job.ranks[0]->end(5);
    EXPECT_EQ(job.wires.aborted, 5) << "no rank waits for ever";
    job.wires.silent = 1;  // as a killed one
}

TEST(Ranks, thatFallSilentAreNamed) {
    WiredJob job(2, 0.5);
    job.ranks[0]->start();
    const auto by = backend("cpu").make({.threads = 1});
    const ParticleSet start = unevenBodies(900);
    stepped(*by, {"simd-threads"}, start);
    const ParticleSet before = stateOf(*by);
    job.wires.silent = 1;
    try {
        advanceBy(*by, usualIntegrator().program, 0.01, 1);
        ADD_FAILURE() << "a silent rank was not seen";
    } catch (const DeviceError& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr("rank 1 on "), HasSubstr("no sign of life for 0.5 s")));
    }
    EXPECT_TRUE(sameState(stateOf(*by), before)) << "the last complete step is whole";
    job.ranks[0]->end(5);
    EXPECT_EQ(job.wires.aborted, 5);
}

TEST(Ranks, withoutTheInstructionSetAreNamed) {
    Wires wires(2);
    RankSelf other = rankOfCpu();
    other.processor = "a slow one";
    other.helper = [](std::size_t, int, int, MessageReader, Transfers&) -> std::unique_ptr<Helper> {
        throw UsageError("no AVX9 here");
    };
    Job first([&] { return std::make_unique<WireTransport>(wires, 0); }, rankOfCpu());
    Job second([&] { return std::make_unique<WireTransport>(wires, 1); }, other);
    first.start();
    EXPECT_THAT(first.greeting(), HasSubstr("has another processor (a slow one)"));
    const auto by = backend("cpu").make({.threads = 1});
    try {
        stepped(*by, {"simd-threads"}, unevenBodies(900));
        ADD_FAILURE() << "the fault of a rank was not seen";
    } catch (const DeviceError& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr("rank 1 on "), HasSubstr("no AVX9 here")));
    }
    first.end(0);
}

}  // namespace
}  // namespace gravlab
