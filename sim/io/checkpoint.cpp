// Checkpoints, and suitable settings for bodies that have none in their file.
#include "sim/io/checkpoint.h"

#include "sim/api/errors.h"
#include "sim/contact/contact.h"
#include "sim/core/names.h"
#include "sim/core/text.h"
#include "sim/core/validation.h"
#include "sim/forces/law.h"
#include "sim/integrators/radau15_dense.h"
#include "sim/io/formats/formats.h"
#include "sim/io/formats/units.h"
#include "sim/io/run_settings.h"
#include "sim/run/fingerprint.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace gravlab {
namespace {

// Larger step counts would overflow while the run counts on.
constexpr std::int64_t kMostSteps = std::int64_t{1} << 62;
// A sample of this size shows the extent and speed of a system well enough.
constexpr std::size_t kSample = 20000;
// Up to this N the time step follows from all pairs.
constexpr std::size_t kFewBodies = 256;
// Up to this N a softening would change well-known orbits.
constexpr std::size_t kUnsoftened = 16;

const Scene* knownScene(std::string_view name, std::optional<int> version = {}) {
    for (const std::span<const Scene> rows : {sceneTable(), olderScenes()})
        for (const Scene& row : rows)
            if (row.name == name && row.version == version.value_or(row.version)) return &row;
    return nullptr;
}

/// The value that the fraction `share` of the sample stays below.
double quantile(std::vector<double> values, double share) {
    if (values.empty()) return 0;
    const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + place, values.end());
    return values[static_cast<std::size_t>(place)];
}

double orElse(double value, double otherwise) { return std::isfinite(value) && value > 0 ? value : otherwise; }

/// What a picture and a time step depend on.
struct Extent {
    Vec3d middle{};
    double radius = 1;  ///< contains most bodies
    double speed = 1;   ///< of the faster bodies, or the speed that their mass suggests
};

Extent extentOf(const ParticleSet& bodies) {
    const std::size_t n = bodies.size(), stride = std::max<std::size_t>(1, n / kSample);
    std::vector<double> xs, ys, zs, radii, speeds;
    double mass = 0;
    for (std::size_t i = 0; i < n; i += stride) {
        const Double4 &p = bodies.position[i], &v = bodies.velocity[i];
        xs.push_back(p.x);
        ys.push_back(p.y);
        zs.push_back(p.z);
        speeds.push_back(length(xyz(v)));
        mass += std::abs(p.w) * static_cast<double>(stride);
    }
    Extent e{.middle = {quantile(xs, 0.5), quantile(ys, 0.5), quantile(zs, 0.5)}};
    for (std::size_t i = 0; i < xs.size(); ++i) radii.push_back(length(Vec3d{xs[i], ys[i], zs[i]} - e.middle));
    // The median of few bodies may be one of them, and the outermost body should be visible.
    e.radius = orElse(quantile(radii, n <= kFewBodies ? 1.0 : 0.8), 1);
    e.speed = orElse(std::max(quantile(speeds, 0.9), 0.7 * std::sqrt(mass / e.radius)), 1);
    return e;
}

/// A fiftieth of the shortest time in which a pair orbits or passes.
double fewBodyTimeStep(const ParticleSet& bodies, double softening) {
    double shortest = INFINITY;
    for (std::size_t i = 0; i < bodies.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const Double4 &p = bodies.position[i], &q = bodies.position[j];
            const double apart = std::hypot(length(xyz(p) - xyz(q)), softening);
            if (!(apart > 0)) continue;
            const double turning = std::sqrt(apart * apart * apart / (std::abs(p.w) + std::abs(q.w)));
            const double passing = apart / length(xyz(bodies.velocity[i]) - xyz(bodies.velocity[j]));
            for (const double time : {turning, passing})
                if (time > 0) shortest = std::min(shortest, time);
        }
    return 0.02 * shortest;
}

/// A power of two: sums of it round nothing.
double rounded(double timeStep) {
    if (!(timeStep > 1e-100 && timeStep < 1e100)) return 1.0 / 128;
    return std::exp2(std::floor(std::log2(timeStep)));
}

