// Exact continuation under every law, with charges of both signs and individual responses: a file keeps everything that the
// engine for few bodies needs.
#include "sim/backends/few_body.h"
#include "sim/forces/law.h"
#include "sim/io/snapshot.h"
#include "tests/unit/io_support.h"

namespace gravlab {
namespace {

ParticleSet charges() {
    ParticleSet bodies = io_test::sample(9).bodies;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        if (i % 2) bodies.position[i].w *= -1;
        bodies.velocity[i].w = 1.0 / static_cast<double>(i + 2);
    }
    return bodies;
}

/// Writes a checkpoint and reads it back.
Snapshot stored(const FewBody& system, const ParticleSet& like) {
    Snapshot snapshot;
    snapshot.bodies = like;
    system.store(snapshot.bodies);
    snapshot.state = system.state();
    snapshot.signedSources = true;
    snapshot.settings = "seed = 1\n";
    return decodeSnapshot(encodeSnapshot(snapshot, "hdf5"), "laws");
}

TEST(ResumeOf, everyLawAndIntegratorOfFewBodies) {
    if (!hasHdf5()) GTEST_SKIP() << "this build has no HDF5";
    const ParticleSet start = charges();
    int compared = 0;
    for (const LawRow& lawRow : laws())
        for (const Integrator& integratorRow : integrators()) {
            if (needsJerk(integratorRow.program) && lawRow.law != Law::gravity) continue;
            SCOPED_TRACE(std::string(lawRow.name) + " " + std::string(integratorRow.name));
            const ForceSettings force{.law = lawRow.law, .precision = Precision::fp64, .softening = 0.5, .exponent = 1.5};
            const double timeStep = 1e-3;
            FewBody whole, first, second;
            for (FewBody* system : {&whole, &first}) {
                system->configure(force);
                system->load(start);
            }
            whole.advance(integratorRow.program, timeStep, {.steps = 20});
            first.advance(integratorRow.program, timeStep, {.steps = 11});
            const Snapshot saved = stored(first, start);
            second.configure(force);
            second.load(saved.bodies);
            if (!saved.state.empty()) {
                EXPECT_TRUE(second.restore(saved.state));
            }
            EXPECT_EQ(saved.state.empty(), !isAdaptive(integratorRow.program));
            second.advance(integratorRow.program, timeStep, {.steps = 9});
            ParticleSet got = start, want = start;
            second.store(got);
            whole.store(want);
            EXPECT_TRUE(io_test::sameBodies(got, want));
            ++compared;
        }
    EXPECT_GE(compared, 30);
}

TEST(ResumeOf, stateThatDoesNotFitIsLeftOut) {
    FewBody system;
    system.load(charges());
    system.advance(integrator("radau15").program, 0.01, {.steps = 2});
    const std::vector<StateArray> good = system.state();
    EXPECT_TRUE(system.restore(good));
    for (std::size_t i = 0; i < good.size(); ++i) {
        std::vector<StateArray> bad = good;
        bad[i].values.pop_back();
        EXPECT_FALSE(system.restore(bad)) << bad[i].name;
        bad.erase(bad.begin() + static_cast<std::ptrdiff_t>(i));
        EXPECT_FALSE(system.restore(bad)) << "without " << good[i].name;
    }
    std::vector<StateArray> endless = good;
    endless.back().values[0] = 0;
    EXPECT_FALSE(system.restore(endless)) << "a step of no length never ends";
    system.advance(integrator("radau15").program, 0.01, {.steps = 1});
}

}  // namespace
}  // namespace gravlab
