// What does not fit into the free memory of a device is refused before anything is allocated there.
#include "sim/api/errors.h"
#include "sim/backends/devices.h"
#include "sim/backends/groups.h"
#include "sim/backends/memory_need.h"
#include "sim/core/work_watch.h"
#include "sim/forces/law_numbers.h"
#include "sim/io/checkpoint.h"
#include "sim/run/judge.h"
#include "sim/run/simulation.h"
#include "sim/scenes/scene.h"
#include "tests/bodies.h"
#include "tests/memory_suite.h"
#include "tests/surroundings.h"

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

TEST(MemoryGuard, aStartAfterFewBodiesChoosesTheDevice) {
    Simulation simulation({.scene = "two-body"});
    EXPECT_EQ(simulation.configuration().backend, "cpu");
    simulation.apply({.scene = "plummer", .bodies = 300});
    EXPECT_EQ(simulation.configuration().backend, "cuda");
    simulation.apply({.scene = "two-body"});
    EXPECT_EQ(simulation.configuration().backend, "cuda") << "a change to few bodies moves no run";
}

TEST(MemoryGuard, refusesARunThatTheDeviceCannotHold) {
    const BackendRow& cuda = deviceBackend();
    RunRequest wanted{.scene = "plummer", .bodies = 100000, .backend = "cuda"};
    const auto run = [&] { Simulation simulation(wanted); };
    const auto need = static_cast<std::size_t>(
        sumOf(memoryRows(cuda, {100000, {.softening = 0.02}, {}, usualIntegrator().program})).device);
    ASSERT_GT(need, 1000000u);
    EXPECT_THAT(refusalWith(need - 1, run),
                testing::MatchesRegex("100000 bodies need 0[.0-9]+ GB on the device and .*; free "
                                      "are 0[.0-9]+ GB there and .*: ask for fewer bodies; 99000 fit"));
    EXPECT_EQ(refusalWith(need, run), "") << "exactly enough";
    // A tree needs more than pairs that are computed twice.
    wanted.pairs().accuracy = 1e-3;
    const KernelChoice twice{.kernel = "tiled"};
    const double tiled = sumOf(memoryRows(cuda, {100000, {.softening = 0.02}, twice, usualIntegrator().program})).device;
    EXPECT_THAT(refusalWith(static_cast<std::size_t>(tiled), run), testing::HasSubstr("on the device"));
    // A device with two parts has a helper's, too.
    wanted.pairs().accuracy = {};
    wanted.backendOptions.helpers = {0};
    const MemoryNeed parts = sumOf(memoryRows(
        cuda, {.bodies = 100000, .force = {.softening = 0.02}, .program = usualIntegrator().program, .helpers = 1}));
    EXPECT_GT(parts.helper, 1e7);
    const auto both = static_cast<std::size_t>(parts.device + parts.helper);
    EXPECT_THAT(refusalWith(both - 1, run), testing::HasSubstr("on the device"));
    EXPECT_EQ(refusalWith(both, run), "");
    // A run on the host needs nothing there.
    wanted.backendOptions.helpers = {};
    wanted.backend = "cpu";
    EXPECT_EQ(refusalWith(0, run), "");
}

TEST(MemoryGuard, theListIsWhatARunTakes) {
    testing_support::MemorySuite suite(deviceBackend(), [] { return deviceUse().bytes; });
    suite.rows();
    suite.integrators();
    suite.terms();
    const EnvironmentVariable apart("GRAVLAB_NO_PEERS", "1");  // devices that reach each other need less
    for (const std::size_t helpers : {1, 3}) suite.helpers(helpers);
}

TEST(MemoryGuard, keepsOneStateWhereTwoDoNotFit) {
    RunRequest wanted{.scene = "plummer", .bodies = 100000, .backend = "cuda"};
    wanted.pairs().accuracy = 1e-3;
    RunSize size{.bodies = 100000, .force = {.softening = 0.02}, .kernel = {.allowedError = 1e-3}};
    const double two = sumOf(cudaRows(size)).device;
    size.oneState = true;
    const double one = sumOf(cudaRows(size)).device;
    EXPECT_EQ(two - one, (48 + 4) * 100000.0) << "a state and the lengths of an evaluation";
    double taken = 0;
    const auto run = [&] {
        const double before = deviceUse().bytes;
        Simulation simulation(wanted);
        simulation.advance({.seconds = 0, .steps = 1}, nullptr);
        taken = deviceUse().bytes - before;
    };
    EXPECT_EQ(refusalWith(static_cast<std::size_t>(two), run), "");
    EXPECT_NEAR(taken, two, 0.03 * two);
    EXPECT_EQ(refusalWith(static_cast<std::size_t>(two) - 1, run), "");
    EXPECT_NEAR(taken, one, 0.03 * one);
    EXPECT_THAT(refusalWith(static_cast<std::size_t>(one) - 1, run),
                testing::MatchesRegex("100000 bodies need .*: ask for fewer bodies; 99000 fit"));
    wanted.integrator = "rk4";
    EXPECT_NE(refusalWith(static_cast<std::size_t>(two) - 1, run), "") << "its registers are a second state";
}

