// Random numbers for scenes: a hashed counter. Rule: no std distributions, so that a seed gives the same bytes wherever the
// mathematical library does. One stream per body makes the result independent of threads and order.
#pragma once
#include "sim/api/vectors.h"

#include <cmath>
#include <cstdint>
#include <numbers>

namespace gravlab {

/// A bijection of 64 bits in which every output bit depends on every input bit (the finaliser of splitmix64: Steele, Lea &
/// Flood 2014, constants of Stafford's variant 13).
constexpr std::uint64_t splitmix64(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/// A number in [0, 1[ that belongs to `i`: the same on every machine. This hash must not change, because samples drawn by it
/// are stored.
constexpr double hash01(std::uint64_t i) {
    i = (i + 0x9E3779B97F4A7C15u) * 0xBF58476D1CE4E5B9u;
    i = (i ^ (i >> 29)) * 0x94D049BB133111EBu;
    return static_cast<double>((i ^ (i >> 32)) >> 11) * 0x1p-53;
}

/// A sequence of random numbers, identified by seed and stream. A copy continues with the same numbers.
class Random {
public:
    explicit constexpr Random(std::uint64_t seed, std::uint64_t stream = 0)
        : counter_(splitmix64(splitmix64(seed + kGolden) + kGolden * (stream + 1))) {}

    constexpr std::uint64_t bits() { return splitmix64(counter_ += kGolden); }
    /// A number in [0, 1), a multiple of 2^-53.
    constexpr double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
    constexpr double uniform(double low, double high) { return low + (high - low) * uniform(); }
    /// A normal number of mean 0, variance 1 (Box & Muller 1958; only one of the pair, so that every call uses two numbers).
    double normal() {
        const double radius = std::sqrt(-2 * std::log(1 - uniform()));
        return radius * std::cos(2 * std::numbers::pi * uniform());
    }
    /// A point on the unit sphere.
    Vec3d onSphere() {
        const double z = uniform(-1, 1);
        const double angle = 2 * std::numbers::pi * uniform();
        const double radius = std::sqrt(1 - z * z);
        return {radius * std::cos(angle), radius * std::sin(angle), z};
    }

private:
    static constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;  // 2^64 / golden ratio, odd
    std::uint64_t counter_;
};

}  // namespace gravlab
