#include "app/commands/twin_record.h"

#include "app/commands/run_plots.h"

#include "app/tables/format.h"
#include "app/tables/unit_text.h"
#include "app/ui/twin_plot.h"

#include <cmath>

namespace gravlab {
namespace {

constexpr std::size_t kTwinEnergyBodies = 2048;  // thousands of sums of all pairs stay below a minute
constexpr std::size_t kSummaryBodies = 16384;

double relative(double now, double first) { return (now - first) / (first != 0 ? std::abs(first) : 1); }

}  // namespace

TwinRecord::TwinRecord(Simulation& first, const TwinChoice& choice) : run_(first, choice, false) {
    ParticleSet bodies;
    first.snapshot(bodies);
    curve_.restart(spread(bodies));
    if (bodies.size() <= kSummaryBodies) {
        // The host sums it, as it sums all energies that are compared with it.
        energy0_ = measureSystem(bodies, first.terms()).energy();
        ParticleSet there;
        run_.simulation().snapshot(there);
        twinEnergy0_ = measureSystem(there, run_.simulation().terms()).energy();
    }
}

std::string TwinRecord::columns(const SceneUnits& units) {
    return ",twin_energy" + inBrackets(unitOfEnergy(units).name) + ",rms_separation" + inBrackets(units.length) +
           ",max_separation" + inBrackets(units.length);
}

std::string TwinRecord::cells(Simulation& first, const SceneUnits& units) {
    if (!run_.met(first)) return ",,,";
    ParticleSet here, there;
    first.snapshot(here);
    run_.simulation().snapshot(there);
    const Separation apart = separation(here, there);
    return formatted(",%.17g,%.9g,%.9g",
                     measureSystem(there, run_.simulation().terms()).energy() * unitOfEnergy(units).scale,
                     apart.rms * units.lengthScale, apart.max * units.lengthScale);
}

std::int64_t TwinRecord::lastMeeting(const Simulation& first, std::int64_t end) const {
    const std::int64_t next = first.step() + run_.stepsToMeeting(first), every = run_.ratio().first;
    return next > end ? first.step() : next + (end - next) / every * every;
}

void TwinRecord::record(Simulation& first) {
    if (!run_.met(first)) return;
    ParticleSet here, there;
    first.snapshot(here);
    run_.simulation().snapshot(there);
    DivergencePoint point{.time = first.time(), .apart = separation(here, there)};
    if (here.size() <= kTwinEnergyBodies) {
        point.change = relative(measureSystem(here, first.terms()).energy(), energy0_);
        point.twinChange = relative(measureSystem(there, run_.simulation().terms()).energy(), twinEnergy0_);
    }
    curve_.add(point);
}

std::string TwinRecord::write(const std::filesystem::path& folder, Simulation& first, OutputSet& outputs) const {
    const std::filesystem::path file = folder / "divergence.png";
    writeDivergence(outputs.add(file), first.configuration().scene + ": two runs of one start",
                    twinLabels(first.configuration(), run_.simulation().configuration()), curve_, first.scene().units);
    return file.string();
}

std::string TwinRecord::summary(Simulation& first) {
    Simulation& twin = run_.simulation();
    const auto labels = twinLabels(first.configuration(), twin.configuration());
    const SceneUnits& units = first.scene().units;
    std::string text = "twin: " + labels.second + " against " + labels.first;
    if (twin.configuration().bodies <= kSummaryBodies) {
        ParticleSet there;
        twin.snapshot(there);
        const double now = measureSystem(there, twin.terms()).energy();
        const UnitOfEnergy unit = unitOfEnergy(units);
        text += formatted("; energy %.9g", now * unit.scale) + (unit.name.empty() ? "" : " " + unit.name) +
                formatted(", relative change %.2e", relative(now, twinEnergy0_));
    }
    if (run_.met(first)) record(first);
    if (!curve_.points().empty() && curve_.points().back().time != first.time()) {
        return text + "; at t = " + timeText(curve_.points().back().time, units) + ", the last time that both are at, " +
               divergenceText(curve_, units);
    }
    return text + "; " + divergenceText(curve_, units);
}

}  // namespace gravlab
