// The bodies, as the host holds and exchanges them: always fp64. Backends convert to what they compute with.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gravlab {

/// Four packed floats: the 16-byte unit in which devices read bodies.
struct alignas(16) Float4 {
    float x, y, z, w;
};

/// Four packed doubles.
struct alignas(32) Double4 {
    double x, y, z, w;
};

/// A set of bodies, structure of arrays, host memory, G = 1. All arrays have the same length.
struct ParticleSet {
    std::vector<Double4> position;    ///< x, y, z [L]; w = source: mass [M] or signed charge
    std::vector<Double4> velocity;    ///< x, y, z [L/T]; w = response: 1 for gravity, charge/mass for Coulomb, 1/mass else
    std::vector<std::uint32_t> id;    ///< stable name of a body; survives edits and re-ordering
    std::vector<std::uint8_t> group;  ///< which galaxy or species the body started in; for colours only

    std::size_t size() const { return position.size(); }
    void resize(std::size_t n) {
        position.resize(n);
        velocity.resize(n);
        id.resize(n);
        group.resize(n);
    }
};

}  // namespace gravlab
