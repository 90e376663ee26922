// Force terms and methods from outside the program, on the GPU.
#include "gpu_fixture.h"
#include "tests/bodies.h"
#include "tests/extension_suite.h"
#include "tests/extensions/friction.h"
#include "tests/extensions/springs.h"

#include <atomic>
#include <chrono>
#include <future>

namespace gravlab {
namespace {

INSTANTIATE_TEST_SUITE_P(Gpu, ExtensionSuite, testing::Values("cuda"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(GpuExtensions, ranOnAGpuWhereOneIsRequired) { skipWithout("cuda"); }

/// Springs whose energy is delayed until the test releases it; after a failed test, some seconds.
class WaitingSprings final : public extension::Springs {
public:
    WaitingSprings(const ParticleSet& bodies, std::shared_future<void> allowed)
        : Springs({{bodies.id[0], bodies.id[1], 0.1, 1}}), allowed_(std::move(allowed)) {}
    double potential(const TermBodies& bodies) const override {
        begun = true;
        allowed_.wait_for(std::chrono::seconds(5));
        return Springs::potential(bodies);
    }
    mutable std::atomic<bool> begun = false;

private:
    std::shared_future<void> allowed_;
};

TEST(GpuExtensions, theEnergyOfATermKeepsNoFrameWaiting) {
    if (const Reason reason = backend("cuda").unavailable({}); !reason.empty()) GTEST_SKIP() << "NO GPU: " << reason;
    const ParticleSet bodies = testing_support::unevenBodies(200);
    std::promise<void> allow;
    const auto springs = std::make_shared<const WaitingSprings>(bodies, allow.get_future().share());
    const std::unique_ptr<Backend> cuda = backend("cuda").make({});
    cuda->load(bodies, {{.softening = 0.1}, {}}, {springs});
    cuda->requestMeasurement();
    std::optional<Diagnostics> measured;
    while (!springs->begun && !measured) {
        cuda->wait();
        measured = cuda->takeMeasurement(1);
    }
    for (int frame = 0; frame < 10 && !measured; ++frame) {
        cuda->wait();
        measured = cuda->takeMeasurement(1);
    }
    EXPECT_FALSE(measured.has_value()) << "a frame waited for the energy";
    EXPECT_TRUE(cuda->measuring());
    allow.set_value();
    while (!measured && cuda->measuring()) measured = cuda->takeMeasurement(1);
    ASSERT_TRUE(measured.has_value());
    EXPECT_EQ(measured->failure, "");
    EXPECT_FALSE(cuda->measuring());
}

TEST(GpuVelocityTerm, integratorsThatTakeVelocitiesKeepTheirOrder) {
    if (const Reason reason = backend("cuda").unavailable({}); !reason.empty())
        GTEST_SKIP() << "NO GPU TEST WAS RUN: " << reason;
    for (const Integrator& row : integrators()) {
        if (!takesVelocities(row.program) || needsJerk(row.program) || isAdaptive(row.program)) continue;
        const std::string method(row.name);
        const double ratio = missOfFriction("cuda", method.c_str(), 16) / missOfFriction("cuda", method.c_str(), 32);
        EXPECT_NEAR(std::log2(ratio), row.order, 0.1) << method;
    }
}

}  // namespace
}  // namespace gravlab
