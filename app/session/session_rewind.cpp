// Session: going back to a kept state. Rule: whoever goes back wants to look first, so the run pauses there.
#include "app/services/rewind.h"
#include "app/session/frame_loop.h"
#include "app/session/twin.h"
#include "sim/core/error.h"

#include <new>
#include <stdexcept>
#include <utility>

namespace gravlab {

void Session::keepHistory(std::size_t bytes) { rewind_ = std::make_unique<Rewind>(bytes); }

void Session::rewind() {
    std::optional<std::size_t> to = std::exchange(intent.rewindTo, std::nullopt);
    const int by = std::exchange(intent.rewindBy, 0);
    if (!to && by == 0) return;
    if (!rewind_ || (rewind_->marks().empty() && rewind_->why().empty())) {
        say("There is nothing to go back to yet.");
        return;
    }
    if (!rewind_->why().empty()) {
        say(rewind_->why() + ".");
        return;
    }
    intent.paused = true;
    intent.singleSteps = 0;
    if (!to) to = rewind_->neighbour(facts_.step, by);
    if (!to || *to >= rewind_->marks().size()) return;
    try {
        const auto ids = rewind_->go(simulation(), feed(), *to);
        intent.request = simulation().request();
        readFacts();
        undo_.clear();  // of bodies that are others now
        if (*ids != bodies_.id) clearSelection();
        learnBodies();  // those of the same ids may be others, or held
        if (selectedIndex_) select(*selectedIndex_);
        conservation.jump(simulation());
        showAnew();
        bringTwin();
    } catch (const std::bad_alloc&) {
        intent.request = simulation().request();
        say("There is not enough memory to go there; the run goes on as it was.");
    } catch (const DeviceError&) {
        throw;  // the bodies are lost
    } catch (const std::runtime_error& error) {
        intent.request = simulation().request();
        say(error.what());
    }
}

}  // namespace gravlab
