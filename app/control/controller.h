// The queue of commands. Any thread posts; once a frame, the frame thread applies all queued commands.
// Rule: a batch applies all or nothing, in its order. Every command gets one event. For a longer effect, one event reports
// that it is running, one each known tenth, and one the end.
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
    Ticket ticket = 0;  ///< the result of post(); all commands of a batch share it
    Command command;
    Sender sender = Sender::script;
    CommandStatus status = CommandStatus::applied;
    std::string why{};     ///< why a command was not applied; for an applied action, its message
    double progress = -1;  ///< progress of a running effect, 0 to 1; below 0: unknown
};

/// One controller for each process and for all senders: the order of all changes is then known, and undo follows it.
class Controller {
public:
    /// Any thread may call it. Returns the ticket of its events; tickets rise in the order of posting.
    Ticket post(Command command, Sender sender);
    /// Posts settings that belong together, also of both runs: one refusal refuses all of them. Only SetParameter may be in
    /// a batch of several. Where a run restarts, the batch cannot also change its twin or settings that depend on its
    /// bodies.
    Ticket post(std::vector<Command> batch, Sender sender);

    /// Call it on the frame thread, once a frame, before the steps. Applies all posted commands to the host's document and
    /// lets the host carry out their effects. Throws DeviceError where the device of the run is lost.
    std::vector<Event> apply(Host& host);
    /// Keeps the events of a ticket for take(), from any call of apply(). Call it on the frame thread.
    void follow(Ticket ticket) { followed_[ticket]; }
    /// Events since the last call; there are none after the end of the ticket.
    std::vector<Event> take(Ticket ticket);
    /// Drops the events of a ticket that was followed.
    void leave(Ticket ticket) { followed_.erase(ticket); }
    /// Whether an answer is still pending; and whether the next apply() has work.
    bool busy() const;
    bool posted() const;

    /// The values in force of these paths as a JSON object. Throws UsageError for an unknown path. `clock` false: values
    /// that depend on the clock of the machine are null.
    static std::string state(const Document& document, std::span<const std::string> paths, bool clock = true);

private:
    struct Batch {
        Ticket ticket;
        std::vector<Command> commands;
        Sender sender;
    };
    /// An applied command, and how to undo it.
    struct Change {
        std::string what;                    ///< the command, as text for people
        std::string path{};                  ///< path of the changed setting, or a word for held keys; empty: neither
        RunRequest earlier{}, made{};        ///< the run's request before it and after it
        std::vector<SetParameter> before{};  ///< previous values of the other settings that it changed
        Inverse effect{};                    ///< undoes a change of bodies, or a jump
        Inverse state{};                     ///< returns to the run that it ended, or to the radii that it replaced
        bool restarts = false;               ///< it started the same scene again
        std::string whyNotUndoable{};        ///< why undo is impossible; empty: it is possible
        std::uint64_t from = 0, to = 0;      ///< the run before it and after it, as Simulation has them
        /// Destination of a jump. Further jumps from there, before the next step, join it as one change.
        std::uint64_t bodies = 0;
        std::int64_t step = -1;
        /// It changed the run by its settings, so undo does, too.
        bool ofRun() const { return restarts || earlier != made; }
    };
    struct Done;
    void run(Document& document, Host& host, Batch& batch, std::vector<Event>& events);
    Done perform(Document& document, Host& host, const Batch& batch, const Document& before);
    Done set(Document& document, Host& host, const Batch& batch, const Document& before, std::size_t& at);
    void keep(Change change);
    void record(const Document& document, const Batch& batch, const Document& before, const Done& done);
    std::string undo(Document& document, Host& host);
    void renumber(std::uint64_t from, std::uint64_t to);
    void end(Document& document, Host& host, Ended ended, std::vector<Event>& events);
    void followProgress(const Host& host, std::vector<Event>& events);

    mutable std::mutex mutex_;
    std::deque<Batch> posted_;
    Ticket lastTicket_ = 0;
    // The frame thread alone uses these.
    std::vector<Change> changes_;  ///< newest last
    std::string_view undoSkips_;   ///< `undoSkips` text of the newest action, where it changed nothing that could be undone
    std::vector<Event> running_;   ///< events whose effects are under way
    std::map<Ticket, std::vector<Event>> followed_;
};

}  // namespace gravlab
