// Every row, precision and way of stepping on few bodies: short enough to run under a memory checker, tool by tool:
//   compute-sanitizer --tool memcheck|racecheck|initcheck|synccheck --error-exitcode 9 gravlab_gpu_tests
//       --gtest_filter='Sanitizer*'
// Rule: no comparison of numbers here; the checker judges.
#include "forced_tree.h"
#include "gpu_fixture.h"
#include "sim/backends/block_figures.h"
#include "sim/forces/law.h"
#include "sim/scenes/scene.h"

#include <algorithm>

namespace gravlab::test {
namespace {

class Sanitizer : public GpuTest {};

TEST_F(Sanitizer, everyRowStepsOnFewBodies) {
    for (const std::size_t count : {1, 257, 1000})
        for (const KernelRow& row : kernels()) {
            if (row.backend != "cuda") continue;
            ParticleSet bodies = unevenBodies(count);
            if (row.equalMasses)
                for (Double4& body : bodies.position) body.w = 1.0 / 1024;
            std::vector<ForceSettings> forces;
            for (const Precision precision : {Precision::fp32, Precision::mixed, Precision::fp64}) {
                forces.push_back({.precision = precision, .softening = 0.05});
                if (row.byCutOff) {
                    forces.push_back({.law = kLaw<LennardJones>, .precision = precision});
                    forces.push_back({.law = kLaw<LennardJones>, .precision = precision, .diameter = 0.1});  // many cells
                }
                if (row.name != "tiled") continue;
                forces.push_back({.law = kLaw<Coulomb>, .precision = precision, .softening = 0.05});
                forces.push_back({.law = kLaw<PowerLaw>, .precision = precision, .softening = 0.05, .exponent = 1.5});
                forces.push_back({.law = kLaw<LennardJones>, .precision = precision});
            }
            for (const ForceSettings& force : forces) {
                if (!refusal(row, force).empty()) continue;
                const std::unique_ptr<Backend> backend = loaded(bodies);
                LaunchConfig launch{.block = 64, .unroll = 4};
                if (row.usual != LaunchConfig()) launch = row.usual;
                if (row.blockSizes.size() > 1 && row.cut != Split::none) launch.block = row.blockSizes[1];
                if (force.precision == Precision::fp64 && row.cut == Split::tilePairs) launch = row.usual;
                if (row.name == "tiled-block-split") launch.split = count > 4 ? 4 : 1;
                backend->configure(force, {std::string(row.name), launch});
                DeviceSink sink;
                for (const char* name : {"leapfrog", "rk4"})
                    for (std::int64_t done = 0; done < 2;)
                        done += backend->advance(integrator(name).program, 1e-3, {.seconds = 0.01, .steps = 2 - done}, &sink)
                                    .stepsCompleted;
                backend->requestForceCheck(sampleTargets(bodies.position));
                run(*backend, integrator("leapfrog").program, 1e-3, 2);
                const std::optional<ForceCheck> check = backend->takeForceCheck();
                ASSERT_TRUE(check.has_value());
                if (force.law == kLaw<LennardJones>) continue;  // these bodies are deep inside its repulsion
                EXPECT_TRUE(check->passed) << row.name << ", N = " << count << ": " << check->text();
            }
        }
}

TEST_F(Sanitizer, blockSteps) {
    for (const std::size_t count : {2, 1000})
        for (const KernelRow& row : kernels()) {
            if (row.backend != "cuda") continue;
            for (const Precision precision : {Precision::fp32, Precision::mixed, Precision::fp64}) {
                ForceSettings force{.precision = precision, .softening = 0.2};  // few substeps
                if (row.byCutOff) force.law = kLaw<LennardJones>;
                if (!refusal(row, force).empty()) continue;
                ParticleSet bodies =
                    row.byCutOff ? sceneNamed("lennard-jones").build({.bodies = count, .seed = 5}) : unevenBodies(count);
                if (row.equalMasses)
                    for (Double4& body : bodies.position) body.w = 1.0 / 1024;
                bodies.velocity[1].w = precision == Precision::mixed ? 0.5 : 1;  // also scaled sums
                KernelChoice choice{.kernel = std::string(row.name)};
                if (row.splits.last > 1 && count > 100) choice.launch.split = 3;
                if (row.approximates && !row.byOpening) choice.allowedError = 1e-3;
                const std::unique_ptr<Backend> backend = gravlab::backend("cuda").make({});
                backend->load(bodies, {force, choice});
                run(*backend, integrator("block-leapfrog").program, 1.0 / 256, 1);
                const auto figures = backend->figures();
                EXPECT_TRUE(std::ranges::any_of(figures, [](const MethodFigure& f) { return f.name == kForcesOfABody; }));
            }
        }
}

TEST_F(Sanitizer, everyLawIsMeasured) {
    for (const std::size_t count : {1, 257, 1000, 16500})
        for (const Precision precision : {Precision::fp32, Precision::fp64})
            for (const Law law : {Law::gravity, kLaw<PowerLaw>, kLaw<LennardJones>}) {
                const std::unique_ptr<Backend> backend = gravlab::backend("cuda").make({});
                backend->configure({.law = law, .precision = precision, .softening = 0.05, .exponent = 1.5}, {});
                backend->load(unevenBodies(count));
                backend->requestMeasurement();
                std::optional<Diagnostics> done;
                while (!done && backend->measuring()) {
                    backend->wait();
                    done = backend->takeMeasurement(1e-3);
                }
                ASSERT_TRUE(done.has_value());
                EXPECT_EQ(done->failure, "");
            }
}

TEST_F(Sanitizer, theTreeIsMeasured) {
    for (const std::size_t count : {1, 2, 257, 20000}) {
        const std::unique_ptr<Backend> backend = gravlab::backend("cuda").make({});
        KernelChoice choice{.kernel = "tree"};
        choice.allowedError = 1e-3;
        backend->load(unevenBodies(count), ForceConfiguration{{.softening = 0.05}, choice});
        backend->requestMeasurement();
        std::optional<Diagnostics> done;
        while (!done && backend->measuring()) {
            backend->wait();
            done = backend->takeMeasurement(1e-3);
        }
        ASSERT_TRUE(done.has_value());
        EXPECT_EQ(done->failure, "");
    }
}

TEST_F(Sanitizer, theTreeIsWalkedInTwoLevels) {
    for (const std::uint32_t nodes : {1, 30, 1024})
        for (const std::uint32_t regions : {5u, ~0u})
            for (const std::size_t count : {1, 65, 1000, 8000}) {
                cuda::TreeLimits limits = ForcedTree::twoLevels();
                limits.regionNodes = nodes;
                limits.regions = regions;
                const ForcedTree forced(limits);
                KernelChoice choice{.kernel = "tree"};
                choice.allowedError = 1e-3;
                const std::unique_ptr<Backend> backend = loaded(unevenBodies(count), choice);
                for (std::int64_t done = 0; done < 2;)
                    done +=
                        backend->advance(integrator("leapfrog").program, 1e-3, {.seconds = 0, .steps = 2 - done}, nullptr)
                            .stepsCompleted;
                backend->wait();
            }
}

TEST_F(Sanitizer, theTreeOfFewSourcesSteps) {
    for (const bool twoLevels : {false, true})
        for (const bool first : {false, true})
            for (const std::size_t count : {3, 65, 1000, 8000}) {
                const ForcedTree forced(twoLevels ? ForcedTree::twoLevels() : cuda::TreeLimits());
                ParticleSet bodies = unevenBodies(count);
                for (std::size_t i = 0; i < count; ++i)
                    bodies.position[i].w = (first ? i < count / 20 + 1 : i % 20 == 1) ? 1.0 / static_cast<double>(count) : 0;
                KernelChoice choice{.kernel = "tree"};
                choice.allowedError = 1e-3;
                const std::unique_ptr<Backend> backend = loaded(bodies, choice, 0.2);
                run(*backend, integrator("leapfrog").program, 1e-3, 2);
                run(*backend, integrator("block-leapfrog").program, 1.0 / 256, 1);
            }
}

}  // namespace
}  // namespace gravlab::test
