// The bodies, as the host holds and exchanges them: always fp64. Backends convert to the precision in which they compute.
#pragma once
#include "vectors.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gravlab {

/// Surface and rotation of a body that can touch others: a solid sphere, whose moment of inertia is 2/5 m R^2.
struct Surface {
    double radius = 0;  ///< [L]; 0: a point
    Vec3d spin{};       ///< angular velocity [1/T]
    bool operator==(const Surface&) const = default;
};

/// A set of bodies, structure of arrays, host memory, G = 1. All arrays have the same length, except that
/// `surface` may be empty.
struct ParticleSet {
    std::vector<Double4> position;    ///< x, y, z [L]; w = source: mass [M] or signed charge
    std::vector<Double4> velocity;    ///< x, y, z [L/T]; w = response: 1 for gravity, charge/mass for charges, 1/mass else
    std::vector<std::uint32_t> id;    ///< stable name of a body; survives edits and re-ordering
    std::vector<std::uint8_t> group;  ///< which galaxy or species the body started in; for colours only
    double time = 0;                  ///< simulated time of the positions [T], for force terms that depend on it
    std::vector<Surface> surface{};   ///< empty: all bodies are points

    std::size_t size() const { return position.size(); }
    void resize(std::size_t n) {
        position.resize(n);
        velocity.resize(n);
        id.resize(n);
        group.resize(n);
        if (!surface.empty()) surface.resize(n);
    }
};

/// Source over response [M]: the inertia of a body under every law. It follows from the body's own two numbers, so it is not
/// stored. A body without response feels no force and has no inertial mass.
inline double inertialMass(const Double4& position, const Double4& velocity) {
    return velocity.w != 0 ? position.w / velocity.w : 0;
}

/// Moment of inertia of a solid sphere [M L^2].
inline double inertiaOf(double mass, double radius) { return 0.4 * mass * radius * radius; }

/// Numbers that an integrator or a term keeps beside the bodies, needed to continue bit-identically. Plain doubles, so that
/// any file can carry them.
struct StateArray {
    std::string name;            ///< letters, digits, '_', '-', '.'; at most 64
    std::vector<double> values;  ///< any length
    bool operator==(const StateArray&) const = default;
};

}  // namespace gravlab
