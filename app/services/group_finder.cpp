#include "app/services/group_finder.h"

#include "app/runs/run_host.h"
#include "sim/api/errors.h"
#include "sim/backends/groups.h"

#include <algorithm>
#include <new>
#include <utility>

namespace gravlab {

GroupFinder::Known GroupFinder::found(const FedState& state, const GroupsWish& wish) {
    const ParticleSet& bodies = state.state.bodies;
    const BackendRow& ran = backend(state.configuration.backend);
    // The search runs where the run computes; all cores replace a backend of one thread.
    const GroupRow& row = groupRow(ran.onDevice ? ran.name : hostBackend().name);
    auto known = std::make_shared<KnownGroups>();
    known->bodiesId = state.bodiesId;
    known->step = state.step();
    known->time = state.time();
    known->least = static_cast<std::size_t>(wish.least);
    known->length = linkingLength(bodies, {.mean = wish.linking});
    FoundGroups groups = findGroups(row, bodies, known->length, state.configuration.backendOptions);
    known->table = groupTable(bodies, groups.labels, known->least);
    if (wish.from) {
        // The body may have been removed since: then the first one replaces it.
        const auto at = std::ranges::find(bodies.id, *wish.from);
        const std::size_t index = at == bodies.id.end() ? 0 : static_cast<std::size_t>(at - bodies.id.begin());
        known->from = wish.from;
        known->depths = findDepths(depthRow(row.backend), bodies, known->length, static_cast<std::uint32_t>(index),
                                   state.configuration.backendOptions)
                            .depths;
    }
    known->ids = bodies.id;
    known->labels = std::move(groups.labels);
    known->row = std::string(row.name) + " on " + std::string(row.backend);
    known->seconds = groups.seconds;
    return known;
}

namespace {

/// The body from which the colours count depths: the selected one, else the first; empty: they count none.
std::optional<std::uint32_t> depthsFrom(const Document& document) {
    if (!document.shownMode().ofDepth) return std::nullopt;
    if (document.selected) return document.selected->id;
    const BodyFacts* const bodies = document.facts.bodies.get();
    return bodies && bodies->size() > 0 ? std::optional(bodies->id.front()) : std::nullopt;
}

}  // namespace

void GroupFinder::advance(const ServiceFrame& frame) {
    const Document& document = frame.document;
    News& news = frame.reports.news;
    Simulation& simulation = frame.runs.simulation();
    RunFacts& facts = frame.reports.facts;
    if (std::exchange(run_, simulation.bodiesId()) != simulation.bodiesId()) {
        if (wish_ && !wanted_) problem_ = "The run that groups were looked for in has ended.";
        wish_.reset();
        facts.groups = nullptr;
    }
    const std::optional<std::uint32_t> from = depthsFrom(document);
    const bool missing = !facts.groups || (from && facts.groups->from != from);
    if ((document.shownMode().ofGroups || from) && missing && !busy() && (tried_ != run_ || triedFrom_ != from)) {
        tried_ = run_;
        triedFrom_ = from;
        find();
    }
    try {
        if (std::exchange(wanted_, false)) {
            wish_ = document.groups;
            wish_->from = from;
            sampler_.restart();
        }
        if (auto known = sampler_.update({simulation, frame.runs.first().feed(), frame.now, !frame.realTime},
                                         wish_ ? &*wish_ : nullptr)) {
            facts.groups = std::move(*known);
            wish_.reset();
        }
    } catch (const Error& error) {
        wish_.reset();
        problem_ = error.what();
        news.warn(problem_);
    } catch (const std::bad_alloc&) {
        wish_.reset();
        problem_ = "There was not enough memory to find groups; the run continues.";
        news.warn(problem_);
    }
    facts.findingGroups = busy();
}

}  // namespace gravlab
