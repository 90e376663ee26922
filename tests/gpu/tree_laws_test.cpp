// The tree on the GPU under charges and the power law: errors within the allowed ones, wrong ones noticed, the same bits
// with any cuts, repetitions and resumes, hard bodies, and energies. tests/unit/tree_laws_test.cpp tests its arithmetic.
#include "gpu_fixture.h"
#include "sim/api/errors.h"
#include "sim/backends/cuda/methods/launch_plan.h"
#include "sim/backends/cuda/methods/tree_energy.h"
#include "sim/backends/cuda/runtime/memory.h"
#include "sim/core/random.h"
#include "sim/forces/law.h"
#include "sim/measure/diagnostics.h"
#include "sim/scenes/scene.h"
#include "tests/tree_laws_suite.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

namespace gravlab::test {
namespace {

const TreesOf kCudaTrees{.backend = "cuda",
                         .kinds = {{}},
                         .alike = {{}},
                         .few = {1, 2, 17, 33, 3000},
                         .hardSamples = 3000,
                         .many = 20000,
                         .inSlices = 60000};
INSTANTIATE_TEST_SUITE_P(Gpu, TreeLawSuite, testing::Values(kCudaTrees), nameOfBackend<TreesOf>);

class TreeLawsOnGpu : public GpuTest {
protected:
    /// Rounded like a state in single precision.
    static ParticleSet inSingle(ParticleSet bodies) {
        for (Double4& at : bodies.position)
            for (double* number : {&at.x, &at.y, &at.z, &at.w}) *number = static_cast<float>(*number);
        return bodies;
    }
    static std::unique_ptr<Backend> under(const ForceSettings& force, const ParticleSet& bodies, const char* row,
                                          double accuracy) {
        return treeUnder("cuda", force, bodies, {.kernel = row, .allowedError = accuracy});
    }
    static Diagnostics measured(Backend& backend) {
        backend.requestMeasurement();
        for (;;) {
            backend.wait();
            if (const std::optional<Diagnostics> done = backend.takeMeasurement(0.05)) return *done;
        }
    }
    /// Whether the error is within the declared one.
    static bool isSaid(const Diagnostics& got, const Diagnostics& want) {
        return std::abs(got.potential - want.potential) <= (4 * got.potentialError + 3e-6) * std::abs(want.potential);
    }
};

/// Potentials of some bodies and their nearest neighbours from the walk on a device, without a run.
class FieldsOfATree {
public:
    FieldsOfATree(const ParticleSet& bodies, const ForceSettings& force, double accuracy) : count_(bodies.size()) {
        KernelChoice choice{"tree"};
        choice.allowedError = 1e-3;
        cuda::DeviceFacts device{};
        CUDA_CHECK(cuda::deviceFacts(0, device));
        const cuda::LaunchPlan plan = cuda::choose(choice, cuda::factsOf(bodies), force, device);
        std::vector<Float4> places;
        for (const Double4& at : bodies.position)
            places.push_back(
                {static_cast<float>(at.x), static_cast<float>(at.y), static_cast<float>(at.z), static_cast<float>(at.w)});
        const cuda::DeviceArray<Float4> positions(count_);
        const cuda::DeviceArray<double> energy(count_), squared(count_);
        const cuda::DeviceArray<std::uint32_t> neighbour(count_);
        CUDA_CHECK(cuda::copyAsync(positions.data(), places.data(), positions.bytes(), cuda::Copy::toDevice, stream_));
        const auto tree = cuda::makeTreeEnergy(plan, static_cast<std::uint32_t>(count_), device, stream_, accuracy);
        tree->begin(positions.data(), force, {energy.data(), squared.data(), neighbour.data()});
        while (!tree->enqueue(1e-4)) {
        }
        energies = fetched(energy);
        squares = fetched(squared);
    }
    std::vector<double> energies, squares;

private:
    std::vector<double> fetched(const cuda::DeviceArray<double>& from) const {
        std::vector<double> host(count_);
        CUDA_CHECK(cuda::copyAsync(host.data(), from.data(), from.bytes(), cuda::Copy::toHost, stream_));
        CUDA_CHECK(cuda::waitForStream(stream_));
        return host;
    }
    std::size_t count_;
    cuda::OwnedStream stream_;
};

TEST_F(TreeLawsOnGpu, keepTheAccuracyThatIsAllowed) {
    struct Kind {
        std::string name;
        ForceSettings force;
        Signs charges;
    };
    std::vector<Kind> cases{{"one sign", charged(), Signs::one},
                            {"both signs", charged(), Signs::both},
                            {"a half of each", charged(), Signs::halves},
                            {"a nucleus and its cloud", charged(0.05), Signs::cloud}};
    for (const double exponent : {-4.0, -1.0, 0.0, 1.0, 1.5, 3.0, 5.0})
        cases.push_back({"a = " + std::to_string(exponent), powered(exponent, 0.02, 0.5), Signs::one});
    for (const Kind& c : cases)
        for (const std::size_t count : {3000, 65536})
            for (const double accuracy : {1e-2, 1e-3, 1e-4})
                for (const char* row : {"tree-cells", "tree"}) {
                    const ParticleSet bodies = ball(count, c.charges, 5);
                    const auto backend = under(c.force, bodies, row, accuracy);
                    for (const char* which : {"first", "second"}) {
                        const ForceCheck check = LawTruth(bodies, c.force).check(*backend, accuracy);
                        EXPECT_TRUE(check.passed) << row << ", " << c.name << ", " << count << ", " << accuracy << ", "
                                                  << which << ": " << check.text();
                        if (std::string_view(which) == "first") {
                            run(*backend, integrator("leapfrog").program, 1e-12, 1);
                            continue;
                        }
                        std::printf("%-24s %6zu %-10s %6.0e: 99 %% %.1e, worst %.1e\n", c.name.c_str(), count, row, accuracy,
                                    check.p99, check.max);
                    }
                }
}

TEST_F(TreeLawsOnGpu, wrongAccelerationsAreCaught) {
    const ParticleSet bodies = ball(30000, Signs::halves, 5);
    const auto backend = under(charged(), bodies, "tree", 1e-2);
    EXPECT_TRUE(LawTruth(bodies, charged()).check(*backend, 1e-2).passed);
    ParticleSet other = bodies;
    for (Double4& at : other.position) at.w = std::abs(at.w);
    EXPECT_FALSE(LawTruth(other, charged()).check(*backend, 1e-2).passed) << "one sign";
    // False magnitudes of forces: the criterion assumes that forces are a million times as strong.
    run(*backend, integrator("leapfrog").program, 1e-6, 1);
    std::vector<StateArray> kept = backend->forceState();
    for (StateArray& array : kept)
        if (array.name.ends_with("lengths"))
            for (double& length : array.values) length *= 1e6;
    const ParticleSet moved = GpuTest::state(*backend);
    backend->load(moved);
    backend->restoreForceState(kept);
    backend->requestForceCheck(randomTargets(moved.size()));
    run(*backend, integrator("leapfrog").program, 1e-9, 1);
    const std::optional<ForceCheck> check = backend->takeForceCheck();
    ASSERT_TRUE(check.has_value());
    EXPECT_FALSE(check->passed) << check->text();
}

TEST_F(TreeLawsOnGpu, massesOverTwelveDecadesAndPointsOfMany) {
    // Masses that differ by 1e12, and more bodies at one position than keys can separate.
    for (const char* name : {"three points", "spread"}) {
        ParticleSet bodies = chargedShape(5000, name);
        for (Double4& at : bodies.position) at.w = std::abs(at.w);
        const ForceSettings gravity{.softening = 0.02};
        EXPECT_TRUE(LawTruth(bodies, gravity).check(*under(gravity, bodies, "tree", 1e-3), 2e-3).passed) << name;
    }
}

TEST_F(TreeLawsOnGpu, areCheckedWhileTheyRun) {
    for (const ForceSettings& force : {charged(0.05), powered(-1, 0.05)}) {
        const bool charges = force.law == kLaw<Coulomb>;
        const ParticleSet bodies = sceneNamed(charges ? "charges" : "power-law").build({.bodies = 131072, .seed = 1});
        const auto backend = under(force, bodies, "tree", 1e-3);
        run(*backend, integrator("leapfrog").program, 1e-3, 2);
        backend->requestForceCheck(randomTargets(bodies.size()));
        run(*backend, integrator("leapfrog").program, 1e-3, 1);
        const std::optional<ForceCheck> check = backend->takeForceCheck();
        ASSERT_TRUE(check.has_value());
        EXPECT_TRUE(check->passed) << check->text();
        EXPECT_EQ(check->allowed, 1e-3);
    }
}

TEST_F(TreeLawsOnGpu, theEnergyOfChargesIsThatOfAllPairs) {
    for (const Signs charges : {Signs::one, Signs::halves, Signs::cloud}) {
        const ParticleSet bodies = ball(20000, charges, 5);
        ForceSettings force = charged(0.03);
        force.strength = 1.75;
        const auto backend = under(force, bodies, "tree", 1e-3);
        const Diagnostics got = measured(*backend), want = measure(bodies, force);
        ASSERT_TRUE(got.failure.empty()) << got.failure;
        EXPECT_GT(got.potentialError, 0) << "it was not by the tree";
        EXPECT_NEAR(got.potential, want.potential, 2e-4 * std::abs(want.potential));
        EXPECT_TRUE(isSaid(got, want));
    }
}

constexpr double kEnergyPowers[] = {-4, -1, 0, 0.5, 1, 1.5, 3, 5};

TEST_F(TreeLawsOnGpu, theEnergyOfAPowerLawIsThatOfAllPairs) {
    for (const double exponent : kEnergyPowers)
        for (const double unit : {1.0, 0x1p20, 0x1p-20}) {
            if (unit < 1 && exponent > 2) continue;  // forces there leave the range of single precision
            SCOPED_TRACE("a = " + std::to_string(exponent) + ", lengths times " + std::to_string(unit));
            ParticleSet bodies = ball(20000, Signs::one, 5);
            for (Double4& at : bodies.position) at = {unit * at.x, unit * at.y, unit * at.z, at.w};
            bodies = inSingle(std::move(bodies));
            const ForceSettings force = powered(exponent, 0.03 * unit, 0.5);
            const auto backend = under(force, bodies, "tree", 1e-3);
            EXPECT_GT(backend->mostMeasured(), std::size_t{100'000'000});
            const Diagnostics got = measured(*backend), want = measure(bodies, force);
            ASSERT_TRUE(got.failure.empty()) << got.failure;
            EXPECT_GT(got.potentialError, 0) << "it was not by the tree";
            EXPECT_LT(got.potentialError, 1e-2);
            EXPECT_NEAR(got.potential, want.potential, 2e-4 * std::abs(want.potential));
            EXPECT_TRUE(isSaid(got, want)) << got.potential / want.potential - 1 << ", said " << got.potentialError;
            EXPECT_NEAR(got.shape.closest, want.shape.closest, 1e-5 * want.shape.closest);
            std::printf("a = %4.1f: off by %.1e, said to be within %.1e\n", exponent, got.potential / want.potential - 1,
                        got.potentialError);
        }
}

TEST_F(TreeLawsOnGpu, theEnergyOfAPowerLawIsThatOfEachBody) {
    const ParticleSet bodies = inSingle(ball(6000, Signs::one, 5));
    for (const double exponent : {-1.0, 0.0, 1.0, 1.5, 3.0}) {
        SCOPED_TRACE(exponent);
        const ForceSettings force = powered(exponent, 0.03, 0.5);
        const FieldsOfATree got(bodies, force, 1e-4);
        // Compared with the law itself: half of its potential, with the opposite sign. Errors are relative to the rms,
        // because a logarithm is 0 somewhere.
        std::vector<double> off;
        double squares = 0;
        std::size_t nearest = 0;
        for (std::size_t i = 0; i < bodies.size(); i += 11) {
            double want = 0, least = 1e300;
            for (std::size_t j = 0; j < bodies.size(); ++j) {
                if (j == i) continue;
                const Vec3d d = xyz(bodies.position[j]) - xyz(bodies.position[i]);
                want -= 0.5 * bodies.position[j].w * lawRow(force.law).potential(force, dot(d, d));
                least = std::min(least, dot(d, d));
            }
            off.push_back(std::abs(got.energies[i] - want));
            squares += want * want;
            EXPECT_GE(got.squares[i], (1 - 1e-4) * least) << i;
            nearest += got.squares[i] <= (1 + 1e-4) * least;  // far out it may be in a cell
        }
        const double rms = std::sqrt(squares / static_cast<double>(off.size()));
        std::ranges::sort(off);
        EXPECT_GT(2 * nearest, off.size());
        EXPECT_LT(off[off.size() * 99 / 100], 3e-4 * rms);
        EXPECT_LT(off.back(), 3e-3 * rms);
        std::printf("a = %4.1f: half of the bodies within %.1e, 99 %% %.1e, worst %.1e\n", exponent,
                    off[off.size() / 2] / rms, off[off.size() * 99 / 100] / rms, off.back() / rms);
    }
}

TEST_F(TreeLawsOnGpu, theEnergyOfAPowerLawIsNotThatOfAnother) {
    const ParticleSet bodies = ball(20000, Signs::one, 5);
    const auto backend = under(powered(1.5), bodies, "tree", 1e-3);
    const Diagnostics got = measured(*backend);
    EXPECT_TRUE(isSaid(got, measure(bodies, powered(1.5))));
    EXPECT_FALSE(isSaid(got, measure(bodies, powered(1.501)))) << "or the comparison sees nothing";
    // The same tree under one law after another.
    KernelChoice choice{"tree"};
    choice.allowedError = 1e-3;
    for (const ForceSettings& force : {powered(1), charged(), powered(0), ForceSettings{.softening = 0.02}}) {
        backend->configure(force, choice);
        const Diagnostics now = measured(*backend);
        EXPECT_GT(now.potentialError, 0);
        EXPECT_TRUE(isSaid(now, measure(bodies, force))) << lawRow(force.law).name << ' ' << force.exponent;
    }
}

TEST_F(TreeLawsOnGpu, theEnergyOfAPowerLawLeavesOutPairsInOnePlaceAsAllPairsDo) {
    ParticleSet bodies = ball(3000, Signs::one, 5);
    for (std::size_t i = 100; i < 160; ++i) bodies.position[i] = bodies.position[99];
    for (const double exponent : {-1.0, 1.0, 1.5})
        for (const double softening : {0.0, 0.05}) {
            const ForceSettings force = powered(exponent, softening);
            const Diagnostics got = measured(*under(force, bodies, "tree", 1e-3)), want = measure(bodies, force);
            EXPECT_NEAR(got.potential, want.potential, 1e-4 * std::abs(want.potential)) << exponent << ' ' << softening;
            EXPECT_EQ(got.shape.closest, 0);
        }
}

}  // namespace
}  // namespace gravlab::test
