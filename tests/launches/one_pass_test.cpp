// Both pair laws of a run in one pass over the tiles: what a step enqueues, and what is refused, on any machine.
#include "sim/backends/device_use.h"
#include "sim/backends/term_rows.h"
#include "sim/core/error.h"
#include "sim/forces/bonds/bonds.h"
#include "sim/forces/law.h"
#include "sim/forces/second_pair_law.h"
#include "sim/run/simulation.h"
#include "sim/scenes/scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace gravlab {
namespace {

using testing::HasSubstr;

RunRequest ionsBy(const std::string& row) {
    RunRequest wanted{.scene = "ions", .bodies = 257, .backend = "cuda"};
    wanted.precision = Precision::fp32;
    if (!row.empty()) wanted.terms[std::string(SecondPairLaw::kKind)].kernel.kernel = row;
    return wanted;
}

std::string rowOf(const Simulation& simulation) { return nameOf(simulation.backend().termsInUse()[1].how); }

/// Launches of a step with the pair law by `tiled`.
double launchesOfAStep(const std::string& row) {
    RunRequest wanted = ionsBy(row);
    wanted.pairs().kernel.kernel = "tiled";
    Simulation simulation(wanted);
    simulation.advance({.seconds = 1e300, .steps = 4}, nullptr);
    const auto before = deviceUse().launches;
    simulation.advance({.seconds = 1e300, .steps = 8}, nullptr);
    return static_cast<double>(deviceUse().launches - before) / 8;
}

template <class Act>
std::string refusalBy(const Act& act) {
    try {
        act();
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

TEST(OnePass, savesTheLaunchesOfTheSecondLaw) {
    EXPECT_EQ(launchesOfAStep("tiled") - launchesOfAStep("one-pass"), 2) << "the copy of the sources, and the second force";
}

TEST(OnePass, thePassThatMovesTheBodiesAddsTheForceOfTheLastTerm) {
    const Scene& scene = sceneNamed("cloth");
    const SceneRequest request{.bodies = 257, .seed = 1};
    System system{scene.build(request),
                  {{std::make_shared<const PairLaw>(ForceSettings{.softening = 0.1}), {.kernel = "tiled"}}}};
    const std::unique_ptr<Backend> made = deviceBackend().make({});
    const auto launches = [&] {
        made->load(system);
        const auto steps = [&](std::int64_t count) {
            made->advance(integrator("leapfrog").program, 1e-4, {.seconds = 1e300, .steps = count}, nullptr);
        };
        steps(2);
        const auto before = deviceUse().launches;
        steps(8);
        return static_cast<double>(deviceUse().launches - before) / 8;
    };
    const double alone = launches();
    for (const auto& term : scene.terms(request, system.bodies))
        if (term->kind() == Bonds::kKind) system.terms.push_back({term, {.kernel = "bonds-per-row"}});
    ASSERT_EQ(system.terms.size(), 2u);
    EXPECT_EQ(launches() - alone, 1);
    for (Double4& v : system.bodies.velocity) v.w = 2;
    EXPECT_EQ(launches() - alone, 3) << "a response other than 1 takes a launch for each law";
}

TEST(OnePass, takesThePassOfTiledAndRefusesOthers) {
    Simulation running(ionsBy("one-pass"));
    EXPECT_EQ(running.backend().activeKernel().name, "tiled") << "an open kernel is that of the pass";
    struct Case {
        void (*change)(RunRequest&);
        const char* reason;
    };
    const Case cases[] = {
        {[](RunRequest& r) { r.pairs().kernel.kernel = "symmetric"; }, "take --kernel tiled"},
        {[](RunRequest& r) { r.precision = Precision::mixed; }, "take 'tiled'"},
        {[](RunRequest& r) { r.pairs().kernel.kernel = "tiled", r.pairs().kernel.launch.unroll = 8; }, "valid are 1, 4, 16"},
        {[](RunRequest& r) { r.pairs().kernel.kernel = "tiled", r.pairs().kernel.launch.block = 1024; },
         "at most 512 threads"},
        {[](RunRequest& r) { r.law = kLaw<LennardJones>; }, "built for gravity or charges"},
        {[](RunRequest& r) { r.integrator = "block-leapfrog"; }, "few bodies at a time"},
    };
    for (const Case& one : cases) {
        RunRequest wanted = ionsBy("one-pass");
        one.change(wanted);
        EXPECT_THAT(refusalBy([&] { Simulation(std::move(wanted)); }), HasSubstr(one.reason));
        wanted = running.request();
        one.change(wanted);
        EXPECT_THAT(refusalBy([&] { running.apply(wanted); }), HasSubstr(one.reason)) << "while it runs";
        EXPECT_EQ(running.backend().activeKernel().name, "tiled");
        EXPECT_EQ(rowOf(running), "one-pass");
        const auto steps = running.step();
        running.advance({.seconds = 1e300, .steps = 2}, nullptr);
        EXPECT_EQ(running.step(), steps + 2) << "a refused change leaves the run as it was";
    }
    EXPECT_THAT(refusalBy([&] {
                    const ForceTerms own = termsOf(
                        {.law = kLaw<Coulomb>, .softening = 0.1},
                        {std::make_shared<const SecondPairLaw>(ForceSettings{.law = kLaw<LennardJones>}, PairSources::own)});
                    ParticleSet bodies;
                    running.snapshot(bodies);
                    backend("cuda").make({})->load(bodies, own, {{}, {.kernel = {"one-pass"}}});
                }),
                HasSubstr("count alike"));

    RunRequest apart = running.request();
    apart.pairs().kernel.kernel = "symmetric";
    apart.terms[std::string(SecondPairLaw::kKind)].kernel.kernel = "tiled";
    running.apply(apart);
    EXPECT_EQ(running.backend().activeKernel().name, "symmetric");
    RunRequest doubles = ionsBy("one-pass");
    doubles.precision = Precision::fp64;
    EXPECT_NO_THROW(Simulation(std::move(doubles)));
}

TEST(OnePass, isTunedOnlyWhereThePairLawMayHaveItsRow) {
    RunRequest wanted = ionsBy("");
    const LaunchFacts facts = Simulation(wanted).backend().launchFacts();
    wanted.tuning = std::make_shared<const Tuning>(std::vector{TunedChoice{.backend = "cuda",
                                                                           .device = facts.device,
                                                                           .driver = facts.driver,
                                                                           .bodies = 257,
                                                                           .term = std::string(SecondPairLaw::kKind),
                                                                           .kernel = {"one-pass", {}}}});
    EXPECT_EQ(rowOf(Simulation(wanted)), "one-pass");
    wanted.pairs().kernel.kernel = "symmetric";
    EXPECT_EQ(rowOf(Simulation(wanted)), "cells") << "a search refuses no run";
}

}  // namespace
}  // namespace gravlab
