// Where commands become actions: anybody posts, from any thread; once a frame the frame thread applies what is there.
// Rule: a batch applies all or nothing, in its order; every command is answered with one event.
#pragma once
#include "app/control/command.h"
#include "app/model/document.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gravlab {

/// What became of a command.
enum class CommandStatus {
    applied,
    refused,  ///< it cannot be, and why is a sentence; nothing has changed
    failed    ///< reading, writing or memory failed on the way; nothing has changed
};

struct Event {
    std::uint64_t ticket = 0;  ///< that post() gave; all commands of a batch have the same
    Command command;
    Sender sender = Sender::script;
    CommandStatus status = CommandStatus::applied;
    std::string why{};  ///< of what was not applied; of an action that was, what it says of itself
};

/// Makes what is asked of the runs happen. False, with the document's message, where it is refused.
using TakeUp = std::function<bool()>;

class Controller {
public:
    /// From any thread. Gives the ticket that its events carry; tickets rise in the order of posting.
    std::uint64_t post(Command command, Sender sender);
    /// Settings that belong together, of both runs too: where one is refused, none is taken. Only SetParameter can be in a
    /// batch of several, and where a run begins anew neither its twin nor what depends on its bodies can change with it.
    std::uint64_t post(std::vector<Command> batch, Sender sender);

    /// On the frame thread, once a frame, before the run goes on: applies all that was posted, and what panels have written
    /// into the intent. The only place where intent becomes action. Events of a file that opens beside the frames come with
    /// a later call. Throws DeviceError where the device of the run is lost.
    std::vector<Event> apply(Document& document, const TakeUp& takesUp);
    /// What would be undone next, as a line of a script; empty: nothing.
    std::string lastChange() const { return changes_.empty() ? std::string() : changes_.back().what; }
    /// Whether an answer is still to come; and whether the next apply() has something to do.
    bool busy() const;
    bool posted() const;

    /// The values in force of these paths as a JSON object. Throws UsageError for a path that is unknown. `clock`: with
    /// those that depend on the clock of the machine; else they are null.
    static std::string state(const Document& document, std::span<const std::string> paths, bool clock = true);

private:
    struct Batch {
        std::uint64_t ticket;
        std::vector<Command> commands;
        Sender sender;
    };
    /// A command that was applied, and how it is taken back.
    struct Change {
        std::string what;                  ///< the command, for people
        std::string path;                  ///< that it set; empty: it is no setting
        RunRequest asked, made;            ///< what was asked of the run before it and after it
        std::vector<SetParameter> before;  ///< the other settings that it changed, as they were
        std::uint64_t bodiesOf = 0;        ///< the run whose bodies it changed by hand; 0: none
        std::string lasting;               ///< why it cannot be taken back; empty: it can
    };
    void run(Document& document, const TakeUp& takesUp, Batch& batch, std::vector<Event>& events);
    void record(const Document& document, const Batch& batch, const Document& before, const std::vector<Value>& settings);
    std::string undo(Document& document, const TakeUp& takesUp);

    mutable std::mutex mutex_;
    std::deque<Batch> posted_;
    std::uint64_t lastTicket_ = 0;
    std::vector<Change> changes_;   ///< newest last; frame thread only
    std::string_view leaves_;       ///< of the newest action, where it changed nothing that could be undone
    std::optional<Event> opening_;  ///< waits for a file; frame thread only
};

}  // namespace gravlab
