// The walk in two levels on the GPU, forced with few bodies: errors within the allowed ones with any room for a region, and
// the same bits with any cuts, repetitions and resumes. tests/unit/tree_regions_test.cpp proves the split between expansion
// and remaining nodes.
#include "gpu_fixture.h"
#include "sim/io/checkpoint.h"
#include "sim/io/run_settings.h"
#include "sim/run/simulation.h"

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace gravlab::test {
namespace {

class TreeRegionsOnGpu : public GpuTest {
protected:
    static KernelChoice row(double accuracy = 1e-3, const char* name = "tree") {
        KernelChoice choice{std::string(name)};
        choice.allowedError = accuracy;
        return choice;
    }
    static ParticleSet scene(const char* name, std::size_t bodies) {
        return sceneNamed(name).build({.bodies = bodies, .seed = 5});
    }
    static std::vector<Double4> accelerations(Backend& backend) {
        std::vector<Double4> all;
        backend.accelerations(all);
        return all;
    }
    /// Errors of random bodies against fp64.
    static ForceCheck errors(Backend& backend, const ParticleSet& bodies, double softening, double allowed) {
        std::mt19937 random(11);
        std::vector<std::uint32_t> targets;
        for (int k = 0; k < 1024; ++k) targets.push_back(static_cast<std::uint32_t>(random() % bodies.size()));
        const std::vector<Double4> all = accelerations(backend);
        std::vector<Double4> got;
        for (const std::uint32_t target : targets) got.push_back(all.at(target));
        return compareForces(got, reference(bodies, targets, softening),
                             {.median = allowed, .p999 = 5 * allowed, .p99 = allowed});
    }
    static bool samePlaces(const std::vector<Double4>& one, const std::vector<Double4>& other) {
        return std::ranges::equal(one, other,
                                  [](const Double4& a, const Double4& b) { return a.x == b.x && a.y == b.y && a.z == b.z; });
    }
    static std::vector<Double4> placesAfter(const ParticleSet& bodies, double seconds, std::int64_t steps) {
        const auto backend = loaded(bodies, row(), 0.02);
        for (std::int64_t done = 0; done < steps;)
            done +=
                backend->advance(integrator("leapfrog").program, 1e-3, {.seconds = seconds, .steps = steps - done}, nullptr)
                    .stepsCompleted;
        backend->wait();
        return state(*backend).position;
    }
};

TEST_F(TreeRegionsOnGpu, keepTheAccuracyThatIsAllowed) {
    const ForcedTree forced(ForcedTree::twoLevels());
    for (const char* name : {"plummer", "galaxy"})
        for (const std::size_t count : {3000, 65536})
            for (const double accuracy : {1e-2, 1e-3, 1e-4})
                for (const char* rung : {"tree", "tree-morton"}) {
                    const ParticleSet bodies = scene(name, count);
                    const ForceCheck check = errors(*loaded(bodies, row(accuracy, rung), 0.02), bodies, 0.02, accuracy);
                    EXPECT_TRUE(check.passed)
                        << rung << ", " << name << " " << count << ", " << accuracy << ": " << check.text();
                    EXPECT_GT(check.median, 0) << rung << " computed every pair";
                }
}

TEST_F(TreeRegionsOnGpu, areTakenFromTheirNumberOfBodiesOn) {
    const ParticleSet bodies = scene("plummer", 65536);
    const std::vector<Double4> one = accelerations(*loaded(bodies, row(), 0.02));
    cuda::TreeLimits limits;
    limits.regionsFrom = 65536;
    const ForcedTree forced(limits);
    const std::vector<Double4> two = accelerations(*loaded(bodies, row(), 0.02));
    EXPECT_FALSE(sameBytes(one, two)) << "sums in another order are other bits";
    EXPECT_TRUE(sameBytes(two, accelerations(*loaded(bodies, row(), 0.02))));
    limits.regionsFrom = 65537;
    const ForcedTree later(limits);
    EXPECT_TRUE(sameBytes(one, accelerations(*loaded(bodies, row(), 0.02))));
}

TEST_F(TreeRegionsOnGpu, aListThatIsFullLosesNothing) {
    const ParticleSet bodies = scene("galaxy", 65536);
    for (const std::uint32_t room : {1, 8, 9, 40, 130, 300})
        for (const double accuracy : {1e-3, 1e-4}) {
            cuda::TreeLimits limits = ForcedTree::twoLevels();
            limits.regionNodes = room;
            const ForcedTree forced(limits);
            const ForceCheck check = errors(*loaded(bodies, row(accuracy), 0.02), bodies, 0.02, accuracy);
            EXPECT_TRUE(check.passed) << room << " nodes, " << accuracy << ": " << check.text();
        }
}

TEST_F(TreeRegionsOnGpu, groupsWithoutARegionWalkFromTheRoot) {
    const ParticleSet bodies = scene("plummer", 65536);
    for (const std::uint32_t regions : {0, 1, 77}) {
        cuda::TreeLimits limits = ForcedTree::twoLevels();
        limits.regions = regions;
        const ForcedTree forced(limits);
        const ForceCheck check = errors(*loaded(bodies, row(), 0.02), bodies, 0.02, 1e-3);
        EXPECT_TRUE(check.passed) << regions << ": " << check.text();
    }
}

TEST_F(TreeRegionsOnGpu, sameBitsHoweverTheyAreCutAndRepeated) {
    const ParticleSet bodies = scene("galaxy", 200000);
    cuda::TreeLimits tight = ForcedTree::twoLevels();
    tight.regionNodes = 60;
    tight.regions = 301;
    for (const cuda::TreeLimits& limits : {ForcedTree::twoLevels(), tight}) {
        const ForcedTree forced(limits);
        const std::vector<Double4> whole = placesAfter(bodies, 1e300, 4);
        for (const double seconds : {1e300, 1e-4, 0.0})
            EXPECT_TRUE(samePlaces(whole, placesAfter(bodies, seconds, 4))) << seconds << ", " << limits.regionNodes;
    }
}

TEST_F(TreeRegionsOnGpu, areResumedToTheLastBit) {
    if (!fileFormat("hdf5").unavailable().empty()) GTEST_SKIP() << "this build has no HDF5";
    const ForcedTree forced(ForcedTree::twoLevels());
    RunRequest request{.scene = "plummer", .bodies = 131072, .backend = "cuda", .backendOptions = ForcedTree::options()};
    request.pairs().kernel.kernel = "tree";
    const auto advance = [](Simulation& simulation, std::int64_t end, double seconds) {
        while (simulation.step() < end) simulation.advance({.seconds = seconds, .steps = end - simulation.step()}, nullptr);
    };
    Simulation whole(request), first(request);
    advance(whole, 4, 1e300);
    advance(first, 2, 0);
    LoadedStart offer = startFrom(decodeSnapshot(encodeSnapshot(checkpointOf(first), "hdf5"), "saved.hdf5"), "saved.hdf5");
    offer.request.backendOptions = ForcedTree::options();
    Simulation second(offer.request);
    advance(second, 4, 0);
    ParticleSet ends[2];
    whole.snapshot(ends[0]);
    second.snapshot(ends[1]);
    EXPECT_TRUE(samePlaces(ends[0].position, ends[1].position));
}

TEST_F(TreeRegionsOnGpu, anyNumberOfBodiesAndSuchAsAreHardForAnOctree) {
    const ForcedTree forced(ForcedTree::twoLevels());
    const auto expectGood = [](const ParticleSet& bodies, const std::string& name, double allowed = 1e-3) {
        const ForceCheck check = errors(*loaded(bodies, row()), bodies, 0.05, allowed);
        EXPECT_TRUE(check.passed) << name << ": " << check.text();
    };
    for (const std::size_t count : {1, 2, 16, 17, 63, 64, 65, 257, 511, 512, 513, 4097})
        expectGood(unevenBodies(count), std::to_string(count), 1e-2);
    ParticleSet point = unevenBodies(2000), line = unevenBodies(5000), far = unevenBodies(5000),
                massless = unevenBodies(3000), heavy = unevenBodies(3000), apart = unevenBodies(6000);
    for (Double4& at : point.position) at = {0.125, -0.5, 0.25, at.w};
    for (Double4& at : line.position) at = {at.x, -0.5, 0.25, at.w};
    far.position[17].x = 1e6;
    for (std::size_t i = 0; i < massless.size(); i += 2) massless.position[i].w = 0;
    heavy.position[5].w = 1e12;
    // Regions of groups that are far from each other.
    for (std::size_t i = 0; i < apart.size(); i += 2)
        apart.position[i].x = static_cast<double>(static_cast<float>(apart.position[i].x + 64));
    expectGood(point, "a point");
    expectGood(line, "a line");
    expectGood(far, "one far away");
    expectGood(massless, "massless");
    expectGood(heavy, "one heavy");
    expectGood(apart, "two far apart");
}

TEST_F(TreeRegionsOnGpu, otherLawsAndEnergiesWalkInOneLevel) {
    const ForcedTree forced(ForcedTree::twoLevels());
    for (const char* name : {"charges", "power-law"}) {
        RunRequest request{.scene = name, .bodies = 20000, .backend = "cuda", .backendOptions = ForcedTree::options()};
        request.pairs().kernel.kernel = "tree";
        request.pairs().accuracy = 1e-3;
        Simulation simulation(request);
        simulation.advance({.steps = 2}, nullptr);
        simulation.backend().wait();
        ASSERT_TRUE(simulation.forceCheck()) << name;
        EXPECT_TRUE(simulation.forceCheck()->passed) << name << ": " << simulation.forceCheck()->text();
    }
    const auto energyOf = [](const KernelChoice& kernel) {
        const std::unique_ptr<Backend> backend = gravlab::backend("cuda").make(ForcedTree::options());
        backend->load(scene("plummer", 40000), ForceConfiguration{{.softening = 0.05}, kernel});
        backend->requestMeasurement();
        std::optional<Diagnostics> done;
        while (!done && backend->measuring()) {
            backend->wait();
            done = backend->takeMeasurement(1e-3);
        }
        EXPECT_TRUE(done && done->failure.empty());
        return done ? done->potential : 0;
    };
    const double pairs = energyOf({}), tree = energyOf(row());
    EXPECT_LT(pairs, 0);
    EXPECT_NEAR(tree / pairs, 1, 3e-4);
}

}  // namespace
}  // namespace gravlab::test
