// Profiles of models whose answers are known in closed form, and of galaxies as the scenes build them.
#include "sim/measure/profile.h"
#include "app/commands/run_plots.h"
#include "app/plots/profile_plot.h"
#include "sim/core/random.h"
#include "sim/forces/law.h"
#include "sim/scenes/scene.h"
#include "tests/unit/cli_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

namespace gravlab {
namespace {

using std::numbers::pi;

ParticleSet built(const char* scene, std::size_t bodies, SceneParameters parameters = {}) {
    return sceneNamed(scene).build({.bodies = bodies, .seed = 5, .parameters = std::move(parameters)});
}

/// The largest relative deviation of a column from a curve, over rings with enough bodies; 1e300 when no ring has enough.
double worst(const Profile& profile, double ProfileRing::*column, const std::function<double(double)>& truth,
             std::size_t fewest = 400) {
    double result = 0;
    std::size_t rings = 0;
    for (const ProfileRing& ring : profile.rings) {
        if (ring.bodies < fewest) continue;
        ++rings;
        const double off = std::abs(ring.*column / truth(ring.radius) - 1);
        result = off >= 0 ? std::max(result, off) : 1e300;
    }
    return rings >= 5 ? result : 1e300;
}

/// A thin exponential disc of mass and scale 1 on Freeman's rotation curve, with radial velocities of a constant spread.
double freeman(double radius) {
    const double y = radius / 2;
    const double curve =
        std::cyl_bessel_i(0.0, y) * std::cyl_bessel_k(0.0, y) - std::cyl_bessel_i(1.0, y) * std::cyl_bessel_k(1.0, y);
    return std::sqrt(2 * y * y * curve);
}
constexpr double kSpread = 0.1, kSpreadZ = 0.05;

ParticleSet exponentialDisc(std::size_t n, double tilt = 0) {
    Random random(7);
    ParticleSet bodies;
    bodies.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        const double radius = -std::log((1 - random.uniform()) * (1 - random.uniform()));  // density R exp(-R)
        const double angle = 2 * pi * random.uniform(), speed = freeman(std::max(radius, 1e-3));
        const auto gauss = [&] {
            return std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(2 * pi * random.uniform());
        };
        const double out = kSpread * gauss(), up = kSpreadZ * gauss();
        const double c = std::cos(angle), s = std::sin(angle);
        const double vy = out * s + speed * c, ct = std::cos(tilt), st = std::sin(tilt);
        bodies.position[i] = {radius * c + 3, radius * s * ct, radius * s * st, 1 / static_cast<double>(n)};
        bodies.velocity[i] = {out * c - speed * s, vy * ct - up * st - 2, vy * st + up * ct, 1};
        bodies.id[i] = static_cast<std::uint32_t>(i);
    }
    return bodies;
}

TEST(Profile, ofAPlummerSphereIsTheKnownOne) {
    const ParticleSet bodies = built("plummer", 40000);
    const Profile profile = measureProfile(bodies, {.softening = 0}, {.rings = 12, .reach = 1.5});
    ASSERT_EQ(profile.rings.size(), 12u);
    // Henon units: M = 1, a = 3 pi / 16.
    constexpr double a = 3 * pi / 16;
    const auto lift = [](double r) { return 1 + r * r / (a * a); };
    EXPECT_LE(worst(profile, &ProfileRing::surfaceDensity, [&](double r) { return 1 / (pi * a * a * lift(r) * lift(r)); }),
              0.1);
    const auto sigma = [&](double r) { return std::sqrt(3 * pi / (64 * a * std::sqrt(lift(r)))); };
    EXPECT_LE(worst(profile, &ProfileRing::dispersionZ, sigma), 0.05);
    EXPECT_LE(worst(profile, &ProfileRing::dispersionR, sigma), 0.08) << "isotropic, seen along another axis";
    const auto circular = [&](double r) { return std::sqrt(r * r / std::pow(r * r + a * a, 1.5)); };
    EXPECT_LE(worst(profile, &ProfileRing::circularOfMass, circular), 0.04);
    EXPECT_LE(worst(profile, &ProfileRing::circular, circular), 0.08);
    EXPECT_LT(profile.order, 0.1);
    for (const ProfileRing& ring : profile.rings) EXPECT_TRUE(std::isnan(ring.toomreQ)) << "a sphere has no Q";
    // The comparison notices a sphere that is a fifth larger.
    EXPECT_GT(worst(profile, &ProfileRing::dispersionZ, [&](double r) { return 0.9 * sigma(r); }), 0.08);
}

TEST(Profile, ofAHernquistSphereHasItsRotationCurve) {
    const ParticleSet bodies = built("hernquist", 40000);
    const Profile profile = measureProfile(bodies, {.softening = 0}, {});
    ASSERT_TRUE(profile.why.empty());
    // M = 1 and a = 1, cut off at 30 a.
    const auto circular = [](double r) { return 31.0 / 30 * std::sqrt(r) / (r + 1); };
    EXPECT_LE(worst(profile, &ProfileRing::circularOfMass, circular), 0.05);
    EXPECT_GT(worst(profile, &ProfileRing::circularOfMass, [&](double r) { return 1.1 * circular(r); }), 0.05);
}

TEST(Profile, ofAnExponentialDiscIsTheKnownOne) {
    const ParticleSet bodies = exponentialDisc(40000, 0.7);
    const Profile profile = measureProfile(bodies, {.softening = 0.02}, {.rings = 16, .reach = 4});
    EXPECT_NEAR(profile.centre.x, 3, 0.02);
    EXPECT_NEAR(profile.velocity.y, -2, 0.02);
    EXPECT_NEAR(profile.axis.y, -std::sin(0.7), 0.01);
    EXPECT_NEAR(profile.axis.z, std::cos(0.7), 0.01);
    EXPECT_GT(profile.order, 0.95);
    const auto density = [](double r) { return std::exp(-r) / (2 * pi); };
    EXPECT_LE(worst(profile, &ProfileRing::surfaceDensity, density), 0.08);
    EXPECT_LE(worst(profile, &ProfileRing::rotation, freeman), 0.05);
    EXPECT_LE(worst(profile, &ProfileRing::dispersionR, [](double) { return kSpread; }), 0.08);
    EXPECT_LE(worst(profile, &ProfileRing::dispersionZ, [](double) { return kSpreadZ; }), 0.08);
    // From the force of the bodies themselves: Freeman's curve, which the enclosed mass alone does not give.
    std::size_t compared = 0;
    for (const ProfileRing& ring : profile.rings) {
        if (ring.radius < 0.5) continue;
        ++compared;
        EXPECT_NEAR(ring.circular / freeman(ring.radius), 1, 0.06) << ring.radius;
        const double step = 1e-4, omega = freeman(ring.radius) / ring.radius;
        const double slope = (freeman(ring.radius + step) - freeman(ring.radius - step)) / (2 * step);
        const double kappa = std::sqrt(2 * omega * (omega + slope));
        EXPECT_NEAR(ring.toomreQ / (kSpread * kappa / (3.36 * density(ring.radius))), 1, 0.25) << ring.radius;
    }
    EXPECT_GE(compared, 12u);
    EXPECT_GT(std::abs(profile.rings[8].circularOfMass / freeman(profile.rings[8].radius) - 1), 0.05)
        << "a disc is not a sphere";
}

TEST(Profile, noticesADiscThatIsAFifthHeavierOrTurnsTheOtherWay) {
    ParticleSet bodies = exponentialDisc(20000);
    for (Double4& x : bodies.position) x.w *= 1.2;
    const Profile heavy = measureProfile(bodies, {.softening = 0.02}, {.rings = 16, .reach = 4});
    EXPECT_GT(worst(heavy, &ProfileRing::surfaceDensity, [](double r) { return std::exp(-r) / (2 * pi); }), 0.15);
    for (Double4& v : bodies.velocity) v.x = -v.x, v.y = -v.y;
    const Profile turned = measureProfile(bodies, {.softening = 0.02}, {.rings = 16, .reach = 4});
    EXPECT_LT(turned.axis.z, -0.99) << "the axis points along the spin";
    EXPECT_GT(turned.rings[8].rotation, 0.3);
}

TEST(Profile, aSampleSaysTheSameAsTheWhole) {
    ParticleSet bodies = exponentialDisc(60000);
    bodies.position[31].w = 0.5;  // a black hole: no sample may leave it out or count it several times
    bodies.position[31].x = 3;
    bodies.position[31].y = bodies.position[31].z = 0;
    const ProfileRequest all{.rings = 10, .reach = 3};
    ProfileRequest some = all;
    some.sample = 8000;
    const Profile whole = measureProfile(bodies, {.softening = 0.02}, all),
                  part = measureProfile(bodies, {.softening = 0.02}, some);
    EXPECT_EQ(whole.sampled, 60000u);
    EXPECT_EQ(part.bodies, 60000u);
    EXPECT_EQ(part.sampled, 8001u);
    EXPECT_NEAR(part.weight, 7.5, 0.01);
    for (std::size_t k = 1; k < 10; ++k) {
        EXPECT_NEAR(part.rings[k].surfaceDensity / whole.rings[k].surfaceDensity, 1, 0.12) << k;
        EXPECT_NEAR(part.rings[k].circularOfMass / whole.rings[k].circularOfMass, 1, 0.03) << k;
        EXPECT_NEAR(part.rings[k].dispersionR / whole.rings[k].dispersionR, 1, 0.12) << k;
    }
}

TEST(Profile, readsAGalaxyAsItWasBuilt) {
    const ParticleSet bodies = built("galaxy", 30000);
    const Profile profile = measureProfile(bodies, {.softening = 0.3}, {.centre = ProfileCentre::core});
    ASSERT_TRUE(profile.why.empty());
    double least = 1e300;
    for (const ProfileRing& ring : profile.rings)
        if (ring.radius > 3 && ring.radius < 9) least = std::min(least, ring.toomreQ);
    EXPECT_NEAR(least, 1.2, 0.3) << "its chosen Q, where it is smallest";
    // Some ten kiloparsecs out the curve is flat, at about 200 km/s.
    for (const ProfileRing& ring : profile.rings)
        if (ring.radius > 6 && ring.radius < 12) {
            EXPECT_NEAR(ring.circular * kGalacticUnits.speedScale, 210, 50) << ring.radius;
            EXPECT_NEAR(ring.rotation / ring.circular, 0.95, 0.08) << "a warm disc lags a little";
        }
}

TEST(Profile, looksAtOneGalaxyOfTwo) {
    const ParticleSet bodies = built("andromeda", 20000);
    ASSERT_EQ(galaxiesIn(bodies), 2);
    Profile profiles[2];
    for (int galaxy : {0, 1}) {
        profiles[galaxy] = measureProfile(bodies, {.softening = 0.3}, {.centre = ProfileCentre::core, .galaxy = galaxy});
        EXPECT_TRUE(profiles[galaxy].why.empty());
        EXPECT_GT(profiles[galaxy].order, 0.5) << "its own plane, about its own centre";
    }
    EXPECT_EQ(profiles[0].bodies + profiles[1].bodies, bodies.size());
    const Vec3d &a = profiles[0].centre, &b = profiles[1].centre;
    EXPECT_GT(std::hypot(a.x - b.x, a.y - b.y, a.z - b.z), 20);
    EXPECT_LT(measureProfile(bodies, {.softening = 0.3}, {}).order, profiles[0].order);
}

TEST(Profile, countsBodiesThatHaveNoMass) {
    const ParticleSet bodies = built("kepler-disc", 4000);
    const Profile profile = measureProfile(bodies, {.softening = 0}, {.centre = ProfileCentre::heaviest, .rings = 8});
    EXPECT_TRUE(profile.numberWeighted);
    double mass = 0;
    for (const Double4& x : bodies.position) mass = std::max(mass, x.w);
    EXPECT_LE(worst(
                  profile, &ProfileRing::rotation, [&](double r) { return std::sqrt(mass / r); }, 100),
              0.1);
    EXPECT_LE(worst(
                  profile, &ProfileRing::circular, [&](double r) { return std::sqrt(mass / r); }, 100),
              1e-3);
    for (const ProfileRing& ring : profile.rings) EXPECT_TRUE(std::isnan(ring.toomreQ));
}

TEST(Profile, saysWhyThereIsNone) {
    EXPECT_FALSE(measureProfile(built("pythagorean", 3), {}, {}).why.empty());
    ParticleSet bodies = exponentialDisc(500);
    EXPECT_FALSE(measureProfile(bodies, {}, {.galaxy = 5}).why.empty());
    bodies.position[3].x = NAN;
    bodies.velocity[4].y = INFINITY;
    const Profile profile = measureProfile(bodies, {.softening = 0.02}, {.rings = 4});
    EXPECT_EQ(profile.sampled, 498u);
    EXPECT_TRUE(std::isfinite(profile.rings[1].rotation));
    ParticleSet same = exponentialDisc(50);
    for (Double4& x : same.position) x = {1, 1, 1, 1};
    EXPECT_FALSE(measureProfile(same, {}, {}).why.empty());
    const Profile coulomb = measureProfile(exponentialDisc(500), {.law = kLaw<Coulomb>}, {.rings = 4});
    EXPECT_TRUE(std::isnan(coulomb.rings[1].circular)) << "only gravity has circular orbits of mass";
    EXPECT_TRUE(std::isfinite(coulomb.rings[1].rotation));
}

// Plots and tables of a galaxy over the radius, and the files that a run writes of them.

using testing::HasSubstr;

TEST(RunProfile, plotsAndTablesLeaveOutWhatDoesNotExist) {
    const ParticleSet sphere = sceneNamed("plummer").build({.bodies = 3000, .seed = 1});
    const Profile profile = measureProfile(sphere, {.softening = 0.01}, {});
    const auto plots = profilePlots(profile, {});
    EXPECT_TRUE(plots[3].series.empty()) << "a sphere has no Q";
    EXPECT_EQ(plots[0].series.size(), 3u);
    for (const Plot& plot : plots)
        for (const PlotSeries& series : plot.series) {
            EXPECT_EQ(series.x.size(), series.y.size());
            for (const double y : series.y) EXPECT_TRUE(std::isfinite(y));
        }
    const std::string table = profileTable(profile);
    EXPECT_THAT(table, HasSubstr("radius,bodies,surface_density"));
    EXPECT_EQ(linesOf(table).size(), 25u);
    EXPECT_EQ(table.find("nan"), std::string::npos);
    EXPECT_EQ(linesOf(table)[1].back(), ',') << "an empty cell, not a zero";
}

TEST(RunProfile, writesOneForEachGalaxy) {
    const ScratchFolder folder;
    const auto written = [&](Simulation& simulation) {
        OutputSet outputs;
        std::vector<std::string> names;
        const std::vector<Page> pages = writeRunProfiles(folder.path(), simulation, outputs, names);
        outputs.commit();
        EXPECT_EQ(pages.size(), names.size());
        for (std::size_t k = 0; k < pages.size(); ++k) EXPECT_EQ(pages[k].csv, contentOf(names[k])) << pages[k].name;
        return names;
    };
    Simulation two({.scene = "andromeda", .bodies = 3000, .backend = "cpu"});
    EXPECT_EQ(written(two).size(), 2u);
    EXPECT_EQ(linesOf(contentOf(folder / "profile-2.csv")).size(), 25u);
    EXPECT_NE(contentOf(folder / "profile-1.csv"), contentOf(folder / "profile-2.csv"));
    Simulation one({.scene = "plummer", .bodies = 1000, .backend = "cpu"});
    EXPECT_EQ(written(one).size(), 1u);
    EXPECT_TRUE(fs::exists(folder / "profile.csv"));
    Simulation few({.scene = "pythagorean", .backend = "cpu"});
    EXPECT_TRUE(written(few).empty());
}

}  // namespace
}  // namespace gravlab
