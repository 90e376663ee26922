// The difference of two pictures: drivers' rounding is allowed, visible differences are not.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace gravlab::test {

/// Other drivers round differently: a few steps of 255 anywhere, more only in a handful of pixels.
struct Difference {
    double mean = 0;
    int far = 0;  ///< pixels that differ by more than kFar
    static constexpr int kFar = 20;
    bool small() const { return mean < 0.8 && far <= 4; }
};

inline Difference compare(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
    Difference difference;
    if (a.size() != b.size()) return {255, static_cast<int>(a.size())};
    for (std::size_t i = 0; i < a.size(); i += 3) {
        int worst = 0;
        for (std::size_t c = 0; c < 3; ++c) worst = std::max(worst, std::abs(a[i + c] - b[i + c]));
        difference.mean += worst;
        difference.far += worst > Difference::kFar;
    }
    difference.mean /= static_cast<double>(a.size()) / 3;
    return difference;
}

}  // namespace gravlab::test
