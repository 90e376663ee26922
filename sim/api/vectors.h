// The one vector of three numbers, on host and device, and the packed four that arrays of bodies consist of. Rule: sums run
// x, y, z from left to right, so that a result has the same bits wherever it is computed without contraction. Vector
// operations ignore the w of a packed vector.
#pragma once
#include <cmath>

/// Declares a function for host and device, which uses nothing that only one of them has.
#if defined(__CUDACC__)
#define GRAVLAB_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define GRAVLAB_HOST_DEVICE inline
#endif

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

/// A place, a velocity or a direction. It is an aggregate: without braces its numbers are not initialised.
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
    /// Divides each number by f instead of multiplying by 1 / f: one rounding less.
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

/// |a| by squares: fast, but 0 when the square underflows.
template <class Real>
GRAVLAB_HOST_DEVICE Real length(const Vec3<Real>& a) {
    return std::sqrt(dot(a, a));
}

/// |a| of any length; the smallest differences do not underflow.
inline double exactLength(const Vec3d& a) { return std::hypot(a.x, a.y, a.z); }

/// |a - b|, by exactLength().
inline double distance(const Vec3d& a, const Vec3d& b) { return exactLength(a - b); }

inline double length(const Double4& a) { return length(xyz(a)); }
inline double distance(const Double4& a, const Double4& b) { return distance(xyz(a), xyz(b)); }
inline bool isFinite(const Vec3d& a) { return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z); }

}  // namespace gravlab
