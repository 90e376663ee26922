// Runs under outer forces on any backend: against their plain statements, and the same bits however they run. Include it
// once in a test binary: INSTANTIATE_TEST_SUITE_P(Cpu, OuterSuite, testing::Values(kOuter), nameOfBackend<OuterOf>);
#pragma once
#include "sim/io/checkpoint.h"
#include "sim/run/simulation.h"
#include "tests/advance.h"
#include "tests/bodies.h"
#include "tests/on_backend.h"

#include <gtest/gtest.h>

#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gravlab::testing_support {

inline RunRequest outerRequest(const char* backend, Precision precision, const char* integrator, const char* fields,
                               std::size_t bodies) {
    RunRequest request{.scene = "plummer",
                       .bodies = bodies,
                       .backend = backend,
                       .integrator = integrator,
                       .timeStep = 0.01,
                       .fields = fields,
                       .precision = precision};
    return request;
}

/// The accelerations between steps are those at the time of the bodies, to that fraction.
inline void expectPlainAccelerations(Simulation& simulation, std::span<const std::uint32_t> targets, double near) {
    const RunState state = simulation.state();
    EXPECT_EQ(state.bodies.time, state.clock.time());
    std::vector<Double4> got, want(targets.size());
    simulation.backend().accelerations(got);
    for (const auto& term : simulation.terms()) term->addAccelerations(termBodies(state.bodies), targets, want, {});
    for (std::size_t k = 0; k < targets.size(); ++k) EXPECT_LT(distance(got[targets[k]], want[k]), near * length(want[k]));
}

/// Slices, a file and the way back change no bit of a run. Its file has fields whose text begins so.
inline void expectSameBitsHoweverItRuns(const RunRequest& request, const std::string& fields) {
    const auto expectSame = [](Simulation& got, const ParticleSet& want, const char* what) {
        const ParticleSet bodies = got.state().bodies;
        EXPECT_EQ(bodies.position, want.position) << what;
        EXPECT_EQ(bodies.velocity, want.velocity) << what;
    };
    Simulation whole(request), sliced(request), first(request);
    run(whole, 9);
    run(sliced, 9, 0);
    run(first, 4);
    const ParticleSet want = whole.state().bodies;
    expectSame(sliced, want, "slices");
    Snapshot file = checkpointOf(first);
    EXPECT_NE(file.settings.find("fields = \"" + fields), std::string::npos) << file.settings;
    Simulation second(startFrom(std::move(file), "run.hdf5").request);
    EXPECT_EQ(second.configuration().fields, first.configuration().fields);
    run(second, 5);
    expectSame(second, want, "resume");
    const RunState early = second.state();
    run(second, 2);
    const RunState late = second.state();
    second.restore(early);
    run(second, 2);
    expectSame(second, late.bodies, "rewind");
}

/// What the suite must know of a backend.
struct OuterOf {
    const char* backend;
    std::vector<std::pair<RunRequest, double>> exact;  ///< runs, and how near their accelerations are to the plain ones
    std::vector<std::uint32_t> targets;
    std::vector<std::pair<RunRequest, std::string>> same;  ///< runs, and how the fields of their files begin
    int late = 0;                                          ///< steps after which the first check may still be under way
};

inline void PrintTo(const OuterOf& outer, std::ostream* out) { *out << outer.backend; }

class OuterSuite : public OnBackend<OuterOf> {};

TEST_P(OuterSuite, agreesWithThePlainStatementAtItsTime) {
    for (const auto& [request, near] : GetParam().exact) {
        Simulation simulation(request);
        run(simulation, 3);
        const auto step = [&] {
            run(simulation, 1);
            simulation.backend().wait();
        };
        for (int k = 0; k < GetParam().late && !simulation.forceCheck(); ++k) step();
        ASSERT_TRUE(simulation.forceCheck().has_value());
        EXPECT_TRUE(simulation.forceCheck()->passed) << simulation.forceCheck()->text() << simulation.forceCheck()->term;
        simulation.recheck();
        std::optional<ForceCheck> later;
        for (int k = 0; k < 100 && !later; ++k) {
            step();
            later = simulation.takeRecheck();
        }
        ASSERT_TRUE(later.has_value());
        EXPECT_TRUE(later->passed) << later->text() << later->term;
        expectPlainAccelerations(simulation, GetParam().targets, near);
    }
}

TEST_P(OuterSuite, resumeAndSlicesChangeNoBit) {
    for (const auto& [request, fields] : GetParam().same) {
        SCOPED_TRACE(request.integrator.value_or(""));
        expectSameBitsHoweverItRuns(request, fields);
    }
}

}  // namespace gravlab::testing_support
