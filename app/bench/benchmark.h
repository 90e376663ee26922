// Timing of one force kernel with one launch. Rule: check, then time, then check again; no rate without both checks.
#pragma once
#include "sim/backends/backend.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gravlab {

/// Numbers and durations of the repetitions.
struct BenchmarkPlan {
    std::int64_t steps = 0;  ///< in one repetition; 0: as many as take `repetitionSeconds`
    int repeats = 5;
    double warmUpSeconds = 0.3;  ///< enough for the clocks of GPUs and laptops to rise
    double repetitionSeconds = 0.25;
    double mostSeconds =
        0;  ///< above 0: a repetition of `steps` ends after about this time; slow kernels get fewer repetitions
    bool checkOnHost =
        true;  ///< the second check uses the host's own loop; else the backend's fp64 kernel, which never blocks
    std::size_t checkBodies = 0;  ///< compared with fp64; 0: 1024, of which the host takes fewer where N is large
    bool ofTerm = false;          ///< the rate is that of the one term beside the pair law
};

/// The result of one configuration. The rates are 0 unless it is verified.
struct BenchmarkRow {
    std::string backend{}, device{}, kernel{}, integrator{}, precision{};
    std::size_t bodies = 0;
    int block = 1, unroll = 1, bodiesPerThread = 1, split = 1;  ///< 1 where the kernel has no such factor
    int threads = 0;                                            ///< of a CPU; 0: not applicable
    std::int64_t steps = 0;
    int repeats = 0;
    double interactionsPerSecond = 0;  ///< force only: N*N per force evaluation (of a tree what was evaluated) over the time
                                       ///< of the forces alone; median
    double spread = 0;                 ///< of the force-only rate: (fastest - slowest) / median
    double stepInteractionsPerSecond = 0;  ///< whole steps: N*N per force evaluation over the host's clock; the median
    double stepSpread = 0;                 ///< of the whole-step rate
    double gflops = 0;                     ///< effective, 20 a pair, force only
    double msPerStep = 0;                  ///< whole steps by the host's clock: the median
    double clock = 0;                      ///< [1/s] of the device right after the repetitions; 0: unknown
    double boundPerSecond = 0;             ///< interactions/s that the device can issue at its highest clock; 0: unknown
    double errorMedian = 0, errorP999 = 0;
    double allowed = 0;                   ///< relative error that 99 % of the bodies may have; 0: rounding only
    double errorP99 = 0;                  ///< for a row with an allowed error
    std::vector<MethodFigure> figures{};  ///< of the last evaluation, when the row reports them
    bool verified = false;
    std::string note{};     ///< why it is not verified
    std::string trap{};     ///< for a kernel that is wrong on purpose: why its measured speed is not a rate
    double struckRate = 0;  ///< the measured speed of such a kernel, force only
};

/// The check and timing of one configuration, in small steps, so that a frame loop can drive it.
class Trial {
public:
    /// `backend` holds the bodies and is configured with `force`; it must outlive the trial. The trial runs steps of
    /// `integrator`, so the bodies move.
    Trial(Backend& backend, const Integrator& integrator, double timeStep, const ForceSettings& force,
          const BenchmarkPlan& plan);

    /// Works for about `seconds` and waits for the enqueued work. True once the row is complete. Throws the backend's errors
    /// when the device fails.
    bool advance(double seconds);
    bool finished() const { return phase_ == Phase::done; }
    /// 0..1 of the planned time.
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

    bool enqueued_ = false;
    bool right_ = true;  ///< every check so far passed
    int attempts_ = 0;
    double worked_ = 0;           ///< [s] of the host's clock in this phase or repetition
    double ofStep_ = 0;           ///< finished fraction of the present step
    std::int64_t stepsDone_ = 0;  ///< in this phase or repetition
    std::int64_t batch_ = 1;
    double perStep_ = 0;  ///< [s], estimated before the repetitions
    WorkTotals before_;
    std::vector<double> rates_, stepRates_, milliseconds_;
};

/// Multiplies the mass of every body by its own factor, 0.5 to 1.5, because kernels can exploit equal masses.
void spreadMasses(ParticleSet& bodies);

/// Runs a whole trial. Can be interrupted.
BenchmarkRow timeKernel(Backend& backend, const Integrator& integrator, double timeStep, const ForceSettings& force,
                        const BenchmarkPlan& plan);

}  // namespace gravlab
