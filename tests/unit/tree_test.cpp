// The tree of the CPU: its exact properties, the accuracy of its forces, and that wrong walks are noticed.
#include "sim/backends/backend.h"
#include "sim/backends/cpu/methods/tree_method.h"
#include "sim/backends/cpu/tree/octree.h"
#include "sim/core/random.h"
#include "sim/forces/law.h"
#include "sim/scenes/scene.h"
#include "tests/bodies.h"
#include "tests/deep_clusters.h"
#include "tests/rounded_bodies.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

namespace gravlab::cpu {
namespace {

using namespace testing_support;

constexpr double kWhole = std::numeric_limits<double>::infinity();

ParticleSet shaped(std::size_t count, const char* shape) {
    ParticleSet bodies = unevenBodies(count);
    const std::string name = shape;
    for (std::size_t i = 0; i < count; ++i) {
        Double4& at = bodies.position[i];
        if (name == "point") at = {1, 2, 3, at.w};
        if (name == "line") at = {at.x, 0.5, -0.25, at.w};
        if (name == "plane") at = {at.x, at.y, 0.125, at.w};
        if (name == "pairs" && i % 2 == 1)
            at = {bodies.position[i - 1].x, bodies.position[i - 1].y, bodies.position[i - 1].z, at.w};
        if (name == "far" && i == 0) at = {1e6, -1e6, 1e6, at.w};
        if (name == "massless") at.w = 0;
        if (name == "spread") at.w = std::pow(10.0, 12.0 * Random(3, i).uniform(0, 1));
    }
    return bodies;
}
constexpr const char* kShapes[] = {"uneven", "point", "line", "plane", "pairs", "far", "massless", "spread"};

struct Built {
    RoundedBodies arrays;
    ThreadPool pool{2};
    Octree tree;

