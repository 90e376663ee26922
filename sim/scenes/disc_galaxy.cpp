// An exponential disc around a round centre. The disc follows Freeman 1970 (rotation), Toomre 1964 (random motion in the
// plane) and Hernquist 1993 (asymmetric drift). The centre is a Plummer sphere with Gaussian speeds from the Jeans equation.
#include "sim/scenes/disc_galaxy.h"

#include "sim/core/group.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gravlab::scenes {
namespace {

constexpr std::size_t kTable = 1024;
// The Plummer sphere of a centre ends at this many Plummer radii: 96 % of its mass.
constexpr double kCentreEnd = 6;
// A disc cannot have larger dispersions, as a fraction of the circular speed; the limit acts only near the centre.
constexpr double kMostDiscRandom = 0.4;

/// Mass fraction of a Plummer sphere of radius `scale` within r.
double plummerShare(double r, double scale) {
    const double d2 = r * r + scale * scale;
    return r * r * r / (d2 * std::sqrt(d2));
}

template <class Row>
const Row& nearestRow(const std::vector<Row>& table, double share) {
    const double last = static_cast<double>(table.size() - 1);
    return table[static_cast<std::size_t>(std::clamp(share * last + 0.5, 0.0, last))];
}

}  // namespace

DiscGalaxy::DiscGalaxy(const DiscModel& model, std::size_t bodies) : model_(model) {
    centreBodies_ = model.centralRadius > 0
                        ? static_cast<std::size_t>(std::llround(model.centralShare * static_cast<double>(bodies)))
                        : std::min<std::size_t>(1, bodies);
    discBodies_ = bodies - centreBodies_;
    const double share = discShare(model.outerRadius / model.scaleLength) - discShare(model.innerRadius / model.scaleLength);
    centralDensity_ = model.discMass / (2 * std::numbers::pi * model.scaleLength * model.scaleLength * share);
    tabulateDisc();
    if (model.centralRadius > 0) tabulateCentre();
}

double DiscGalaxy::surfaceDensity(double radius) const { return centralDensity_ * std::exp(-radius / model_.scaleLength); }

double DiscGalaxy::circularSpeed(double radius) const {
    if (!(radius > 0)) return 0;
    const double y = radius / (2 * model_.scaleLength);
    const double bessel =
        std::cyl_bessel_i(0, y) * std::cyl_bessel_k(0, y) - std::cyl_bessel_i(1, y) * std::cyl_bessel_k(1, y);
    const double disc = 4 * std::numbers::pi * centralDensity_ * model_.scaleLength * y * y * bessel;
    // Softening a Plummer sphere widens it: the squares of the two lengths add up.
    const double core = std::hypot(model_.centralRadius, model_.softening);
    const double centre = model_.centralMass * plummerShare(radius, core) / radius;
    // Freeman's disc has no hole: subtract the pull of the hole as if it were round.
    const double hole = 2 * std::numbers::pi * centralDensity_ * model_.scaleLength * model_.scaleLength *
                        discShare(model_.innerRadius / model_.scaleLength) / radius;
    return std::sqrt(std::max(disc + centre - hole, 0.25 * centre));
}

void DiscGalaxy::tabulateDisc() {
    const double step = (model_.outerRadius - model_.innerRadius) / (kTable - 1);
    const auto radiusAt = [&](std::size_t k) {
        return std::max(model_.innerRadius + static_cast<double>(k) * step, 0.1 * step);
    };
    const auto angularSquared = [&](double r) {
        const double speed = circularSpeed(r);
        return speed * speed / (r * r);
    };
    const auto epicyclicSquared = [&](double r) {
        const double d = 1e-3 * r;
        const double slope = (angularSquared(r + d) - angularSquared(r - d)) / (2 * d);
        return std::max(r * slope + 4 * angularSquared(r), angularSquared(r));
    };
    const auto radialSquared = [&](double r) {
        const double toomre = 3.36 * surfaceDensity(r) / std::sqrt(epicyclicSquared(r));
        const double wanted = model_.toomreQ * toomre;
        const double most = kMostDiscRandom * circularSpeed(r);
        return std::min(wanted * wanted, most * most);
    };
    const auto logPressure = [&](double r) { return std::log(surfaceDensity(r) * radialSquared(r)); };
    motion_.resize(kTable);
    for (std::size_t k = 0; k < kTable; ++k) {
        const double r = radiusAt(k);
        const double circular = circularSpeed(r);
        const double radial2 = radialSquared(r);
        const double azimuthalShare = epicyclicSquared(r) / (4 * angularSquared(r));
        // Random motion supports part of the weight, so the mean rotation is slower than circular.
        const double d = 1e-2 * r;
        const double pressureSlope = (logPressure(r + d) - logPressure(r - d)) * r / (2 * d);
        const double rotation2 = circular * circular + radial2 * (1 - azimuthalShare + pressureSlope);
        const double core2 = r * r + model_.centralRadius * model_.centralRadius + model_.softening * model_.softening;
        const double meanHeight2 = model_.height * model_.height * std::numbers::pi * std::numbers::pi / 12;
        const double vertical2 = std::numbers::pi * surfaceDensity(r) * model_.height +
                                 model_.centralMass / (core2 * std::sqrt(core2)) * meanHeight2;
        motion_[k] = {std::sqrt(std::max(rotation2, 0.0)), std::sqrt(radial2),
                      std::sqrt(radial2 * azimuthalShare), std::sqrt(vertical2),
                      std::sqrt(angularSquared(r)),        std::sqrt(epicyclicSquared(r))};
    }
}

