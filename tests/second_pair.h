// The forces of two pair laws at once, against their plain statements.
#pragma once
#include "sim/forces/force_check.h"
#include "sim/run/simulation.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace gravlab {

/// Expects the backend's forces to be those of all terms, and the second law to be felt.
inline void expectBothLaws(Simulation& simulation, Precision precision, const std::string& row) {
    ParticleSet bodies;
    simulation.snapshot(bodies);
    std::vector<std::uint32_t> all(bodies.size());
    std::iota(all.begin(), all.end(), 0u);
    std::vector<Double4> got, want(all.size()), charges(all.size());
    std::vector<double> floors(all.size());
    for (const auto& term : simulation.terms()) term->addAccelerations(termBodies(bodies), all, want, floors);
    simulation.terms()[0]->addAccelerations(termBodies(bodies), all, charges, {});
    simulation.backend().accelerations(got);
    const ForceGate gate = gateOf({.law = kLaw<LennardJones>, .precision = precision});
    const ForceCheck check = compareForces(got, want, gate, floors);
    EXPECT_TRUE(check.passed) << row << ": " << check.text();
    EXPECT_FALSE(compareForces(charges, want, gate, floors).passed) << "the second law must be felt";
}

}  // namespace gravlab