    explicit Built(const ParticleSet& bodies) : arrays(bodies), tree(bodies.size()) {
        const TreeBodies<float> view{arrays.view().axis, arrays.view().source};
        tree.build(view, treeKernels(simdTargets().front()), pool);
    }
};

/// Fails with each fault of the tree.
void check(const Built& built) {
    const Octree& tree = built.tree;
    const TreeView view = tree.view();
    const std::size_t n = tree.bodies();
    std::vector<int> seen(n, 0), inLeaf(n, 0);
    const double length = tree.scale().length, source = tree.scale().source;
    for (std::size_t place = 0; place < n; ++place) {
        const std::size_t body = view.order[place];
        ASSERT_LT(body, n);
        ++seen[body];
        if (place > 0) {
            ASSERT_LE(tree.keyAt(place - 1), tree.keyAt(place));
            if (tree.keyAt(place - 1) == tree.keyAt(place)) {
                ASSERT_LT(view.order[place - 1], body) << "the sort is stable";
            }
        }
        const auto grid = [&](int axis) {
            return treePlace(built.arrays.x.axis[static_cast<std::size_t>(axis)][body] * tree.scale().grid);
        };
        ASSERT_EQ(tree.keyAt(place), hilbertKey(grid(0), grid(1), grid(2)));
        ASSERT_EQ(view.body[0][place], built.arrays.x.axis[0][body] * tree.scale().length);
    }
    ASSERT_EQ(std::ranges::count(seen, 1), static_cast<std::ptrdiff_t>(n));
    std::size_t leaves = 0;
    for (std::size_t node = 0; node < tree.nodes(); ++node) {
        const NodeMoments<float> made = tree.moments(node);
        const std::size_t begin = tree.begin(node), end = begin + made.bodies;
        ASSERT_LE(end, n);
        if (view.count[node] < 0) {
            ++leaves;
            ASSERT_EQ(static_cast<std::uint32_t>(-view.count[node]), made.bodies);
            ASSERT_TRUE(made.bodies <= kTreeLeaf || tree.level(node) == kTreeLevels);
            for (std::size_t place = begin; place < end; ++place) ++inLeaf[place];
        } else {
            ASSERT_GT(made.bodies, static_cast<std::uint32_t>(kTreeLeaf));
            std::size_t next = begin;
            for (int k = 0; k < view.count[node]; ++k) {
                const auto child = static_cast<std::size_t>(view.first[node] + k);
                ASSERT_EQ(tree.begin(child), next);
                ASSERT_EQ(tree.level(child), tree.level(node) + 1);
                next += tree.moments(child).bodies;
            }
            ASSERT_EQ(next, end) << "children tile their parent";
        }
        // Sums of scaled bodies in fp64.
        double sum = 0, x = 0, y = 0, z = 0, q[kMoments] = {}, size = 0;
        for (std::size_t place = begin; place < end; ++place) {
            const Double4& body = built.arrays.rounded[view.order[place]];
            sum += body.w * source;
            x += body.w * source * body.x * length;
            y += body.w * source * body.y * length;
            z += body.w * source * body.z * length;
        }
        const double reach = static_cast<double>(made.farthest) + 1e-30;
        // Positions are rounded, and their centres with them.
        double edge = 0;
        for (int axis = 0; axis < 3; ++axis)
            edge = std::max(
                {edge, static_cast<double>(std::abs(made.low[axis])), static_cast<double>(std::abs(made.high[axis]))});
        if (sum > 0) {
            // The error of the centre that remains from rounded positions.
            const double extent = 4e-7 * (std::abs(x) + std::abs(y) + std::abs(z)) / sum + 1e-6 * reach;
            ASSERT_NEAR(made.cell.source, sum, 1e-5 * sum);
            ASSERT_NEAR(made.cell.x, x / sum, extent);
            ASSERT_NEAR(made.cell.y, y / sum, extent);
            ASSERT_NEAR(made.cell.z, z / sum, extent);
        }
        for (std::size_t place = begin; place < end; ++place) {
            const Double4& body = built.arrays.rounded[view.order[place]];
            const double at[3] = {body.x * length, body.y * length, body.z * length};
            const double dx = at[0] - made.cell.x, dy = at[1] - made.cell.y, dz = at[2] - made.cell.z;
            ASSERT_LE(std::sqrt(dx * dx + dy * dy + dz * dz), reach * (1 + 1e-6));
            for (int axis = 0; axis < 3; ++axis) {
                ASSERT_GE(at[axis], made.low[axis]);
                ASSERT_LE(at[axis], made.high[axis]);
            }
            addSecondMoments(q, body.w * source, dx, dy, dz);
            size += body.w * source * (dx * dx + dy * dy + dz * dz);
        }
        for (int k = 0; k < kMoments; ++k)
            ASSERT_NEAR(made.cell.moments[k], q[k], 1e-5 * size + 1e-6 * sum * reach * (reach + edge));
    }
    EXPECT_EQ(leaves, tree.leaves());
    ASSERT_EQ(std::ranges::count(inLeaf, 1), static_cast<std::ptrdiff_t>(n)) << "each body is in one leaf";
    std::size_t next = 0;
    for (const TreeGroup& group : tree.groups()) {
        ASSERT_EQ(group.first, next);
        ASSERT_GE(group.count, 1u);
        ASSERT_LE(group.count, static_cast<std::uint32_t>(kTreeGroup));
        next += group.count;
    }
    ASSERT_EQ(next, n) << "groups have all bodies, each once";
}

TEST(Tree, holdsEveryBodyOnceWithItsMomentsForEveryCountAndShape) {
    for (const char* shape : kShapes)
        for (const std::size_t count : {1, 2, 3, 16, 17, 33, 1000, 5000}) {
            SCOPED_TRACE(std::string(shape) + ", N = " + std::to_string(count));
            const Built built(shaped(count, shape));
            check(built);
            if (HasFatalFailure()) return;
        }
    check(Built(unevenBodies(65537)));
}

TEST(Tree, noBodiesMakeMoreNodesThanThereIsRoomFor) {
    for (const std::size_t side : {1u, 2u, 4u, 8u, 16u})
        for (const std::size_t beside : {0u, 5u}) {
            const ParticleSet bodies = deepClusters(side, beside);
            const Built built(bodies);
            const std::size_t most = mostTreeNodes(bodies.size());
            EXPECT_LE(built.tree.nodes(), most) << bodies.size();
            // Nearly as many: the bound could not be much lower.
            EXPECT_GE(built.tree.nodes() + 12 + 8 * beside, most) << bodies.size();
            check(built);
        }
    for (const std::size_t count : {1u, 2u, 16u, 17u, 18u, 33u, 34u, 1000u, 65537u})
        for (const char* shape : kShapes) {
            if (count > 1000 && shape != kShapes[0]) continue;
            EXPECT_LE(Built(shaped(count, shape)).tree.nodes(), mostTreeNodes(count)) << shape << ' ' << count;
        }
    EXPECT_EQ(mostTreeNodes(0), 1u);
    EXPECT_LT(static_cast<double>(mostTreeNodes(100'000'000)), 1.27e8);
    EXPECT_GT(mostTreeNodes(2147483647), std::size_t{2147483647});
    EXPECT_LT(mostTreeNodes(2147483647), std::size_t{1} << 32) << "numbers of nodes have 32 bits";
}

TEST(Tree, keysOfEveryInstructionSetAreThoseOfTheHeader) {
    for (const SimdTarget& target : simdTargets()) {
        std::uint32_t x[kTreePadding], y[kTreePadding], z[kTreePadding];
        std::uint64_t want[kTreePadding], got[kTreePadding];
        for (std::size_t k = 0; k < kTreePadding; ++k) {
            Random random(11, k);
            const auto place = [&] { return static_cast<std::uint32_t>(random.uniform(0, 1) * kTreeGrid); };
            x[k] = k == 0 ? 0 : place();
            y[k] = k < 2 ? 0 : place();
            z[k] = k < 3 ? kTreeGrid - 1 : place();
            want[k] = hilbertKey(x[k], y[k], z[k]);
        }
        treeKernels(target).hilbertKeys(x, y, z, kTreePadding, got);
        EXPECT_EQ(std::memcmp(got, want, sizeof want), 0) << target.name;
    }
}

TEST(Tree, neighboursOnTheCurveAreNeighboursInSpace) {
    // All cells of a coarse grid: a step along the curve leads to an adjacent cube.
    std::vector<std::array<std::uint32_t, 4>> cubes;
    constexpr std::uint32_t kEdge = 8, kStep = kTreeGrid / kEdge;
    for (std::uint32_t k = 0; k < kEdge * kEdge * kEdge; ++k) {
        const std::uint32_t x = k % kEdge, y = k / kEdge % kEdge, z = k / kEdge / kEdge;
        cubes.push_back(
            {static_cast<std::uint32_t>(hilbertKey(x * kStep, y * kStep, z * kStep) >> (kTreeKeyBits - 9)), x, y, z});
    }
    std::ranges::sort(cubes);
    for (std::size_t k = 1; k < cubes.size(); ++k) {
        EXPECT_EQ(cubes[k][0], k);
        int apart = 0;
        for (std::size_t axis = 1; axis < 4; ++axis)
            apart += std::abs(static_cast<int>(cubes[k][axis]) - static_cast<int>(cubes[k - 1][axis]));
        EXPECT_EQ(apart, 1);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// A walk in plain loops, which can be made wrong.

enum class Fault { none, noTrace, turnedMoments, fromCentres, staleLengths };

std::vector<Double4> walkedPlainly(const Built& built, std::span<const double> lengths, double accuracy, double softening,
                                   Fault fault) {
    const Octree& tree = built.tree;
    const TreeView view = tree.view();
    std::vector<Double4> result(tree.bodies());
    const double scale = tree.scale().length;
    const GravityField<double> field{softening * softening * scale * scale};
    for (const TreeGroup& group : tree.groups()) {
        double low[3] = {1e300, 1e300, 1e300}, high[3] = {-1e300, -1e300, -1e300}, least = 1e300;
        for (std::uint32_t k = 0; k < group.count; ++k) {
            const std::uint32_t place = group.first + k;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                low[axis] = std::min(low[axis], static_cast<double>(view.body[axis][place]));
                high[axis] = std::max(high[axis], static_cast<double>(view.body[axis][place]));
            }
            least = std::min(least, lengths[view.order[place]]);
        }
        if (fault == Fault::staleLengths) least *= 30;
        const GroupCriterion<double> criterion{
            .opening = 0,
            .limit = shareOfAccuracy(accuracy, static_cast<double>(tree.bodies())) * least / tree.scale().acceleration,
            .radius = 0};
        std::vector<std::array<double, 3>> sums(group.count);
        std::vector<std::size_t> waiting{0};
        while (!waiting.empty()) {
            const std::size_t node = waiting.back();
            waiting.pop_back();
            const NodeMoments<float> made = tree.moments(node);
            const double at[3] = {made.cell.x, made.cell.y, made.cell.z};
            double squared = 0;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const double middle = (low[axis] + high[axis]) / 2, half = (high[axis] - low[axis]) / 2;
                const double gap = std::abs(at[axis] - middle) - (fault == Fault::fromCentres ? 0 : half);
                squared += std::pow(std::max(gap, 0.0), 2);
            }
            const bool many = view.count[node] > 0 || view.count[node] < -2;
            const double farthest = made.farthest;
            if (many && acceptsCell<false>(criterion, squared, farthest, made.weight * farthest * farthest * farthest)) {
                CellMoments<double> cell{at[0], at[1], at[2], made.cell.source, {}};
                for (int k = 0; k < kMoments; ++k)
                    cell.moments[k] = (fault == Fault::turnedMoments ? -1 : 1) * static_cast<double>(made.cell.moments[k]);
                CellPull<double> pull = cellPull(cell, 2.0);
                if (fault == Fault::noTrace) pull.trace = 0;
                for (std::uint32_t k = 0; k < group.count; ++k) {
                    const std::uint32_t place = group.first + k;
                    addCellPull<double>(sums[k].data(), pull, view.body[0][place], view.body[1][place], view.body[2][place],
                                        field);
                }
            } else if (view.count[node] > 0) {
                for (int k = 0; k < view.count[node]; ++k) waiting.push_back(static_cast<std::size_t>(view.first[node] + k));
            } else {
                for (std::uint32_t k = 0; k < group.count; ++k)
                    for (int j = 0; j < -view.count[node]; ++j) {
                        const auto source = static_cast<std::size_t>(view.first[node] + j);
                        const std::size_t place = group.first + k;
                        double d[3], s = field.softeningSquared;
                        for (std::size_t axis = 0; axis < 3; ++axis) {
                            d[axis] =
                                static_cast<double>(view.body[axis][source]) - static_cast<double>(view.body[axis][place]);
                            s += d[axis] * d[axis];
                        }
                        for (std::size_t axis = 0; axis < 3; ++axis)
                            sums[k][axis] += static_cast<double>(view.source[source]) * inverseCube(s) * d[axis];
                    }
            }
        }
        const double factor = tree.scale().acceleration;
        for (std::uint32_t k = 0; k < group.count; ++k)
            result[view.order[group.first + k]] = {factor * sums[k][0], factor * sums[k][1], factor * sums[k][2], 0};
    }
    return result;
}

std::vector<Double4> direct(const RoundedBodies& bodies, std::span<const std::uint32_t> targets, double softening) {
    std::vector<Double4> want(targets.size());
    referenceGravity(bodies.rounded, targets, softening, want);
    return want;
}

std::vector<std::uint32_t> randomBodies(std::size_t among, std::size_t count) {
    std::vector<std::uint32_t> chosen;
    for (std::size_t i = 0; i < count; ++i)
        chosen.push_back(static_cast<std::uint32_t>(Random(2026, i).uniform(0, 1) * static_cast<double>(among)));
    return chosen;
}

template <class Values>
std::vector<Double4> at(const Values& all, std::span<const std::uint32_t> targets) {
    std::vector<Double4> some;
    for (const std::uint32_t target : targets) some.push_back(all[target]);
    return some;
}

ParticleSet sceneBodies(const char* scene, std::size_t count) {
    return sceneNamed(scene).build({.bodies = count, .seed = 3});
}

TEST(TreeWalk, nodesBehindOffsetsOf32BitsAreReadAlike) {
    EXPECT_GT(kMostGathered, std::size_t{178'000'000});
    for (const Law law : {Law::gravity, kLaw<Coulomb>}) {
        ParticleSet bodies = sceneBodies("plummer", 3000);
        if (law != Law::gravity)
            for (std::size_t i = 0; i < 3000; i += 2) bodies.position[i].w *= -1;
        const ForceSettings force{.law = law, .softening = 0.01};
        Built built(bodies);
        built.tree.takeSigned(signedCells(force));
        built.tree.build(TreeBodies<float>{built.arrays.view().axis, built.arrays.view().source},
                         treeKernels(simdTargets().front()), built.pool);
        for (const SimdTarget& target : simdTargets()) {
            std::array<std::vector<float>, 3> sums[2];
            for (const bool wide : {false, true}) {
                TreeWalkTask task = walkTask(built.tree, TreeWalk::expansions, {.settings = force, .allowedError = 1e-3});
                std::vector<float> lengths(3000), before(3000, 1.0f);
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    sums[wide][axis].resize(3000);
                    task.sums[axis] = sums[wide][axis].data();
                }
                task.lengths = lengths.data();
                task.before = before.data();
                task.tree.wide = wide;
                TreeCounts counts;
                for (const TreeGroup& group : built.tree.groups())
                    treeWalks(target, treeForce(force).law)
                        .walk[static_cast<std::size_t>(TreeWalk::expansions)](task, group, counts);
                EXPECT_GT(counts.expandedLow + counts.expandedHigh, 0u);
            }
            EXPECT_EQ(sums[0], sums[1]) << target.name;
        }
    }
}

TEST(TreeWalk, wrongWalksFailTheGate) {
    const Built built(sceneBodies("plummer", 4096));
    const std::vector<std::uint32_t> targets = randomBodies(4096, 1024);
    const double softening = 0.01, accuracy = 1e-3;
    const std::vector<Double4> want = direct(built.arrays, targets, softening);
    std::vector<std::uint32_t> all(4096);
    std::iota(all.begin(), all.end(), 0u);
    std::vector<double> lengths;
    for (const Double4& a : direct(built.arrays, all, softening)) lengths.push_back(distance(a, {}));
    const auto passes = [&](Fault fault) {
        const std::vector<Double4> got = at(walkedPlainly(built, lengths, accuracy, softening, fault), targets);
        const ForceCheck check = compareForces(got, want, gateOfAccuracy(accuracy));
        if (fault == Fault::none) {
            EXPECT_LE(check.p99, accuracy) << check.text();
        }
        return check.passed;
    };
    EXPECT_TRUE(passes(Fault::none));
    EXPECT_FALSE(passes(Fault::noTrace));
    EXPECT_FALSE(passes(Fault::turnedMoments));
    EXPECT_FALSE(passes(Fault::fromCentres));
    EXPECT_FALSE(passes(Fault::staleLengths));
}

// ---------------------------------------------------------------------------------------------------------------------
// The method.

struct TreeRun {
    ThreadPool pool;
    TreeMethod<float> method;
    const RoundedBodies& bodies;
    ForceRequest request;

