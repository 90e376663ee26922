#include "app/view/services.h"

#include "app/system/host_clock.h"

#include <new>
#include <optional>

namespace gravlab {

void measureBeside(Document& document, bool realTime, const std::function<void()>& measure) {
    try {
        measure();
    } catch (const std::bad_alloc&) {
        if (!realTime) throw;
        document.warn("There was not enough memory to measure the run; it goes on.");
    }
}

void Services::follow(const RunHost& runs) {
    if (rateChanges_ != runs.rateChanges()) telemetry.restart();
    if (jumps_ != runs.jumps()) conservation.jump(runs.simulation());
    rateChanges_ = runs.rateChanges();
    jumps_ = runs.jumps();
}

void Services::advance(Document& document, RunHost& runs, bool realTime) {
    const Facts& facts = document.facts;
    const auto beside = [&](const std::function<void()>& measure) { measureBeside(document, realTime, measure); };
    labLoop.follow(lab, document);
    if (realTime) {
        StateFeed& feed = runs.first().feed();
        const double now = hostClock();
        beside([&] { conservation.update(runs.simulation(), feed, now); });
        const auto kept = [&] { return runs.history() ? runs.history()->newest(facts.step) : std::nullopt; };
        instruments.wanted = document.profileWanted;
        beside([&] { instruments.update(runs.simulation(), feed, facts.galaxies, kept, now); });
        document.profileWanted = instruments.wanted;  // another scene has its own setting
        labLoop.advance(lab, document, runs);
    }
    beside([&] { groupFinder.update(document, runs.simulation(), runs.first().feed(), !realTime); });
    labLoop.refreshMatrix(lab, document, runs, realTime);
}

void Services::look(Document& document, RunHost& runs, bool realTime, bool drawn, double drawSeconds) {
    const auto beside = [&](const std::function<void()>& measure) { measureBeside(document, realTime, measure); };
    StateFeed& feed = runs.first().feed();
    const double now = hostClock();
    beside([&] { treeViewer.update(document, runs.simulation(), feed, now, !realTime); });
    if (drawn) {
        const BodyReadout* body = document.selected ? &*document.selected : nullptr;
        beside([&] { trajectory.update(runs.simulation(), feed, document.ahead, body, now, !realTime); });
        beside([&] { dropPath.update(runs.simulation(), feed, document.drop, document.facts.usualResponse, now); });
    }
    telemetry.frame(runs.simulation().totals(), hostClock(), drawSeconds);
}

void Services::readFacts(Facts& facts) const {
    facts.interactionsPerSecond = telemetry.interactionsPerSecond;
    facts.forceSeconds = telemetry.forceSeconds;
    facts.stepsPerSecond = telemetry.stepsPerSecond;
    facts.framesPerSecond = telemetry.framesPerSecond;
    facts.frameMilliseconds = telemetry.frameMilliseconds;
    facts.energyChange = conservation.worstChange();
    facts.virial = facts.halfMassRadius = facts.energyTime = std::nullopt;
    facts.energyComes = conservation.why().empty();
    if (const auto& points = conservation.points(); !points.empty()) {
        facts.energyTime = points.back().time;
        facts.virial = points.back().virial;
        facts.halfMassRadius = points.back().shape.lagrangianRadii[1];
    }
    facts.labBusy = lab.busy();
    if (facts.labStatus != lab.status()) facts.labStatus = lab.status();
    facts.labBest.reset();
    if (const SweepResult* best = lab.best())
        facts.labBest = LabBest{
            best->point.term,
            {best->point.term == kPairLawTerm ? best->row.kernel : nameOf(best->point.kernel), best->point.kernel.launch},
            best->point.options.threads};
}

bool Services::busy(const Document& document) const {
    const LabPanel& panel = document.labPanel;
    if (lab.busy() || panel.own.trying || (panel.visits && panel.shows(LabPage::matrix))) return true;
    if (conservation.busy() || instruments.busy() || groupFinder.busy() || treeViewer.busy()) return true;
    return (panel.open && lab.matrix.waiting()) || trajectory.busy() || dropPath.busy();
}

}  // namespace gravlab