void suit(Scene& row, const ParticleSet& bodies, const Snapshot& snapshot, std::vector<std::string>& notes) {
    const Extent e = extentOf(bodies);
    const auto n = static_cast<double>(bodies.size());
    row.view.target = {e.middle.x, e.middle.y, e.middle.z};
    row.view.distance = 3 * e.radius;
    row.view.pointSize = 0.003 * row.view.distance * std::pow(std::max(8192 / n, 1.0), 0.2);
    row.view.speedScale = 1.2 * e.speed;
    std::string chosen, unit;
    const auto behind = [&](std::string_view name) {
        unit = name.empty() ? std::string() : " " + std::string(name);
        return unit.c_str();
    };
    if (snapshot.softening) {
        row.softening = *snapshot.softening;
    } else {
        row.softening = bodies.size() <= kUnsoftened ? 0 : orElse(0.5 * e.radius / std::cbrt(n), 0);
        chosen = formatted("softening %g%s", row.softening * row.units.lengthScale, behind(row.units.length));
    }
    if (snapshot.timeStep && *snapshot.timeStep != 0) {
        row.timeStep = *snapshot.timeStep;
    } else {
        row.timeStep =
            rounded(bodies.size() <= kFewBodies ? fewBodyTimeStep(bodies, row.softening) : 0.25 * row.softening / e.speed);
        addTo(chosen, formatted("time step %g%s", row.timeStep * row.units.timeScale, behind(row.units.time)), " and ");
    }
    if (!chosen.empty()) notes.push_back(chosen + " suit the bodies, and apply unless others are chosen");
}

Clock clockOf(const Snapshot& snapshot, double timeStep, const std::string& name) {
    for (const std::optional<std::int64_t>& step : {snapshot.step, snapshot.stepOrigin})
        if (step && (*step > kMostSteps || *step < -kMostSteps))
            throw InputError(name + ": its step is " + std::to_string(*step) + ", beyond what can be counted on");
    Clock clock{.step = snapshot.step.value_or(0), .step0 = 0, .t0 = 0, .timeStep = timeStep};
    const bool originKnown = snapshot.stepOrigin && snapshot.timeOrigin && snapshot.timeStep == timeStep;
    clock.step0 = originKnown ? *snapshot.stepOrigin : clock.step;
    clock.t0 = originKnown ? *snapshot.timeOrigin : snapshot.time.value_or(0);
    return clock;
}

std::string unitsText(const SceneUnits& units) {
    std::string text = "G = 1";
    const std::tuple<const char*, double, std::string_view> parts[] = {
        {"L", units.lengthScale, units.length}, {"M", units.massScale, units.mass}, {"T", units.timeScale, units.time}};
    for (const auto& [name, scale, unit] : parts) {
        if (unit.empty()) continue;
        const std::string number = formatted(", [%s] = %g ", name, scale);
        text.append(number).append(unit);
    }
    return text;
}

/// Replaces settings that this machine lacks by `auto`, and adds a note.
void adapt(RunRequest& request, const std::string& name, std::vector<std::string>& notes) {
    if (request.timeStep == 0.0) request.timeStep.reset();
    if (!request.integrator) request.integrator = std::string(usualIntegrator().name);
    try {
        integrator(*request.integrator);
        if (request.timeStep) requireTimeStep(*request.timeStep);
    } catch (const UsageError& error) {
        throw InputError(name + ": its settings: " + error.what());
    }
    const auto row = std::find_if(backends().begin(), backends().end(),
                                  [&](const BackendRow& candidate) { return candidate.name == request.backend; });
    std::string lost;
    if (request.backend && (row == backends().end() || !row->unavailable(request.backendOptions).empty())) {
        lost = "backend " + *request.backend;
        request.backend.reset();
        request.backendOpen = false;
        request.backendOptions = {};
        request.pairs().kernel = {};
        request.openOthers();
    }
    for (auto& [kind, wanted] : request.terms) {
        const bool pairs = kind == kPairLawTerm;
        const std::string backendName = request.backend.value_or(std::string());
        if (!wanted.kernel.kernel || (!pairs && !request.backend) || hasKernel(backendName, *wanted.kernel.kernel, kind))
            continue;
        addTo(lost, std::string("kernel ") + (pairs ? "" : kind + "=") + *wanted.kernel.kernel, " and ");
        wanted.kernel = {};
    }
    std::erase_if(request.terms,
                  [](const auto& term) { return term.first != kPairLawTerm && term.second == TermRequest(); });
    if (!lost.empty())
        notes.push_back("it was computed by " + lost +
                        ", which is not available here: the last digits will differ from now on");
}

}  // namespace

Snapshot checkpointOf(Simulation& simulation) { return checkpointOf(simulation.configuration(), simulation.state()); }

BodyPieces* piecesOf(Simulation& simulation, std::size_t fewest) {
    BodyPieces* const pieces = dynamic_cast<BodyPieces*>(&simulation.backend());
    return pieces && pieces->count() >= fewest ? pieces : nullptr;
}

