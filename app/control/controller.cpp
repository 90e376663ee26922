// The queue, and how each kind of command is done. Rule: whatever is refused leaves the document as it was.
#include "app/control/controller.h"

#include "app/control/action.h"
#include "app/control/json_value.h"
#include "app/control/open_file.h"
#include "app/control/parameter.h"
#include "app/control/scene_file.h"
#include "app/model/camera_path.h"
#include "app/model/launch.h"
#include "app/model/ui_state.h"
#include "app/services/quality_ladder.h"
#include "app/services/trajectory_prediction.h"
#include "app/session/frame_loop.h"
#include "app/view/four_view.h"
#include "sim/core/error.h"
#include "sim/core/names.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

namespace gravlab {
namespace {

struct BodyChangeRow {
    std::string_view name;
    BodyChange change;
    Touch touch;
};
constexpr BodyChangeRow kBodyChanges[] = {{"remove", BodyChange::remove, Touch::remove},
                                          {"drop-star", BodyChange::dropStar, Touch::dropStar},
                                          {"hold", BodyChange::hold, Touch::hold},
                                          {"coast", BodyChange::coast, Touch::coast},
                                          {"undo", BodyChange::undo, Touch::undo}};

const BodyChangeRow& rowOf(BodyChange change) { return kBodyChanges[static_cast<std::size_t>(change)]; }

constexpr std::string_view kPointerKinds[] = {"orbit", "pan",        "zoom",      "centre",
                                              "pick",  "drop-start", "drop-move", "drop-end", "drop-cancel"};

/// What a path changes: the run itself, its twin, what depends on the bodies that there are, or the rest.
enum class Reach { run, twin, bodies, rest };
Reach reachOf(std::string_view path) {
    constexpr std::string_view kPace[] = {"run.steps_per_frame", "run.time_budget", "run.paused"};
    if (std::find(std::begin(kPace), std::end(kPace), path) != std::end(kPace)) return Reach::rest;
    if (path.starts_with("run.") || path.starts_with("scene.")) return Reach::run;
    if (path.starts_with("twin.") && path != "twin.view") return Reach::twin;
    return path == "view.selected" || path == "view.follow" ? Reach::bodies : Reach::rest;
}

/// Whether the run begins anew with it: what ran before is gone then, and could not be brought back for another's sake.
bool beginsAnew(std::string_view path) {
    return path == "run.scene" || path == "run.bodies" || path == "run.seed" || path.starts_with("scene.");
}

/// What can be set, in the order of the table.
std::vector<const Parameter*> settableRows() {
    std::vector<const Parameter*> rows;
    for (const Parameter& row : parameters())
        if (!row.fact()) rows.push_back(&row);
    return rows;
}

std::vector<Value> settingsOf(const Document& document) {
    static const std::vector<const Parameter*> rows = settableRows();
    std::vector<Value> values;
    values.reserve(rows.size());
    for (const Parameter* row : rows) values.push_back(row->get(document));
    return values;
}

bool isUndo(const Command& command) {
    const auto* action = std::get_if<Invoke>(&command);
    const auto* edit = std::get_if<EditBodies>(&command);
    return (action && action->action == "undo") || (edit && edit->change == BodyChange::undo);
}

/// Whether it may change single bodies by hand.
bool editsBodies(const Command& command) {
    if (const auto* pointer = std::get_if<Pointer>(&command)) return pointer->kind == PointerKind::dropEnd;
    if (std::holds_alternative<EditBodies>(command)) return true;
    const auto* action = std::get_if<Invoke>(&command);
    return action && std::any_of(std::begin(kBodyChanges), std::end(kBodyChanges),
                                 [&](const BodyChangeRow& row) { return row.name == action->action; });
}

/// Why a command cannot be taken back; empty where it can.
std::string lastingOf(const Command& command) {
    if (const auto* action = std::get_if<Invoke>(&command)) return std::string(actionOf(action->action).lasting);
    if (std::holds_alternative<GoTo>(command)) return std::string(actionOf("rewind").lasting);
    if (std::holds_alternative<OpenFile>(command))
        return "Opening has ended the run before, of which nothing is kept; open that one again.";
    return {};
}

/// What settings change beside the run, to be put back where one of a batch is refused.
class Before {
public:
    explicit Before(Document& document)
        : document_(document),
          intent_(document.session.intent),
          camera_(document.session.camera),
          look_(document.session.look),
          overlay_(document.session.overlay),
          ui_(document.ui),
          splat_(document.session.splat),
          colourMode_(document.session.colourMode),
          rotation_(document.session.rotation),
          follow_(document.session.follow),
          followed_(document.session.followedCentre()),
          quality_(document.session.quality->on),
          four_(document.session.fourView->on()),
          ahead_(document.session.orbit().wanted),
          aheadTime_(document.session.orbit().duration),
          dropOn_(document.session.launch().on),
          dropRow_(document.session.launch().row),
          dropFactors_{document.session.launch().massFactor, document.session.launch().sizeFactor,
                       document.session.launch().bodiesFactor},
          labOpen_(document.session.lab.open),
          labPage_(document.session.lab.page) {
        if (document.session.selected()) selected_ = document.session.selected()->id;
    }
    void putBack() const {
        Session& session = document_.session;
        if (!selected_)
            session.clearSelection();
        else if (!session.selected() || session.selected()->id != *selected_)
            session.selectId(*selected_);
        session.intent = intent_;
        session.camera = camera_;
        if (session.fourView->on() != four_) session.fourView->show(four_, session.look, session.facts().settings.bodies);
        session.look = look_;
        session.overlay = overlay_;
        document_.ui = ui_;
        session.splat = splat_;
        session.colourMode = colourMode_;
        session.rotation = rotation_;
        if (session.followedCentre() != followed_) session.followCentre(followed_);
        session.follow = follow_;
        session.quality->on = quality_;
        session.orbit().wanted = ahead_;
        session.orbit().duration = aheadTime_;
        LaunchTool& drop = session.launch();
        drop.on = dropOn_;
        drop.row = dropRow_;
        drop.massFactor = dropFactors_[0];
        drop.sizeFactor = dropFactors_[1];
        drop.bodiesFactor = dropFactors_[2];
        session.lab.open = labOpen_;
        session.lab.page = labPage_;
    }

private:
    Document& document_;
    Intent intent_;
    Camera camera_;
    Look look_;
    OverlayChoice overlay_;
    UiState ui_;
    PathWish splat_;
    int colourMode_;
    double rotation_;
    bool follow_;
    std::optional<int> followed_;
    std::optional<std::uint32_t> selected_;
    bool quality_, four_, ahead_;
    double aheadTime_;
    bool dropOn_;
    int dropRow_;
    double dropFactors_[3];
    bool labOpen_;
    LabPage labPage_;
};

/// Takes up the intent. Throws UsageError with the sentence of a refusal.
void takeUp(Document& document) {
    Session& session = document.session;
    const bool edits = session.intent.touch != Touch::none || session.intent.rewindTo || session.intent.rewindBy != 0;
    const TwinChoice twin = session.intent.twin;
    if (edits) session.dismissMessage();
    const auto revision = session.simulation().revision();
    if (!session.apply()) throw UsageError(session.message());
    // Edits and jumps say in the message alone why they are refused; one that was made may say something, too.
    if (edits && session.simulation().revision() == revision && !session.message().empty())
        throw UsageError(session.message());
    if (session.intent.twin != twin)
        throw UsageError(session.message().empty() ? "the twin was refused" : session.message());
}

void set(Document& document, const SetParameter& command) {
    setParameter(document, command.path, command.value);
    takeUp(document);
}

void act(Document& document, const Invoke& command) {
    invoke(actionOf(command.action), command.arguments, document);
    takeUp(document);
}

void goTo(Document& document, const GoTo& command) {
    document.session.intent.rewindTo = command.state;
    takeUp(document);
}

void point(Document& document, const Pointer& p) {
    Session& session = document.session;
    switch (p.kind) {
        case PointerKind::orbit:
            session.camera.orbit(p.by);
            break;
        case PointerKind::pan:
            session.panBy(p.by, p.at, p.surface);
            break;
        case PointerKind::zoom:
            session.zoomAt(p.by.y, p.at, p.surface);
            break;
        case PointerKind::centre:
            session.centreOn(p.at, p.surface);
            break;
        case PointerKind::pick:
            session.pickAt(p.at, p.surface);
            break;
        case PointerKind::dropStart:
            session.startDrop(p.at, p.surface);
            break;
        case PointerKind::dropMove:
            session.moveDrop(p.at);
            break;
        case PointerKind::dropEnd:
            session.dropPending();
            takeUp(document);
            break;
        case PointerKind::dropCancel:
            session.launch().cancel();
            break;
    }
}

void edit(Document& document, const EditBodies& command) {
    document.session.intent.touch = rowOf(command.change).touch;
    takeUp(document);
}

bool isScene(const std::string& name) {
    return std::any_of(sceneTable().begin(), sceneTable().end(), [&](const Scene& row) { return row.name == name; });
}

/// True where it is open; false where a thread reads it. Throws UsageError, InputError, IoError.
bool open(Document& document, const OpenFile& command) {
    Session& session = document.session;
    if (isScene(command.path)) {
        // A scene by name is that scene from its start, also where it runs already.
        session.intent.settings.scene = command.path;
        session.intent.reset = session.facts().settings.scene == command.path;
        takeUp(document);
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
        if (command.others > 0)
            session.say("Of the files that were dropped the first is opened; a run has one start.");
        return false;
    }
    if (isSceneFile(command.path)) {
        Options base = sceneBase(session);
        base.file = command.path;
        if (!takeScene(session, withSceneFile(base))) throw UsageError(session.message());
        return true;
    }
    StartOffer offer = openStart(command.path, {});
    offer.settings.tuning = session.intent.settings.tuning;  // of this machine, not of the file
    session.intent.settings = offer.settings;
    takeUp(document);
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
void Controller::record(const Document& document, const Batch& batch, const std::vector<Value>& before,
                        std::uint64_t revision) {
    constexpr std::size_t kMostChanges = 100;
    const Command& first = batch.commands.front();
    Change change{.what = commandText(first), .lasting = lastingOf(first)};
    const auto* action = std::get_if<Invoke>(&first);
    leaves_ = action ? actionOf(action->action).leaves : std::string_view();
    if (batch.commands.size() > 1) change.what += " and " + std::to_string(batch.commands.size() - 1) + " more";
    const std::vector<Value> now = settingsOf(document);
    static const std::vector<const Parameter*> rows = settableRows();
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (now[i] != before[i] && !isNothing(before[i])) change.before.push_back({rows[i]->path, before[i]});
    const Simulation& run = document.session.simulation();
    if (batch.commands.size() == 1 && editsBodies(first) && run.revision() != revision) change.bodiesOf = run.id();
    if (change.before.empty() && change.bodiesOf == 0 && change.lasting.empty()) return;
    const auto* setting = std::get_if<SetParameter>(&first);
    if (setting && setting->goesOn && !changes_.empty() && !changes_.back().before.empty() &&
        changes_.back().before.front().path == change.before.front().path)
        return;  // the value before the hand took hold is the one to go back to
    if (!change.lasting.empty() && !changes_.empty() && changes_.back().lasting == change.lasting) return;
    changes_.push_back(std::move(change));
    if (changes_.size() > kMostChanges) changes_.erase(changes_.begin());
}

/// Takes the newest change back and says which. Throws UsageError where there is none, or why it lasts.
std::string Controller::undo(Document& document) {
    if (changes_.empty()) throw UsageError(leaves_.empty() ? "There is nothing to undo." : std::string(leaves_));
    const Change change = changes_.back();
    Session& session = document.session;
    if (!change.lasting.empty()) {
        changes_.pop_back();  // what came before it can be taken back next
        throw UsageError(change.lasting);
    }
    if (change.bodiesOf != 0 && change.bodiesOf != session.simulation().id()) {
        changes_.pop_back();
        throw UsageError("The bodies of '" + change.what + "' are gone, because their run has begun anew.");
    }
    if (change.bodiesOf != 0) {
        session.intent.touch = Touch::undo;
        takeUp(document);
    }
    // A run that begins anew brings camera, look and selection of its own: what is not the run comes after it.
    const std::uint64_t run = session.simulation().id();
    for (const bool ofRun : {true, false}) {
        for (const SetParameter& setting : change.before)
            if ((reachOf(setting.path) == Reach::run) == ofRun) setParameter(document, setting.path, setting.value);
        takeUp(document);
    }
    changes_.pop_back();
    const bool rounded = std::any_of(change.before.begin(), change.before.end(),
                                     [](const SetParameter& setting) { return setting.path == "run.precision"; });
    return change.what + " is undone" + (session.simulation().id() != run ? "; the run is at its start again" : rounded ? "; bodies stay as the precision in between has rounded them" : "");
}

/// One batch, all or nothing.
void Controller::run(Document& document, Batch& batch, std::vector<Event>& events) {
    std::size_t at = 0;  // the command that says no
    const auto end = [&](CommandStatus status, const std::string& why) {
        // The others of a batch name the one that was refused.
        for (std::size_t i = 0; i < batch.commands.size(); ++i) {
            const bool other = status != CommandStatus::applied && i != at;
            events.push_back({batch.ticket, batch.commands[i], batch.sender, status,
                              other ? "not applied, because of '" + commandText(batch.commands[at]) + "'" : why});
        }
        if (status != CommandStatus::applied && atTheScreen(batch.sender))
            document.session.say(why);
    };
    const Before before(document);
    const bool pointed = std::holds_alternative<Pointer>(batch.commands.front()) && !editsBodies(batch.commands.front());
    const bool undoes = batch.commands.size() == 1 && isUndo(batch.commands.front());
    const std::vector<Value> settings = pointed || undoes ? std::vector<Value>() : settingsOf(document);
    const std::uint64_t revision = document.session.simulation().revision();
    const auto refuse = [&](CommandStatus status, const std::string& why) {
        before.putBack();
        // The first run may have taken its part when the second said no.
        if (document.session.intent.settings != document.session.simulation().settings()) document.session.apply();
        end(status, why);
    };
    const std::string message = document.session.message();
    try {
        if (undoes) {
            return end(CommandStatus::applied, undo(document));
        } else if (batch.commands.size() == 1) {
            const Command& command = batch.commands.front();
            if (const auto* c = std::get_if<SetParameter>(&command)) set(document, *c);
            if (const auto* c = std::get_if<Invoke>(&command)) act(document, *c);
            if (const auto* c = std::get_if<GoTo>(&command)) goTo(document, *c);
            if (const auto* c = std::get_if<Pointer>(&command)) point(document, *c);
            if (const auto* c = std::get_if<EditBodies>(&command)) edit(document, *c);
            if (const auto* c = std::get_if<OpenFile>(&command); c && !open(document, *c)) {
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
                    throw UsageError(beside + " cannot be set in one batch with " + anew +
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
            takeUp(document);
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
    if (!pointed) record(document, batch, settings, revision);
    end(CommandStatus::applied, document.session.message() == message ? std::string() : document.session.message());
}

std::vector<Event> Controller::apply(Document& document) {
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
            changes_.push_back({.what = commandText(opening_->command), .before = {}, .lasting = lastingOf(opening_->command)});
        events.push_back(*std::exchange(opening_, std::nullopt));
    }
    document.session.apply();  // what panels wrote since the last frame is older than what was posted
    for (Batch& batch : now) run(document, batch, events);
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
