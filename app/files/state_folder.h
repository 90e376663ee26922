// Where the program keeps files that the user did not name: autosaves, and the files of interrupted runs.
// Rule: one folder, $XDG_STATE_HOME/gravlab, readable by its owner only; nothing is written elsewhere without a request.
#pragma once
#include "app/system/descriptor.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// $XDG_STATE_HOME/gravlab, or ~/.local/state/gravlab; made when it is not there. Throws IoError when there is none or
/// it cannot be made.
std::filesystem::path stateFolder();

/// A file in stateFolder() for the state of an interrupted run; its name has the scene and this process. Files of earlier
/// runs stay, as long as they are at most twenty files and 4 GiB in all.
std::filesystem::path leftRunFile(std::string_view scene);

/// Removes the oldest of these files, with a message, until there are at most `most` files and `bytes` bytes; the newest
/// always stays, and does not count where it is larger than that.
void keepWithin(std::uintmax_t bytes, std::vector<std::filesystem::path> files, std::size_t most = SIZE_MAX);

/// Marks this process as alive for as long as the object lives. When the mark is gone without a call of remove(), the
/// autosave is left from a crash. The system removes the mark with the process, however that ends.
class SessionLock {
public:
    /// Throws IoError.
    SessionLock();

    /// File of this session's autosave.
    const std::filesystem::path& autosave() const { return autosave_; }
    /// A clean end: there is nothing to recover.
    void remove();

private:
    std::filesystem::path mark_, autosave_;
    Descriptor held_;
};

/// Files that were opened or saved last, newest first, at most ten; empty where the folder cannot be used.
std::vector<std::string> recentFiles() noexcept;
/// Puts a file in front of the recent files.
void rememberFile(const std::filesystem::path& file) noexcept;

/// Autosaves of sessions that ended without remove(), newest first.
std::vector<std::filesystem::path> crashedSessions();
/// Removes an autosave with its previous version; an empty name does nothing.
void forgetAutosave(const std::filesystem::path& autosave) noexcept;
/// The same, with the mark of its session.
void forgetSession(const std::filesystem::path& autosave) noexcept;

}  // namespace gravlab
