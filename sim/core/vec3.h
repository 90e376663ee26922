// The one vector of three numbers, on host and device, and the packed four that arrays of bodies are made of.
// Rule: sums go x, y, z from left to right, so that a result has the same bits wherever it is computed without contraction;
// the w of a packed vector is no part of it as a vector.
#pragma once
#include "sim/core/host_device.h"

#include <cmath>

namespace gravlab {

/// Four packed floats: the 16-byte unit in which devices read bodies.
struct alignas(16) Float4 {
    float x, y, z, w;
};

/// Four packed doubles.
struct alignas(32) Double4 {
    double x, y, z, w;
    bool operator==(const Double4&) const = default;
};

/// A place, a velocity, a direction. An aggregate: without braces its numbers are not set.
template <class Real>
struct Vec3 {
    Real x, y, z;

    GRAVLAB_HOST_DEVICE constexpr Vec3& operator+=(const Vec3& b) { return *this = {x + b.x, y + b.y, z + b.z}; }
    GRAVLAB_HOST_DEVICE constexpr Vec3& operator-=(const Vec3& b) { return *this = {x - b.x, y - b.y, z - b.z}; }
    GRAVLAB_HOST_DEVICE constexpr Vec3& operator*=(Real f) { return *this = {x * f, y * f, z * f}; }
    GRAVLAB_HOST_DEVICE constexpr Vec3& operator/=(Real f) { return *this = {x / f, y / f, z / f}; }

    friend GRAVLAB_HOST_DEVICE constexpr Vec3 operator+(Vec3 a, const Vec3& b) { return a += b; }
    friend GRAVLAB_HOST_DEVICE constexpr Vec3 operator-(Vec3 a, const Vec3& b) { return a -= b; }
    friend GRAVLAB_HOST_DEVICE constexpr Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
    friend GRAVLAB_HOST_DEVICE constexpr Vec3 operator*(Vec3 a, Real f) { return a *= f; }
    friend GRAVLAB_HOST_DEVICE constexpr Vec3 operator*(Real f, Vec3 a) { return a *= f; }
    /// Each number by f, not by 1 / f: that is one rounding less.
    friend GRAVLAB_HOST_DEVICE constexpr Vec3 operator/(Vec3 a, Real f) { return a /= f; }
    friend constexpr bool operator==(const Vec3&, const Vec3&) = default;
};

using Vec3d = Vec3<double>;

constexpr Vec3d xyz(const Double4& a) { return {a.x, a.y, a.z}; }
constexpr Double4 packed(const Vec3d& a, double w = 0) { return {a.x, a.y, a.z, w}; }

template <class Real>
GRAVLAB_HOST_DEVICE constexpr Real dot(const Vec3<Real>& a, const Vec3<Real>& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

template <class Real>
GRAVLAB_HOST_DEVICE constexpr Vec3<Real> cross(const Vec3<Real>& a, const Vec3<Real>& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// |a| by squares: fast, and 0 for what is so short that its square is.
template <class Real>
GRAVLAB_HOST_DEVICE Real length(const Vec3<Real>& a) {
    return std::sqrt(dot(a, a));
}

/// |a| of any length, the smallest differences included.
inline double exactLength(const Vec3d& a) { return std::hypot(a.x, a.y, a.z); }

/// |a - b|, as exactLength().
inline double distance(const Vec3d& a, const Vec3d& b) { return exactLength(a - b); }

inline double length(const Double4& a) { return length(xyz(a)); }
inline double distance(const Double4& a, const Double4& b) { return distance(xyz(a), xyz(b)); }
inline bool isFinite(const Vec3d& a) { return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z); }

}  // namespace gravlab
