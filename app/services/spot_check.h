// The forces of a running simulation, looked at again and again: finds a device that begins to compute wrongly.
// Rule: where every pair is computed an alarm is for errors that rounding cannot explain, because the gates of a fresh
// configuration are for kernels; where an accuracy is allowed, a check that fails is an alarm.
#pragma once
#include "sim/run/simulation.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace gravlab {

class SpotCheck {
public:
    static constexpr double kSeconds = 10;  ///< between two checks
    // Forces that nearly cancel lose digits in fp32: three bodies of the scenes reach 5e-5. A flipped bit or a lost tile of
    // sources is larger than this in some body.
    static constexpr double kMedian = 1e-4, kWorst = 1e-2;

    explicit SpotCheck(double seconds = kSeconds) : seconds_(seconds) {}

    /// Takes a result that has come, that of a new configuration too, and asks for the next one when it is time. A sentence
    /// when it is an alarm, else empty. Never waits.
    std::string update(Simulation& simulation);
    /// The same after waiting for the check of the first force, where a force was computed: call it before results are
    /// written.
    std::string settle(Simulation& simulation);
    /// The same on one result; `first`: it is that of a configuration.
    std::string judge(const ForceCheck& result, bool first = false);
    /// Asks for a check of the next force, whatever the time.
    void ask(Simulation& simulation);
    /// The newest result; none: none has come.
    const std::optional<ForceCheck>& newest() const { return newest_; }
    int results() const { return results_; }    ///< that have come
    int failures() const { return failures_; }  ///< of these, alarms

private:
    std::string alarmOf(const ForceCheck& result, bool first) const;

    double seconds_;
    std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
    std::optional<ForceCheck> newest_;
    int results_ = 0, failures_ = 0;
    bool known_ = false;          ///< the check of the configuration has been judged
    std::uint64_t revision_ = 0;  ///< of the simulation then
};

/// Makes a step, and goes back to the start: where the forces of a tree miss the accuracy that was allowed on these bodies,
/// every pair is computed from then on. Answers a sentence about that, else empty; does nothing where every pair is computed
/// anyway. `meanwhile` is called between slices of the step. Throws an Error of ExitCode::checkFailed where the row was
/// named, so that another may not take its place.
std::string holdAccuracy(Simulation& simulation, const std::function<void()>& meanwhile);

}  // namespace gravlab
