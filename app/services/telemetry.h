// Rates and times for the display: differences of finished totals over a short window. Never waits, never allocates.
#pragma once
#include "app/services/service.h"
#include "sim/backends/backend.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gravlab {

class Telemetry : public Service {
public:
    void follow(const RunHost& runs) override;
    void look(const ServiceFrame& frame) override;
    void readFacts(RunFacts& facts) const override;
    /// Call once a frame with the backend's totals, the host clock [s] and the GPU's time for drawing [s].
    void frame(const WorkTotals& totals, double now, double drawSeconds);
    /// Adds the time that a frame waited for the display to take its picture [s].
    void waited(double seconds) { waitTotal_ += seconds; }
    /// No frames come for a while, because nothing moves: the time until the next frame does not count as its length.
    void rest();
    /// Forgets everything: the kernel, N or the backend has changed.
    void restart();

    /// N*N per force evaluation over device or pool time. It keeps the last known value while nothing is computed; 0 before
    /// the first.
    double interactionsPerSecond = 0;
    /// Interactions with cells among them, per second of the same time; for a tree.
    double cellsPerSecond = 0;
    double forceSeconds = 0;  ///< time of a force evaluation, where one has ended; 0 before the first [s]
    /// Rates over the last half second or so of the host clock; 0 when the simulation is paused.
    double framesPerSecond = 0, stepsPerSecond = 0;  ///< slow steps: from the interval between the last two that ended
    /// Milliseconds per frame for force, integrate, publish and draw, and for the display to take the picture. A GPU
    /// computes during that wait, so that the parts may exceed the whole.
    double frameMilliseconds = 0, forceMs = 0, integrateMs = 0, publishMs = 0, drawMs = 0, waitMs = 0;

    static constexpr std::size_t kHistory = 240;
    static constexpr double kHistoryInterval = 0.1;  ///< [s] between two points
    std::array<float, kHistory>
        rateHistory{};  ///< G interactions/s, oldest first; the last `historyCount` entries are valid
    std::size_t historyCount = 0;

private:
    struct Sample {
        WorkTotals totals;
        double time = 0, draw = 0, wait = 0;  ///< draw, wait: sums over all frames so far [s]
    };
    void remember(double now);
    double slowSteps(std::int64_t steps, double now);

    static constexpr std::size_t kSamples = 64;
    std::array<Sample, kSamples> samples_{};
    std::size_t first_ = 0, count_ = 0;
    double drawTotal_ = 0, waitTotal_ = 0, lastPoint_ = 0;
    /// Readings at which steps had ended, newest first; time < 0: there was none.
    struct End {
        double time = -1;
        std::int64_t steps = 0;
    };
    std::array<End, 2> ends_{};
    std::int64_t seenSteps_ = -1;
    WorkTotals forceEnd_;            ///< when the last force had ended
    std::uint64_t rateChanges_ = 0;  ///< of the runs
};

// Statistics of frame times for a run of a given number of frames. Rule: the first frames, which compile and allocate, are
// left out.

class FrameTimes {
public:
    /// A frame ended after this time [s].
    void add(double seconds);
    /// "450.2 a second, median 2.1 ms, 99 % under 3.0 ms, longest 4.2 ms (280 frames)"; empty when there were too few.
    std::string text() const;
    /// Quantile of the frame times [s], `share` within 0..1; 0 when there are no frames.
    double quantile(double share) const;

private:
    static constexpr int kLeftOut = 20;
    int seen_ = 0;
    std::vector<double> seconds_;
};

}  // namespace gravlab
