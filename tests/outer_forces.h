// Runs under outer forces, for tests of all backends.
#pragma once
#include "sim/io/checkpoint.h"
#include "sim/run/simulation.h"
#include "tests/advance.h"
#include "tests/bodies.h"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gravlab::testing_support {

inline RunRequest outerRequest(const char* backend, Precision precision, const char* integrator, const char* fields,
                               std::size_t bodies) {
    RunRequest request;
    request.scene = "plummer";
    request.bodies = bodies;
    request.backend = backend;
    request.precision = precision;
    request.integrator = integrator;
    request.timeStep = 0.01;
    request.fields = fields;
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

}  // namespace gravlab::testing_support
