// Groups of a running simulation's bodies, found beside it on request. Rule: the search uses a state of the feed and a
// thread of its own, so no step waits; the result names its step.
#pragma once
#include "app/model/document.h"
#include "app/runs/sampler.h"
#include "app/services/service.h"

#include <memory>
#include <optional>
#include <string>

namespace gravlab {

class GroupFinder : public Service {
public:
    /// Begins a requested search, or one that the colours need and that is missing, and takes results. A failure becomes the
    /// document's message.
    void advance(const ServiceFrame& frame) override;
    /// Looks for groups at the next advance(), under the document's wish.
    void find() {
        wanted_ = true;
        problem_.clear();
    }
    bool busy() const override { return wanted_ || wish_; }
    /// Why no groups were found, once it is not busy any more; empty: they were found.
    const std::string& problem() const { return problem_; }

private:
    using Known = std::shared_ptr<const KnownGroups>;
    static Known found(const FedState& state, const GroupsWish& wish);

    std::optional<GroupsWish> wish_;  ///< request under way
    std::string problem_;
    bool wanted_ = false;
    std::uint64_t run_ = 0, tried_ = 0;       ///< the run that is followed; the run for which the colours started a search
    std::optional<std::uint32_t> triedFrom_;  ///< the body of that search's depths
    Sampler<GroupsWish, Known> sampler_{
        {}, [](const auto& state, const GroupsWish& wish, const auto&) { return found(*state, wish); }};
};

}  // namespace gravlab
