#include "sim/core/thread_pool.h"

#include <algorithm>
#include <exception>
#include <system_error>
#if defined(__linux__)
#include <sched.h>
#endif

namespace gravlab {
namespace {

// About 20 microseconds: longer than the gap between two forces of a small system, shorter than the pause between frames. So
// workers respond at once inside a step and sleep between frames.
constexpr int kSpins = 400;

void pauseBriefly() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    std::this_thread::yield();
#endif
}

}  // namespace

int usableCores() {
#if defined(__linux__)
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return CPU_COUNT(&set);
#endif
    const unsigned cores = std::thread::hardware_concurrency();
    return cores ? static_cast<int>(cores) : 1;
}

ThreadPool::ThreadPool(int threads) {
    const int cores = usableCores();
    if (threads <= 0) threads = cores;
    spin_ = threads <= cores;  // with more threads than cores, a spinning thread would delay a working one
    for (int i = 1; i < threads; ++i) {
        try {
            workers_.emplace_back([this] { serve(); });
        } catch (const std::system_error&) {
            break;
        }
    }
}

ThreadPool::~ThreadPool() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
        generation_.fetch_add(1, std::memory_order_relaxed);
    }
    wake_.notify_all();
    for (std::thread& worker : workers_) worker.join();
}

std::int64_t ThreadPool::runErased(std::int64_t begin, std::int64_t end, Deadline deadline, Call call, void* task) {
    if (begin >= end) return begin;
    if (workers_.empty() || end - begin == 1)
        return runHere(begin, end, deadline, [&](std::int64_t index) { call(task, index); });
    {
        const std::lock_guard lock(mutex_);
        call_ = call;
        task_ = task;
        end_ = end;
        deadline_ = deadline;
        next_.store(begin + 1, std::memory_order_relaxed);
        expired_.store(false, std::memory_order_relaxed);
        open_ = true;
        generation_.fetch_add(1, std::memory_order_release);
    }
    wake_.notify_all();
    call(task, begin);  // the first task is not subject to the deadline: every run makes progress
    work();
    // A worker that has not woken by now finds the job closed and sleeps again; no thread waits for it.
    std::unique_lock lock(mutex_);
    open_ = false;
    if (spin_ && active_.load(std::memory_order_relaxed) > 0) {
        lock.unlock();
        for (int i = 0; i < kSpins && active_.load(std::memory_order_acquire) > 0; ++i) pauseBriefly();
        lock.lock();
    }
    idle_.wait(lock, [this] { return active_.load(std::memory_order_relaxed) == 0; });
    const std::int64_t next = next_.load(std::memory_order_relaxed);
    return next < end ? next : end;
}

void ThreadPool::work() {
    while (!expired_.load(std::memory_order_relaxed)) {
        if (deadline_ != kNoDeadline && std::chrono::steady_clock::now() >= deadline_) {
            expired_.store(true, std::memory_order_relaxed);
            return;
        }
        const std::int64_t index = next_.fetch_add(1, std::memory_order_relaxed);
        if (index >= end_) return;
        call_(task_, index);
    }
}

void ThreadPool::serve() {
    std::uint64_t seen = 0;
    for (;;) {
        if (spin_)
            for (int i = 0; i < kSpins && generation_.load(std::memory_order_acquire) == seen; ++i) pauseBriefly();
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [&] { return stop_ || (open_ && generation_.load(std::memory_order_relaxed) != seen); });
            if (stop_) return;
            seen = generation_.load(std::memory_order_relaxed);
            active_.fetch_add(1, std::memory_order_relaxed);
        }
        work();
        {
            const std::lock_guard lock(mutex_);
            active_.fetch_sub(1, std::memory_order_release);
        }
        idle_.notify_one();
    }
}

void parallelFor(std::size_t count, int threads, std::size_t grain,
                 const std::function<void(std::size_t first, std::size_t last)>& body) {
    // Several pieces per thread where all may work: a thread with slow bodies then does fewer pieces.
    constexpr std::size_t kPiecesEach = 8;
    const std::size_t wanted =
        threads > 0 ? static_cast<std::size_t>(threads) : kPiecesEach * static_cast<std::size_t>(usableCores());
    const std::size_t pieces = std::max<std::size_t>(1, std::min(wanted, count / std::max<std::size_t>(1, grain)));
    static std::mutex inUse;
    static thread_local bool within = false;  // a piece of such a loop runs on this thread
    std::unique_lock<std::mutex> turn;
    if (pieces > 1 && !within) turn = std::unique_lock(inUse, std::try_to_lock);
    if (!turn) {
        if (count > 0) body(0, count);
        return;
    }
    static ThreadPool pool;
    std::vector<std::exception_ptr> failures(pieces);
    pool.run(0, static_cast<std::int64_t>(pieces), kNoDeadline, [&](std::int64_t index) {
        const auto k = static_cast<std::size_t>(index);
        within = true;
        try {
            body(count * k / pieces, count * (k + 1) / pieces);
        } catch (...) {
            failures[k] = std::current_exception();
        }
        within = false;
    });
    for (const std::exception_ptr& failure : failures)
        if (failure) std::rethrow_exception(failure);
}

}  // namespace gravlab
