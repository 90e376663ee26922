#include "app/runs/virial_check.h"

#include "app/tables/format.h"
#include "app/tables/unit_text.h"
#include "sim/core/random.h"
#include "sim/core/thread_pool.h"
#include "sim/measure/profile.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ranges>
#include <utility>

namespace gravlab {
namespace {

constexpr double kHeavy = 10;  // times the mean mass: heavier bodies are never left out at random
constexpr std::size_t kMostHeavy = 1024;

struct PointMass {
    Vec3d place;
    double mass;  ///< includes that of bodies left out
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
    // Threads sum parts, which are joined in their order.
    constexpr std::size_t kPart = 65536;
    struct Part {
        double mass = 0, kinetic = 0, left = 0;
        Vec3d momentum{};
        std::vector<std::size_t> heavy{};  ///< places among the members
    };
    std::vector<Part> parts((members.size() + kPart - 1) / kPart);
    const auto overAll = [&](const auto& take) {
        parallelFor(parts.size(), 0, 1, [&](std::size_t first, std::size_t last) {
            for (std::size_t place = first * kPart; place < std::min<std::size_t>(last * kPart, members.size()); ++place)
                take(parts[place / kPart], place, members[place]);
        });
    };
    overAll([&](Part& part, std::size_t, std::size_t i) {
        const double m = mass(i);
        const Vec3d v = xyz(bodies.velocity[i]);
        part.mass += m;
        part.kinetic += 0.5 * m * dot(v, v);
        part.momentum += m * v;
    });
    Vec3d momentum{};
    for (const Part& part : parts) {
        system.mass += part.mass;
        system.kinetic += part.kinetic;
        momentum += part.momentum;
    }
    if (!(system.mass > 0)) return system;
    system.kinetic -= 0.5 * dot(momentum, momentum) / system.mass;  // a moving galaxy is as bound as one at rest
    const double limit = kHeavy * system.mass / static_cast<double>(members.size());
    overAll([&](Part& part, std::size_t place, std::size_t i) {
        if (mass(i) > limit)
            part.heavy.push_back(place);
        else
            part.left += mass(i);
    });
    std::vector<std::size_t> heavy;
    const auto keep = [&](std::size_t i, double weight) {
        if (mass(i) != 0) system.sources.push_back({xyz(bodies.position[i]), weight * mass(i)});
    };
    double left = 0, taken = 0;
    for (const Part& part : parts) {
        left += part.left;
        for (const std::size_t place : part.heavy)
            if (heavy.size() < kMostHeavy) {
                keep(members[place], 1);
                heavy.push_back(place);
            } else {
                left += mass(members[place]);
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

std::vector<System> systemsOf(const ParticleSet& bodies, const ForceSettings& force) {
    if (force.law != Law::gravity || bodies.size() < kFewestOfVirial) return {};
    const int galaxies = galaxiesIn(bodies);
    std::vector<std::vector<std::uint32_t>> members(haveProfiles(galaxies) ? static_cast<std::size_t>(galaxies) : 0);
    for (std::size_t i = 0; i < bodies.size() && !members.empty(); ++i)
        members[bodies.group[i] & 63u].push_back(static_cast<std::uint32_t>(i));
    // Where few bodies have most of the mass, as a star has, the others are bound to them alone.
    double whole = 0, ofFew = 0;
    for (const std::vector<std::uint32_t>& galaxy : members) {
        double mass = 0;
        for (const std::uint32_t i : galaxy) mass += inertialMass(bodies.position[i], bodies.velocity[i]);
        whole += mass;
        if (galaxy.size() < kFewestOfVirial) ofFew = std::max(ofFew, mass);
    }
    if (members.empty() || ofFew > 0.5 * whole)
        return {systemOf(bodies, std::ranges::iota_view(0u, static_cast<std::uint32_t>(bodies.size())), force.softening)};
    std::vector<System> systems;
    for (const std::vector<std::uint32_t>& galaxy : members)
        if (galaxy.size() >= kFewestOfVirial) systems.push_back(systemOf(bodies, galaxy, force.softening));
    return systems;
}

double halfMassRadius(const std::vector<PointMass>& sources, double mass) {
    Vec3d centre{};
    for (const PointMass& s : sources) centre += s.mass * s.place / mass;
    std::vector<std::pair<double, double>> shells;
    for (const PointMass& s : sources) shells.emplace_back(distance(s.place, centre), s.mass);
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
            const Vec3d way = b.place - a.place;
            const double r2 = dot(way, way), d2 = r2 + soft2;
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