void DiscGalaxy::tabulateCentre() {
    const double b = std::hypot(model_.centralRadius, model_.softening);
    const double end = kCentreEnd * model_.centralRadius;
    const double step = end / (kTable - 1);
    const auto massWithin = [&](double r) {
        return model_.centralMass * plummerShare(r, b) + model_.discMass * discShare(r / model_.scaleLength);
    };
    const auto density = [&](double r) { return std::pow(r * r + b * b, -2.5); };
    // Integrate inwards from the edge: the pressure is the integral of density x pull, the escape speed that of the pull.
    double pressure = 0;
    double depth = (model_.centralMass + model_.discMass) / end;
    centreMotion_.resize(kTable);
    for (std::size_t k = kTable; k-- > 0;) {
        const double r = (static_cast<double>(k) + 0.5) * step;
        const double pull = massWithin(r) / (r * r);
        pressure += density(r) * pull * step;
        depth += pull * step;
        centreMotion_[k] = {std::sqrt(pressure / density(r)), std::sqrt(2 * depth)};
    }
}

Body DiscGalaxy::sample(std::size_t i, Random& random) const {
    if (i < discBodies_) return sampleDisc(random);
    Body body = sampleCentre(random);
    body.group = static_cast<std::uint8_t>(static_cast<unsigned>(Species::bulge) << 6);
    return body;
}

Body DiscGalaxy::sampleDisc(Random& random) const {
    double r = 0;
    do {  // the product of two uniform numbers has the radial distribution of an exponential disc
        r = -model_.scaleLength * std::log((1 - random.uniform()) * (1 - random.uniform()));
    } while (r < model_.innerRadius || r > model_.outerRadius);
    const double angle = 2 * std::numbers::pi * random.uniform();
    const double z = model_.height * std::atanh(std::clamp(random.uniform(-1, 1), -0.999, 0.999));
    const Motion& motion = nearestRow(motion_, (r - model_.innerRadius) / (model_.outerRadius - model_.innerRadius));
    const double outward = motion.radial * random.normal();
    const double around = motion.rotation + motion.azimuthal * random.normal();
    const double up = motion.vertical * random.normal();
    const double mass = model_.discMass / static_cast<double>(discBodies_);
    if (model_.wave.arms > 0) {
        const SpiralWave::Place at = model_.wave.place({.radius = r,
                                                        .angle = angle,
                                                        .rotation = motion.rotation,
                                                        .angular = motion.angular,
                                                        .epicyclic = motion.epicyclic});
        const double c = std::cos(at.angle), s = std::sin(at.angle);
        const double out = outward + at.outward, along = around - motion.rotation + at.around;
        return {{at.radius * c, at.radius * s, z}, {out * c - along * s, out * s + along * c, up}, mass};
    }
    const double c = std::cos(angle), s = std::sin(angle);
    return {{r * c, r * s, z}, {outward * c - around * s, outward * s + around * c, up}, mass};
}

Body DiscGalaxy::sampleCentre(Random& random) const {
    const double mass = model_.centralMass / static_cast<double>(centreBodies_);
    if (!(model_.centralRadius > 0)) return {{0, 0, 0}, {}, mass};
    double r = 0;
    do {
        r = plummerRadius(1 - random.uniform(), model_.centralRadius);
    } while (!(r < kCentreEnd * model_.centralRadius));
    const CentreMotion& motion = nearestRow(centreMotion_, r / (kCentreEnd * model_.centralRadius));
    Vec3d v{};
    do {
        v = {motion.dispersion * random.normal(), motion.dispersion * random.normal(), motion.dispersion * random.normal()};
    } while (dot(v, v) > 0.9 * motion.escape * motion.escape);
    const Vec3d place = random.onSphere();
    return {r * place, v, mass};
}

}  // namespace gravlab::scenes
