// The table of backends and how one is chosen.
#include "sim/backends/backend.h"

#include "sim/backends/devices.h"
#include "sim/backends/force_state.h"
#include "sim/backends/kernel_rows.h"
#include "sim/backends/memory_need.h"
#include "sim/core/names.h"
#include "sim/core/text.h"
#include "sim/core/validation.h"
#include "sim/forces/law.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace gravlab {
namespace {
// Before the first list of rows.
const bool kTermMethods =
    cpu::addOuterMethods() && cpu::addBondMethods() && cpu::addSecondPairMethods() && cuda::addTermMethods();
}  // namespace

DeviceSize deviceSize(const BackendRow& row, const BackendOptions& options) {
    return row.onDevice ? cudaDeviceSize(options.device) : DeviceSize{};
}

std::string nameOf(const KernelChoice& choice) { return choice.kernel.value_or("auto"); }

KernelChoice fitted(KernelChoice choice, std::size_t bodies) {
    if (bodies > 0 && static_cast<std::size_t>(std::max(1, choice.launch.split)) > bodies)
        choice.launch.split = static_cast<int>(bodies);
    return choice;
}

std::vector<Term> termsWith(const ForceTerms& terms, const SystemConfiguration& how) {
    std::vector<Term> both;
    for (std::size_t k = 0; k < terms.size(); ++k)
        both.push_back({terms[k], k < how.size() ? how[k].kernel : KernelChoice()});
    return both;
}

void Backend::loadTerms(const BodiesToRead& bodies, std::span<const Term> terms) {
    ForceTerms what;
    SystemConfiguration how;
    for (const Term& term : terms) {
        what.push_back(term.what);
        how.push_back({fitted(term.how, bodies.size())});
    }
    bodies.set ? load(*bodies.set, what, how) : loadMade(*bodies.made, what, how);
}

BodyChanges::Body Backend::body(std::uint32_t index) {
    ParticleSet all;
    snapshot(all);
    return {index, all.position.at(index), all.velocity.at(index), all.surface.empty() ? Surface() : all.surface[index]};
}

void Backend::load(const ParticleSet& bodies) { loadAgain(bodies, ForceTerms(terms())); }

void Backend::loadAgain(const ParticleSet& bodies, const ForceTerms& terms) {
    SystemConfiguration how = systemConfiguration();
    for (TermConfiguration& term : how) term.kernel = fitted(term.kernel, bodies.size());
    load(bodies, terms, how);
}

void Backend::restoreStates(const std::vector<StateArray>& states, bool sameIntegrator) {
    std::vector<StateArray> ofIntegrator, ofForce;
    for (const StateArray& array : states) (array.name.starts_with(kForceState) ? ofForce : ofIntegrator).push_back(array);
    if (sameIntegrator) restoreIntegratorState(ofIntegrator);
    restoreForceState(ofForce);
}

ForceConfiguration Backend::configuration() const {
    const SystemConfiguration& how = systemConfiguration();
    return {pairLawOf(terms()), how.empty() ? KernelChoice{} : how[0].kernel};
}

SnapshotFuture Backend::snapshotAsync() {
    auto bodies = std::make_shared<ParticleSet>();
    snapshot(*bodies);
    return [bodies] { return std::move(*bodies); };
}

std::span<const BackendRow> backends() {
    static const BackendRow rows[] = {referenceBackendRow(), cpuBackendRow(), cudaBackendRow()};
    return rows;
}

const BackendRow& backend(std::string_view name) { return findRow(backends(), "backend", name); }

const BackendRow* findBackend(std::string_view name) {
    const auto rows = backends();
    const auto row = std::ranges::find(rows, name, &BackendRow::name);
    return row == rows.end() ? nullptr : &*row;
}

const BackendRow& exactBackend() { return *std::ranges::find(backends(), true, &BackendRow::exact); }
const BackendRow& hostBackend() { return *std::ranges::find(backends(), true, &BackendRow::usesCores); }
const BackendRow& deviceBackend() { return *std::ranges::find(backends(), true, &BackendRow::onDevice); }

ForceGate gateOf(const KernelRow& row, const ForceSettings& force, double allowedError, double opening) {
    if (row.approximates) return gateOfAccuracy(keptAccuracy(row, force, allowedError, opening));
    return backend(row.backend).exact ? kGate64 : gateOf(force);
}

MemoryNeed freeMemory(const BackendRow& row, const BackendOptions& options, MemoryNeed& need) {
    MemoryNeed free{.host = freeHostBytes(), .device = std::numeric_limits<double>::infinity()};
    if (!row.onDevice) return free;
    std::map<int, int> parts{{options.device, 0}};
    for (const int helper : options.helpers) ++parts[helper];
    const double first = std::exchange(need.device, 0), helper = std::exchange(need.helper, 0);
    for (const auto& [device, count] : parts) {
        const double wanted = (device == options.device ? first : 0) + count * helper, has = freeCudaBytes(device);
        if (need.device > 0 && wanted / has <= need.device / free.device) continue;
        if (parts.size() > 1) free.where = "on device " + std::to_string(device);
        need.device = wanted;
        free.device = has;
    }
    return free;
}

