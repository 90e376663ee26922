#include "app/frontends/window/session_files.h"

#include "app/control/open_file.h"
#include "app/control/parameter.h"
#include "app/control/scene_file.h"
#include "app/system/timed_name.h"
#include "sim/core/error.h"
#include "sim/core/text.h"
#include "sim/io/file/atomic_file.h"

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

SessionFiles::SessionFiles(App& app, FilesState& state, double autosaveSeconds)
    : app_(app), state_(state), autosaveSeconds_(autosaveSeconds), saved_(std::chrono::steady_clock::now()) {
    if (autosaveSeconds_ <= 0) return;
    try {
        begin();
    } catch (const Error& error) {
        app_.document.warn(std::string("There is no autosave: ") + error.what());
    }
}

void SessionFiles::begin() {
    if (!fileFormat("hdf5").unavailable().empty()) throw IoError(fileFormat("hdf5").unavailable());
    const std::vector<fs::path> crashed = crashedSessions();
    mark_.emplace();
    if (const StartState* start = app_.document.facts.configuration.start.get(); start && !start->file.path.empty())
        remember(start->file.path);
    if (crashed.empty()) return;
    state_.recover = crashed.front().string();
    state_.recoverText = "An earlier session ended unexpectedly. It was saved last on " + dateOf(crashed.front()) + ".";
}

bool SessionFiles::update() {
    changed_ = false;
    handOver();
    takeResults();
    if (state_.shown && !state_.listed) list({});
    if (!state_.shown) state_.listed = false;
    watch();
    if (const std::string alarm = spotCheck_.update(app_.runs.simulation()); !alarm.empty()) {
        changed_ = true;
        app_.document.warn("At step " + std::to_string(app_.document.facts.step) + " " + alarm + ".");
    }
    autosave();
    return changed_ || saver_.busy() || !jobs_.empty();
}

EffectResult SessionFiles::save(std::string path, Ticket ticket) {
    if (path.empty()) path = timedName("gravlab-" + plainName(app_.document.facts.configuration.scene), ".hdf5");
    formatForWriting(path);
    requireReplaceable(path, {.keepPrevious = true});
    state_.busy = "Saving " + path;
    ask(std::move(path), {.keepPrevious = true}, "save", ticket);
    return {CommandStatus::running, {}, {}};
}

EffectResult SessionFiles::open(const Open& effect, Ticket ticket) {
    state_.busy = "Opening " + effect.file;
    ReadOptions read;
    if (!effect.units.empty()) read = againIn(app_.document, effect.units);
    jobs_.push_back({.purpose = "open", .path = effect.file, .ticket = ticket, .read = read});
    return {CommandStatus::running, {}, {}};
}

EffectResult SessionFiles::recover(Ticket ticket) {
    state_.busy = "Opening " + state_.recover;
    jobs_.push_back({.purpose = "recover", .path = state_.recover, .ticket = ticket});
    return {CommandStatus::running, {}, {}};
}

EffectResult SessionFiles::forget() {
    forgetSession(state_.recover);
    state_.recover.clear();
    return {};
}

void SessionFiles::requireSoundForces() {
    const std::string alarm = spotCheck_.settle(app_.runs.simulation());
    if (spotCheck_.failures() > 0)
        throw Error(ExitCode::checkFailed, alarm.empty() ? "a check of the forces failed: " + app_.document.message : alarm);
}

void SessionFiles::takeResults() {
    for (FileResult& result : saver_.take()) {
        changed_ = true;
        if (result.purpose != "autosave") state_.busy.clear();
        if (result.error.empty())
            ended_.push_back({result.ticket, taken(result)});
        else
            fail({.purpose = result.purpose, .path = result.path, .ticket = result.ticket}, result.error);
    }
}

/// What became of a job that did not fail: a file is there, or a run begins from one.
EffectResult SessionFiles::taken(FileResult& result) {
    if (result.kind == FileResult::Kind::saved) {
        state_.listed = false;
        if (result.purpose != "save") return {};
        remember(result.path);
        app_.document.say("Saved to " + result.path + ".");
        return {};
    }
    const auto takesUp = [this](bool again) { return app_.apply(again); };
    if (result.scene) {
        if (!takeScene(app_.document, *result.scene, takesUp)) return refusedBecause(app_.document.message);
        state_.shown = false;
        sayNotes({}, result.scene->notes);
        remember(result.path);
        return {};
    }
    if (!takeStart(app_.document, *result.offer, takesUp)) return refusedBecause(app_.document.message);
    // The question about units has a panel of its own, with its answers.
    if (app_.document.unitsInDoubt())
        std::erase(result.offer->notes, app_.document.facts.configuration.start->doubt.question);
    sayNotes(result.path + ": ", result.offer->notes);
    state_.shown = false;
    if (result.purpose == "recover") {
        forgetSession(state_.recover);
        state_.recover.clear();
        savedStep_ = -1;  // not saved under this session's name yet
        saved_ = {};
    } else {
        remember(result.path);
    }
    return {};
}

/// Stays until it is dismissed, in front of a class as well as in the morning.
void SessionFiles::fail(const Job& job, const std::string& why) {
    changed_ = true;
    if (job.purpose != "autosave") state_.busy.clear();
    app_.document.warn(job.purpose == "autosave" ? "The autosave failed: " + why : why);
    const bool writes = job.purpose == "save" || job.purpose == "autosave";
    ended_.push_back({job.ticket, writes ? failedBecause(why) : refusedBecause(why)});
}

