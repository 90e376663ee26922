// The model of a disc galaxy: rotation from rings, random motion from Q, heights from the virial theorem of a softened
// sheet.
#include "sim/scenes/galaxy_model.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gravlab::scenes {
namespace {

constexpr std::size_t kModelRadii = 160;
constexpr std::size_t kRings = 240;
constexpr double kPi = std::numbers::pi;
// A disc cannot have more random motion, as a fraction of the circular speed; the limit acts only near the centre.
constexpr double kMostRandom = 0.45;

/// Inward pull on a body at R in the plane of a ring of unit mass and radius s, with softening.
double ringPull(double R, double s, double soft2) {
    const double a = R * R + s * s + soft2, b = 2 * R * s;
    if (!(b > 0)) return R / (a * std::sqrt(a));
    const double k = std::sqrt(2 * b / (a + b)), root = std::sqrt(a + b);
    const double i1 = 4 * std::comp_ellint_1(k) / root;              // integral of D^(-1/2), D = a - b cos
    const double i3 = 4 * std::comp_ellint_2(k) / ((a - b) * root);  // integral of D^(-3/2)
    const double withCosine = (a * i3 - i1) / b;
    return (R * i3 - s * withCosine) / (2 * kPi);
}

/// Mean of d^2 / sqrt(d^2 + soft^2) over pairs of heights of a sech^2 layer of unit height: 1 without softening.
double sheetFactor(double softening) {
    constexpr int kHeights = 48;
    double z[kHeights], sum = 0;
    for (int i = 0; i < kHeights; ++i) z[i] = std::atanh(2 * (i + 0.5) / kHeights - 1);
    for (int i = 0; i < kHeights; ++i)
        for (int j = 0; j < kHeights; ++j) {
            const double d2 = (z[i] - z[j]) * (z[i] - z[j]);
            if (d2 > 0) sum += d2 / std::sqrt(d2 + softening * softening);
        }
    return sum / (kHeights * kHeights);
}

std::vector<SpherePart> roundParts(const GalaxyModel& m) {
    return {hernquistPart(m.bulgeMass, m.bulgeScale, 15 * m.bulgeScale, m.softening),
            hernquistPart(m.haloMass, m.haloScale, m.haloEnd, m.softening)};
}

}  // namespace

Galaxy::Galaxy(const GalaxyModel& model, std::size_t bodies)
    : model_(model), spheres_(roundParts(model), model.softening, [&model](double r) {
          return model.discMass * discShare(std::min(r / model.scaleLength, model.discEnd)) / discShare(model.discEnd);
      }) {
    const auto count = static_cast<double>(bodies);
    bulgeBodies_ = static_cast<std::size_t>(std::llround(model.bulgeShare * count));
    haloBodies_ = static_cast<std::size_t>(std::llround(model.haloShare * count));
    discBodies_ = bodies - bulgeBodies_ - haloBodies_;
    centralDensity_ = model.discMass / (2 * kPi * model.scaleLength * model.scaleLength * discShare(model.discEnd));
    tabulateDisc();
}

double Galaxy::surfaceDensity(double radius) const { return centralDensity_ * std::exp(-radius / model_.scaleLength); }

void Galaxy::tabulateDisc() {
    const double end = model_.discEnd * model_.scaleLength, step = end / kModelRadii;
    const auto radiusAt = [&](std::size_t k) { return (static_cast<double>(k) + 0.5) * step; };
    // Bodies of one ring differ in height, which weakens their pull as softening does.
    const double soft2 = model_.softening * model_.softening + 0.6 * model_.height * model_.height;
    std::vector<double> omega2(kModelRadii);
    motion_.resize(kModelRadii);
    for (std::size_t k = 0; k < kModelRadii; ++k) {
        const double r = radiusAt(k), width = end / kRings;
        double pull = spheres_.inwardAcceleration(r);
        for (std::size_t j = 0; j < kRings; ++j) {
            const double s = (static_cast<double>(j) + 0.5) * width;
            pull += ringPull(r, s, soft2) * 2 * kPi * s * width * surfaceDensity(s);
        }
        omega2[k] = std::max(pull, 0.0) / r;
        motion_[k].circular = std::sqrt(omega2[k]) * r;
    }
    for (std::size_t k = 0; k < kModelRadii; ++k) {
        const std::size_t a = k > 0 ? k - 1 : 0, b = std::min(k + 1, kModelRadii - 1);
        const double slope = (omega2[b] - omega2[a]) / (radiusAt(b) - radiusAt(a));
        motion_[k].epicyclic = std::sqrt(std::max(radiusAt(k) * slope + 4 * omega2[k], omega2[k]));
    }
    // sigma_R^2 is proportional to the surface density (van der Kruit & Searle 1982), flattened near the centre.
    const double blunt = 0.5 * model_.scaleLength;
    const auto profile = [&](double r) { return std::exp(-std::hypot(r, blunt) / (2 * model_.scaleLength)); };
    const double reference = 2 * model_.scaleLength;
    const double critical = 3.36 * surfaceDensity(reference) / motion(reference).epicyclic;
    const double height = model_.height;
    const double sheet = sheetFactor(model_.softening / height);
    for (std::size_t k = 0; k < kModelRadii; ++k) {
        Motion& m = motion_[k];
        const double r = radiusAt(k);
        m.radial = std::min(model_.toomreQ * critical * profile(r) / profile(reference), kMostRandom * m.circular);
        const double azimuthalShare = m.epicyclic * m.epicyclic / (4 * omega2[k]);
        m.azimuthal = m.radial * std::sqrt(std::min(azimuthalShare, 1.0));
        // Random motion supports part of the weight, so the mean rotation is slower than the circular speed.
        const double slope = -r / model_.scaleLength - r * r / (std::hypot(r, blunt) * model_.scaleLength);
        const double rotation2 = m.circular * m.circular + m.radial * m.radial * (1 - azimuthalShare + slope);
        m.rotation = std::sqrt(std::max(rotation2, 0.1 * m.circular * m.circular));
        // <v_z^2> = <z K_z>: the sheet's own pull, and that of the round parts, linear in z.
        const double own = kPi * surfaceDensity(r) * height * sheet;
        const double roundPull = spheres_.inwardAcceleration(std::hypot(r, height)) / std::hypot(r, height);
        m.vertical = std::sqrt(own + roundPull * height * height * kPi * kPi / 12);
    }
}

