// Statistics of frame times for a run of a given number of frames. Rule: the first frames, which compile and allocate, are
// left out.
#pragma once
#include <string>
#include <vector>

namespace gravlab {

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
