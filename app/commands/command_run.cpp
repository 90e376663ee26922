// `gravlab run`: integrates without graphics and writes tables and snapshots. Rule: a file is complete or absent.
#include "app/commands/command_run.h"
#include "app/parameters/twin_settings.h"

#include "app/bench/own_trial.h"
#include "app/commands/run_plots.h"
#include "app/files/open_file.h"
#include "app/files/scene_file.h"
#include "app/files/snapshot_jobs.h"
#include "app/files/snapshot_series.h"
#include "app/files/state_folder.h"
#include "app/runs/divergence.h"
#include "app/runs/step_watch.h"
#include "app/runs/twin_run.h"
#include "app/services/conservation.h"
#include "app/services/non_finite_monitor.h"
#include "app/services/spot_check.h"
#include "app/system/file_names.h"
#include "app/system/host_clock.h"
#include "app/system/interrupt.h"
#include "app/system/progress.h"
#include "app/tables/format.h"
#include "app/tables/unit_text.h"
#include "app/ui/twin_plot.h"
#include "sim/api/errors.h"
#include "sim/backends/division.h"
#include "sim/contact/contact.h"
#include "sim/core/names.h"
#include "sim/core/text.h"
#include "sim/forces/law_numbers.h"
#include "sim/io/file/atomic_file.h"
#include "sim/measure/orbit.h"
#include "sim/run/resolve.h"
#include "sim/run/simulation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gravlab {

namespace {

constexpr std::size_t kTwinEnergyBodies = 2048;  // thousands of sums of all pairs stay below a minute
// Above this, the two O(N^2) energy sums of the closing line would outlast many runs on the host.
constexpr std::size_t kSummaryBodies = 16384;

double relative(double now, double first) { return (now - first) / (first != 0 ? std::abs(first) : 1); }

/// A twin beside the run: its steps, its columns and its picture.
/// Rule: numbers hold for common times. In a row at another time, the twin's cells are empty.
class TwinRecord {
public:
    /// Starts at the state of the first run. Throws as Simulation does.
    TwinRecord(Simulation& first, const TwinChoice& choice) : run_(first, choice, false) {
        const ParticleSet bodies = first.bodies();
        curve_.restart(spread(bodies));
        if (bodies.size() <= kSummaryBodies) {
            // The host sums it, as it sums all energies that are compared with it.
            energy0_ = measureSystem(bodies, first.terms()).energy();
            twinEnergy0_ = measureSystem(run_.simulation().bodies(), run_.simulation().terms()).energy();
        }
    }

    /// Names of the cells of a row in these units, each with a comma before it.
    static std::string columns(const SceneUnits& units) {
        return ",twin_energy" + inBrackets(unitOfEnergy(units).name) + ",rms_separation" + inBrackets(units.length) +
               ",max_separation" + inBrackets(units.length);
    }

    /// The cells of a row, in the same form. Waits for a copy of both states and sums energies over all pairs.
    std::string cells(Simulation& first, const SceneUnits& units) {
        if (!run_.met(first)) return ",,,";
        const ParticleSet here = first.bodies(), there = run_.simulation().bodies();
        const Separation apart = separation(here, there);
        return formatted(",%.17g,%.9g,%.9g",
                         measureSystem(there, run_.simulation().terms()).energy() * unitOfEnergy(units).scale,
                         apart.rms * units.lengthScale, apart.max * units.lengthScale);
    }

    /// Advances the twin for at most `seconds`. Returns true when it has reached the first run.
    bool catchUp(Simulation& first, double seconds) { return run_.catchUp(first, seconds); }
    /// The last step of the first run, up to `end`, whose time both runs can reach.
    std::int64_t lastMeeting(const Simulation& first, std::int64_t end) const {
        const std::int64_t next = first.step() + run_.stepsToMeeting(first), every = run_.ratio().first;
        return next > end ? first.step() : next + (end - next) / every * every;
    }

    /// Adds the present time to the curve, where it is common to both runs.
    void record(Simulation& first) {
        if (!run_.met(first)) return;
        const ParticleSet here = first.bodies(), there = run_.simulation().bodies();
        DivergencePoint point{.time = first.time(), .apart = separation(here, there)};
        if (here.size() <= kTwinEnergyBodies) {
            point.change = relative(measureSystem(here, first.terms()).energy(), energy0_);
            point.twinChange = relative(measureSystem(there, run_.simulation().terms()).energy(), twinEnergy0_);
        }
        curve_.add(point);
    }