TEST(MemoryGuard, countsListsOfNeighboursThatAChoiceTakes) {
    const BackendRow& cuda = deviceBackend();
    RunRequest wanted{.scene = "lennard-jones", .bodies = 20000, .backend = "cuda"};
    const Scene& scene = sceneNamed("lennard-jones");
    ForceSettings force{.law = scene.law};
    takeLawNumbers(force, wanted.lawNumbers, scene);
    const auto need = [&](std::size_t bodies, const KernelChoice& choice = {}) {
        return sumOf(memoryRows(cuda, {bodies, force, choice, usualIntegrator().program})).device;
    };
    EXPECT_GT(need(20000), need(20000, {.kernel = "cells"}) + 20000 * 4.0 * 100) << "at least a hundred entries a body";
    EXPECT_EQ(need(20000), need(20000, {.kernel = "neighbour-list"}));
    EXPECT_EQ(need(1000), need(1000, {.kernel = "cells"})) << "a few atoms are all pairs";
    EXPECT_EQ(need(100'000'000), need(100'000'000, {.kernel = "cells"})) << "lists of so many are taken by name only";
    std::string kernel;
    const auto run = [&] { kernel = Simulation(wanted).backend().activeKernel().name; };
    const auto bytes = static_cast<std::size_t>(need(20000));
    EXPECT_THAT(refusalWith(bytes - 1, run), testing::HasSubstr("ask for fewer bodies"));
    EXPECT_EQ(refusalWith(bytes, run), "");
    EXPECT_EQ(kernel, "neighbour-list");
    wanted.pairs().kernel.kernel = "cells";
    EXPECT_EQ(refusalWith(bytes - 1, run), "");
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

TEST(MemoryGuard, aDeviceReadsABillionBodiesInPieces) {
    std::string need;
    const WorkWatch watch([](auto...) {},
                          [&](const std::string& sentence) { need = sentence.substr(sentence.find(" and ")); });
    // More than go to the device at once; and bodies of several masses and groups.
    RunRequest many{.scene = "cube", .bodies = 1'048'653, .backend = "cuda"};
    many.pairs().accuracy = 1e-3;
    const RunRequest several{.scene = "galaxy", .bodies = 30'001, .backend = "cuda", .precision = Precision::fp64};
    for (const auto& [wanted, usual, pieces] :
         {std::tuple{many, " and 0.15 GB here", " and 0.0786 GB here"}, {several, "", ""}}) {
        const ParticleSet whole = Simulation(wanted).bodies();
        EXPECT_EQ(std::exchange(need, ""), usual);
        const std::size_t fewest = std::exchange(fewestRead(), 1000);
        const ParticleSet same = Simulation(wanted).bodies();
        fewestRead() = fewest;
        EXPECT_EQ(std::exchange(need, ""), pieces) << "less by 68 bytes per body";
        EXPECT_TRUE(testing_support::sameState(whole, same)) << wanted.scene;
    }
}

TEST(MemoryGuard, aFileOfManyBodiesIsWrittenInPieces) {
    RunRequest wanted{.scene = "galaxy", .bodies = 150'000, .backend = "cuda"};
    wanted.pairs().accuracy = 1e-3;
    Simulation simulation(wanted);
    simulation.advance({.steps = 2}, nullptr);
    const Snapshot whole = checkpointOf(simulation), pieces = checkpointInPieces(simulation, 1000);
    EXPECT_EQ(pieces.bodies.size(), 0u);
    EXPECT_EQ(pieces.size(), 150'000u);
    EXPECT_EQ(checkpointInPieces(simulation).bodies.size(), 150'000u) << "few are copied";
    EXPECT_TRUE(encodeSnapshot(whole, "hdf5") == encodeSnapshot(pieces, "hdf5"));
    EXPECT_ANY_THROW(encodeSnapshot(pieces, "csv"));
}

TEST(MemoryGuard, earlierStatesOfARunTakeNoMemory) {
    constexpr std::size_t kBodies = 60000;
    for (const double accuracy : {0.0, 1e-3}) {
        RunRequest wanted{.scene = "plummer", .bodies = kBodies, .backend = "cuda"};
        wanted.pairs().accuracy = accuracy;
        wanted.fields = "uniform,ax=0.1";
        Simulation simulation(wanted);
        simulation.advance({.steps = 2}, nullptr);
        const RunState state = simulation.state();
        simulation.advance({.steps = 1}, nullptr);
        EXPECT_EQ(refusalWith(kBodies, [&] { simulation.restore(state); }), "") << "no array with a number for each body";
        EXPECT_EQ(simulation.step(), 2);
    }
}

TEST(MemoryGuard, refusesGroupsAndDepthsOfTooManyBodies) {
    const ParticleSet bodies = sceneNamed("plummer").build({.bodies = 100000, .seed = 1});
    int rows = 0;
    for (const GroupRow& row : groupRows()) {
        if (!backend(row.backend).onDevice) continue;
        ++rows;
        const auto need = static_cast<std::size_t>(row.bytes(bodies.size()));
        EXPECT_THAT(refusalWith(need, [&] { findGroups(row, bodies, 0.01, {}); }),
                    testing::MatchesRegex("finding groups of 100000 bodies would take .*; ask for fewer bodies.*"))
            << row.name << ": a twentieth stays free";
    }
    EXPECT_GE(rows, 4);
}

}  // namespace
}  // namespace gravlab
