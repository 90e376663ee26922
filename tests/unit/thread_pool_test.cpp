// The thread pool: every task once, in order, and the completed tasks are always a prefix.
#include "sim/core/thread_pool.h"
#include "sim/core/team.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

namespace gravlab {
namespace {

constexpr int kThreadCounts[] = {1, 2, 3, 7};

TEST(ThreadPool, runsEveryTaskOnce) {
    for (const int threads : kThreadCounts) {
        ThreadPool pool(threads);
        EXPECT_EQ(pool.threads(), threads);
        for (const std::int64_t count : {0, 1, 2, 5, 1000}) {
            std::vector<std::atomic<int>> hits(static_cast<std::size_t>(count));
            const std::int64_t next =
                pool.run(0, count, kNoDeadline, [&](std::int64_t i) { ++hits[static_cast<std::size_t>(i)]; });
            EXPECT_EQ(next, count);
            for (const std::atomic<int>& hit : hits) EXPECT_EQ(hit, 1);
        }
    }
}

TEST(ThreadPool, aDeadlineLeavesAPrefixThatCanBeResumed) {
    for (const int threads : kThreadCounts) {
        ThreadPool pool(threads);
        std::vector<std::atomic<int>> hits(100);
        std::int64_t next = 0;
        int runs = 0;
        while (next < 100) {
            const std::int64_t before = next;
            next = pool.run(next, 100, Deadline::clock::now(), [&](std::int64_t i) { ++hits[static_cast<std::size_t>(i)]; });
            ++runs;
            ASSERT_GT(next, before) << "a run without progress would never end";
            for (std::size_t i = 0; i < 100; ++i) ASSERT_EQ(hits[i], static_cast<std::int64_t>(i) < next ? 1 : 0);
        }
        EXPECT_GT(runs, 5) << "the deadline stopped nothing";
    }
}

TEST(ThreadPool, resultsAreVisibleToTheCaller) {
    ThreadPool pool(3);
    std::vector<double> values(4096);
    for (int round = 0; round < 300; ++round) {
        pool.forRange(values.size(), 64, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) values[i] += 1;
        });
    }
    EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0.0), 4096.0 * 300);
}

TEST(ThreadPool, forRangeCoversOddCounts) {
    ThreadPool pool(2);
    for (const std::size_t count : {0, 1, 63, 64, 65, 1000}) {
        std::vector<int> hits(count);
        pool.forRange(count, 64, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) ++hits[i];
        });
        for (const int hit : hits) EXPECT_EQ(hit, 1);
    }
}

TEST(ThreadPool, comesAndGoesWithoutWork) {
    for (int i = 0; i < 20; ++i) ThreadPool pool(4);
    EXPECT_GE(usableCores(), 1);
    EXPECT_EQ(ThreadPool(0).threads(), usableCores());
}

TEST(ParallelFor, coversEveryIndexOnceOnAnyNumberOfThreads) {
    for (const int threads : {0, 1, 2, 7})
        for (const std::size_t count : {0, 1, 63, 64, 1000}) {
            std::vector<std::atomic<int>> hits(count);
            parallelFor(count, threads, 8, [&](std::size_t first, std::size_t last) {
                for (std::size_t i = first; i < last; ++i) ++hits[i];
            });
            for (const std::atomic<int>& hit : hits) EXPECT_EQ(hit, 1);
        }
}

TEST(ParallelFor, passesOnWhatAPieceThrowsAndGoesOnAfterwards) {
    const auto work = [](bool fails) {
        parallelFor(1000, 4, 1, [&](std::size_t first, std::size_t) {
            if (fails && first > 0) throw std::runtime_error("a piece");
        });
    };
    EXPECT_THROW(work(true), std::runtime_error);
    EXPECT_NO_THROW(work(false));
}

TEST(ParallelFor, worksInsideItselfAndForManyCallersAtOnce) {
    std::atomic<int> hits{0};
    const auto nested = [&] {
        parallelFor(40, 4, 1, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i)
                parallelFor(25, 4, 1, [&](std::size_t a, std::size_t b) { hits += static_cast<int>(b - a); });
        });
    };
    {
        std::vector<std::jthread> callers;
        for (int k = 0; k < 4; ++k) callers.emplace_back(nested);
    }
    EXPECT_EQ(hits, 4 * 40 * 25);
}

TEST(Team, runsEveryPieceOfManyLoopsOnceAndPassesExceptionsOn) {
    for (const int threads : kThreadCounts) {
        std::vector<std::atomic<int>> hits(1000);
        int loops = 0;
        Team::gather(threads, [&](Team& team) {
            EXPECT_EQ(team.threads(), threads);
            for (; loops < 50; ++loops) {
                const std::size_t pieces = loops % 3 == 0 ? 1 : 40;
                team.forPieces(pieces, [&](std::size_t piece) { ++hits[piece]; });
                team.forRange(hits.size(), 100, [&](std::size_t first, std::size_t last) {
                    for (std::size_t k = first; k < last; ++k) ++hits[k];
                });
            }
            EXPECT_THROW(team.forPieces(8,
                                        [](std::size_t piece) {
                                            if (piece == 5) throw std::runtime_error("5");
                                        }),
                         std::runtime_error);
            team.forPieces(8, [&](std::size_t piece) { ++hits[piece]; });
        });
        EXPECT_EQ(loops, 50);
        for (std::size_t k = 0; k < hits.size(); ++k)
            EXPECT_EQ(hits[k], 50 + (k < 8) + (k == 0 ? 50 : k < 40 ? 33 : 0)) << k;
        EXPECT_THROW(Team::gather(threads, [](Team&) { throw std::runtime_error("lead"); }), std::runtime_error);
    }
}

}  // namespace
}  // namespace gravlab
