// Settings, sizes, rotation, files and the log of contacts. The contacts of a step are found in resolve.cpp and resolved in
// parts.cpp.
#include "sim/contact/contact.h"

#include "sim/api/errors.h"
#include "sim/core/text.h"
#include "sim/core/thread_pool.h"
#include "sim/forces/law.h"
#include "sim/forces/second_pair_law.h"

#include <algorithm>
#include <numbers>
#include <numeric>
#include <utility>

namespace gravlab {
namespace {

constexpr ContactRow kModes[] = {
    {"none", "bodies pass through each other, as points do", ContactMode::none},
    {"merge", "pairs that stay bound merge, tides included; the others bounce", ContactMode::merge},
    {"bounce", "bodies bounce, and none merges", ContactMode::bounce},
    {"stick", "every contact is a merger, however fast it is", ContactMode::stick},
};

}  // namespace

std::span<const ContactRow> contactModes() { return kModes; }

void giveRadii(ParticleSet& bodies, const ContactSettings& contact, bool onlyMissing) {
    if (contact.radius == 0 && contact.density == 0) return;
    bodies.surface.resize(bodies.size());
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        double& radius = bodies.surface[i].radius;
        if (onlyMissing && radius > 0) continue;
        const double mass = std::abs(inertialMass(bodies.position[i], bodies.velocity[i]));
        radius = contact.radius > 0 ? contact.radius
                                    : std::cbrt(3 * (mass > 0 ? mass : std::abs(bodies.position[i].w)) /
                                                (4 * std::numbers::pi * contact.density));
    }
}

void requireSurfaces(const ParticleSet& bodies) {
    for (std::size_t i = 0; i < bodies.surface.size(); ++i) {
        const Surface& s = bodies.surface[i];
        const double inertia = inertiaOf(inertialMass(bodies.position[i], bodies.velocity[i]), s.radius);
        if (s.radius >= 0 && std::isfinite(s.radius * s.radius + inertia * dot(s.spin, s.spin))) continue;
        const std::string body = "body " + std::to_string(i) + " (id " + std::to_string(bodies.id[i]) + "): ";
        if (!std::isfinite(s.radius)) throw UsageError(body + "the radius is not a finite number");
        if (s.radius < 0) throw UsageError(body + "the radius " + std::to_string(s.radius) + " is negative");
        if (!isFinite(s.spin)) throw UsageError(body + "the spin is not a finite number");
        const std::string sizes =
            formatted("its radius %g or spin %g is too large", s.radius, std::hypot(s.spin.x, s.spin.y, s.spin.z));
        throw UsageError(body + sizes + ": its energy of rotation is no finite number; choose other units");
    }
}

void requireContact(const ContactSettings& contact, const ForceSettings& force, const ParticleSet* bodies) {
    const auto within = [](double value, double most, const char* what, const char* range) {
        if (!(value >= 0 && value <= most)) throw UsageError(std::string(what) + " must be a number " + range);
    };
    within(contact.restitution, 1, "restitution", "from 0 to 1");
    within(contact.friction, 1e300, "friction", "of at least 0");
    within(contact.radius, 1e300, "radius", "of at least 0");
    within(contact.density, 1e300, "density", "of at least 0");
    if (contact.radius > 0 && contact.density > 0)
        throw UsageError("radius and density both give the sizes of the bodies; leave one of them out");
    if (bodies) requireSurfaces(*bodies);
    if (!contact.acts()) return;
    const std::string name(contactRow(contact.mode).name);
    if (contact.mode != ContactMode::bounce && lawRow(force.law).signedSources)
        throw UsageError("contact '" + name + "' cannot merge charges, whose sum says nothing of their mass; take bounce");
    if (!bodies) return;
    if (std::ranges::none_of(bodies->surface, [](const Surface& s) { return s.radius > 0; }))
        throw UsageError("contact '" + name + "' needs bodies with radii; give --radius or --density");
}

void requireFewPairs(std::size_t pairs, std::size_t bodies) {
    // A pair takes some 100 bytes of lists and contacts. A dense heap has about 14 for each body.
    const std::size_t most = std::max<std::size_t>(std::size_t{1} << 23, 64 * bodies);
    if (pairs <= most) return;
    throw OutOfMemoryError(
        "more than " + std::to_string(most) + " pairs of " + std::to_string(bodies) +
        " bodies overlap or touch within a step; choose a smaller radius, a shorter step or fewer bodies");
}

