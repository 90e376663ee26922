// Round parts of a galaxy or cluster, in balance with each other and with other mass: tabulated once, then sampled. Rule:
// potential and density are those of the softened force, so that the model stays stationary.
#pragma once
#include "sim/scenes/scene_builder.h"

#include <functional>
#include <vector>

namespace gravlab::scenes {

/// One round part. Its density may have any scale: it is normalised to `mass` within `end`, where it falls smoothly to zero.
struct SpherePart {
    double mass = 1;                          ///< [M]
    double scale = 1;                         ///< the length over which the density changes [L]; the table is finest there
    double end = 10;                          ///< no bodies outside [L]
    std::function<double(double)> density{};  ///< of the radius, falling; any unit
    bool tapered = true;                      ///< take the density to zero at `end`; false when it reaches zero by itself
};

/// rho ~ 1 / (r (r + a)^3), its cusp blunted by the softening. Hernquist 1990.
SpherePart hernquistPart(double mass, double scale, double end, double softening);

/// Round parts in one common potential. Speeds are isotropic and follow Eddington's distribution function of each part
/// (Eddington 1916; Binney & Tremaine 2008, section 4.3). So each part is stationary, not merely virialised.
class SphereSystem {
public:
    /// `foreignMass(r)` is the mass within r that is not round or not sampled here (a disc); empty: none.
    SphereSystem(std::vector<SpherePart> parts, double softening, const std::function<double(double)>& foreignMass = {});

    /// A body of a part; the caller sets its mass.
    Body sample(std::size_t part, Random& random) const;

    /// Inward pull of the round parts alone, at r [L/T^2].
    double inwardAcceleration(double radius) const;
    /// Depth of the whole potential at r, against the edge [L^2/T^2].
    double depth(double radius) const;
    /// Mass of one part within r [M].
    double massWithin(std::size_t part, double radius) const;
    /// Outermost radius of any part [L].
    double end() const { return radius_.back(); }

private:
    struct Table {
        std::vector<double> share;  ///< of the part in the mass within each radius
        std::vector<float> speed;   ///< a row of kQuantiles at every kRowStep-th radius, in units of the local escape speed
    };
    double at(const std::vector<double>& values, double radius) const;
    void tabulateSpeeds(const SpherePart& part, Table& table) const;

    std::vector<double> radius_;  ///< evenly spaced logarithms
    std::vector<double> depth_, pullOfParts_, pullOfAll_;
    std::vector<Table> tables_;
    std::vector<SpherePart> parts_;
    double logFirst_ = 0, logStep_ = 1;
};

}  // namespace gravlab::scenes
