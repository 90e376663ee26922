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
                                              "pick",  "drop-start", "drop-move", "drop-end"};

/// What a path changes: the run itself, its twin, what depends on the bodies that there are, or the rest.
enum class Reach { run, twin, bodies, rest };
Reach reachOf(std::string_view path) {
    constexpr std::string_view kPace[] = {"run.steps_per_frame", "run.time_budget", "run.paused"};
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
}

/// Takes up the intent. Throws UsageError with the sentence of a refusal.
void takeUp(Document& document, const TakeUp& takesUp) {
    const bool edits = document.intent.touch != Touch::none || document.intent.rewindTo || document.intent.rewindBy != 0;
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
    }
}

void edit(Document& document, const EditBodies& command, const TakeUp& takesUp) {
    document.intent.touch = rowOf(command.change).touch;
    takeUp(document, takesUp);
}

bool isScene(const std::string& name) {
    return std::any_of(sceneTable().begin(), sceneTable().end(), [&](const Scene& row) { return row.name == name; });
}

/// True where it is open; false where a thread reads it. Throws UsageError, InputError, IoError.
bool open(Document& document, const OpenFile& command, const TakeUp& takesUp) {
    if (isScene(command.path)) {
        // A scene by name is that scene from its start, also where it runs already.
        document.intent.settings.scene = command.path;
        document.intent.reset = document.facts.settings.scene == command.path;
        takeUp(document, takesUp);
        return true;
    }
    if (!meansFile(command.path)) {
        std::vector<std::string_view> valid;
        for (const Scene& row : sceneTable()) valid.push_back(row.name);
        throw UsageError(unknownName("scene", command.path, valid) + "; nor is there a file of that name");
    }
    if (document.ui.inWindow) {
        document.ui.files.openEnded = false;
        document.ui.files.openAsked = command.path;
        return false;
    }
    if (isSceneFile(command.path)) {
        Options base = sceneBase(document);
        base.file = command.path;
        if (!takeScene(document, withSceneFile(base), takesUp)) throw UsageError(document.message);
        return true;
    }
    StartOffer offer = openStart(command.path, {});
    offer.settings.tuning = document.intent.settings.tuning;  // of this machine, not of the file
    document.intent.settings = offer.settings;
    takeUp(document, takesUp);
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
        if (status != CommandStatus::applied && (batch.sender == Sender::key || batch.sender == Sender::panel))
            document.say(why);
    };
    const Document before = document;
    const auto refuse = [&](CommandStatus status, const std::string& why) {
        putBack(document, before);
        end(status, why);
    };
    const std::string message = document.message;
    try {
        if (batch.commands.size() == 1) {
            const Command& command = batch.commands.front();
            if (const auto* c = std::get_if<SetParameter>(&command)) set(document, *c, takesUp);
            if (const auto* c = std::get_if<Invoke>(&command)) act(document, *c, takesUp);
            if (const auto* c = std::get_if<Pointer>(&command)) point(document, *c, takesUp);
            if (const auto* c = std::get_if<EditBodies>(&command)) edit(document, *c, takesUp);
            if (const auto* c = std::get_if<OpenFile>(&command); c && !open(document, *c, takesUp)) {
                opening_ = Event{batch.ticket, command, batch.sender, CommandStatus::applied, {}};
                return;
            }
        } else {
            bool reached[4] = {};
            for (at = 0; at < batch.commands.size(); ++at) {
                const auto* c = std::get_if<SetParameter>(&batch.commands[at]);
                if (!c) throw UsageError("only settings can be in a batch");
                reached[static_cast<std::size_t>(reachOf(c->path))] = true;
                if (reached[0] && (reached[1] || reached[2]))
                    throw UsageError(c->path + " cannot be set in one batch with the run itself; post it afterwards");
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
        if (!opening_->why.empty()) opening_->status = CommandStatus::refused;
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
