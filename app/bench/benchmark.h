// Timing of one force kernel with one launch. Rule: check, then time, then check again; no rate without both.
#pragma once
#include "sim/backends/backend.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gravlab {

/// How often and how long.
struct BenchmarkPlan {
    std::int64_t steps = 0;  ///< of one repetition; 0: as many as take `repetitionSeconds`
    int repeats = 5;
    double warmUpSeconds = 0.3;  ///< clocks of GPUs and laptops have risen by then
    double repetitionSeconds = 0.25;
    double mostSeconds = 0;  ///< above 0: a repetition of `steps` ends early, at about this; slow kernels get fewer repeats
    bool checkOnHost =
        true;  ///< the second check is the host's own loop; else the backend's fp64 kernel, which never blocks
    std::size_t checkBodies = 0;  ///< compared with fp64; 0: 1024, or fewer where N is large
    bool ofTerm = false;          ///< the rate is that of the one term beside the pair law
};

/// What one configuration gave. The rates are 0 unless it is verified.
struct BenchmarkRow {
    std::string backend, device, kernel, integrator, precision;
    std::size_t bodies = 0;
    int block = 1, unroll = 1, bodiesPerThread = 1, split = 1;  ///< 1 where the kernel has nothing to turn
    int threads = 0;                                            ///< of a CPU; 0: not a thing there
    std::int64_t steps = 0;
    int repeats = 0;
    double interactionsPerSecond = 0;  ///< force only: N*N per force evaluation (of a tree what was evaluated) over the time
                                       ///< of the forces alone; median
    double spread = 0;                 ///< of the force-only rate: (fastest - slowest) / median
    double stepInteractionsPerSecond = 0;  ///< whole steps: N*N per force evaluation over the host's clock; the median
    double stepSpread = 0;                 ///< of the whole-step rate
    double gflops = 0;                     ///< effective, 20 a pair, force only
    double msPerStep = 0;                  ///< whole steps by the host's clock: the median
    double clock = 0;                      ///< [1/s] of the device right after the repetitions; 0: not known
    double boundPerSecond = 0;             ///< interactions/s that the device can issue at its highest clock; 0: not known
    double errorMedian = 0, errorP999 = 0;
    double allowed = 0;                 ///< relative error that 99 % of the bodies may have; 0: rounding only
    double errorP99 = 0;                ///< of a row that is allowed one
    std::vector<MethodFigure> figures;  ///< of the last evaluation, where the row tells of it
    bool verified = false;
    std::string note;  ///< why it is not verified
    std::string trap;  ///< of a kernel that is wrong on purpose: why what the clock shows is no rate, whatever it computed
    double struckRate = 0;  ///< what the clock shows all the same, force only
};

/// The check and timing of one configuration, little by little, so that a frame loop can drive it.
class Trial {
public:
    /// `backend` holds the bodies and is configured with `force`; it must outlive the trial. Runs steps of `integrator`, so
    /// the bodies move.
    Trial(Backend& backend, const Integrator& integrator, double timeStep, const ForceSettings& force,
          const BenchmarkPlan& plan);

    /// Works for about `seconds` and waits for what it enqueued. True once the row is complete. Throws what the backend
    /// throws when the device fails.
    bool advance(double seconds);
    bool finished() const { return phase_ == Phase::done; }
    /// 0..1, from the time that is planned.
    double progress() const;
    const BenchmarkRow& row() const { return row_; }

private:
    enum class Phase { checkBefore, warmUp, repeat, checkAfter, done };

    void runPhase(double seconds);
    bool runChecked(double seconds);
    void warmUp(double seconds);
    void planRepeats();
    void repeat(double seconds);
    double interactionsOf(double counted) const;
    bool checkOnHost();
    bool take(const std::optional<ForceCheck>& check);
    void finish();
    std::int64_t work(std::int64_t steps, double seconds);

    Backend& backend_;
    const Integrator& integrator_;
    double timeStep_;
    ForceSettings force_;
    BenchmarkPlan plan_;
    BenchmarkRow row_;
    Phase phase_ = Phase::checkBefore;
    std::vector<std::uint32_t> targets_;

    bool asked_ = false;
    bool right_ = true;  ///< all checks so far
    int attempts_ = 0;
    double worked_ = 0;           ///< [s] of the host's clock in this phase or repetition
    double ofStep_ = 0;           ///< share of the step under way that is done
    std::int64_t stepsDone_ = 0;  ///< in this phase or repetition
    std::int64_t batch_ = 1;
    double perStep_ = 0;  ///< [s], estimated before the repetitions
    WorkTotals before_;
    std::vector<double> rates_, stepRates_, milliseconds_;
};

/// Gives every body a mass of its own, 0.5 to 1.5 times what it had: what no kernel can make light of, as it can of equal
/// masses.
void spreadMasses(ParticleSet& bodies);

/// A whole trial at once. Can be interrupted.
BenchmarkRow timeKernel(Backend& backend, const Integrator& integrator, double timeStep, const ForceSettings& force,
                        const BenchmarkPlan& plan);

}  // namespace gravlab
