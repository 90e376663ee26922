// Runs work beside the frames: one thread, one queue, and results that the requesting thread takes whenever it likes. Rule:
// the two threads have only the queue in common; a request is moved in, its result or error is moved out.
#pragma once
#include "sim/core/work_watch.h"

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace gravlab {

/// Which requests of a worker run.
enum class QueuePolicy {
    cancelEarlier,  ///< a request replaces all earlier ones, also the running one; the destructor drops the rest
    fifo            ///< every request, in order; the destructor still runs the waiting ones
};

template <class Request, class Result>
class Worker {
public:
    /// The running request, as its work sees it.
    class Task {
    public:
        /// The result is no longer wanted. Long work checks this now and then, and ends; in nested functions
        /// WorkWatch::dropped() tells the same.
        bool dropped() const {
            const std::lock_guard lock(worker_.mutex_);
            return mine_ != worker_.wanted_;
        }
        /// A preliminary result, when only the newest counts: the next one replaces it unless it was taken.
        void report(Result result) { worker_.deliver(mine_, {std::move(result), nullptr}); }

    private:
        friend class Worker;
        Task(Worker& worker, std::uint64_t mine) : worker_(worker), mine_(mine) {}
        Worker& worker_;
        std::uint64_t mine_;
    };
    using Work = std::function<Result(Request, Task&)>;

    /// `work` runs on the worker's thread, which starts with the first request. `mostWaiting` bounds the requests that have
    /// not begun.
    explicit Worker(Work work, QueuePolicy policy = QueuePolicy::cancelEarlier,
                    std::size_t mostWaiting = std::numeric_limits<std::size_t>::max())
        : work_(std::move(work)), policy_(policy), mostWaiting_(mostWaiting) {}
    /// Waits for the running request.
    ~Worker() {
        if (policy_ == QueuePolicy::cancelEarlier) drop();
    }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// Waits only while `mostWaiting` requests have not begun. Throws std::system_error when there is no thread.
    void ask(Request request) {
        begin();
        std::unique_lock lock(mutex_);
        if (policy_ == QueuePolicy::cancelEarlier)
            forget();
        else
            changed_.wait(lock, [this] { return requests_.size() < mostWaiting_; });
        requests_.push_back(std::move(request));
        changed_.notify_all();
    }
    /// Forgets all requests and results.
    void drop() {
        const std::lock_guard lock(mutex_);
        forget();
        changed_.notify_all();
    }
    /// The next result, or none yet. Never waits. Throws the exception of the work instead of a result.
    std::optional<Result> poll() {
        Outcome outcome;
        {
            const std::lock_guard lock(mutex_);
            if (outcomes_.empty()) return std::nullopt;
            outcome = std::move(outcomes_.front());
            outcomes_.pop_front();
        }
        if (outcome.failure) std::rethrow_exception(outcome.failure);
        return std::move(outcome.result);
    }
    /// Whether a request waits or runs, and was not dropped.
    bool busy() const {
        const std::lock_guard lock(mutex_);
        return isBusy();
    }
    /// Requests that have not begun.
    std::size_t waiting() const {
        const std::lock_guard lock(mutex_);
        return requests_.size();
    }
    /// Waits until the worker is idle.
    void wait() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !isBusy(); });
    }
    /// The same for at most this time; returns whether the worker is idle.
    bool wait(double seconds) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return !isBusy(); });
    }

private:
    struct Outcome {
        std::optional<Result> result{};
        std::exception_ptr failure{};
    };

    bool isBusy() const { return !requests_.empty() || underWay_ == wanted_; }

    void forget() {
        requests_.clear();
        outcomes_.clear();
        ++wanted_;
    }

    void deliver(std::uint64_t mine, Outcome outcome) {
        const std::lock_guard lock(mutex_);
        if (mine != wanted_) return;
        if (policy_ == QueuePolicy::cancelEarlier) outcomes_.clear();
        outcomes_.push_back(std::move(outcome));
    }

    void begin() {
        if (thread_.joinable()) return;
        // Signals are for the thread that runs steps or frames.
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        try {
            thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
        } catch (...) {
            pthread_sigmask(SIG_SETMASK, &before, nullptr);
            throw;
        }
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }

    /// Destroy the request's data before the result is announced.
    Outcome worked(Request request, Task& task) {
        Outcome outcome;
        const WorkWatch watch({}, {}, [&task] { return task.dropped(); });
        try {
            outcome.result.emplace(work_(std::move(request), task));
        } catch (...) {
            outcome.failure = std::current_exception();
        }
        return outcome;
    }

    void run(const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        while (changed_.wait(lock, stop, [this] { return !requests_.empty(); })) {
            Request request = std::move(requests_.front());
            requests_.pop_front();
            Task task(*this, wanted_);
            underWay_ = wanted_;
            changed_.notify_all();
            lock.unlock();
            Outcome outcome = worked(std::move(request), task);
            deliver(task.mine_, std::move(outcome));
            lock.lock();
            underWay_ = kNone;
            changed_.notify_all();
        }
    }

    static constexpr std::uint64_t kNone = ~std::uint64_t{0};

    Work work_;
    QueuePolicy policy_;
    std::size_t mostWaiting_;
    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<Request> requests_;
    std::deque<Outcome> outcomes_;
    std::uint64_t wanted_ = 0;        ///< rises when requests are forgotten
    std::uint64_t underWay_ = kNone;  ///< wanted_ at the start of the running request
    std::jthread thread_;             // last: it must stop before the members that it uses
};

}  // namespace gravlab
