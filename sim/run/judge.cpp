// Checks memory first, then the bodies, then all that depends on them.
#include "sim/run/judge.h"

#include "sim/api/errors.h"
#include "sim/backends/division.h"
#include "sim/backends/memory_need.h"
#include "sim/contact/contact.h"
#include "sim/core/names.h"
#include "sim/core/pages.h"
#include "sim/core/validation.h"
#include "sim/core/work_watch.h"
#include "sim/forces/fields/field_text.h"
#include "sim/forces/force_check.h"
#include "sim/forces/precision.h"
#include "sim/forces/single_precision.h"
#include "sim/forces/sources.h"

#include <algorithm>
#include <string>
#include <utility>

namespace gravlab {
namespace {

// Above this size memory is checked before it is allocated.
constexpr std::size_t kManyBodies = 1'000'000;

/// Replaces an open single precision where it would compute these bodies wrongly; throws where single was requested.
void suitPrecision(Configuration& c, const BodiesToRead& bodies, const ForceTerms& others) {
    ForceSettings& force = c.values.force;
    if (force.precision == Precision::fp64) return;
    const std::string why = bodies.set ? beyondSinglePrecision(*bodies.set, force, others, c.values.timeStep)
                                       : beyondSinglePrecision(*bodies.made, force, c.values.timeStep);
    if (why.empty()) return;
    if (c.request.precision)
        throw UsageError("precision " + std::string(nameOf(force.precision)) + " cannot compute these bodies: " + why +
                         "; take fp64, or units in which lengths and masses are near 1");
    force.precision = Precision::fp64;
    c.backend.why += "; in double precision, because single does not carry these bodies: " + why;
}

/// Adapts the precision to a force or a time step that changes under existing bodies. The range of softening lengths and
/// time steps found to suit single precision extends ahead of the present ones. So a slider that is dragged copies the
/// bodies now and then, not in every frame. Errors grow outwards from that range.
std::optional<Carried> suitForce(Configuration& c, const Present& present, const ForceTerms& others) {
    constexpr double kAhead = 4;
    const ForceSettings& force = c.values.force;
    const double timeStep = std::abs(c.values.timeStep);
    std::optional<Carried> carried = present.carried;
    const bool sameForce = force == present.force && timeStep >= std::abs(present.timeStep);
    if (sameForce || force.precision == Precision::fp64) return carried;
    ForceSettings alike = force;
    if (carried) alike.softening = carried->force.softening;
    const bool known = carried && carried->force == alike;
    if (known && force.precision == present.force.precision && force.softening >= carried->least &&
        force.softening <= carried->most && timeStep >= carried->shortest)
        return carried;
    const std::shared_ptr<const ParticleSet> bodies = present.bodies();
    suitPrecision(c, *bodies, others);
    if (force.precision == Precision::fp64) return carried;
    if (!known) carried = Carried{force, force.softening, force.softening, timeStep};
    const bool shorter = timeStep < std::abs(present.timeStep);
    ForceSettings ahead = force;
    if (force.softening != present.force.softening)
        ahead.softening *= force.softening < present.force.softening ? 1 / kAhead : kAhead;
    const double stepAhead = shorter ? timeStep / kAhead : timeStep;
    const bool fits = beyondSinglePrecision(*bodies, ahead, others, stepAhead).empty();
    for (const double softening : {force.softening, fits ? ahead.softening : force.softening}) {
        carried->least = std::min(carried->least, softening);
        carried->most = std::max(carried->most, softening);
    }
    carried->shortest = fits ? stepAhead : timeStep;
    return carried;
}

/// The terms of the system, each with its choice: the request's, else the running one, else the best row of the backend. The
/// backend chooses an open row of the pair law by N, when it holds the bodies.
std::vector<Term> chooseTerms(const Configuration& c, const ForceTerms& others, const std::vector<Term>& running) {
    const std::string_view backend = c.backend.row->name;
    const bool stays = !c.changes.start && !c.changes.backend && !c.changes.terms;
    std::vector<Term> terms{{std::make_shared<const PairLaw>(c.values.force), c.choice}};
    std::string kinds;
    TermRequests unused = besidePairs(c.request.terms);
    for (const auto& term : others) {
        const std::string kind(term->kind());
        addTo(kinds, kind);
        const auto wanted = c.request.terms.find(kind);
        unused.erase(kind);
        KernelChoice how;
        if (wanted != c.request.terms.end())
            how = wanted->second.choice(kind);
        else if (stays && terms.size() < running.size() && running[terms.size()].what->kind() == kind)
            how = running[terms.size()].how;
        const KernelRow& row = termKernel(backend, kind, how.kernel);
        if (const Reason reason = refusal(row, c.values.force); !reason.empty()) throw UsageError(reason);
        how.kernel = std::string(row.name);
        how.launch = checkedLaunch(row, how.launch);
        if (!row.approximates && (how.allowedError > 0 || how.opening > 0))
            throw UsageError("the kernel '" + *how.kernel + "' of the force term '" + kind +
                             "' leaves nothing out, so it takes no accuracy and no opening angle");
        terms.push_back({term, std::move(how)});
    }
    if (!unused.empty())
        throw UsageError("the force term '" + unused.begin()->first + "' does not act in this run, so it has no kernel; " +
                         (kinds.empty() ? "nothing acts beside the pair law" : "beside the pair law act: " + kinds));
    return terms;
}

}  // namespace

std::size_t& fewestRead() {
    static std::size_t fewest = std::size_t{1} << 25;  // below, making them three times takes longer than clearing arrays
    return fewest;
}

/// The targets also include bodies that feel terms which act on few bodies.
CheckTargets targetsOf(const ParticleSet& bodies, const ForceTerms& others) {
    constexpr std::size_t kOfATerm = 64;
    CheckTargets targets{sampleTargets(bodies.position), randomTargets(bodies.size())};
    for (std::vector<std::uint32_t>* list : {&targets.hard, &targets.random}) {
        for (const auto& term : others)
            for (const std::uint32_t target : term->checkTargets(termBodies(bodies), kOfATerm)) list->push_back(target);
        std::ranges::sort(*list);
        list->erase(std::unique(list->begin(), list->end()), list->end());
    }
    return targets;
}

namespace {

/// A plan in the making: the configuration that it follows, and the terms beside the pair law.
struct Judging {
    const Present& present;
    Plan plan{};
    ForceTerms others{};

