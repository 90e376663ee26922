#include "app/frontends/window/session_files.h"

#include "app/control/open_file.h"
#include "app/control/parameter.h"
#include "app/control/scene_file.h"
#include "app/system/timed_name.h"
#include "sim/core/error.h"
#include "sim/core/text.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <new>
#include <utility>

namespace gravlab {
namespace {

namespace fs = std::filesystem;

// Up to so many bodies a copy every few frames costs nothing that one could see.
constexpr std::size_t kGuardedBodies = 65536;
// A list that people still read.
constexpr std::size_t kMostEntries = 100;

std::string dateOf(const fs::path& file) {
    std::error_code error;
    const auto written = fs::last_write_time(file, error);
    if (error) return {};
    // C++20's clock_cast is missing in some libraries; the two clocks run alike.
    const auto age = fs::file_time_type::clock::now() - written;
    const std::time_t when =
        std::time(nullptr) - static_cast<std::time_t>(std::chrono::duration_cast<std::chrono::seconds>(age).count());
    return timeText(when, "%Y-%m-%d %H:%M");
}

std::string sizeText(std::uintmax_t bytes) {
    char text[40];
    if (bytes >= 1000000)
        std::snprintf(text, sizeof text, "%.1f MB", static_cast<double>(bytes) * 1e-6);
    else
        std::snprintf(text, sizeof text, "%.1f kB", static_cast<double>(bytes) * 1e-3);
    return text;
}

std::string detailOf(const fs::path& file) {
    std::error_code ignored;
    return sizeText(fs::file_size(file, ignored)) + "   " + dateOf(file);
}

}  // namespace

SessionFiles::SessionFiles(Workspace& workspace, FilesState& state, double autosaveSeconds)
    : workspace_(workspace), state_(state), autosaveSeconds_(autosaveSeconds), saved_(std::chrono::steady_clock::now()) {
    if (autosaveSeconds_ <= 0) return;
    try {
        begin();
    } catch (const Error& error) {
        workspace_.warn(std::string("There is no autosave: ") + error.what());
    }
}

void SessionFiles::begin() {
    if (!fileFormat("hdf5").unavailable().empty()) throw IoError(fileFormat("hdf5").unavailable());
    const std::vector<fs::path> crashed = crashedSessions();
    mark_.emplace();
    if (const StartState* start = workspace_.facts.configuration.start.get(); start && !start->file.path.empty())
        remember(start->file.path);
    if (crashed.empty()) return;
    state_.recover = crashed.front().string();
    state_.recoverText = "An earlier session ended unexpectedly. It was saved last on " + dateOf(crashed.front()) + ".";
}

bool SessionFiles::update() {
    changed_ = false;
    writeStates();
    takeResults();
    if (state_.shown && (!state_.listed || !state_.folderAsked.empty())) list();
    if (!state_.shown) state_.listed = false;
    if (std::exchange(state_.saveAsked, false))
        state_.saveAs = timedName("gravlab-" + plainName(workspace_.facts.configuration.scene), ".hdf5");
    if (!state_.saveAs.empty()) {
        const std::string path = std::exchange(state_.saveAs, {});
        try {
            formatForWriting(path);
            state_.busy = "Saving " + path;
            save(path, {.keepPrevious = true}, "save");
        } catch (const UsageError& error) {
            workspace_.warn(error.what());
        }
        changed_ = true;
    }
    if (std::exchange(state_.recoverAsked, false)) state_.openAsked = state_.recover;
    if (std::exchange(state_.forgetAsked, false) && !state_.recover.empty()) {
        forgetSession(state_.recover);
        state_.recover.clear();
        changed_ = true;
    }
    if (!state_.openAsked.empty()) {
        const std::string path = std::exchange(state_.openAsked, {});
        state_.busy = "Opening " + path;
        ReadOptions read;
        if (read.units = std::exchange(state_.openUnits, {}); !read.units.empty()) {
            const StartFile& last = workspace_.facts.configuration.start->file;
            read.columns = last.columns;
            read.sanitize = last.sanitize;
            read.ignoreHubble = last.ignoreHubble;
        }
        if (isSceneFile(path))
            saver_.openScene(path, sceneBase(workspace_), "open");
        else
            saver_.open(path, read, path == state_.recover ? "recover" : "open");
        changed_ = true;
    }
    watch();
    if (const std::string alarm = spotCheck_.update(workspace_.host.simulation()); !alarm.empty()) {
        changed_ = true;
        workspace_.warn("At step " + std::to_string(workspace_.facts.step) + " " + alarm + ".");
    }
    autosave();
    return changed_ || saver_.busy() || !saves_.empty();
}

void SessionFiles::requireSoundForces() {
    const std::string alarm = spotCheck_.settle(workspace_.host.simulation());
    if (spotCheck_.failures() > 0)
        throw Error(ExitCode::checkFailed, alarm.empty() ? "a check of the forces failed: " + workspace_.message : alarm);
}

void SessionFiles::takeResults() {
    for (FileResult& result : saver_.take()) {
        changed_ = true;
        if (result.purpose != "autosave") state_.busy.clear();
        const auto ended = [&](std::string why) {
            if (result.purpose != "open") return;
            state_.openEnded = true;
            state_.openError = std::move(why);
        };
        if (!result.error.empty()) {
            // Stays until it is dismissed, in front of a class as well as in the morning.
            workspace_.warn(result.purpose == "autosave" ? "The autosave failed: " + result.error : result.error);
            ended(result.error);
            continue;
        }
        if (result.kind == FileResult::Kind::saved) {
            state_.listed = false;
            if (result.purpose == "save") workspace_.say("Saved to " + result.path + ".");
            if (result.purpose == "save") remember(result.path);
            continue;
        }
        if (result.scene) {
            const bool taken = takeScene(workspace_, *result.scene, [this] { return workspace_.apply(); });
            if (taken) state_.shown = false;
            if (taken) sayNotes({}, result.scene->notes);
            if (taken) remember(result.path);
            ended(taken ? std::string() : workspace_.message);
            continue;
        }
        const bool taken = takeStart(workspace_, *result.offer, [this] { return workspace_.apply(); });
        ended(taken ? std::string() : workspace_.message);
        if (!taken) continue;  // refused, with a message
        // The question about units has a panel of its own, with its answers.
        if (workspace_.unitsInDoubt()) std::erase(result.offer->notes, workspace_.facts.configuration.start->doubt.question);
        sayNotes(result.path + ": ", result.offer->notes);
        if (result.purpose != "recover") remember(result.path);
        state_.shown = false;
        if (result.purpose == "recover") {
            forgetSession(state_.recover);
            state_.recover.clear();
            savedStep_ = -1;  // not saved under this session's name yet
            saved_ = {};
        }
    }
}

void SessionFiles::sayNotes(const std::string& before, const std::vector<std::string>& notes) {
    std::string text;
    for (const std::string& note : notes) text += (text.empty() ? "" : "; ") + note;
    if (!text.empty()) workspace_.warn(before + text + ".");
}

void SessionFiles::list() {
    state_.listed = true;
    std::error_code error;
    const fs::path here = fs::current_path(error);
    const fs::path folder = (state_.folder.empty() ? here : fs::path(state_.folder)) / std::exchange(state_.folderAsked, {});
    fs::directory_iterator at(folder, error);
    if (error) {
        workspace_.warn("The folder " + printable(folder.string()) + " cannot be listed: " + error.message() + ".");
        return;
    }
    state_.folder = fs::weakly_canonical(folder, error).string();
    state_.proposed = timedName("gravlab-" + plainName(workspace_.facts.configuration.scene), "");
    state_.entries.clear();
    state_.folders.clear();
    std::vector<std::pair<fs::file_time_type, FilesState::Entry>> found;
    for (const fs::directory_iterator end; !error && at != end; at.increment(error)) {
        std::error_code ignored;
        const std::string name = at->path().filename().string();
        if (at->is_directory(ignored) && !name.starts_with('.') && state_.folders.size() < kMostEntries)
            state_.folders.push_back(name);
        const bool known = hasSnapshotExtension(at->path()) || isSceneFile(name);
        if (!known || !at->is_regular_file(ignored)) continue;
        const std::string path = state_.folder == here ? "./" + name : at->path().string();
        found.emplace_back(at->last_write_time(ignored), FilesState::Entry{path, name, detailOf(at->path())});
    }
    std::ranges::sort(state_.folders);
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (auto& [time, entry] : found)
        if (state_.entries.size() < kMostEntries) state_.entries.push_back(std::move(entry));
    listRecent();
}

/// What was opened or saved lately and is still there. A state folder that cannot be used remembers nothing.
void SessionFiles::listRecent() {
    state_.recent.clear();
    for (const std::string& path : recentFiles()) {
        std::error_code ignored;
        if (!fs::is_regular_file(path, ignored)) continue;
        state_.recent.push_back(
            {path, printable(fs::path(path).filename().string()), printable(fs::path(path).parent_path().string())});
    }
}

void SessionFiles::remember(const std::string& path) {
    state_.listed = false;
    if (autosaveSeconds_ <= 0) return;  // a window that leaves nothing behind
    std::error_code ignored;
    rememberFile(fs::absolute(path, ignored).lexically_normal());
}

void SessionFiles::save(std::string path, const WriteOptions& options, std::string purpose) {
    saves_.push_back({workspace_.host.first().feed().ask(), std::move(path), options, std::move(purpose)});
}

/// Hands states that have come to the saver.
void SessionFiles::writeStates() {
    const auto failed = [this](const Save& save, const std::string& why) {
        changed_ = true;
        if (save.purpose != "autosave") state_.busy.clear();
        workspace_.warn(save.purpose == "autosave" ? "The autosave failed: " + why : why);
        return true;
    };
    std::erase_if(saves_, [&](Save& save) {
        try {
            std::shared_ptr<const FedState> state = save.state.take();
            if (!state) return false;
            saver_.save(
                save.path, [state = std::move(state)] { return checkpointOf(state->configuration, state->state); },
                save.options, save.purpose);
            return true;
        } catch (const std::bad_alloc&) {
            return failed(save, save.path + ": there is not enough memory for it");
        } catch (const std::exception& error) {
            return failed(save, error.what());
        }
    });
}

void SessionFiles::watch() {
    if (workspace_.facts.configuration.bodies > kGuardedBodies) {
        guard_.reset();
        return;
    }
    if (!guard_) guard_.emplace();
    std::optional<NonFiniteState> blown;
    try {
        blown = guard_->update(workspace_.host.simulation(), workspace_.host.first().feed());
    } catch (const std::bad_alloc&) {
        return;  // without memory for a look the run goes on; the next one is asked for
    }
    if (!blown || workspace_.intent.paused) return;
    setParameter(workspace_, "run.paused", true);
    changed_ = true;
    char text[160];
    std::snprintf(
        text, sizeof text,
        "Body %zu is not finite at step %lld, t = %g; the run is paused. A smaller time step or a larger softening "
        "may help. ",
        blown->body, static_cast<long long>(blown->step), blown->time);
    workspace_.warn(text + (guard_->startIsGood() && mark_ ? keep(*guard_->lastGood(), mark_->autosave()) : std::string()));
    if (mark_ && guard_->startIsGood()) {
        state_.recover = mark_->autosave().string();
        state_.recoverText = "The run stopped being finite. Its last good state was kept.";
    }
}

void SessionFiles::autosave() {
    if (!mark_ || saver_.busy() || !saves_.empty() || workspace_.facts.step == savedStep_ || !state_.recover.empty()) return;
    const auto time = std::chrono::steady_clock::now();
    if (time - saved_ < std::chrono::duration<double>(autosaveSeconds_)) return;
    saved_ = time;
    savedStep_ = workspace_.facts.step;
    save(mark_->autosave().string(), {}, "autosave");
}

std::string SessionFiles::keep(const FedState& state, const fs::path& file) noexcept {
    try {
        writeSnapshot(file, checkpointOf(state.configuration, state.state));
        rememberFile(file);  // Ctrl O offers it
        return "The state of step " + std::to_string(state.step()) + " was saved; go on with: gravlab " + file.string();
    } catch (const std::exception& error) {
        return std::string("The state could not be saved: ") + error.what();
    }
}

void SessionFiles::close() {
    if (!saves_.empty()) workspace_.host.first().feed().serve(workspace_.host.simulation());
    writeStates();
    saver_.wait();
    // What is offered from another session stays on offer.
    if (mark_) mark_->remove();
}

std::string SessionFiles::rescue() noexcept {
    try {
        saver_.wait();
        if (guard_ && guard_->startIsGood() && guard_->lastGood()->run == workspace_.facts.run)
            return keep(*guard_->lastGood(), leftRunFile(guard_->lastGood()->configuration.scene));
        if (mark_ && savedStep_ >= 0)
            return "The autosave of step " + std::to_string(savedStep_) + " is in " + mark_->autosave().string();
    } catch (const std::exception&) {
        return {};
    }
    return {};
}

std::string SessionFiles::leave() noexcept {
    try {
        saver_.wait();
        const std::string text =
            keep(*copyOf(workspace_.host.simulation()), leftRunFile(workspace_.facts.configuration.scene));
        if (mark_) mark_->remove();
        return text;
    } catch (const std::exception& error) {
        return std::string("The state could not be saved: ") + error.what();
    }
}

}  // namespace gravlab
