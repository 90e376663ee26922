// Reads and writes files beside the frames, one after the other, on a separate thread: a disk may take seconds. Rule: a job
// owns its data; the posting thread receives the result. While a FileJobs exists, only it calls snapshot formats.
#pragma once
#include "app/system/progress.h"
#include "app/system/worker.h"
#include "sim/api/errors.h"

#include <cstddef>
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
        refused,  ///< the name or the contents of the file are invalid
        failed
    } status = Status::written;
    std::string sentence{};  ///< for the user
};

struct FileJob {
    /// Reads or writes the file, and returns the sentence for the user. Throws on failure.
    std::function<std::string()> work;
    /// Receives the result. May be empty.
    std::function<void(const FileOutcome&)> done{};
    /// Whether `work` has its inputs, e.g. a copy of the bodies. Empty: it has. poll() calls it; it may throw.
    std::function<bool()> ready{};
    bool reads = false;  ///< only reads, so a closing window drops it

    static constexpr const char* kNotReady = "What the file needs has not come.";
    bool isReady() const { return !ready || ready(); }
    /// Runs the job while the caller waits; its inputs are ready.
    FileOutcome now() const {
        FileOutcome outcome = attempt([this] {
            if (!isReady()) throw std::runtime_error(kNotReady);
            return work();
        });
        if (done) done(outcome);
        return outcome;
    }
    static FileOutcome attempt(const std::function<std::string()>& call) {
        try {
            return {FileOutcome::Status::written, call()};
        } catch (const std::bad_alloc&) {
            return {FileOutcome::Status::failed, "There is not enough memory for the file."};
        } catch (const Error& error) {
            const bool invalid = error.code() == ExitCode::usage || error.code() == ExitCode::badInput;
            return {invalid ? FileOutcome::Status::refused : FileOutcome::Status::failed, error.what()};
        } catch (const std::exception& error) {
            return {FileOutcome::Status::failed, error.what()};
        }
    }
};

class FileJobs {
public:
    /// Most jobs that wait in the thread: each may hold a copy of all bodies.
    static constexpr std::size_t kMostQueued = 2;

    FileJobs() = default;
    /// The destructor still writes all posted jobs; failures then appear on standard error.
    ~FileJobs() {
        wait();
        for (const Ended& ended : ended_)
            if (ended.outcome.status != FileOutcome::Status::written) notify(ended.outcome.sentence);
    }
    FileJobs(const FileJobs&) = delete;
    FileJobs& operator=(const FileJobs&) = delete;

    /// Never waits for the disk. When the system has no thread for it, the job runs at once.
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
    /// Hands ready jobs to the thread, in order, and reports finished ones. True when there was any. Never waits.
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
    /// Drops reading jobs that the thread does not have yet.
    void dropReads() {
        owed_ -= std::erase_if(queue_, [](const FileJob& job) { return job.reads; });
    }
    /// Waits until all ready jobs have ended; the others fail. poll() then reports them.
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

    std::deque<FileJob> queue_;  ///< jobs that the thread does not have yet
    std::vector<Ended> ended_;   ///< ended jobs that poll() has not reported
    std::size_t owed_ = 0;       ///< posted jobs whose end is not reported yet
    Worker<FileJob, Ended> worker_{[](const FileJob& job, auto&) {
                                       return Ended{job.done, FileJob::attempt(job.work)};
                                   },
                                   QueuePolicy::fifo, kMostQueued};
};

}  // namespace gravlab