    /// Writes divergence.png into the folder and returns its name. Throws IoError.
    std::string write(const std::filesystem::path& folder, Simulation& first, OutputSet& outputs) const {
        const std::filesystem::path file = folder / "divergence.png";
        writeDivergence(outputs.add(file), first.configuration().scene + ": two runs of one start",
                        twinLabels(first.configuration(), run_.simulation().configuration()), curve_, first.scene().units);
        return file.string();
    }

    /// One sentence with settings, energy and distance between the runs.
    std::string summary(Simulation& first) {
        Simulation& twin = run_.simulation();
        const auto labels = twinLabels(first.configuration(), twin.configuration());
        const SceneUnits& units = first.scene().units;
        std::string text = "twin: " + labels.second + " against " + labels.first;
        if (twin.configuration().bodies <= kSummaryBodies) {
            const double now = measureSystem(twin.bodies(), twin.terms()).energy();
            const ShownUnit unit = unitOfEnergy(units);
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

    std::string note() const { return run_.note(); }

private:
    TwinRun run_;
    Divergence curve_;
    double energy0_ = 0, twinEnergy0_ = 0;
};

// Limit where the device sums: a small device needs some seconds.
constexpr std::size_t kSummaryOnDevice = 65536;
// One call of advance() stays short, so that Ctrl-C and the progress line are handled in time.
constexpr double kSliceSeconds = 0.1;

// Steps are limited far below an overflow of their count.
constexpr std::int64_t kMostSteps = (std::int64_t{1} << 62) + (std::int64_t{1} << 61);
// A larger relative change of the energy is no result of the physics.
constexpr double kLostEnergy = 0.1;
// Steps are too long for close passages where the largest change is this large, and so many times that of the end: in ten
// triples with wrong orbits it was 2e-4 to 4e-3, in those with right ones below 5e-5.
constexpr double kLargeOnTheWay = 1e-4, kMoreThanAtTheEnd = 10;

/// Energies of one run as fractions of the start.
struct EnergyScale {
    Diagnostics first;
    double forces = 1;  ///< fraction of a potential energy that its forces can convert into motion

    EnergyScale(const Diagnostics& start, const ForceSettings& force) : first(start) {
        // Near exponent 1, nearly all of a power law's potential is a constant: Clausius' virial contains |(1 - a) U| of it.
        const auto exponent =
            std::ranges::find_if(lawNumbers(), [](const LawNumber& n) { return std::string_view(n.key) == "exponent"; });
        if (exponent->acts(force.law) && force.exponent != 1) forces = std::min(1.0, std::abs(1 - force.exponent));
    }
    double parts(const Diagnostics& d) const { return std::max(std::abs(d.kinetic), forces * std::abs(d.potential)); }
    /// Denominator of a relative change: the energy of the start, or the size of its terms where that energy is 0.
    double whole(const Diagnostics& now) const {
        const double whole =
            std::min(std::abs(first.balance()), std::abs(first.kinetic) + forces * std::abs(first.potential));
        return whole != 0 ? whole : parts(first) != 0 ? parts(first) : parts(now);
    }
    double change(const Diagnostics& now) const {
        const double change = now.balance() - first.balance();
        return change != 0 ? change / whole(now) : 0;
    }
    /// Whether this is no result of the physics. An energy that begins near 0 is compared with the size of its terms.
    bool lost(const Diagnostics& now) const {
        return !(std::abs(now.balance() - first.balance()) <= kLostEnergy * std::max(whole(now), parts(first)));
    }
};

/// Numbers of a table are finite; those of bodies alone are watched by NonFiniteMonitor.
void requireFinite(const Diagnostics& d, const Simulation& simulation) {
    const Vec3d sums = 0 * (d.momentum + d.angularMomentum + d.centreOfMass);
    if (sums == Vec3d{} && std::isfinite(d.energy() + 0 * d.kinetic) && std::isfinite(simulation.time())) return;
    throw DeviceError(
        formatted("energy, momenta or time are not finite at step %lld; no result was written. The numbers of "
                  "bodies, fields, bonds or of the clock are too large; choose other units",
                  static_cast<long long>(simulation.step())));
}

/// The columns of --csv, with the unit where they have one.
std::string energyColumns(const SceneUnits& units) {
    const auto product = [](std::initializer_list<std::string_view> names) { return inBrackets(joined(names, {}, " ")); };
    const std::string energy = inBrackets(unitOfEnergy(units).name);
    const std::string momentum = units.mass.empty() ? "" : product({units.mass, units.speed});
    const std::string turning = units.mass.empty() ? "" : product({units.mass, units.length, units.speed});
    const std::string length = inBrackets(units.length);
    std::string text = "step,time" + inBrackets(units.time);
    for (const char* name : {"kinetic", "potential", "energy"}) text += "," + std::string(name) + energy;
    for (const char* name : {"px", "py", "pz"}) text += "," + std::string(name) + momentum;
    for (const char* name : {"lx", "ly", "lz"}) text += "," + std::string(name) + turning;
    text += ",relative_change";
    for (const char* name : {"cx", "cy", "cz"}) text += "," + std::string(name) + length;
    text += ",virial";
    for (const char* name : {"r10", "r50", "r90", "closest"}) text += "," + std::string(name) + length;
    return text;
}

std::string energyRow(const Simulation& simulation, const Diagnostics& d, const EnergyScale& energies,
                      const SceneUnits& units) {
    const Shape& shape = d.shape;
    const double length = units.lengthScale, momentum = units.massScale * units.speedScale;
    const double energy = unitOfEnergy(units).scale, turning = momentum * length;
    const double virial = 2 * virialOf(d, simulation.configuration());
    std::string text = formatted("%lld,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g",
                                 static_cast<long long>(simulation.step()), simulation.time() * units.timeScale,
                                 d.kinetic * energy, d.potential * energy, d.energy() * energy, d.momentum.x * momentum,
                                 d.momentum.y * momentum, d.momentum.z * momentum, d.angularMomentum.x * turning,
                                 d.angularMomentum.y * turning, d.angularMomentum.z * turning);
    text += formatted(",%.6g,%.17g,%.17g,%.17g,%.9g,%.9g,%.9g,%.9g,%.9g", energies.change(d), d.centreOfMass.x * length,
                      d.centreOfMass.y * length, d.centreOfMass.z * length, virial, shape.lagrangianRadii[0] * length,
                      shape.lagrangianRadii[1] * length, shape.lagrangianRadii[2] * length, shape.closest * length);
    return text;
}

/// The bodies left, and the energy that contacts have taken so far: energy + lost is the balance.
std::string contactCells(const Simulation& simulation, const Diagnostics& d, const SceneUnits& units) {
    if (!simulation.configuration().contact.acts()) return {};
    return formatted(",%zu,%.17g", simulation.configuration().bodies, d.lost * unitOfEnergy(units).scale);
}

/// Errors of the approximate force after the previous row: the error that the check found, and the limit that the accuracy
/// sets for 99 % of the bodies. The cells are empty before the first force.
constexpr std::string_view kAccuracyColumns = ",force_error,force_error_allowed";
std::string accuracyCells(const std::optional<ForceCheck>& check) {
    return check ? formatted(",%.4g,%.4g", check->p99, check->allowed) : ",,";
}

/// Number of steps to make from the simulation's present step. `shorter`: the last one ends before a whole step would.
std::int64_t stepsWanted(const RunCommand& command, double until, const Simulation& simulation, bool& shorter) {
    const std::int64_t left = kMostSteps - simulation.step();
    if (command.steps >= 0) {
        if (command.steps <= left) return command.steps;
        throw UsageError("--steps " + std::to_string(command.steps) + " from step " + std::to_string(simulation.step()) +
                         " cannot be counted; at most " + std::to_string(left) + " can");
    }
    // The last step may end a rounding error before the requested time. A resumed run has the same last step as an
    // uninterrupted one.
    const SceneUnits& units = simulation.scene().units;
    const double timeStep = simulation.configuration().timeStep;
    const double way = until - simulation.time();
    const double steps = std::ceil(way / timeStep - std::max(1e-6, 1e-12 * std::abs(until / timeStep)));
    // A file may be past the requested time; a run from its start is not.
    if (steps < 0 && (timeStep < 0 || simulation.step() == 0))
        throw UsageError("--until " + timeText(until, units) + " is never reached: the time step of " +
                         timeText(timeStep, units) + " runs " + (timeStep < 0 ? "backwards" : "forwards") +
                         " from t = " + timeText(simulation.time(), units) + "; give a --dt " +
                         (timeStep < 0 ? "above" : "below") + " 0, or --steps");
    if (!(steps > 0)) return 0;
    const double end = simulation.time() + steps * timeStep, over = std::abs(end - until);
    shorter = !command.start.twin.on && over > 1e-6 * std::abs(timeStep);
    if (command.start.twin.on && over > 1e-6 * std::abs(timeStep))
        notify(formatted("steps of %s reach --until %s at t = %s, where both runs end", timeText(timeStep, units).c_str(),
                         timeText(until, units).c_str(), timeText(end, units).c_str()));
    if (!(steps < static_cast<double>(left)))
        throw UsageError("--until asks for more steps than can be counted; choose a larger --dt");
    return static_cast<std::int64_t>(steps);
}

/// The numbered files and the autosaves of a run, written beside it.
class RunFiles {
public:
    /// `beforeLast`: the step before a shorter one; -1: there is none.
    RunFiles(const RunCommand& command, const StartOptions& started, const std::string& checkpoint,
             const Simulation& simulation, std::int64_t beforeLast)
        : command_(command),
          checkpoint_(checkpoint),
          every_(std::abs(started.snapshotTime)),
          until_(std::abs(started.until)),
          beforeLast_(beforeLast),
          series_(command.series) {
        if (simulation.step() != 0) series_.keepUntil(simulation.time(), simulation.configuration().timeStep < 0);
    }
    std::int64_t nextStop(const Simulation& simulation, std::int64_t otherwise) const {
        const std::int64_t step = simulation.step();
        if (every_ > 0) {
            const double timeStep = std::abs(simulation.configuration().timeStep), time = std::abs(simulation.time());
            const double next = (std::floor(time / every_ + 0.5 * timeStep / every_) + 1) * every_ - 0.5 * timeStep;
            const double steps = std::max(std::ceil((next - time) / timeStep), 1.0);
            return steps < static_cast<double>(otherwise - step) ? step + static_cast<std::int64_t>(steps) : otherwise;
        }
        if (command_.snapshotEvery == 0) return otherwise;
        return std::min(otherwise, (step / command_.snapshotEvery + 1) * command_.snapshotEvery);
    }
    /// Saves the files that are due at this step.
    void update(Simulation& simulation) {
        if (due(simulation) && simulation.step() != lastNumbered_) {
            lastNumbered_ = simulation.step();
            const std::string file = numberedName("--snapshots", command_.snapshots, lastNumbered_);
            save(file, simulation, {}, [this, file, time = simulation.time(), bodies = simulation.backend().size()] {
                series_.add(file, time, bodies);
            });
        }
        if (command_.autosaveSeconds > 0 && hostClock() - saved_ >= command_.autosaveSeconds && !saver_.busy()) {
            save(checkpoint_, simulation, {.keepPrevious = true, .mayReplaceRead = true}, [] {});
            saved_ = hostClock();
        }
        saver_.poll();
    }
    /// Waits for the saves under way. Returns true when every save worked.
    bool finish() {
        saver_.wait();
        saver_.poll();
        return failures_ == 0;
    }
    std::int64_t failures() const { return failures_; }

private:
    /// Whether this step has a snapshot; by time, whether no step is nearer to a multiple of it.
    bool due(const Simulation& simulation) const {
        if (!(every_ > 0)) return command_.snapshotEvery > 0 && simulation.step() % command_.snapshotEvery == 0;
        const double marks = std::abs(simulation.time()) / every_;
        const double half = 0.5 * std::abs(simulation.configuration().timeStep) / every_, mark = std::floor(marks + half);
        if (simulation.step() == beforeLast_ && std::abs(until_ / every_ - mark) < std::abs(marks - mark)) return false;
        return mark > std::floor(marks - half) || half >= 0.5;
    }
    /// Waits where earlier saves have not begun. A failed save does not end the run; it is reported at once and in the exit
    /// code.
    void save(const std::string& path, Simulation& simulation, const WriteOptions& how, std::function<void()> saved) {
        FileJob job = saving(path, checkpointAsync(simulation), how);
        job.done = [this, saved = std::move(saved)](const FileOutcome& outcome) {
            std::string why = outcome.sentence;
            try {
                if (outcome.status == FileOutcome::Status::written) return saved();
            } catch (const IoError& error) {
                why = error.what();
            }
            ++failures_;
            std::fprintf(stderr, "\ngravlab: %s\n", printable(why).c_str());
        };
        saver_.postInTurn(std::move(job));
    }

    const RunCommand& command_;
    std::string checkpoint_;
    double every_, until_;  ///< simulated time between snapshots, 0 where they go by steps; the end [T]
    std::int64_t beforeLast_;
    std::int64_t lastNumbered_ = -1;
    std::int64_t failures_ = 0;
    double saved_ = hostClock();  ///< time of the last autosave [s]
    SnapshotSeries series_;
    FileJobs saver_;
};

/// Saves a good state, so that the user can resume from it, and returns a text with its path; or the reason of a failure.
std::string saveForLater(const std::shared_ptr<const FedState>& good, const std::string& checkpoint) {
    if (!good)
        return checkpoint.empty() ? "no state of so many bodies was kept; --checkpoint with --autosave keeps them in a file"
                                  : "the last whole save is in " + checkpoint;
    try {
        const FedState& state = *good;
        const std::filesystem::path file =
            checkpoint.empty() ? leftRunFile(state.configuration.scene) : std::filesystem::path(checkpoint);
        writeSnapshot(file, checkpointOf(state.configuration, state.state), {.keepPrevious = true, .mayReplaceRead = true});
        if (checkpoint.empty()) rememberFile(std::filesystem::absolute(file));  // Ctrl O in a window offers it
        return formatted("the state of step %lld was saved; continue with: gravlab run ",
                         static_cast<long long>(state.step())) +
               file.string();
    } catch (const Error& error) {
        return std::string("the state could not be saved: ") + error.what();
    }
}

/// Keeps what a run that ends early has written, and returns a text with its path.
std::string partialText(AtomicFile* file, const char* what) try {
    const std::string kept = file ? file->keepPartial() : "";
    return kept.empty() ? "" : std::string("; its ") + what + " so far are in " + kept;
} catch (const IoError&) {  // the state counts more
    return std::string("; its ") + what + " so far are lost";
}

int runSimulation(const RunCommand& command) {
    const InterruptWatch watch;
    // The outputs are opened first: a missing folder is found before hours of work. All files are put in place together at
    // the end, so a failed run leaves earlier files unchanged.
    OutputSet outputs;
    AtomicFile* csv = command.csv.empty() ? nullptr : &outputs.add(command.csv);
    AtomicFile* log = command.events.empty() ? nullptr : &outputs.add(command.events);
    std::optional<PendingSnapshot> final;
    if (!command.finalFile.empty()) final.emplace(command.finalFile, outputs);
    const bool standardOutputTaken = command.csv == "-" || command.finalFile == "-" || command.events == "-";

    StartOptions started = withFile(command.start);
    adoptKernelFile(started.simulation);
    started.simulation.resolvesOrbits = !started.file.empty() && !isSceneFile(started.file);
    // For files during the run, only the folder is checked.
    if (command.start.has("--snapshot-every")) requireFolder(numberedName("--snapshots", command.snapshots, 0));
    if (!command.series.empty()) requireFolder(command.series);
    if (!command.checkpoint.empty()) requireFolder(command.checkpoint);
    Simulation simulation(started.simulation);
    refuseIdleLaunch(started, simulation.backend().activeKernel());
    const RunConfiguration& settings = simulation.configuration();
    const SceneUnits& units = simulation.scene().units;
    if (log && !settings.contact.acts())
        throw UsageError("--events logs contacts, and this run has none; give --contact, and --radius or --density");
    if (const std::size_t pairs = simulation.overlaps(); pairs > 0)
        notify(formatted("%s pair%s of bodies overlap%s at the start; the first step resolves them", grouped(pairs).text,
                         pairs == 1 ? "" : "s", pairs == 1 ? "s" : ""));
    if (log) log->write(contactLogHeader());
    bool shorter = false;
    const std::int64_t begin = simulation.step(), steps = stepsWanted(command, started.until, simulation, shorter),
                       end = begin + steps, lastWhole = shorter ? end - 1 : end;
    notify(formatted("%s, %s bodies, %s; %s", settings.scene.c_str(), grouped(simulation.backend().size()).text,
                     simulation.backend().description().c_str(), simulation.backendWhy().c_str()));
    notify(divisionSentence(simulation.backend(), settings.backendOptions, simulation.integrator().program));
    if (begin != 0 || simulation.time() != 0)
        notify(formatted("continuing from step %lld, t = %s", static_cast<long long>(begin),
                         timeText(simulation.time(), units).c_str()));

    const KernelRow& row = simulation.backend().activeKernel();
    if (simulation.request().pairs().accuracy.value_or(0) > 0 && !row.approximates)
        if (const Reason why =
                hasKernel(row.backend, "tree") ? refusal(kernel(row.backend, "tree"), simulation.force()) : Reason();
            !why.empty())
            notify("every pair is computed: " + why);

    // This is known before the first measurement or output: one run uses one way of computing.
    if (steps > 0) notify(holdAccuracy(simulation, [] { InterruptWatch::check(); }));

    const auto advise = [](const std::string& doubt, const char* advice) {
        if (!doubt.empty()) notify(doubt + "; " + advice);
    };
    if (started.simulation.resolvesOrbits && !started.simulation.integrator)
        advise(unresolvedOrbitOf(settings.start.get(), settings.force, settings.timeStep),
               isAdaptive(simulation.integrator().program)
                   ? "radau15 chooses its own steps, and --integrator leapfrog keeps steps of one length"
                   : "--integrator radau15 chooses its own steps, without the options that exclude it");
    if (settings.start && begin == 0)
        advise(softenedOrbit(settings.start->state.bodies, settings.force), "a shorter --softening lets them");

    std::optional<TwinRecord> twin;
    if (started.twin.on) twin.emplace(simulation, started.twin);
    if (twin) notify(twin->note());

    const bool onDevice = simulation.backend().mostMeasured() > 0;
    const bool summaryEnergy = csv || simulation.backend().size() <= (onDevice ? kSummaryOnDevice : kSummaryBodies);
    // All sums of a run use one method: a difference between two methods is no change of the energy.
    Diagnostics measured;
    if (summaryEnergy) measured = simulation.measure([] { InterruptWatch::check(); });  // nothing can be lost yet
    requireFinite(measured, simulation);
    const EnergyScale energies(measured, simulation.force());
    StepWatch passages(
        simulation, [&](const Diagnostics& now) { return energies.change(now); }, csv != nullptr);
    const auto measure = [&] {
        measured = simulation.measure();
        requireFinite(measured, simulation);
        passages.take(measured);
    };
    // With a table, the rows request the check, so that the table is independent of the machine's speed; else time does.
    const bool writesError = csv && simulation.backend().activeKernel().approximates;
    SpotCheck spotCheck(writesError ? std::numeric_limits<double>::infinity() : SpotCheck::kSeconds);
    const auto writeRow = [&] {
        csv->write(energyRow(simulation, measured, energies, units) + contactCells(simulation, measured, units) +
                   (writesError ? accuracyCells(spotCheck.newest()) : "") + (twin ? twin->cells(simulation, units) : "") +
                   "\n");
    };
    if (csv) {
        csv->write(energyColumns(units) +
                   (settings.contact.acts() ? ",bodies,lost" + inBrackets(unitOfEnergy(units).name) : "") +
                   std::string(writesError ? kAccuracyColumns : "") + (twin ? TwinRecord::columns(units) : "") + "\n");
        writeRow();
    }

    std::optional<RunPlots> plots;
    if (!command.plots.empty()) plots.emplace(command.plots);
    const std::int64_t plotStride = RunPlots::stride(steps);
    if (plots) plots->record(simulation);
    if (plots && twin) twin->record(simulation);
    // The end may not be a common time of both runs. Comparisons then hold for the last common time.
    const std::int64_t lastMeeting = twin ? twin->lastMeeting(simulation, end) : end;

    const double start = hostClock();
    ProgressLine progress("step", steps, ProgressLine::Where::always);
    NonFiniteMonitor guard;
    guard.check(simulation, true);
    bool judged = false;  // whether the first force was checked, which must precede all output that depends on it
    const auto look = [&](bool now) {
        const std::optional<NonFiniteState> blown = guard.check(simulation, now);
        if (!blown) return;
        progress.finish();
        const std::string kept =
            guard.startIsGood() ? "; " + saveForLater(guard.lastGood(), command.checkpoint) : std::string();
        throw DeviceError(
            formatted("b%s at step %lld, t = %s; no result was written. A smaller --dt or a larger --softening may help",
                      blown->text().c_str() + 1, static_cast<long long>(blown->step), timeText(blown->time, units).c_str()) +
            kept);
    };
    RunFiles files(command, started,
                   command.checkpoint.empty() && command.autosaveSeconds > 0 ? leftRunFile(settings.scene).string()
                                                                             : command.checkpoint,
                   simulation, shorter ? lastWhole : -1);
    /// Where the state and the rows of a run that ends early are.
    const auto keptParts = [&](const std::shared_ptr<const FedState>& state) {
        return saveForLater(state, command.checkpoint) + partialText(csv, "rows") + partialText(log, "contacts");
    };
    /// A full disk ends the run as a signal does.
    const auto toDisk = [&](const auto& write) {
        try {
            write();
        } catch (const IoError& error) {
            progress.finish();
            throw IoError(error.what() + ("; " + keptParts(guard.lastGood())));
        }
    };
    const auto advance = [&](const Budget& slice) {
        try {
            const AdvanceStatus status = simulation.step() < lastWhole
                                             ? simulation.advance(slice, nullptr)
                                             : simulation.advanceBy(started.until - simulation.time(), slice);
            if (log)
                toDisk([&] {
                    for (const ContactEvent& event : simulation.takeContactEvents()) log->write(contactLogRow(event));
                });
            if (const std::string note = simulation.takeNote(); !note.empty()) {
                progress.finish();
                notify(note);
            }
            simulation.backend().wait();
            return status;
        } catch (const Error& error) {
            if (error.code() != ExitCode::deviceFailure) throw;
            progress.finish();
            throw DeviceError(error.what() + ("; " + keptParts(guard.lastGood())));
        }
    };
    if (log) simulation.takeContactEvents();  // events are recorded from here on
    while (true) {
        files.update(simulation);
        if (simulation.step() >= end || InterruptWatch::signal() != 0) break;
        const std::int64_t step = simulation.step(), nextRow = csv ? (step / command.every + 1) * command.every : end;
        const std::int64_t nextRecord = plots ? step + plotStride - (step - begin) % plotStride : end;
        const std::int64_t nextMeeting = step < lastMeeting ? lastMeeting : end;
        const std::int64_t stop = std::min({nextRow, nextRecord, nextMeeting, step < lastWhole ? lastWhole : end}),
                           halt = files.nextStop(simulation, stop);
        const Budget slice{.seconds = kSliceSeconds, .steps = std::min(halt - step, guard.stepsLeft(simulation))};
        AdvanceStatus status;
        for (const double until = hostClock() + slice.seconds; status.stepsCompleted < slice.steps;) {
            const std::int64_t left = slice.steps - status.stepsCompleted;
            const AdvanceStatus part =
                advance({slice.seconds, passages.stride() > 0 ? std::min(left, passages.stride()) : left});
            status.stepsCompleted += part.stepsCompleted;
            if (passages.stride() > 0 && part.stepsCompleted > 0) passages.look();
            if (passages.stride() == 0 || hostClock() >= until || InterruptWatch::signal() != 0) break;
        }
        while (twin && !twin->catchUp(simulation, kSliceSeconds) && InterruptWatch::signal() == 0) {
        }
        if (twin && status.stepsCompleted > 0 && simulation.step() == lastMeeting) twin->record(simulation);
        progress.show(simulation.step() - begin, "t = " + timeText(simulation.time(), units));
        look(false);
        const bool starts = !judged && status.stepsCompleted > 0;
        judged = judged || starts;
        if (const std::string alarm = starts ? spotCheck.settle(simulation) : spotCheck.update(simulation); !alarm.empty()) {
            look(true);  // numbers that are not finite are the better reason
            progress.finish();
            if (starts) throw Error(ExitCode::checkFailed, alarm + "; no result was written");
            notify(formatted("step %lld: %s", static_cast<long long>(simulation.step()), alarm.c_str()));
        }
        if (plots && status.stepsCompleted > 0 && (simulation.step() - begin) % plotStride == 0) {
            plots->record(simulation);
            if (twin) twin->record(simulation);
        }
        if (csv && status.stepsCompleted > 0 && simulation.step() % command.every == 0 && simulation.step() < end) {
            measure();
            toDisk(writeRow);
            if (writesError) spotCheck.ask(simulation);
        }
    }
    look(true);
    progress.finish();
    const double seconds = hostClock() - start;

    if (const int signal = InterruptWatch::signal(); signal != 0 && simulation.step() < end) {
        files.finish();
        throw Error(static_cast<ExitCode>(128 + signal),
                    std::string(InterruptWatch::word()) + "; " +
                        keptParts(guard.lastGood() ? guard.lastGood() : copyOf(simulation)));
    }

    if (summaryEnergy) measure();
    std::vector<std::string> written;
    if (plots) {
        if (steps % plotStride != 0) {
            plots->record(simulation);
            if (twin) twin->record(simulation);
        }
        std::string missing;
        written = plots->write(simulation, outputs, missing);
        if (!missing.empty()) notify("--plots has its numbers, but no pictures: " + missing);
        if (twin) written.push_back(twin->write(command.plots, simulation, outputs));
    }
    toDisk([&] {
        if (csv && steps > 0) writeRow();
        if (final)
            final->write(final->format().keeps == kKeepsAll ? checkpointInPieces(simulation) : checkpointOf(simulation));
    });
    // Adaptive time steps conserve the energy. Where they could not, the present state is no result.
    const bool lost = summaryEnergy && keepsEnergy(simulation.configuration()) && energies.lost(measured),
               failed = lost && isAdaptive(simulation.integrator().program);
    if (spotCheck.failures() > 0 || failed) {
        for (const std::string& file : outputs.keepPartial()) notify("what is not to be trusted is in " + file);
    } else {
        toDisk([&] { outputs.commit(); });
        for (const std::string& file : written) notify("wrote " + file);
    }

    std::FILE* out = standardOutputTaken ? stderr : stdout;
    const ShownUnit energy = unitOfEnergy(units);
    std::fprintf(out, "%s: %s bodies, %s step%s of %s%s to t = %s with %s in %.2f s", printable(settings.scene).c_str(),
                 grouped(simulation.backend().size()).text, grouped(static_cast<std::uint64_t>(steps)).text,
                 steps == 1 ? "" : "s", timeText(settings.timeStep, units).c_str(), shorter ? ", the last one shorter," : "",
                 timeText(simulation.time(), units).c_str(), settings.integrator.c_str(), seconds);
    if (summaryEnergy)
        std::fprintf(out, "; energy %.9g%s, relative change %.2e", measured.energy() * energy.scale,
                     energy.name.empty() ? "" : (" " + energy.name).c_str(), energies.change(measured));
    if (summaryEnergy && passages.largest() > std::abs(energies.change(measured)))
        std::fprintf(out, ", largest %.2e at t = %s", passages.largest(), timeText(passages.largestAt(), units).c_str());
    if (summaryEnergy && measured.potentialError > 0) std::fprintf(out, " (potential within %.1e)", measured.potentialError);
    if (const ContactTotals& contacts = simulation.contacts(); settings.contact.acts())
        std::fprintf(out, "; %s merged, %s bounced", grouped(static_cast<std::uint64_t>(contacts.merges)).text,
                     grouped(static_cast<std::uint64_t>(contacts.bounces)).text);
    if (isOwnKernel(settings.pairs().kernel.kernel))
        std::fprintf(out, "; forces by %s", printable(settings.pairs().kernel.kernel).c_str());
    std::fprintf(out, "\n");
    if (lost && !failed)
        notify(
            "the energy was not kept, so this run is no solution; a smaller --dt, a larger --softening or --integrator "
            "radau15 may help");
    else if (passages.largest() > kLargeOnTheWay &&
             passages.largest() > kMoreThanAtTheEnd * std::abs(energies.change(measured)) && keepsEnergy(settings) &&
             !failed)
        notify(
            formatted("on the way the energy changed by %.1e, far more than at the end: steps were too long for some "
                      "passages, and their orbits may be wrong; a smaller --dt or --integrator radau15 may help",
                      passages.largest()));
    if (twin) std::fprintf(out, "%s\n", twin->summary(simulation).c_str());
    if (!files.finish()) {
        notify(formatted("%lld snapshots could not be saved", static_cast<long long>(files.failures())));
        return static_cast<int>(ExitCode::io);
    }
    if (spotCheck.failures() > 0) {
        notify(formatted("%d checks of the forces failed", spotCheck.failures()));
        return static_cast<int>(ExitCode::checkFailed);
    }
    if (failed)
        throw Error(
            ExitCode::checkFailed,
            "the energy was not kept, although " + settings.integrator +
                " chooses its steps so that it is: this run is no solution. Bodies have come together where nothing bounds "
                "their force; a --softening above 0 does");
    return static_cast<int>(ExitCode::ok);
}

}  // namespace

int RunCommand::run() { return runSimulation(*this); }

constinit const CommandRow kRunCommand{
    "run", "integrate without graphics, write energies and bodies",
    "  gravlab run figure-eight --dt 0.001 --until 6.3 --csv energy.csv --every 10\n"
    "  gravlab run plummer -n 4096 --steps 1000 --final bodies.csv\n"
    "  gravlab run six-body --steps 0 --final -\n"
    "  gravlab run disc --until 50 --snapshot-every 100 --final end.hdf5\n"
    "  gravlab run end.hdf5 --until 100 --final later.hdf5\n"
    "  gravlab run two-body --until 20 --twin integrator=euler --csv apart.csv --plots pictures\n",
    made<RunCommand>};

}  // namespace gravlab
