// Who carries effects out: a window, a script off screen, a check of lessons.
// Rule: carryOut() never waits in a window. An effect that takes longer is running, and ended() tells how it ended.
#pragma once
#include "app/control/effect.h"

#include <functional>
#include <string>
#include <vector>

namespace gravlab {

/// What became of a command.
enum class CommandStatus {
    applied,
    running,  ///< its effect is under way; another event with the same ticket tells how that ended
    refused,  ///< it cannot be, and why is a sentence; nothing has changed
    failed    ///< reading, writing or memory failed on the way; nothing has changed
};
/// Whether an event with that status is the last one of its ticket.
constexpr bool isEnd(CommandStatus status) { return status != CommandStatus::running; }

struct EffectResult;
/// Takes a change back, once. `refused`: that can never be done; `failed`: it can be tried again.
using Inverse = std::function<EffectResult()>;

struct EffectResult {
    CommandStatus status = CommandStatus::applied;
    std::string why{};  ///< a sentence: why not; of what was applied, what it says of itself
    Inverse back{};     ///< empty: undo cannot take it back
};
inline EffectResult refusedBecause(std::string why) { return {CommandStatus::refused, std::move(why), {}}; }
inline EffectResult failedBecause(std::string why) { return {CommandStatus::failed, std::move(why), {}}; }

/// How an effect ended that was running.
struct Ended {
    Ticket ticket = 0;
    EffectResult outcome{};
};

class Host {
public:
    virtual ~Host() = default;
    /// Makes the runs what the document's intent asks for. False, with the document's message, where it is refused. `again`:
    /// the scene starts anew although nothing of it changed.
    virtual bool apply(bool again) = 0;
    /// The way back to the run's present state, for a change that ends it: valid once the same scene runs again. Empty where
    /// the state cannot be kept. Waits for a copy of the bodies.
    virtual Inverse keepState() = 0;
    /// Carries an effect out, or begins to. Throws Error where it cannot; DeviceError where the run is lost.
    virtual EffectResult carryOut(const Effect& effect, Ticket ticket) = 0;
    /// What has ended since the last call.
    virtual std::vector<Ended> ended() = 0;
    /// How much of an effect that is running is done, 0 to 1; below 0 where nobody knows.
    virtual double progress(Ticket) const { return -1; }
};

}  // namespace gravlab
