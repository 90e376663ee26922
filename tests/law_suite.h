// Every pair law in every precision on each row of a backend, against the plain sum, and the meaning of its numbers. Include
// it once in a test binary: INSTANTIATE_TEST_SUITE_P(Cpu, LawSuite, testing::Values(kLaws), nameOfBackend<LawsOf>);
#pragma once
#include "sim/api/errors.h"
#include "sim/backends/backend.h"
#include "sim/forces/force_check.h"
#include "sim/forces/law.h"
#include "sim/forces/law_numbers.h"
#include "tests/bodies.h"
#include "tests/on_backend.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace gravlab {

using namespace testing_support;

/// Bodies far enough apart for the wall of Lennard-Jones; charges of both signs and unequal masses where the law has them.
inline ParticleSet lawBodies(const ForceSettings& force, std::size_t count, bool equalSources) {
    const auto side = static_cast<std::size_t>(std::ceil(std::cbrt(static_cast<double>(count))));
    ParticleSet bodies = unevenBodies(count);
    for (std::size_t i = 0; i < count; ++i) {
        Double4 &x = bodies.position[i], &v = bodies.velocity[i];
        const double places[3] = {static_cast<double>(i % side), static_cast<double>(i / side % side),
                                  static_cast<double>(i / side / side)};
        // A grid of 1.1 with some disorder, on floats: the reference judges the kernel and not the rounding of its input.
        x.x = static_cast<float>(1.1 * places[0] + 0.2 * x.x);
        x.y = static_cast<float>(1.1 * places[1] + 0.2 * x.y);
        x.z = static_cast<float>(1.1 * places[2] + 0.2 * x.z);
        x.w = equalSources ? 1 : 0.5 + 0.25 * static_cast<double>(i % 3);
        v.w = 1;
        if (force.law == Law::gravity) continue;
        // Two halves of opposite sign: in a salt the forces cancel, and single precision with them.
        if (force.law == kLaw<Coulomb> && !equalSources && 2 * i >= count) x.w = -x.w;
        v.w = 0.25 * static_cast<double>(1 + i % 4);
        if (force.law == kLaw<Coulomb> && x.w < 0) v.w = -v.w;  // response q / m, m > 0
    }
    return bodies;
}

inline std::string textOf(const ForceSettings& force) {
    return "law " + std::to_string(static_cast<int>(force.law)) + ", exponent " + std::to_string(force.exponent) +
           ", strength " + std::to_string(force.strength) + ", precision " +
           std::to_string(static_cast<int>(force.precision));
}

/// What the suite must know of a backend.
struct LawsOf {
    const char* backend;
    std::vector<std::size_t> counts;  ///< numbers of bodies, 1000 among them
    std::vector<ForceSettings> laws;  ///< in all precisions
    ParticleSet (*bodies)(const ForceSettings&, std::size_t, bool equalSources) = lawBodies;
    int leastComputed = 0, leastRefused = -1;  ///< that the laws and rows must reach
};

inline void PrintTo(const LawsOf& laws, std::ostream* out) { *out << laws.backend; }

class LawSuite : public OnBackend<LawsOf> {
protected:
    static constexpr Precision kPrecisions[] = {Precision::fp32, Precision::mixed, Precision::fp64};

    static std::unique_ptr<Backend> made() { return backend(GetParam().backend).make({}); }
    /// The rows of the backend that compute this force.
    static std::vector<const KernelRow*> rowsFor(const ForceSettings& force) {
        std::vector<const KernelRow*> rows;
        for (const KernelRow& row : kernels())
            if (row.backend == std::string_view(GetParam().backend) && refusal(row, force).empty()) rows.push_back(&row);
        return rows;
    }
    static std::vector<Double4> plainSum(const ParticleSet& bodies, const ForceSettings& force) {
        std::vector<std::uint32_t> all(bodies.size());
        std::iota(all.begin(), all.end(), 0u);
        std::vector<Double4> sum(bodies.size());
        referenceForces(bodies.position, bodies.velocity, all, force, sum);
        return sum;
    }
    static std::vector<Double4> forcesOf(Backend& backend, const KernelRow& row, const ForceSettings& force,
                                         const ParticleSet& bodies) {
        backend.configure(force, {});
        backend.load(bodies);
        backend.configure(force, {std::string(row.name), {}});
        std::vector<Double4> got;
        backend.accelerations(got);
        return got;
    }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LawSuite);

