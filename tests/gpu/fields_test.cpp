// Outer forces on CUDA: against their plain statements, in slices, continued, and of many bodies.
#include "gpu_fixture.h"
#include "sim/forces/fields/field_text.h"
#include "sim/io/checkpoint.h"
#include "sim/run/simulation.h"
#include "tests/advance.h"
#include "tests/bodies.h"

#include <string>
#include <utility>
#include <vector>

namespace gravlab {
namespace {

constexpr const char* kOuterOfGpu =
    "nfw,mass=0.5,scale=0.4,vx=0.1;bar,mass=0.3,length=1,width=0.2,height=0.3,pattern=5;uniform,az=0.01;"
    "logarithmic,speed=0.3,core=0.5,orbit=0.2,period=7;hernquist,mass=0.1,scale=0.2;miyamoto-nagai,mass=0.2,scale=0.3,"
    "height=0.1;"
    "harmonic,frequency=0.1;point,mass=0.1,softening=0.1;drag,rate=0.01;quadratic-drag,coefficient=0.1;"
    "friction,speed=1,core=0.1;friction-hernquist,mass=1,scale=1;friction-nfw,mass=1,scale=1;post-newtonian,heavy=16,c=30";
constexpr const char* kMovingOfGpu =
    "bar,mass=0.3,length=1,width=0.2,height=0.3,pattern=5;point,mass=0.1,softening=0.1,orbit=0.5,"
    "period=0.7;nfw,mass=0.5,scale=0.4,vx=0.1";

RunRequest gpuRequest(Precision precision, const char* integrator, const char* fields, std::size_t bodies) {
    RunRequest request;
    request.scene = "plummer";
    request.bodies = bodies;
    request.backend = "cuda";
    request.precision = precision;
    request.integrator = integrator;
    request.timeStep = 0.01;
    request.softening = 0.05;
    request.fields = fields;
    return request;
}

TEST(GpuOuterForces, agreeWithThePlainStatement) {
    if (const Reason reason = backend("cuda").unavailable({}); !reason.empty())
        GTEST_SKIP() << "NO GPU TEST WAS RUN: " << reason;
    for (const Precision precision : {Precision::fp32, Precision::mixed, Precision::fp64}) {
        Simulation simulation(gpuRequest(precision, "rk4", kOuterOfGpu, 3000));
        std::optional<ForceCheck> check;
        for (int k = 0; k < 200 && !check; ++k) {
            run(simulation, 1);
            simulation.backend().wait();
            check = simulation.forceCheck();
        }
        ASSERT_TRUE(check.has_value());
        EXPECT_TRUE(check->passed) << check->text() << ' ' << check->term;
        const RunState state = simulation.state();
        EXPECT_EQ(state.bodies.time, state.clock.time());
        const std::vector<std::uint32_t> targets{0, 1, 700, 1500, 2999};
        std::vector<Double4> got, want(targets.size());
        simulation.backend().accelerations(got);
        for (const auto& term : simulation.terms()) term->addAccelerations(termBodies(state.bodies), targets, want, {});
        for (std::size_t k = 0; k < targets.size(); ++k)
            EXPECT_LT(distance(got[targets[k]], want[k]), (precision == Precision::fp64 ? 1e-11 : 2e-5) * length(want[k]));
    }
}

TEST(GpuOuterForces, slicesAndContinuingChangeNoBit) {
    if (const Reason reason = backend("cuda").unavailable({}); !reason.empty())
        GTEST_SKIP() << "NO GPU TEST WAS RUN: " << reason;
    for (const auto& [integrator, fields] : {std::pair("leapfrog", kMovingOfGpu),
                                             {"yoshida4", kMovingOfGpu},
                                             {"rk4", kOuterOfGpu},
                                             {"block-leapfrog", kMovingOfGpu}}) {
        SCOPED_TRACE(integrator);
        const RunRequest request = gpuRequest(Precision::fp32, integrator, fields, 5000);
        Simulation whole(request), sliced(request), first(request);
        run(whole, 9);
        run(sliced, 9, 0);
        run(first, 4);
        Simulation second(startFrom(checkpointOf(first), "run.hdf5").request);
        run(second, 5);
        const ParticleSet want = whole.state().bodies;
        for (Simulation* other : {&sliced, &second}) {
            const ParticleSet got = other->state().bodies;
            EXPECT_EQ(got.position, want.position);
            EXPECT_EQ(got.velocity, want.velocity);
        }
    }
}

TEST(GpuOuterForces, reachManyBodiesInSlicesAndMeasureTheirEnergy) {
    if (const Reason reason = backend("cuda").unavailable({}); !reason.empty())
        GTEST_SKIP() << "NO GPU TEST WAS RUN: " << reason;
    RunRequest request = gpuRequest(Precision::fp32, "leapfrog", kMovingOfGpu, 300000);
    request.accuracy = 1e-3;
    Simulation simulation(request);
    run(simulation, 3);
    const Diagnostics device = simulation.measure({});
    const Diagnostics host =
        measureSystem(simulation.state().bodies, simulation.terms(), 0, pairSummation(simulation.configuration()));
    EXPECT_NEAR(device.potential / host.potential, 1, 1e-3);
}

}  // namespace
}  // namespace gravlab
