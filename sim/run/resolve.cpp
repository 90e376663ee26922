// The order of the defaults: scene, integrator, force, backend, number of bodies, accuracy, precision.
#include "sim/run/resolve.h"

#include "sim/api/errors.h"
#include "sim/backends/kernel.h"
#include "sim/contact/contact.h"
#include "sim/core/validation.h"
#include "sim/forces/law.h"
#include "sim/forces/law_numbers.h"
#include "sim/forces/precision.h"
#include "sim/measure/orbit.h"
#include "sim/run/far_field.h"
#include "sim/tree/criterion.h"
#include "sim/tree/properties.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace gravlab {

std::string unresolvedOrbitOf(const StartState* start, const ForceSettings& force, double timeStep) {
    const bool begins = start && start->state.clock.step == 0 && start->state.others.empty();
    return begins ? unresolvedOrbit(start->state.bodies, force, timeStep) : std::string();
}

namespace {

/// The requested integrator, else the scene's. Where a requested backend, kernel or precision cannot run the scene's, it is
/// the usual one, or rk4 under forces that may depend on velocities.
const Integrator& integratorOf(const RunRequest& wanted, const Scene& scene) {
    if (wanted.integrator) return integrator(*wanted.integrator);
    const ForceSettings force{.law = wanted.law.value_or(scene.law),
                              .softening = wanted.softening.value_or(scene.softening)};
    const double timeStep = wanted.timeStep.value_or(scene.timeStep);
    const bool unresolved = wanted.resolvesOrbits && !unresolvedOrbitOf(wanted.start.get(), force, timeStep).empty();
    if (scene.integrator.empty() && !unresolved) return usualIntegrator();
    const Integrator& own = integrator(unresolved ? "radau15" : scene.integrator);
    const BackendRow* named = wanted.backend ? findBackend(*wanted.backend) : nullptr;
    const BackendRow& row = named ? *named : exactBackend();
    const bool runs = refusal(row, own, 1).empty() && wanted.precision.value_or(Precision::fp64) == Precision::fp64 &&
                      (!wanted.pairs().kernel.kernel || hasKernel(row.name, *wanted.pairs().kernel.kernel));
    // Forces of the scene may depend on velocities.
    return runs ? own : scene.terms && takesVelocities(own.program) ? integrator("rk4") : usualIntegrator();
}

/// The named backend; without a name the fastest, unless it cannot run integrator or force, or would be idle.
BackendChoice backendOf(const std::optional<std::string>& name, const Configuration& c) {
    const RunRequest& wanted = c.request;
    const Integrator& integrator = *c.integrator;
    const BackendChoice choice = chooseBackend(name, wanted.backendOptions);
    if (name) return choice;
    const auto instead = [&](const BackendRow& other, const std::string& why) {
        const std::string named(other.name);
        return BackendChoice{chooseBackend(named, wanted.backendOptions).row, "running on " + named + ", because " + why};
    };
    if (const Reason reason = refusal(*choice.row, integrator, 1); !reason.empty())
        return refusal(hostBackend(), integrator, 1).empty()
                   ? instead(hostBackend(), reason)
                   : instead(exactBackend(),
                             "integrator '" + std::string(integrator.name) + "' needs its double precision on one thread");
    if (!choice.row->onDevice) return choice;
    if (const Reason reason = refusal(*choice.row, c.values.force); !reason.empty()) return instead(hostBackend(), reason);
    const std::optional<std::size_t> bodies = c.scene->fixedBodies > 0 ? c.scene->fixedBodies : wanted.bodies;
    const bool open = !wanted.precision && wanted.pairs().kernel.open();
    if (open && bodies && *bodies <= kSmallSystem)
        return instead(hostBackend(),
                       std::to_string(*bodies) + " bodies are few: double precision on one core is faster there");
    return choice;
}

/// A request on its way to a configuration; each function below fills in one default.
struct Resolving {
    const RunRequest& wanted;
    const Configuration* now;  ///< null for a first run
    bool again;
    Configuration c{};
    bool sameScene = false, opens = false;  ///< bodies of a file begin

