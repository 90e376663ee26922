// Forces that several devices divide have the bits of one device, for every row, precision and way to step; one device named
// several times stands for several. Where the machine has two, both are tested.
#include "gpu_fixture.h"
#include "sim/api/errors.h"
#include "sim/backends/devices.h"
#include "sim/backends/kernel_rows.h"
#include "sim/scenes/scene.h"
#include "tests/command_output.h"
#include "tests/paths.h"
#include "tests/resume_suite.h"
#include "tests/surroundings.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace gravlab::test {
namespace {

constexpr std::size_t kUncut = 10007, kCut = 100000;

struct DividedCase {
    std::string kernel;
    Precision precision = Precision::fp32;
    Law law = Law::gravity;
};
const std::vector<DividedCase>& dividedCases() {
    static const std::vector<DividedCase> cases{
        {"global"},
        {"constant"},
        {"tiled"},
        {"tiled", Precision::fp64},
        {"tiled", Precision::mixed},
        {"tiled", Precision::fp32, kLaw<Coulomb>},
        {"tiled-split"},
        {"tiled-split", Precision::fp64},
        {"tiled-registers"},
        {"symmetric"},
        {"symmetric", Precision::fp64},
        {"symmetric", Precision::mixed},
        {"symmetric-runs"},
        {"symmetric-equal"},
        {"tree-theta"},
        {"tree"},
        {"tree", Precision::mixed},
        {"tree", Precision::fp32, kLaw<Coulomb>},
    };
    return cases;
}

class GpuDivided : public GpuTest {
protected:
    static ParticleSet bodiesOf(const DividedCase& c, std::size_t count) {
        return sceneNamed(c.law == Law::gravity ? "plummer" : "charges").build({.bodies = count, .seed = 7});
    }
    static BackendOptions with(const std::vector<int>& helpers) {
        BackendOptions options = ForcedTree::options();
        options.helpers = helpers;
        return options;
    }
    static std::unique_ptr<Backend> started(const DividedCase& c, const ParticleSet& bodies,
                                            const std::vector<int>& helpers) {
        std::unique_ptr<Backend> made = backend("cuda").make(with(helpers));
        KernelChoice choice{.kernel = c.kernel, .launch = usualLaunch(c.kernel)};
        if (c.kernel == "tiled-split") choice.launch = {.block = 128, .unroll = 4, .split = 5};
        if (kernel("cuda", c.kernel).approximates) choice.allowedError = 1e-3;
        made->load(bodies, {{.law = c.law, .precision = c.precision, .softening = 0.02}, choice});
        return made;
    }
    /// Bodies and accelerations after some steps; `seconds`: budget of a call.
    static std::vector<Double4> ends(const DividedCase& c, std::size_t count, const std::vector<int>& helpers,
                                     double seconds = Budget{}.seconds, std::int64_t steps = 3) {
        const std::unique_ptr<Backend> backend = started(c, bodiesOf(c, count), helpers);
        const StepProgram program = integrator("leapfrog").program;
        for (std::int64_t done = 0; done < steps;)
            done += backend->advance(program, 1e-3, {.seconds = seconds, .steps = steps - done}, nullptr).stepsCompleted;
        return bitsOf(*backend);
    }
    static std::vector<Double4> bitsOf(Backend& backend) {
        std::vector<Double4> bits;
        backend.accelerations(bits);
        const ParticleSet bodies = backend.bodies();
        bits.insert(bits.end(), bodies.position.begin(), bodies.position.end());
        bits.insert(bits.end(), bodies.velocity.begin(), bodies.velocity.end());
        return bits;
    }
    static std::vector<std::vector<int>> divisions() {
        std::vector<std::vector<int>> helpers{{0}, {0, 0}, {0, 0, 0, 0, 0, 0, 0}};
        if (backend("cuda").unavailable({.device = 1}).empty()) helpers.push_back({0, 1});  // N is small
        return helpers;
    }
    static std::string text(const DividedCase& c, const std::vector<int>& helpers) {
        return c.kernel + ", precision " + std::to_string(static_cast<int>(c.precision)) + ", law " +
               std::to_string(static_cast<int>(c.law)) + ", devices " + devicesText(with(helpers));
    }
};

TEST_F(GpuDivided, anyNumberOfDevicesGivesTheBitsOfOne) {
    for (const DividedCase& c : dividedCases()) {
        const std::vector<Double4> one = ends(c, kUncut, {});
        for (const std::vector<int>& helpers : divisions())
            EXPECT_TRUE(sameBytes(ends(c, kUncut, helpers), one)) << text(c, helpers);
    }
}

TEST_F(GpuDivided, slicesChangeNoBit) {
    for (const DividedCase& c : dividedCases()) {
        const std::vector<Double4> one = ends(c, kCut, {});
        for (const std::vector<int>& helpers : {std::vector<int>{0}, divisions().back()})
            EXPECT_TRUE(sameBytes(ends(c, kCut, helpers, 0), one)) << text(c, helpers);
    }
}

TEST_F(GpuDivided, aTreeInTwoLevelsHasTheBitsOfOneDevice) {
    const ForcedTree forced(ForcedTree::twoLevels());
    const DividedCase c{"tree"};
    const std::vector<Double4> one = ends(c, kCut, {});
    for (const std::vector<int>& helpers : divisions())
        EXPECT_TRUE(sameBytes(ends(c, kCut, helpers), one)) << text(c, helpers);
}

TEST_F(GpuDivided, theShareOfATreeFollowsItsCountsAndChangesNoBit) {
    // Counts arrive after a few evaluations.
    const DividedCase c{"tree"};
    EXPECT_TRUE(sameBytes(ends(c, kUncut, {0, 0}, Budget{}.seconds, 30), ends(c, kUncut, {}, Budget{}.seconds, 30)));
}

TEST_F(GpuDivided, copiesThroughTheHostChangeNoBit) {
    const EnvironmentVariable without("GRAVLAB_NO_PEERS", "1");
    for (const DividedCase& c : dividedCases()) {
        const std::vector<Double4> one = ends(c, kUncut, {});
        for (const std::vector<int>& helpers : {std::vector<int>{0, 0}, divisions().back()})
            EXPECT_TRUE(sameBytes(ends(c, kUncut, helpers), one)) << text(c, helpers);
    }
    EXPECT_NE(backend("cuda").make(with({0}))->description().find("through the host's memory"), std::string::npos);
}

TEST_F(GpuDivided, aForceThatWasLeftChangesNoBit) {
    for (const DividedCase& c : {DividedCase{"tiled"}, DividedCase{"symmetric"}, DividedCase{"tree"}}) {
        const ParticleSet bodies = bodiesOf(c, kCut);
        const std::unique_ptr<Backend> one = started(c, bodies, {}), several = started(c, bodies, {0, 0});
        const StepProgram program = integrator("leapfrog").program;
        for (Backend* backend : {one.get(), several.get()}) {
            run(*backend, program, 1e-3, 1);
            backend->advance(program, 1e-3, {.seconds = 0, .steps = 1}, nullptr);
            backend->load(bodies);
            run(*backend, program, 1e-3, 2);
            // Edits that leave the bodies where they are, and others.
            BodyChanges changes;
            changes.changed.push_back({5, {0.5, 0.5, 0.5, bodies.position[5].w}, {0, 0, 0, 1}, {}});
            if (!backend->change(changes)) {
                ParticleSet moved = backend->bodies();
                moved.position[5] = changes.changed[0].position;
                moved.velocity[5] = changes.changed[0].velocity;
                backend->load(moved);
            }
            run(*backend, program, 1e-3, 2);
        }
        EXPECT_TRUE(sameBytes(bitsOf(*one), bitsOf(*several))) << c.kernel;
    }
}

TEST_F(GpuDivided, blockStepsAndOtherProgramsHaveTheBitsOfOneDevice) {
    for (const char* name : {"block-leapfrog", "rk4", "yoshida4"})
        for (const DividedCase& c : {DividedCase{"tiled"}, DividedCase{"symmetric"}, DividedCase{"tree"}}) {
            const ParticleSet bodies = bodiesOf(c, 3000);
            const std::unique_ptr<Backend> one = started(c, bodies, {}), several = started(c, bodies, {0, 0});
            run(*one, integrator(name).program, 1e-3, 3);
            run(*several, integrator(name).program, 1e-3, 3);
            EXPECT_TRUE(sameBytes(bitsOf(*one), bitsOf(*several))) << name << ", " << c.kernel;
        }
}

TEST_F(GpuDivided, aSavedRunGoesOnWithOtherDevices) {
    for (const char* kernelName : {"tiled", "symmetric", "tree"}) {
        RunRequest request;
        request.scene = "plummer";
        request.bodies = 3000;
        request.backend = "cuda";
        request.pairs().kernel.kernel = kernelName;
        if (std::string_view(kernelName) == "tree") request.pairs().accuracy = 1e-3;
        Simulation whole(request), first(request);
        gravlab::run(whole, 5);
        gravlab::run(first, 2);
        RunRequest other = startFrom(checkpointOf(first), "x.hdf5").request;
        other.backendOptions.helpers = {0, 0};
        Simulation second(other);
        gravlab::run(second, 3);
        EXPECT_TRUE(sameState(second.backend().bodies(), whole.backend().bodies())) << kernelName;
    }
}

TEST_F(GpuDivided, aCheckTakesTheEndsOfEveryPart) {
    for (const char* kernelName : {"tiled", "tree"}) {
        const DividedCase c{kernelName};
        const std::unique_ptr<Backend> backend = started(c, bodiesOf(c, kUncut), {0, 0});
        run(*backend, integrator("leapfrog").program, 1e-3, 2);
        backend->wait();
        backend->requestForceCheck({17});
        run(*backend, integrator("leapfrog").program, 1e-3, 2);
        backend->wait();
        const std::optional<ForceCheck> check = backend->takeForceCheck();
        ASSERT_TRUE(check.has_value());
        EXPECT_EQ(check->samples, 7u);
        EXPECT_TRUE(check->passed) << kernelName << ": " << check->text();
    }
}

TEST_F(GpuDivided, ranksHaveTheBitsOfOneProcessByEachWay) {
    const std::string job =
        "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe --bind-to none -n ";
    if (output("command -v mpirun").empty()) GTEST_SKIP() << "SKIPPED: no mpirun, so ranks with devices are not tested";
    const auto bits = [](const std::string& before, const std::string& row) {
        return output(before + GRAVLAB_BINARY +
                      " run plummer -n 70001 --backend cuda --steps 3 --autosave 0 --final - --kernel " + row +
                      " 2>&1 >/dev/null | grep -o 'ranks by [A-Z]*\\|ranks through'; " + before + GRAVLAB_BINARY +
                      " run plummer -n 70001 --backend cuda --steps 3 --autosave 0 --final - --kernel " + row +
                      " 2>/dev/null | sha256sum");
    };
    for (const char* const row : {"tiled-registers", "symmetric-runs", "tree --accuracy 1e-3"}) {
        const std::string one = bits("", row);
        EXPECT_EQ(bits(job + "3 ", row), "ranks by CUDA\n" + one) << row;
        EXPECT_EQ(bits("GRAVLAB_NO_PEERS=1 " + job + "2 ", row), "ranks through\n" + one) << row;
        // NCCL takes one rank per device; without it, or without a second device, the host's memory does the same.
        const std::string nccl = bits("GRAVLAB_LINK=nccl " + job + "2 ", row);
        EXPECT_THAT(nccl, testing::AnyOf("ranks by NCCL\n" + one, "ranks through\n" + one)) << row;
    }
}

TEST_F(GpuDivided, theDevicesAreNamed) {
    EXPECT_NE(backend("cuda").make(with({0, 0}))->description().find("helper 0 as a test and 0 as a test"),
              std::string::npos);
    EXPECT_NE(backend("cuda").unavailable({.helpers = {77}}).find("there is no CUDA device 77"), std::string::npos);
}

}  // namespace
}  // namespace gravlab::test
