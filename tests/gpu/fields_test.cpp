// Outer forces on CUDA: against their plain statements, in slices, continued, and of many bodies.
#include "gpu_fixture.h"
#include "sim/forces/fields/field_text.h"
#include "tests/outer_forces.h"

#include <string>
#include <utility>

namespace gravlab {
namespace {

using namespace testing_support;

constexpr const char* kOuterOfGpu =
    "nfw,mass=0.5,scale=0.4,vx=0.1;bar,mass=0.3,length=1,width=0.2,height=0.3,pattern=5;uniform,az=0.01;"
    "logarithmic,speed=0.3,core=0.5,orbit=0.2,period=7;hernquist,mass=0.1,scale=0.2;miyamoto-nagai,mass=0.2,scale=0.3,"
    "height=0.1;"
    "hernquist,mass=0.4,scale=0.3,x=0.1,body=7;point,mass=0.1,softening=0.2,orbit=0.1,period=3,body=7;"
    "nfw,mass=0.2,scale=0.3,body=700;drag,rate=0.02,body=5;harmonic,frequency=0.1;point,mass=0.1,softening=0.1;drag,rate=0."
    "01;quadratic-drag,coefficient=0.1;"
    "friction,speed=1,core=0.1;friction-hernquist,mass=1,scale=1;friction-nfw,mass=1,scale=1;post-newtonian,heavy=16,c=30";
constexpr const char* kMovingOfGpu =
    "bar,mass=0.3,length=1,width=0.2,height=0.3,pattern=5;point,mass=0.1,softening=0.1,orbit=0.5,"
    "period=0.7;nfw,mass=0.5,scale=0.4,vx=0.1;hernquist,mass=0.4,scale=0.3,body=1500";

RunRequest gpuRequest(Precision precision, const char* integrator, const char* fields, std::size_t bodies) {
    RunRequest request = outerRequest("cuda", precision, integrator, fields, bodies);
    request.softening = 0.05;
    return request;
}

std::pair<RunRequest, std::string> sameOnGpu(const char* integrator, const char* fields) {
    return {gpuRequest(Precision::fp32, integrator, fields, 5000),
            fields == kOuterOfGpu ? "nfw,mass=0.5,scale=0.4,vx=0.1;" : "bar,mass=0.3,"};
}
const OuterOf kCudaOuter{.backend = "cuda",
                         .exact = {{gpuRequest(Precision::fp32, "rk4", kOuterOfGpu, 3000), 2e-5},
                                   {gpuRequest(Precision::mixed, "rk4", kOuterOfGpu, 3000), 2e-5},
                                   {gpuRequest(Precision::fp64, "rk4", kOuterOfGpu, 3000), 1e-11}},
                         .targets = {0, 1, 7, 700, 1500, 2999},
                         .same = {sameOnGpu("leapfrog", kMovingOfGpu), sameOnGpu("yoshida4", kMovingOfGpu),
                                  sameOnGpu("rk4", kOuterOfGpu), sameOnGpu("block-leapfrog", kMovingOfGpu)},
                         .late = 200};
INSTANTIATE_TEST_SUITE_P(Gpu, OuterSuite, testing::Values(kCudaOuter), nameOfBackend<OuterOf>);

TEST(GpuOuterForces, reachManyBodiesInSlicesAndMeasureTheirEnergy) {
    if (const Reason reason = backend("cuda").unavailable({}); !reason.empty())
        GTEST_SKIP() << "NO GPU TEST WAS RUN: " << reason;
    RunRequest request = gpuRequest(Precision::fp32, "leapfrog", kMovingOfGpu, 300000);
    request.pairs().accuracy = 1e-3;
    Simulation simulation(request);
    run(simulation, 3);
    const Diagnostics device = simulation.measure({});
    const Diagnostics host =
        measureSystem(simulation.state().bodies, simulation.terms(), 0, pairSummation(simulation.configuration()));
    EXPECT_NEAR(device.potential / host.potential, 1, 1e-3);
}

}  // namespace
}  // namespace gravlab
