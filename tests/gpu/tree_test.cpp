// The tree on the GPU: errors within the allowed ones, the same bits with any cuts and repetitions, and bodies that are hard
// for an octree. Tests of resume and memory checkers include its rows.
#include "forced_tree.h"
#include "gpu_fixture.h"
#include "sim/backends/devices.h"
#include "sim/backends/memory_need.h"
#include "sim/io/checkpoint.h"
#include "sim/io/run_settings.h"
#include "sim/run/simulation.h"
#include "sim/tree/criterion.h"
#include "sim/tree/key.h"
#include "tests/deep_clusters.h"
#include "tests/memory_suite.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab::test {
namespace {

class TreeOnGpu : public GpuTest {
protected:
    static constexpr const char* kRows[] = {"tree-theta-monopole", "tree-theta", "tree-cells", "tree-morton", "tree"};

    /// Rows of the relative criterion, and levels of their walk.
    struct CriterionRow {
        const char* rung;
        int levels;
    };
    static constexpr CriterionRow kCriterionRows[] = {{"tree-cells", 1}, {"tree", 1}, {"tree", 2}, {"tree-morton", 2}};
    /// Groups walk in that many levels, whatever the number of bodies, during the lifetime of the object.
    class InLevels {
    public:
        explicit InLevels(int levels) {
            if (levels > 1) forced_.emplace(ForcedTree::twoLevels());
        }

    private:
        std::optional<ForcedTree> forced_;
    };

