// Files of a session: quick save, opening, autosave, recovery after a crash, and the check for numbers that are not finite.
// Rule: the frame loop never waits for a disk.
#pragma once
#include "app/control/host.h"
#include "app/files/file_jobs.h"
#include "app/files/state_folder.h"
#include "app/model/ui_state.h"
#include "app/services/non_finite_monitor.h"
#include "app/services/spot_check.h"
#include "app/view/app.h"
#include "sim/io/checkpoint.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gravlab {

class SessionFiles {
public:
    /// `autosaveSeconds` 0: no autosave and no offer of a crash's autosave. A state folder that cannot be used causes a
    /// message, not the end.
    SessionFiles(App& app, double autosaveSeconds);

    /// Call once a frame: starts requested jobs, takes finished ones, saves when it is time, checks for numbers that are not
    /// finite. True when a frame should show a change.
    bool update();

    /// Effects of commands. An effect that reads or writes is running. Files are written and read in the order of these
    /// calls, so that a saved file can be opened. Throws UsageError.
    EffectResult save(std::string path, Ticket ticket);
    EffectResult open(const Open& effect, Ticket ticket);
    EffectResult recover(Ticket ticket);
    EffectResult forget(Ticket ticket);
    /// `folder` is absolute, or relative to the folder that is listed.
    EffectResult list(const std::string& folder, Ticket ticket);
    /// Reads or writes any other file after the earlier ones. The ticket gets its result, and after success the rest of the
    /// effect; 0: there is no ticket. `endsRun`: see EffectResult.
    EffectResult run(FileJob job, Ticket ticket, Rest rest = {}, bool endsRun = false);
    std::vector<Ended> ended() { return std::exchange(ended_, {}); }

    /// Call before the picture of a window that ends by itself is written. Waits for the check of the forces, up to the
    /// limit [s], and throws Error (checkFailed) where one failed. False where it is incomplete.
    bool requireSoundForces(double limit = std::numeric_limits<double>::infinity());
    /// Ends the jobs under way; a clean end leaves no autosave. Returns a sentence where a file could not be written, else
    /// an empty text. If that file was the run, the run is kept as an autosave.
    std::string close();
    /// The device or the picture has failed: saves the newest good state, and returns where; or why not. Waits.
    std::string rescue() noexcept;
    /// A signal ended the window: saves the run so that it can continue, and returns where. Waits.
    std::string leave() noexcept;

private:
    void begin();
    void remember(const std::string& path);
    EffectResult read(const std::string& path, const ReadOptions& options, bool recovers, Ticket ticket);
    EffectResult taken(Document& document, const std::string& path, LoadedStart offer, bool recovers);
    EffectResult taken(Document& document, const std::string& path, const StartOptions& scene);
    void sayNotes(const std::string& before, const std::vector<std::string>& notes);
    void settle();
    void watch();
    void autosave();
    FileJob savingRun(const std::string& path, const WriteOptions& options, bool goodOnly = false);
    void end(Ticket ticket, EffectResult outcome);
    static std::string keep(const FedState& state, const std::filesystem::path& file) noexcept;

    App& app_;
    FilesList& state_;
    double autosaveSeconds_;
    std::optional<SessionLock> mark_;
    SpotCheck spotCheck_;
    NonFiniteMonitor guard_;
    std::chrono::steady_clock::time_point saved_;
    /// Step of the last autosave that was begun. The start of a session needs none.
    std::int64_t savedStep_;
    std::uint64_t savedRun_;
    /// Step of the last complete autosave; -1: there is none.
    std::int64_t keptStep_ = -1;
    std::uint64_t keptRun_ = 0;
    std::uint64_t blownRun_ = 0;  ///< run that stopped being finite: its last good state stays the autosave
    std::vector<Ended> ended_;
    bool changed_ = false;
    // Since the last frame began: why a file could not be written, and whether one of them was the run.
    std::string lost_;
    bool unsaved_ = false;
    bool leaves_ = false;  ///< the window ends: files that were read begin no run
    // Last members, because their results refer to the others. A folder that is slow to list delays no save.
    FileJobs jobs_, lists_;
};

}  // namespace gravlab
