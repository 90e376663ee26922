#include "app/runs/virial_check.h"

#include "app/tables/format.h"
#include "app/tables/unit_text.h"
#include "sim/core/random.h"
#include "sim/measure/profile.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ranges>
#include <utility>

namespace gravlab {
namespace {

constexpr int kMostSystems = 8;  // more groups are species, or single bodies
constexpr double kHeavy = 10;    // times the mean mass: heavier bodies are never left out at random
constexpr std::size_t kMostHeavy = 1024;

struct PointMass {
    double x, y, z, mass;  ///< the mass includes that of bodies left out
};

/// Data of a system that are kept until it is measured.
struct System {
    std::vector<PointMass> sources{};
    double kinetic = 0, mass = 0, softening = 0;
    std::size_t bodies = 0;
};

/// Sums cheap quantities over all bodies, and keeps the heavy ones and an even sample of the others.
template <class Members>
System systemOf(const ParticleSet& bodies, const Members& members, double softening) {
    System system{.softening = softening, .bodies = members.size()};
    const auto mass = [&](std::size_t i) { return inertialMass(bodies.position[i], bodies.velocity[i]); };
    double px = 0, py = 0, pz = 0;
    for (const std::size_t i : members) {
        const double m = mass(i);
        const Double4& v = bodies.velocity[i];
        system.mass += m;
        system.kinetic += 0.5 * m * (v.x * v.x + v.y * v.y + v.z * v.z);
        px += m * v.x;
        py += m * v.y;
        pz += m * v.z;
    }
    if (!(system.mass > 0)) return system;
    system.kinetic -= 0.5 * (px * px + py * py + pz * pz) / system.mass;  // a moving galaxy is as bound as one at rest
    const double limit = kHeavy * system.mass / static_cast<double>(members.size());
    std::vector<std::size_t> heavy;  // places among the members
    const auto keep = [&](std::size_t i, double weight) {
        const Double4& x = bodies.position[i];
        if (mass(i) != 0) system.sources.push_back({x.x, x.y, x.z, weight * mass(i)});
    };
    double left = 0, taken = 0;
    for (std::size_t place = 0; place < members.size(); ++place) {
        const std::size_t i = members[place];
        if (mass(i) > limit && system.sources.size() < kMostHeavy) {
            keep(i, 1);
            heavy.push_back(place);
        } else {
            left += mass(i);
        }
    }
    const auto usual = [&](std::size_t place) {
        for (const std::size_t before : heavy) place += before <= place;
        return members[place];
    };
    const std::size_t others = members.size() - heavy.size();
    const std::size_t most = std::min(others, kSampleOfVirial), first = system.sources.size();
    for (std::size_t k = 0; k < most; ++k) {
        // Take one body of every stretch, at a shuffled place: bodies of one region of a galaxy are neighbours in memory.
        const std::size_t from = others * k / most, to = others * (k + 1) / most;
        const std::size_t i = usual(from + static_cast<std::size_t>(hash01(k) * static_cast<double>(to - from)));
        keep(i, 1);
        taken += mass(i);
    }
    for (std::size_t k = first; k < system.sources.size(); ++k) system.sources[k].mass *= left / taken;
    return system;
}

/// Whether one of these groups has most of the mass in few bodies, as a star has: the others are bound to it alone.
bool aboutFewBodies(const ParticleSet& bodies, std::size_t groups) {
    std::vector<double> mass(groups);
    std::vector<std::size_t> count(groups);
    double whole = 0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const std::size_t group = bodies.group[i] & 63u;
        const double own = inertialMass(bodies.position[i], bodies.velocity[i]);
        mass[group] += own, whole += own;
        ++count[group];
    }
    for (std::size_t k = 0; k < groups; ++k)
        if (count[k] < kFewestOfVirial && mass[k] > 0.5 * whole) return true;
    return false;
}

std::vector<System> systemsOf(const ParticleSet& bodies, const ForceSettings& force) {
    if (force.law != Law::gravity || bodies.size() < kFewestOfVirial) return {};
    const int galaxies = galaxiesIn(bodies);
    const bool apart =
        galaxies > 1 && galaxies <= kMostSystems && !aboutFewBodies(bodies, static_cast<std::size_t>(galaxies));
    if (!apart)
        return {systemOf(bodies, std::ranges::iota_view(0u, static_cast<std::uint32_t>(bodies.size())), force.softening)};
    std::vector<std::vector<std::uint32_t>> members(static_cast<std::size_t>(galaxies));
    for (std::size_t i = 0; i < bodies.size(); ++i) members[bodies.group[i] & 63u].push_back(static_cast<std::uint32_t>(i));
    std::vector<System> systems;
    for (const std::vector<std::uint32_t>& galaxy : members)
        if (galaxy.size() >= kFewestOfVirial) systems.push_back(systemOf(bodies, galaxy, force.softening));
    return systems;
}

double halfMassRadius(const std::vector<PointMass>& sources, double mass) {
    PointMass centre{0, 0, 0, mass};
    for (const PointMass& s : sources) {
        centre.x += s.mass * s.x / mass;
        centre.y += s.mass * s.y / mass;
        centre.z += s.mass * s.z / mass;
    }
    std::vector<std::pair<double, double>> shells;
    for (const PointMass& s : sources)
        shells.emplace_back(std::hypot(s.x - centre.x, s.y - centre.y, s.z - centre.z), s.mass);
    std::sort(shells.begin(), shells.end());
    double inside = 0;
    for (const auto& [radius, shell] : shells)
        if ((inside += shell) >= 0.5 * mass) return radius;
    return 0;
}

std::optional<VirialState> measured(const System& system) {
    // Massless bodies around a single mass are not bound by each other: there is no virial balance.
    if (system.sources.size() < kFewestOfVirial || !(system.mass > 0)) return std::nullopt;
    const double soft2 = system.softening * system.softening;
    double forces = 0;
    for (std::size_t i = 1; i < system.sources.size(); ++i) {
        const PointMass a = system.sources[i];
        double row = 0;
        for (std::size_t j = 0; j < i; ++j) {
            const PointMass& b = system.sources[j];
            const double x = b.x - a.x, y = b.y - a.y, z = b.z - a.z, r2 = x * x + y * y + z * z, d2 = r2 + soft2;
            row += d2 > 0 ? b.mass * r2 / (d2 * std::sqrt(d2)) : 0;
        }
        forces += a.mass * row;
    }
    VirialState state{.bodies = system.bodies, .looked = std::min(system.bodies, system.sources.size())};
    state.halfMassRadius = halfMassRadius(system.sources, system.mass);
    state.virial = 2 * system.kinetic / forces;
    if (!std::isfinite(state.virial) || !(state.halfMassRadius > 0)) return std::nullopt;
    state.dynamicalTime = std::sqrt(2 * std::pow(state.halfMassRadius, 3) / system.mass);
    if (state.virial < 2) state.drift = 1 / (2 - state.virial) - 1;
    return state;
}

}  // namespace

