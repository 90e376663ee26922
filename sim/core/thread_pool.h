// Persistent workers that divide numbered tasks. Rule: tasks start in ascending order and every started task is finished, so
// the finished tasks are always a prefix and the job can be resumed.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace gravlab {

/// When workers stop starting tasks. The default never comes.
using Deadline = std::chrono::steady_clock::time_point;
constexpr Deadline kNoDeadline = Deadline::max();

/// The time point that many seconds from now; no deadline where they exceed what a slice could need [s].
inline Deadline deadlineAfter(double seconds) {
    if (!(seconds < 1e9)) return kNoDeadline;
    return Deadline::clock::now() + std::chrono::duration_cast<Deadline::duration>(std::chrono::duration<double>(seconds));
}

/// Threads that live as long as the pool. A new thread per step gave no speed-up at all, because it stays on its parent's
/// core for the length of a step. The calling thread works too. One caller at a time.
class ThreadPool {
public:
    /// Starts `threads` - 1 workers; 0 means one thread for each core that this process may use. When the system refuses
    /// more threads, the pool works with those it has.
    explicit ThreadPool(int threads = 0);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    /// Threads that work on a job, the caller included.
    int threads() const { return static_cast<int>(workers_.size()) + 1; }

    /// Runs task(i) for i = begin, begin + 1, ... on all threads until `end` or the deadline; always at least one task.
    /// Returns the index at which to resume. Waits for every started task. Tasks must not throw.
    template <class Task>
    std::int64_t run(std::int64_t begin, std::int64_t end, Deadline deadline, Task&& task) {
        return runErased(begin, end, deadline, &callTask<std::remove_reference_t<Task>>, &task);
    }

    /// The same on the calling thread alone.
    template <class Task>
    static std::int64_t runHere(std::int64_t begin, std::int64_t end, Deadline deadline, Task&& task) {
        while (begin < end) {
            task(begin++);
            if (deadline != kNoDeadline && std::chrono::steady_clock::now() >= deadline) break;
        }
        return begin;
    }

    /// Cuts [0, count) into pieces of at most `grain` and runs range(first, last) on them, to the end.
    template <class RangeTask>
    void forRange(std::size_t count, std::size_t grain, RangeTask&& range) {
        const auto pieces = static_cast<std::int64_t>((count + grain - 1) / grain);
        run(0, pieces, kNoDeadline, [&](std::int64_t piece) {
            const std::size_t first = static_cast<std::size_t>(piece) * grain;
            range(first, first + grain < count ? first + grain : count);
        });
    }

private:
    using Call = void (*)(void* task, std::int64_t index);

    template <class Task>
    static void callTask(void* task, std::int64_t index) {
        (*static_cast<Task*>(task))(index);
    }

    std::int64_t runErased(std::int64_t begin, std::int64_t end, Deadline deadline, Call call, void* task);
    void work();
    void serve();

    // The job; written under mutex_ while no worker is active.
    Call call_ = nullptr;
    void* task_ = nullptr;
    std::int64_t end_ = 0;
    Deadline deadline_ = kNoDeadline;
    std::atomic<std::int64_t> next_{0};
    std::atomic<bool> expired_{false};

    std::mutex mutex_;
    std::condition_variable wake_, idle_;
    std::atomic<std::uint64_t> generation_{0};  // of the newest job; written under mutex_, polled without it
    std::atomic<int> active_{0};                // workers inside the job; written under mutex_, polled without it
    bool open_ = false;                         // workers may still join the job
    bool stop_ = false;
    bool spin_ = false;
    std::vector<std::thread> workers_;
};

/// Cores that this process may use: the scheduler's limit, not the machine's count.
int usableCores();

/// A plain parallel loop for work outside a step: building scenes, measuring. Results must not depend on how the range is
/// cut. Calls body(first, last) for pieces of [0, count) on up to `threads` threads (0 = all) of one pool for the whole
/// process. Blocks; rethrows an exception of a piece. Counts below `grain` run on the caller, and so does everything while
/// another caller uses the pool. Any thread.
void parallelFor(std::size_t count, int threads, std::size_t grain,
                 const std::function<void(std::size_t first, std::size_t last)>& body);

}  // namespace gravlab
