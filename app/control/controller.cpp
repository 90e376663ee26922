// The queue, and how each kind of command is done. Rule: whatever is refused leaves the document as it was.
#include "app/control/controller.h"

#include "app/control/action.h"
#include "app/control/json_value.h"
#include "app/control/open_file.h"
#include "app/control/parameter.h"
#include "app/control/scene_file.h"
#include "app/model/document.h"
#include "app/model/ui_state.h"
#include "sim/core/error.h"
#include "sim/core/names.h"
#include "sim/io/run_settings.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

namespace gravlab {
namespace {

struct BodyChangeRow {
    std::string_view name;
    BodyChange change;
    EditRequest edit;
};
constexpr BodyChangeRow kBodyChanges[] = {
    {"remove", BodyChange::remove, EditRequest::remove}, {"drop-star", BodyChange::dropStar, EditRequest::dropStar},
    {"hold", BodyChange::hold, EditRequest::hold},       {"coast", BodyChange::coast, EditRequest::coast},
    {"velocity", BodyChange::aim, EditRequest::aim},     {"undo", BodyChange::undo, EditRequest::undo}};

const BodyChangeRow& rowOf(BodyChange change) { return kBodyChanges[static_cast<std::size_t>(change)]; }

constexpr std::string_view kPointerKinds[] = {"orbit",      "pan",       "zoom",      "centre",      "pick",
                                              "drop-start", "drop-move", "drop-end",  "drop-cancel", "aim-start",
                                              "aim-move",   "aim-end",   "aim-cancel"};

/// What a path changes: the run itself, its twin, what depends on the bodies that there are, or the rest.
enum class Reach { run, twin, bodies, rest };
Reach reachOf(std::string_view path) {
    constexpr std::string_view kPace[] = {"run.speed", "run.steps_per_frame", "run.time_budget", "run.paused"};
    if (std::find(std::begin(kPace), std::end(kPace), path) != std::end(kPace)) return Reach::rest;
    if (path.starts_with("run.") || path.starts_with("scene.")) return Reach::run;
    if (path.starts_with("twin.") && path != "twin.view") return Reach::twin;
    return path == "view.selected" || path == "view.follow" ? Reach::bodies : Reach::rest;
}

/// Puts back what was asked, where one of a batch is refused. What is known is true in any case.
void putBack(Document& document, const Document& before) {
    Document now = document;
    document = before;
    if (now.facts.bodies != before.facts.bodies) document.selected = std::move(now.selected);
    document.facts = std::move(now.facts);
    document.message = std::move(now.message);
    document.warning = now.warning;
    document.messageAge = now.messageAge;
}

/// Whether the run begins anew with it: what ran before is gone then, and could not be brought back for another's sake.
bool beginsAnew(std::string_view path) {
    return path == "run.scene" || path == "run.bodies" || path == "run.seed" || path.starts_with("scene.");
}

/// What can be set beside the run, of which the request says more than values do; in the order of the table.
const std::vector<const Parameter*>& settableRows() {
    static const std::vector<const Parameter*> rows = [] {
        std::vector<const Parameter*> all;
        for (const Parameter& row : parameters())
            if (!row.fact() && reachOf(row.path) != Reach::run) all.push_back(&row);
        return all;
    }();
    return rows;
}

std::vector<Value> settingsOf(const Document& document) {
    std::vector<Value> values;
    values.reserve(settableRows().size());
    for (const Parameter* row : settableRows()) values.push_back(row->get(document));
    return values;
}

/// What a change has made other than it was asked before. What it left alone stays as it is asked now, and what a search
/// has found stays known.
void takeBack(RunRequest& now, const RunRequest& before, const RunRequest& made) {
    if (before.scene != made.scene) now.changeScene(before.scene);
    for (const SettingRow& row : settingRows())
        if (row.text(before) != row.text(made)) row.copy(now, before);
    if (before.start != made.start) now.start = before.start;
}

bool isUndo(const Command& command) {
    const auto* action = std::get_if<Invoke>(&command);
    const auto* edit = std::get_if<EditBodies>(&command);
    return (action && action->action == "undo") || (edit && edit->change == BodyChange::undo);
}

/// Whether it may change single bodies by hand.
bool editsBodies(const Command& command) {
    if (const auto* pointer = std::get_if<Pointer>(&command))
        return pointer->kind == PointerKind::dropEnd || pointer->kind == PointerKind::aimEnd;
    if (std::holds_alternative<EditBodies>(command)) return true;
    const auto* action = std::get_if<Invoke>(&command);
    return action && std::any_of(std::begin(kBodyChanges), std::end(kBodyChanges),
                                 [&](const BodyChangeRow& row) { return row.name == action->action; });
}

/// Whether it changes how words are read, the card's among them.
bool aboutLetters(const Command& command) {
    const auto* action = std::get_if<Invoke>(&command);
    const auto* setting = std::get_if<SetParameter>(&command);
    const std::string_view path = action    ? actionOf(action->action).parameter
                                  : setting ? std::string_view(setting->path)
                                            : std::string_view();
    return path == "window.text_scale" || path == "window.full_screen";
}

/// Why a command cannot be taken back; empty where it can.
std::string lastingOf(const Command& command) {
    if (const auto* action = std::get_if<Invoke>(&command)) return std::string(actionOf(action->action).lasting);
    if (std::holds_alternative<GoTo>(command)) return std::string(actionOf("rewind").lasting);
    if (std::holds_alternative<OpenFile>(command))
        return "Opening has ended the run before, of which nothing is kept; open that one again.";
    return {};
}

/// Takes up the intent. Throws UsageError with the sentence of a refusal.
void takeUp(Document& document, const TakeUp& takesUp) {
    const bool edits =
        document.intent.edit != EditRequest::none || document.intent.rewindTo || document.intent.rewindBy != 0;
    const TwinChoice twin = document.intent.twin;
    if (edits) document.dismissMessage();
    const auto revision = document.facts.revision;
    if (!takesUp()) throw UsageError(document.message);
    // Edits and jumps say in the message alone why they are refused; one that was made may say something, too.
    if (edits && document.facts.revision == revision && !document.message.empty()) throw UsageError(document.message);
    if (document.intent.twin != twin) throw UsageError(document.message.empty() ? "the twin was refused" : document.message);
}

void set(Document& document, const SetParameter& command, const TakeUp& takesUp) {
    setParameter(document, command.path, command.value);
    takeUp(document, takesUp);
}

void act(Document& document, const Invoke& command, const TakeUp& takesUp) {
    invoke(actionOf(command.action), command.arguments, document);
    takeUp(document, takesUp);
}

void goTo(Document& document, const GoTo& command, const TakeUp& takesUp) {
    document.intent.rewindTo = command.state;
    takeUp(document, takesUp);
}

void point(Document& document, const Pointer& p, const TakeUp& takesUp) {
    switch (p.kind) {
        case PointerKind::orbit:
            document.camera.orbit(p.by);
            break;
        case PointerKind::pan:
            document.panBy(p.by, p.at, p.surface);
            break;
        case PointerKind::zoom:
            document.zoomAt(p.by.y, p.at, p.surface);
            break;
        case PointerKind::centre:
            document.centreOn(p.at, p.surface);
            break;
        case PointerKind::pick:
            document.pickAt(p.at, p.surface);
            break;
        case PointerKind::dropStart:
            document.startDrop(p.at, p.surface);
            break;
        case PointerKind::dropMove:
            document.moveDrop(p.at);
            break;
        case PointerKind::dropEnd:
            document.dropPending();
            takeUp(document, takesUp);
            break;
        case PointerKind::dropCancel:
            document.drop.cancel();
            break;
        case PointerKind::aimStart:
            document.startAim(p.at, p.surface);
            break;
        case PointerKind::aimMove:
            document.moveAim(p.at);
            break;
        case PointerKind::aimEnd:
            document.endAim();
            takeUp(document, takesUp);
            break;
        case PointerKind::aimCancel:
            document.aim.cancel();
            break;
    }
}

void edit(Document& document, const EditBodies& command, const TakeUp& takesUp) {
    document.intent.edit = rowOf(command.change).edit;
    if (command.change == BodyChange::aim) document.aimFor(command.velocity);
    takeUp(document, takesUp);
}

bool isScene(const std::string& name) {
    return std::any_of(sceneTable().begin(), sceneTable().end(), [&](const Scene& row) { return row.name == name; });
}

/// True where it is open; false where a thread reads it. Throws UsageError, InputError, IoError.
bool open(Document& document, const OpenFile& command, const TakeUp& takesUp) {
    if (isScene(command.path)) {
        // A scene by name is that scene from its start, also where it runs already.
        document.intent.reset = document.facts.configuration.scene == command.path;
        document.intent.request.changeScene(command.path);
        takeUp(document, takesUp);
        return true;
    }
    if (!meansFile(command.path)) {
        std::vector<std::string_view> valid;
        for (const Scene& row : sceneTable()) valid.push_back(row.name);
        throw UsageError(unknownName("scene", command.path, valid) + "; nor is there a file of that name");
    }
    if (document.ui.inWindow) {
        FilesState& files = document.ui.files;
        if (!files.openAsked.empty())
            throw UsageError(command.path + " is not opened: " + files.openAsked + " was asked for at the same time");
        files.openEnded = false;
        files.openAsked = command.path;
        if (command.others > 0) document.warn("Of the files that were dropped the first is opened; a run has one start.");
        return false;
    }
    if (isSceneFile(command.path)) {
        Options base = sceneBase(document);
        base.file = command.path;
        if (!takeScene(document, withSceneFile(base), takesUp)) throw UsageError(document.message);
        return true;
    }
    if (!takeStart(document, openStart(command.path, {}), takesUp)) throw UsageError(document.message);
    return true;
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
        std::string operator()(const Pointer& c) const {
            return "pointer " + std::string(kPointerKinds[static_cast<std::size_t>(c.kind)]);
        }
        std::string operator()(const GoTo& c) const { return "go to kept state " + std::to_string(c.state + 1); }
        std::string operator()(const OpenFile& c) const { return "open " + valueText(c.path); }
        std::string operator()(const EditBodies& c) const { return "do " + std::string(rowOf(c.change).name); }
    };
    return std::visit(Text(), command);
}

std::uint64_t Controller::post(Command command, Sender sender) {
    std::vector<Command> one;
    one.push_back(std::move(command));
    return post(std::move(one), sender);
}

std::uint64_t Controller::post(std::vector<Command> batch, Sender sender) {
    const std::lock_guard lock(mutex_);
    posted_.push_back({++lastTicket_, std::move(batch), sender});
    return lastTicket_;
}

bool Controller::busy() const {
    const std::lock_guard lock(mutex_);
    return !posted_.empty() || opening_.has_value();
}

bool Controller::posted() const {
    const std::lock_guard lock(mutex_);
    return !posted_.empty();
}

/// Remembers what an applied batch changed. What a pointer does to the camera is not kept: the pointer takes it back.
void Controller::record(const Document& document, const Batch& batch, const Document& before,
                        const std::vector<Value>& settings) {
    constexpr std::size_t kMostChanges = 100;
    const Command& first = batch.commands.front();
    const auto* action = std::get_if<Invoke>(&first);
    const auto* setting = std::get_if<SetParameter>(&first);
    leaves_ = action ? actionOf(action->action).leaves : std::string_view();
    Change change{.what = commandText(first),
                  .path = setting ? setting->path : std::string(),
                  .asked = before.intent.request,
                  .made = document.intent.request,
                  .before = {},
                  .lasting = lastingOf(first)};
    change.asked.tuning = change.made.tuning;  // a search may have found it in between
    if (batch.commands.size() > 1) change.what += " and " + std::to_string(batch.commands.size() - 1) + " more";
    const std::vector<Value> now = settingsOf(document);
    for (std::size_t i = 0; i < now.size(); ++i)
        if (now[i] != settings[i] && !isNothing(settings[i]))
            change.before.push_back({settableRows()[i]->path, settings[i]});
    if (batch.commands.size() == 1 && editsBodies(first) && document.facts.revision != before.facts.revision) {
        change.bodiesOf = document.facts.run;
        change.asked = change.made;  // bodies are brought back by themselves
    }
    if (change.before.empty() && change.asked == change.made && change.bodiesOf == 0 && change.lasting.empty()) return;
    if (setting && setting->goesOn && !changes_.empty() && changes_.back().path == setting->path) {
        // The value before the hand took hold is the one to go back to.
        changes_.back().made = std::move(change.made);
        return;
    }
    if (!change.lasting.empty() && !changes_.empty() && changes_.back().lasting == change.lasting) return;
    changes_.push_back(std::move(change));
    if (changes_.size() > kMostChanges) changes_.erase(changes_.begin());
}

/// Takes the newest change back and says which. Throws UsageError where there is none, or why it lasts.
std::string Controller::undo(Document& document, const TakeUp& takesUp) {
    if (changes_.empty()) throw UsageError(leaves_.empty() ? "There is nothing to undo." : std::string(leaves_));
    const Change change = changes_.back();
    if (!change.lasting.empty()) {
        changes_.pop_back();  // what came before it can be taken back next
        throw UsageError(change.lasting);
    }
    const std::uint64_t run = document.facts.run;
    const Precision precision = document.facts.configuration.force.precision;
    if (change.bodiesOf != 0 && change.bodiesOf != run) {
        changes_.pop_back();
        throw UsageError("The bodies of '" + change.what + "' are gone, because their run has begun anew.");
    }
    if (change.bodiesOf != 0) {
        document.intent.edit = EditRequest::undo;
        takeUp(document, takesUp);
    }
    // A run that begins anew brings camera, look and selection of its own: what is not the run comes after it.
    takeBack(document.intent.request, change.asked, change.made);
    takeUp(document, takesUp);
    for (const SetParameter& setting : change.before) setParameter(document, setting.path, setting.value);
    takeUp(document, takesUp);
    changes_.pop_back();
    std::string done = change.what + " is undone";
    if (document.facts.run != run)
        done += "; the run is at its start again";
    else if (document.facts.configuration.force.precision != precision)
        done += "; bodies stay as the precision in between has rounded them";
    return done;
}

/// One batch, all or nothing.
void Controller::run(Document& document, const TakeUp& takesUp, Batch& batch, std::vector<Event>& events) {
    std::size_t at = 0;  // the command that says no
    const auto end = [&](CommandStatus status, const std::string& why) {
        // The others of a batch name the one that was refused.
        for (std::size_t i = 0; i < batch.commands.size(); ++i) {
            const bool other = status != CommandStatus::applied && i != at;
            events.push_back({batch.ticket, batch.commands[i], batch.sender, status,
                              other ? "not applied, because of '" + commandText(batch.commands[at]) + "'" : why});
        }
        if (status != CommandStatus::applied && atTheScreen(batch.sender)) document.warn(why);
    };
    const Document before = document;
    const bool pointed = std::holds_alternative<Pointer>(batch.commands.front()) && !editsBodies(batch.commands.front());
    const bool undoes = batch.commands.size() == 1 && isUndo(batch.commands.front());
    const std::vector<Value> settings = pointed || undoes ? std::vector<Value>() : settingsOf(document);
    const auto refuse = [&](CommandStatus status, const std::string& why) {
        putBack(document, before);
        // The first run may have taken its part when the second said no.
        if (document.facts.configuration != before.facts.configuration) takesUp();
        end(status, why);
    };
    const std::string message = document.message;
    try {
        if (undoes) {
            return end(CommandStatus::applied, undo(document, takesUp));
        } else if (batch.commands.size() == 1) {
            const Command& command = batch.commands.front();
            if (const auto* c = std::get_if<SetParameter>(&command)) set(document, *c, takesUp);
            if (const auto* c = std::get_if<Invoke>(&command)) act(document, *c, takesUp);
            if (const auto* c = std::get_if<GoTo>(&command)) goTo(document, *c, takesUp);
            if (const auto* c = std::get_if<Pointer>(&command)) point(document, *c, takesUp);
            if (const auto* c = std::get_if<EditBodies>(&command)) edit(document, *c, takesUp);
            if (const auto* c = std::get_if<OpenFile>(&command); c && !open(document, *c, takesUp)) {
                opening_ = Event{batch.ticket, command, batch.sender, CommandStatus::applied, {}};
                return;
            }
        } else {
            std::string anew, beside;
            for (at = 0; at < batch.commands.size(); ++at) {
                const auto* c = std::get_if<SetParameter>(&batch.commands[at]);
                if (!c) throw UsageError("only settings can be in a batch");
                const Reach reach = reachOf(c->path);
                if (beginsAnew(c->path)) anew = c->path;
                if (reach == Reach::twin || reach == Reach::bodies) beside = c->path;
                if (!anew.empty() && !beside.empty())
                    throw UsageError(
                        beside + " cannot be set in one batch with " + anew +
                        ", which begins the run anew: if the one were refused, the run before would be gone; post " +
                        beside + " afterwards");
                setParameter(document, c->path, c->value);
            }
            // The run judges its settings together; of those the last one is named.
            for (std::size_t i = 0; i < batch.commands.size(); ++i)
                if (const Reach reach = reachOf(std::get<SetParameter>(batch.commands[i]).path);
                    reach == Reach::run || reach == Reach::twin)
                    at = i;
            at = std::min(at, batch.commands.size() - 1);
            takeUp(document, takesUp);
        }
    } catch (const DeviceError&) {
        throw;  // there is no run to go on with
    } catch (const IoError& error) {
        return refuse(CommandStatus::failed, error.what());
    } catch (const Error& error) {
        return refuse(CommandStatus::refused, error.what());
    } catch (const std::bad_alloc&) {
        return refuse(CommandStatus::failed, "There is not enough memory for that; the run goes on as it was.");
    }
    if (!pointed) record(document, batch, before, settings);
    // Whoever does something by himself needs no greeting any more.
    if (!pointed && before.ui.welcome && atTheScreen(batch.sender) && !aboutLetters(batch.commands.front()))
        document.ui.welcome = false;
    end(CommandStatus::applied, document.message == message ? std::string() : document.message);
}

std::vector<Event> Controller::apply(Document& document, const TakeUp& takesUp) {
    std::deque<Batch> now;
    {
        const std::lock_guard lock(mutex_);
        now.swap(posted_);
    }
    std::vector<Event> events;
    if (opening_ && document.ui.files.openEnded) {
        document.ui.files.openEnded = false;
        opening_->why = std::exchange(document.ui.files.openError, {});
        if (!opening_->why.empty())
            opening_->status = CommandStatus::refused;
        else
            changes_.push_back({.what = commandText(opening_->command),
                                .path = {},
                                .asked = {},
                                .made = {},
                                .before = {},
                                .lasting = lastingOf(opening_->command)});
        events.push_back(*std::exchange(opening_, std::nullopt));
    }
    takesUp();  // what panels wrote since the last frame is older than what was posted
    for (Batch& batch : now) run(document, takesUp, batch, events);
    return events;
}

std::string Controller::state(const Document& document, std::span<const std::string> paths, bool clock) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (const std::string& path : paths) {
        const Parameter& row = parameter(path);
        json[path] = jsonValue(row.measured && !clock ? Value() : row.get(document));
    }
    return jsonLine(json);
}

}  // namespace gravlab