    /// An open choice that depends on the run stays as it is.
    bool inRun() const { return now && !c.changes.start && !c.changes.backend; }
};

void takeScene(Resolving& r) {
    r.c.request = r.wanted;
    if (r.wanted.start && r.wanted.start->name != r.wanted.scene) r.c.request.start = nullptr;
    r.c.scene = r.c.request.start ? &r.c.request.start->row : &sceneNamed(r.wanted.scene, r.wanted.sceneVersion);
    r.sameScene = r.now && r.c.scene == r.now->scene;
    r.opens = r.c.request.start && (!r.now || r.c.request.start != r.now->request.start);
}

/// Fields are read where they are requested. Later changes carry them as data.
void takeFields(Resolving& r) {
    if (!r.wanted.fields) return;
    const bool known = r.sameScene && r.wanted.fields == r.now->request.fields;
    r.c.fields = known ? r.now->fields : parsedFields(*r.wanted.fields, runUnits(r.c.scene->units));
}

void takeIntegrator(Resolving& r) {
    r.c.integrator = &integratorOf(r.wanted, *r.c.scene);
    // Requested forces that depend on velocities need an integrator that takes them.
    const auto drags = [](const OuterField& field) { return field.row().kind != FieldKind::field; };
    if (!r.wanted.integrator && r.c.fields && std::ranges::any_of(*r.c.fields, drags) &&
        !takesVelocities(r.c.integrator->program))
        r.c.integrator = &integrator("rk4");
}

void takeForce(Resolving& r) {
    ForceSettings& force = r.c.values.force;
    force.law = r.wanted.law.value_or(r.c.scene->law);
    force.precision = r.wanted.precision.value_or(Precision::fp32);
    force.softening = r.wanted.softening.value_or(r.c.scene->softening);
    takeLawNumbers(force, r.wanted.lawNumbers, *r.c.scene);
}

/// A requested radius replaces the scene's density, and the reverse.
void takeContact(Resolving& r) {
    ContactSettings& contact = r.c.values.contact = r.c.scene->contact;
    contact.mode = r.wanted.contact.value_or(contact.mode);
    contact.restitution = r.wanted.restitution.value_or(contact.restitution);
    contact.friction = r.wanted.friction.value_or(contact.friction);
    if (!r.wanted.radius && !r.wanted.density) return;
    contact.radius = r.wanted.radius.value_or(0);
    contact.density = r.wanted.density.value_or(0);
}

/// An open backend stays that of the run, so that no change of scene or N moves the run to another one, but a start after
/// few bodies chooses again. An integrator that the present backend cannot run may move it, where both came with scenes.
std::optional<std::string> backendNameOf(const Resolving& r) {
    const auto needsAnother = [&](const Integrator& row) {
        return !refusal(*chooseBackend({}, r.wanted.backendOptions).row, row, 1).empty();
    };
    if (!r.now || r.opens || r.wanted.backend || r.now->request.backend) return r.wanted.backend;
    const bool starts = !r.sameScene || r.wanted.bodies != r.now->request.bodies;
    if (starts && r.now->values.bodies <= kSmallSystem) return r.wanted.backend;
    const bool before = needsAnother(*r.now->integrator);
    const bool moves =
        r.c.integrator != r.now->integrator && needsAnother(*r.c.integrator) != before && (!r.wanted.integrator || before);
    return moves ? r.wanted.backend : std::optional(r.now->values.backend);
}

void takeBackend(Resolving& r) {
    const std::optional<std::string> name = backendNameOf(r);
    const bool sameOptions = r.now && r.wanted.backendOptions == r.now->values.backendOptions;
    r.c.backend = sameOptions && name == r.now->values.backend ? r.now->backend : backendOf(name, r.c);
    if (r.wanted.backend && r.wanted.backendOpen && (!r.now || r.c.backend.why != r.now->backend.why))
        r.c.backend.why = "running on " + *r.wanted.backend +
                          ", where it ran until now (--backend auto chooses again; the last digits may differ then)";
    r.c.changes.backend = !sameOptions || r.c.backend.row->name != r.now->values.backend;
}

void takeBodies(Resolving& r) {
    Configuration& c = r.c;
    const BackendRow& row = *c.backend.row;
    const ForceSettings& force = c.values.force;
    // Devices compute every pair in double precision, and where a law has no tree.
    const bool everyPairOnDevice = row.onDevice && (force.precision == Precision::fp64 || !treeLaw(force));
    if (c.scene->fixedBodies > 0)
        c.sceneBodies = c.scene->fixedBodies;
    else if (r.sameScene && r.wanted.bodies == r.now->request.bodies)
        c.sceneBodies = r.now->sceneBodies;
    else
        c.sceneBodies = r.wanted.bodies.value_or(
            usualBodies(*c.scene, row, r.wanted.backendOptions, r.wanted.takesFarField() && !everyPairOnDevice));
    c.changes.start = r.again || !r.sameScene || r.wanted.seed != r.now->values.seed ||
                      r.wanted.parameters != r.now->values.parameters ||
                      (r.wanted.bodies != r.now->request.bodies && c.sceneBodies != r.now->values.bodies);
    c.values.bodies = c.changes.start ? c.sceneBodies : r.now->values.bodies;
}

/// Values that no other one depends on.
void takeRest(Resolving& r) {
    RunConfiguration& v = r.c.values;
    v.scene = r.wanted.scene;
    v.sceneVersion = r.c.scene->version;
    v.seed = r.wanted.seed;
    v.parameters = r.wanted.parameters;
    v.backend = std::string(r.c.backend.row->name);
    v.backendOpen = !r.wanted.backend || r.wanted.backendOpen;
    v.backendOptions = r.wanted.backendOptions;
    v.integrator = std::string(r.c.integrator->name);
    v.timeStep = r.wanted.timeStep.value_or(r.c.scene->timeStep);
    v.start = r.c.request.start;
    v.tuning = r.wanted.tuning;
}

/// The default is the error that the scene allows for this N; 0: every pair.
void takeAccuracy(Resolving& r) {
    const BackendRow& row = *r.c.backend.row;
    KernelChoice& choice = r.c.choice = r.wanted.pairs().choice();
    if (r.wanted.takesFarField() && !row.exact)
        choice.allowedError = r.c.scene->farField.accuracyOf(r.c.values.bodies, row.onDevice);
    r.c.values.pairs().accuracy = choice.allowedError;
    r.c.values.pairs().opening = choice.opening;
}

void takePrecision(Resolving& r) {
    if (r.wanted.precision) return;
    const BackendRow& row = *r.c.backend.row;
    const bool small = row.usesCores && r.c.values.bodies <= kSmallSystem;
    // Where double precision replaced single for these bodies, it stays; small systems have it for another reason.
    const bool stays = r.inRun() && !r.now->request.precision &&
                       !(r.now->backend.row->usesCores && r.now->sceneBodies <= kSmallSystem) &&
                       r.now->values.force.precision == Precision::fp64;
    if (small || row.exact || stays) r.c.values.force.precision = Precision::fp64;
}

/// A kernel that is wrong on purpose is measured beside a run, never used for it.
void refuseTrap(const Configuration& c) {
    const std::optional<std::string>& named = c.request.pairs().kernel.kernel;
    const KernelRow* trap = named ? findTrap(c.backend.row->name, *named) : nullptr;
    if (trap)
        throw UsageError("kernel '" + *named + "' is wrong on purpose and moves no bodies: " + std::string(trap->trap) +
                         "; measure it by 'gravlab bench --kernel " + *named + "', or by the sweep 'traps' in the lab");
}

void refuseFieldsWithoutMasses(const Configuration& c) {
    const auto relative = [](const OuterField& field) { return field.row().kind == FieldKind::postNewtonian; };
    if (c.fields && c.values.force.law != Law::gravity && std::ranges::any_of(*c.fields, relative))
        throw UsageError("field post-newtonian acts on masses, and the law is " +
                         std::string(lawRow(c.values.force.law).name));
}

/// The rules for settings without bodies, each with its sentence.
void requireSettings(const Configuration& c) {
    const RunConfiguration& v = c.values;
    refuseTrap(c);
    requireParameters(*c.scene, v.parameters);
    requireBodies(v.bodies);
    requireTimeStep(v.timeStep);
    requireSoftening(v.force.softening);
    requireAccuracy(c.choice.allowedError);
    requireLawNumbers(v.force);
    requireContact(v.contact, v.force);
    refuseFieldsWithoutMasses(c);
    for (const Reason& reason : {refusal(*c.integrator, v.force.law), refusal(*c.backend.row, *c.integrator, v.bodies)})
        if (!reason.empty()) throw UsageError(reason);
}

void noteChanges(Resolving& r) {
    Configuration& c = r.c;
    const Configuration* now = r.now;
    c.changes.force = c.changes.backend || r.wanted.pairs().kernel != now->request.pairs().kernel ||
                      c.choice != now->choice || r.wanted.tuning != now->request.tuning ||
                      c.values.force != now->values.force;
    const ContactSettings& contact = c.values.contact;
    c.changes.contact = !now || contact != now->values.contact;
    if (!now) return;
    // Kernels that were requested of the former backend, or ran there, do not apply to another one.
    const TermRequests others = besidePairs(r.wanted.terms), before = besidePairs(now->request.terms);
    if (c.changes.backend && (others == before || others == besidePairs(termRequestsOf(now->values))))
        c.request.openOthers();
    c.changes.fields = r.wanted.fields != now->request.fields;
    c.changes.sizes = contact.radius != now->values.contact.radius || contact.density != now->values.contact.density;
    c.changes.terms = besidePairs(c.request.terms) != before;
}

}  // namespace

Configuration resolve(const RunRequest& wanted, const Configuration* now, bool again) {
    Resolving r{wanted, now, again};
    takeScene(r);
    takeFields(r);
    takeIntegrator(r);
    takeForce(r);
    takeContact(r);
    takeBackend(r);
    takeBodies(r);
    takeRest(r);
    takeAccuracy(r);
    takePrecision(r);
    requireSettings(r.c);
    noteChanges(r);
    return std::move(r.c);
}

}  // namespace gravlab
