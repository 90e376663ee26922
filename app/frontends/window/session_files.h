// Files of a window: quick save, opening, autosave, recovery after a crash, and the watch over its numbers. Rule: the frame
// loop never waits for a disk.
#pragma once
#include "app/model/files_state.h"
#include "app/services/file_worker.h"
#include "app/services/non_finite_monitor.h"
#include "app/services/spot_check.h"
#include "app/services/state_folder.h"
#include "app/view/workspace.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gravlab {

class SessionFiles {
public:
    /// `autosaveSeconds` 0: no autosave and no offer of what a crash left. A state folder that cannot be used is a message,
    /// not the end.
    SessionFiles(Workspace& workspace, FilesState& state, double autosaveSeconds);

    /// Once a frame: does what was asked, takes what has ended, saves when it is time, watches for numbers that are not
    /// finite. True when something changed that a frame should show.
    bool update();
    /// Before a picture is written of a window that ends by itself: waits for the check of the forces and throws Error
    /// (checkFailed) where one failed.
    void requireSoundForces();
    /// Ends what is under way; a clean end leaves no autosave.
    void close();
    /// The device or the picture has failed: saves the newest state that was good, and says where; or why not. Waits.
    std::string rescue() noexcept;
    /// A signal ended the window: saves the run to go on from, and says where. Waits.
    std::string leave() noexcept;

private:
    void begin();
    void list();
    void listRecent();
    void remember(const std::string& path);
    void takeResults();
    void sayNotes(const std::string& before, const std::vector<std::string>& notes);
    void watch();
    void autosave();
    void save(std::string path, const WriteOptions& options, std::string purpose);
    void writeStates();
    static std::string keep(const FedState& state, const std::filesystem::path& file) noexcept;

    Workspace& workspace_;
    FilesState& state_;
    double autosaveSeconds_;
    std::optional<SessionLock> mark_;
    SpotCheck spotCheck_;
    std::optional<NonFiniteMonitor> guard_;  ///< of small systems: a look goes over all bodies
    std::chrono::steady_clock::time_point saved_;
    std::int64_t savedStep_ = -1;
    struct Save {
        StateTicket state;
        std::string path;
        WriteOptions options;
        std::string purpose;
    };
    std::vector<Save> saves_;  ///< whose states are on their way
    bool changed_ = false;
    FileWorker saver_;
};

}  // namespace gravlab
