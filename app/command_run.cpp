// `gravlab run`: integrates without graphics and writes tables. Rule: files appear whole, at the end, or not at all.
#include "app/interrupt.h"
#include "app/options.h"
#include "app/progress.h"
#include "sim/error.h"
#include "sim/io/atomic_file.h"
#include "sim/simulation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>

namespace gravlab {
namespace {

// Above this the two O(N^2) energy sums of the closing line would take longer than many a run.
constexpr std::size_t kSummaryEnergyBodies = 16384;
// One call of advance() stays short, so that Ctrl-C and the progress line are looked at.
constexpr double kSliceSeconds = 0.1;

template <class... Values>
std::string row(const char* format, Values... values) {
    char text[512];
    return std::string(text, static_cast<std::size_t>(std::snprintf(text, sizeof text, format, values...)));
}

std::string energyRow(std::int64_t step, double time, const Diagnostics& d) {
    return row("%lld,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", static_cast<long long>(step), time,
               d.kinetic, d.potential, d.energy(), d.momentum.x, d.momentum.y, d.momentum.z, d.angularMomentum.x,
               d.angularMomentum.y, d.angularMomentum.z);
}

void writeBodies(AtomicFile& file, const ParticleSet& bodies) {
    file.write("m,x,y,z,vx,vy,vz\n");
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const Double4& p = bodies.position[i];
        const Double4& v = bodies.velocity[i];
        file.write(row("%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", p.w, p.x, p.y, p.z, v.x, v.y, v.z));
    }
}

void requireFinite(const ParticleSet& bodies, double time) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const Double4 &p = bodies.position[i], &v = bodies.velocity[i];
        if (!std::isfinite(p.x + p.y + p.z + v.x + v.y + v.z))
            throw DeviceError(
                row("body %zu is not finite at t = %g; nothing was written. A smaller --dt or a larger "
                    "--softening may help",
                    i, time));
    }
}

std::int64_t stepsWanted(const Options& options, double timeStep) {
    if (options.steps >= 0) return options.steps;
    // The last step may end a rounding error short of the time asked for, but not a step.
    const double steps = std::ceil(options.until / timeStep * (1 - 1e-12));
    if (!(steps < 9e18)) throw UsageError("--until asks for more steps than can be counted; choose a larger --dt");
    return static_cast<std::int64_t>(steps);
}

}  // namespace

int runCommand(const Options& options) {
    const InterruptWatch watch;
    // Opened first: a folder that is not there is known before hours of work, not after.
    std::optional<AtomicFile> csv, final;
    if (!options.csv.empty()) csv.emplace(options.csv);
    if (!options.finalFile.empty()) final.emplace(options.finalFile);
    const bool standardOutputTaken = options.csv == "-" || options.finalFile == "-";

    Simulation simulation(options.simulation);
    const SimulationSettings& settings = simulation.settings();
    std::fprintf(stderr, "gravlab: %s, %zu bodies, %s; %s\n", settings.scene.c_str(), simulation.backend().size(),
                 simulation.backend().description().c_str(), simulation.backendWhy().c_str());
    const std::int64_t steps = stepsWanted(options, settings.timeStep);

    const bool summaryEnergy = csv || simulation.backend().size() <= kSummaryEnergyBodies;
    Diagnostics first, last;
    if (summaryEnergy) first = last = simulation.measure();
    if (csv) {
        csv->write("step,time,kinetic,potential,energy,px,py,pz,lx,ly,lz\n");
        csv->write(energyRow(simulation.step(), simulation.time(), first));
    }

    const auto start = std::chrono::steady_clock::now();
    ProgressLine progress("step", steps);
    while (simulation.step() < steps) {
        InterruptWatch::check();
        const std::int64_t nextRow = csv ? (simulation.step() / options.every + 1) * options.every : steps;
        const Budget slice{.seconds = kSliceSeconds, .steps = std::min(nextRow, steps) - simulation.step()};
        const AdvanceStatus status = simulation.advance(slice, nullptr);
        simulation.backend().wait();
        progress.show(simulation.step());
        if (csv && status.stepsCompleted > 0 && simulation.step() % options.every == 0 && simulation.step() < steps)
            csv->write(energyRow(simulation.step(), simulation.time(), simulation.measure()));
    }
    progress.finish();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

    ParticleSet bodies;
    simulation.snapshot(bodies);
    requireFinite(bodies, simulation.time());
    if (summaryEnergy) last = simulation.measure();
    if (csv && steps > 0) csv->write(energyRow(simulation.step(), simulation.time(), last));
    if (final) writeBodies(*final, bodies);
    if (csv) csv->commit();
    if (final) final->commit();

    std::FILE* out = standardOutputTaken ? stderr : stdout;
    std::fprintf(out, "%s: %zu bodies, %lld steps of %g to t = %g with %s in %.2f s", settings.scene.c_str(), bodies.size(),
                 static_cast<long long>(steps), settings.timeStep, simulation.time(), settings.integrator.c_str(), seconds);
    if (summaryEnergy)
        std::fprintf(out, "; energy %.9g, relative change %.2e", last.energy(),
                     first.energy() != 0 ? (last.energy() - first.energy()) / std::abs(first.energy()) : 0.0);
    std::fprintf(out, "\n");
    return static_cast<int>(ExitCode::ok);
}

}  // namespace gravlab
