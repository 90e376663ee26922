// Groups of a running simulation's bodies, found beside it when somebody asks. Rule: a state of the feed, and a thread of
// its own: no step waits; what was found says at which step.
#pragma once
#include "app/model/document.h"
#include "app/services/sampler.h"
#include "sim/run/simulation.h"

#include <memory>
#include <optional>
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
    bool busy() const { return wanted_ || wish_; }
    /// Why none were found, once it is not busy any more; empty: they were.
    const std::string& problem() const { return problem_; }

private:
    using Known = std::shared_ptr<const KnownGroups>;
    static Known found(const FedState& state, const GroupsWish& wish);

    std::optional<GroupsWish> wish_;  ///< under way
    std::string problem_;
    bool wanted_ = false;
    std::uint64_t run_ = 0, tried_ = 0;  ///< run that is followed; that groups were looked for in unasked
    Sampler<GroupsWish, Known> sampler_{
        {}, [](const auto& state, const GroupsWish& wish, const auto&) { return found(*state, wish); }};
};

}  // namespace gravlab
