// The one thread that reads and writes snapshots beside a run, so that neither a frame nor a step waits for a disk.
// Rule: it owns every call into a snapshot's format while it lives; results are taken by the thread that asked.
#pragma once
#include "app/commands/options.h"
#include "sim/io/checkpoint.h"
#include "sim/io/snapshot.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace gravlab {

/// What became of a job.
struct FileResult {
    enum class Kind { saved, opened } kind = Kind::saved;
    std::string path;
    std::string purpose;                ///< as given with the job, e.g. "autosave"
    std::string error;                  ///< empty: it worked; the old file is as it was otherwise
    std::optional<StartOffer> offer{};  ///< of a file of bodies that was opened
    std::optional<Options> scene{};     ///< of a scene file that was opened
};

class Saver {
public:
    Saver();
    /// Ends what is queued, then the thread.
    ~Saver();
    Saver(const Saver&) = delete;
    Saver& operator=(const Saver&) = delete;

    /// Queues a save of what `later` gives, which is asked once, on the saver's thread. Never waits for the disk; waits
    /// while kMostQueued jobs are not begun, so that memory stays bounded.
    void save(std::string path, std::function<Snapshot()> later, const WriteOptions& options, std::string purpose);
    /// Queues reading a file into a start for a run.
    void open(std::string path, const ReadOptions& options, std::string purpose);

    /// Queues reading a scene file over `base`.
    void openScene(std::string path, Options base, std::string purpose);

    /// True while a job is queued or under way.
    bool busy() const;
    /// Waits until nothing is queued or under way.
    void wait();
    /// What has ended since the last call, in order. Never waits.
    std::vector<FileResult> take();

    static constexpr std::size_t kMostQueued = 2;

private:
    using Job = std::function<FileResult()>;
    void add(Job job);
    void work();

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Job> jobs_;
    std::vector<FileResult> results_;
    bool working_ = false, ending_ = false;
    std::thread thread_;  // last: it uses all of the above
};

}  // namespace gravlab
