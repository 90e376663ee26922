// The first post-Newtonian terms of heavy bodies: the equations of Einstein, Infeld & Hoffmann 1938. Every body feels them;
// only the heavy ones cause them. With one heavy body they are those about it. G = 1.
#pragma once
#include "sim/forces/fields/field.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gravlab {

/// Speed of light [m/s].
constexpr double kLightSpeed = 299792458;
constexpr std::size_t kMostHeavy = 1024;

/// A heavy body with what the others do to it, in the precision of a loop.
template <class Real>
struct HeavySource {
    Vec3<Real> x, v;
    Real mass;
    Vec3<Real> a;  ///< Newton's acceleration by the other heavy bodies
    Real depth;    ///< sum of mass over distance of the other heavy bodies
};

/// The sum over the heavy bodies of mass over distance, without the body at x itself.
template <class Real>
GRAVLAB_HOST_DEVICE Real depthAt(const HeavySource<Real>* heavy, unsigned count, const Vec3<Real>& x) {
    Real depth = 0;
    for (unsigned j = 0; j < count; ++j) {
        const Vec3<Real> apart = heavy[j].x - x;
        const Real squared = dot(apart, apart);
        if (squared > 0) depth += heavy[j].mass * inverseRoot(squared);
    }
    return depth;
}

/// The acceleration of a body by one heavy body, times c^2 [L^3/T^4]; `depth`: depthAt() the body. Will & Wiseman 1996.
template <class Real>
GRAVLAB_HOST_DEVICE Vec3<Real> postNewtonian(const HeavySource<Real>& j, const Vec3<Real>& x, const Vec3<Real>& v,
                                             Real depth) {
    const Vec3<Real> to = j.x - x;
    const Real squared = dot(to, to);
    if (!(squared > 0)) return {0, 0, 0};
    const Real inverse = inverseRoot(squared), pull = j.mass * inverse * inverse * inverse;
    const Real along = dot(to, j.v) * inverse;
    const Real radial =
        dot(v, v) + 2 * dot(j.v, j.v) - 4 * dot(v, j.v) - Real(1.5) * along * along + dot(to, j.a) / 2 - 4 * depth - j.depth;
    const Real across = 3 * dot(to, j.v) - 4 * dot(to, v);
    return to * (pull * radial) + (v - j.v) * (pull * across) + j.a * (Real(3.5) * j.mass * inverse);
}

class PostNewtonian final : public ForceTerm {
public:
    static constexpr std::string_view kKind = "post-newtonian";
    /// `heavy`: ids, 1 to kMostHeavy of them. `lightSpeed` [L/T]. Throws UsageError.
    PostNewtonian(std::vector<std::uint32_t> heavy, double lightSpeed);
    /// Its row in the table of fieldLaws().
    static FieldLaw law();
    /// As an element of a list of outer forces.
    OuterField field() const;
    double lightSpeed() const { return lightSpeed_; }
    /// The indices of the heavy bodies; those that are gone are left out.
    std::vector<std::uint32_t> indicesIn(std::span<const std::uint32_t> ids) const;

    std::string_view kind() const override { return kKind; }
    std::string description() const override;
    std::vector<StateArray> numbers() const override;
    double addAccelerations(const TermBodies& bodies, std::span<const std::uint32_t> targets, std::span<Double4> out,
                            std::span<double> floors) const override;
    /// What the energy has beside Newton's, the kinetic part included.
    double potential(const TermBodies& bodies) const override;
    TermOffer offer() const override {
        return {.usesVelocities = true, .conservesMomentum = false, .conservesAngularMomentum = false};
    }
    std::string beyondSingle(const TermBodies& bodies, const SingleTrial&) const override;

private:
    std::vector<std::uint32_t> heavy_;
    double lightSpeed_;
};

/// Fills `a` and `depth` of all heavy bodies from the others. O(M^2).
template <class Real>
void actOnHeavy(std::vector<HeavySource<Real>>& heavy) {
    for (std::size_t i = 0; i < heavy.size(); ++i) {
        HeavySource<Real>& body = heavy[i];
        body.a = {0, 0, 0};
        body.depth = 0;
        for (const HeavySource<Real>& other : heavy) {
            const Vec3<Real> to = other.x - body.x;
            const Real squared = dot(to, to);
            if (!(squared > 0)) continue;
            const Real inverse = inverseRoot(squared);
            body.depth += other.mass * inverse;
            body.a += to * (other.mass * inverse * inverse * inverse);
        }
    }
}

}  // namespace gravlab
