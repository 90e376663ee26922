// Trees under charges and the power law on any backend: hard bodies, opening angles, the same bits, and a change of the law.
// Include it once in a test binary: INSTANTIATE_TEST_SUITE_P(Cpu, TreeLawSuite, testing::Values(kTrees),
// nameOfBackend<TreesOf>);
#pragma once
#include "sim/api/errors.h"
#include "sim/backends/kernel_rows.h"
#include "sim/forces/force_check.h"
#include "sim/forces/law.h"
#include "sim/scenes/scene.h"
#include "tests/charged_shapes.h"
#include "tests/on_backend.h"

#include <cmath>
#include <cstdint>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <vector>

namespace gravlab::testing_support {

inline ForceSettings charged(double softening = 0.02) { return {.law = kLaw<Coulomb>, .softening = softening}; }
inline ForceSettings powered(double exponent, double softening = 0.02, double strength = 1) {
    return {.law = kLaw<PowerLaw>, .softening = softening, .exponent = exponent, .strength = strength};
}

enum class Signs { one, both, halves, cloud };
inline constexpr const char* kSignNames[] = {"one sign", "both signs", "a half of each", "a nucleus and its cloud"};

/// A ball as dense inside as a cluster, of charges; or a heavy charge and its cloud.
inline ParticleSet ball(std::size_t count, Signs signs, std::uint64_t seed = 3) {
    ParticleSet bodies = sceneNamed(signs == Signs::cloud ? "charges" : "plummer").build({.bodies = count, .seed = seed});
    for (std::size_t i = 0; i < count; ++i) {
        Double4& at = bodies.position[i];
        if (signs == Signs::both && i % 2 == 1) at.w = -at.w;
        if (signs == Signs::halves && at.x < 0) at.w = -at.w;
    }
    return bodies;
}

/// Moves nothing that a comparison could see: a second evaluation at the same places.
inline void stepInPlace(Backend& backend) {
    for (std::int64_t done = 0; done < 1;)
        done += backend.advance(integrator("leapfrog").program, 1e-12, {.steps = 1}, nullptr).stepsCompleted;
    backend.wait();
}

inline std::unique_ptr<Backend> treeUnder(const char* name, const ForceSettings& force, const ParticleSet& bodies,
                                          const KernelChoice& choice, const BackendOptions& options = {}) {
    std::unique_ptr<Backend> made = backend(name).make(options);
    made->load(bodies, ForceConfiguration{force, choice});
    return made;
}

/// Forces of some bodies, and the reference of their errors.
struct LawTruth {
    std::vector<std::uint32_t> targets;
    std::vector<Double4> want;
    std::vector<double> floors;

