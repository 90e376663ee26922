// Large N whose galaxies keep their shape: each galaxy moves as a whole under the pull of the others.
// Rule: plain sums over all bodies, none sampled; single precision for pairs, double for the sums.
#pragma once
#include "sim/api/law.h"
#include "sim/core/particles.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace gravlab {

class RigidGalaxies {
public:
    /// `without`: a body that does not pull, because its own path is computed.
    RigidGalaxies(const ParticleSet& bodies, const ForceSettings& force, std::optional<std::size_t> without);

    /// Acceleration at `place` of a body of response 1, with the galaxies at their present positions.
    Vec3d accelerationAt(const Vec3d& place) const;
    /// Moves the galaxies by dt: leapfrog, with the pull at their centres. A single galaxy moves in a straight line.
    void move(double dt);

    std::size_t galaxies() const { return galaxies_.size(); }
    /// Present centre of a galaxy.
    Vec3d centre(std::size_t galaxy) const { return galaxies_[galaxy].centre; }
    std::size_t galaxyOf(std::size_t body) const { return memberOf_[body]; }
    double mass(std::size_t galaxy) const { return galaxies_[galaxy].mass; }
    Vec3d velocity(std::size_t galaxy) const { return galaxies_[galaxy].velocity; }

private:
    struct Galaxy {
        Vec3d centre{}, velocity{};
        double mass = 0;
        std::size_t first = 0, last = 0;  ///< its bodies, padded to whole blocks
    };
    void addPull(const Galaxy& galaxy, const Vec3d& place, Vec3d& sum) const;

    ForceSettings force_;
    std::vector<Galaxy> galaxies_;
    std::vector<std::size_t> memberOf_;
    std::vector<float> x_, y_, z_, source_;  ///< relative to their galaxy's centre
};

}  // namespace gravlab
