// Steps of their own for bodies, within one step of the run: a body on rung k takes 2^k steps of dt / 2^k. Rungs are given
// out when the step of the run begins, by the accelerations there and nothing else, and hold until it ends, where all bodies
// are at one time again: so nothing of it belongs to a state. Host and device.
#pragma once
#include "sim/core/host_device.h"
#include "sim/integrators/active_bodies.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gravlab {

/// Rungs are 0 to this one.
constexpr int kDeepestRung = 8;
constexpr int kRungCount = kDeepestRung + 1;

/// A number that grows as the logarithm of a length does, straight between powers of two; 0 for one that has none. The mean
/// of such numbers is a sum of whole ones, which is the same in any order.
GRAVLAB_HOST_DEVICE std::uint32_t logarithmOf(float length) {
    if (!(length > 0 && length < 3e38f)) return 0;
#if defined(__CUDA_ARCH__)
    return static_cast<std::uint32_t>(__float_as_int(length));
#else
    return std::bit_cast<std::uint32_t>(length);
#endif
}

/// The length of an acceleration as rungs read it. Each product and sum is rounded by itself, so that host and device agree.
GRAVLAB_HOST_DEVICE float rungLength(double x, double y, double z) {
#if defined(__CUDA_ARCH__)
    return static_cast<float>(sqrt(__dadd_rn(__dadd_rn(__dmul_rn(x, x), __dmul_rn(y, y)), __dmul_rn(z, z))));
#else
    return static_cast<float>(std::sqrt(x * x + y * y + z * z));
#endif
}

/// What logarithms sum up to, and of how many.
struct LogarithmSum {
    static constexpr float kBelowMean = 0.70710678f;
    std::uint64_t sum = 0, counted = 0;
    GRAVLAB_HOST_DEVICE void add(float length) {
        const std::uint32_t own = logarithmOf(length);
        if (own == 0) return;
        sum += own;
        ++counted;
    }
    /// The acceleration up to which a whole step of the run is short enough, so that the mean in logarithms is in the middle
    /// of the rung below it, and what is alike stays together; 0: there is none.
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

/// The rung of a body whose acceleration is so long: its own step changes no velocity by more than a whole step does at the
/// reference, so twice the acceleration is a rung. The frequency of orbits in clusters and galaxies goes as the acceleration
/// does, and hardly as its root; see docs/decisions/block-steps.md.
GRAVLAB_HOST_DEVICE int rungOf(float length, float reference) {
    int rung = 0;
    for (float most = reference; rung < kDeepestRung && most > 0 && length > most; most *= 2) ++rung;
    return rung;
}

/// How many bodies are on each rung.
using RungCounts = std::array<std::size_t, kRungCount>;
/// Gives bodies [first, last) the rungs of their accelerations, and counts them. Host memory; `lengthOf(i)` is rungLength().
template <class LengthOf>
RungCounts giveRungs(std::size_t first, std::size_t last, float reference, const LengthOf& lengthOf, std::uint8_t* rungs) {
    RungCounts counts{};
    for (std::size_t i = first; i < last; ++i) {
        const int rung = rungOf(lengthOf(i), reference);
        rungs[i] = static_cast<std::uint8_t>(rung);
        ++counts[static_cast<std::size_t>(rung)];
    }
    return counts;
}

/// Where a step of the run stands: it has as many substeps as a body on the deepest rung in use takes steps.
class BlockClock {
public:
    BlockClock() = default;
    /// `bodies`: on each rung.
    explicit BlockClock(const RungCounts& bodies) : bodies_(bodies) {
        for (int rung = 0; rung < kRungCount; ++rung)
            if (bodies_[static_cast<std::size_t>(rung)] > 0) deepest_ = rung;
        while (shallowest_ < deepest_ && bodies_[static_cast<std::size_t>(shallowest_)] == 0) ++shallowest_;
    }

    unsigned substeps() const { return 1u << deepest_; }
    /// Those on this rung and deeper ones begin a step with the substep that comes next, or end one with it.
    int beginning() const { return lowest(done_); }
    int ending() const { return lowest(done_ + 1); }
    bool first() const { return done_ == 0; }
    void next() { ++done_; }

    /// Bodies whose force the end of the substep needs.
    ActiveBodies active(const std::uint8_t* rungs) const {
        if (ending() <= shallowest_) return {};
        ActiveBodies active{.rungs = rungs, .least = ending(), .follows = !first()};
        for (int rung = ending(); rung < kRungCount; ++rung) active.count += bodies_[static_cast<std::size_t>(rung)];
        return active;
    }

    const RungCounts& bodies() const { return bodies_; }
    /// Forces of one body, all bodies' sum, in a step of the run.
    double forces() const {
        double sum = 0;
        for (int rung = 0; rung < kRungCount; ++rung)
            sum += static_cast<double>(bodies_[static_cast<std::size_t>(rung)]) * (1u << rung);
        return sum;
    }

private:
    int lowest(unsigned substep) const {
        const int zeros = substep == 0 ? deepest_ : std::countr_zero(substep);
        return zeros < deepest_ ? deepest_ - zeros : 0;
    }

    RungCounts bodies_{};
    int shallowest_ = 0, deepest_ = 0;  ///< in use
    unsigned done_ = 0;
};

/// What a body on that rung takes of a step of the run, and of the factors of its kicks; exact.
template <class Real>
GRAVLAB_HOST_DEVICE Real ownShare(int rung) {
    return Real(1) / static_cast<Real>(1u << rung);
}
/// Of a kick, by the rung of the body [T]; see factorOf().
template <class Real>
std::array<Real, kRungCount> ownKicks(double factor) {
    std::array<Real, kRungCount> kicks{};
    for (int rung = 0; rung < kRungCount; ++rung)
        kicks[static_cast<std::size_t>(rung)] = ownShare<Real>(rung) * static_cast<Real>(factor);
    return kicks;
}

/// What tables call the bodies of a rung.
constexpr std::array<std::string_view, kRungCount> kRungNames{"rung 0", "rung 1", "rung 2", "rung 3", "rung 4",
                                                              "rung 5", "rung 6", "rung 7", "rung 8"};

}  // namespace gravlab