    LawTruth(std::span<const Double4> positions, std::span<const Double4> velocities, const ForceSettings& force,
             std::size_t count = 1024)
        : targets(randomTargets(positions.size(), count)), want(targets.size()), floors(targets.size()) {
        referenceForces(positions, velocities, targets, force, want, floors);
    }
    LawTruth(const ParticleSet& bodies, const ForceSettings& force, std::size_t count = 1024)
        : LawTruth(bodies.position, bodies.velocity, force, count) {}
    ForceCheck check(const std::vector<Double4>& all, const ForceGate& gate) const {
        std::vector<Double4> got;
        for (const std::uint32_t target : targets) got.push_back(all.at(target));
        return compareForces(got, want, gate, floors);
    }
    ForceCheck check(Backend& backend, double accuracy) const {
        std::vector<Double4> all;
        backend.accelerations(all);
        return check(all, gateOfAccuracy(accuracy));
    }
};

/// What the suite must know of a backend.
struct TreesOf {
    const char* backend;
    std::vector<BackendOptions> kinds;        ///< machine code of different kinds, each tested
    std::vector<BackendOptions> alike;        ///< options that change no bit
    std::vector<std::size_t> few;             ///< numbers of hard bodies
    std::size_t hardSamples, many, inSlices;  ///< compared hard bodies; bodies of a ball, and of a sliced one
};
inline void PrintTo(const TreesOf& trees, std::ostream* out) { *out << trees.backend; }

class TreeLawSuite : public OnBackend<TreesOf> {
protected:
    static KernelChoice tree(const char* row = "tree", double accuracy = 1e-3, double opening = 0) {
        return {.kernel = row, .allowedError = accuracy, .opening = opening};
    }
    static std::unique_ptr<Backend> under(const ForceSettings& force, const ParticleSet& bodies, const KernelChoice& choice,
                                          const BackendOptions& options = GetParam().kinds.front()) {
        return treeUnder(GetParam().backend, force, bodies, choice, options);
    }
    static ParticleSet advanced(Backend& backend, std::int64_t steps, double seconds = 1e300) {
        advanceBy(backend, integrator("leapfrog").program, 1e-4, steps, seconds);
        return stateOf(backend);
    }
    static std::vector<Double4> accelerations(Backend& backend) {
        std::vector<Double4> all;
        backend.accelerations(all);
        return all;
    }
};

TEST_P(TreeLawSuite, computesHardBodies) {
    for (const char* name : {"uneven", "point", "three points", "line", "far", "none", "pairs", "spread", "near"})
        for (const std::size_t count : GetParam().few)
            for (const ForceSettings& force : {charged(), powered(3), powered(-1)}) {
                ParticleSet bodies = chargedShape(count, name);
                // Rounded like a state in single precision.
                for (Double4& at : bodies.position) {
                    for (double* number : {&at.x, &at.y, &at.z}) *number = static_cast<float>(*number);
                    if (force.law != kLaw<Coulomb>) at.w = std::abs(at.w);
                }
                const LawTruth truth(bodies, force, GetParam().hardSamples);
                for (const BackendOptions& kind : GetParam().kinds) {
                    SCOPED_TRACE(std::string(name) + ", N = " + std::to_string(count) + ", law " +
                                 std::string(lawRow(force.law).name) + " " + std::to_string(force.exponent) + ", " +
                                 kind.simd.value_or("usual"));
                    const auto run = under(force, bodies, tree(), kind);
                    const ForceCheck first = truth.check(*run, 3e-3);
                    EXPECT_TRUE(first.passed) << "the first evaluation: " << first.text();
                    // The second one has the same code and other accelerations: for many bodies one kind shows it.
                    if (count > 1000 && kind != GetParam().kinds.front()) continue;
                    stepInPlace(*run);
                    const ForceCheck second = truth.check(*run, 3e-3);
                    EXPECT_TRUE(second.passed) << "the second: " << second.text();
                }
            }
}

TEST_P(TreeLawSuite, anOpeningAngleIsWhatItsRowSays) {
    for (const ForceSettings& force : {charged(), powered(1), powered(-1), powered(3), powered(5)})
        for (const Signs signs : {Signs::one, Signs::both, Signs::halves}) {
            const bool charges = force.law == kLaw<Coulomb>;
            if (!charges && signs != Signs::one) continue;
            const ParticleSet bodies = ball(GetParam().many, signs);
            const LawTruth truth(bodies, force);
            for (const char* name : {"tree-theta-monopole", "tree-theta"}) {
                if (charges && std::string_view(name) == "tree-theta-monopole") {
                    EXPECT_THROW(under(force, bodies, tree(name, 0)), UsageError);
                    continue;
                }
                for (const double opening : {0.0, 0.35}) {
                    const double kept = keptAccuracy(kernel(GetParam().backend, name), force, 0, opening);
                    const ForceCheck check = truth.check(*under(force, bodies, tree(name, 0, opening)), kept);
                    EXPECT_TRUE(check.passed)
                        << name << ", a = " << force.exponent << ", opening " << opening << ": " << check.text();
                }
            }
        }
}

TEST_P(TreeLawSuite, sameBitsHoweverTheyAreCutRepeatedAndResumed) {
    for (const ForceSettings& force : {charged(), powered(1.5)}) {
        const ParticleSet bodies = ball(GetParam().inSlices, force.law == kLaw<Coulomb> ? Signs::both : Signs::one);
        const ParticleSet first = advanced(*under(force, bodies, tree()), 4);
        EXPECT_TRUE(sameState(first, advanced(*under(force, bodies, tree()), 4))) << "repeated";
        for (const BackendOptions& options : GetParam().alike)
            for (const double seconds : {1e-4, 0.0})
                EXPECT_TRUE(sameState(first, advanced(*under(force, bodies, tree(), options), 4, seconds))) << seconds;
        const auto half = under(force, bodies, tree());
        const ParticleSet middle = advanced(*half, 2);
        const auto resumed = under(force, middle, tree()), forgetful = under(force, middle, tree());
        resumed->restoreForceState(half->forceState());
        EXPECT_TRUE(sameState(first, advanced(*resumed, 2))) << "a checkpoint changes a bit";
        EXPECT_FALSE(sameState(first, advanced(*forgetful, 2))) << "the state changes nothing, so this proves nothing";
    }
}

TEST_P(TreeLawSuite, anotherLawForgetsTheAccelerationsOfTheLast) {
    const ParticleSet bodies = ball(GetParam().many, Signs::one);
    const auto changed = under(powered(3, 0.02, 0.001), bodies, tree());
    stepInPlace(*changed);
    // Gravity uses the cells of gravity, whatever ran before.
    for (const ForceSettings& force : {powered(3, 0.02, 1000), charged(), ForceSettings{.softening = 0.02}}) {
        ParticleSet now = changed->bodies();
        changed->configure(force, tree());
        stepInPlace(*changed);
        const auto fresh = under(force, now, tree());
        stepInPlace(*fresh);
        EXPECT_TRUE(sameBytes(accelerations(*changed), accelerations(*fresh))) << lawRow(force.law).name;
        changed->snapshot(now);
        const ForceCheck check = LawTruth(now, force).check(*changed, 1e-3);
        EXPECT_TRUE(check.passed) << lawRow(force.law).name << ": " << check.text();
    }
    // The power law of exponent 2 is gravity to the last bit.
    EXPECT_TRUE(sameBytes(accelerations(*under(powered(2), bodies, tree())),
                          accelerations(*under({.softening = 0.02}, bodies, tree()))));
}

}  // namespace gravlab::testing_support
