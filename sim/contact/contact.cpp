// Settings, sizes, rotation, files and the log of contacts. The contacts of a step are found in resolve.cpp and resolved in
// parts.cpp.
#include "sim/contact/contact.h"

#include "sim/core/error.h"
#include "sim/forces/law.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
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
        const std::string body = "body " + std::to_string(i) + " (id " + std::to_string(bodies.id[i]) + "): ";
        if (!std::isfinite(s.radius)) throw UsageError(body + "the radius is not a finite number");
        if (s.radius < 0) throw UsageError(body + "the radius " + std::to_string(s.radius) + " is negative");
        if (!isFinite(s.spin)) throw UsageError(body + "the spin is not a finite number");
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
    if (!contact.acts()) return;
    const std::string name(contactRow(contact.mode).name);
    if (contact.mode != ContactMode::bounce && lawRow(force.law).signedSources)
        throw UsageError("contact '" + name + "' cannot merge charges, whose sum says nothing of their mass; take bounce");
    if (!bodies) return;
    requireSurfaces(*bodies);
    if (std::ranges::none_of(bodies->surface, [](const Surface& s) { return s.radius > 0; }))
        throw UsageError("contact '" + name + "' needs bodies with radii; give --radius or --density");
}

namespace {
constexpr std::string_view kSurfaces = "contact.surfaces", kTotals = "contact.totals";
}  // namespace

std::vector<StateArray> arraysOf(const std::vector<Surface>& surfaces, const ContactTotals& totals) {
    if (surfaces.empty()) return {};
    StateArray numbers{std::string(kSurfaces), {}};
    numbers.values.reserve(4 * surfaces.size());
    for (const Surface& s : surfaces)
        for (const double value : {s.radius, s.spin.x, s.spin.y, s.spin.z}) numbers.values.push_back(value);
    return {std::move(numbers),
            {std::string(kTotals), {totals.lost, static_cast<double>(totals.merges), static_cast<double>(totals.bounces)}}};
}

ContactTotals takeContacts(std::vector<StateArray>& arrays, ParticleSet& bodies, const std::string& name) {
    ContactTotals totals;
    const auto take = [&](std::string_view key, std::size_t size) -> std::vector<double> {
        const auto found = std::ranges::find(arrays, key, &StateArray::name);
        if (found == arrays.end()) return {};
        std::vector<double> values = std::move(found->values);
        arrays.erase(found);
        if (values.size() != size)
            throw InputError(name + ": its " + std::string(key) + " do not fit its " + std::to_string(bodies.size()) +
                             " bodies; it was changed after it was saved");
        return values;
    };
    if (const std::vector<double> numbers = take(kSurfaces, 4 * bodies.size()); !numbers.empty()) {
        bodies.surface.resize(bodies.size());
        for (std::size_t i = 0; i < bodies.size(); ++i)
            bodies.surface[i] = {numbers[4 * i], {numbers[4 * i + 1], numbers[4 * i + 2], numbers[4 * i + 3]}};
    }
    if (const std::vector<double> numbers = take(kTotals, 3); !numbers.empty()) {
        const auto count = [](double value) {
            return value >= 0 && value < 9e18 ? static_cast<std::int64_t>(value) : std::int64_t{0};
        };
        totals = {std::isfinite(numbers[0]) ? numbers[0] : 0, count(numbers[1]), count(numbers[2])};
    }
    try {
        requireSurfaces(bodies);
    } catch (const UsageError& error) {
        throw InputError(name + ": " + error.what());
    }
    return totals;
}

std::string contactLogHeader() { return "step,time,event,first,second,speed,lost,x,y,z,mass,radius\n"; }

std::string contactLogRow(const ContactEvent& e) {
    char text[320];
    std::snprintf(text, sizeof text, "%lld,%.17g,%s,%u,%u,%.9g,%.9g,%.17g,%.17g,%.17g,%.17g,%.17g\n",
                  static_cast<long long>(e.step), e.time, e.kind == ContactKind::merge ? "merge" : "bounce", e.first,
                  e.second, e.speed, e.lost, e.place.x, e.place.y, e.place.z, e.mass, e.radius);
    return text;
}

}  // namespace gravlab