    static std::vector<std::uint32_t> randomBodies(std::size_t count, std::size_t most = 1024) {
        std::mt19937 random(7);
        std::vector<std::uint32_t> all;
        for (std::size_t k = 0; k < most; ++k) all.push_back(static_cast<std::uint32_t>(random() % count));
        return all;
    }
    static KernelChoice row(const char* name, double accuracy = 1e-3) {
        KernelChoice choice{std::string(name)};
        choice.allowedError = accuracy;
        return choice;
    }
    static std::vector<Double4> accelerations(Backend& backend) {
        std::vector<Double4> all;
        backend.accelerations(all);
        return all;
    }
    static ForceCheck errors(Backend& backend, const ParticleSet& bodies, double softening, ForceGate gate) {
        const std::vector<std::uint32_t> targets = randomBodies(bodies.size());
        const std::vector<Double4> all = accelerations(backend);
        std::vector<Double4> got;
        for (const std::uint32_t target : targets) got.push_back(all.at(target));
        return compareForces(got, reference(bodies, targets, softening), gate);
    }
    /// A figure of the last evaluation, after steps that change nothing.
    static double figure(Backend& backend, std::string_view name) {
        run(backend, integrator("leapfrog").program, 1e-9, 60);
        const auto figures = backend.figures();
        const auto found = std::ranges::find(figures, name, &MethodFigure::name);
        return found == figures.end() ? -1 : found->value;
    }
    static bool samePlaces(const std::vector<Double4>& one, const std::vector<Double4>& other) {
        return std::ranges::equal(one, other,
                                  [](const Double4& a, const Double4& b) { return a.x == b.x && a.y == b.y && a.z == b.z; });
    }
    static std::vector<Double4> placesAfter(const ParticleSet& bodies, double seconds, std::int64_t steps) {
        const auto backend = loaded(bodies, row("tree"), 0.02);
        for (std::int64_t done = 0; done < steps;)
            done +=
                backend->advance(integrator("leapfrog").program, 1e-3, {.seconds = seconds, .steps = steps - done}, nullptr)
                    .stepsCompleted;
        backend->wait();
        return state(*backend).position;
    }
    static ForceGate gate(double error) { return {.median = error, .p999 = 5 * error, .p99 = error}; }
    static ParticleSet scene(const char* name, std::size_t bodies) {
        return sceneNamed(name).build({.bodies = bodies, .seed = 5});
    }
    /// All at different positions of a line, a plane, or one point.
    static ParticleSet flat(std::size_t count, int dimensions) {
        ParticleSet bodies = unevenBodies(count);
        for (Double4& at : bodies.position) {
            if (dimensions < 3) at.z = 0.25;
            if (dimensions < 2) at.y = -0.5;
            if (dimensions < 1) at.x = 0.125;
        }
        return bodies;
    }
};

TEST_F(TreeOnGpu, keepsTheAccuracyThatIsAllowed) {
    for (const auto& [rung, levels] : kCriterionRows)
        for (const char* name : {"plummer", "galaxy"})
            for (const std::size_t count : {3000, 65536})
                for (const double accuracy : {1e-2, 1e-3, 1e-4}) {
                    const InLevels forced(levels);
                    const ParticleSet bodies = scene(name, count);
                    const auto backend = loaded(bodies, row(rung, accuracy), 0.02);
                    const ForceCheck check = errors(*backend, bodies, 0.02, gate(accuracy));
                    EXPECT_TRUE(check.passed) << rung << ", " << levels << ", " << name << " " << count << ", " << accuracy
                                              << ": " << check.text();
                    EXPECT_GT(check.median, 0) << rung << " computed every pair";
                }
}

TEST_F(TreeOnGpu, wrongAccelerationsAreCaught) {
    const ParticleSet bodies = scene("plummer", 30000);
    const auto backend = loaded(bodies, row("tree", 1e-2), 0.02);
    // Errors allowed by 1e-2 are too large for 1e-4.
    EXPECT_FALSE(errors(*backend, bodies, 0.02, gate(1e-4)).passed);
    // False accelerations: the criterion assumes that forces are a million times as strong.
    run(*backend, integrator("leapfrog").program, 1e-4, 1);
    std::vector<StateArray> state = backend->forceState();
    for (StateArray& array : state)
        if (array.name.ends_with("lengths"))
            for (double& length : array.values) length *= 1e6;
    const ParticleSet moved = GpuTest::state(*backend);
    backend->load(moved);
    backend->restoreForceState(state);
    backend->requestForceCheck(randomBodies(moved.size()));
    run(*backend, integrator("leapfrog").program, 1e-9, 1);
    const std::optional<ForceCheck> check = backend->takeForceCheck();
    ASSERT_TRUE(check.has_value());
    EXPECT_FALSE(check->passed) << check->text();
}

TEST_F(TreeOnGpu, aSmallAngleIsEveryPair) {
    const ParticleSet bodies = unevenBodies(5000);
    for (const char* rung : {"tree-theta-monopole", "tree-theta"}) {
        KernelChoice choice = row(rung);
        choice.opening = 1e-4;
        const auto backend = loaded(bodies, choice);
        const ForceCheck check = errors(*backend, bodies, 0.05, {.median = 2e-6, .p999 = 2e-5});
        EXPECT_TRUE(check.passed) << rung << ": " << check.text();
    }
}

TEST_F(TreeOnGpu, momentsAreWorthTheirCost) {
    const ParticleSet bodies = scene("galaxy", 40000);
    KernelChoice choice = row("tree-theta-monopole");
    choice.opening = 0.5;
    const double monopole = errors(*loaded(bodies, choice, 0.02), bodies, 0.02, {}).p99;
    choice.kernel = "tree-theta";
    const double quadrupole = errors(*loaded(bodies, choice, 0.02), bodies, 0.02, {}).p99;
    EXPECT_LT(3 * quadrupole, monopole);
    choice.opening = 0.25;
    EXPECT_LT(4 * errors(*loaded(bodies, choice, 0.02), bodies, 0.02, {}).p99, quadrupole);
}

TEST_F(TreeOnGpu, anyNumberOfBodies) {
    const auto expectGood = [](const char* rung, std::size_t count, double allowed) {
        const ParticleSet bodies = unevenBodies(count);
        const ForceCheck check = errors(*loaded(bodies, row(rung)), bodies, 0.05, gate(allowed));
        EXPECT_TRUE(check.passed) << rung << ", " << count << ": " << check.text();
    };
    for (const char* rung : kRows)
        for (const std::size_t count : {1, 2, 3, 16, 17, 32, 33, 64, 65, 255, 257, 1000, 16385})
            expectGood(rung, count, 4e-2);
    const InLevels forced(2);
    for (const std::size_t count : {1, 2, 16, 17, 63, 64, 65, 257, 511, 512, 513, 4097}) expectGood("tree", count, 1e-2);
}

TEST_F(TreeOnGpu, theWorstTreeFitsItsMemory) {
    // Arrays in one allocation have room for the largest possible number of nodes: a few more would overwrite others.
    for (const std::size_t beside : {0, 5}) {
        const ParticleSet bodies = deepClusters(16, beside);
        for (const char* rung : {"tree-theta", "tree"}) {
            const auto backend = loaded(bodies, row(rung));
            const ForceCheck check = errors(*backend, bodies, 0.05, gate(rung == std::string("tree") ? 1e-2 : 5e-2));
            EXPECT_TRUE(check.passed) << rung << ", " << beside << ": " << check.text();
            EXPECT_TRUE(sameBytes(accelerations(*backend), accelerations(*loaded(bodies, row(rung))))) << rung;
        }
    }
}

TEST_F(TreeOnGpu, aTreeWithoutRoomIsLessDeep) {
    cuda::TreeLimits little;
    little.widensFrom = 0;
    little.nodesABody = 0;
    const auto nodesOf = [](Backend& backend) { return figure(backend, "nodes"); };
    // Leaves of 64 bodies are enough for the first, leaves of 256 for the second.
    const std::pair<const char*, ParticleSet> cases[] = {{"clusters", deepClusters(8, 3)},
                                                         {"chains", deepChains(4, 14, 65)}};
    for (const auto& [name, bodies] : cases) {
        const double deep = nodesOf(*loaded(bodies, row("tree")));
        // An angle promises nothing where forces cancel, as in chains: there the test compares two angles.
        const ForceCheck usual = errors(*loaded(bodies, row("tree-theta")), bodies, 0.05, gate(5e-2));
        const ForcedTree forced(little);
        const auto room = static_cast<double>(cuda::treeNodeRoom(bodies.size(), little));
        EXPECT_GT(deep, room) << name << " would fit";
        for (const char* rung : {"tree-theta", "tree"}) {
            const auto backend = loaded(bodies, row(rung));
            const bool byAngle = rung != std::string("tree");
            const ForceCheck check = errors(*backend, bodies, 0.05, gate(byAngle ? 5e-2 : 1e-2));
            EXPECT_TRUE(check.passed || (byAngle && check.nonFinite == 0 && check.p99 <= 1.01 * usual.p99))
                << rung << ", " << name << ": " << check.text() << "; without limits: " << usual.text();
            EXPECT_TRUE(sameBytes(accelerations(*backend), accelerations(*loaded(bodies, row(rung))))) << rung;
            const double nodes = nodesOf(*backend);
            EXPECT_GT(nodes, 0) << name;
            EXPECT_LE(nodes, room) << rung << ", " << name;
        }
    }
    // A tree with enough room gives the same result as without a limit.
    const ParticleSet bodies = scene("plummer", 40000);
    const std::vector<Double4> usual = accelerations(*loaded(bodies, row("tree")));
    const ForcedTree forced(little);
    EXPECT_TRUE(sameBytes(usual, accelerations(*loaded(bodies, row("tree")))));
}

TEST_F(TreeOnGpu, bodiesWithoutMassAreInNoNode) {
    constexpr std::size_t kBodies = 200000, kMassive = 2000;
    for (const bool first : {true, false})
        for (const int levels : {1, 2}) {
            SCOPED_TRACE(std::string(first ? "first, " : "anywhere, ") + std::to_string(levels));
            ParticleSet bodies = scene("plummer", kBodies);
            for (std::size_t i = 0; i < kBodies; ++i)
                bodies.position[i].w = (first ? i < kMassive : i % 100 == 7) ? 1.0 / kMassive : 0;
            std::size_t before = 0, after = 0, total = 0;
            accelerations(*loaded(scene("plummer", 1000), row("tree")));  // context, code and the memory of a first launch
            const InLevels forced(levels);
            ASSERT_EQ(cuda::memoryInfo(before, total), cuda::kSuccess);
            const auto backend = loaded(bodies, row("tree"), 0.02);
            ASSERT_EQ(cuda::memoryInfo(after, total), cuda::kSuccess);
            const double taken = static_cast<double>(before) - static_cast<double>(after);
            const double said = sumOf(memoryRows(deviceBackend(), {kBodies, {}, row("tree"), {}, kMassive})).device;
            std::printf("%.0f bytes a body, said %.0f\n", taken / kBodies, said / kBodies);
            EXPECT_LT(taken, 1.5 * said);
            EXPECT_GT(taken, 0.5 * said);
            const ForceCheck check = errors(*backend, bodies, 0.02, gate(1e-3));
            EXPECT_TRUE(check.passed) << check.text();
            EXPECT_GT(check.median, 0) << "every pair was computed";
            EXPECT_FALSE(errors(*backend, bodies, 0.02, gate(1e-4)).passed) << "or it would pass anything";
            EXPECT_TRUE(sameBytes(accelerations(*backend), accelerations(*loaded(bodies, row("tree"), 0.02))));
            // Nodes of all bodies would be ten times as many, and lists would contain bodies without mass.
            EXPECT_LE(figure(*backend, "nodes"), mostTreeNodes(kMassive));
            EXPECT_GT(figure(*backend, "groups"), kBodies / 64);
            EXPECT_LT(figure(*backend, "bodies a body"), 0.5 * kMassive);
        }
    // No time is asserted.
    ParticleSet many = scene("plummer", 1'000'000);
    for (std::size_t i = 0; i < many.size(); ++i) many.position[i].w = i % 100 == 7 ? 1e-4 : 0;
    for (const int levels : {1, 2}) {
        const InLevels forced(levels);
        const auto backend = loaded(many, row("tree"), 0.02);
        std::printf("1,000,000 bodies, 1 %% with mass, %d levels:", levels);
        for (const char* phase : {"keys and sort", "build", "moments", "groups", "walk"})
            std::printf(" %s %.3f ms", phase, 1e3 * figure(*backend, phase));
        std::printf("; bodies %.0f, cells %.0f, expanded %.0f a body\n", figure(*backend, "bodies a body"),
                    figure(*backend, "cells a body"), figure(*backend, "expanded a body"));
    }
}

TEST_F(TreeOnGpu, memoryIsWhatWasSaid) {
    testing_support::MemorySuite suite(deviceBackend(), [] { return deviceUse().bytes; });
    suite.rows();
    suite.integrators();
    suite.terms();
    EXPECT_LT(sumOf(memoryRows(deviceBackend(), {4'000'000, {}, row("tree")})).device / 4e6, 96 + 110) << "bytes per body";
}

TEST_F(TreeOnGpu, bodiesThatAreHardForAnOctree) {
    const double far = 1e6;
    ParticleSet escaped = unevenBodies(5000);
    escaped.position[17].x = far;
    ParticleSet massless = unevenBodies(3000), heavy = unevenBodies(3000), twice = unevenBodies(3000),
                apart = unevenBodies(6000);
    for (std::size_t i = 0; i < massless.size(); i += 2) massless.position[i].w = 0;
    heavy.position[5].w = 1e12;
    for (std::size_t i = 0; i + 1 < twice.size(); i += 2) {
        const double mass = twice.position[i].w;
        twice.position[i] = twice.position[i + 1];
        twice.position[i].w = mass;
    }
    // Regions of groups that are far from each other.
    for (std::size_t i = 0; i < apart.size(); i += 2)
        apart.position[i].x = static_cast<double>(static_cast<float>(apart.position[i].x + 64));
    const std::pair<const char*, ParticleSet> cases[] = {
        {"a point", flat(2000, 0)}, {"a line", flat(5000, 1)}, {"a plane", flat(5000, 2)}, {"one far away", escaped},
        {"massless", massless},     {"one heavy", heavy},      {"two far apart", apart},   {"pairs at one place", twice}};
    for (const auto& [name, bodies] : cases)
        for (const auto& [rung, levels] : kCriterionRows) {
            const InLevels forced(levels);
            const ForceCheck check = errors(*loaded(bodies, row(rung)), bodies, 0.05, gate(1e-3));
            EXPECT_TRUE(check.passed) << rung << ", " << levels << ", " << name << ": " << check.text();
        }
    ParticleSet nan = unevenBodies(1000);
    nan.position[3].y = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(errors(*loaded(nan, row("tree")), nan, 0.05, gate(1e-2)).passed);
}

TEST_F(TreeOnGpu, sameBitsHoweverItIsCutAndRepeated) {
    const ParticleSet bodies = scene("galaxy", 200000);
    cuda::TreeLimits tight = ForcedTree::twoLevels();
    tight.regionNodes = 60;
    tight.regions = 301;
    for (const cuda::TreeLimits& limits : {cuda::TreeLimits(), ForcedTree::twoLevels(), tight}) {
        const ForcedTree forced(limits);
        const std::vector<Double4> whole = placesAfter(bodies, 1e300, 4);
        for (const double seconds : {1e300, 1e-4, 0.0})
            EXPECT_TRUE(samePlaces(whole, placesAfter(bodies, seconds, 4))) << seconds << ", " << limits.regionNodes;
    }
}

TEST_F(TreeOnGpu, oneStateGivesTheBitsOfTwo) {
    const ParticleSet bodies = scene("galaxy", 200000);
    cuda::TreeLimits one = ForcedTree::twoLevels();
    one.oneState = true;
    double bytes[2] = {};
    std::vector<Double4> places[2];
    for (const bool alone : {false, true}) {
        const ForcedTree forced(alone ? one : ForcedTree::twoLevels());
        places[alone] = placesAfter(bodies, 1e300, 4);
        const double before = deviceUse().bytes;
        const auto backend = loaded(bodies, row("tree"), 0.02);
        bytes[alone] = deviceUse().bytes - before;
        if (!alone) continue;
        // A call ends where the bodies are those of a complete step.
        for (const double seconds : {1e-4, 0.0})
            EXPECT_TRUE(samePlaces(places[0], placesAfter(bodies, seconds, 4))) << seconds;
        const StepProgram program = usualIntegrator().program;
        std::int64_t steps = 0;
        for (int call = 0; call < 1000 && steps < 3; ++call) {
            steps += backend->advance(program, 1e-3, {.seconds = 0, .steps = 3 - steps}, nullptr).stepsCompleted;
            EXPECT_TRUE(samePlaces(backend->bodies().position, placesAfter(bodies, 1e300, steps))) << call;
        }
        EXPECT_EQ(steps, 3);
    }
    EXPECT_TRUE(samePlaces(places[0], places[1]));
    EXPECT_NEAR(bytes[0] - bytes[1], 52.0 * 200000, 1e5);
}

TEST_F(TreeOnGpu, whatIsAskedBesideStepsChangesNoneOfThem) {
    const ParticleSet bodies = scene("plummer", 20000);
    std::vector<Double4> ends[2];
    for (const bool asks : {false, true}) {
        const auto backend = loaded(bodies, row("tree"), 0.02);
        for (int step = 0; step < 3; ++step) {
            run(*backend, integrator("leapfrog").program, 1e-3, 1);
            if (asks) accelerations(*backend);
        }
        ends[asks] = GpuTest::state(*backend).position;
    }
    for (std::size_t i = 0; i < ends[0].size(); ++i) ASSERT_EQ(ends[0][i].x, ends[1][i].x) << i;
}

TEST_F(TreeOnGpu, tellsWhatItEvaluated) {
    const auto backend = loaded(scene("plummer", 100000), row("tree"), 0.02);
    run(*backend, integrator("leapfrog").program, 1e-4, 40);
    const auto figures = backend->figures();
    const auto of = [&](std::string_view name) {
        const auto found = std::ranges::find(figures, name, &MethodFigure::name);
        return found == figures.end() ? -1 : found->value;
    };
    EXPECT_GT(of("leaves"), 100000.0 / kTreeLeaf);
    EXPECT_LT(of("levels"), kTreeLevels);
    EXPECT_GT(of("bodies a body"), 50);
    EXPECT_LT(of("bodies a body"), 4000);
    EXPECT_GT(of("walk"), 0);
    EXPECT_GT(backend->totals().cells, 0);
    EXPECT_LT(backend->totals().interactions, 40 * 1e5 * 4000);
}

TEST_F(TreeOnGpu, theFirstEvaluationCountsNoWalkByTheAngle) {
    const auto backend = loaded(scene("plummer", 100000), row("tree"), 0.02);
    const auto counted = [&] {
        backend->wait();
        run(*backend, integrator("leapfrog").program, 1e-9, 1);  // reads the counts of the evaluation before
        double perBody = 0;
        for (const MethodFigure& figure : backend->figures())
            if (figure.name == "bodies a body" || figure.name == "cells a body") perBody += figure.value;
        return perBody;
    };
    run(*backend, integrator("leapfrog").program, 1e-9, 1);
    const double first = counted(), later = (figure(*backend, "bodies a body"), counted());
    EXPECT_GT(later, 0);
    EXPECT_NEAR(first, later, 0.1 * later);
}

TEST_F(TreeOnGpu, isTakenWhereAnAccuracyIsAllowedAndNeverElse) {
    const ParticleSet bodies = scene("plummer", 100000);
    KernelChoice any;
    EXPECT_FALSE(loaded(bodies, any)->activeKernel().approximates);
    any.allowedError = 1e-3;
    EXPECT_EQ(loaded(bodies, any)->activeKernel().name, "tree");
    EXPECT_FALSE(loaded(scene("plummer", 4000), any)->activeKernel().approximates);
}

TEST_F(TreeOnGpu, isCheckedOnBodiesAtRandomAndSaysItsMomentumError) {
    RunRequest request{.scene = "galaxy", .bodies = 131072, .backend = "cuda"};
    request.farField = true;
    Simulation simulation(request);
    EXPECT_EQ(simulation.configuration().pairs().kernel.kernel, "tree") << "from so many bodies on the scene says so";
    simulation.advance({.steps = 2}, nullptr);
    simulation.backend().wait();
    ASSERT_TRUE(simulation.forceCheck());
    const ForceCheck& check = *simulation.forceCheck();
    EXPECT_TRUE(check.passed) << check.text();
    EXPECT_EQ(check.samples, 1024u);
    EXPECT_EQ(check.allowed, 1e-3);
    // The same from the accelerations of all bodies.
    ParticleSet bodies = simulation.bodies();
    const std::vector<Double4> all = accelerations(simulation.backend());
    Vec3d sum{};
    double sizes = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        sum += bodies.position[i].w * xyz(all[i]);
        sizes += bodies.position[i].w * length(xyz(all[i]));
    }
    std::printf("momentum error %.2e, a step later %.2e\n", check.momentum, length(sum) / sizes);
    EXPECT_GT(check.momentum, 0);
    EXPECT_LT(check.momentum, 1e-3);
    EXPECT_LT(std::abs(std::log(check.momentum / (length(sum) / sizes))), std::log(5.0));
    request.bodies = 65536;
    EXPECT_EQ(Simulation(request).configuration().pairs().accuracy, 0) << "fewer are computed in all pairs";
}

