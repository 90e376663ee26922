// Mixed precision in units far from 1 on any backend: pairs have their own units. Include it once in a test binary:
// INSTANTIATE_TEST_SUITE_P(Cpu, FarUnitSuite, testing::Values(kFar), nameOfBackend<FarUnitsOf>);
#pragma once
#include "sim/api/errors.h"
#include "sim/forces/force_check.h"
#include "sim/forces/law.h"
#include "tests/far_units.h"
#include "tests/on_backend.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab::testing_support {

/// What the suite must know of a backend: rows of runs, and numbers of bodies in a comparison, a run and a run of another
/// law.
struct FarUnitsOf {
    const char* backend;
    std::vector<const char*> rows;
    std::size_t compared, alike, inRun, underLaws;
};
inline void PrintTo(const FarUnitsOf& far, std::ostream* out) { *out << far.backend; }

class FarUnitSuite : public OnBackend<FarUnitsOf> {
protected:
    /// The rows that compute this force.
    static std::vector<KernelRow> rowsFor(const ForceSettings& force) {
        std::vector<KernelRow> rows;
        for (const KernelRow& row : kernels())
            if (row.backend == GetParam().backend && refusal(row, force).empty()) rows.push_back(row);
        return rows;
    }
    static KernelChoice choiceOf(const KernelRow& row) {
        KernelChoice choice{.kernel = std::string(row.name)};
        if (row.approximates) choice.allowedError = 1e-3;
        return choice;
    }
    static std::vector<Double4> accelerations(const ParticleSet& bodies, const ForceSettings& force,
                                              const KernelChoice& choice) {
        const std::unique_ptr<Backend> made = backend(GetParam().backend).make({});
        made->configure(force, choice);
        made->load(bodies);
        std::vector<Double4> all;
        made->accelerations(all);
        return all;
    }
};

TEST_P(FarUnitSuite, everyRowIsNearDoublePrecision) {
    for (const FarUnit& unit : kFarUnits) {
        const ParticleSet bodies = ball(unit.length, unit.mass, 0, GetParam().compared);
        const ForceSettings force{.precision = Precision::mixed, .softening = 0.02 * unit.length};
        const std::vector<KernelRow> rows = rowsFor(force);
        ASSERT_GT(rows.size(), 5u);
        std::vector<std::uint32_t> all(bodies.size());
        std::iota(all.begin(), all.end(), 0u);
        std::vector<Double4> want(all.size());
        referenceForces(bodies.position, bodies.velocity, all, force, want);
        for (const KernelRow& row : rows) {
            // Cells without second moments are three to eight times as wrong.
            const double cells = row.name == "tree-theta-monopole" ? 10 : 1;
            const ForceGate gate = row.approximates ? ForceGate{.median = cells * 1e-3, .p999 = cells * 1e-2} : kGate32;
            const ForceCheck check = compareForces(accelerations(bodies, force, choiceOf(row)), want, gate);
            EXPECT_TRUE(check.passed) << unit.name << ", " << row.name << ": " << check.text();
        }
    }
}

TEST_P(FarUnitSuite, changeNoBit) {
    // Powers of two: a system and its copy in lengths of 2^60 have the same rounding.
    const ForceSettings near{.precision = Precision::mixed, .softening = 0.0625};
    ForceSettings far = near;
    far.softening *= 0x1p60;
    const std::size_t count = GetParam().alike;
    for (const KernelRow& row : rowsFor(near)) {
        if (!row.deterministic) continue;
        // The tree's own floors are in the units of its input.
        if (row.approximates) continue;
        const std::vector<Double4> want = accelerations(ball(1, 1, 0, count), near, choiceOf(row));
        const std::vector<Double4> got = accelerations(ball(0x1p60, 1, 0, count), far, choiceOf(row));
        for (std::size_t i = 0; i < want.size(); ++i) ASSERT_EQ(xyz(got[i]) * 0x1p120, xyz(want[i])) << row.name << " " << i;
    }
}

TEST_P(FarUnitSuite, runsGoAsInDoublePrecisionAndGoOnToTheBit) {
    for (const FarUnit& unit : kFarUnits) {
        const double time = std::sqrt(unit.length * unit.length * unit.length / unit.mass);
        RunRequest request =
            startOf(ball(unit.length, unit.mass, 0, GetParam().inRun), 0.02 * unit.length, 0.02 * time, GetParam().backend);
        request.precision = Precision::fp64;
        Simulation exact(request);
        exact.advance({.steps = 10}, nullptr);
        const std::vector<Double4> want = exact.state().bodies.position;
        request.precision = Precision::mixed;
        for (const std::string_view kernel : GetParam().rows) {
            request.pairs().kernel = {};
            if (kernel != "auto") request.pairs().kernel.kernel = kernel;
            request.pairs().accuracy.reset();
            if (kernel == "tree") request.pairs().accuracy = 1e-3;
            Simulation whole(request), first(request);
            EXPECT_EQ(whole.force().precision, Precision::mixed);
            whole.advance({.steps = 10}, nullptr);
            whole.backend().wait();
            ASSERT_TRUE(whole.forceCheck()) << unit.name << ", " << kernel;
            EXPECT_TRUE(whole.forceCheck()->passed) << unit.name << ", " << kernel << ": " << whole.forceCheck()->text();
            const std::vector<Double4> got = whole.state().bodies.position;
            const double allowed = kernel == "tree" ? 1e-3 : 3e-5;
            for (std::size_t i = 0; i < want.size(); ++i)
                ASSERT_LT(length(xyz(got[i]) - xyz(want[i])), allowed * unit.length)
                    << unit.name << ", " << kernel << " " << i;
            first.advance({.steps = 4}, nullptr);
            Simulation second(startFrom(checkpointOf(first), "x.hdf5").request);
            second.advance({.steps = 6}, nullptr);
            const std::vector<Double4> resumed = second.state().bodies.position;
            for (std::size_t i = 0; i < got.size(); ++i)
                ASSERT_EQ(xyz(resumed[i]), xyz(got[i])) << unit.name << ", " << kernel << " " << i;
        }
    }
}

TEST_P(FarUnitSuite, otherLawsToo) {
    for (const double exponent : {0.0, 1.0, 1.5, 3.0}) {
        RunRequest request = startOf(ball(3e16, 1e20, 0, GetParam().underLaws), 1e15, 1e3, GetParam().backend);
        request.law = kLaw<PowerLaw>, request.lawNumbers.exponent = exponent;
        request.precision = Precision::mixed;
        Simulation simulation(request);
        simulation.advance({.steps = 1}, nullptr);
        simulation.backend().wait();
        ASSERT_TRUE(simulation.forceCheck());
        EXPECT_TRUE(simulation.forceCheck()->passed) << exponent << ": " << simulation.forceCheck()->text();
    }
}

TEST_P(FarUnitSuite, singlePrecisionIsStillRefused) {
    RunRequest request = startOf(ball(3.1e16, 1.3e23), 6e14, 3e12, GetParam().backend);
    request.precision = Precision::fp32;
    EXPECT_THROW(Simulation{request}, UsageError);
    RunRequest distant = startOf(ball(10, 1, 1e9), 0.1, 1, GetParam().backend);
    distant.precision = Precision::mixed;
    EXPECT_THROW(Simulation{distant}, UsageError) << "units do not help where places are too near each other";
}

}  // namespace gravlab::testing_support
