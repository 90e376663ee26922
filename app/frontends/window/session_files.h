// Files of a window: quick save, opening, autosave, recovery after a crash, and the watch over its numbers. Rule: the frame
// loop never waits for a disk.
#pragma once
#include "app/control/host.h"
#include "app/model/files_state.h"
#include "app/services/file_worker.h"
#include "app/services/non_finite_monitor.h"
#include "app/services/spot_check.h"
#include "app/services/state_folder.h"
#include "app/view/app.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gravlab {

class SessionFiles {
public:
    /// `autosaveSeconds` 0: no autosave and no offer of what a crash left. A state folder that cannot be used is a message,
    /// not the end.
    SessionFiles(App& app, FilesState& state, double autosaveSeconds);

    /// Once a frame: hands on what was asked, takes what has ended, saves when it is time, watches for numbers that are not
    /// finite. True when something changed that a frame should show.
    bool update();

    /// Effects of commands. What reads or writes is running; files are written and read in the order of these calls, so that
    /// what was saved can be opened. Throws UsageError.
    EffectResult save(std::string path, Ticket ticket);
    EffectResult open(const Open& effect, Ticket ticket);
    EffectResult recover(Ticket ticket);
    EffectResult forget();
    /// Absolute, or from the folder that is listed.
    EffectResult list(const std::string& folder);
    std::vector<Ended> ended() { return std::exchange(ended_, {}); }

    /// Before a picture is written of a window that ends by itself: waits for the check of the forces and throws Error
    /// (checkFailed) where one failed.
    void requireSoundForces();
    /// Ends what is under way; a clean end leaves no autosave. Where a file that was asked for could not be written, the run
    /// is kept as an autosave and the sentence says so; else it is empty.
    std::string close();
    /// The device or the picture has failed: saves the newest state that was good, and says where; or why not. Waits.
    std::string rescue() noexcept;
    /// A signal ended the window: saves the run to go on from, and says where. Waits.
    std::string leave() noexcept;

private:
    void begin();
    void listRecent();
    void remember(const std::string& path);
    void takeResults();
    void sayNotes(const std::string& before, const std::vector<std::string>& notes);
    void watch();
    void autosave();
    /// A file to read or to write, until it is handed to the thread that does that.
    struct Job {
        std::string purpose;  ///< "save", "autosave", "open", "recover"
        std::string path;
        Ticket ticket = 0;
        StateTicket state{};  ///< to be written; not waiting: a file to be read
        WriteOptions options{};
        ReadOptions read{};
    };
    void ask(std::string path, const WriteOptions& options, std::string purpose, Ticket ticket);
    void handOver();
    bool handOver(Job& job);
    void fail(const Job& job, const std::string& why);
    EffectResult taken(FileResult& result);
    static std::string keep(const FedState& state, const std::filesystem::path& file) noexcept;

    App& app_;
    FilesState& state_;
    double autosaveSeconds_;
    std::optional<SessionLock> mark_;
    SpotCheck spotCheck_;
    std::optional<NonFiniteMonitor> guard_;  ///< of small systems: a look goes over all bodies
    std::chrono::steady_clock::time_point saved_;
    std::int64_t savedStep_ = -1;
    std::uint64_t blownRun_ = 0;  ///< run that stopped being finite: its last good state stays the autosave
    std::deque<Job> jobs_;
    std::vector<Ended> ended_;
    bool changed_ = false;
    FileWorker saver_;
};

}  // namespace gravlab