    Configuration& c() { return plan.configuration; }
    RunConfiguration& values() { return plan.configuration.values; }
    const StartState* start() { return values().start.get(); }
    std::shared_ptr<const ParticleSet> bodies() { return plan.bodies ? plan.bodies : present.bodies(); }
    SceneRequest scene(std::size_t bodies) {
        return {.bodies = bodies, .seed = values().seed, .parameters = values().parameters};
    }
};

RunSize sizeOf(const Configuration& c) {
    const RunConfiguration& v = c.values;
    RunSize size{.bodies = v.bodies,
                 .force = v.force,
                 .kernel = c.choice,
                 .program = c.integrator->program,
                 .sources = v.start                ? sourcesOf(v.start->state.bodies.position).count
                            : c.scene->massive > 0 ? c.scene->massive
                                                   : MassiveBodies{}.count};
    countHelpers(size, *c.backend.row, v.backendOptions);
    return size;
}

/// Very many bodies of a plain scene are made where a device reads them: 69 bytes per body less on the host.
bool readsPieces(Judging& j) {
    const RunConfiguration& v = j.values();
    return j.c().scene->made && !j.start() && j.c().backend.row->onDevice && v.bodies >= fewestRead() &&
           !j.c().scene->terms && (!j.c().fields || j.c().fields->empty()) && v.force.precision != Precision::mixed &&
           !v.contact.acts() && v.contact.radius == 0 && v.contact.density == 0;
}

/// Memory for a start is checked before any bodies exist. An existing run keeps its own until this one is built.
void requireRoom(Judging& j) {
    const Configuration& c = j.c();
    if (!c.changes.start) return;
    RunSize size = sizeOf(c);
    MemoryNeed all, need, free;  // of all devices, and of that which has least beside its need
    const auto weigh = [&] {
        all = sumOf(memoryRows(*c.backend.row, size));
        all.host += sumOf(hostRows(size.bodies, readsPieces(j))).host;
        free = freeMemory(*c.backend.row, c.values.backendOptions, need = all);
    };
    weigh();
    size.oneState = need.device > free.device && mayKeepOneState(size);
    if (size.oneState) weigh();
    if (size.bodies >= kManyBodies)
        WorkWatch::note(
            needText(all, size.bodies) +
            (size.oneState ? ", where one state of them is kept: saves and changes wait for the end of a step" : ""));
    requireMemory(need, free, size.bodies);
}

/// The same with the terms, which are known with the bodies.
void requireRoomForTerms(Judging& j) {
    if (!j.c().changes.start || j.plan.terms.size() < 2) return;
    RunSize size = sizeOf(j.c());
    size.others = std::span(j.plan.terms).subspan(1);
    MemoryNeed need = sumOf(memoryRows(*j.c().backend.row, size));
    const MemoryNeed free = freeMemory(*j.c().backend.row, j.values().backendOptions, need);
    requireMemory(need, free, size.bodies);
}

/// These bodies; all threads give their memory back in the end.
std::shared_ptr<const ParticleSet> shared(ParticleSet bodies) {
    return {new ParticleSet(std::move(bodies)), [](ParticleSet* ended) {
                dropPages(ended->position);
                dropPages(ended->velocity);
                delete ended;
            }};
}

/// The bodies to load, and the terms that act on them before any outer fields change.
void loadBodies(Judging& j) {
    const Configuration& c = j.c();
    Plan& plan = j.plan;
    for (std::size_t k = 1; k < j.present.terms.size(); ++k) j.others.push_back(j.present.terms[k].what);
    plan.resumed = j.present.resumed;
    if (c.changes.start && j.start()) {
        plan.bodies = {c.values.start, &c.values.start->state.bodies};
        plan.resumed = {c.values.start, &c.values.start->state};
        j.others = c.values.start->state.others;
    } else if (c.changes.start && readsPieces(j)) {
        j.others.clear();
        plan.made = c.scene->made(j.scene(c.values.bodies));
    } else if (c.changes.start) {
        ParticleSet built = c.scene->build(j.scene(c.values.bodies));
        j.others.clear();
        if (c.scene->terms) j.others = c.scene->terms(j.scene(built.size()), built);
        plan.bodies = shared(std::move(built));
    } else if (c.changes.bodies || c.changes.backend) {
        plan.bodies = j.present.bodies();
    }
    if (c.changes.bodies && plan.resumed && plan.resumed->others.size() == j.others.size()) j.others = plan.resumed->others;
}

/// Replaces the outer fields by the requested ones; an open request means the scene's own forces again.
void replaceFields(Judging& j) {
    Configuration& c = j.c();
    const bool other = c.fields ? *c.fields != fieldsOf(j.others) : c.changes.fields && !c.changes.start;
    if (!other) return;
    const std::shared_ptr<const ParticleSet> bodies = j.bodies();
    const ForceTerms own = !c.fields && c.scene->terms ? c.scene->terms(j.scene(bodies->size()), *bodies) : ForceTerms();
    j.others = withFields(j.others, c.fields ? *c.fields : fieldsOf(own), *bodies);
    j.plan.otherFields = true;
    // Kernels of forces that no longer act are no longer requested.
    std::erase_if(c.request.terms, [&](const auto& request) {
        const auto is = [&](const auto& term) { return term->kind() == request.first; };
        const bool acted = std::ranges::any_of(j.present.terms, [&](const Term& term) { return is(term.what); });
        return request.first != kPairLawTerm && acted && std::ranges::none_of(j.others, is);
    });
}

/// The integrator runs under the terms, and its steps are short enough for them where they begin.
void requireTerms(Judging& j) {
    const Configuration& c = j.c();
    const StepProgram program = c.integrator->program;
    const ForceTerms terms = termsOf(c.values.force, j.others);
    if (const Reason reason = refusal(program, terms); !reason.empty()) throw UsageError(reason);
    // A bond that stiffens while it moves does not end a run under way, nor does it forbid to continue that run.
    const bool underWay = j.plan.resumed && j.plan.resumed->clock.step != 0 && !j.plan.otherFields;
    const double formerStep = underWay ? j.plan.resumed->clock.timeStep : j.present.timeStep;
    const bool begins = (c.changes.bodies || c.changes.start || j.plan.otherFields) && !underWay;
    if (j.others.empty() || (!begins && c.values.timeStep == formerStep)) return;
    if (const Reason reason = refusal(program, terms, termBodies(*j.bodies()), c.values.timeStep); !reason.empty())
        throw UsageError(reason);
}

/// Methods of terms are made when bodies are loaded: where they change, the run is loaded again at its present state.
void reloadForTerms(Judging& j) {
    Plan& plan = j.plan;
    const std::vector<Term>& before = j.present.terms;
    const auto same = [](const Term& a, const Term& b) { return a.how == b.how && sameTerms({a.what}, {b.what}); };
    if (plan.loads() || std::equal(plan.terms.begin() + 1, plan.terms.end(), before.begin() + 1, before.end(), same)) return;
    plan.resumed = j.present.state();
    plan.bodies = {plan.resumed, &plan.resumed->bodies};
    // The state has the terms that change in a run as they are now.
    for (Term& term : plan.terms)
        for (const auto& now : plan.resumed->others)
            if (term.what->offer().changes && term.what->kind() == now->kind()) term.what = now;
}

/// Gives the bodies of the plan their radii, and checks that contacts can act. A run under way keeps those of its mergers.
void suitContact(Judging& j) {
    Plan& plan = j.plan;
    const Configuration& c = plan.configuration;
    const ContactSettings& contact = c.values.contact;
    const bool continues = plan.resumed && (!c.changes.start || plan.resumed->clock.step != 0);
    if (!plan.loads() && c.changes.sizes) {
        plan.resumed = j.present.state();
        plan.bodies = {plan.resumed, &plan.resumed->bodies};
    }
    const bool all = c.changes.sizes || (c.changes.start && !continues), edits = c.changes.bodies && !plan.resumed;
    if (plan.bodies && (all || edits) && (contact.radius > 0 || contact.density > 0)) {
        auto sized = std::make_shared<ParticleSet>(*plan.bodies);
        giveRadii(*sized, contact, !all);
        plan.bodies = std::move(sized);
    }
    if (plan.loads()) requireContact(contact, c.values.force, plan.bodies.get());
    if (plan.bodies && contact.acts() && (all || c.changes.contact)) plan.overlaps = countOverlaps(*plan.bodies);
    if (!plan.bodies && c.changes.contact && contact.acts())
        requireContact(contact, c.values.force, j.present.bodies().get());
}

/// Chooses the targets of checks, and a precision that suits the bodies. A run that was judged keeps its precision.
void suitBodies(Judging& j) {
    Configuration& c = j.c();
    if (!j.plan.loads()) {
        j.plan.carried = suitForce(c, j.present, j.others);
        return;
    }
    const BodiesToRead bodies = j.plan.read();
    requireBodies(bodies.size());
    j.plan.targets = bodies.set ? targetsOf(*bodies.set, j.others)
                                : CheckTargets{sampleTargets(bodies.size(), bodies.made->heaviest(), kSampled),
                                               randomTargets(bodies.size())};
    const bool keepsPrecision = c.changes.start ? j.start() && j.start()->state.clock.step != 0 && c.request.precision
                                                : j.plan.resumed && c.values.force == j.present.force;
    if (!keepsPrecision) suitPrecision(c, bodies, j.others);
}

}  // namespace

Plan judge(Configuration configuration, const Present& present) {
    Judging j{present};
    j.plan.configuration = std::move(configuration);
    requireRoom(j);
    loadBodies(j);
    replaceFields(j);
    requireTerms(j);
    j.plan.terms = chooseTerms(j.c(), j.others, present.terms);
    requireRoomForTerms(j);
    reloadForTerms(j);
    suitContact(j);
    suitBodies(j);
    j.plan.terms.front().what = std::make_shared<const PairLaw>(j.values().force);
    j.c().changes.force |= j.values().force != present.force;
    return std::move(j.plan);
}

}  // namespace gravlab
