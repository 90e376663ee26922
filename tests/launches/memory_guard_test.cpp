// What does not fit into the free memory of a device is refused before anything is allocated there.
#include "sim/backends/groups.h"
#include "sim/backends/memory_need.h"
#include "sim/core/error.h"
#include "sim/run/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gravlab {

extern std::size_t fakeFreeBytes;  // of fake_cudart.cpp

namespace {

/// The sentence of the refusal; empty where the work was done.
template <class Work>
std::string refusalWith(std::size_t freeBytes, const Work& work) {
    const std::size_t before = std::exchange(fakeFreeBytes, freeBytes);
    std::string why;
    try {
        work();
    } catch (const OutOfMemoryError& error) {
        why = error.what();
    }
    fakeFreeBytes = before;
    return why;
}

TEST(MemoryGuard, refusesARunThatTheDeviceCannotHold) {
    const BackendRow& cuda = deviceBackend();
    RunRequest wanted{.scene = "plummer", .bodies = 100000, .backend = "cuda"};
    const auto run = [&] { Simulation simulation(wanted); };
    const auto need =
        static_cast<std::size_t>(memoryNeed(cuda, 100000, {.softening = 0.02}, {}, usualIntegrator().program).device);
    ASSERT_GT(need, 1000000u);
    EXPECT_THAT(refusalWith(need - 1, run),
                testing::MatchesRegex("100000 bodies need 0[.0-9]+ GB on the device and .*; free "
                                      "are 0[.0-9]+ GB there and .*: ask for fewer bodies"));
    EXPECT_EQ(refusalWith(need, run), "") << "exactly enough";
    // A tree needs more than pairs.
    wanted.pairs().accuracy = 1e-3;
    EXPECT_THAT(refusalWith(need, run), testing::HasSubstr("on the device"));
    // A run on the host needs nothing there.
    wanted.backend = "cpu";
    EXPECT_EQ(refusalWith(0, run), "");
}

TEST(MemoryGuard, leavesTheRunThatWasThere) {
    Simulation simulation({.scene = "plummer", .bodies = 1000, .backend = "cuda"});
    RunRequest more = simulation.configuration().bodies == 1000 ? requestOf(simulation.configuration()) : RunRequest();
    more.bodies = 100000;
    EXPECT_NE(refusalWith(1000000, [&] { simulation.apply(more); }), "");
    EXPECT_EQ(simulation.configuration().bodies, 1000u);
    simulation.advance({.steps = 1}, nullptr);
    EXPECT_EQ(simulation.step(), 1);
}

TEST(MemoryGuard, refusesGroupsAndDepthsOfTooManyBodies) {
    const ParticleSet bodies = sceneNamed("plummer").build({.bodies = 100000, .seed = 1});
    int rungs = 0;
    for (const GroupRung& rung : groupRungs()) {
        if (!backend(rung.backend).onDevice) continue;
        ++rungs;
        const auto need = static_cast<std::size_t>(rung.bytes(bodies.size()));
        EXPECT_THAT(refusalWith(need, [&] { findGroups(rung, bodies, 0.01, {}); }),
                    testing::MatchesRegex("finding groups of 100000 bodies would take .*; ask for fewer bodies.*"))
            << rung.name << ": a twentieth stays free";
    }
    EXPECT_GE(rungs, 4);
}

}  // namespace
}  // namespace gravlab