std::string virialText(std::span<const VirialState> start, std::optional<double> measured, const SceneUnits& units) {
    if (start.empty()) return {};
    std::string text = "Start: 2T/|W| ", drift;
    bool sampled = false, unbound = false;
    for (const VirialState& state : start) {
        const bool first = &state == &start.front();
        text += (first ? "" : ", ") + formatted("%.3f", state.virial);
        drift += first ? "" : ", ";
        drift += state.drift ? formatted("%+.1f %%", 100 * *state.drift) : "not bound";
        unbound |= !state.drift;
        sampled |= state.looked < state.bodies;
    }
    if (start.size() > 1) text += ", each galaxy alone";
    if (sampled) text += " (of " + std::string(grouped(start.front().looked).text) + " bodies)";
    text +=
        unbound && start.size() == 1 ? "; not bound: it flies apart" : "; half-mass radius expected to change by " + drift;
    if (!measured) return text;
    // Takes "12 Myr" of "t = 12 Myr".
    return text + ", measured " + formatted("%+.1f %%", 100 * *measured) + " after " +
           clockText(start.front().dynamicalTime, units).substr(4);
}

void VirialCheck::begin(const ParticleSet& bodies, const ForceSettings& force, bool alone) {
    found_.clear();
    worker_.drop();
    measure_ = nullptr;
    if (!alone) return;
    measure_ = [systems = systemsOf(bodies, force)] {
        std::vector<VirialState> found;
        for (const auto& system : systems)
            if (const auto state = measured(system)) found.push_back(*state);
        return found;
    };
}

std::span<const VirialState> VirialCheck::read(bool wait) {
    if (measure_) worker_.ask(std::exchange(measure_, nullptr));
    if (wait) worker_.wait();
    if (std::optional<std::vector<VirialState>> found = worker_.poll()) found_ = std::move(*found);
    return found_;
}

}  // namespace gravlab
