// Cells and lists of laws with a cut-off on any backend: bodies anywhere, compared with all pairs in double precision.
// Include it once in a test binary: INSTANTIATE_TEST_SUITE_P(Cpu, CellSuite, testing::Values(kCells),
// nameOfBackend<CellsOf>);
#pragma once
#include "sim/backends/backend.h"
#include "sim/core/random.h"
#include "sim/forces/cell_grid.h"
#include "sim/forces/force_check.h"
#include "tests/measured.h"
#include "tests/on_backend.h"

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace gravlab::testing_support {

inline constexpr ForceSettings kAtoms{.law = kLaw<LennardJones>};

inline ForceSettings atomsWith(double cutOff, double diameter = 1, Precision precision = Precision::fp32) {
    return {.law = kLaw<LennardJones>, .precision = precision, .diameter = diameter, .cutOff = cutOff};
}

inline ParticleSet atomsAt(std::vector<Double4> positions) {
    for (Double4& at : positions)
        at = {static_cast<float>(at.x), static_cast<float>(at.y), static_cast<float>(at.z), at.w == 0 ? 1 : at.w};
    return bodiesOf(positions, std::vector<Double4>(positions.size()));
}

/// Bodies anywhere in a cube about the origin: some are deep inside another's repulsion.
inline ParticleSet gasOf(std::size_t count, double edge, std::uint64_t seed = 5) {
    std::vector<Double4> positions;
    for (std::size_t i = 0; i < count; ++i) {
        Random random(seed, i);
        const auto place = [&] { return random.uniform(-edge / 2, edge / 2); };
        positions.push_back({place(), place(), place(), 0.5 + 0.25 * static_cast<double>(i % 3)});
    }
    return atomsAt(positions);
}

/// Atoms on the corners of cells and a little to either side of them, on both sides of the origin.
inline ParticleSet atBorders(const ForceSettings& force) {
    const double edge = 1 / cellsPerLength(force);
    std::vector<Double4> positions;
    for (int a = -2; a <= 2; ++a)
        for (int b = -2; b <= 2; ++b)
            for (int c = -2; c <= 2; ++c) {
                const Double4 at{a * edge, b * edge, c * edge, 0};
                positions.push_back(at);
                positions.push_back({at.x + 1.125, at.y, at.z, 0});
                positions.push_back({at.x, at.y - 1.125, at.z, 0});
                positions.push_back({std::nextafterf(static_cast<float>(at.x), 0.0f), at.y, at.z + 1.125, 0});
            }
    return atomsAt(positions);
}

inline std::unique_ptr<Backend> byCells(const char* name, const ParticleSet& bodies, const ForceSettings& force,
                                        const BackendOptions& options = {}, int block = 0, const char* row = "cells") {
    std::unique_ptr<Backend> made = backend(name).make(options);
    KernelChoice choice{.kernel = row};
    if (block > 0) choice.launch.block = block;
    made->load(bodies, ForceConfiguration{force, choice});
    EXPECT_EQ(made->activeKernel().name, row);
    return made;
}

inline std::vector<Double4> exactForces(const ParticleSet& bodies, const ForceSettings& force, std::vector<double>& floors) {
    std::vector<std::uint32_t> all(bodies.size());
    std::iota(all.begin(), all.end(), 0u);
    std::vector<Double4> want(all.size());
    floors.resize(all.size());
    referenceForces(bodies.position, bodies.velocity, all, force, want, floors);
    return want;
}

struct AtomCase {
    std::string name;
    ForceSettings force;
    ParticleSet bodies;
};

inline std::vector<AtomCase> atomCases() {
    std::vector<AtomCase> cases{
        {"one", kAtoms, gasOf(1, 2)},
        {"33", kAtoms, spacedBodies(33)},
        {"two in reach", kAtoms, atomsAt({{-0.5, 0, 0, 0}, {0.75, 0, 0, 0}})},
        {"two out of reach", kAtoms, atomsAt({{-4, 0, 0, 0}, {4, 0, 0, 0}})},
        {"a lattice", kAtoms, spacedBodies(4097)},
        {"a lattice with a short reach", atomsWith(1.12), spacedBodies(2000)},
        {"a gas", kAtoms, gasOf(3000, 30)},
        {"a thin gas", kAtoms, gasOf(2000, 300)},
        {"small atoms", atomsWith(3.2, 0.3), gasOf(1500, 6)},
        {"large atoms", atomsWith(1.9, 700), gasOf(300, 9000)},
        {"a cut-off larger than the box", atomsWith(20), gasOf(700, 12)},
        {"corners of cells", kAtoms, atBorders(kAtoms)},
        {"corners of long cells", atomsWith(20), atBorders(atomsWith(20))},
        {"all in one point", kAtoms, atomsAt(std::vector<Double4>(300, {3, -2, 1, 0}))},
        {"two points", kAtoms, atomsAt({{1, 1, 1, 0}, {1, 1, 1, 0}, {2.25, 1, 1, 0}, {2.25, 1, 1, 0}, {2.25, 1, 1, 0}})}};
    ParticleSet far = spacedBodies(1000);
    far.position[7] = {3e7, -4e7, 12, 1};         // beyond the cells with keys of their own
    far.position[8] = {3e7 + 1024, -4e7, 12, 1};  // in the same cell, out of reach
    far.position[500] = {-4e5, 3e5, -2e5, 1};     // within those cells
    far.position[501] = {-4e5 + 1.25, 3e5, -2e5, 1};
    cases.push_back({"some very far away", kAtoms, far});
    ParticleSet beyond = spacedBodies(700);
    for (Double4& at : beyond.position) at.x += 1u << 22;  // where a float has steps of a half
    for (Double4& at : beyond.position) at.x = static_cast<float>(at.x);
    cases.push_back({"all beyond the cells", kAtoms, beyond});
    std::vector<Double4> shifted = spacedBodies(2000).position, thin = shifted;
    for (Double4& at : shifted) at.x -= 9, at.y -= 7, at.z -= 5;
    for (Double4& at : thin) at.x *= 4, at.y *= 4, at.z *= 4;
    cases.push_back({"on both sides of the origin", kAtoms, atomsAt(shifted)});
    cases.push_back({"a thin lattice", kAtoms, atomsAt(thin)});
    return cases;
}

/// What the suite must know of a backend: machine code of different kinds and blocks, each tested.
struct CellsOf {
    const char* backend;
    struct Setup {
        BackendOptions options{};
        int block = 0;  ///< 0: the usual one
    };
    std::vector<Setup> setups;
};
inline void PrintTo(const CellsOf& cells, std::ostream* out) { *out << cells.backend; }

/// All cases, in every precision and with three cut-offs that the row takes.
inline void expectExactCells(const CellsOf& cells, const char* row) {
    const char* const name = cells.backend;
    for (const AtomCase& c : atomCases())
        for (const double cutOff : {2.5, 1.12, 20.0}) {
            ForceSettings force = c.force;
            if (c.force != kAtoms && cutOff != 2.5) continue;
            if (c.force == kAtoms) force.cutOff = cutOff;
            if (force.cutOff > 5 && !refusal(kernel(name, row), force).empty()) continue;
            std::vector<double> floors;
            const std::vector<Double4> want = exactForces(c.bodies, force, floors);
            for (const Precision precision : {Precision::fp32, Precision::mixed, Precision::fp64})
                for (const CellsOf::Setup& setup : cells.setups) {
                    force.precision = precision;
                    std::vector<Double4> got;
                    byCells(name, c.bodies, force, setup.options, setup.block, row)->accelerations(got);
                    const ForceCheck check = compareForces(got, want, gateOf(kernel(name, row), force), floors);
                    EXPECT_TRUE(check.passed)
                        << c.name << ", cut-off " << cutOff << ", " << setup.options.simd.value_or("") << ", block "
                        << setup.block << ", precision " << static_cast<int>(precision) << ": " << check.text();
                }
        }
}
inline void expectCellsRefused(const char* name, const char* row) {
    const std::unique_ptr<Backend> made = backend(name).make({});
    EXPECT_THROW(made->configure({}, {.kernel = row}), UsageError);
    EXPECT_THROW(made->configure({.law = kLaw<PowerLaw>}, {.kernel = row}), UsageError);
    EXPECT_NO_THROW(made->configure(kAtoms, {.kernel = row}));
}

class CellSuite : public OnBackend<CellsOf> {};

TEST_P(CellSuite, areExactWhereverBodiesAre) { expectExactCells(GetParam(), "cells"); }

TEST_P(CellSuite, areRefusedWhereTheLawHasNoEnd) { expectCellsRefused(GetParam().backend, "cells"); }

/// Bodies without mass are targets only: the bodies with mass feel the same bits as alone, and no other pair is computed.
TEST_P(CellSuite, leaveOutSourcesWithoutMass) {
    const char* name = GetParam().backend;
    for (const ForceSettings& atoms : {kAtoms, atomsWith(20)})
        for (const std::size_t share : {4, 60})
            for (const bool first : {true, false}) {
                ParticleSet bodies = gasOf(1500, 30), alone;
                std::vector<std::size_t> acting;
                for (std::size_t i = 0; i < bodies.size(); ++i) {
                    const bool acts = first ? i * share < bodies.size() : i % share == 2;
                    if (!acts) bodies.position[i].w = 0;
                    if (acts) acting.push_back(i), alone.position.push_back(bodies.position[i]);
                }
                alone = bodiesOf(alone.position, std::vector<Double4>(acting.size()));
                std::vector<double> floors;
                const std::vector<Double4> want = exactForces(bodies, atoms, floors);
                for (const Precision precision : {Precision::fp32, Precision::mixed, Precision::fp64}) {
                    SCOPED_TRACE(testing::Message() << atoms.cutOff << ", one of " << share << ", first " << first
                                                    << ", precision " << static_cast<int>(precision));
                    ForceSettings force = atoms;
                    force.precision = precision;
                    const std::unique_ptr<Backend> run = byCells(name, bodies, force);
                    std::vector<Double4> got, few;
                    run->accelerations(got);
                    byCells(name, alone, force)->accelerations(few);
                    const ForceCheck check = compareForces(got, want, gateOf(kernel(name, "cells"), force), floors);
                    EXPECT_TRUE(check.passed) << check.text();
                    std::size_t differing = 0;
                    for (std::size_t k = 0; k < acting.size(); ++k) differing += xyz(got[acting[k]]) != xyz(few[k]);
                    EXPECT_EQ(differing, 0u);
                    // On a device figures arrive later. In cells as large as the system each body has all sources.
                    double pairs = 0;
                    for (int step = 0; step < 4000 && pairs == 0; ++step) {
                        run->advance(integrator("leapfrog").program, 1e-12, {.steps = 1}, nullptr);
                        run->wait();
                        for (const MethodFigure& figure : run->figures())
                            if (figure.name == "bodies a body") pairs = figure.value;
                    }
                    if (atoms == kAtoms) {
                        EXPECT_GT(pairs, 0);
                        EXPECT_LT(pairs, static_cast<double>(acting.size()));
                    } else {
                        EXPECT_EQ(pairs, static_cast<double>(acting.size()));
                    }
                }
            }
}

}  // namespace gravlab::testing_support
