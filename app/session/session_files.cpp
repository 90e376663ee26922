#include "app/session/session_files.h"

#include "app/files/open_file.h"
#include "app/files/scene_file.h"
#include "app/files/snapshot_jobs.h"
#include "app/system/file_names.h"
#include "app/tables/format.h"
#include "app/view/base_host.h"
#include "sim/api/errors.h"
#include "sim/core/names.h"
#include "sim/core/text.h"
#include "sim/io/file/atomic_file.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <memory>
#include <new>

namespace gravlab {
namespace {

namespace fs = std::filesystem;

// The longest list that is still readable.
constexpr std::size_t kMostEntries = 100;

std::string dateOf(const fs::path& file) {
    std::error_code error;
    const auto written = fs::last_write_time(file, error);
    if (error) return {};
    // Some libraries lack C++20's clock_cast; the two clocks run alike.
    const auto age = fs::file_time_type::clock::now() - written;
    const std::time_t when =
        std::time(nullptr) - static_cast<std::time_t>(std::chrono::duration_cast<std::chrono::seconds>(age).count());
    return timeText(when, "%Y-%m-%d %H:%M");
}

std::string sizeText(std::uintmax_t bytes) {
    return bytes >= 1000000 ? formatted("%.1f MB", static_cast<double>(bytes) * 1e-6)
                            : formatted("%.1f kB", static_cast<double>(bytes) * 1e-3);
}

std::string detailOf(const fs::path& file) {
    std::error_code ignored;
    return sizeText(fs::file_size(file, ignored)) + "   " + dateOf(file);
}

/// Content of a folder, as the panel of files shows it.
struct Listing {
    std::string folder;
    std::vector<std::string> folders;
    std::vector<FilesState::Entry> entries, recent;
};

/// Recent files that still exist. Without a usable state folder there are none.
std::vector<FilesState::Entry> listedRecent() {
    std::vector<FilesState::Entry> recent;
    for (const std::string& path : recentFiles()) {
        std::error_code ignored;
        if (!fs::is_regular_file(path, ignored)) continue;
        recent.push_back(
            {path, printable(fs::path(path).filename().string()), printable(fs::path(path).parent_path().string())});
    }
    return recent;
}

/// Throws IoError.
Listing listingOf(const std::string& now, const std::string& wanted) {
    std::error_code error;
    const fs::path here = fs::current_path(error);
    const fs::path folder = (now.empty() ? here : fs::path(now)) / wanted;
    fs::directory_iterator at(folder, error);
    if (error) throw IoError("The folder " + printable(folder.string()) + " cannot be listed: " + error.message() + ".");
    Listing listing;
    listing.folder = fs::weakly_canonical(folder, error).string();
    listing.recent = listedRecent();
    std::vector<std::pair<fs::file_time_type, FilesState::Entry>> found;
    for (const fs::directory_iterator end; !error && at != end; at.increment(error)) {
        std::error_code ignored;
        const std::string name = at->path().filename().string();
        if (at->is_directory(ignored) && !name.starts_with('.') && listing.folders.size() < kMostEntries)
            listing.folders.push_back(name);
        const bool known = hasSnapshotExtension(at->path()) || isSceneFile(name);
        if (!known || !at->is_regular_file(ignored)) continue;
        const std::string path = listing.folder == here ? "./" + name : at->path().string();
        found.emplace_back(at->last_write_time(ignored), FilesState::Entry{path, name, detailOf(at->path())});
    }
    std::ranges::sort(listing.folders);
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (auto& [time, entry] : found)
        if (listing.entries.size() < kMostEntries) listing.entries.push_back(std::move(entry));
    return listing;
}

}  // namespace

SessionFiles::SessionFiles(App& app, double autosaveSeconds)
    : app_(app),
      state_(app.reports.files),
      autosaveSeconds_(autosaveSeconds),
      saved_(std::chrono::steady_clock::now()),
      savedStep_(app.document.facts.step),
      savedRun_(app.document.facts.bodiesId) {
    if (autosaveSeconds_ <= 0) return;
    try {
        begin();
    } catch (const Error& error) {
        app_.reports.news.warn(std::string("There is no autosave: ") + error.what());
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
    lost_.clear();
    unsaved_ = false;
    changed_ = jobs_.poll();
    changed_ |= lists_.poll();
    const bool shown = app_.document.ui.files.shown;
    if (shown && !state_.listed) list({}, 0);
    if (!shown) state_.listed = false;
    watch();
    if (const std::string alarm = spotCheck_.update(app_.runs.simulation()); !alarm.empty()) {
        changed_ = true;
        app_.reports.news.warn("At step " + std::to_string(app_.document.facts.step) + " " + alarm + ".");
    }
    autosave();
    return changed_ || jobs_.busy() || lists_.busy();
}

void SessionFiles::end(Ticket ticket, EffectResult outcome) {
    if (ticket != 0) ended_.push_back({ticket, std::move(outcome)});
}

EffectResult SessionFiles::run(FileJob job, Ticket ticket, Rest rest, bool endsRun) {
    job.done = [this, ticket, done = std::move(job.done), reads = job.reads, rest = std::move(rest),
                endsRun](const FileOutcome& outcome) {
        if (done) done(outcome);
        EffectResult result = resultOf(outcome);
        result.endsRun = endsRun;
        if (result.status == CommandStatus::applied)
            result.rest = rest;
        else if (!reads)
            lost_ = outcome.sentence;
        end(ticket, std::move(result));
    };
    jobs_.post(std::move(job));
    return {CommandStatus::running, {}, {}};
}

/// The newest complete step, once the feed has it. `goodOnly`: a state that is not finite does not replace the file.
FileJob SessionFiles::savingRun(const std::string& path, const WriteOptions& options, bool goodOnly) {
    const auto state = std::make_shared<std::shared_ptr<const FedState>>();
    FileJob job = saving(
        path,
        [state, goodOnly] {
            const std::shared_ptr<const FedState> taken = std::exchange(*state, nullptr);
            if (const auto bad = goodOnly ? badOf(*taken) : std::nullopt)
                throw IoError(bad->text() + " at step " + std::to_string(bad->step) + "; the autosave before it stays");
            return checkpointOf(taken->configuration, taken->state);
        },
        options);
    const auto ticket = std::make_shared<StateTicket>(app_.runs.first().feed().hold());
    job.ready = [state, ticket, path] { return withMemoryFor(path, [&] { return (*state = ticket->take()) != nullptr; }); };
    return job;
}

EffectResult SessionFiles::save(std::string path, Ticket ticket) {
    if (path.empty()) path = timedName("gravlab-" + plainName(app_.document.facts.configuration.scene), ".hdf5");
    formatForWriting(path);
    requireReplaceable(path, {.keepPrevious = true});
    state_.busy = "Saving " + path;
    FileJob job = savingRun(path, {.keepPrevious = true});
    // A failure stays on screen until it is dismissed.
    job.done = [this, path](const FileOutcome& outcome) {
        state_.busy.clear();
        if (outcome.status != FileOutcome::Status::written) {
            unsaved_ = true;
            return app_.reports.news.warn(outcome.sentence);
        }
        app_.reports.news.say(outcome.sentence);
        remember(path);
    };
    return run(std::move(job), ticket);
}

EffectResult SessionFiles::open(const Open& effect, Ticket ticket) {
    ReadOptions options;
    if (!effect.units.empty()) options = againIn(app_.document, effect.units);
    return read(effect.file, options, false, ticket);
}

EffectResult SessionFiles::recover(Ticket ticket) { return read(state_.recover, {}, true, ticket); }

/// Reads beside the frames, and begins the run with the state that was read.
EffectResult SessionFiles::read(const std::string& path, const ReadOptions& options, bool recovers, Ticket ticket) {
    struct Found {
        LoadedStart start;
        std::optional<StartOptions> scene;
    };
    const auto found = std::make_shared<Found>();
    if (!recovers && isSceneFile(path)) found->scene = sceneBase(app_.document);
    state_.busy = "Opening " + path;
    FileJob job{.work =
                    [found, path, options, recovers] {
                        return withMemoryFor(path, [&] {
                            if (found->scene) {
                                found->scene->file = path;
                                found->scene = withSceneFile(*found->scene);
                            } else {
                                found->start = openStart(path, options, !recovers);
                            }
                            return std::string();
                        });
                    },
                .done =
                    [this](const FileOutcome& outcome) {
                        if (outcome.status == FileOutcome::Status::written || leaves_) return;
                        state_.busy.clear();
                        app_.reports.news.warn(outcome.sentence);
                    },
                .reads = true};
    Rest rest = [this, found, path, recovers](Document& document) {
        state_.busy.clear();
        return found->scene ? taken(document, path, *found->scene)
                            : taken(document, path, std::move(found->start), recovers);
    };
    return run(std::move(job), ticket, std::move(rest), true);
}

/// The mark of this session stays, so that a later crash is offered.
EffectResult SessionFiles::forget(Ticket ticket) {
    const fs::path file = std::exchange(state_.recover, {});
    const bool own = mark_ && file == mark_->autosave();
    if (own) keptStep_ = -1;
    return run({.work =
                    [file, own] {
                        own ? forgetAutosave(file) : forgetSession(file);
                        return std::string();
                    }},
               ticket);
}

bool SessionFiles::requireSoundForces(double limit) {
    Simulation& simulation = app_.runs.simulation();
    const std::string alarm = spotCheck_.settle(simulation, limit);
    if (spotCheck_.failures() > 0)
        throw Error(ExitCode::checkFailed, alarm.empty() ? "a check of the forces failed: " + app_.document.message : alarm);
    return simulation.forceCheck() || simulation.totals().evaluated() == 0;
}

EffectResult SessionFiles::taken(Document& document, const std::string& path, const StartOptions& scene) {
    if (!takeScene(document, scene, app_.applyIntent())) return refusedBecause(document.message);
    document.ui.files.shown = false;
    sayNotes({}, scene.notes);
    remember(path);
    return {};
}

EffectResult SessionFiles::taken(Document& document, const std::string& path, LoadedStart offer, bool recovers) {
    std::vector<std::string> notes = offer.notes;
    if (!takeStart(document, std::move(offer), app_.applyIntent())) return refusedBecause(document.message);
    // The question about units has a panel of its own, with its answers.
    if (document.unitsInDoubt()) std::erase(notes, document.facts.configuration.start->doubt.question);
    sayNotes(path + ": ", notes);
    document.ui.files.shown = false;
    if (!recovers) {
        remember(path);
        return {};
    }
    forget(0);
    savedStep_ = keptStep_ = -1;  // this session has not saved it under its name yet
    saved_ = {};
    return {};
}

void SessionFiles::sayNotes(const std::string& before, const std::vector<std::string>& notes) {
    const std::string text = joined(notes, {}, "; ");
    if (text.empty()) return;
    const bool good = std::ranges::all_of(notes, [](const std::string& note) {
        return note.starts_with("converted from") || note.find("suit the bodies") != std::string::npos;
    });
    good ? app_.reports.news.say(before + text + ".") : app_.reports.news.warn(before + text + ".");
}

EffectResult SessionFiles::list(const std::string& wanted, Ticket ticket) {
    state_.listed = true;
    state_.proposed = proposedName("gravlab-" + plainName(app_.document.facts.configuration.scene), "");
    const auto found = std::make_shared<Listing>();
    lists_.post({.work =
                     [found, now = state_.folder, wanted] {
                         *found = listingOf(now, wanted);
                         return std::string();
                     },
                 .done =
                     [this, found, ticket](const FileOutcome& outcome) {
                         if (outcome.status != FileOutcome::Status::written) {
                             app_.reports.news.warn(outcome.sentence);
                             return end(ticket, failedBecause(outcome.sentence));
                         }
                         state_.folder = std::move(found->folder);
                         state_.folders = std::move(found->folders);
                         state_.entries = std::move(found->entries);
                         state_.recent = std::move(found->recent);
                         end(ticket, {});
                     },
                 .reads = true});
    return {CommandStatus::running, {}, {}};
}

void SessionFiles::remember(const std::string& path) {
    state_.listed = false;
    if (autosaveSeconds_ <= 0) return;  // a window that leaves no files behind
    std::error_code ignored;
    jobs_.post({.work =
                    [file = fs::absolute(path, ignored).lexically_normal()] {
                        rememberFile(file);
                        return std::string();
                    },
                .done = [this](const FileOutcome&) { state_.listed = false; }});
}

void SessionFiles::watch() {
    std::optional<NonFiniteState> blown;
    try {
        blown = guard_.update(app_.runs.simulation(), app_.runs.first().feed(), app_.view.outOfRange());
    } catch (const std::bad_alloc&) {
        return;  // without memory for a copy the run continues; the next copy is requested
    }
    if (!blown || app_.document.intent.paused) return;
    app_.post({{SetParameter{"run.paused", true}}, Sender::guard});
    changed_ = true;
    const std::string where =
        formatted(" at step %lld, t = %g; the run is paused. A smaller time step or a larger softening may help. ",
                  static_cast<long long>(blown->step), blown->time);
    const std::string text = blown->text() + where;
    app_.reports.news.warn(text);
    if (!mark_) return;
    const bool saved = keptStep_ >= 0 && keptRun_ == app_.document.facts.bodiesId;
    if (!guard_.startIsGood() && !saved) return;
    blownRun_ = app_.document.facts.bodiesId;
    jobs_.post({.work =
                    [good = guard_.startIsGood() ? guard_.lastGood() : nullptr, file = mark_->autosave(), step = keptStep_] {
                        if (good) return keep(*good, file);
                        return "The autosave of step " + std::to_string(step) + " is in " + file.string();
                    },
                .done =
                    [this, text](const FileOutcome& outcome) {
                        app_.reports.news.warn(text + outcome.sentence);
                        state_.recover = mark_->autosave().string();
                        state_.recoverText = "The run stopped being finite. Its last good state was kept.";
                    }});
}

void SessionFiles::autosave() {
    const RunFacts& facts = app_.document.facts;
    if (!mark_ || jobs_.busy() || (facts.step == savedStep_ && facts.bodiesId == savedRun_)) return;
    if (app_.document.facts.bodiesId == blownRun_) return;
    const auto time = std::chrono::steady_clock::now();
    if (time - saved_ < std::chrono::duration<double>(autosaveSeconds_)) return;
    saved_ = time;
    savedStep_ = facts.step;
    savedRun_ = facts.bodiesId;
    FileJob job = savingRun(mark_->autosave().string(), {}, true);
    job.done = [this, step = savedStep_, run = app_.document.facts.bodiesId](const FileOutcome& outcome) {
        state_.listed = false;
        if (outcome.status != FileOutcome::Status::written)
            return app_.reports.news.warn("The autosave failed: " + outcome.sentence);
        keptStep_ = step;
        keptRun_ = run;
    };
    jobs_.post(std::move(job));
}

std::string SessionFiles::keep(const FedState& state, const fs::path& file) noexcept {
    try {
        writeSnapshot(file, checkpointOf(state.configuration, state.state));
        rememberFile(file);  // Ctrl O offers it
        return "The state of step " + std::to_string(state.step()) + " was saved; continue with: gravlab " + file.string();
    } catch (const std::exception& error) {
        return std::string("The state could not be saved: ") + error.what();
    }
}

/// Waits for files that are to be written, as far as their states have arrived.
void SessionFiles::settle() {
    leaves_ = true;
    jobs_.dropReads();
    lists_.dropReads();
    jobs_.wait();
    jobs_.poll();
}

std::string SessionFiles::close() {
    jobs_.dropReads();
    if (jobs_.busy()) app_.runs.first().feed().serve(app_.runs.simulation());
    settle();
    if (unsaved_) {
        // The last good state takes the place of a run that is not finite, unless it was discarded.
        std::error_code ignored;
        const bool blown = app_.document.facts.bodiesId == blownRun_;
        if (mark_ && blown && fs::exists(mark_->autosave(), ignored))
            return lost_ + ". The last good state is in " + mark_->autosave().string();
        return lost_ + ". " +
               keep(*copyOf(app_.runs.simulation()),
                    mark_ ? mark_->autosave() : leftRunFile(app_.document.facts.configuration.scene));
    }
    // The offer of another session's autosave stays.
    if (mark_) mark_->remove();
    return lost_;
}

std::string SessionFiles::rescue() noexcept {
    try {
        settle();
        if (guard_.startIsGood() && guard_.lastGood()->bodiesId == app_.document.facts.bodiesId)
            return keep(*guard_.lastGood(), leftRunFile(guard_.lastGood()->configuration.scene));
        if (mark_ && keptStep_ >= 0)
            return "The autosave of step " + std::to_string(keptStep_) + " is in " + mark_->autosave().string();
    } catch (const std::exception&) {
        return {};
    }
    return {};
}

std::string SessionFiles::leave() noexcept {
    try {
        settle();
        const std::string text = keep(*copyOf(app_.runs.simulation()), leftRunFile(app_.document.facts.configuration.scene));
        if (mark_) mark_->remove();
        return lost_.empty() ? text : lost_ + ". " + text;
    } catch (const std::exception& error) {
        return std::string("The state could not be saved: ") + error.what();
    }
}

}  // namespace gravlab
