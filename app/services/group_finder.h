// Groups of a running simulation's bodies, found beside it when somebody asks. Rule: a state of the feed, and a thread of
// its own: no step waits; what was found says at which step.
#pragma once
#include "app/model/document.h"
#include "app/services/state_feed.h"
#include "app/system/worker.h"
#include "sim/run/simulation.h"

#include <memory>
#include <string>

namespace gravlab {

class GroupFinder {
public:
    /// Once a frame: begins what was asked for, or what the colours need and nobody has found yet, and takes up what has
    /// been found. A failure is the document's message. `wait`: for films, whose frames do not depend on the clock.
    void update(Document& document, Simulation& simulation, StateFeed& feed, bool wait);
    /// Looks for groups as they are at the next update(), under the document's wish.
    void find() {
        wanted_ = true;
        problem_.clear();
    }
    /// Something is on its way: then frames are needed.
    bool busy() const { return wanted_ || asked_.waiting() || worker_.busy() || owed_; }
    /// Why none were found, once it is not busy any more; empty: they were.
    const std::string& problem() const { return problem_; }

private:
    struct Task {
        std::shared_ptr<const FedState> state;
        GroupsWish wish;
    };
    static std::shared_ptr<const KnownGroups> found(const Task& task);
    void begin(std::shared_ptr<const FedState> state);

    GroupsWish wish_;
    std::string problem_;
    bool wanted_ = false;
    bool owed_ = false;                  ///< a result was not taken
    std::uint64_t run_ = 0, tried_ = 0;  ///< run that is followed; that groups were looked for in without being asked
    StateTicket asked_;
    Worker<Task, std::shared_ptr<const KnownGroups>> worker_{[](const Task& task, auto&) { return found(task); }};
};

}  // namespace gravlab
