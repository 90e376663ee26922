// Files that are read and written beside the frames, one after the other, on a thread of its own: a disk may take seconds.
// Rule: a job owns what it writes; what became of it is heard on the thread that posted it. One FileJobs makes all calls of
// a process into snapshot formats while it lives.
#pragma once
#include "app/system/worker.h"
#include "sim/core/error.h"

#include <cstddef>
#include <cstdio>
#include <deque>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace gravlab {

/// How a job ended.
struct FileOutcome {
    enum class Status {
        written,
        refused,  ///< the name is invalid; nothing was tried
        failed
    } status = Status::written;
    std::string sentence{};  ///< for the user
};

struct FileJob {
    /// Reads or writes, and gives the sentence that says so. Throws where it cannot.
    std::function<std::string()> work;
    /// Hears of it. May be empty.
    std::function<void(const FileOutcome&)> done{};
    /// Whether `work` has all that it needs, e.g. a copy of the bodies. Empty: it has. Called where poll() is; may throw.
    std::function<bool()> ready{};
    bool reads = false;  ///< nothing is lost without it: it is dropped when the window closes

    static constexpr const char* kNotReady = "What the file needs has not come.";
    bool isReady() const { return !ready || ready(); }
    /// Does it while the caller waits. What it needs is there.
    FileOutcome now() const {
        FileOutcome outcome = attempt([this] {
            if (!isReady()) throw std::runtime_error(kNotReady);
            return work();
        });
        if (done) done(outcome);
        return outcome;
    }
    /// How that call ends.
    static FileOutcome attempt(const std::function<std::string()>& call) {
        try {
            return {FileOutcome::Status::written, call()};
        } catch (const std::bad_alloc&) {
            return {FileOutcome::Status::failed, "There is not enough memory to write the file."};
        } catch (const UsageError& error) {
            return {FileOutcome::Status::refused, error.what()};
        } catch (const std::exception& error) {
            return {FileOutcome::Status::failed, error.what()};
        }
    }
};

class FileJobs {
public:
    /// Jobs that are handed over and not begun: they may hold copies of all bodies.
    static constexpr std::size_t kMostQueued = 2;

    FileJobs() = default;
    /// The destructor still writes all posted jobs; failures then appear on standard error.
    ~FileJobs() {
        wait();
        for (const Ended& ended : ended_)
            if (ended.outcome.status != FileOutcome::Status::written)
                std::fprintf(stderr, "gravlab: %s\n", ended.outcome.sentence.c_str());
    }
    FileJobs(const FileJobs&) = delete;
    FileJobs& operator=(const FileJobs&) = delete;

    /// Never waits for the disk. Where the system has no thread for it, the job is done at once.
    void post(FileJob job) {
        queue_.push_back(std::move(job));
        ++owed_;
        handOver(false);
    }
    /// The same for a caller that may wait: memory stays bounded. The job is ready.
    void postInTurn(FileJob job) {
        queue_.push_back(std::move(job));
        ++owed_;
        handOver(true);
    }
    /// Hands over what is ready, in order, and tells of all that has ended. True when there was any. Never waits.
    bool poll() {
        handOver(false);
        collect();
        const std::vector<Ended> ended = std::exchange(ended_, {});
        owed_ -= ended.size();
        for (const Ended& one : ended)
            if (one.done) one.done(one.outcome);
        return !ended.empty();
    }
    /// A job has not ended, or poll() has not reported it.
    bool busy() const { return owed_ > 0; }
    /// Jobs that have not begun.
    std::size_t waiting() const { return queue_.size() + worker_.waiting(); }
    /// Forgets those that read and are not handed over.
    void dropReads() {
        owed_ -= std::erase_if(queue_, [](const FileJob& job) { return job.reads; });
    }
    /// Waits until all is written that is ready; the rest fails. Then poll() tells of it.
    void wait() {
        handOver(true);
        worker_.wait();
        collect();
    }

private:
    struct Ended {
        std::function<void(const FileOutcome&)> done;
        FileOutcome outcome;
    };

    void handOver(bool waits) {
        while (!queue_.empty() && (waits || worker_.waiting() < kMostQueued)) {
            bool ready = true;
            const FileOutcome looked = FileJob::attempt([&] {
                ready = queue_.front().isReady();
                if (!ready && waits) throw std::runtime_error(FileJob::kNotReady);
                return std::string();
            });
            if (!ready && !waits) return;
            const FileJob job = std::move(queue_.front());
            queue_.pop_front();
            if (looked.status != FileOutcome::Status::written) {
                end(job, looked);
                continue;
            }
            try {
                worker_.ask(job);
            } catch (const std::system_error&) {
                end(job, FileJob::attempt(job.work));
            }
        }
    }
    void end(const FileJob& job, FileOutcome outcome) {
        collect();  // of earlier jobs
        ended_.push_back({job.done, std::move(outcome)});
    }
    void collect() {
        while (std::optional<Ended> ended = worker_.poll()) ended_.push_back(std::move(*ended));
    }

    std::deque<FileJob> queue_;  ///< not handed over
    std::vector<Ended> ended_;   ///< not reported yet
    std::size_t owed_ = 0;       ///< posted jobs whose end is not reported yet
    Worker<FileJob, Ended> worker_{[](const FileJob& job, auto&) {
                                       return Ended{job.done, FileJob::attempt(job.work)};
                                   },
                                   Asking::allInTurn, kMostQueued};
};

}  // namespace gravlab
