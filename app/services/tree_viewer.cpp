#include "app/services/tree_viewer.h"

#include "app/runs/run_host.h"
#include "sim/api/errors.h"

#include <algorithm>
#include <new>
#include <utility>

namespace gravlab {

TreeViewer::Known TreeViewer::looked(const FedState& state, const Question& wanted) {
    const ParticleSet& bodies = state.state.bodies;
    const RunConfiguration& run = state.configuration;
    TreeQuestion question;
    question.level = wanted.wish.level;
    question.kernel = run.pairs().kernel.kernel;
    question.allowedError = run.pairs().accuracy;
    question.opening = run.pairs().opening;
    if (wanted.body)
        question.body = static_cast<std::size_t>(std::ranges::find(bodies.id, *wanted.body) - bodies.id.begin());
    auto known = std::make_shared<KnownTree>();
    known->bodiesId = state.bodiesId;
    known->step = state.step();
    known->wish = wanted.wish;
    known->body = wanted.body.value_or(0);
    known->cells = treeCells(bodies, state.force, question);
    return known;
}

/// The request of the picture; empty: it needs no cells.
std::optional<TreeViewer::Question> TreeViewer::question(const Document& document) const {
    const RunFacts& facts = document.facts;
    Question wanted{.revision = facts.revision, .wish = document.tree};
    if (wanted.wish.boxes == TreeBoxes::none || facts.bodies->size() > kMostTreeBodies) return std::nullopt;
    if (wanted.wish.boxes != TreeBoxes::acting) return wanted;
    if (!document.selected) return std::nullopt;
    wanted.body = document.selected->id;
    return wanted;
}

void TreeViewer::look(const ServiceFrame& frame) {
    const Document& document = frame.document;
    Simulation& simulation = frame.runs.simulation();
    RunFacts& facts = frame.reports.facts;
    const std::optional<Question> wanted = question(document);
    if (!wanted || std::exchange(run_, simulation.bodiesId()) != simulation.bodiesId()) facts.tree = nullptr;
    const auto fail = [&](const std::string& why) {
        sampler_.forget();
        behind_ = false;
        frame.posted.push_back({{SetParameter{"view.tree_cells", std::string("none")}}, Sender::guard});
        frame.reports.news.warn(why);
    };
    try {
        if (auto found = sampler_.update({simulation, frame.runs.first().feed(), frame.now, !frame.realTime},
                                         wanted ? &*wanted : nullptr))
            facts.tree = std::move(*found);
        behind_ = wanted && (sampler_.busy() || sampler_.step() != facts.step);
    } catch (const Error& error) {
        fail(error.what());
    } catch (const std::bad_alloc&) {
        fail("There was not enough memory for the cells of a tree; the run continues.");
    }
}

}  // namespace gravlab
