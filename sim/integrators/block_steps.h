// Individual time steps within one step of the run: a body on level k makes 2^k steps of dt / 2^k. Levels follow from the
// accelerations at the beginning of the run's step, and stay until it ends. There all bodies are at the same time again, so
// levels do not belong to a state. Host and device.
#pragma once
#include "sim/api/vectors.h"
#include "sim/integrators/active_bodies.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gravlab {

/// Levels are 0 to kDeepestLevel.
constexpr int kDeepestLevel = 8;
constexpr int kLevelCount = kDeepestLevel + 1;

/// A number that grows with the logarithm of a length, linear between powers of two; 0 for a length without logarithm. The
/// mean of such numbers is a sum of integers, which is the same in any order.
GRAVLAB_HOST_DEVICE std::uint32_t logarithmOf(float length) {
    if (!(length > 0 && length < 3e38f)) return 0;
#if defined(__CUDA_ARCH__)
    return static_cast<std::uint32_t>(__float_as_int(length));
#else
    return std::bit_cast<std::uint32_t>(length);
#endif
}

/// Length of an acceleration for levels. Each product and sum is rounded by itself, so that host and device agree.
GRAVLAB_HOST_DEVICE float levelLength(double x, double y, double z) {
#if defined(__CUDA_ARCH__)
    return static_cast<float>(sqrt(__dadd_rn(__dadd_rn(__dmul_rn(x, x), __dmul_rn(y, y)), __dmul_rn(z, z))));
#else
    return static_cast<float>(std::sqrt(x * x + y * y + z * z));
#endif
}

/// Sum and number of logarithms.
struct LogarithmSum {
    static constexpr float kBelowMean = 0.70710678f;
    std::uint64_t sum = 0, counted = 0;
    GRAVLAB_HOST_DEVICE void add(float length) {
        const std::uint32_t own = logarithmOf(length);
        if (own == 0) return;
        sum += own;
        ++counted;
    }
    /// The largest acceleration for which a whole step of the run is short enough; 0: there is none. It puts the mean of the
    /// logarithms in the middle of the level below it, so that similar bodies stay on one level.
    GRAVLAB_HOST_DEVICE float reference() const {
        if (counted == 0) return 0;
        const auto mean = static_cast<std::uint32_t>(sum / counted);
#if defined(__CUDA_ARCH__)
        return kBelowMean * __int_as_float(static_cast<int>(mean));
#else
        return kBelowMean * std::bit_cast<float>(mean);
#endif
    }
};

/// Sums over the bodies with mass, and over the others. Bodies without mass move no others, so they shorten no steps of
/// theirs either: they count where no body has mass.
struct LevelScale {
    LogarithmSum massive, others;
    GRAVLAB_HOST_DEVICE void add(float length, bool hasMass) { (hasMass ? massive : others).add(length); }
    GRAVLAB_HOST_DEVICE void add(const LevelScale& more) {
        massive = {massive.sum + more.massive.sum, massive.counted + more.massive.counted};
        others = {others.sum + more.others.sum, others.counted + more.others.counted};
    }
    GRAVLAB_HOST_DEVICE float reference() const { return (massive.counted > 0 ? massive : others).reference(); }
};

/// The level of a body with an acceleration of that length. Its own step changes its velocity by no more than a whole step
/// does at the reference, so twice the acceleration is one level deeper. In clusters and galaxies the orbital frequency is
/// nearly proportional to the acceleration, not to its root; see docs/decisions/block-steps.md.
GRAVLAB_HOST_DEVICE int levelOf(float length, float reference) {
    int level = 0;
    for (float most = reference; level < kDeepestLevel && most > 0 && length > most; most *= 2) ++level;
    return level;
}

/// Number of bodies on each level.
using LevelCounts = std::array<std::size_t, kLevelCount>;
/// Sets the levels of bodies [first, last) by their accelerations, and counts them. Host memory; `lengthOf(i)` is
/// levelLength().
template <class LengthOf>
LevelCounts giveLevels(std::size_t first, std::size_t last, float reference, const LengthOf& lengthOf,
                       std::uint8_t* levels) {
    LevelCounts counts{};
    for (std::size_t i = first; i < last; ++i) {
        const int level = levelOf(lengthOf(i), reference);
        levels[i] = static_cast<std::uint8_t>(level);
        ++counts[static_cast<std::size_t>(level)];
    }
    return counts;
}

/// Progress of a step of the run: its substeps are as many as the steps of a body on the deepest level in use.
class BlockClock {
public:
    BlockClock() = default;
    /// `bodies`: number on each level.
    explicit BlockClock(const LevelCounts& bodies) : bodies_(bodies) {
        for (int level = 0; level < kLevelCount; ++level)
            if (bodies_[static_cast<std::size_t>(level)] > 0) deepest_ = level;
        while (shallowest_ < deepest_ && bodies_[static_cast<std::size_t>(shallowest_)] == 0) ++shallowest_;
    }

    unsigned substeps() const { return 1u << deepest_; }
    /// Bodies on this level and deeper ones begin a step with the next substep; or, for ending(), end one with it.
    int beginning() const { return lowest(done_); }
    int ending() const { return lowest(done_ + 1); }
    bool first() const { return done_ == 0; }
    void next() { ++done_; }

    /// Bodies whose force is needed at the end of the substep.
    ActiveBodies active(const std::uint8_t* levels) const {
        if (ending() <= shallowest_) return {};
        ActiveBodies active{.levels = levels, .least = ending(), .follows = !first()};
        for (int level = ending(); level < kLevelCount; ++level) active.count += bodies_[static_cast<std::size_t>(level)];
        return active;
    }

    const LevelCounts& bodies() const { return bodies_; }
    /// Force evaluations per body, summed over all bodies, in a step of the run.
    double forces() const {
        double sum = 0;
        for (int level = 0; level < kLevelCount; ++level)
            sum += static_cast<double>(bodies_[static_cast<std::size_t>(level)]) * (1u << level);
        return sum;
    }

private:
    int lowest(unsigned substep) const {
        const int zeros = substep == 0 ? deepest_ : std::countr_zero(substep);
        return zeros < deepest_ ? deepest_ - zeros : 0;
    }

    LevelCounts bodies_{};
    int shallowest_ = 0, deepest_ = 0;  ///< in use
    unsigned done_ = 0;
};

/// A body's own step on that level as a fraction of the run's step, also for the factors of its kicks; exact.
template <class Real>
GRAVLAB_HOST_DEVICE Real ownShare(int level) {
    return Real(1) / static_cast<Real>(1u << level);
}
/// Factors of a kick, by the level of the body [T]; see factorOf().
template <class Real>
std::array<Real, kLevelCount> ownKicks(double factor) {
    std::array<Real, kLevelCount> kicks{};
    for (int level = 0; level < kLevelCount; ++level)
        kicks[static_cast<std::size_t>(level)] = ownShare<Real>(level) * static_cast<Real>(factor);
    return kicks;
}

/// Names of the bodies of a level in tables.
constexpr std::array<std::string_view, kLevelCount> kLevelNames{"rung 0", "rung 1", "rung 2", "rung 3", "rung 4",
                                                                "rung 5", "rung 6", "rung 7", "rung 8"};

}  // namespace gravlab
