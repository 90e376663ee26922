// Where the program keeps what a user did not name: autosaves, and what an interrupted run leaves.
// Rule: one folder, $XDG_STATE_HOME/gravlab, readable by its owner only; nothing is written anywhere else unasked.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// $XDG_STATE_HOME/gravlab, or ~/.local/state/gravlab; made when it is not there. Throws IoError when there is none or
/// it cannot be made.
std::filesystem::path stateFolder();

/// A file in stateFolder() for what an interrupted run leaves: names the scene and this process. What earlier runs left
/// stays, as long as it is no more than twenty files and 4 GiB in all.
std::filesystem::path leftRunFile(std::string_view scene);

/// Removes the oldest of these files, saying so, until they are no more than `most` and take no more than `bytes`; the
/// newest always stays.
void keepWithin(std::uintmax_t bytes, std::vector<std::filesystem::path> files, std::size_t most = SIZE_MAX);

/// Marks this process as alive for as long as the object lives; its autosave is a crash's remains once the mark is gone
/// without remove() having been called. The system takes the mark away with the process, however that ends.
class SessionLock {
public:
    /// Throws IoError.
    SessionLock();
    ~SessionLock();
    SessionLock(const SessionLock&) = delete;
    SessionLock& operator=(const SessionLock&) = delete;

    /// Where this session saves itself.
    const std::filesystem::path& autosave() const { return autosave_; }
    /// A clean end: nothing is to be recovered.
    void remove();

private:
    std::filesystem::path mark_, autosave_;
    int fd_ = -1;
};

/// Files that were opened or saved last, newest first, at most ten; nothing where the folder cannot be used.
std::vector<std::string> recentFiles() noexcept;
/// Puts a file in front of them.
void rememberFile(const std::filesystem::path& file) noexcept;

/// Autosaves of sessions that ended without remove(), newest first.
std::vector<std::filesystem::path> crashedSessions();
/// Removes such an autosave with its mark and its previous.
void forgetSession(const std::filesystem::path& autosave) noexcept;

}  // namespace gravlab