std::vector<std::size_t> studiedBodies(std::size_t most) {
    std::vector<std::size_t> bodies;
    for (std::size_t count = std::min<std::size_t>(1024, most / 16); count <= most; count *= 4) bodies.push_back(count);
    return bodies;
}

Reason refusal(const BackendRow& row, const Integrator& integrator, std::size_t bodies) {
    const StepProgram program = integrator.program;
    Reason reason;
    if (row.refuses)
        reason = row.refuses(program, bodies);
    else if (needsJerk(program) || isAdaptive(program))
        reason = "it runs on the reference backend, for small systems";
    return reason.empty() ? reason
                          : "integrator '" + std::string(integrator.name) + "' cannot run on the " + std::string(row.name) +
                                " backend: " + reason;
}

Reason refusal(const BackendRow& row, const ForceSettings& force) {
    Reason first;
    for (const KernelRow& candidate : kernels()) {
        if (candidate.backend != row.name) continue;
        Reason reason = candidate.refuses ? candidate.refuses(candidate, force) : Reason();
        if (reason.empty()) return reason;
        if (first.empty()) first = std::move(reason);
    }
    return first;
}

Reason refusal(const Integrator& integrator, Law law) {
    if (lawRow(law).hasJerk || !needsJerk(integrator.program)) return {};
    return "integrator '" + std::string(integrator.name) +
           "' needs the rate of change of the force, which only gravity has here; radau15 runs under every law";
}

namespace {
/// "symplectic-euler, rk4 and euler".
std::string integratorsThatTakeVelocities() {
    std::vector<std::string> names;
    for (const Integrator& row : integrators())
        if (takesVelocities(row.program) && !needsJerk(row.program)) names.emplace_back(row.name);
    std::string text;
    for (std::size_t k = 0; k < names.size(); ++k) text += (k == 0 ? "" : k + 1 < names.size() ? ", " : " and ") + names[k];
    return text;
}
}  // namespace

Reason refusal(StepProgram program, const ForceTerms& terms) {
    for (const auto& term : othersOf(terms)) {
        if (term->usesVelocities() && !takesVelocities(program))
            return "the force term '" + std::string(term->kind()) +
                   "' depends on velocities, and this integrator does not evaluate forces at positions and velocities of "
                   "one time; " +
                   integratorsThatTakeVelocities() + " do";
        if (needsJerk(program) && !term->offer().jerk)
            return "the integrator needs the rate of change of the force, which the force term '" +
                   std::string(term->kind()) + "' does not give; " +
                   (term->usesVelocities() ? integratorsThatTakeVelocities() : "leapfrog and radau15") + " run under it";
        if (isAdaptive(program) && term->offer().changes)
            return "the force term '" + std::string(term->kind()) +
                   "' may lose parts at the end of a step, and the integrator chooses its steps by itself; leapfrog does "
                   "not";
    }
    return {};
}

Reason refusal(StepProgram program, const ForceTerms& terms, const TermBodies& bodies, double timeStep) {
    if (isAdaptive(program)) return {};
    for (const auto& term : othersOf(terms)) {
        const StepLimit limit = term->stepLimit(bodies);
        if (!(std::abs(timeStep) > limit.longest)) continue;
        // Rounded down to two digits, so that the named step is accepted.
        const double unit = std::pow(10.0, std::floor(std::log10(limit.longest)) - 1);
        return formatted("the time step %g is too long for ", timeStep) + limit.why +
               formatted(": take a time step of %.2g or less (--dt)", std::floor(limit.longest / unit) * unit);
    }
    return {};
}

BackendChoice chooseBackend(const std::optional<std::string>& name, const BackendOptions& options) {
    const std::span<const BackendRow> rows = backends();
    if (name) {
        const BackendRow* row = findBackend(*name);
        if (!row) {
            std::vector<std::string_view> valid{"auto"};
            for (const BackendRow& candidate : rows) valid.push_back(candidate.name);
            throw UsageError(unknownName("backend", *name, valid));
        }
        if (const Reason reason = row->unavailable(options); !reason.empty())
            throw NoDeviceError("the " + *name + " backend cannot run here: " + reason);
        return {row, "running on " + *name + ", as chosen"};
    }
    std::string refused;
    for (std::size_t i = rows.size(); i-- > 0;) {
        const Reason reason = rows[i].unavailable(options);
        if (reason.empty()) {
            const std::string why = refused.empty() ? "the fastest backend of this build" : "because" + refused;
            return {&rows[i], "running on " + std::string(rows[i].name) + ", " + why};
        }
        refused += (refused.empty() ? " " : "; ") + std::string(rows[i].name) + " cannot run (" + reason + ")";
    }
    throw NoDeviceError("no backend can run here:" + refused);
}

}  // namespace gravlab
