// A run on the GPU that is saved, loaded and continued equals a run without a stop, to the last bit: every deterministic
// row, every integrator that runs there, every law and precision, with steps cut into slices. tests/unit/io_resume_test.cpp
// tests the rest.
#include "gpu_fixture.h"
#include "sim/api/errors.h"
#include "sim/forces/law.h"
#include "tests/resume_suite.h"

#include <cmath>
#include <string>
#include <vector>

namespace gravlab::test {
namespace {

// A slice is 2.5 ms of pairs, and calls without budget stop after each: forces of the larger number need several.
constexpr std::size_t kSliced = 131072, kWhole = 700;

struct Case {
    std::string kernel, integrator;
    Law law = Law::gravity;
    Precision precision = Precision::fp32;
};

std::string text(const Case& c) {
    return c.kernel + ", " + c.integrator + ", law " + std::to_string(static_cast<int>(c.law)) + ", precision " +
           std::to_string(static_cast<int>(c.precision));
}

std::vector<Case> cases() {
    std::vector<Case> found;
    for (const KernelRow& kernelRow : kernels()) {
        if (kernelRow.backend != "cuda" || !kernelRow.deterministic) continue;
        for (const Integrator& integratorRow : integrators())
            for (const Law law : {Law::gravity, kLaw<Coulomb>, kLaw<PowerLaw>, kLaw<LennardJones>})
                for (const Precision precision : {Precision::fp32, Precision::mixed, Precision::fp64}) {
                    if (!refusal(backend("cuda"), integratorRow, 300).empty()) continue;
                    if (!refusal(integratorRow, law).empty()) continue;
                    if (!refusal(kernelRow, ForceSettings{.law = law, .precision = precision, .exponent = 1.5}).empty())
                        continue;
                    found.push_back({std::string(kernelRow.name), std::string(integratorRow.name), law, precision});
                }
    }
    return found;
}

/// Plummer's masses are equal; the scenes of the other laws have their own charges and distances.
RunRequest settingsOf(const Case& c, std::size_t bodies) {
    constexpr const char* kScenes[] = {"plummer", "charges", "power-law", "lennard-jones"};
    RunRequest settings{.scene = kScenes[static_cast<int>(c.law)], .bodies = bodies, .seed = 3, .backend = "cuda"};
    settings.pairs().kernel.kernel = c.kernel;
    settings.integrator = c.integrator;
    settings.precision = c.precision;
    settings.law = c.law;
    if (c.law == kLaw<PowerLaw>) settings.lawNumbers.exponent = 1.5;
    if (c.law != Law::gravity) settings.lawNumbers.strength = 1.3;
    if (c.law == kLaw<LennardJones>) settings.lawNumbers.diameter = 0.95, settings.lawNumbers.cutOff = 2.2;
    return settings;
}

class GpuResume : public GpuTest {
protected:
    void SetUp() override {
        GpuTest::SetUp();
        if (!IsSkipped() && !fileFormat("hdf5").unavailable().empty()) GTEST_SKIP() << "this build has no HDF5";
    }
    void expectExact(const Case& c, std::size_t bodies) {
        SCOPED_TRACE(text(c) + ", N = " + std::to_string(bodies));
        const RunRequest request = settingsOf(c, bodies);
        try {
            Simulation tried(request);
        } catch (const UsageError&) {
            return;  // a row for equal masses, or for few bodies
        }
        cut_ += expectGoesOnExactly(request, 2, 3, 0);
        ++exact_;
    }

    std::size_t exact_ = 0, cut_ = 0;
};

TEST_F(GpuResume, everyRowIntegratorLawAndPrecisionGoesOnExactly) {
    for (const Case& c : cases()) expectExact(c, kWhole);
    EXPECT_GT(exact_, 100u);
}

TEST_F(GpuResume, stepsThatComeInSlicesGoOnExactly) {
    for (const Case& c : cases())
        if (c.integrator == "leapfrog") expectExact(c, kSliced);
    EXPECT_GT(exact_, 20u);
    EXPECT_GT(cut_, exact_) << "too few calls ended inside a step to prove anything";
}

TEST_F(GpuResume, aStepUnderWayIsNotSavedHalf) {
    for (const char* kernel : {"global", "tiled", "symmetric"}) {
        SCOPED_TRACE(kernel);
        expectNotSavedHalf(settingsOf({kernel, "leapfrog"}, kSliced));
    }
}

TEST_F(GpuResume, aStateBetweenTwoTermsGoesOnExactly) {
    for (const std::size_t bodies : {std::size_t{3000}, kSliced}) {
        RunRequest settings = settingsOf({"tree", "leapfrog"}, bodies);
        settings.pairs().accuracy = 1e-3;
        settings.fields = "uniform,ax=0.1";
        expectGoesOnAfterEachSlice(settings);
    }
}

TEST_F(GpuResume, aStateThatWasChangedIsNoticed) {
    // The comparison must notice one last bit, otherwise it proves nothing.
    const Case c{"tiled", "leapfrog"};
    Simulation whole(settingsOf(c, kWhole)), first(settingsOf(c, kWhole));
    gravlab::run(whole, 4);
    gravlab::run(first, 2);
    Snapshot saved = checkpointOf(first);
    double& x = saved.bodies.position[kWhole / 2].x;
    x = std::nextafter(static_cast<float>(x), 1e30f);
    Simulation second(startFrom(std::move(saved), "x.hdf5").request);
    gravlab::run(second, 2);
    EXPECT_FALSE(io_test::sameSnapshot(checkpointOf(second), checkpointOf(whole)));
}

}  // namespace
}  // namespace gravlab::test
