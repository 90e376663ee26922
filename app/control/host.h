// The interface that carries effects out: a window, a script off screen, a check of lessons.
// Rule: in a window carryOut() waits for no file and no measurement. A longer effect is running; ended() reports its end.
#pragma once
#include "app/control/effect.h"

#include <functional>
#include <string>
#include <vector>

namespace gravlab {

/// The result of a command.
enum class CommandStatus {
    applied,
    running,  ///< its effect is under way; another event with the same ticket reports the end
    refused,  ///< it is impossible, and `why` is a sentence; nothing has changed
    failed    ///< reading, writing, memory or a trial failed, or it was cancelled; the run has not changed
};
/// Whether an event with that status is the last one of its ticket.
constexpr bool isEnd(CommandStatus status) { return status != CommandStatus::running; }

struct Document;
struct EffectResult;
/// Undoes a change, once. `refused`: undo is never possible; `failed`: a second attempt is possible.
using Inverse = std::function<EffectResult()>;
/// The rest of an effect, which changes the document.
using Rest = std::function<EffectResult(Document&)>;

struct EffectResult {
    CommandStatus status = CommandStatus::applied;
    std::string why{};     ///< a sentence: the reason of a refusal, or the message of an applied command
    Inverse back{};        ///< empty: undo cannot reverse it
    Rest rest{};           ///< empty: there is none. Its result replaces this one
    bool endsRun = false;  ///< the rest begins another run
};
inline EffectResult refusedBecause(std::string why) { return {CommandStatus::refused, std::move(why), {}}; }
inline EffectResult failedBecause(std::string why) { return {CommandStatus::failed, std::move(why), {}}; }

/// The end of an effect that was running.
struct Ended {
    Ticket ticket = 0;
    EffectResult outcome{};
};

/// Permission to change a document: the controller alone has it.
class WriteKey {
    friend class Controller;
    WriteKey() = default;
};

class Host {
public:
    virtual ~Host() = default;
    virtual Document& document(WriteKey) = 0;
    /// Builds the runs that the document's intent describes. Returns false and sets the document's message after a refusal.
    /// `again` restarts the scene although nothing in it changed.
    virtual bool apply(bool again) = 0;
    /// Returns the inverse of a change that ends the run: it restores the run's present state, once the same scene runs
    /// again. Empty where the state cannot be kept. Waits for a copy of the bodies.
    virtual Inverse keepState() = 0;
    /// The inverse of a change of all radii: it restores those of the bodies that have not merged since. Empty for too many.
    virtual Inverse keepSizes() = 0;
    /// Carries an effect out, or begins it. Throws Error where it cannot; DeviceError where the run is lost.
    virtual EffectResult carryOut(const Effect& effect, Ticket ticket) = 0;
    /// Effects that ended since the last call.
    virtual std::vector<Ended> ended() = 0;
    /// Progress of a running effect, 0 to 1; below 0: unknown.
    virtual double progress(Ticket) const { return -1; }
};

}  // namespace gravlab
