// Files that are written beside the frames, one after the other, on a thread of its own: a disk may take seconds.
// Rule: a job owns what it writes; what became of it is heard on the thread that posted it.
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
        refused,  ///< the name cannot be; nothing was tried
        failed
    } status = Status::written;
    std::string sentence{};  ///< that says so
};

struct FileJob {
    /// Writes, and gives the sentence that says so. Throws where it cannot.
    std::function<std::string()> write;
    /// Hears of it. May be empty.
    std::function<void(const FileOutcome&)> done{};

    /// Writes while the caller waits.
    FileOutcome now() const {
        FileOutcome outcome = attempt();
        if (done) done(outcome);
        return outcome;
    }
    /// The same without telling `done`.
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
    /// What was posted is written also when it goes; what fails then is said on standard error.
    ~FileJobs() {
        wait();
        while (const std::optional<Ended> ended = worker_.poll())
            if (ended->outcome.status != FileOutcome::Status::written)
                std::fprintf(stderr, "gravlab: %s\n", ended->outcome.sentence.c_str());
    }
    FileJobs(const FileJobs&) = delete;
    FileJobs& operator=(const FileJobs&) = delete;

    /// Never waits for the disk. Where the system has no thread for it, the job is done at once.
    void post(const FileJob& job) {
        try {
            worker_.ask(job);
        } catch (const std::system_error&) {
            job.now();
        }
    }
    /// Tells of all that has ended. True when there was any. Never waits.
    bool poll() {
        bool any = false;
        for (; const std::optional<Ended> ended = worker_.poll(); any = true)
            if (ended->done) ended->done(ended->outcome);
        return any;
    }
    bool busy() const { return worker_.busy(); }
    /// Waits until all is written. Then poll() tells of it.
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
