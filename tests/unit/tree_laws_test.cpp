// The tree under charges and the power law: exact properties of cells and expansions, and the accuracy of forces. A walk
// that omits dipoles, or uses net charges, is noticed.
#include "app/bench/verify.h"
#include "sim/backends/backend.h"
#include "sim/backends/cpu/backend_cpu.h"
#include "sim/backends/cpu/methods/tree_method.h"
#include "sim/core/random.h"
#include "sim/forces/law.h"
#include "sim/scenes/scene.h"
#include "tests/bodies.h"
#include "tests/rounded_bodies.h"
#include "tests/tree_laws_suite.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace gravlab::cpu {
namespace {

using namespace testing_support;

TreesOf treesOfTheCpu() {
    TreesOf trees{.backend = "cpu",
                  .kinds = {},
                  .alike = {},
                  .few = {1, 2, 17, 3000},
                  .hardSamples = 1024,
                  .many = 15000,
                  .inSlices = 6000};
    for (const SimdTarget& target : simdTargets()) trees.kinds.push_back({.threads = 2, .simd = std::string(target.name)});
    for (const int threads : {1, 3}) trees.alike.push_back({.threads = threads, .simd = trees.kinds.front().simd});
    return trees;
}
INSTANTIATE_TEST_SUITE_P(Cpu, TreeLawSuite, testing::Values(treesOfTheCpu()), nameOfBackend<TreesOf>);

constexpr double kEndless = std::numeric_limits<double>::infinity();

// ---------------------------------------------------------------------------------------------------------------------
// A cell, and an expansion, against the sum of its bodies.

using Moments = NodeMoments<double, true>;

std::vector<TreeBody<double>> handful(bool neutral) {
    std::vector<TreeBody<double>> bodies;
    for (std::uint64_t k = 0; k < 12; ++k) {
        Random random(5, k);
        const auto place = [&] { return random.uniform(-0.5, 0.5); };
        TreeBody<double> body{place(), place(), place(), random.uniform(0.2, 1)};
        if (neutral && k % 2 == 1) body.source = -bodies.back().source;
        bodies.push_back(body);
    }
    return bodies;
}

Moments momentsOf(const std::vector<TreeBody<double>>& bodies) {
    return leafMoments<double, true>(static_cast<std::uint32_t>(bodies.size()), [&](std::uint32_t k) { return bodies[k]; });
}

using Pull = std::array<double, 3>;
double between(const Pull& a, const Pull& b) {
    return std::sqrt(std::pow(a[0] - b[0], 2) + std::pow(a[1] - b[1], 2) + std::pow(a[2] - b[2], 2));
}

template <class Field>
Pull pullOfBodies(const std::vector<TreeBody<double>>& bodies, const Vec3d& at, const Field& field) {
    Pull a{};
    for (const TreeBody<double>& body : bodies) {
        const double d[3] = {body.x - at.x, body.y - at.y, body.z - at.z};
        const double s = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + field.softeningSquared;
        for (std::size_t axis = 0; axis < 3; ++axis) a[axis] += body.source * field.pull(inverseRoot(s), s) * d[axis];
    }
    return a;
}

template <class Field>
Pull pullOfCell(const Moments& made, const Vec3d& at, const Field& field, bool dipole = true) {
    Pull a{};
    const CellPull<double> pull = cellPull(made.cell, field.power());
    addCellPull(a.data(), pull, at.x, at.y, at.z, field);
    if (dipole) addDipolePull(a.data(), made.dipole, pull.x, pull.y, pull.z, at.x, at.y, at.z, field);
    return a;
}

/// The power of the distance by which the error of a cell falls.
template <class Field>
double orderOf(const std::vector<TreeBody<double>>& bodies, const Field& field, bool dipole = true) {
    const Moments made = momentsOf(bodies);
    double errors[2];
    for (int k = 0; k < 2; ++k) {
        const double distance = k == 0 ? 20 : 40;
        const Vec3d at{0.6 * distance, -0.64 * distance, 0.48 * distance};
        errors[k] = between(pullOfCell(made, at, field, dipole), pullOfBodies(bodies, at, field));
    }
    return std::log2(errors[0] / errors[1]);
}

PowerField<double> fieldOf(double exponent) { return {0.01, exponent, 1e-30, 1, -1, 1, 0}; }

TEST(TreeLaws, aCellLeavesOutWhatFallsWithTheFifthPowerAndNeedsItsDipoleForThat) {
    const GravityField<double> field{0.01};
    for (const bool neutral : {false, true}) {
        const std::vector<TreeBody<double>> bodies = handful(neutral);
        EXPECT_NEAR(orderOf(bodies, field), 5, 0.25) << neutral;
        if (!neutral) continue;
        EXPECT_LT(orderOf(bodies, field, false), 3.3) << "a missing dipole falls with the third power";
        EXPECT_NEAR(momentsOf(bodies).cell.source, 0, 1e-15);
        const Vec3d at{8, 0, 0};
        const Pull want = pullOfBodies(bodies, at, field), got = pullOfCell(momentsOf(bodies), at, field);
        EXPECT_LT(between(got, want), 0.02 * between(want, {})) << "no net charge, and still a force";
    }
    for (const double exponent : {-2.0, 0.0, 0.5, 1.0, 1.5, 3.0, 5.0})
        EXPECT_NEAR(orderOf(handful(false), fieldOf(exponent)), exponent + 3, 0.3) << exponent;
    // Springs: a cell gives the exact force of its bodies at any distance.
    const Vec3d near{0.3, 0.1, -0.2};
    const std::vector<TreeBody<double>> bodies = handful(false);
    EXPECT_LT(between(pullOfCell(momentsOf(bodies), near, fieldOf(-1)), pullOfBodies(bodies, near, fieldOf(-1))), 1e-12);
}

TEST(TreeLaws, momentsOfAParentAreThoseOfItsBodies) {
    std::vector<TreeBody<double>> all, parts[3];
    for (int k = 0; k < 3; ++k) {
        parts[k] = handful(k == 1);
        for (TreeBody<double>& body : parts[k]) {
            body.x += 2 * k;
            body.y -= k;
            if (k == 2) body.source = -body.source;
            all.push_back(body);
        }
    }
    const Moments want = momentsOf(all);
    const Moments got = parentMoments<double, true>(3, [&](int k) { return momentsOf(parts[k]); });
    EXPECT_NEAR(got.cell.x, want.cell.x, 1e-13);
    EXPECT_NEAR(got.cell.source, want.cell.source, 1e-13);
    EXPECT_NEAR(got.weight, want.weight, 1e-13);
    for (int axis = 0; axis < 3; ++axis) EXPECT_NEAR(got.dipole[axis], want.dipole[axis], 1e-12) << axis;
    for (int k = 0; k < kMoments; ++k) EXPECT_NEAR(got.cell.moments[k], want.cell.moments[k], 1e-12) << k;
}

/// The power of the distance from its centre with which an expansion's error grows, and the error at the nearer of two.
template <bool kHigh, class Field>
double orderOfExpansion(const Moments& made, const Field& field, const Vec3d& way) {
    const Vec3d centre{3, -2, 2.5};
    FieldExpansion<double> expansion;
    const double e[3] = {centre.x - made.cell.x, centre.y - made.cell.y, centre.z - made.cell.z};
    addToExpansion<kHigh>(expansion, e[0], e[1], e[2], made.cell.source, made.cell.moments, field);
    addDipoleToExpansion<kHigh>(expansion, e[0], e[1], e[2], made.dipole, field);
    double errors[2];
    for (int k = 0; k < 2; ++k) {
        const Vec3d off = (k == 0 ? 0.04 : 0.02) * way;
        Pull got{};
        addExpandedPull<true>(got.data(), expansion, off.x, off.y, off.z);
        errors[k] = between(got, pullOfCell(made, centre + off, field));
    }
    return std::log2(errors[0] / errors[1]);
}

TEST(TreeLaws, anExpansionIsItsCellsToTheOrderThatItHas) {
    Moments source, dipole;
    source.cell.source = 1.5;
    dipole.dipole[0] = 0.3, dipole.dipole[1] = -0.7, dipole.dipole[2] = 0.5;
    const GravityField<double> gravity{0.01};
    const auto power = fieldOf(1.5);
    // In every direction, so that no component can be wrong alone.
    for (const Vec3d& way :
         {Vec3d{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {1, 0, -1}, {0, 1, 1}, {1, -1, 1}, {1, 2, 3}}) {
        EXPECT_NEAR((orderOfExpansion<false>(source, gravity, way)), 4, 0.4);
        EXPECT_NEAR((orderOfExpansion<true>(source, gravity, way)), 5, 0.4);
        EXPECT_NEAR((orderOfExpansion<false>(dipole, gravity, way)), 3, 0.4);
        EXPECT_NEAR((orderOfExpansion<true>(dipole, gravity, way)), 4, 0.4);
        EXPECT_NEAR((orderOfExpansion<true>(source, power, way)), 5, 0.4);
        EXPECT_NEAR((orderOfExpansion<true>(dipole, power, way)), 4, 0.4);
    }
}

TEST(TreeLaws, theFieldOfADipoleIsWhatItsPullIsTheSlopeOf) {
    const Moments made = momentsOf(handful(true));
    const GravityField<double> field{0.01};
    const CellPull<double> pull = cellPull(made.cell, field.power());
    const auto at = [&](double x) {
        return cellField(pull, x, 1.5, -1.0, field) + dipoleField(made.dipole, x - pull.x, 1.5 - pull.y, -1 - pull.z, 0.01);
    };
    const double h = 1e-5;
    EXPECT_NEAR((at(2 + h) - at(2 - h)) / (2 * h), pullOfCell(made, {2, 1.5, -1}, field)[0], 1e-8);
}

// ---------------------------------------------------------------------------------------------------------------------
// The method.

struct LawRun {
    ThreadPool pool;
    TreeMethod<float> method;
    const RoundedBodies& bodies;
    ForceRequest request;

    LawRun(const RoundedBodies& all, const ForceSettings& force, double accuracy, TreeWalk walk = TreeWalk::expansions,
           int threads = 2, const SimdTarget& simd = simdTargets().front(), TreeKeys curve = TreeKeys::hilbert)
        : pool(threads),
          method(walk, {pool, simd, all.size()}, curve),
          bodies(all),
          request{.settings = force, .allowedError = accuracy} {
        double heaviest = 0;
        for (const Double4& body : all.rounded) heaviest = std::max(heaviest, std::abs(body.w));
        request.smallestR2 = smallestR2<float>(force, heaviest);
    }
    std::vector<Double4> evaluated(double slice = kEndless) {
        method.prepare(bodies.view(), request);
        while (!method.enqueue(slice).complete) {
        }
        std::vector<Double4> result;
        const CpuForceSums<float> sums = method.sums();
        for (std::size_t i = 0; i < bodies.size(); ++i)
            result.push_back(
                {sums.factor * sums.axis[0][i], sums.factor * sums.axis[1][i], sums.factor * sums.axis[2][i], 0});
        return result;
    }
    ForceWork work() {
        method.prepare(bodies.view(), request);
        return method.enqueue(kEndless).work;
    }
};

void keeps(const RoundedBodies& bodies, const ForceSettings& force, const std::string& name) {
    const LawTruth truth(bodies.rounded, {}, force);
    for (const TreeWalk walk : {TreeWalk::cells, TreeWalk::expansions}) {
        double pairs = kEndless;
        for (const double accuracy : {1e-4, 1e-3, 1e-2}) {
            SCOPED_TRACE(name + (walk == TreeWalk::cells ? ", cells" : ", expansions") + ", accuracy " +
                         std::to_string(accuracy));
            LawRun run(bodies, force, accuracy, walk);
            ForceCheck check;
            for (const char* which : {"the first evaluation", "the second"}) {
                const std::vector<Double4> got = run.evaluated();
                check = truth.check(got, run.method.accuracy().gate);
                EXPECT_TRUE(check.passed) << which << ": " << check.text();
            }
            const ForceWork work = run.work();
            const double each = static_cast<double>(bodies.size());
            std::printf("%-26s %-10s %8.0e: median %.1e, 99 %% %.1e, worst %.1e; %.0f bodies, %.0f cells a body\n",
                        name.c_str(), walk == TreeWalk::cells ? "cells" : "expansions", accuracy, check.median, check.p99,
                        check.max, work.pairs / each, work.cells / each);
            EXPECT_LE(work.pairs, pairs) << "a coarser accuracy takes no more";
            pairs = work.pairs;
        }
    }
}

/// GRAVLAB_TREE_BODIES=131072 measures more bodies, and more powers.
std::size_t measuredBodies() {
    const char* asked = std::getenv("GRAVLAB_TREE_BODIES");
    return asked ? static_cast<std::size_t>(std::atoll(asked)) : 8192;
}

TEST(TreeLaws, chargesKeepTheAccuracyThatIsAskedFor) {
    for (const Signs signs : {Signs::one, Signs::both, Signs::halves, Signs::cloud})
        keeps(RoundedBodies(ball(measuredBodies(), signs)), charged(signs == Signs::cloud ? 0.05 : 0.01),
              kSignNames[static_cast<std::size_t>(signs)]);
}

TEST(TreeLaws, thePowerLawKeepsTheAccuracyThatIsAskedFor) {
    std::vector exponents{-4.0, -1.0, 1.0, 1.5, 3.0};
    if (std::getenv("GRAVLAB_TREE_BODIES")) exponents.insert(exponents.end(), {-2.5, 0.0, 5.0, 9.0});
    for (const double exponent : exponents)
        keeps(RoundedBodies(ball(measuredBodies(), Signs::one)), powered(exponent, 0.02, 0.5),
              "a = " + std::to_string(exponent));
    keeps(RoundedBodies(sceneNamed("power-law").build({.bodies = 20000, .seed = 3})), powered(-1, 0.05),
          "the scene's springs");
}

TEST(TreeLaws, cellsAreTaken) {
    // Otherwise the tests above would prove nothing.
    for (const ForceSettings& force : {charged(), powered(1.5), powered(-1), powered(3)}) {
        const RoundedBodies bodies(ball(20000, Signs::one));
        for (const TreeWalk walk : {TreeWalk::theta, TreeWalk::cells, TreeWalk::expansions}) {
            LawRun run(bodies, force, 1e-3, walk);
            run.evaluated();
            const ForceWork work = run.work();
            EXPECT_LT(work.pairs, 0.25 * 20000.0 * 20000.0);
            EXPECT_GT(work.cells, 0);
            EXPECT_EQ(work.bodies, 20000);
        }
    }
}

TEST(TreeLaws, aRowKeepsWhatItsMethodSays) {
    const RoundedBodies bodies(ball(40, Signs::one));
    ThreadPool pool(1);
    for (const KernelRow& row : kernels()) {
        if (row.backend != "cpu" || !row.approximates) continue;
        for (const ForceSettings& force : {ForceSettings{.softening = 0.02}, charged(), powered(1.5), powered(5)}) {
            if (!refusal(row, force).empty()) continue;
            const auto method =
                makeMethod<float>(cpuKernel(row), Precision::fp32, {pool, simdTargets().front(), bodies.size()});
            for (const double allowed : {0.0, 1e-4})
                for (const double opening : {0.0, 0.25, 0.7}) {
                    method->prepare(bodies.view(), {.settings = force, .allowedError = allowed, .opening = opening});
                    const double kept = keptAccuracy(row, force, allowed, opening);
                    EXPECT_EQ(kept, method->accuracy().allowedError) << row.name << ", law " << lawRow(force.law).name << ' '
                                                                     << force.exponent << ", " << allowed << ", " << opening;
                    EXPECT_EQ(gateOf(row, force, allowed, opening).median, method->accuracy().gate.median);
                    if (!isBuilt("cuda")) continue;
                    EXPECT_EQ(kept, keptAccuracy(kernel("cuda", row.name), force, allowed, opening)) << "on a GPU";
                }
        }
    }
    // A steep law needs a narrower angle for the same error.
    const KernelRow& theta = kernel("cpu", "tree-theta");
    EXPECT_GT(keptAccuracy(theta, powered(5), 0, 0.35), 2 * keptAccuracy(theta, {}, 0, 0.35));
    EXPECT_EQ(keptAccuracy(theta, powered(5)), keptAccuracy(theta, {}));
}

TEST(TreeLaws, massesOverTwelveDecadesPointsOfManyAndForcesThatCancel) {
    constexpr std::size_t kCount = 16000;
    ParticleSet spread = ball(kCount, Signs::one), points = spread, mirrored = spread;
    for (std::size_t i = 0; i < kCount; ++i) {
        spread.position[i].w = std::pow(10.0, 12.0 * Random(3, i).uniform());
        // Four thousand bodies at each of four positions: more than keys or leaves can separate.
        points.position[i] = {i % 2 ? 1.0 : -0.5, i % 4 < 2 ? 0.25 : -1.5, 0.125, points.position[i].w};
        if (i % 2 == 1) {
            const Double4& other = mirrored.position[i - 1];
            mirrored.position[i] = {-other.x, -other.y, -other.z, other.w};
        }
    }
    // In the middle of equal and opposite forces nothing is left for a relative error.
    mirrored.position[0] = mirrored.position[1] = {0, 0, 0, mirrored.position[0].w};
    const ForceSettings gravity{.softening = 0.02};
    for (const auto& [name, set] : {std::pair("1e12", &spread), {"points", &points}, {"mirrored", &mirrored}})
        for (ForceSettings force : {gravity, charged(), powered(1.5)}) {
            SCOPED_TRACE(std::string(name) + ", " + std::string(lawRow(force.law).name));
            ParticleSet bodies = *set;
            if (force.law == kLaw<Coulomb> && set != &mirrored)
                for (std::size_t i = 0; i < kCount; i += 3) bodies.position[i].w *= -1;
            const RoundedBodies rounded(bodies);
            LawRun run(rounded, force, 1e-3);
            const LawTruth truth(rounded.rounded, {}, force);
            for (int k = 0; k < 2; ++k) {
                const ForceCheck check = truth.check(run.evaluated(), gateOfAccuracy(1e-3));
                EXPECT_TRUE(check.passed) << check.text();
            }
            const ForceWork work = run.work();
            std::printf("%-9s %-9s: %.0f bodies, %.0f cells a body\n", name, lawRow(force.law).name.data(),
                        work.pairs / kCount, work.cells / kCount);
            if (set != &points) {
                EXPECT_LT(work.pairs, 0.5 * kCount * kCount) << "every pair was met";
            }
        }
}

TEST(TreeLaws, areAsExactInFarUnits) {
    const ParticleSet bodies = ball(5000, Signs::one);
    for (const double exponent : {-1.0, 1.5, 5.0}) {
        ParticleSet far = bodies;
        constexpr double kUnit = 0x1p20;
        for (Double4& at : far.position) at = {kUnit * at.x, kUnit * at.y, kUnit * at.z, at.w};
        const RoundedBodies near(bodies), wide(far);
        const LawTruth truth(wide.rounded, {}, powered(exponent, 0.02 * kUnit));
        const ForceCheck check =
            truth.check(LawRun(wide, powered(exponent, 0.02 * kUnit), 1e-3).evaluated(), gateOfAccuracy(1e-3));
        EXPECT_TRUE(check.passed) << exponent << ": " << check.text();
    }
}

TEST(TreeLaws, aMortonCurveOrdersBodiesAnewAndIsAsExact) {
    const ForceSettings gravity{.softening = 0.02};
    const RoundedBodies bodies(ball(20000, Signs::one));
    LawRun hilbert(bodies, gravity, 1e-3),
        morton(bodies, gravity, 1e-3, TreeWalk::expansions, 2, simdTargets().front(), TreeKeys::morton);
    const std::vector<Double4> along = hilbert.evaluated(), jumping = morton.evaluated();
    EXPECT_FALSE(sameBytes(along, jumping));
    const ForceCheck check = LawTruth(bodies.rounded, {}, gravity).check(jumping, gateOfAccuracy(1e-3));
    EXPECT_TRUE(check.passed) << check.text();
    const Octree& tree = morton.method.tree();
    for (const std::size_t place : {std::size_t{0}, std::size_t{777}, bodies.size() - 1}) {
        const Double4& at = bodies.rounded[tree.view().order[place]];
        const auto grid = [&](double x) { return treePlace(static_cast<float>(x) * tree.scale().grid); };
        EXPECT_EQ(tree.keyAt(place), mortonKey(grid(at.x), grid(at.y), grid(at.z)));
    }
}

TEST(TreeLaws, oneSignOfChargeIsGravityThatPushes) {
    const RoundedBodies bodies(ball(8000, Signs::one));
    const std::vector<Double4> push = LawRun(bodies, charged(), 1e-4).evaluated(),
                               pull = LawRun(bodies, {.softening = 0.02}, 1e-4).evaluated();
    double worst = 0;
    for (std::size_t i = 0; i < push.size(); ++i)
        worst = std::max(worst, length(xyz(push[i]) + xyz(pull[i])) / length(xyz(pull[i])));
    EXPECT_LT(worst, 2e-3);
}

// ---------------------------------------------------------------------------------------------------------------------
// A walk in plain loops, which can be made wrong.

enum class LawFault { none, noDipole, turnedDipole, netCharges, staleLengths };

std::vector<Double4> walkedByHand(const RoundedBodies& bodies, std::span<const double> lengths, const ForceSettings& force,
                                  double accuracy, LawFault fault) {
    ThreadPool pool(2);
    Octree tree(bodies.size());
    tree.takeSigned(true);
    const TreeBodies<float> from{bodies.view().axis, bodies.view().source};
    tree.build(from, treeKernels(simdTargets().front()), pool);
    const TreeView view = tree.view();
    const double scale = tree.scale().length;
    const GravityField<double> field{force.softening * force.softening * scale * scale};
    std::vector<Double4> result(bodies.size());
    const auto place = [&](std::size_t axis, std::size_t at) { return static_cast<double>(view.body[axis][at]); };
    for (const TreeGroup& group : tree.groups()) {
        double low[3] = {1e300, 1e300, 1e300}, high[3] = {-1e300, -1e300, -1e300}, least = 1e300;
        for (std::uint32_t k = group.first; k < group.first + group.count; ++k) {
            for (std::size_t axis = 0; axis < 3; ++axis) {
                low[axis] = std::min(low[axis], place(axis, k));
                high[axis] = std::max(high[axis], place(axis, k));
            }
            least = std::min(least, lengths[view.order[k]]);
        }
        if (fault == LawFault::staleLengths) least *= 100;
        const GroupCriterion<double> criterion{
            .opening = 0,
            .limit =
                shareOfAccuracy(force, accuracy, static_cast<double>(bodies.size())) * least / tree.scale().acceleration,
            .radius = 0};
        std::vector<Pull> sums(group.count);
        std::vector<std::size_t> waiting{0};
        while (!waiting.empty()) {
            const std::size_t node = waiting.back();
            waiting.pop_back();
            const NodeMoments<float, true> made = tree.signedMoments(node);
            const double at[3] = {made.cell.x, made.cell.y, made.cell.z}, farthest = made.farthest;
            double squared = 0;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const double gap = std::abs(at[axis] - (low[axis] + high[axis]) / 2) - (high[axis] - low[axis]) / 2;
                squared += std::pow(std::max(gap, 0.0), 2);
            }
            const double weight = fault == LawFault::netCharges ? std::abs(made.cell.source) : made.weight;
            const bool many = view.count[node] > 0 || view.count[node] < -2;
            if (many && acceptsCell<false>(criterion, squared, farthest, weight * farthest * farthest * farthest)) {
                Moments cell;
                cell.cell = {at[0], at[1], at[2], made.cell.source, {}};
                for (int k = 0; k < kMoments; ++k) cell.cell.moments[k] = made.cell.moments[k];
                for (int axis = 0; axis < 3; ++axis)
                    cell.dipole[axis] = (fault == LawFault::turnedDipole ? -1.0 : 1.0) * made.dipole[axis];
                for (std::uint32_t k = 0; k < group.count; ++k) {
                    const std::size_t own = group.first + k;
                    const Pull a =
                        pullOfCell(cell, {place(0, own), place(1, own), place(2, own)}, field, fault != LawFault::noDipole);
                    for (std::size_t axis = 0; axis < 3; ++axis) sums[k][axis] += a[axis];
                }
                continue;
            }
            if (view.count[node] > 0) {
                for (int k = 0; k < view.count[node]; ++k) waiting.push_back(static_cast<std::size_t>(view.first[node] + k));
                continue;
            }
            std::vector<TreeBody<double>> leaf;
            for (int k = 0; k < -view.count[node]; ++k) {
                const auto source = static_cast<std::size_t>(view.first[node] + k);
                leaf.push_back({place(0, source), place(1, source), place(2, source), view.source[source]});
            }
            for (std::uint32_t k = 0; k < group.count; ++k) {
                const std::size_t own = group.first + k;
                const Pull a = pullOfBodies(leaf, {place(0, own), place(1, own), place(2, own)}, field);
                for (std::size_t axis = 0; axis < 3; ++axis) sums[k][axis] += a[axis];
            }
        }
        const double factor = forceFactor(force) * tree.scale().acceleration;
        for (std::uint32_t k = 0; k < group.count; ++k)
            result[view.order[group.first + k]] = {factor * sums[k][0], factor * sums[k][1], factor * sums[k][2], 0};
    }
    return result;
}

TEST(TreeLaws, wrongWalksFailTheGate) {
    const ForceSettings force = charged(0.01);
    const double accuracy = 1e-3;
    // Shells of both signs about each other, so that cells at the border cancel and are far from having no dipole.
    ParticleSet set = ball(4096, Signs::both);
    for (Double4& at : set.position) at.w = std::copysign(at.w, std::sin(9 * at.x) * std::sin(9 * at.y));
    const RoundedBodies bodies(set);
    std::vector<std::uint32_t> all(bodies.size());
    std::iota(all.begin(), all.end(), 0u);
    std::vector<Double4> want(all.size());
    std::vector<double> floors(all.size()), lengths;
    referenceForces(bodies.rounded, {}, all, force, want, floors);
    for (std::size_t i = 0; i < all.size(); ++i) lengths.push_back(std::max(length(xyz(want[i])), floors[i]));
    const auto passes = [&](LawFault fault) {
        const ForceCheck check =
            compareForces(walkedByHand(bodies, lengths, force, accuracy, fault), want, gateOfAccuracy(accuracy), floors);
        std::printf("fault %d: %s\n", static_cast<int>(fault), check.text().c_str());
        return check.passed;
    };
    EXPECT_TRUE(passes(LawFault::none));
    EXPECT_FALSE(passes(LawFault::noDipole));
    EXPECT_FALSE(passes(LawFault::turnedDipole));
    EXPECT_FALSE(passes(LawFault::netCharges));
    EXPECT_FALSE(passes(LawFault::staleLengths));
}

// ---------------------------------------------------------------------------------------------------------------------
// Rows, runs, energy.

TEST(TreeLaws, rowsSayWhichLawsTheyKnow) {
    for (const char* backend : {"cpu", "cuda"})
        for (const char* name : {"tree-theta-monopole", "tree-theta", "tree-cells", "tree"}) {
            const KernelRow& row = kernel(backend, name);
            if (!isBuilt(backend)) continue;
            SCOPED_TRACE(std::string(backend) + " " + name);
            EXPECT_EQ(refusal(row, {}), "");
            EXPECT_EQ(refusal(row, powered(1.5)), "");
            EXPECT_EQ(refusal(row, powered(-1)), "");
            const Reason charges = refusal(row, charged()), atoms = refusal(row, {.law = kLaw<LennardJones>});
            const bool monopole = std::string_view(name) == "tree-theta-monopole";
            EXPECT_EQ(charges.empty(), !monopole) << charges;
            if (monopole) {
                EXPECT_NE(charges.find("take 'tree-theta'"), std::string::npos) << charges;
            }
            EXPECT_NE(atoms.find("power law"), std::string::npos) << atoms;
            EXPECT_NE(atoms.find("take '"), std::string::npos) << atoms;
        }
}

TEST(TreeLaws, runsGoOnFromACheckpointBitForBitAndAreChecked) {
    for (const ForceSettings& force : {charged(0.05), powered(-1, 0.05)}) {
        const std::unique_ptr<Backend> one = backend("cpu").make({.threads = 2}),
                                       other = backend("cpu").make({.threads = 2});
        const bool charges = force.law == kLaw<Coulomb>;
        const ParticleSet start = sceneNamed(charges ? "charges" : "power-law").build({.bodies = 10000, .seed = 1});
        KernelChoice choice{.allowedError = 1e-3};
        one->load(start, {force, choice});
        EXPECT_EQ(one->activeKernel().name, "tree");
        const StepProgram program = integrator("leapfrog").program;
        const auto advance = [&](Backend& by, std::int64_t steps) {
            by.advance(program, 1e-3, {.steps = steps}, nullptr);
            by.wait();
            return by.bodies();
        };
        const ParticleSet half = advance(*one, 2);
        other->load(half, {force, choice});
        other->restoreForceState(one->forceState());
        one->requestForceCheck(randomTargets(start.size()));
        EXPECT_TRUE(sameState(advance(*one, 2), advance(*other, 2)));
        const std::optional<ForceCheck> check = one->takeForceCheck();
        ASSERT_TRUE(check);
        EXPECT_TRUE(check->passed) << check->text();
    }
}

TEST(TreeLaws, everyRowIsVerifiedUnderThem) {
    const std::unique_ptr<Backend> made = backend("cpu").make({.threads = 2});
    const Verdict verdict = verifyKernel(*made, kernel("cpu", "tree"), std::nullopt);
    EXPECT_EQ(verdict.state, Verdict::State::passed) << verdict.note;
}

TEST(TreeLaws, theEnergyOfChargesIsThatOfAllPairs) {
    for (const Signs signs : {Signs::one, Signs::halves, Signs::cloud}) {
        const ParticleSet bodies = ball(6000, signs);
        ForceSettings force = charged(0.03);
        force.strength = 1.75;
        const ForceTerms terms = termsOf(force, {});
        const Diagnostics want = measureSystem(bodies, terms, 2), got = measureSystem(bodies, terms, 2, pairsByTree(1e-4));
        EXPECT_NEAR(got.potential, want.potential, 1e-4 * std::abs(want.potential));
        EXPECT_LE(std::abs(got.potential - want.potential), 4 * got.potentialError * std::abs(want.potential) + 1e-12);
        EXPECT_LT(got.potentialError, 1e-2) << kSignNames[static_cast<std::size_t>(signs)];
        EXPECT_NEAR(got.shape.closest, want.shape.closest, 1e-5 * want.shape.closest);
    }
}

}  // namespace
}  // namespace gravlab::cpu
