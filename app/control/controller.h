// Where commands become actions: anybody posts, from any thread; once a frame the frame thread applies what is there.
// Rule: a batch applies all or nothing, in its order; every command is answered with one event, or, where its effect takes
// longer, with one that says so, one at each tenth of it that is known, and one at its end.
#pragma once
#include "app/control/command.h"
#include "app/control/host.h"
#include "app/model/document.h"

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace gravlab {

struct Event {
    Ticket ticket = 0;  ///< that post() gave; all commands of a batch have the same
    Command command;
    Sender sender = Sender::script;
    CommandStatus status = CommandStatus::applied;
    std::string why{};     ///< of what was not applied; of an action that was, what it says of itself
    double progress = -1;  ///< of what is running, 0 to 1; below 0 where nobody knows
};

/// The one of a process, for all senders: so the order of all changes is known, and undo goes back through it.
class Controller {
public:
    /// From any thread. Gives the ticket that its events carry; tickets rise in the order of posting.
    Ticket post(Command command, Sender sender);
    /// Settings that belong together, of both runs too: where one is refused, none is taken. Only SetParameter can be in a
    /// batch of several, and where a run begins anew neither its twin nor what depends on its bodies can change with it.
    Ticket post(std::vector<Command> batch, Sender sender);

    /// On the frame thread, once a frame, before the run goes on: applies all that was posted, and lets the host carry out
    /// what it asks of the world. Throws DeviceError where the device of the run is lost.
    std::vector<Event> apply(Document& document, Host& host);
    /// Keeps the events of a ticket for take(), whoever calls apply(). On the frame thread.
    void follow(Ticket ticket) { followed_[ticket]; }
    /// Those that have come since the last call; after the end of the ticket there are no more.
    std::vector<Event> take(Ticket ticket);
    /// Nobody will take them.
    void leave(Ticket ticket) { followed_.erase(ticket); }
    /// Whether an answer is still to come; and whether the next apply() has something to do.
    bool busy() const;
    bool posted() const;

    /// The values in force of these paths as a JSON object. Throws UsageError for a path that is unknown. `clock`: with
    /// those that depend on the clock of the machine; else they are null.
    static std::string state(const Document& document, std::span<const std::string> paths, bool clock = true);

private:
    struct Batch {
        Ticket ticket;
        std::vector<Command> commands;
        Sender sender;
    };
    /// A command that was applied, and how it is taken back.
    struct Change {
        std::string what;                    ///< the command, for people
        std::string path{};                  ///< that it set; empty: it is no setting
        RunRequest asked{}, made{};          ///< what was asked of the run before it and after it
        std::vector<SetParameter> before{};  ///< the other settings that it changed, as they were
        Inverse effect{};                    ///< takes back what it did to bodies, or a jump
        Inverse state{};                     ///< back to the state of the run that it ended
        std::string lasting{};               ///< why it cannot be taken back; empty: it can
        /// Of a jump: where it led. Others from there, before the run goes on, are one with it.
        std::uint64_t run = 0;
        std::int64_t step = -1;
    };
    struct Done;
    void run(Document& document, Host& host, Batch& batch, std::vector<Event>& events);
    Done perform(Document& document, Host& host, const Batch& batch, const Document& before);
    Done set(Document& document, Host& host, const Batch& batch, const Document& before, std::size_t& at);
    void record(const Document& document, const Batch& batch, const Document& before, const std::vector<Value>& settings,
                const Done& done);
    std::string undo(Document& document, Host& host);
    void end(const Ended& ended, std::vector<Event>& events);
    void followProgress(const Host& host, std::vector<Event>& events);

    mutable std::mutex mutex_;
    std::deque<Batch> posted_;
    Ticket lastTicket_ = 0;
    // frame thread only
    std::vector<Change> changes_;  ///< newest last
    std::string_view leaves_;      ///< of the newest action, where it changed nothing that could be undone
    std::vector<Event> running_;   ///< whose effects are under way
    std::map<Ticket, std::vector<Event>> followed_;
};

}  // namespace gravlab
