// The one meaning of "median" in tables, figures and reports.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

namespace gravlab {

/// The middle of the sorted values, or the mean of the two in the middle; 0 for no values.
inline double median(std::vector<double> values) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace gravlab
