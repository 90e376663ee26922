// Quantiles of frame times.
#include "app/services/frame_times.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace gravlab {

void FrameTimes::add(double seconds) {
    if (++seen_ > kLeftOut) seconds_.push_back(seconds);
}

double FrameTimes::quantile(double share) const {
    if (seconds_.empty()) return 0;
    std::vector<double> sorted = seconds_;
    const double rank = std::ceil(share * static_cast<double>(sorted.size())) - 1;
    const auto at = static_cast<std::size_t>(std::clamp(rank, 0.0, static_cast<double>(sorted.size() - 1)));
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(at), sorted.end());
    return sorted[at];
}

std::string FrameTimes::text() const {
    if (seconds_.empty()) return {};
    const double whole = std::accumulate(seconds_.begin(), seconds_.end(), 0.0);
    char text[160];
    std::snprintf(text, sizeof text,
                  "%.1f a second, median %.2f ms, 99 %% within %.2f ms, longest %.2f ms (%zu frames, the first %d left out)",
                  whole > 0 ? static_cast<double>(seconds_.size()) / whole : 0.0, 1e3 * quantile(0.5), 1e3 * quantile(0.99),
                  1e3 * quantile(1), seconds_.size(), kLeftOut);
    return text;
}

}  // namespace gravlab