/// The walk in two levels. tests/unit/tree_regions_test.cpp proves the split between expansion and remaining nodes.
using TreeRegionsOnGpu = TreeOnGpu;

TEST_F(TreeRegionsOnGpu, areTakenFromTheirNumberOfBodiesOn) {
    const ParticleSet bodies = scene("plummer", 65536);
    const std::vector<Double4> one = accelerations(*loaded(bodies, row("tree"), 0.02));
    cuda::TreeLimits limits;
    limits.regionsFrom = 65536;
    const ForcedTree forced(limits);
    const std::vector<Double4> two = accelerations(*loaded(bodies, row("tree"), 0.02));
    EXPECT_FALSE(sameBytes(one, two)) << "sums in another order are other bits";
    EXPECT_TRUE(sameBytes(two, accelerations(*loaded(bodies, row("tree"), 0.02))));
    limits.regionsFrom = 65537;
    const ForcedTree later(limits);
    EXPECT_TRUE(sameBytes(one, accelerations(*loaded(bodies, row("tree"), 0.02))));
}

TEST_F(TreeRegionsOnGpu, aListThatIsFullLosesNothing) {
    const ParticleSet bodies = scene("galaxy", 65536);
    for (const std::uint32_t room : {1, 8, 9, 40, 130, 300})
        for (const double accuracy : {1e-3, 1e-4}) {
            cuda::TreeLimits limits = ForcedTree::twoLevels();
            limits.regionNodes = room;
            const ForcedTree forced(limits);
            const ForceCheck check = errors(*loaded(bodies, row("tree", accuracy), 0.02), bodies, 0.02, gate(accuracy));
            EXPECT_TRUE(check.passed) << room << " nodes, " << accuracy << ": " << check.text();
        }
}

TEST_F(TreeRegionsOnGpu, groupsWithoutARegionWalkFromTheRoot) {
    const ParticleSet bodies = scene("plummer", 65536);
    for (const std::uint32_t regions : {0, 1, 77}) {
        cuda::TreeLimits limits = ForcedTree::twoLevels();
        limits.regions = regions;
        const ForcedTree forced(limits);
        const ForceCheck check = errors(*loaded(bodies, row("tree"), 0.02), bodies, 0.02, gate(1e-3));
        EXPECT_TRUE(check.passed) << regions << ": " << check.text();
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
    const double pairs = energyOf({}), tree = energyOf(row("tree"));
    EXPECT_LT(pairs, 0);
    EXPECT_NEAR(tree / pairs, 1, 3e-4);
}

}  // namespace
}  // namespace gravlab::test
