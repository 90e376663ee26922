#include "app/services/group_finder.h"

#include "sim/backends/groups.h"
#include "sim/core/error.h"

#include <new>
#include <utility>

namespace gravlab {

std::shared_ptr<const KnownGroups> GroupFinder::found(const Task& task) {
    const FedState& state = *task.state;
    const ParticleSet& bodies = state.state.bodies;
    const BackendRow& ran = backend(state.configuration.backend);
    // Where it runs; what one thread would do, all cores do.
    const GroupRung& rung = groupRung(ran.onDevice ? ran.name : hostBackend().name);
    auto known = std::make_shared<KnownGroups>();
    known->run = state.run;
    known->step = state.step();
    known->time = state.time();
    known->least = static_cast<std::size_t>(task.wish.least);
    known->length = linkingLength(bodies, {.mean = task.wish.linking});
    FoundGroups groups = findGroups(rung, bodies, known->length, state.configuration.backendOptions);
    known->table = groupTable(bodies, groups.labels, known->least);
    known->ids = bodies.id;
    known->labels = std::move(groups.labels);
    known->rung = std::string(rung.name) + " on " + std::string(rung.backend);
    known->seconds = groups.seconds;
    return known;
}

void GroupFinder::begin(std::shared_ptr<const FedState> state) {
    owed_ = true;
    worker_.ask({std::move(state), wish_});
}

void GroupFinder::update(Document& document, Simulation& simulation, StateFeed& feed, bool wait) {
    Facts& facts = document.facts;
    if (std::exchange(run_, simulation.bodiesId()) != simulation.bodiesId()) {
        if (busy() && !wanted_) problem_ = "The run that groups were looked for in has ended.";
        asked_.drop();
        worker_.drop();
        owed_ = false;
        facts.groups = nullptr;
    }
    if (document.shownMode().ofGroups && !facts.groups && !busy() && std::exchange(tried_, run_) != run_) find();
    try {
        if (std::exchange(wanted_, false)) {
            wish_ = document.groups;
            worker_.drop();
            owed_ = false;
            if (wait)
                begin(feed.now(simulation));
            else
                asked_ = feed.ask();
        }
        if (std::shared_ptr<const FedState> state = asked_.take(); state && state->run == run_) begin(std::move(state));
        if (owed_) {
            if (wait) worker_.wait();
            if (!worker_.busy()) owed_ = false;
            if (auto known = worker_.poll()) facts.groups = std::move(*known);
        }
    } catch (const Error& error) {
        owed_ = false;
        problem_ = error.what();
        document.warn(problem_);
    } catch (const std::bad_alloc&) {
        owed_ = false;
        problem_ = "There was not enough memory to find groups; the run goes on.";
        document.warn(problem_);
    }
    facts.findingGroups = busy();
}

}  // namespace gravlab
