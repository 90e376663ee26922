// The force check must catch what goes wrong in force kernels. Each test here is a kernel with one fault.
#include "sim/forces/force_check.h"

#include "sim/forces/reference_force.h"
#include "sim/run/simulation.h"
#include "sim/scenes/scene.h"
#include "tests/bodies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <set>

namespace gravlab {
namespace {

using namespace testing_support;

constexpr double kSoftening = 0.05;

/// A correct float force with one fault added.
struct WrongForce {
    const char* name;
    std::function<Double4(const std::vector<Double4>& x, std::size_t i)> force;
};

Double4 plain(const std::vector<Double4>& x, std::size_t i, std::size_t first, std::size_t last, double squared) {
    Double4 a{};
    for (std::size_t j = first; j < last; ++j) {
        const float dx = static_cast<float>(x[j].x - x[i].x), dy = static_cast<float>(x[j].y - x[i].y),
                    dz = static_cast<float>(x[j].z - x[i].z);
        const float r2 = dx * dx + dy * dy + dz * dz + static_cast<float>(squared);
        const float s = static_cast<float>(x[j].w) / (r2 * std::sqrt(r2));
        a.x += s * dx;
        a.y += s * dy;
        a.z += s * dz;
    }
    return a;
}

const double kSquared = kSoftening * kSoftening;

ForceCheck checkOf(std::size_t count, const std::function<Double4(const std::vector<Double4>&, std::size_t)>& force) {
    const std::vector<Double4> x = unevenBodies(count).position;
    const std::vector<std::uint32_t> targets = sampleTargets(x);
    std::vector<Double4> got, want(targets.size());
    for (const std::uint32_t i : targets) got.push_back(force(x, i));
    referenceGravity(x, targets, kSoftening, want);
    return compareForces(got, want, kGate32);
}

const WrongForce kWrongForces[] = {
    {"zero force", [](auto&, std::size_t) { return Double4{}; }},
    {"force x 1.001",
     [](auto& x, std::size_t i) {
         Double4 a = plain(x, i, 0, x.size(), kSquared);
         for (double* c : {&a.x, &a.y, &a.z}) *c *= 1.001;
         return a;
     }},
    {"last body dropped", [](auto& x, std::size_t i) { return plain(x, i, 0, x.size() - 1, kSquared); }},
    {"first body dropped", [](auto& x, std::size_t i) { return plain(x, i, 1, x.size(), kSquared); }},
    {"last tile dropped", [](auto& x, std::size_t i) { return plain(x, i, 0, x.size() / 256 * 256, kSquared); }},
    {"softening not squared", [](auto& x, std::size_t i) { return plain(x, i, 0, x.size(), kSoftening); }},
    {"softening squared twice", [](auto& x, std::size_t i) { return plain(x, i, 0, x.size(), kSquared * kSquared); }},
    {"no softening", [](auto& x, std::size_t i) { return plain(x, i, 0, x.size(), 1e-20); }},
    {"y and z swapped",
     [](auto& x, std::size_t i) {
         Double4 a = plain(x, i, 0, x.size(), kSquared);
         std::swap(a.y, a.z);
         return a;
     }},
    {"one sign wrong",
     [](auto& x, std::size_t i) {
         Double4 a = plain(x, i, 0, x.size(), kSquared);
         a.x = -a.x;
         return a;
     }},
    {"mass of the target for that of the source",
     [](auto& x, std::size_t i) {
         std::vector<Double4> wrong = x;
         for (Double4& body : wrong) body.w = x[i].w;
         return plain(wrong, i, 0, x.size(), kSquared);
     }},
    {"not a number",
     [](auto&, std::size_t) {
         return Double4{NAN, NAN, NAN, 0};
     }},
    {"one body not a number",
     [](auto& x, std::size_t i) {
         Double4 a = plain(x, i, 0, x.size(), kSquared);
         if (i == x.size() - 1) a.z = NAN;
         return a;
     }},
    {"only the last body wrong",
     [](auto& x, std::size_t i) { return i + 1 == x.size() ? Double4{} : plain(x, i, 0, x.size(), kSquared); }},
    {"infinite",
     [](auto&, std::size_t) {
         return Double4{std::numeric_limits<double>::infinity(), 0, 0, 0};
     }},
};

TEST(ForceCheckTest, passesARightFloatKernel) {
    for (const std::size_t count : {2, 3, 33, 257, 1000, 4097}) {
        const ForceCheck check = checkOf(count, [](auto& x, std::size_t i) { return plain(x, i, 0, x.size(), kSquared); });
        EXPECT_TRUE(check.passed) << count << ": " << check.text();
        EXPECT_GT(check.max, 0) << "the kernel computes in float: it cannot be exact";
    }
}

TEST(ForceCheckTest, catchesEveryFault) {
    for (const std::size_t count : {33, 257, 1000})
        for (const WrongForce& wrong : kWrongForces) {
            if (count == 33 && std::string(wrong.name) == "last tile dropped") continue;
            const ForceCheck check = checkOf(count, wrong.force);
            EXPECT_FALSE(check.passed) << wrong.name << " passed for " << count << " bodies: " << check.text();
        }
}

TEST(ForceCheckTest, saysWhatIsWrong) {
    const ForceCheck nan = checkOf(257, kWrongForces[11].force);
    EXPECT_EQ(nan.nonFinite, nan.samples);
    EXPECT_THAT(nan.text(), testing::HasSubstr("not finite"));
    const ForceCheck one =
        checkOf(257, [](auto& x, std::size_t i) { return i == 256 ? Double4{} : plain(x, i, 0, x.size(), kSquared); });
    EXPECT_THAT(one.text(), testing::HasSubstr("FAILED"));
    EXPECT_NEAR(one.max, 1, 1e-6);
}

TEST(ForceCheckTest, nothingComparedIsNotVerified) { EXPECT_FALSE(compareForces({}, {}, kGate32).passed); }

TEST(ForceCheckTest, differentLengthsAreAMistakeOfTheCaller) {
    const std::vector<Double4> one(1), two(2);
    EXPECT_THROW(compareForces(one, two, kGate32), std::invalid_argument);
}

TEST(ForceCheckTest, noForceMustBeExactlyNone) {
    const std::vector<Double4> none(3);
    EXPECT_TRUE(compareForces(none, none, kGate64).passed);
    std::vector<Double4> tiny(3);
    tiny[2].y = 1e-300;
    EXPECT_FALSE(compareForces(tiny, none, kGate32).passed);
}

TEST(ForceCheckTest, cancellingForcesAreHeldAgainstTheOthers) {
    const std::vector<Double4> want = {{1, 0, 0, 0}, {0, 1, 0, 0}, {1e-12, 0, 0, 0}};
    std::vector<Double4> got = want;
    got[2].x = 2e-12;
    EXPECT_TRUE(compareForces(got, want, kGate32).passed) << "twice a force that is nothing beside the others";
    got[2].x = 1e-7;
    EXPECT_FALSE(compareForces(got, want, kGate32).passed);
}

TEST(ForceCheckTest, bodiesAtRestInCrystalsAndAmongChargesPassAndFaultsDoNot) {
    for (const char* scene : {"lennard-jones", "charges"}) {
        Simulation simulation({.scene = scene,
                               .bodies = 1024,
                               .backend = "cpu",
                               .backendOptions = {.threads = 1},
                               .precision = Precision::fp32});
        for (int patience = 0; patience < 1000 && !simulation.forceCheck(); ++patience)
            simulation.advance({.seconds = 0.01, .steps = 1}, nullptr);
        ASSERT_TRUE(simulation.forceCheck()) << scene;
        EXPECT_TRUE(simulation.forceCheck()->passed) << scene << ": " << simulation.forceCheck()->text();

        ParticleSet bodies = simulation.bodies();
        ForceSettings force{.precision = Precision::fp32};
        force.softening = simulation.configuration().force.softening;
        force.law = simulation.configuration().force.law;
        const std::vector<std::uint32_t> targets = sampleTargets(bodies.position);
        std::vector<Double4> want(targets.size());
        std::vector<double> floors(targets.size());
        referenceForces(bodies.position, bodies.velocity, targets, force, want, floors);
        EXPECT_TRUE(compareForces(want, want, gateOf(force), floors).passed);
        std::vector<Double4> strong = want, last = want;
        for (Double4& a : strong) a = {1.001 * a.x, 1.001 * a.y, 1.001 * a.z, 0};
        EXPECT_FALSE(compareForces(strong, want, gateOf(force), floors).passed) << scene << ": a thousandth too strong";
        const std::span<const Double4> fewer(bodies.position.data(), bodies.size() - 64);
        referenceForces(bodies.position, bodies.velocity, targets, force, want);
        for (std::size_t k = 0; k < targets.size(); ++k) {
            const Double4 a = plainForce(fewer, bodies.position[targets[k]], force);
            const double response = bodies.velocity[targets[k]].w;
            last[k] = {response * a.x, response * a.y, response * a.z, 0};
        }
        EXPECT_FALSE(compareForces(last, want, gateOf(force), floors).passed) << scene << ": the last sources left out";
    }
}

/// A scene at the numbers that single precision has.
ParticleSet inSingle(const char* scene, std::size_t count) {
    ParticleSet bodies = sceneNamed(scene).build({.bodies = count, .seed = 1});
    const auto round = [](double& value) { value = static_cast<float>(value); };
    for (Double4& x : bodies.position)
        for (double* value : {&x.x, &x.y, &x.z, &x.w}) round(*value);
    return bodies;
}

/// The force of the first `last` bodies, summed in their order in single precision as by a plain kernel.
Double4 sumInSingle(const std::vector<Double4>& x, std::size_t i, std::size_t last, float squared) {
    float a[3] = {};
    for (std::size_t j = 0; j < last; ++j) {
        const float way[3] = {static_cast<float>(x[j].x - x[i].x), static_cast<float>(x[j].y - x[i].y),
                              static_cast<float>(x[j].z - x[i].z)};
        const float r2 = way[0] * way[0] + way[1] * way[1] + way[2] * way[2] + squared;
        const float s = static_cast<float>(x[j].w) / (r2 * std::sqrt(r2));
        for (int k = 0; k < 3; ++k) a[k] += s * way[k];
    }
    return {a[0], a[1], a[2], 0};
}

TEST(ForceCheckTest, lightBodiesCountBesideAHeavyOne) {
    // Each pull of a light body is below the rounding of the heavy one's.
    for (const char* scene : {"planetesimals", "rings", "moon"}) {
        const ParticleSet bodies = inSingle(scene, 2048);
        const std::vector<std::uint32_t> targets = randomTargets(bodies.size(), 256);
        std::vector<Double4> got, want(targets.size());
        for (const std::uint32_t i : targets) got.push_back(sumInSingle(bodies.position, i, bodies.size(), 1e-24f));
        referenceGravity(bodies.position, targets, 0, want);
        const ForceCheck check = compareForces(got, want, kGate32);
        EXPECT_TRUE(check.passed) << scene << ": " << check.text();
        EXPECT_LT(check.median, 4e-7) << scene;
    }
}

TEST(ForceCheckTest, pullsThatCancelAreMeasuredByTheirSizesAndFaultsAreFound) {
    // In the middle of a cloth the pulls of 2,048 bodies cancel to a two-hundredth of their sizes.
    const ForceSettings force{.precision = Precision::fp32, .softening = 0.05};
    const ParticleSet bodies = inSingle("cloth", 2048);
    std::vector<std::uint32_t> all(bodies.size());
    std::iota(all.begin(), all.end(), 0);
    std::vector<Double4> got(all.size()), want(all.size());
    std::vector<double> floors(all.size()), before(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) got[i] = sumInSingle(bodies.position, i, all.size(), 0.0025f);
    referenceForces(bodies.position, {}, all, force, want, before);
    referenceForces(bodies.position, {}, all, force, want, floors, leastShare(kGate32));
    EXPECT_THAT(before, testing::Each(0));
    EXPECT_FALSE(compareForces(got, want, kGate32, before).passed) << "nothing cancels here";
    EXPECT_TRUE(compareForces(got, want, kGate32, floors).passed) << compareForces(got, want, kGate32, floors).text();
    std::vector<Double4> strong = want, last = want;
    for (Double4& a : strong) a = {1.00003 * a.x, 1.00003 * a.y, 1.00003 * a.z, 0};
    EXPECT_FALSE(compareForces(strong, want, kGate32, floors).passed) << "a thirty-thousandth too strong";
    for (std::size_t i = 0; i < all.size(); ++i) last[i] = sumInSingle(bodies.position, i, all.size() - 1, 0.0025f);
    EXPECT_FALSE(compareForces(last, want, kGate32, floors).passed) << "the last source left out";
    // The floor of a body is below one unit in the last place of its sizes, times the gate.
    double sizes = 0;
    for (const Double4& x : bodies.position) {
        const Vec3d apart = xyz(x) - xyz(bodies.position[0]);
        const double squared = dot(apart, apart) + 0.0025;
        sizes += x.w * length(apart) / (squared * std::sqrt(squared));
    }
    EXPECT_NEAR(floors[0], 0.02 * sizes, 1e-9 * sizes);
    EXPECT_LT(kGate32.p999 * floors[0], std::numeric_limits<float>::epsilon() * sizes);
    EXPECT_EQ(leastShare(gateOfAccuracy(1e-3)), 0) << "an accuracy is relative to the force";
}

TEST(SampleTargets, hasTheBodiesWhereKernelsGoWrong) {
    std::vector<Double4> x(5000, Double4{0, 0, 0, 1});
    x[1234].w = 9;
    const std::vector<std::uint32_t> targets = sampleTargets(x, 256);
    EXPECT_LE(targets.size(), 256u);
    EXPECT_GE(targets.size(), 200u);
    EXPECT_TRUE(std::is_sorted(targets.begin(), targets.end()));
    const std::set<std::uint32_t> distinct(targets.begin(), targets.end());
    EXPECT_EQ(distinct.size(), targets.size());
    for (const std::uint32_t i : {0u, 4999u, 1234u, 31u, 32u, 127u, 128u, 255u, 256u, 257u, 1023u, 1024u, 4863u, 4864u})
        EXPECT_TRUE(distinct.count(i)) << i;
}

TEST(SampleTargets, takesAllOfASmallSetAndNeverTooMany) {
    for (const std::size_t count : {1, 2, 33, 255, 256}) {
        const std::vector<Double4> x(count);
        EXPECT_EQ(sampleTargets(x, 256).size(), count);
    }
    for (const std::size_t count : {257, 300, 511, 1000, 100003}) {
        const std::vector<std::uint32_t> targets = sampleTargets(std::vector<Double4>(count), 256);
        EXPECT_LE(targets.size(), 256u);
        EXPECT_GE(targets.size(), 200u);
        EXPECT_LT(targets.back(), count);
    }
    EXPECT_EQ(sampleTargets(std::vector<Double4>(1000), 3).size(), 3u);
    EXPECT_TRUE(sampleTargets({}, 256).empty());
}

}  // namespace
}  // namespace gravlab