double lostBeside(const ParticleSet& before, const ParticleSet& after, std::span<const ContactEvent> events,
                  const ForceSettings& force, const ForceTerms& others, int threads) {
    const bool few = countsLightBodies(events.size(), before.size());
    double lost = 0;
    for (const auto& term : others)
        if (few || term->kind() != SecondPairLaw::kKind)
            lost += term->potential(termBodies(before)) - term->potential(termBodies(after));
    if (!few) return lost;
    // Of the bodies that the step has changed: their motion, and their potential with all others.
    std::vector<char> changedBefore(before.size(), true), changedAfter(after.size());
    for (std::size_t i = 0, k = 0; i < before.size() && k < after.size(); ++i)
        if (before.id[i] == after.id[k]) {
            changedBefore[i] = changedAfter[k] = before.position[i] != after.position[k] ||
                                                 before.velocity[i] != after.velocity[k] ||
                                                 before.surface[i] != after.surface[k];
            ++k;
        }
    const LawRow& law = lawRow(force.law);
    const bool atZero = finiteAtZero(force);
    const auto energyOf = [&](const ParticleSet& bodies, const std::vector<char>& changed) {
        std::vector<double> energies(bodies.size());
        parallelFor(bodies.size(), threads, 64, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) {
                if (!changed[i]) continue;
                const Double4 &x = bodies.position[i], &v = bodies.velocity[i];
                const double mass = inertialMass(x, v);
                double pairs = 0;
                for (std::size_t k = 0; k < bodies.size(); ++k) {
                    const Vec3d away = xyz(x) - xyz(bodies.position[k]);
                    const double squared = dot(away, away), source = bodies.position[k].w;
                    if (k == i || source == 0 || !(squared > 0 || atZero)) continue;
                    pairs += (changed[k] ? 0.5 : 1.0) * source * law.potential(force, squared);
                }
                const Surface& s = bodies.surface[i];
                energies[i] =
                    x.w * pairs + (mass * dot(xyz(v), xyz(v)) + inertiaOf(mass, s.radius) * dot(s.spin, s.spin)) / 2;
            }
        });
        return std::accumulate(energies.begin(), energies.end(), 0.0);
    };
    lost += energyOf(before, changedBefore) - energyOf(after, changedAfter);
    for (const ContactEvent& event : events) lost -= event.lost;
    return lost;
}

namespace {
constexpr std::string_view kTotals = "contact.totals";
}  // namespace

std::vector<StateArray> arraysOf(const std::vector<Surface>& surfaces, const ContactTotals& totals) {
    if (surfaces.empty()) return {};
    return {{std::string(kTotals), {totals.lost, static_cast<double>(totals.merges), static_cast<double>(totals.bounces)}}};
}

ContactTotals takeContacts(std::vector<StateArray>& arrays, const std::string& name) {
    const auto found = std::ranges::find(arrays, kTotals, &StateArray::name);
    if (found == arrays.end()) return {};
    const std::vector<double> numbers = std::move(found->values);
    arrays.erase(found);
    if (numbers.size() != 3)
        throw InputError(name + ": its " + std::string(kTotals) + " are not three; it was changed after it was saved");
    const auto count = [](double value) {
        return value >= 0 && value < 9e18 ? static_cast<std::int64_t>(value) : std::int64_t{0};
    };
    return {std::isfinite(numbers[0]) ? numbers[0] : 0, count(numbers[1]), count(numbers[2])};
}

std::string contactLogHeader() { return "step,time,event,first,second,speed,lost,x,y,z,mass,radius\n"; }

std::string contactLogRow(const ContactEvent& e) {
    return formatted("%lld,%.17g,%s,%u,%u,%.9g,%.9g,%.17g,%.17g,%.17g,%.17g,%.17g\n", static_cast<long long>(e.step), e.time,
                     e.kind == ContactKind::merge ? "merge" : "bounce", e.first, e.second, e.speed, e.lost, e.place.x,
                     e.place.y, e.place.z, e.mass, e.radius);
}

}  // namespace gravlab
