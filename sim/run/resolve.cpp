// The order of the defaults: scene, integrator, force, backend, number of bodies, accuracy, precision.
#include "sim/run/resolve.h"

#include "sim/backends/kernel.h"
#include "sim/contact/contact.h"
#include "sim/core/error.h"
#include "sim/core/validation.h"
#include "sim/forces/fields/field_text.h"
#include "sim/forces/law.h"
#include "sim/forces/law_numbers.h"
#include "sim/forces/precision.h"
#include "sim/run/far_field.h"
#include "sim/tree/criterion.h"
#include "sim/tree/rung.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace gravlab {

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

}  // namespace

Configuration resolve(const RunRequest& wanted, const Configuration* now, bool again) {
    Configuration c;
    c.request = wanted;
    if (wanted.start && wanted.start->name != wanted.scene) c.request.start = nullptr;
    c.scene = c.request.start ? &c.request.start->row : &sceneNamed(wanted.scene, wanted.sceneVersion);
    if (wanted.fields) c.fields = parsedFields(*wanted.fields, runUnits(c.scene->units));
    c.integrator = &integratorOf(wanted, *c.scene);
    // Requested forces that depend on velocities need an integrator that takes them.
    const auto drags = [](const OuterField& field) { return field.row().kind != FieldKind::field; };
    if (!wanted.integrator && c.fields && std::ranges::any_of(*c.fields, drags) && !takesVelocities(c.integrator->program))
        c.integrator = &integrator("rk4");
    const bool sameScene = now && c.scene == now->scene;
    const bool opens = c.request.start && (!now || c.request.start != now->request.start);

    ForceSettings& force = c.values.force;
    force.law = wanted.law.value_or(c.scene->law);
    force.precision = wanted.precision.value_or(Precision::fp32);
    force.softening = wanted.softening.value_or(c.scene->softening);
    takeLawNumbers(force, wanted, *c.scene);
    c.values.contact = contactOf(wanted, *c.scene);

    // An open backend stays that of the run, so that no change of scene or N moves the run to another one. An integrator
    // that the present backend cannot run may move it, where both integrators came with their scenes.
    const auto needsAnother = [&](const Integrator& row) {
        return !refusal(*chooseBackend({}, wanted.backendOptions).row, row, 1).empty();
    };
    const bool open = now && !opens && !wanted.backend && !now->request.backend;
    const bool moves = open && c.integrator != now->integrator &&
                       needsAnother(*c.integrator) != needsAnother(*now->integrator) &&
                       (!wanted.integrator || needsAnother(*now->integrator));
    const bool stays = open && !moves;
    const std::optional<std::string> name = stays ? std::optional(now->values.backend) : wanted.backend;
    const bool sameOptions = now && wanted.backendOptions == now->values.backendOptions;
    c.backend = sameOptions && name == now->values.backend ? now->backend : backendOf(name, c);
    const BackendRow& row = *c.backend.row;
    if (wanted.backend && wanted.backendOpen && (!now || c.backend.why != now->backend.why))
        c.backend.why = "running on " + *wanted.backend +
                        ", where it ran until now (--backend auto chooses again; the last digits may differ then)";
    c.changes.backend = !sameOptions || row.name != now->values.backend;

    // Devices compute every pair in double precision, and where a law has no tree.
    const bool everyPairOnDevice = row.onDevice && (force.precision == Precision::fp64 || !treeLaw(force));
    if (c.scene->fixedBodies > 0)
        c.sceneBodies = c.scene->fixedBodies;
    else if (sameScene && wanted.bodies == now->request.bodies)
        c.sceneBodies = now->sceneBodies;
    else
        c.sceneBodies = wanted.bodies.value_or(
            usualBodies(*c.scene, row, wanted.backendOptions, wanted.takesFarField() && !everyPairOnDevice));
    c.changes.start = again || !sameScene || wanted.seed != now->values.seed ||
                      wanted.parameters != now->values.parameters ||
                      (wanted.bodies != now->request.bodies && c.sceneBodies != now->values.bodies);

    RunConfiguration& v = c.values;
    v.scene = wanted.scene;
    v.sceneVersion = c.scene->version;
    v.bodies = c.changes.start ? c.sceneBodies : now->values.bodies;
    v.seed = wanted.seed;
    v.parameters = wanted.parameters;
    v.backend = std::string(row.name);
    v.backendOpen = !wanted.backend || wanted.backendOpen;
    v.backendOptions = wanted.backendOptions;
    v.integrator = std::string(c.integrator->name);
    v.timeStep = wanted.timeStep.value_or(c.scene->timeStep);
    v.start = c.request.start;
    v.tuning = wanted.tuning;
    c.choice = wanted.pairs().choice();
    // The default is the error that the scene allows for this N; 0: every pair.
    if (wanted.takesFarField() && !row.exact) c.choice.allowedError = c.scene->farField.accuracyOf(v.bodies, row.onDevice);
    v.pairs().accuracy = c.choice.allowedError;
    v.pairs().opening = c.choice.opening;
    const bool small = row.usesCores && v.bodies <= kSmallSystem;
    if (!wanted.precision && (small || row.exact)) force.precision = Precision::fp64;
    // Where double precision replaced single for these bodies, it stays; small systems have it for another reason.
    if (now && !c.changes.start && !c.changes.backend && !wanted.precision && !now->request.precision &&
        !(now->backend.row->usesCores && now->sceneBodies <= kSmallSystem) && now->values.force.precision == Precision::fp64)
        force.precision = Precision::fp64;

    // A kernel that is wrong on purpose is measured beside a run, never used for it.
    if (const std::optional<std::string>& named = wanted.pairs().kernel.kernel)
        if (const KernelRow* trap = findTrap(row.name, *named))
            throw UsageError("kernel '" + *named + "' is wrong on purpose and moves no bodies: " + std::string(trap->trap) +
                             "; measure it by 'gravlab bench --kernel " + *named + "', or by the sweep 'traps' in the lab");
    requireParameters(*c.scene, v.parameters);
    requireBodies(v.bodies);
    requireTimeStep(v.timeStep);
    requireSoftening(force.softening);
    requireAccuracy(c.choice.allowedError);
    requireLawNumbers(force);
    requireContact(v.contact, force);
    if (const Reason reason = refusal(*c.integrator, force.law); !reason.empty()) throw UsageError(reason);
    if (const Reason reason = refusal(row, *c.integrator, v.bodies); !reason.empty()) throw UsageError(reason);

    c.changes.force = c.changes.backend || wanted.pairs().kernel != now->request.pairs().kernel || c.choice != now->choice ||
                      wanted.tuning != now->request.tuning || force != now->values.force;
    // Kernels that were requested of the former backend, or ran there, do not apply to another one.
    const TermRequests others = besidePairs(wanted.terms);
    if (now && c.changes.backend &&
        (others == besidePairs(now->request.terms) || others == besidePairs(requestOf(now->values).terms)))
        c.request.openOthers();
    c.changes.fields = now && wanted.fields != now->request.fields;
    if (c.fields && force.law != Law::gravity)
        for (const OuterField& field : *c.fields)
            if (field.row().kind == FieldKind::postNewtonian)
                throw UsageError("field post-newtonian acts on masses, and the law is " +
                                 std::string(lawRow(force.law).name));
    c.changes.contact = !now || v.contact != now->values.contact;
    c.changes.sizes =
        now && (v.contact.radius != now->values.contact.radius || v.contact.density != now->values.contact.density);
    c.changes.terms = now && besidePairs(c.request.terms) != besidePairs(now->request.terms);
    return c;
}

}  // namespace gravlab
