// Writes files beside the frames, one after the other, in a separate thread: a disk may take seconds. Rule: a job owns its
// data; the posting thread receives the result.
#pragma once
#include "app/system/worker.h"
#include "sim/core/error.h"

#include <cstdio>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

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
    /// Writes, and returns the sentence for the user. Throws on failure.
    std::function<std::string()> write;
    /// Receives the result. May be empty.
    std::function<void(const FileOutcome&)> done{};

    /// Writes while the caller waits.
    FileOutcome now() const {
        FileOutcome outcome = attempt();
        if (done) done(outcome);
        return outcome;
    }
    /// The same without calling `done`.
    FileOutcome attempt() const {
        try {
            return {FileOutcome::Status::written, write()};
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
    FileJobs() = default;
    /// The destructor still writes all posted jobs; failures then appear on standard error.
    ~FileJobs() {
        wait();
        while (const std::optional<Ended> ended = worker_.poll())
            if (ended->outcome.status != FileOutcome::Status::written)
                std::fprintf(stderr, "gravlab: %s\n", ended->outcome.sentence.c_str());
    }
    FileJobs(const FileJobs&) = delete;
    FileJobs& operator=(const FileJobs&) = delete;

    /// Never waits for the disk. When the system has no thread for it, the job runs at once.
    void post(const FileJob& job) {
        try {
            worker_.ask(job);
        } catch (const std::system_error&) {
            job.now();
        }
    }
    /// Reports all finished jobs to their `done`. True when there was any. Never waits.
    bool poll() {
        bool any = false;
        for (; const std::optional<Ended> ended = worker_.poll(); any = true)
            if (ended->done) ended->done(ended->outcome);
        return any;
    }
    bool busy() const { return worker_.busy(); }
    /// Waits until all jobs are written; poll() then reports them.
    void wait() { worker_.wait(); }

private:
    struct Ended {
        std::function<void(const FileOutcome&)> done;
        FileOutcome outcome;
    };
    Worker<FileJob, Ended> worker_{[](const FileJob& job, auto&) {
                                       return Ended{job.done, job.attempt()};
                                   },
                                   Asking::allInTurn};
};

}  // namespace gravlab