Snapshot checkpointInPieces(Simulation& simulation, std::size_t fewest) {
    BodyPieces* const pieces = piecesOf(simulation, fewest);
    if (!pieces || !simulation.names()->empty()) return checkpointOf(simulation);
    Snapshot snapshot = checkpointOf(simulation.configuration(), simulation.stateWithoutBodies());
    snapshot.pieces = pieces;
    return snapshot;
}

std::function<Snapshot()> checkpointAsync(Simulation& simulation) {
    StateFuture later = simulation.stateAsync();
    // A std::function must be copyable, so hold the snapshot by pointer.
    auto held = std::make_shared<Snapshot>(checkpointOf(simulation.configuration(), std::move(later.rest)));
    return [held, bodies = std::move(later.bodies), contacts = simulation.contacts()] {
        held->bodies = bodies();
        for (StateArray& array : arraysOf(held->bodies.surface, contacts)) held->state.push_back(std::move(array));
        return std::move(*held);
    };
}

Snapshot checkpointOf(RunConfiguration configuration, RunState state) {
    Snapshot snapshot;
    snapshot.bodies = std::move(state.bodies);
    snapshot.step = state.clock.step;
    snapshot.time = state.clock.time();
    snapshot.timeStep = state.clock.timeStep;
    snapshot.stepOrigin = state.clock.step0;
    snapshot.timeOrigin = state.clock.t0;
    snapshot.softening = configuration.force.softening;
    snapshot.seed = configuration.seed;
    snapshot.state = std::move(state.integratorState);
    for (StateArray& array : arraysOf(state.others)) snapshot.state.push_back(std::move(array));
    for (StateArray& array : arraysOf(snapshot.bodies.surface, state.contacts)) snapshot.state.push_back(std::move(array));
    snapshot.signedSources = configuration.force.law != Law::gravity;
    const Scene& row =
        configuration.start ? configuration.start->row : sceneNamed(configuration.scene, configuration.sceneVersion);
    snapshot.units =
        configuration.start && !configuration.start->units.empty() ? configuration.start->units : unitsText(row.units);
    snapshot.fileUnits = physicalUnits(row.units);
    if (!row.names.empty()) snapshot.names = std::make_shared<const BodyNames>(row.names);
    if (configuration.start) {
        if (configuration.start->fileUnits != FileUnits{}) snapshot.fileUnits = configuration.start->fileUnits;
        snapshot.names = configuration.start->names;
        configuration.parameters = configuration.start->parameters;
        configuration.sceneVersion = configuration.start->sceneVersion;
        if (!configuration.start->scene.empty()) configuration.scene = configuration.start->scene;
    }
    snapshot.settings = settingsText(requestOf(configuration));
    return snapshot;
}

namespace {

/// Notes what a file states twice with different values; its settings win.
void noteContradictions(const RunRequest& settings, const Snapshot& snapshot, std::vector<std::string>& notes) {
    const auto compare = [&](const char* what, double said, const std::optional<double>& stored) {
        if (!stored || *stored == said) return;
        const std::string text =
            formatted("its settings say a %s of %.9g, its header %.9g: that of the settings is used", what, said, *stored);
        notes.push_back(text);
    };
    if (settings.timeStep) compare("time step", *settings.timeStep, snapshot.timeStep);
    if (settings.softening) compare("softening", *settings.softening, snapshot.softening);
}

/// Compares the integrator's stored state with the settings and bodies.
void requireState(const RunRequest& settings, const Snapshot& snapshot, const std::string& name,
                  std::vector<std::string>& notes) {
    if (!isAdaptive(integrator(*settings.integrator).program)) return;
    const std::size_t n = snapshot.bodies.size();
    if (snapshot.state.empty()) {
        if (snapshot.step.value_or(0) != 0)
            notes.push_back("it has no state of " + *settings.integrator +
                            ": the run continues from its bodies, with other last digits");
        return;
    }
    Radau15Dense solver(3 * n);
    std::vector<double> x(3 * n), v(3 * n);
    for (std::size_t i = 0; i < n; ++i) {
        const Double4 &p = snapshot.bodies.position[i], &u = snapshot.bodies.velocity[i];
        x[i] = p.x, x[n + i] = p.y, x[2 * n + i] = p.z;
        v[i] = u.x, v[n + i] = u.y, v[2 * n + i] = u.z;
    }
    // Another machine may round differently; another system differs by far more.
    constexpr double kSame = 1e-6;
    const bool fits = solver.restore(snapshot.state) && solver.fits(x.data(), v.data(), kSame);
    if (!fits)
        throw InputError(
            name + ": its state of " + *settings.integrator + " does not fit its " + std::to_string(n) +
            " bodies: it has been changed, or bodies were dropped. 'gravlab convert' into a table keeps the bodies "
            "alone");
}

}  // namespace

