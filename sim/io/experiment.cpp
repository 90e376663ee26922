// The public Experiment and the public lists, made of the simulation and the tables of the program.
#include "sim/io/experiment.h"

#include "sim/api/backends.h"
#include "sim/backends/backend.h"
#include "sim/io/checkpoint.h"
#include "sim/io/run_settings.h"
#include "sim/io/toml_value.h"
#include "sim/run/judge.h"
#include "sim/scenes/scene.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace gravlab {
namespace {

std::string tomlLine(std::string_view key, std::string_view value) {
    // A word is a string of TOML; numbers, tables and quoted words are written as they are.
    const bool word = value.empty() || value.find_first_not_of("+-.0123456789eE") != value.npos;
    const bool written = value.starts_with('"') || value.starts_with('{') || value == "true" || value == "false";
    return std::string(key) + " = " + (word && !written ? tomlString(value) : std::string(value)) + "\n";
}

/// Settings that the text names, taken over into `to`.
void takeSettings(RunRequest& to, const std::string& text) {
    const RunRequest taken = strictSettings(text, "settings");
    for (const SettingRow& row : settingRows())
        if (text.find("\n" + std::string(row.key) + " = ") != text.npos) row.copy(to, taken);
}

RunRequest requestOf(const ExperimentOptions& options) {
    RunRequest request;
    if (!options.terms.empty() && options.bodies.size() == 0)
        throw UsageError("terms act on bodies of your own; a scene and a file have terms already");
    if (options.bodies.size() > 0) {
        Snapshot bodies;
        bodies.bodies = options.bodies;
        bodies.signedSources = true;
        request = startFrom(std::move(bodies), "bodies").request;
        // The start is not shared yet, so it can still get its terms.
        std::const_pointer_cast<StartState>(request.start)->state.others = options.terms;
    } else if (!options.file.empty()) {
        request = startFrom(readSnapshot(options.file), options.file).request;
    } else {
        request.scene = options.scene;
        request.seed = options.seed;
        if (options.count > 0) request.bodies = options.count;
        request.parameters.insert(options.parameters.begin(), options.parameters.end());
    }
    std::string text = "\n";
    for (const auto& [key, value] : options.settings) text += tomlLine(key, value);
    takeSettings(request, text);
    return request;
}

}  // namespace

Experiment::Experiment(const ExperimentOptions& options) : inside_(std::make_unique<Inside>(requestOf(options))) {}
Experiment::~Experiment() = default;
Experiment::Experiment(Experiment&&) noexcept = default;
Experiment& Experiment::operator=(Experiment&&) noexcept = default;

Simulation& ExperimentAccess::simulation(const Experiment& experiment) { return experiment.inside_->simulation; }

std::int64_t Experiment::step(std::int64_t steps, const std::function<bool()>& proceed) {
    Simulation& simulation = inside_->simulation;
    const double slice = proceed ? 0.2 : 1e300;  // [s]
    const std::int64_t begun = simulation.step(), end = begun + steps;
    const double before = simulation.totals().evaluated();
    const auto start = std::chrono::steady_clock::now();
    while (simulation.step() < end) {
        simulation.advance({.seconds = slice, .steps = end - simulation.step()}, nullptr);
        if (proceed && !proceed()) {
            simulation.backend().finishStep();
            simulation.advance({.seconds = 0, .steps = 0}, nullptr);
            break;
        }
    }
    simulation.backend().wait();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    inside_->rate = {.interactions = simulation.totals().evaluated() - before, .seconds = took.count()};
    return simulation.step() - begun;
}

void Experiment::set(std::string_view key, std::string_view value) {
    RunRequest wanted = inside_->simulation.request();
    takeSettings(wanted, "\n" + tomlLine(key, value));
    inside_->simulation.apply(wanted);
}

std::string Experiment::get(std::string_view key) const {
    const auto row = std::ranges::find(settingRows(), key, &SettingRow::key);
    if (row == settingRows().end()) throw UsageError("there is no setting '" + std::string(key) + "'");
    return row->text(inside_->simulation.request());
}

std::size_t Experiment::size() const { return inside_->simulation.backend().size(); }
double Experiment::time() const { return inside_->simulation.time(); }
double Experiment::timeStep() const { return inside_->simulation.configuration().timeStep; }
std::int64_t Experiment::steps() const { return inside_->simulation.step(); }
std::string Experiment::kernel() const { return std::string(inside_->simulation.backend().activeKernel().name); }
std::string Experiment::backend() const {
    return inside_->simulation.backend().description() + "; " + inside_->simulation.backendWhy();
}

ParticleSet Experiment::bodies() const { return inside_->simulation.bodies(); }
void Experiment::replace(const ParticleSet& bodies) { inside_->simulation.load(bodies); }

std::vector<Double4> Experiment::accelerations() const {
    std::vector<Double4> values;
    inside_->simulation.backend().accelerations(values);
    return values;
}

Diagnostics Experiment::measure() const { return inside_->simulation.measure(); }

ForceError Experiment::check() const {
    Simulation& simulation = inside_->simulation;
    const ParticleSet bodies = simulation.bodies();
    const CheckTargets chosen = targetsOf(bodies, othersOf(simulation.terms()));
    std::vector<std::uint32_t> targets;
    std::ranges::set_union(chosen.hard, chosen.random, std::back_inserter(targets));
    std::vector<Double4> all = accelerations(), got, want(targets.size());
    std::vector<double> floors(targets.size());
    const TermInUse& pairs = simulation.configuration().pairs();
    const ForceGate gate = gateOf(simulation.backend().activeKernel(), simulation.force(), pairs.accuracy, pairs.opening);
    for (const auto& term : simulation.terms()) term->addTruth(termBodies(bodies), targets, want, floors, leastShare(gate));
    for (const std::uint32_t target : targets) got.push_back(all[target]);
    const ForceCheck check = compareForces(got, want, gate, floors);
    return {check.samples, check.median, check.p99, check.p999, check.passed, check.text()};
}

Rate Experiment::rate() const { return inside_->rate; }

void Experiment::save(const std::string& path) const { writeSnapshot(path, checkpointOf(inside_->simulation)); }

std::vector<BackendInfo> backendList() {
    std::vector<BackendInfo> list;
    for (const BackendRow& row : backends())
        list.push_back({std::string(row.name), std::string(row.idea), row.unavailable({})});
    return list;
}

std::vector<KernelInfo> kernelList(std::string_view backend, std::string_view term) {
    std::vector<KernelInfo> list;
    for (const BackendRow& row : backends()) {
        if (!backend.empty() && gravlab::backend(backend).name != row.name) continue;
        for (const KernelRow* kernel : listedKernels(row.name, term))
            list.push_back({std::string(row.name), std::string(term), std::string(kernel->name), std::string(kernel->idea),
                            kernel->deterministic, kernel->approximates});
    }
    return list;
}

std::vector<SceneInfo> sceneList() {
    std::vector<SceneInfo> list;
    for (const Scene& scene : sceneTable())
        list.push_back({std::string(scene.name), std::string(scene.idea), scene.bodiesCpu});
    return list;
}

}  // namespace gravlab
