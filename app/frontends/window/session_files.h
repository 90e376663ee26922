// Files of a window: quick save, opening, autosave, recovery after a crash, and the watch over its numbers. Rule: the frame
// loop never waits for a disk.
#pragma once
#include "app/control/host.h"
#include "app/model/files_state.h"
#include "app/services/non_finite_monitor.h"
#include "app/services/spot_check.h"
#include "app/services/state_folder.h"
#include "app/system/file_jobs.h"
#include "app/view/app.h"
#include "sim/io/checkpoint.h"

#include <chrono>
#include <cstdint>
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
    EffectResult forget(Ticket ticket);
    /// Absolute, or from the folder that is listed.
    EffectResult list(const std::string& folder, Ticket ticket);
    /// Any other file: after those before it. How it ends answers the ticket; 0: nobody's.
    EffectResult write(FileJob job, Ticket ticket);
    std::vector<Ended> ended() { return std::exchange(ended_, {}); }

    /// Before a picture is written of a window that ends by itself: waits for the check of the forces and throws Error
    /// (checkFailed) where one failed.
    void requireSoundForces();
    /// Ends what is under way; a clean end leaves no autosave. Where a file could not be written, the sentence says so;
    /// where it was the run, that is kept as an autosave. Else it is empty.
    std::string close();
    /// The device or the picture has failed: saves the newest state that was good, and says where; or why not. Waits.
    std::string rescue() noexcept;
    /// A signal ended the window: saves the run to go on from, and says where. Waits.
    std::string leave() noexcept;

private:
    void begin();
    void remember(const std::string& path);
    void read(const std::string& path, const ReadOptions& options, bool recovers, Ticket ticket);
    EffectResult taken(const std::string& path, LoadedStart offer, bool recovers);
    EffectResult taken(const std::string& path, const Options& scene);
    void sayNotes(const std::string& before, const std::vector<std::string>& notes);
    void settle();
    void watch();
    void autosave();
    FileJob savingRun(const std::string& path, const WriteOptions& options, bool goodOnly = false);
    void end(Ticket ticket, EffectResult outcome);
    static std::string keep(const FedState& state, const std::filesystem::path& file) noexcept;

    App& app_;
    FilesState& state_;
    double autosaveSeconds_;
    std::optional<SessionLock> mark_;
    SpotCheck spotCheck_;
    NonFiniteMonitor guard_;
    std::chrono::steady_clock::time_point saved_;
    /// Whose autosave was begun last. The start of a session needs none.
    std::int64_t savedStep_;
    std::uint64_t savedRun_;
    /// Whose autosave is complete; -1: none.
    std::int64_t keptStep_ = -1;
    std::uint64_t keptRun_ = 0;
    std::uint64_t blownRun_ = 0;  ///< run that stopped being finite: its last good state stays the autosave
    std::vector<Ended> ended_;
    bool changed_ = false;
    // Since the last frame began: why a file could not be written, and whether one of them was the run.
    std::string lost_;
    bool unsaved_ = false;
    bool leaves_ = false;  ///< the window ends: nothing is begun from what was read
    // Last: they tell of what ends. A folder that is slow to list holds up no save.
    FileJobs jobs_, lists_;
};

}  // namespace gravlab