std::vector<std::string> contradictionsOf(const Snapshot& snapshot) {
    std::vector<std::string> notes, ignored;
    if (!snapshot.isCheckpoint()) return notes;
    try {
        noteContradictions(parsedSettings(snapshot.settings, {}, ignored), snapshot, notes);
    } catch (const InputError&) {  // invalid settings contradict nothing
    }
    return notes;
}

LoadedStart startFrom(Snapshot&& snapshot, const std::string& name, StartFile file) {
    LoadedStart offer;
    offer.notes = std::move(snapshot.notes);
    const ContactTotals contacts = takeContacts(snapshot.state, name);
    if (snapshot.isCheckpoint()) {
        offer.request = parsedSettings(snapshot.settings, name, offer.notes);
        adapt(offer.request, name, offer.notes);
        noteContradictions(offer.request, snapshot, offer.notes);
        requireState(offer.request, snapshot, name, offer.notes);
        if (!offer.request.timeStep && snapshot.timeStep != 0.0) offer.request.timeStep = snapshot.timeStep;
    }
    auto start = std::make_shared<StartState>();
    const Scene* scene = snapshot.isCheckpoint() ? knownScene(offer.request.scene, offer.request.sceneVersion) : nullptr;
    // A file may have the name of a scene; the scene keeps the plain name.
    start->name = knownScene(name) ? "./" + name : name;
    start->idea = snapshot.format + " file";
    start->units = snapshot.units;
    start->fileUnits = snapshot.fileUnits;
    start->names = snapshot.names;
    if (scene) {
        start->scene = scene->name;
        start->sceneVersion = scene->version;
        start->row = *scene;
        start->caption = scene->caption;
        if (start->names->empty() && !scene->names.empty())
            start->names = std::make_shared<const BodyNames>(scene->names);  // an older file without names
    } else {
        start->row.units = shownUnits(snapshot.fileUnits);
        suit(start->row, snapshot.bodies, snapshot, offer.notes);
        start->doubt = unitsDoubt(snapshot);
        if (!start->doubt.question.empty()) offer.notes.push_back(start->doubt.question);
        start->row.law = Law::gravity;
        if (!snapshot.bodies.surface.empty()) start->row.contact.mode = ContactMode::merge;
        if (const std::string doubt = radiiDoubt(snapshot); !doubt.empty()) offer.notes.push_back(doubt);
    }
    if (snapshot.timeStep && *snapshot.timeStep != 0) start->row.timeStep = *snapshot.timeStep;
    if (snapshot.softening) start->row.softening = *snapshot.softening;
    const double timeStep = offer.request.timeStep.value_or(start->row.timeStep);
    start->state.clock = clockOf(snapshot, timeStep, name);
    start->state.others = takeTerms(snapshot.state, name);
    if (!file.bonds.empty()) {
        if (std::ranges::any_of(start->state.others, [](const auto& term) { return term->kind() == Bonds::kKind; }))
            throw UsageError("--bonds: '" + name + "' has bonds already; leave it out");
        start->state.others.push_back(readBonds(file.bonds, snapshot.bodies.id));
    }
    start->state.contacts = contacts;
    if (!file.path.empty()) file.print = hashOf(snapshot.bodies, start->state.others);
    start->file = std::move(file);
    if (!snapshot.state.empty()) {
        start->state.integrator = offer.request.integrator.value_or(std::string(usualIntegrator().name));
        start->state.integratorState = std::move(snapshot.state);
    }
    start->state.bodies = std::move(snapshot.bodies);
    const std::size_t bodies = start->state.bodies.size();
    start->row.name = start->name;
    start->row.idea = start->idea;
    start->row.caption = start->caption;
    start->row.bodiesGpu = start->row.bodiesCpu = start->row.fixedBodies = bodies;
    start->row.build = nullptr;
    start->row.made = nullptr;
    // The bodies exist, so the builder's parameters are only a record and can no longer change.
    start->row.parameters = {};
    start->parameters = std::exchange(offer.request.parameters, {});
    offer.request.scene = start->name;
    offer.request.sceneVersion.reset();
    offer.request.bodies = bodies;
    if (snapshot.seed) offer.request.seed = *snapshot.seed;
    offer.request.start = std::move(start);
    return offer;
}

}  // namespace gravlab