void SessionFiles::sayNotes(const std::string& before, const std::vector<std::string>& notes) {
    std::string text;
    for (const std::string& note : notes) text += (text.empty() ? "" : "; ") + note;
    if (!text.empty()) app_.document.warn(before + text + ".");
}

EffectResult SessionFiles::list(const std::string& asked) {
    state_.listed = true;
    std::error_code error;
    const fs::path here = fs::current_path(error);
    const fs::path folder = (state_.folder.empty() ? here : fs::path(state_.folder)) / asked;
    fs::directory_iterator at(folder, error);
    if (error) {
        app_.document.warn("The folder " + printable(folder.string()) + " cannot be listed: " + error.message() + ".");
        return failedBecause(app_.document.message);
    }
    state_.folder = fs::weakly_canonical(folder, error).string();
    state_.proposed = timedName("gravlab-" + plainName(app_.document.facts.configuration.scene), "");
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
    return {};
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

void SessionFiles::ask(std::string path, const WriteOptions& options, std::string purpose, Ticket ticket) {
    jobs_.push_back({.purpose = std::move(purpose),
                     .path = std::move(path),
                     .ticket = ticket,
                     .state = app_.runs.first().feed().ask(),
                     .options = options});
}

/// Hands jobs on in their order. Who saves and then opens finds what was saved; a state that is on its way holds up what
/// comes after it.
void SessionFiles::handOver() {
    while (!jobs_.empty() && !saver_.full()) {
        if (!handOver(jobs_.front())) return;
        jobs_.pop_front();
    }
}

bool SessionFiles::handOver(Job& job) {
    if (job.purpose == "open" && isSceneFile(job.path)) {
        saver_.openScene(job.path, sceneBase(app_.document), job.purpose, job.ticket);
        return true;
    }
    if (job.purpose == "open" || job.purpose == "recover") {
        saver_.open(job.path, job.read, job.purpose, job.ticket);
        return true;
    }
    try {
        std::shared_ptr<const FedState> state = job.state.take();
        if (!state) return false;
        saver_.save(
            job.path, [state = std::move(state)] { return checkpointOf(state->configuration, state->state); }, job.options,
            job.purpose, job.ticket);
    } catch (const std::bad_alloc&) {
        fail(job, job.path + ": there is not enough memory for it");
    } catch (const std::exception& error) {
        fail(job, error.what());
    }
    return true;
}

void SessionFiles::watch() {
    if (app_.document.facts.configuration.bodies > kGuardedBodies) {
        guard_.reset();
        return;
    }
    if (!guard_) guard_.emplace();
    std::optional<NonFiniteState> blown;
    try {
        blown = guard_->update(app_.runs.simulation(), app_.runs.first().feed());
    } catch (const std::bad_alloc&) {
        return;  // without memory for a look the run goes on; the next one is asked for
    }
    if (!blown || app_.document.intent.paused) return;
    setParameter(app_.document, "run.paused", true);
    changed_ = true;
    char text[160];
    std::snprintf(
        text, sizeof text,
        "Body %zu is not finite at step %lld, t = %g; the run is paused. A smaller time step or a larger softening "
        "may help. ",
        blown->body, static_cast<long long>(blown->step), blown->time);
    app_.document.warn(text +
                       (guard_->startIsGood() && mark_ ? keep(*guard_->lastGood(), mark_->autosave()) : std::string()));
    if (mark_ && guard_->startIsGood()) {
        blownRun_ = app_.document.facts.run;
        state_.recover = mark_->autosave().string();
        state_.recoverText = "The run stopped being finite. Its last good state was kept.";
    }
}

void SessionFiles::autosave() {
    if (!mark_ || saver_.busy() || !jobs_.empty() || app_.document.facts.step == savedStep_) return;
    if (app_.document.facts.run == blownRun_) return;
    const auto time = std::chrono::steady_clock::now();
    if (time - saved_ < std::chrono::duration<double>(autosaveSeconds_)) return;
    saved_ = time;
    savedStep_ = app_.document.facts.step;
    ask(mark_->autosave().string(), {}, "autosave", 0);
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

std::string SessionFiles::close() {
    std::erase_if(jobs_, [](const Job& job) { return job.purpose == "open" || job.purpose == "recover"; });
    if (!jobs_.empty()) app_.runs.first().feed().serve(app_.runs.simulation());
    for (; !jobs_.empty(); saver_.wait()) handOver();
    saver_.wait();
    std::string lost;
    for (const Ended& one : ended_)
        if (one.outcome.status == CommandStatus::failed && one.ticket != 0) lost = one.outcome.why;
    for (const FileResult& result : saver_.take())
        if (result.purpose == "save" && !result.error.empty()) lost = result.error;
    if (!lost.empty()) {
        const bool blown = app_.document.facts.run == blownRun_;  // the last good state is in its place
        if (mark_ && blown) return lost + ". The last good state is in " + mark_->autosave().string();
        return lost + ". " +
               keep(*copyOf(app_.runs.simulation()),
                    mark_ ? mark_->autosave() : leftRunFile(app_.document.facts.configuration.scene));
    }
    // What is offered from another session stays on offer.
    if (mark_) mark_->remove();
    return {};
}

std::string SessionFiles::rescue() noexcept {
    try {
        saver_.wait();
        if (guard_ && guard_->startIsGood() && guard_->lastGood()->run == app_.document.facts.run)
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
        const std::string text = keep(*copyOf(app_.runs.simulation()), leftRunFile(app_.document.facts.configuration.scene));
        if (mark_) mark_->remove();
        return text;
    } catch (const std::exception& error) {
        return std::string("The state could not be saved: ") + error.what();
    }
}

}  // namespace gravlab