    TreeRun(const RoundedBodies& arrays, TreeWalk walk, double accuracy, double softening, int threads = 2,
            const SimdTarget& simd = simdTargets().front())
        : pool(threads),
          method(walk, {pool, simd, arrays.size()}),
          bodies(arrays),
          request{.settings = {.softening = softening}, .allowedError = accuracy} {}

    std::vector<Double4> evaluated(double slice = kWhole) {
        method.prepare(bodies.view(), request);
        while (!method.enqueue(slice).complete) {
        }
        std::vector<Double4> result;
        const CpuForceSums<float> sums = method.sums();
        for (std::size_t i = 0; i < bodies.size(); ++i)
            result.push_back({sums.axis[0][i], sums.axis[1][i], sums.axis[2][i], 0});
        return result;
    }
};

TEST(TreeWalk, keepsTheAccuracyThatIsAskedFor) {
    for (const char* scene : {"plummer", "galaxy"}) {
        const RoundedBodies bodies(sceneBodies(scene, 20000));
        const double softening = 0.01;
        const std::vector<std::uint32_t> targets = randomBodies(bodies.size(), 1024);
        const std::vector<Double4> want = direct(bodies, targets, softening);
        for (const TreeWalk walk : {TreeWalk::cells, TreeWalk::expansions}) {
            double pairs = 1e300;
            for (const double accuracy : {1e-4, 1e-3, 1e-2}) {
                SCOPED_TRACE(std::string(scene) + (walk == TreeWalk::cells ? ", cells" : ", expansions") + ", accuracy " +
                             std::to_string(accuracy));
                TreeRun run(bodies, walk, accuracy, softening);
                for (const char* which : {"the first evaluation", "the second"}) {
                    const std::vector<Double4> got = at(run.evaluated(), targets);
                    const ForceCheck check = compareForces(got, want, run.method.accuracy().gate);
                    EXPECT_TRUE(check.passed) << which << ": " << check.text();
                    EXPECT_LE(check.max, 30 * accuracy) << which;
                    EXPECT_GT(check.p99, accuracy / 30) << "far more than was asked for: work for nothing";
                }
                run.method.prepare(bodies.view(), run.request);
                const ForceWork work = run.method.enqueue(kWhole).work;
                EXPECT_LT(work.pairs, pairs) << "a coarser accuracy takes less";
                EXPECT_EQ(work.bodies, static_cast<double>(bodies.size()));
                EXPECT_GT(work.cells, 0);
                pairs = work.pairs;
            }
        }
    }
}

TEST(TreeWalk, byAnOpeningAngleIsWhatItsRowSays) {
    const RoundedBodies bodies(sceneBodies("galaxy", 20000));
    const std::vector<std::uint32_t> targets = randomBodies(bodies.size(), 1024);
    const std::vector<Double4> want = direct(bodies, targets, 0.01);
    double monopole = 0;
    for (const TreeWalk walk : {TreeWalk::thetaMonopole, TreeWalk::theta}) {
        TreeRun run(bodies, walk, 0, 0.01);
        for (const double opening : {0.0, 0.35, 0.7}) {
            run.request.opening = opening;
            const std::vector<Double4> got = at(run.evaluated(), targets);
            const ForceCheck check = compareForces(got, want, run.method.accuracy().gate);
            EXPECT_TRUE(check.passed) << opening << ": " << check.text() << " of " << run.method.accuracy().allowedError;
            if (opening > 0) continue;
            if (monopole > 0) {
                EXPECT_LT(check.median, monopole / 2) << "second moments bring more";
            }
            monopole = check.median;
        }
        EXPECT_FALSE(run.method.keepsState());
        EXPECT_TRUE(run.method.state().empty());
    }
}

TEST(TreeWalk, aSmallAngleIsTheDirectSum) {
    const RoundedBodies bodies(unevenBodies(3000));
    const std::vector<std::uint32_t> targets = randomBodies(bodies.size(), 500);
    TreeRun run(bodies, TreeWalk::theta, 0, 0.02);
    run.request.opening = 0.01;
    const ForceCheck check = compareForces(at(run.evaluated(), targets), direct(bodies, targets, 0.02), {2e-6, 2e-5});
    EXPECT_TRUE(check.passed) << check.text();
}

TEST(TreeWalk, computesHostileShapes) {
    for (const char* shape : kShapes)
        for (const std::size_t count : {1, 2, 17, 3000}) {
            SCOPED_TRACE(std::string(shape) + ", N = " + std::to_string(count));
            const RoundedBodies bodies(shaped(count, shape));
            std::vector<std::uint32_t> all(count);
            std::iota(all.begin(), all.end(), 0u);
            for (const SimdTarget& target : simdTargets()) {
                TreeRun run(bodies, TreeWalk::expansions, 1e-3, 0.02, 2, target);
                const ForceCheck check = compareForces(run.evaluated(), direct(bodies, all, 0.02), gateOfAccuracy(3e-3));
                EXPECT_TRUE(check.passed) << target.name << ": " << check.text();
            }
        }
}

TEST(TreeWalk, whatIsNoNumberFailsTheCheck) {
    ParticleSet bad = unevenBodies(500);
    bad.position[77].y = std::numeric_limits<double>::quiet_NaN();
    const RoundedBodies bodies(bad);
    TreeRun run(bodies, TreeWalk::expansions, 1e-3, 0.02);
    const std::vector<std::uint32_t> targets{1, 77, 200};
    const std::vector<Double4> want = direct(RoundedBodies(unevenBodies(500)), targets, 0.02);
    EXPECT_FALSE(compareForces(at(run.evaluated(), targets), want, gateOfAccuracy(1e-3)).passed);
}

TEST(TreeWalk, aFarClusterPullsAsOneBody) {
    // Two clusters far from each other: one cell each, acting as its monopole.
    ParticleSet bodies = unevenBodies(200);
    double mass = 0;
    for (std::size_t i = 0; i < 200; ++i) {
        Double4& at = bodies.position[i];
        at = {1e-3 * at.x + (i < 100 ? 0 : 1000), 1e-3 * at.y, 1e-3 * at.z, at.w};
        if (i >= 100) mass += static_cast<double>(static_cast<float>(at.w));
    }
    ParticleSet alone = bodies;
    for (std::size_t i = 100; i < 200; ++i) alone.position[i].w = 0;
    const RoundedBodies both(bodies), one(alone);
    const auto pull = [&](const RoundedBodies& arrays) {
        return TreeRun(arrays, TreeWalk::thetaMonopole, 0, 1).evaluated()[5].x;
    };
    EXPECT_NEAR(pull(both) - pull(one), mass / 1e6, 1e-3 * mass / 1e6 + 1e-6 * std::abs(pull(one)));
}

TEST(TreeWalk, givesTheSameBitsForThreadsSlicesAndRepeats) {
    const RoundedBodies bodies(sceneBodies("plummer", 6000));
    for (const TreeWalk walk : {TreeWalk::thetaMonopole, TreeWalk::theta, TreeWalk::cells, TreeWalk::expansions}) {
        TreeRun one(bodies, walk, 1e-3, 0.01, 1), many(bodies, walk, 1e-3, 0.01, 3), sliced(bodies, walk, 1e-3, 0.01, 2);
        for (int evaluation = 0; evaluation < 3; ++evaluation) {
            const std::vector<Double4> want = one.evaluated();
            EXPECT_TRUE(sameBytes(want, many.evaluated()));
            EXPECT_TRUE(sameBytes(want, sliced.evaluated(0)));
        }
        const std::vector<MethodFigure> figures = one.method.figures();
        ASSERT_GE(figures.size(), 5u);
        EXPECT_EQ(figures[1].name, "nodes");
        EXPECT_EQ(figures[1].value, static_cast<double>(one.method.tree().nodes()));
    }
}

TEST(TreeWalk, goesOnFromASavedStateBitForBit) {
    const RoundedBodies first(sceneBodies("plummer", 6000)), moved(sceneBodies("plummer", 6000));
    TreeRun whole(first, TreeWalk::expansions, 1e-3, 0.01), resumed(first, TreeWalk::expansions, 1e-3, 0.01),
        forgetful(first, TreeWalk::expansions, 1e-3, 0.01);
    whole.evaluated();
    const std::vector<StateArray> saved = whole.method.state();
    ASSERT_EQ(saved.size(), 1u);
    EXPECT_EQ(saved[0].name, "lengths");
    EXPECT_EQ(saved[0].values.size(), first.size());
    EXPECT_FALSE(resumed.method.restore({{"lengths", {1, 2, 3}}})) << "of other bodies";
    EXPECT_TRUE(resumed.method.restore(saved));
    const std::vector<Double4> want = whole.evaluated();
    EXPECT_TRUE(sameBytes(want, resumed.evaluated()));
    EXPECT_FALSE(sameBytes(want, forgetful.evaluated())) << "the state changes nothing, so the comparison proves nothing";
}

TEST(TreeWalk, isTakenOnlyWhereAnErrorIsAllowedAndTheForceIsItsOwn) {
    const std::unique_ptr<Backend> backend = gravlab::backend("cpu").make({.threads = 2});
    const auto taken = [&](std::size_t bodies, const ForceSettings& force, double allowedError) {
        backend->load(unevenBodies(bodies), {force, {.allowedError = allowedError}});
        return backend->activeKernel().name;
    };
    EXPECT_EQ(taken(20000, {.softening = 0.01}, 0), "symmetric-threads");
    EXPECT_EQ(taken(20000, {.softening = 0.01}, 1e-3), "tree");
    EXPECT_EQ(taken(20000, {.precision = Precision::mixed, .softening = 0.01}, 1e-3), "tree");
    EXPECT_EQ(taken(2000, {.softening = 0.01}, 1e-3), "simd-threads");
    EXPECT_EQ(taken(9000, {.softening = 0.01}, 5e-4), "tree");
    EXPECT_EQ(taken(9000, {.softening = 0.01}, 4e-4), "symmetric-threads");
    EXPECT_EQ(taken(20000, {.precision = Precision::fp64, .softening = 0.01}, 1e-3), "symmetric-threads");
    EXPECT_EQ(taken(20000, {.law = kLaw<LennardJones>}, 1e-3), "cells") << "which are exact";
    EXPECT_EQ(taken(20000, {.law = kLaw<PowerLaw>}, 1e-3), "tree");
    const KernelRow& row = kernel("cpu", "tree");
    EXPECT_NE(refusal(row, {.precision = Precision::fp64}), "");
    EXPECT_NE(refusal(row, {.law = kLaw<LennardJones>}), "");
    EXPECT_EQ(refusal(row, {}), "");
}

TEST(TreeWalk, anEvaluationThatIsAbandonedLeavesNoTrace) {
    const RoundedBodies bodies(sceneBodies("plummer", 6000));
    TreeRun plain(bodies, TreeWalk::expansions, 1e-3, 0.01), stopped(bodies, TreeWalk::expansions, 1e-3, 0.01);
    for (int slices : {1, 12, 30}) {
        stopped.method.prepare(bodies.view(), stopped.request);
        for (int k = 0; k < slices; ++k) stopped.method.enqueue(0);
        stopped.method.abandon();
    }
    EXPECT_TRUE(sameBytes(plain.evaluated(), stopped.evaluated()));
}

}  // namespace
}  // namespace gravlab::cpu
