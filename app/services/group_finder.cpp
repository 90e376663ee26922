#include "app/services/group_finder.h"

#include "sim/backends/groups.h"
#include "sim/core/error.h"

#include <new>
#include <utility>

namespace gravlab {

GroupFinder::Known GroupFinder::found(const FedState& state, const GroupsWish& wish) {
    const ParticleSet& bodies = state.state.bodies;
    const BackendRow& ran = backend(state.configuration.backend);
    // The search runs where the run computes; all cores replace a backend of one thread.
    const GroupRung& rung = groupRung(ran.onDevice ? ran.name : hostBackend().name);
    auto known = std::make_shared<KnownGroups>();
    known->run = state.run;
    known->step = state.step();
    known->time = state.time();
    known->least = static_cast<std::size_t>(wish.least);
    known->length = linkingLength(bodies, {.mean = wish.linking});
    FoundGroups groups = findGroups(rung, bodies, known->length, state.configuration.backendOptions);
    known->table = groupTable(bodies, groups.labels, known->least);
    known->ids = bodies.id;
    known->labels = std::move(groups.labels);
    known->rung = std::string(rung.name) + " on " + std::string(rung.backend);
    known->seconds = groups.seconds;
    return known;
}

void GroupFinder::update(Document& document, Simulation& simulation, StateFeed& feed, bool wait) {
    Facts& facts = document.facts;
    if (std::exchange(run_, simulation.bodiesId()) != simulation.bodiesId()) {
        if (wish_ && !wanted_) problem_ = "The run that groups were looked for in has ended.";
        wish_.reset();
        facts.groups = nullptr;
    }
    if (document.shownMode().ofGroups && !facts.groups && !busy() && std::exchange(tried_, run_) != run_) find();
    try {
        if (std::exchange(wanted_, false)) {
            wish_ = document.groups;
            sampler_.forget();
        }
        if (auto known = sampler_.update({simulation, feed, 0, wait}, wish_ ? &*wish_ : nullptr)) {
            facts.groups = std::move(*known);
            wish_.reset();
        }
    } catch (const Error& error) {
        wish_.reset();
        problem_ = error.what();
        document.warn(problem_);
    } catch (const std::bad_alloc&) {
        wish_.reset();
        problem_ = "There was not enough memory to find groups; the run goes on.";
        document.warn(problem_);
    }
    facts.findingGroups = busy();
}

}  // namespace gravlab