TEST_P(LawSuite, everyRowComputesTheLawsThatItOffers) {
    int computed = 0, refused = 0;
    for (ForceSettings force : GetParam().laws) {
        // The sums of the law, and of another one.
        struct Known {
            ParticleSet bodies;
            std::vector<Double4> sum, other;
        };
        ForceSettings other = force;
        other.law = force.law == kLaw<LennardJones> ? kLaw<Coulomb> : kLaw<LennardJones>;
        std::map<std::pair<std::size_t, bool>, Known> known;
        const auto knownOf = [&](std::size_t count, bool equal) -> const Known& {
            Known& found = known[{count, equal}];
            if (found.bodies.size() > 0) return found;
            found.bodies = GetParam().bodies(force, count, equal);
            found.sum = plainSum(found.bodies, force);
            if (count >= 1000) found.other = plainSum(found.bodies, other);
            return found;
        };
        for (const Precision precision : kPrecisions)
            for (const KernelRow& row : kernels()) {
                if (row.backend != std::string_view(GetParam().backend)) continue;
                force.precision = other.precision = precision;
                SCOPED_TRACE(textOf(force) + ", " + std::string(row.name));
                const std::unique_ptr<Backend> backend = made();
                if (!refusal(row, force).empty()) {
                    EXPECT_THROW(backend->configure(force, {std::string(row.name), {}}), UsageError);
                    ++refused;
                    continue;
                }
                for (const std::size_t count : GetParam().counts) {
                    const auto& [bodies, sum, sumOfOther] = knownOf(count, row.equalMasses);
                    const std::vector<Double4> got = forcesOf(*backend, row, force, bodies);
                    const ForceCheck check = compareForces(got, sum, gateOf(row, force));
                    EXPECT_TRUE(check.passed) << "N = " << count << ": " << check.text();
                    ++computed;
                    if (count < 1000) continue;
                    // The backend's own check agrees, and a comparison with another law fails.
                    backend->requestForceCheck(sampleTargets(bodies.position));
                    advanceBy(*backend, integrator("leapfrog").program, 1e-4, 1);
                    const std::optional<ForceCheck> own = backend->takeForceCheck();
                    ASSERT_TRUE(own.has_value());
                    EXPECT_TRUE(own->passed) << own->text();
                    EXPECT_FALSE(compareForces(got, sumOfOther, gateOf(other)).passed);
                }
            }
    }
    EXPECT_GT(computed, GetParam().leastComputed);
    EXPECT_GT(refused, GetParam().leastRefused);
}

// Softening 0, and a body whose own term would be infinite times 0 at the floor of another law.
TEST_P(LawSuite, aHeavyBodyMeetsItselfUnderEveryLaw) {
    for (const Precision precision : {Precision::fp32, Precision::mixed})
        for (const double exponent : {1.5, 2.0, 3.0, 5.0}) {
            const ForceSettings force{.law = kLaw<PowerLaw>, .precision = precision, .exponent = exponent, .strength = 2};
            ParticleSet bodies = lawBodies(force, 500, false);
            bodies.position[7].w = 1e12;
            const std::vector<Double4> want = plainSum(bodies, force);
            for (const KernelRow* row : rowsFor(force)) {
                if (row->equalMasses) continue;
                SCOPED_TRACE(textOf(force) + ", " + std::string(row->name));
                const std::vector<Double4> got = forcesOf(*made(), *row, force, bodies);
                for (const Double4& a : got) ASSERT_TRUE(std::isfinite(a.x + a.y + a.z));
                const ForceCheck check = compareForces(got, want, gateOf(*row, force));
                EXPECT_TRUE(check.passed) << check.text();
            }
        }
}

