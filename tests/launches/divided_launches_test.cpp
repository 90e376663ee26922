// What helpers enqueue, on any machine: every row that is divided copies positions to them and sums back, whole or in
// slices, and gives its work once.
#include "sim/api/errors.h"
#include "sim/backends/backend.h"
#include "sim/backends/cuda/runtime/api.h"
#include "sim/backends/division.h"
#include "tests/bodies.h"

#include <gtest/gtest.h>

#include <string>

namespace gravlab {

extern int fakeAllocationsToFailure;  // of fake_cudart.cpp

namespace {

/// Work of three steps, and copies per step.
struct Enqueued {
    double interactions = 0;
    std::int64_t forces = 0, launches = 0, copies = 0;
};
Enqueued enqueued(const KernelRow& row, std::vector<int> helpers, double seconds) {
    const std::unique_ptr<Backend> backend = gravlab::backend("cuda").make({.helpers = std::move(helpers)});
    ParticleSet bodies = testing_support::unevenBodies(3000);
    if (row.equalMasses)
        for (Double4& body : bodies.position) body.w = 1.0 / 1024;
    KernelChoice choice{.kernel = std::string(row.name), .launch = row.usual};
    if (row.approximates && !row.byOpening) choice.allowedError = 1e-3;
    backend->load(bodies, {{.softening = 0.05}, choice});
    const cuda::CallCounts before = cuda::callCounts();
    const std::int64_t copies = cuda::callsOf("cudaMemcpyAsync");
    for (std::int64_t done = 0; done < 3;)
        done += backend->advance(integrator("leapfrog").program, 1e-3, {.seconds = seconds, .steps = 3 - done}, nullptr)
                    .stepsCompleted;
    backend->wait();
    const WorkTotals totals = backend->totals();
    return {totals.interactions, totals.forceEvaluations, cuda::callCounts().launches - before.launches,
            cuda::callsOf("cudaMemcpyAsync") - copies};
}

TEST(DividedLaunches, everyRowStepsWithHelpersAndCountsItsPairsOnce) {
    int divided = 0;
    for (const KernelRow& row : kernels()) {
        if (row.backend != "cuda" || !refusal(row, ForceSettings{}).empty()) continue;
        SCOPED_TRACE(std::string(row.name));
        const Enqueued one = enqueued(row, {}, Budget{}.seconds);
        for (const double seconds : {Budget{}.seconds, 0.0}) {
            const Enqueued several = enqueued(row, {0, 0}, seconds);
            EXPECT_EQ(several.forces, one.forces);
            if (!row.approximates) {
                EXPECT_DOUBLE_EQ(several.interactions, one.interactions);
            }
            const bool divides = whyUndivided(row, {}, 3000, true).empty() && row.name != "symmetric-atomics";
            EXPECT_EQ(several.copies > one.copies + 3, divides);
            if (divides) {
                EXPECT_GT(several.launches, one.launches);
            }
            divided += divides;
        }
    }
    EXPECT_GT(divided, 40);
}

TEST(DividedLaunches, aHelperWithoutMemoryIsNamedAndTheRunStays) {
    const std::unique_ptr<Backend> backend = gravlab::backend("cuda").make({.helpers = {0}});
    backend->load(testing_support::unevenBodies(500), {{.softening = 0.05}, {.kernel = "tiled"}});
    int named = 0, failed = 0;
    for (int call = 1; failed == call - 1; ++call) {
        fakeAllocationsToFailure = call;
        try {
            backend->load(testing_support::unevenBodies(3000), {{.softening = 0.05}, {.kernel = "tiled"}});
        } catch (const OutOfMemoryError& error) {
            ++failed;
            named += std::string(error.what()).find("device 0: the GPU has not enough free memory") != std::string::npos;
            EXPECT_EQ(backend->size(), 500u);
            testing_support::advanceBy(*backend, integrator("leapfrog").program, 1e-3, 1);
        }
        fakeAllocationsToFailure = 0;
    }
    EXPECT_GT(named, 1);
    EXPECT_GT(failed, named);
    EXPECT_EQ(backend->size(), 3000u);
}

}  // namespace
}  // namespace gravlab
