// The queue, and the application of each kind of command. Rule: a refused command leaves the document unchanged.
#include "app/control/controller.h"

#include "app/control/action.h"
#include "app/control/json_value.h"
#include "app/files/open_file.h"
#include "app/files/scene_file.h"
#include "app/model/ui_state.h"
#include "app/parameters/parameter.h"
#include "sim/api/errors.h"
#include "sim/core/names.h"
#include "sim/io/run_settings.h"
#include "sim/own/own_kernel.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

namespace gravlab {
namespace {

/// The reach of a path: the run itself, its twin, settings that depend on the present bodies, or the rest.
enum class Reach { run, twin, bodies, rest };
Reach reachOf(std::string_view path) {
    constexpr std::string_view kPace[] = {"run.speed", "run.steps_per_frame", "run.time_budget", "run.paused"};
    if (std::find(std::begin(kPace), std::end(kPace), path) != std::end(kPace)) return Reach::rest;
    if (path.starts_with("run.") || path.starts_with("scene.")) return Reach::run;
    if (path.starts_with("twin.") && path != "twin.view") return Reach::twin;
    return path == "view.selected" || path == "view.follow" ? Reach::bodies : Reach::rest;
}

/// Restores the requests after a refusal in a batch. Facts stay, because they are true in any case.
void restoreDocument(Document& document, Document&& before) {
    if (document.facts.bodies != before.facts.bodies) before.selected = std::move(document.selected);
    before.facts = std::move(document.facts);
    static_cast<News&>(before) = document;
    document = std::move(before);
}

/// Whether the setting restarts the run: the previous run is then gone, and a later refusal could not restore it.
bool beginsAnew(std::string_view path) {
    return path == "run.scene" || path == "run.bodies" || path == "run.seed" || path.starts_with("scene.");
}

/// Settings beside the run, whose requests hold more than their values; in the order of the table.
const std::vector<const Parameter*>& settableRows() {
    static const std::vector<const Parameter*> rows = [] {
        std::vector<const Parameter*> all;
        for (const Parameter& row : parameters())
            if (!row.fact() && reachOf(row.path) != Reach::run) all.push_back(&row);
        return all;
    }();
    return rows;
}

/// Restores the requests that a change altered. Requests that it left alone stay, and results of a search stay known.
void restoreRequest(RunRequest& now, const RunRequest& before, const RunRequest& made) {
    if (before.scene != made.scene) now.changeScene(before.scene);
    for (const SettingRow& row : settingRows())
        if (row.text(before) != row.text(made)) row.copy(now, before);
    if (before.start != made.start) now.start = before.start;
}

/// Whether the run would restart on the way from one request to the other.
bool differInStart(const RunRequest& a, const RunRequest& b) {
    return a.scene != b.scene || a.sceneVersion != b.sceneVersion || a.bodies != b.bodies || a.seed != b.seed ||
           a.parameters != b.parameters || a.start != b.start;
}

bool sizesDiffer(const RunRequest& a, const RunRequest& b) { return a.radius != b.radius || a.density != b.density; }

/// Returns to the run, or to the sizes of its bodies, that a change of the request ends; empty: it ends neither.
Inverse keptOf(Host& host, const RunRequest& before, const RunRequest& wanted, bool restarts = false) {
    if (restarts || differInStart(before, wanted)) return host.keepState();
    return sizesDiffer(before, wanted) ? host.keepSizes() : Inverse();
}

bool isUndo(const Command& command) {
    const auto* action = std::get_if<Invoke>(&command);
    return action && action->action == "undo";
}

/// Whether the command only looks, rotates or begins a drag: the pointer can reverse that itself.
bool onlyPoints(const Command& command) {
    const auto* pointer = std::get_if<Pointer>(&command);
    return pointer && pointer->kind != PointerKind::dropEnd && pointer->kind != PointerKind::aimEnd &&
           pointer->kind != PointerKind::pullStart;
}

/// Whether it changes how texts are displayed, including those of the welcome card, or is about that card.
bool aboutLetters(const Command& command) {
    const auto* action = std::get_if<Invoke>(&command);
    const auto* setting = std::get_if<SetParameter>(&command);
    const std::string_view path = action    ? actionOf(action->action).parameter
                                  : setting ? std::string_view(setting->path)
                                            : std::string_view();
    return path == "window.text_scale" || path == "window.full_screen" || path == "window.welcome";
}

/// Why a command cannot be undone; empty where it can.
std::string whyNotUndoable(const Command& command) {
    if (const auto* action = std::get_if<Invoke>(&command)) return std::string(actionOf(action->action).whyNotUndoable);
    return {};
}

/// Bytes of the bodies that a request begins with, where they are in no scene.
std::size_t startBytes(const RunRequest& request) {
    return request.start ? request.start->state.bodies.size() * 2 * sizeof(Double4) : 0;
}

/// Applies the intent. Throws UsageError with the sentence of a refusal.
void applyIntent(Document& document, Host& host, bool again = false) {
    const TwinChoice twin = document.intent.twin;
    if (!host.apply(again)) throw UsageError(document.message);
    if (document.intent.twin != twin) throw UsageError(document.message.empty() ? "the twin was refused" : document.message);
}

/// What the pointer does, in the order of PointerKind; some kinds leave an effect.
struct PointerRow {
    std::string_view name;
    void (*act)(Document&, const Pointer&, std::optional<Effect>& effect);
};
constexpr PointerRow kPointerRows[] = {
    {"orbit", [](Document& d, const Pointer& p, auto&) { d.camera.orbit(p.by); }},
    {"pan", [](Document& d, const Pointer& p, auto&) { d.panBy(p.by, p.at, p.surface); }},
    {"zoom", [](Document& d, const Pointer& p, auto&) { d.zoomAt(p.by.y, p.at, p.surface); }},
    {"centre", [](Document& d, const Pointer& p, auto&) { d.centreOn(p.at, p.surface); }},
    {"pick", [](Document& d, const Pointer& p, auto&) { d.pickAt(p.at, p.surface); }},
    {"drop-start", [](Document& d, const Pointer& p, auto&) { d.startDrop(p.at, p.surface); }},
    {"drop-move", [](Document& d, const Pointer& p, auto&) { d.moveDrop(p.at); }},
    {"drop-end",
     [](Document& d, const Pointer&, std::optional<Effect>& effect) {
         if (const auto order = d.drop.release()) effect = EditBodies{.row = "launch", .order = order};
     }},
    {"drop-cancel", [](Document& d, const Pointer&, auto&) { d.drop.cancel(); }},
    {"aim-start", [](Document& d, const Pointer& p, auto&) { d.startAim(p.at, p.surface); }},
    {"aim-move", [](Document& d, const Pointer& p, auto&) { d.moveAim(p.at); }},
    {"aim-end",
     [](Document& d, const Pointer&, std::optional<Effect>& effect) {
         if (const auto velocity = d.aim.release()) effect = EditBodies{.row = "aim", .velocity = *velocity};
     }},
    {"aim-cancel", [](Document& d, const Pointer&, auto&) { d.aim.cancel(); }},
    {"pull-start",
     [](Document& d, const Pointer& p, std::optional<Effect>& effect) {
         if (d.startPull(p.at, p.surface)) effect = EditBodies{.row = "pull"};
     }},
    {"pull-move", [](Document& d, const Pointer& p, auto&) { d.movePull(p.at); }},
    {"pull-end", [](Document& d, const Pointer&, auto&) { d.pull.end(); }},
};
const PointerRow& rowOf(const Pointer& pointer) { return kPointerRows[static_cast<std::size_t>(pointer.kind)]; }

bool isScene(const std::string& name) {
    return std::any_of(sceneTable().begin(), sceneTable().end(), [&](const Scene& row) { return row.name == name; });
}

/// Throws UsageError where the path is neither a scene nor a file.
std::optional<Effect> open(Document& document, const OpenFile& command) {
    if (isScene(command.path)) {
        // A scene's name restarts that scene, even where it is running already.
        const bool again = document.facts.configuration.scene == command.path;
        document.intent.request.changeScene(command.path);
        return again ? std::optional<Effect>(Restart{}) : std::nullopt;
    }
    if (!meansFile(command.path)) {
        std::vector<std::string_view> valid;
        for (const Scene& row : sceneTable()) valid.push_back(row.name);
        throw UsageError(unknownName("scene", command.path, valid) + "; nor is there a file of that name");
    }
    if (command.others > 0) document.warn("Of the files that were dropped the first is opened; a run has one start.");
    return Open{.file = command.path};
}

/// A user's own kernel is named by the run; one that a search has found is what an open kernel means.
void useTuned(Document& document, const TunedChoice& found) {
    RunRequest& request = document.intent.request;
    if (isOwnKernel(found.kernel.kernel)) {
        if (document.facts.configuration.backend != found.backend) request.changeBackend(found.backend);
        request.pairs().kernel = {found.kernel.kernel, {}};
        return;
    }
    const Tuning& known = request.tuning ? *request.tuning : Tuning();
    request.tuning = std::make_shared<Tuning>(known.with(found));
    request.pairs().kernel = {};
}

/// The result of an effect, after the rest of it.
EffectResult finishOnDocument(EffectResult result, Document& document) {
    return result.rest ? result.rest(document) : result;
}

/// Stores all settings before the run sees the first of them.
std::optional<Effect> begin(Document& document, const Begin& command) {
    std::optional<Effect> again;
    if (!command.scene.empty()) {
        if (document.facts.configuration.scene == command.scene) again = Restart{};
        document.intent.request.changeScene(sceneNamed(command.scene).name);
    }
    for (const SetParameter& setting : command.settings) try {
            setParameter(document, setting.path, setting.value);
        } catch (const UsageError&) {
            continue;  // a scene of fixed size has no number of bodies
        }
    return again;
}

}  // namespace

std::string commandText(const Command& command) {
    struct Text {
        std::string operator()(const SetParameter& c) const { return "set " + c.path + " " + valueText(c.value); }
        std::string operator()(const Invoke& c) const {
            std::string text = "do " + c.action;
            for (const Value& argument : c.arguments) text += " " + valueText(argument);
            return text;
        }
        std::string operator()(const Pointer& c) const { return "pointer " + std::string(rowOf(c).name); }
        std::string operator()(const GoTo& c) const { return "go to kept state " + std::to_string(c.state + 1); }
        std::string operator()(const OpenFile& c) const { return "open " + valueText(c.path); }
        std::string operator()(const Begin& c) const { return "begin " + c.scene; }
        std::string operator()(const UseTuned& c) const { return "use kernel " + c.found.kernel.kernel + " of the lab"; }
    };
    return std::visit(Text(), command);
}

Ticket Controller::post(Command command, Sender sender) { return post(std::vector{std::move(command)}, sender); }

Ticket Controller::post(std::vector<Command> batch, Sender sender) {
    const std::lock_guard lock(mutex_);
    posted_.push_back({++lastTicket_, std::move(batch), sender});
    return lastTicket_;
}

bool Controller::busy() const {
    const std::lock_guard lock(mutex_);
    return !posted_.empty() || !running_.empty();
}

bool Controller::posted() const {
    const std::lock_guard lock(mutex_);
    return !posted_.empty();
}

std::vector<Event> Controller::take(Ticket ticket) {
    const auto found = followed_.find(ticket);
    if (found == followed_.end()) return {};
    std::vector<Event> events = std::exchange(found->second, {});
    if (!events.empty() && isEnd(events.back().status)) followed_.erase(found);
    return events;
}

/// Results of a batch outside the document.
struct Controller::Done {
    EffectResult effect{};  ///< result of its effect, or applied
    bool jumps = false;     ///< it moved to another state of the run
    bool restarts = false;  ///< it started the same scene again
    bool opens = false;     ///< it began another run at its end
    Inverse state{};        ///< returns to the state that it ended, or to the radii that it replaced
};

/// Records the changes of an applied batch. Camera movements by the pointer are not recorded: the pointer reverses them.
void Controller::record(const Document& document, const Batch& batch, const Document& before, const Done& done) {
    const Command& first = batch.commands.front();
    if (std::holds_alternative<Begin>(first)) {
        changes_.clear();
        undoSkips_ = "What was set before the lesson began is not undone in it.";
        return;
    }
    if (!undoable(batch.sender)) return;
    const auto* action = std::get_if<Invoke>(&first);
    const auto* setting = std::get_if<SetParameter>(&first);
    undoSkips_ = action ? actionOf(action->action).undoSkips : std::string_view();
    const bool held = action && actionOf(action->action).holds;
    Change change{.what = held ? "do " + action->action : commandText(first),
                  .path = setting ? setting->path : std::string(held ? "held" : ""),
                  .earlier = before.intent.request,
                  .made = document.intent.request,
                  .effect = done.effect.back,
                  .state = done.state,
                  .restarts = done.restarts,
                  .whyNotUndoable = isEnd(done.effect.status) ? whyNotUndoable(first) : std::string(),
                  .from = before.facts.runId,
                  .to = document.facts.runId};
    change.earlier.tuning = change.made.tuning;  // a search may have found it in the meantime
    if (batch.commands.size() > 1) change.what += " and " + std::to_string(batch.commands.size() - 1) + " more";
    for (const Parameter* row : settableRows()) {
        if (done.opens && row->path.starts_with("window.")) continue;  // the panel that opened it stays closed
        const auto& read = row->requested ? row->requested : row->get;
        if (Value was = read(before); (was != read(document) || row->get(before) != row->get(document)) && !isNothing(was))
            change.before.push_back({row->path, std::move(was)});
    }
    if (!done.state && change.whyNotUndoable.empty() && !(setting && setting->sameGesture)) {
        if (done.restarts)
            change.whyNotUndoable =
                "A new start of so many bodies is not undone: the state before it was too large to keep.";
        else if (sizesDiffer(change.earlier, change.made) && !differInStart(change.earlier, change.made))
            change.whyNotUndoable = "Another radius of so many bodies is not undone: their sizes were too many to keep.";
    }
    if (change.effect) change.earlier = change.made;  // bodies and states have their own inverse
    // A pause is no change of the run, and undo must not start it.
    const bool alone = !change.effect && !change.ofRun() && change.before.size() == 1;
    if (alone && change.before.front().path == "run.paused") change.before.clear();
    if (change.before.empty() && change.earlier == change.made && !change.effect && !change.restarts &&
        change.whyNotUndoable.empty())
        return;
    if (((setting && setting->sameGesture) || held) && !changes_.empty() && changes_.back().path == change.path) {
        // Undo returns to the value before the drag, or to where a flight by held keys began.
        changes_.back().made = std::move(change.made);
        changes_.back().to = change.to;
        return;
    }
    if (done.jumps) {
        change.bodies = document.facts.bodiesId;
        change.step = document.facts.step;
        // Several jumps in a row are one change: undo returns to the start of the first.
        if (!changes_.empty() && changes_.back().bodies == before.facts.bodiesId &&
            changes_.back().step == before.facts.step) {
            changes_.back().bodies = change.bodies;
            changes_.back().step = change.step;
            return;
        }
    }
    keep(std::move(change));
}

/// Adds a change that undo reverses next, or names. The oldest of too many is forgotten, and all before bodies of files that
/// would take too much memory.
void Controller::keep(Change change) {
    constexpr std::size_t kMostChanges = 100, kMostBytes = std::size_t{1} << 30;
    if (!change.whyNotUndoable.empty() && !changes_.empty() && changes_.back().whyNotUndoable == change.whyNotUndoable)
        return;
    changes_.push_back(std::move(change));
    if (changes_.size() > kMostChanges) changes_.erase(changes_.begin());
    std::size_t bytes = 0;
    for (std::size_t i = changes_.size(); i-- > 0;) {
        Change& one = changes_[i];
        if (one.earlier.start != one.made.start) bytes += startBytes(one.earlier);
        if (bytes <= kMostBytes) continue;
        one = {.what = one.what, .whyNotUndoable = "The bodies before it were too many to keep; open their file again."};
        changes_.erase(changes_.begin(), changes_.begin() + static_cast<std::ptrdiff_t>(i));
        break;
    }
}

/// One run takes the place of another, whose settings it has: changes of the one are then changes of the other.
void Controller::renumber(std::uint64_t from, std::uint64_t to) {
    for (Change& change : changes_) {
        if (change.from == from) change.from = to;
        if (change.to == from) change.to = to;
    }
}

/// Undoes the newest change and names it. Throws UsageError where there is none, or with the reason why it cannot be undone;
/// IoError where a second attempt is possible.
std::string Controller::undo(Document& document, Host& host) {
    if (changes_.empty()) throw UsageError(undoSkips_.empty() ? "There is nothing to undo." : std::string(undoSkips_));
    const Change change = changes_.back();
    if (!change.whyNotUndoable.empty()) {
        changes_.pop_back();  // the change before it can be undone next
        if (change.restarts) renumber(change.from, change.to);
        throw UsageError(change.whyNotUndoable);
    }
    if (change.ofRun() && change.to != document.facts.runId) {
        changes_.pop_back();
        throw UsageError("'" + change.what + "' changed a run that has ended, so it is not undone.");
    }
    const Precision precision = document.facts.configuration.force.precision;
    if (change.effect) {
        const EffectResult done = finishOnDocument(change.effect(), document);
        if (done.status == CommandStatus::failed) throw IoError(done.why);
        if (done.status == CommandStatus::refused) {
            changes_.pop_back();
            throw UsageError("The bodies of '" + change.what + "' are gone, because " + done.why + ".");
        }
        if (!done.why.empty()) document.say(done.why);
    }
    // A restarted run brings its own camera, look and selection, so the other settings follow it.
    restoreRequest(document.intent.request, change.earlier, change.made);
    applyIntent(document, host);
    const bool anew = differInStart(change.earlier, change.made);
    const bool back = change.state && change.state().status == CommandStatus::applied;
    if (change.restarts && !back) {
        changes_.pop_back();
        throw UsageError("The state before '" + change.what + "' is not kept any more.");
    }
    for (const SetParameter& setting : change.before) setParameter(document, setting.path, setting.value);
    applyIntent(document, host);
    changes_.pop_back();
    if (change.ofRun()) renumber(change.from, document.facts.runId);
    std::string done = change.what + " is undone";
    if (anew && !back)
        done += "; the run is at its start again";
    else if (!back && document.facts.configuration.force.precision != precision)
        done += "; positions and velocities keep the rounding of the precision in between";
    return done;
}

/// Sets all settings of a batch or none; `at` is the index of the refused one.
Controller::Done Controller::set(Document& document, Host& host, const Batch& batch, const Document& before,
                                 std::size_t& at) {
    std::string anew, beside;
    for (at = 0; at < batch.commands.size(); ++at) {
        const auto* c = std::get_if<SetParameter>(&batch.commands[at]);
        if (!c) throw UsageError("only settings can be in a batch");
        const Reach reach = reachOf(c->path);
        if (beginsAnew(c->path)) anew = c->path;
        if (reach == Reach::twin || reach == Reach::bodies) beside = c->path;
        if (!anew.empty() && !beside.empty())
            throw UsageError(beside + " cannot be set in one batch with " + anew +
                             ", which begins the run anew: if the one were refused, the run before would be gone; post " +
                             beside + " afterwards");
        setParameter(document, c->path, c->value);
    }
    // The run checks its settings together; a refusal names the last of them.
    for (std::size_t i = 0; i < batch.commands.size(); ++i)
        if (const Reach reach = reachOf(std::get<SetParameter>(batch.commands[i]).path);
            reach == Reach::run || reach == Reach::twin)
            at = i;
    at = std::min(at, batch.commands.size() - 1);
    Done done;
    done.state = keptOf(host, before.intent.request, document.intent.request);
    applyIntent(document, host);
    return done;
}

/// Performs a single command: first the document, then the runs, then the effect outside.
Controller::Done Controller::perform(Document& document, Host& host, const Batch& batch, const Document& before) {
    std::optional<Effect> effect;
    const Command& command = batch.commands.front();
    const auto* setting = std::get_if<SetParameter>(&command);
    if (setting) setParameter(document, setting->path, setting->value);
    if (const auto* c = std::get_if<Invoke>(&command)) effect = invoke(actionOf(c->action), c->arguments, document);
    if (const auto* c = std::get_if<GoTo>(&command)) effect = JumpTo{.state = c->state};
    if (const auto* c = std::get_if<Pointer>(&command)) rowOf(*c).act(document, *c, effect);
    if (const auto* c = std::get_if<OpenFile>(&command)) effect = open(document, *c);
    if (const auto* c = std::get_if<Begin>(&command)) effect = begin(document, *c);
    if (const auto* c = std::get_if<UseTuned>(&command)) useTuned(document, c->found);
    Done done;
    const bool recorded = undoable(batch.sender) && whyNotUndoable(command).empty() &&
                          !(setting && setting->sameGesture);  // a drag keeps the state of its start
    done.restarts = effect && std::holds_alternative<Restart>(*effect);
    if (recorded) done.state = keptOf(host, before.intent.request, document.intent.request, done.restarts);
    applyIntent(document, host, done.restarts);
    if (!effect || done.restarts) return done;
    done.jumps = std::holds_alternative<JumpTo>(*effect);
    if (done.jumps || std::holds_alternative<EditBodies>(*effect)) document.dismissMessage();
    EffectResult result = host.carryOut(*effect, batch.ticket);
    done.opens = result.rest && result.endsRun;
    if (done.opens && recorded) done.state = host.keepState();
    done.effect = finishOnDocument(std::move(result), document);
    return done;
}

/// Applies one batch, all or nothing.
void Controller::run(Document& document, Host& host, Batch& batch, std::vector<Event>& events) {
    std::size_t at = 0;  // index of the refused command
    const auto end = [&](CommandStatus status, const std::string& why) {
        const bool taken = status == CommandStatus::applied || status == CommandStatus::running;
        // The events of the other commands name the refused one.
        for (std::size_t i = 0; i < batch.commands.size(); ++i)
            events.push_back({batch.ticket, batch.commands[i], batch.sender, status,
                              !taken && i != at ? "not applied, because of '" + commandText(batch.commands[at]) + "'" : why,
                              status == CommandStatus::running ? host.progress(batch.ticket) : -1});
        if (status == CommandStatus::running) running_.push_back(events.back());
        if (!taken && atTheScreen(batch.sender)) document.warn(why);
    };
    const std::string message = document.message;
    const auto said = [&] { return document.message == message ? std::string() : document.message; };
    if (batch.commands.size() == 1 && onlyPoints(batch.commands.front())) {
        // It can neither be refused nor recorded, so a mouse movement needs no copy of the document.
        std::optional<Effect> none;
        const Pointer& pointer = std::get<Pointer>(batch.commands.front());
        rowOf(pointer).act(document, pointer, none);
        return end(CommandStatus::applied, said());
    }
    std::optional<Document> before;  // empty: nothing has changed yet
    const auto refuse = [&](CommandStatus status, const std::string& why) {
        if (before) {
            // The first run may have accepted its settings before the second refused.
            const bool changed = document.facts.configuration != before->facts.configuration;
            const std::uint64_t run = before->facts.runId;
            restoreDocument(document, std::move(*before));
            if (changed) host.apply(false);
            if (document.facts.runId != run) renumber(run, document.facts.runId);
        }
        end(status, why);
    };
    Done done;
    try {
        before.emplace(document);
        if (batch.commands.size() == 1 && isUndo(batch.commands.front()))
            return end(CommandStatus::applied, undo(document, host));
        if (batch.commands.size() == 1)
            done = perform(document, host, batch, *before);
        else
            done = set(document, host, batch, *before, at);
    } catch (const DeviceError&) {
        throw;  // no run is left to continue with
    } catch (const IoError& error) {
        return refuse(CommandStatus::failed, error.what());
    } catch (const Error& error) {
        return refuse(CommandStatus::refused, error.what());
    } catch (const std::bad_alloc&) {
        return refuse(CommandStatus::failed, "There is not enough memory for that; the run continues unchanged.");
    }
    const EffectResult& result = done.effect;
    if (result.status == CommandStatus::refused || result.status == CommandStatus::failed)
        return refuse(result.status, result.why);
    record(document, batch, *before, done);
    // A user who acts no longer needs the welcome card.
    if (before->ui.welcome && atTheScreen(batch.sender) && !aboutLetters(batch.commands.front()))
        document.ui.welcome = false;
    end(result.status, result.why.empty() ? said() : result.why);
}

/// Handles the end of a running effect.
void Controller::end(Document& document, Host& host, Ended ended, std::vector<Event>& events) {
    const auto found = std::ranges::find(running_, ended.ticket, &Event::ticket);
    if (found == running_.end()) {
        finishOnDocument(std::move(ended.outcome), document);
        return;
    }
    Event event = std::move(*found);
    running_.erase(found);
    const std::string why = whyNotUndoable(event.command);
    Done done{.opens = ended.outcome.rest && ended.outcome.endsRun};
    std::optional<Document> before;
    if (ended.outcome.rest && undoable(event.sender)) before.emplace(document);
    if (before && done.opens && why.empty()) done.state = host.keepState();
    done.effect = finishOnDocument(std::move(ended.outcome), document);
    event.status = done.effect.status;
    event.why = done.effect.why;
    event.progress = -1;
    if (event.status == CommandStatus::applied && undoable(event.sender)) {
        if (before)
            record(document, {event.ticket, {event.command}, event.sender}, *before, done);
        else if (!why.empty())
            keep({.what = commandText(event.command), .whyNotUndoable = why});
    }
    events.push_back(std::move(event));
}

/// Posts an event for each further tenth of an effect.
void Controller::followProgress(const Host& host, std::vector<Event>& events) {
    const auto tenths = [](double part) { return std::floor(10 * part + 1e-9); };
    for (Event& event : running_) {
        const double now = host.progress(event.ticket);
        if (!(now >= 0 && tenths(now) > tenths(event.progress))) continue;
        event.progress = std::min(now, 1.0);
        events.push_back(event);
    }
}

std::vector<Event> Controller::apply(Host& host) {
    Document& document = host.document({});
    std::deque<Batch> now;
    {
        const std::lock_guard lock(mutex_);
        now.swap(posted_);
    }
    std::vector<Event> events;
    for (Ended& ended : host.ended()) end(document, host, std::move(ended), events);
    followProgress(host, events);
    for (Batch& batch : now) run(document, host, batch, events);
    for (const Event& event : events)
        if (const auto found = followed_.find(event.ticket); found != followed_.end()) found->second.push_back(event);
    return events;
}

std::string Controller::state(const Document& document, std::span<const std::string> paths, bool clock) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (const std::string& path : paths) {
        const Parameter& row = parameter(path);
        json[path] = jsonValue(row.hidden(clock) ? Value() : row.get(document));
    }
    return jsonLine(json);
}

}  // namespace gravlab
