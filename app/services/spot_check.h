// Checks the forces of a running simulation again and again, to find a device that begins to compute wrongly.
// Rule: where every pair is computed an alarm means an error that rounding cannot explain; the gates of a fresh
// configuration test kernels instead. Where an accuracy is allowed, a check that fails is an alarm.
#pragma once
#include "sim/run/simulation.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>

namespace gravlab {

class SpotCheck {
public:
    static constexpr double kSeconds = 10;  ///< [s] between two checks
    // Forces that nearly cancel lose digits in fp32: three bodies of the scenes reach 5e-5. A flipped bit or a lost tile of
    // sources is larger than this in some body.
    static constexpr double kMedian = 1e-4, kWorst = 1e-2;

    explicit SpotCheck(double seconds = kSeconds) : seconds_(seconds) {}

    /// Takes a result that has arrived, also that of a new configuration, and requests the next one when it is due. Returns
    /// a sentence for an alarm, else empty. Never waits.
    std::string update(Simulation& simulation);
    /// The same after waiting for the check of the first force, where a force was computed. Call it before results are
    /// written. With a limit [s] the check may be incomplete afterwards.
    std::string settle(Simulation& simulation, double limit = std::numeric_limits<double>::infinity());
    /// The same for one result; `first`: it belongs to a new configuration.
    std::string judge(const ForceCheck& result, bool first = false);
    /// Requests a check of the next force, whatever the time.
    void ask(Simulation& simulation);
    /// The newest result; empty: none has arrived.
    const std::optional<ForceCheck>& newest() const { return newest_; }
    int results() const { return results_; }    ///< number of results so far
    int failures() const { return failures_; }  ///< number of alarms among them

private:
    std::string alarmOf(const ForceCheck& result, bool first) const;

    double seconds_;
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
    std::optional<ForceCheck> newest_;
    int results_ = 0, failures_ = 0;
    bool known_ = false;          ///< the check of the configuration has been judged
    std::uint64_t revision_ = 0;  ///< of the simulation then
};

/// Computes the first force and goes back to the start. Where the forces of a tree miss the allowed accuracy on these
/// bodies, every pair is computed from then on. Returns a sentence about that, else empty; does nothing where every pair is
/// computed anyway. `meanwhile` is called between slices of the force. Throws an Error of ExitCode::checkFailed where the
/// row was named, so that another may not replace it.
std::string holdAccuracy(Simulation& simulation, const std::function<void()>& meanwhile);

}  // namespace gravlab
