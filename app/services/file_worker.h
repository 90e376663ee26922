// The one thread that reads and writes snapshots beside a run, so that neither a frame nor a step waits for a disk.
// Rule: it owns every call into a snapshot's format while it lives; results are taken by the thread that asked.
#pragma once
#include "app/control/effect.h"
#include "app/model/options.h"
#include "app/system/worker.h"
#include "sim/io/checkpoint.h"
#include "sim/io/snapshot.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gravlab {

/// What became of a job.
struct FileResult {
    enum class Kind { saved, opened } kind = Kind::saved;
    std::string path;
    std::string purpose;                 ///< as given with the job, e.g. "autosave"
    std::string error;                   ///< empty: it worked; the old file is as it was otherwise
    Ticket ticket = 0;                   ///< as given with the job
    std::optional<LoadedStart> offer{};  ///< of a file of bodies that was opened
    std::optional<Options> scene{};      ///< of a scene file that was opened
};

/// What is queued is done also when it goes.
class FileWorker {
public:
    /// Queues a save of what `later` gives, which is asked once, on the saver's thread. Never waits for the disk; waits
    /// while kMostQueued jobs are not begun, so that memory stays bounded.
    void save(std::string path, std::function<Snapshot()> later, const WriteOptions& options, std::string purpose,
              Ticket ticket = 0);
    /// Queues reading a file into a start for a run.
    void open(std::string path, const ReadOptions& options, std::string purpose, Ticket ticket = 0);

    /// Queues reading a scene file over `base`.
    void openScene(std::string path, Options base, std::string purpose, Ticket ticket = 0);

    /// Another job would wait until one is begun.
    bool full() const { return worker_.waiting() >= kMostQueued; }
    /// True while a job is queued or under way.
    bool busy() const { return worker_.busy(); }
    /// Waits until nothing is queued or under way.
    void wait() { worker_.wait(); }
    /// What has ended since the last call, in order. Never waits.
    std::vector<FileResult> take();

    static constexpr std::size_t kMostQueued = 2;

private:
    using Job = std::function<FileResult()>;
    Worker<Job, FileResult> worker_{[](const Job& job, auto&) { return job(); }, Asking::allInTurn, kMostQueued};
};

}  // namespace gravlab
