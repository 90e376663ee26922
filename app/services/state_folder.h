// Where the program keeps what a user did not name: autosaves, and what an interrupted run leaves.
// Rule: one folder, $XDG_STATE_HOME/gravlab, readable by its owner only; nothing is written anywhere else unasked.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// $XDG_STATE_HOME/gravlab, or ~/.local/state/gravlab; made when it is not there. Temporaries of dead processes in it are
/// removed. Throws IoError when there is none or it cannot be made.
std::filesystem::path stateFolder();

/// A file in stateFolder() for what an interrupted run leaves: names the scene and this process. Keeps the newest few of
/// earlier runs and removes the rest.
std::filesystem::path leftRunFile(std::string_view scene);

/// Marks this process as alive for as long as the object lives; its autosave is a crash's remains once the mark is gone
/// without remove() having been called. The system takes the mark away with the process, however that ends.
class SessionMark {
public:
    /// Throws IoError.
    SessionMark();
    ~SessionMark();
    SessionMark(const SessionMark&) = delete;
    SessionMark& operator=(const SessionMark&) = delete;

    /// Where this session saves itself.
    const std::filesystem::path& autosave() const { return autosave_; }
    /// A clean end: nothing is to be recovered.
    void remove();

private:
    std::filesystem::path mark_, autosave_;
    int fd_ = -1;
};

/// Autosaves of sessions that ended without remove(), newest first.
std::vector<std::filesystem::path> crashedSessions();
/// Removes such an autosave with its mark and its previous.
void forgetSession(const std::filesystem::path& autosave) noexcept;

}  // namespace gravlab
