// Timing of one force kernel with one launch. Rule: check, then time, then check again; no rate without both.
#pragma once
#include "sim/backend.h"

#include <string>

namespace gravlab {

/// How often and how long.
struct BenchmarkPlan {
    std::int64_t steps = 0;  ///< of one repetition; 0: as many as take about a quarter of a second
    int repeats = 5;
};

/// What one configuration gave. The rates are 0 unless it is verified.
struct BenchmarkRow {
    std::string backend, device, kernel, integrator;
    std::size_t bodies = 0;
    int block = 1, unroll = 1;
    std::int64_t steps = 0;
    int repeats = 0;
    double interactionsPerSecond = 0;  ///< median: N*N per force evaluation over the time of the forces alone
    double spread = 0;                 ///< (fastest - slowest) / median
    double gflops = 0;                 ///< effective, 20 a pair
    double msPerStep = 0;              ///< whole steps by the host's clock: the median
    double errorMedian = 0, errorP999 = 0;
    bool verified = false;
    std::string note;  ///< why it is not verified
};

/// `backend` holds the bodies and is configured with `force`. Runs steps of `integrator`, so the bodies move.
/// Throws what the backend throws when the device fails.
BenchmarkRow timeKernel(Backend& backend, const Integrator& integrator, double timeStep, const ForceSettings& force,
                        const BenchmarkPlan& plan);

}  // namespace gravlab
