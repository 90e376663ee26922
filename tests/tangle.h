// Bodies with bonds of every law, and a run whose bonds break, for tests of all backends.
#pragma once
#include "sim/forces/bonds/bonds.h"
#include "sim/run/simulation.h"
#include "tests/bodies.h"

#include <memory>
#include <numeric>
#include <vector>

namespace gravlab::testing_support {

inline std::shared_ptr<const Bonds> bondsBetween(const std::vector<Bond>& bonds) {
    const auto list = std::make_shared<BondList>();
    for (const Bond& bond : bonds) list->add(bond);
    return std::make_shared<const Bonds>(list);
}

/// All laws, damping, several classes and a hub, between bodies whose ids are not their indices.
struct Tangle {
    ParticleSet bodies;
    std::shared_ptr<const Bonds> bonds;

    explicit Tangle(std::size_t count, bool damped = true) : bodies(unevenBodies(count)) {
        for (std::uint32_t& id : bodies.id) id = 3 * id + 5;
        for (std::size_t i = 0; i < count; ++i) bodies.velocity[i].w = i % 11 == 0 ? 0 : 1;  // some are held
        std::vector<Bond> all;
        for (std::size_t i = 0; i + 1 < count; ++i) {
            const double mass = 1.0 / static_cast<double>(count);
            all.push_back({bodies.id[i], bodies.id[i + 1], {1.0, mass, damped ? 0.2 * mass : 0, 2.5, BondLaw::morse}});
            if (i + 5 < count) all.push_back({bodies.id[i + 5], bodies.id[i], {0.5, 2 * mass, 0, 0, BondLaw::hooke}});
            if (i > 1 && i < 41 && i != 5) all.push_back({bodies.id[0], bodies.id[i], {1.5, mass, 0, 4, BondLaw::fene}});
        }
        bonds = bondsBetween(all);
    }
};

inline std::vector<std::uint32_t> allOf(const ParticleSet& bodies) {
    std::vector<std::uint32_t> all(bodies.size());
    std::iota(all.begin(), all.end(), 0u);
    return all;
}

/// A chain that the tide of a star breaks.
inline RunRequest tidal(const char* backendName, Precision precision = Precision::fp64) {
    RunRequest wanted;
    wanted.scene = "tidal-chain";
    wanted.bodies = 60;
    wanted.backend = backendName;
    wanted.precision = precision;
    wanted.parameters["breaking"] = 0.02;
    return wanted;
}
inline const Bonds& bondsIn(Simulation& simulation) { return static_cast<const Bonds&>(*simulation.terms().back()); }
inline ParticleSet stateIn(Simulation& simulation) {
    ParticleSet bodies;
    simulation.snapshot(bodies);
    return bodies;
}

}  // namespace gravlab::testing_support
