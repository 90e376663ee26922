// Bodies that are made again whenever they are read, so that very many of them have no arrays on the host.
#pragma once
#include "sim/api/bodies.h"

#include <functional>
#include <utility>
#include <vector>

namespace gravlab {

/// A body as a scene makes it, with response 1 (see ParticleSet).
struct MadeBody {
    Vec3d position{}, velocity{};  ///< [L], [L/T]
    double mass = 0;               ///< [M]
    std::uint8_t group = 0;
};

/// The centre of mass and its velocity. Sums run in the order of bodies, although other orders are faster, because they
/// would change the last digits of existing starts.
class MassCentre {
public:
    void add(const Double4& position, const Double4& velocity) {
        const double m = inertialMass(position, velocity);
        mass_ += m;
        x_ += m * xyz(position);
        v_ += m * xyz(velocity);
    }
    /// Of no mass: the origin at rest.
    Vec3d place() const { return mass_ > 0 ? x_ / mass_ : Vec3d{}; }
    Vec3d velocity() const { return mass_ > 0 ? v_ / mass_ : Vec3d{}; }

private:
    double mass_ = 0;
    Vec3d x_{}, v_{};
};

/// Centred bodies, in the same bytes as those of their scene's build(). They are numbered from 0.
class MadeBodies {
public:
    /// Body i before it is centred, the same at each call; any thread.
    using Make = std::function<MadeBody(std::size_t i)>;
    /// Makes all bodies twice, to centre them.
    MadeBodies(std::size_t count, Make make);

    std::size_t size() const { return count_; }
    double mass(std::size_t i) const;
    const std::vector<std::uint8_t>& groups() const { return groups_; }
    double largest() const { return largest_; }  ///< |coordinate| [L]
    double fastest() const { return fastest_; }  ///< |component of a velocity| [L/T]
    /// The first of the bodies with the largest mass.
    std::size_t heaviest() const;
    /// Fills all arrays of a set with the bodies first, first + step, ...
    void read(std::size_t first, std::size_t step, ParticleSet& out) const;
    ParticleSet whole() const;

private:
    void put(std::size_t i, ParticleSet& out, std::size_t at) const;

    std::size_t count_;
    Make make_;
    std::vector<std::pair<Vec3d, Vec3d>> centres_;        ///< place and velocity, subtracted one after the other
    std::vector<std::pair<std::size_t, double>> masses_;  ///< and the first body of each
    std::vector<std::uint8_t> groups_;
    double largest_ = 0, fastest_ = 0;
};

/// Bodies to read: those of a set, or made ones.
struct BodiesToRead {
    const ParticleSet* set = nullptr;
    const MadeBodies* made = nullptr;
    BodiesToRead(const ParticleSet& bodies) : set(&bodies) {}
    BodiesToRead(const MadeBodies& bodies) : made(&bodies) {}
    std::size_t size() const { return set ? set->size() : made->size(); }
    /// Fills positions, velocities, ids and groups with those of the bodies first, first + step, ...
    void read(std::size_t first, std::size_t step, ParticleSet& out) const;
};

}  // namespace gravlab
