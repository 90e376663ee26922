// Threads that wait for many short loops. Rule: a loop never waits for a thread that has not come.
#pragma once
#include "sim/core/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace gravlab {

/// A loop of a pool wakes its threads, which takes longer than a short loop. Those of a team wait awake from one loop to the
/// next. Loops are run by the leading thread, which works too.
class Team {
public:
    /// Calls lead(team) on this thread; up to `threads` threads help it (0: all). Blocks; rethrows an exception of a loop.
    template <class Lead>
    static void gather(int threads, const Lead& lead) {
        Team team(threads > 0 ? threads : usableCores());
        parallelFor(static_cast<std::size_t>(team.threads_), team.threads_, 1, [&](std::size_t first, std::size_t last) {
            for (std::size_t which = first; which < last; ++which) {
                if (which > 0) {
                    team.help();
                    continue;
                }
                const Dismissal dismissal{team};
                lead(team);
            }
        });
    }

    int threads() const { return threads_; }
    /// Calls body(piece) for 0 to `pieces` - 1, in any order.
    template <class Body>
    void forPieces(std::size_t pieces, const Body& body) {
        if (pieces <= 1 || threads_ == 1) {
            for (std::size_t piece = 0; piece < pieces; ++piece) body(piece);
            return;
        }
        call_ = [](const void* task, std::size_t piece) { (*static_cast<const Body*>(task))(piece); };
        task_ = &body;
        done_.store(0, std::memory_order_relaxed);
        const std::uint64_t loop = (left_.load(std::memory_order_relaxed) >> kBits) + 1;
        left_.store(loop << kBits | pieces, std::memory_order_release);
        while (work()) {
        }
        for (int waited = 0; done_.load(std::memory_order_acquire) < pieces; ++waited) rest(waited);
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    }
    /// Calls body(first, last) for pieces of [0, count) of at least `grain`.
    template <class Body>
    void forRange(std::size_t count, std::size_t grain, const Body& body) {
        constexpr std::size_t kPiecesEach = 4;
        const std::size_t pieces =
            std::clamp<std::size_t>(count / grain, 1, kPiecesEach * static_cast<std::size_t>(threads_));
        forPieces(pieces, [&](std::size_t piece) { body(count * piece / pieces, count * (piece + 1) / pieces); });
    }

private:
    struct Dismissal {
        Team& team;
        ~Dismissal() { team.dismissed_.store(true, std::memory_order_release); }
    };
    static constexpr int kBits = 32;  // of the pieces that are left; the number of the loop is above them

    explicit Team(int threads) : threads_(threads) {}
    static void rest(int waited) {
        constexpr int kAwake = 50;  // about 2 microseconds; others may need the core
        if (waited > kAwake) return std::this_thread::yield();
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
    }
    void help() {
        for (int waited = 0; !dismissed_.load(std::memory_order_acquire); ++waited) {
            if (work())
                waited = 0;
            else
                rest(waited);
        }
    }
    /// Takes one piece; false: none is left.
    bool work() {
        std::uint64_t left = left_.load(std::memory_order_acquire);
        do {
            if ((left & ((std::uint64_t{1} << kBits) - 1)) == 0) return false;
        } while (!left_.compare_exchange_weak(left, left - 1, std::memory_order_acq_rel));
        // The loop waits for this piece, so its task stays.
        try {
            call_(task_, static_cast<std::size_t>(left & ((std::uint64_t{1} << kBits) - 1)) - 1);
        } catch (...) {
            const std::lock_guard lock(failing_);
            failure_ = std::current_exception();
        }
        done_.fetch_add(1, std::memory_order_release);
        return true;
    }

    const int threads_;
    void (*call_)(const void* task, std::size_t piece) = nullptr;
    const void* task_ = nullptr;
    std::mutex failing_;
    std::exception_ptr failure_;
    alignas(64) std::atomic<std::uint64_t> left_ = 0;
    alignas(64) std::atomic<std::size_t> done_ = 0;
    alignas(64) std::atomic<bool> dismissed_ = false;
};

}  // namespace gravlab