const Galaxy::Motion& Galaxy::motion(double radius) const {
    const double place = radius / (model_.discEnd * model_.scaleLength) * kModelRadii;
    return motion_[static_cast<std::size_t>(std::clamp(place, 0.0, kModelRadii - 1.0))];
}

double Galaxy::circularSpeed(double radius) const { return motion(radius).circular; }

double Galaxy::toomreQ(double radius) const {
    const Motion& m = motion(radius);
    return m.radial * m.epicyclic / (3.36 * surfaceDensity(radius));
}

Body Galaxy::sample(std::size_t i, std::uint8_t galaxy, Random& random) const {
    const auto part = [&](std::size_t which, double mass, std::size_t count, Species species) {
        Body body = spheres_.sample(which, random);
        body.mass = mass / static_cast<double>(count);
        body.group = static_cast<std::uint8_t>(galaxy | static_cast<unsigned>(species) << 6);
        return body;
    };
    if (i >= discBodies_ + bulgeBodies_) return part(1, model_.haloMass, haloBodies_, Species::halo);
    if (i >= discBodies_) return part(0, model_.bulgeMass, bulgeBodies_, Species::bulge);
    Body body = sampleDisc(random);
    body.group = galaxy;
    return body;
}

Body Galaxy::sampleDisc(Random& random) const {
    double x = 0;
    do {  // the product of two uniform numbers has the radial distribution of an exponential disc
        x = -std::log((1 - random.uniform()) * (1 - random.uniform()));
    } while (x > model_.discEnd);
    const double r = x * model_.scaleLength, angle = 2 * kPi * random.uniform();
    const double z = model_.height * std::atanh(random.uniform(-0.999, 0.999));
    const double place =
        std::clamp(r / (model_.discEnd * model_.scaleLength) * kModelRadii - 0.5, 0.0, kModelRadii - 1.000001);
    const auto k = static_cast<std::size_t>(place);
    const double part = place - static_cast<double>(k);
    const auto between = [&](double Motion::*value) {
        return motion_[k].*value + part * (motion_[k + 1].*value - motion_[k].*value);
    };
    const double inner =
        std::min(r / (0.5 * model_.discEnd * model_.scaleLength / kModelRadii), 1.0);  // at rest at the centre
    const double outward = between(&Motion::radial) * random.normal();
    const double around = inner * model_.spin * between(&Motion::rotation) + between(&Motion::azimuthal) * random.normal();
    const double up = between(&Motion::vertical) * random.normal();
    const double mass = model_.discMass / static_cast<double>(discBodies_);
    if (model_.wave.arms > 0) {
        const double mean = inner * between(&Motion::rotation);
        const SpiralWave::Place at = model_.wave.place({.radius = r,
                                                        .angle = angle,
                                                        .rotation = mean,
                                                        .angular = between(&Motion::circular) / r,
                                                        .epicyclic = between(&Motion::epicyclic)});
        const double c = std::cos(at.angle), s = std::sin(at.angle);
        const double out = outward + at.outward, along = around - mean + at.around;
        return {{at.radius * c, at.radius * s, z}, {out * c - along * s, out * s + along * c, up}, mass};
    }
    const double c = std::cos(angle), s = std::sin(angle);
    return {{r * c, r * s, z}, {outward * c - around * s, outward * s + around * c, up}, mass};
}

Body placed(const Body& body, const Attitude& attitude, const Vec3d& place, const Vec3d& velocity) {
    const double ci = std::cos(attitude.inclination), si = std::sin(attitude.inclination);
    const double cn = std::cos(attitude.node), sn = std::sin(attitude.node);
    const auto turned = [&](const Vec3d& p) {
        const double y = ci * p.y - si * p.z, z = si * p.y + ci * p.z;
        return Vec3d{cn * p.x - sn * y, sn * p.x + cn * y, z};
    };
    return {turned(body.position) + place, turned(body.velocity) + velocity, body.mass, body.group};
}

Approach approach(double totalMass, double pericentre, double eccentricity, double separation) {
    const double parameter = pericentre * (1 + eccentricity);
    const double cosine = std::clamp((parameter / separation - 1) / std::max(eccentricity, 1e-9), -1.0, 1.0);
    const double sine = -std::sqrt(1 - cosine * cosine);  // before the pericentre
    const double speed = std::sqrt(totalMass / parameter);
    return {{separation * cosine, separation * sine, 0}, {-speed * sine, speed * (eccentricity + cosine), 0}};
}

Approach parabola(double totalMass, double pericentre, double separation) {
    const double d = -std::sqrt(separation / pericentre - 1);
    const double rate = std::sqrt(totalMass / (2 * pericentre * pericentre * pericentre)) / (1 + d * d);
    return {{pericentre * (1 - d * d), 2 * pericentre * d, 0}, {-2 * pericentre * d * rate, 2 * pericentre * rate, 0}};
}

}  // namespace gravlab::scenes