/// Two bodies a distance apart, against formulas written out here.
TEST_P(LawSuite, numbersMeanWhatTheyAreCalled) {
    const double r = 1.3, q = 0.5, k = 3.7, alpha = 0.3, depth = 2.3, sigma = 1.15, end = 1.9 * sigma;
    const auto slope = [&](double d) { return -24 * depth * (2 * std::pow(sigma / d, 12) - std::pow(sigma / d, 6)) / d; };
    const struct {
        ForceSettings force;
        double attraction;  // between sources 1 and q
    } known[] = {
        {{.law = kLaw<Coulomb>, .strength = k}, -k * q / (r * r)},
        {{.law = kLaw<PowerLaw>, .exponent = 2, .strength = alpha}, alpha * q / (r * r)},
        {{.law = kLaw<PowerLaw>, .exponent = 3, .strength = alpha}, alpha * q / (r * r * r)},
        {{.law = kLaw<PowerLaw>, .exponent = 1.7, .strength = alpha}, alpha * q * std::pow(r, -1.7)},
        {{.law = kLaw<LennardJones>, .strength = depth, .diameter = sigma, .cutOff = 1.9}, q * (slope(r) - slope(end))},
        {{.law = kLaw<LennardJones>, .strength = depth, .diameter = sigma, .cutOff = 1.12}, 0}};
    const ParticleSet bodies = bodiesOf({{0, 0, 0, 1}, {r, 0, 0, q}}, {{0, 0, 0, 1}, {0, 0, 0, 1}});
    for (const auto& [law, attraction] : known)
        for (const Precision precision : {Precision::fp32, Precision::fp64}) {
            ForceSettings force = law;
            force.precision = precision;
            for (const KernelRow* row : rowsFor(force)) {
                if (row->equalMasses) continue;
                const std::vector<Double4> a = forcesOf(*made(), *row, force, bodies);
                const double tolerance = (precision == Precision::fp64 ? 1e-12 : 3e-5) * std::fmax(1, std::fabs(attraction));
                EXPECT_NEAR(a[0].x, attraction, tolerance) << row->name << ' ' << textOf(force);
                EXPECT_NEAR(a[1].x, -attraction / q, tolerance / q) << row->name << ' ' << textOf(force);
            }
        }
}

TEST_P(LawSuite, theExponentTwoIsGravityToTheLastBit) {
    const ParticleSet bodies = unevenBodies(300);
    const ForceSettings gravity{.softening = 0.05}, square{.law = kLaw<PowerLaw>, .softening = 0.05, .exponent = 2};
    for (const KernelRow* row : rowsFor(gravity)) {
        if (!refusal(*row, square).empty() || row->equalMasses || !row->deterministic) continue;
        const std::vector<Double4> pull = forcesOf(*made(), *row, gravity, bodies),
                                   power = forcesOf(*made(), *row, square, bodies);
        if (row->backend != "reference") {
            EXPECT_TRUE(sameBytes(pull, power)) << row->name;
        }
        EXPECT_TRUE(compareForces(power, pull, kGate64).passed) << row->name;
    }
}

TEST_P(LawSuite, chargeAndInertiaAreApart) {
    // The same charges, one body four times as heavy: a quarter of the acceleration, the same force.
    ParticleSet charges = bodiesOf({{-1, 0, 0, 2}, {1, 0, 0, -2}}, {{}, {}});
    charges.velocity[0].w = 2 / 1.0;
    charges.velocity[1].w = -2 / 4.0;
    EXPECT_EQ(inertialMass(charges.position[1], charges.velocity[1]), 4);
    const std::unique_ptr<Backend> backend = made();
    backend->configure({.law = kLaw<Coulomb>, .precision = Precision::fp64}, {});
    backend->load(charges);
    std::vector<Double4> a;
    backend->accelerations(a);
    EXPECT_NEAR(a[0].x, 2 * 2 / 4.0, 1e-14) << "unlike charges attract";
    EXPECT_NEAR(a[1].x, -2 * 2 / 4.0 / 4, 1e-14);
}

TEST_P(LawSuite, aNumberOutOfRangeIsRefused) {
    for (const LawNumber& number : lawNumbers())
        for (const double bad : {number.least - 1e-3, number.most * 1.001, double(NAN), double(INFINITY)}) {
            ForceSettings force;
            force.*number.force = bad;
            EXPECT_THROW(made()->configure(force, {}), UsageError) << number.key << " = " << bad;
        }
}

/// The law changes in the middle of a run: nothing of the old one remains.
TEST_P(LawSuite, aNewLawBeginsWithAStep) {
    const ForceSettings gravity{.softening = 0.1}, charges{.law = kLaw<Coulomb>, .softening = 0.1},
        wall{.law = kLaw<LennardJones>};
    const StepProgram leapfrog = integrator("leapfrog").program;
    const std::unique_ptr<Backend> switched = made(), fresh = made();
    switched->configure(gravity, {});
    switched->load(lawBodies(charges, 500, false));
    advanceBy(*switched, leapfrog, 1e-3, 3);
    for (const ForceSettings& next : {charges, wall, gravity}) {
        const ParticleSet middle = stateOf(*switched);
        switched->configure(next, {});
        fresh->configure(next, {});
        fresh->load(middle);
        advanceBy(*switched, leapfrog, 1e-3, 3);
        advanceBy(*fresh, leapfrog, 1e-3, 3);
        EXPECT_TRUE(sameState(stateOf(*switched), stateOf(*fresh)));
    }
}

}  // namespace gravlab
