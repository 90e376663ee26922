// The tree on the GPU: errors within the allowed ones, the same bits with any cuts and repetitions, and bodies that are hard
// for an octree. Tests of resume and memory checkers include its rows.
#include "forced_tree.h"
#include "gpu_fixture.h"
#include "sim/backends/memory_need.h"
#include "sim/run/simulation.h"
#include "sim/tree/criterion.h"
#include "sim/tree/key.h"
#include "tests/deep_clusters.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <random>
#include <string_view>

namespace gravlab::test {
namespace {

class TreeOnGpu : public GpuTest {
protected:
    static constexpr const char* kRows[] = {"tree-theta-monopole", "tree-theta", "tree-cells", "tree-morton", "tree"};

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
    for (const char* name : {"plummer", "galaxy"})
        for (const std::size_t count : {3000, 65536})
            for (const double accuracy : {1e-2, 1e-3, 1e-4}) {
                const ParticleSet bodies = scene(name, count);
                for (const char* rung : {"tree-cells", "tree"}) {
                    const auto backend = loaded(bodies, row(rung, accuracy), 0.02);
                    const ForceCheck check = errors(*backend, bodies, 0.02, gate(accuracy));
                    EXPECT_TRUE(check.passed)
                        << rung << ", " << name << " " << count << ", " << accuracy << ": " << check.text();
                    EXPECT_GT(check.median, 0) << rung << " computed every pair";
                }
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
    for (const char* rung : kRows)
        for (const std::size_t count : {1, 2, 3, 16, 17, 32, 33, 64, 65, 255, 257, 1000, 16385}) {
            const ParticleSet bodies = unevenBodies(count);
            const auto backend = loaded(bodies, row(rung));
            const ForceCheck check = errors(*backend, bodies, 0.05, gate(4e-2));
            EXPECT_TRUE(check.passed) << rung << ", " << count << ": " << check.text();
        }
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
        for (const bool twoLevels : {false, true}) {
            SCOPED_TRACE(std::string(first ? "first" : "anywhere") + (twoLevels ? ", in two levels" : ""));
            ParticleSet bodies = scene("plummer", kBodies);
            for (std::size_t i = 0; i < kBodies; ++i)
                bodies.position[i].w = (first ? i < kMassive : i % 100 == 7) ? 1.0 / kMassive : 0;
            std::size_t before = 0, after = 0, total = 0;
            accelerations(*loaded(scene("plummer", 1000), row("tree")));  // context, code and the memory of a first launch
            std::optional<ForcedTree> forced;
            if (twoLevels) forced.emplace(ForcedTree::twoLevels());
            ASSERT_EQ(cuda::memoryInfo(before, total), cuda::kSuccess);
            const auto backend = loaded(bodies, row("tree"), 0.02);
            ASSERT_EQ(cuda::memoryInfo(after, total), cuda::kSuccess);
            const double taken = static_cast<double>(before) - static_cast<double>(after);
            std::printf("%.0f bytes a body, said %.0f\n", taken / kBodies,
                        memoryNeed(deviceBackend(), kBodies, {}, row("tree")).device / kBodies);
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
}

TEST_F(TreeOnGpu, memoryIsWhatWasSaid) {
    // Context, code and the memory of a first launch exist before.
    const auto warm = loaded(scene("plummer", 100000), row("tree"));
    accelerations(*warm);
    constexpr std::size_t kBodies = 4'000'000;
    const ParticleSet bodies = scene("plummer", kBodies);
    std::size_t before = 0, after = 0, total = 0;
    ASSERT_EQ(cuda::memoryInfo(before, total), cuda::kSuccess);
    const auto backend = loaded(bodies, row("tree"));
    accelerations(*backend);
    ASSERT_EQ(cuda::memoryInfo(after, total), cuda::kSuccess);
    const double taken = static_cast<double>(before) - static_cast<double>(after);
    const double said = memoryNeed(deviceBackend(), kBodies, {}, row("tree")).device;
    // accelerations() makes a separate method for requests between steps, with its own sums; it does not copy the state.
    EXPECT_LT(taken, 2 * said);
    EXPECT_GT(taken, 0.5 * said);
    EXPECT_LT(said / kBodies, 96 + 32 + 110) << "bytes a body";
}

TEST_F(TreeOnGpu, bodiesThatAreHardForAnOctree) {
    const double far = 1e6;
    ParticleSet escaped = unevenBodies(5000);
    escaped.position[17].x = far;
    ParticleSet massless = unevenBodies(3000), heavy = unevenBodies(3000), twice = unevenBodies(3000);
    for (std::size_t i = 0; i < massless.size(); i += 2) massless.position[i].w = 0;
    heavy.position[5].w = 1e12;
    for (std::size_t i = 0; i + 1 < twice.size(); i += 2) {
        const double mass = twice.position[i].w;
        twice.position[i] = twice.position[i + 1];
        twice.position[i].w = mass;
    }
    const std::pair<const char*, ParticleSet> cases[] = {
        {"a point", flat(2000, 0)}, {"a line", flat(5000, 1)}, {"a plane", flat(5000, 2)},   {"one far away", escaped},
        {"massless", massless},     {"one heavy", heavy},      {"pairs at one place", twice}};
    for (const auto& [name, bodies] : cases)
        for (const char* rung : {"tree-cells", "tree"}) {
            const auto backend = loaded(bodies, row(rung));
            const std::vector<std::uint32_t> targets = randomBodies(bodies.size(), 300);
            const std::vector<Double4> all = accelerations(*backend), want = reference(bodies, targets, 0.05);
            std::vector<Double4> got;
            for (const std::uint32_t target : targets) got.push_back(all.at(target));
            const ForceCheck check = compareForces(got, want, gate(1e-3));
            EXPECT_TRUE(check.passed) << rung << ", " << name << ": " << check.text();
        }
    ParticleSet nan = unevenBodies(1000);
    nan.position[3].y = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(errors(*loaded(nan, row("tree")), nan, 0.05, gate(1e-2)).passed);
}

TEST_F(TreeOnGpu, sameBitsHoweverItIsCutAndRepeated) {
    const ParticleSet bodies = scene("galaxy", 200000);
    std::vector<Double4> first;
    for (const double seconds : {1e300, 1e-4, 0.0}) {
        const auto backend = loaded(bodies, row("tree"), 0.02);
        for (std::int64_t done = 0; done < 4;)
            done += backend->advance(integrator("leapfrog").program, 1e-3, {.seconds = seconds, .steps = 4 - done}, nullptr)
                        .stepsCompleted;
        backend->wait();
        const ParticleSet end = GpuTest::state(*backend);
        if (first.empty()) first = end.position;
        EXPECT_TRUE(std::equal(first.begin(), first.end(), end.position.begin(), [](const Double4& a, const Double4& b) {
            return a.x == b.x && a.y == b.y && a.z == b.z;
        })) << seconds;
    }
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
    ParticleSet bodies;
    simulation.snapshot(bodies);
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

}  // namespace
}  // namespace gravlab::test
