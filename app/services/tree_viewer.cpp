#include "app/services/tree_viewer.h"

#include "app/system/host_clock.h"
#include "sim/core/error.h"

#include <algorithm>
#include <new>
#include <utility>

namespace gravlab {
namespace {

constexpr double kTreeInterval = 0.2;      // [s], of bodies that move
constexpr double kTreeShareOfACore = 0.2;  // at most
constexpr double kTreeShareOfCopies = 0.05;

}  // namespace

TreeViewer::Looked TreeViewer::looked(const Task& task) {
    const double begun = hostClock();
    const FedState& state = *task.state;
    const ParticleSet& bodies = state.state.bodies;
    const RunConfiguration& run = state.configuration;
    TreeQuestion question;
    question.level = task.wish.level;
    question.kernel = run.kernel.kernel;
    question.allowedError = run.accuracy;
    question.opening = run.opening;
    if (task.body) {
        question.body = task.index;
        if (task.index >= bodies.size() || bodies.id[task.index] != *task.body)
            question.body = static_cast<std::size_t>(std::ranges::find(bodies.id, *task.body) - bodies.id.begin());
    }
    auto known = std::make_shared<KnownTree>();
    known->run = state.run;
    known->step = state.step();
    known->wish = task.wish;
    known->body = task.body.value_or(0);
    known->cells = treeCells(bodies, state.force, question);
    return {std::move(known), hostClock() - begun};
}

void TreeViewer::begin(std::shared_ptr<const FedState> state) {
    step_ = state->step();
    owed_ = true;
    worker_.ask({std::move(state), asked_.wish, asked_.body, index_});
}

void TreeViewer::forget() {
    ticket_.drop();
    worker_.drop();
    asked_ = {};
    step_ = -1;
    behind_ = owed_ = false;
}

void TreeViewer::update(Document& document, Simulation& simulation, StateFeed& feed, double now, bool wait) {
    Facts& facts = document.facts;
    const TreeWish& wish = document.tree;
    const bool acting = wish.boxes == TreeBoxes::acting;
    if (wish.boxes == TreeBoxes::none || (acting && !document.selected) || facts.bodies->size() > kMostTreeBodies) {
        if (facts.tree || behind_) forget();
        facts.tree = nullptr;
        return;
    }
    Asked wanted{simulation.bodiesId(), facts.revision, wish, {}, 0, 0, {}};
    if (acting) {
        const RunConfiguration& run = facts.configuration;
        wanted.body = document.selected->id;
        wanted.accuracy = run.accuracy;
        wanted.opening = run.opening;
        wanted.kernel = run.kernel.kernel;
    }
    try {
        if (wanted != asked_) {
            if (wanted.run != asked_.run) facts.tree = nullptr;
            forget();
            asked_ = std::move(wanted);
            nextAt_ = now;
        }
        if (acting) index_ = document.selected->index;
        if (const std::shared_ptr<const FedState> state = ticket_.take(); state && state->run == asked_.run) {
            nextAt_ = std::max(nextAt_, now + state->cost / kTreeShareOfCopies);
            begin(state);
        }
        const bool due = step_ != facts.step && !ticket_.waiting() && !owed_ && (wait || now >= nextAt_);
        if (due && wait)
            begin(feed.now(simulation));
        else if (due)
            ticket_ = feed.ask();
        if (owed_) {
            if (wait) worker_.wait();
            if (auto found = worker_.poll()) {
                owed_ = false;
                nextAt_ = std::max(nextAt_, now + std::max(kTreeInterval, found->seconds / kTreeShareOfACore));
                facts.tree = std::move(found->tree);
            }
        }
        behind_ = step_ != facts.step || ticket_.waiting() || owed_;
    } catch (const Error& error) {
        forget();
        document.tree.boxes = TreeBoxes::none;
        document.warn(error.what());
    } catch (const std::bad_alloc&) {
        forget();
        document.tree.boxes = TreeBoxes::none;
        document.warn("There was not enough memory for the cells of a tree; the run goes on.");
    }
}

}  // namespace gravlab
