// The scenes: rules for every row, and known values of the models.
#include "sim/scenes/scene.h"
#include "sim/api/errors.h"
#include "sim/core/group.h"
#include "sim/core/made_bodies.h"
#include "sim/core/thread_pool.h"
#include "sim/core/work_watch.h"
#include "sim/forces/law.h"
#include "sim/io/checkpoint.h"
#include "sim/io/run_settings.h"
#include "sim/measure/diagnostics.h"
#include "sim/run/fingerprint.h"
#include "tests/bodies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

namespace gravlab {
namespace {

using namespace testing_support;

std::size_t testCount(const Scene& scene) { return scene.fixedBodies ? scene.fixedBodies : 3001; }

TEST(Scenes, sameSeedSameBytes) {
    for (const Scene& scene : sceneTable()) {
        const SceneRequest request{.bodies = testCount(scene), .seed = 42};
        EXPECT_TRUE(sameState(scene.build(request), scene.build(request))) << scene.name;
    }
}

TEST(Scenes, bodiesMadeWhereTheyAreReadHaveTheSameBytes) {
    int made = 0;
    for (const Scene& scene : sceneTable()) {
        if (!scene.made) continue;
        ++made;
        // More bodies than are made at once, where that is fast.
        const SceneRequest request{.bodies = scene.name == "cube" ? std::size_t{530000} : 3001, .seed = 5};
        const ParticleSet built = scene.build(request);
        const auto bodies = scene.made(request);
        EXPECT_TRUE(sameState(built, bodies->whole())) << scene.name;
        ParticleSet third, some;
        third.resize(built.size() / 3);
        some.resize(third.size());
        BodiesToRead(*bodies).read(2, 3, third);
        BodiesToRead(built).read(2, 3, some);
        EXPECT_TRUE(sameState(third, some)) << scene.name;
        double largest = 0, fastest = 0;
        for (std::size_t i = 0; i < built.size(); ++i) {
            const Double4 &x = built.position[i], &v = built.velocity[i];
            ASSERT_EQ(bodies->mass(i), x.w) << scene.name << ", body " << i;
            ASSERT_LE(x.w, bodies->mass(bodies->heaviest()));
            largest = std::max({largest, std::abs(x.x), std::abs(x.y), std::abs(x.z)});
            fastest = std::max({fastest, std::abs(v.x), std::abs(v.y), std::abs(v.z)});
        }
        EXPECT_EQ(built.group, bodies->groups()) << scene.name;
        EXPECT_NEAR(bodies->largest(), largest, 1e-12 * largest) << scene.name;
        EXPECT_NEAR(bodies->fastest(), fastest, 1e-12 * fastest) << scene.name;
    }
    EXPECT_GE(made, 14);
}

TEST(Scenes, bytesDoNotDependOnThreads) {
    for (const Scene& scene : sceneTable()) {
        const SceneRequest request{.bodies = scene.fixedBodies ? scene.fixedBodies : 20011, .seed = 3};
        const ParticleSet byAll = scene.build(request);
        // Inside a loop over all threads no others are free: one thread does all the work.
        ParticleSet alone[2];
        parallelFor(2, 2, 1, [&](std::size_t first, std::size_t last) {
            for (std::size_t k = first; k < last; ++k) alone[k] = scene.build(request);
        });
        for (const ParticleSet& other : alone) EXPECT_TRUE(sameState(byAll, other)) << scene.name;
    }
}

TEST(Scenes, tellHowFarTheyAre) {
    constexpr std::size_t kBodies = 2'500'001;
    std::vector<std::int64_t> told;
    {
        const WorkWatch watch([&](const char* what, std::int64_t done, std::int64_t total) {
            EXPECT_STREQ(what, "bodies");
            EXPECT_EQ(total, static_cast<std::int64_t>(kBodies));
            told.push_back(done);
        });
        const ParticleSet bodies = sceneNamed("cube").build({.bodies = kBodies});
        ASSERT_EQ(bodies.size(), kBodies);
        EXPECT_EQ(bodies.id.back(), kBodies - 1);
        EXPECT_GT(bodies.position.back().w, 0);
    }
    EXPECT_GE(told.size(), 3u);
    EXPECT_TRUE(std::ranges::is_sorted(told));
    EXPECT_EQ(told.back(), static_cast<std::int64_t>(kBodies));
    told.clear();
    sceneNamed("cube").build({.bodies = 5});
    EXPECT_TRUE(told.empty()) << "nobody listens any more";
}

TEST(Scenes, anotherSeedGivesOtherBodies) {
    for (const std::string_view name : {"six-body", "cube", "plummer", "disc", "collision"}) {
        const Scene& scene = sceneNamed(name);
        const std::size_t count = testCount(scene);
        EXPECT_FALSE(sameBytes(scene.build({.bodies = count, .seed = 1}).position,
                               scene.build({.bodies = count, .seed = 2}).position))
            << name;
    }
}

TEST(Scenes, everyCountIsBuiltExactly) {
    for (const Scene& scene : sceneTable())
        for (const std::size_t count : {1, 2, 3, 4, 5, 7, 31, 2049}) {
            const ParticleSet bodies = scene.build({.bodies = count, .seed = 1});
            const std::size_t expected = scene.fixedBodies ? scene.fixedBodies : count;
            ASSERT_EQ(bodies.size(), expected) << scene.name;
            ASSERT_EQ(bodies.velocity.size(), expected);
            ASSERT_EQ(bodies.group.size(), expected);
            const std::set<std::uint32_t> ids(bodies.id.begin(), bodies.id.end());
            ASSERT_EQ(ids.size(), expected) << scene.name << ": ids repeat";
            for (std::size_t i = 0; i < expected; ++i) {
                const Double4 &x = bodies.position[i], &v = bodies.velocity[i];
                for (const double value : {x.x, x.y, x.z, x.w, v.x, v.y, v.z})
                    ASSERT_TRUE(std::isfinite(value)) << scene.name;
                if (scene.law == kLaw<Coulomb>) {
                    ASSERT_GT(x.w / v.w, 0) << "inertia is never negative";
                    continue;
                }
                ASSERT_GE(x.w, 0) << scene.name;
                ASSERT_EQ(v.w, 1) << scene.name;
            }
        }
}

TEST(Scenes, areCentredAndAtRestAsAWhole) {
    for (const Scene& scene : sceneTable()) {
        const Diagnostics d =
            measure(scene.build({.bodies = testCount(scene), .seed = 5}), {.softening = scene.softening}, 1);
        const double speed = std::sqrt(2 * d.kinetic / d.mass);
        // Rounding grows with the size of the scene.
        EXPECT_LE(distance(d.centreOfMass, {}), 1e-14 * std::max(1.0, scene.view.distance)) << scene.name;
        EXPECT_LE(distance(d.momentum, {}), 1e-14 * std::max(1.0, d.mass * speed)) << scene.name;
    }
}

TEST(Scenes, rowsSayEverythingThatARunNeeds) {
    EXPECT_EQ(sceneTable().front().name, "collision");
    for (const Scene& scene : sceneTable()) {
        SCOPED_TRACE(scene.name);
        EXPECT_FALSE(scene.caption.empty());
        EXPECT_GT(scene.timeStep, 0);
        EXPECT_GE(scene.softening, 0);
        EXPECT_GT(scene.view.distance, 0);
        EXPECT_GT(scene.view.pointSize, 0);
        EXPECT_GT(scene.view.speedScale, 0);
        EXPECT_GT(scene.bodiesCpu, 0u);
        EXPECT_GE(scene.bodiesGpu, scene.bodiesCpu);
        for (const SceneParameter& parameter : scene.parameters) {
            SCOPED_TRACE(parameter.name);
            EXPECT_FALSE(parameter.label.empty());
            EXPECT_FALSE(parameter.idea.empty());
            EXPECT_GE(parameter.value, parameter.least);
            EXPECT_LE(parameter.value, parameter.most);
            for (const double end : {parameter.least, parameter.most}) {
                const ParticleSet bodies =
                    scene.build({.bodies = 600, .seed = 1, .parameters = {{std::string(parameter.name), end}}});
                for (std::size_t i = 0; i < bodies.size(); ++i)
                    ASSERT_TRUE(std::isfinite(bodies.position[i].x + bodies.velocity[i].x + bodies.position[i].w)) << end;
            }
        }
        if (scene.fixedBodies) {
            EXPECT_EQ(scene.bodiesCpu, scene.fixedBodies);
            EXPECT_EQ(scene.bodiesGpu, scene.fixedBodies);
        }
    }
    EXPECT_EQ(sceneNamed("collision").bodiesGpu, 65536u);
    EXPECT_EQ(sceneNamed("collision").bodiesCpu, 8192u);
}

TEST(Scenes, twoBodyIsTheKeplerOrbitOfEccentricityOneHalf) {
    const Diagnostics d = measure(sceneNamed("two-body").build({.bodies = 2}), {}, 1);
    EXPECT_NEAR(d.energy(), -0.125, 1e-16);
    EXPECT_NEAR(d.angularMomentum.z, 0.25 * std::sqrt(0.75), 1e-16);  // reduced mass x sqrt(a (1 - e^2))
}

TEST(Scenes, figureEightHasItsEnergyAndNoSpin) {
    const Diagnostics d = measure(sceneNamed("figure-eight").build({.bodies = 3}), {}, 1);
    EXPECT_NEAR(d.energy(), -1.28714199563185770504, 2e-15);
    EXPECT_NEAR(d.kinetic, 1.21285800436814229495, 1e-15);
    EXPECT_LE(distance(d.angularMomentum, {}), 1e-15);
}

TEST(Scenes, sixBodyStaysWithinItsRanges) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const ParticleSet bodies = sceneNamed("six-body").build({.bodies = 6, .seed = seed});
        double low[3] = {1e9, 1e9, 1e9}, high[3] = {-1e9, -1e9, -1e9};
        for (const Double4& x : bodies.position) {
            ASSERT_GE(x.w, 1);
            ASSERT_LE(x.w, 10);
            const double c[3] = {x.x, x.y, x.z};
            for (int k = 0; k < 3; ++k) {
                low[k] = std::min(low[k], c[k]);
                high[k] = std::max(high[k], c[k]);
            }
        }
        for (int k = 0; k < 3; ++k) ASSERT_LE(high[k] - low[k], 10);
    }
}

TEST(Scenes, sixBodyIsAlsoTwentyBodiesInACubeOfAnySize) {
    const Scene& scene = sceneNamed("six-body");
    EXPECT_EQ(scene.bodiesCpu, 6u);
    const SceneRequest asked{
        .bodies = 20, .seed = 4, .parameters = {{"side", 2}, {"lightest", 3}, {"heaviest", 4}, {"speed", 0}}};
    const ParticleSet bodies = scene.build(asked);
    ASSERT_EQ(bodies.size(), 20u);
    double most = 0;
    for (const Double4& x : bodies.position) {
        EXPECT_GE(x.w, 3);
        EXPECT_LE(x.w, 4);
        most = std::max({most, std::abs(x.x), std::abs(x.y), std::abs(x.z)});
    }
    EXPECT_LE(most, 2) << "half a side, and what centring moves";
    EXPECT_GT(most, 0.5);
    for (const Double4& v : bodies.velocity) EXPECT_EQ(distance(v, {}), 0);
    // The first six of twenty bodies are the six.
    const ParticleSet twenty = scene.build({.bodies = 20, .seed = 4}), six = scene.build({.bodies = 6, .seed = 4});
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(twenty.position[i].w, six.position[i].w);
}

TEST(Scenes, cubeFillsItsBoxAtRest) {
    const ParticleSet bodies = sceneNamed("cube").build({.bodies = 8000, .seed = 1});
    double most = 0;
    for (const Double4& x : bodies.position) most = std::max({most, std::abs(x.x), std::abs(x.y), std::abs(x.z)});
    EXPECT_NEAR(most, 1, 0.02);
    for (const Double4& v : bodies.velocity) ASSERT_EQ(distance(v, {}), 0);
    const Diagnostics d = measure(bodies, {}, 1);
    EXPECT_NEAR(d.potential, -0.941156 / 2, 0.01);  // a uniform cube of side 2 and mass 1
}

TEST(Scenes, plummerIsTheModelInHenonUnits) {
    const ParticleSet bodies = sceneNamed("plummer").build({.bodies = 16384, .seed = 1});
    const Diagnostics d = measure(bodies, {});
    // Bands of 4 sigma for samples of this size, and the 0.1 % of the mass that is left out.
    EXPECT_NEAR(d.kinetic, 0.25, 0.25 * 0.026);
    EXPECT_NEAR(d.potential, -0.5, 0.5 * 0.018);
    EXPECT_NEAR(d.virialRatio(), 0.5, 0.5 * 0.016);
    std::vector<double> r;
    for (const Double4& x : bodies.position) r.push_back(distance(x, {}));
    std::sort(r.begin(), r.end());
    EXPECT_NEAR(r[8192], 0.768570630659784, 0.7686 * 0.02);
    EXPECT_NEAR(r[1638], 0.589048622548086 * 0.524028063612871, 0.3087 * 0.032);
    EXPECT_NEAR(r[14745], 0.589048622548086 * 3.707112791954085, 2.1837 * 0.048);
}

TEST(Scenes, discTurnsInBalanceWithItsOwnPull) {
    const Scene& scene = sceneNamed("disc", 1);
    const ParticleSet bodies = scene.build({.bodies = 12000, .seed = 1});
    std::vector<std::uint32_t> sample;
    for (std::uint32_t i = 0; i < 11999; i += 10) sample.push_back(i);
    std::vector<Double4> a(sample.size());
    referenceGravity(bodies.position, sample, scene.softening, a);
    for (const auto& [inner, outer] : {std::pair{0.4, 0.8}, {0.8, 1.5}, {1.5, 2.5}}) {
        double pull = 0, rotation = 0;
        int count = 0;
        for (std::size_t k = 0; k < sample.size(); ++k) {
            const Double4 &x = bodies.position[sample[k]], &v = bodies.velocity[sample[k]];
            const double r = std::hypot(x.x, x.y);
            if (r < inner || r > outer) continue;
            pull -= a[k].x * x.x + a[k].y * x.y;  // r x inward acceleration = square of the circular speed
            rotation += (x.x * v.y - x.y * v.x) / r;
            ++count;
        }
        ASSERT_GT(count, 50);
        const double circular = std::sqrt(pull / count);
        // Random motion carries a little of the weight, so the mean rotation lags behind the circular speed.
        EXPECT_LT(rotation / count, circular * 1.02) << inner;
        EXPECT_GT(rotation / count, circular * 0.88) << inner;
    }
    const Diagnostics d = measure(bodies, {.softening = scene.softening});
    EXPECT_NEAR(d.virialRatio(), 0.5, 0.05);
}

TEST(Scenes, unitsOfGalaxiesBelongTogether) {
    constexpr double kGravity = 4.30091e-6, kMyr = 977.79222;  // kpc (km/s)^2 / Msun; of a kpc at a km/s
    int galactic = 0;
    for (const Scene& scene : sceneTable()) {
        const SceneUnits& units = scene.units;
        if (units.length != "kpc") continue;
        ++galactic;
        const double speed = std::sqrt(kGravity * units.massScale / units.lengthScale);
        EXPECT_NEAR(units.speedScale / speed, 1, 1e-5) << scene.name;
        EXPECT_NEAR(units.timeScale / (kMyr * units.lengthScale / speed), 1, 1e-5) << scene.name;
    }
    EXPECT_GT(galactic, 5);
    EXPECT_EQ(sceneNamed("collision").units.time, "Myr");
}

TEST(Scenes, collisionIsTwoBoundGalaxiesOnAParabola) {
    const Scene& scene = sceneNamed("collision");
    const ParticleSet bodies = scene.build({.bodies = 4001, .seed = 1});
    Double4 place[2]{}, speed[2]{};
    double mass[2]{};
    std::size_t count[2]{};
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const int g = galaxyOf(bodies.group[i]);
        ASSERT_LE(g, 1);
        const Double4 &x = bodies.position[i], &v = bodies.velocity[i];
        mass[g] += x.w;
        ++count[g];
        for (auto [to, from] : {std::pair{&place[g], &x}, {&speed[g], &v}}) {
            to->x += x.w * from->x;
            to->y += x.w * from->y;
            to->z += x.w * from->z;
        }
    }
    EXPECT_EQ(count[0], 2001u);
    EXPECT_EQ(count[1], 2000u);
    for (int g = 0; g < 2; ++g) {
        EXPECT_NEAR(mass[g], 1, 1e-12);
        for (Double4* q : {&place[g], &speed[g]}) *q = {q->x / mass[g], q->y / mass[g], q->z / mass[g], 0};
    }
    const double apart = distance(place[0], place[1]), closing = distance(speed[0], speed[1]);
    EXPECT_NEAR(apart, 10, 0.3);
    EXPECT_NEAR(closing * closing / 2 - 2 / apart, 0, 0.03) << "a parabola has no energy";
    EXPECT_LT((place[0].x - place[1].x) * (speed[0].x - speed[1].x) + (place[0].y - place[1].y) * (speed[0].y - speed[1].y),
              0)
        << "they should approach";
    // Each galaxy by itself is near virial balance.
    for (int g = 0; g < 2; ++g) {
        std::vector<Double4> x, v;
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            if (galaxyOf(bodies.group[i]) != g) continue;
            x.push_back(bodies.position[i]);
            v.push_back({bodies.velocity[i].x - speed[g].x, bodies.velocity[i].y - speed[g].y,
                         bodies.velocity[i].z - speed[g].z, 1});
        }
        EXPECT_NEAR(measure(bodiesOf(x, v), {.softening = scene.softening}).virialRatio(), 0.5, 0.06) << g;
    }
}

// Versions of scenes: lists show the newest, files name theirs, and a file without a version means the first.

TEST(SceneVersions, theTableHasTheNewestOfEachAndTheOthersAreKept) {
    std::set<std::string_view> names;
    for (const Scene& scene : sceneTable()) EXPECT_TRUE(names.insert(scene.name).second) << scene.name;
    EXPECT_FALSE(olderScenes().empty());
    for (const Scene& scene : olderScenes()) {
        SCOPED_TRACE(scene.name);
        const Scene& newest = sceneNamed(scene.name);
        EXPECT_LT(scene.version, newest.version);
        EXPECT_EQ(&sceneNamed(scene.name, scene.version), &scene);
        EXPECT_EQ(&sceneNamed(scene.name, newest.version), &newest);
        const SceneRequest request{.bodies = 500, .seed = 3};
        EXPECT_FALSE(sameState(scene.build(request), newest.build(request))) << "else it needs no version";
    }
    for (const Scene& scene : sceneTable())
        for (int version = 1; version < scene.version; ++version) EXPECT_NO_THROW(sceneNamed(scene.name, version));
    EXPECT_THROW(sceneNamed("disc", 99), UsageError);
    EXPECT_THROW(sceneNamed("plummer", 2), UsageError);
}

TEST(SceneVersions, filesWithoutAVersionMeanTheFirst) {
    EXPECT_EQ(strictSettings("scene = \"disc\"\n", "f").sceneVersion, 1);
    EXPECT_EQ(strictSettings("scene = \"disc\"\nscene_version = 2\n", "f").sceneVersion, 2);
    EXPECT_EQ(strictSettings("scene = \"disc\"\nscene_version = \"auto\"\n", "f").sceneVersion, std::nullopt);
    EXPECT_EQ(strictSettings("seed = 3\n", "f").sceneVersion, std::nullopt) << "no scene, no version";
    std::vector<std::string> notes;
    EXPECT_EQ(parsedSettings("scene = \"disc\"\n", "f", notes).sceneVersion, 1);
    EXPECT_THROW(strictSettings("scene = \"disc\"\nscene_version = 7\n", "f"), InputError);
    EXPECT_THROW(strictSettings("scene = \"disc\"\nscene_version = 0\n", "f"), InputError);
    EXPECT_THROW(strictSettings("scene = \"galaxy\"\nparameters = { arms = 2 }\n", "f"), InputError)
        << "the first version has no such number";
}

TEST(SceneVersions, aRunSaysWhichItIsAndItsCheckpointToo) {
    Simulation newest({.scene = "disc", .bodies = 64, .backend = "cpu"});
    EXPECT_EQ(newest.configuration().sceneVersion, 2);
    Simulation first({.scene = "disc", .sceneVersion = 1, .bodies = 64, .backend = "cpu"});
    EXPECT_EQ(first.configuration().sceneVersion, 1);
    for (Simulation* run : {&newest, &first}) {
        const int version = run->configuration().sceneVersion;
        const std::string text = settingsText(requestOf(run->configuration()));
        EXPECT_THAT(text, testing::HasSubstr("scene_version = " + std::to_string(version) + "\n"));
        EXPECT_EQ(strictSettings(text, "f").sceneVersion, version);
        // A run that is resumed and written again still has this version.
        Simulation resumed(startFrom(checkpointOf(*run), "f.hdf5").request);
        EXPECT_THAT(checkpointOf(resumed).settings, testing::HasSubstr("scene_version = " + std::to_string(version) + "\n"));
    }
    RunRequest other{.scene = "disc", .sceneVersion = 1};
    other.changeScene("galaxy");
    EXPECT_EQ(other.sceneVersion, std::nullopt);
}

TEST(SceneVersions, starsOfTheBridgeHaveNoMassAndKeepToTheirCentres) {
    const ParticleSet bodies = sceneNamed("toomre-bridge").build({.bodies = 2000});
    std::array<std::array<int, 2>, 2> counts{};
    for (std::size_t i = 2; i < bodies.size(); ++i) {
        const auto centre = static_cast<std::size_t>(galaxyOf(bodies.group[i]));
        const bool bulge = speciesOf(bodies.group[i]) == Species::bulge;
        const Vec3d out = xyz(bodies.position[i]) - xyz(bodies.position[centre]);
        const Vec3d velocity = xyz(bodies.velocity[i]) - xyz(bodies.velocity[centre]);
        ++counts[centre][bulge ? 1 : 0];
        EXPECT_EQ(bodies.position[i].w, 0);
        EXPECT_NEAR(dot(out, velocity), 0, 1e-12) << "on a circle";
        EXPECT_TRUE(bulge || length(out) < 0.6);
    }
    EXPECT_EQ(counts[1][0], 0) << "the companion has no disc";
    EXPECT_GT(counts[0][0], 1600);
    EXPECT_GT(std::min(counts[0][1], counts[1][1]), 60);
    EXPECT_EQ(sceneNamed("toomre-bridge", 1).build({.bodies = 122}).group[121], 0) << "Toomre's rings remain";
}

TEST(SceneVersions, theRingsOfSaturnHaveAGapAndThePicturedGalaxyTurns) {
    const ParticleSet rings = sceneNamed("rings").build({.bodies = 2000});
    std::array<int, 3> counts{};
    for (const Double4& x : rings.position) {
        const double r = std::hypot(x.x, x.y);
        ++counts[r < 1.94 ? 0 : r < 2.03 ? 1 : 2];
    }
    EXPECT_LT(counts[1], 60) << "Cassini's gap";
    EXPECT_GT(counts[2], 300);
    const ParticleSet stream = sceneNamed("stream").build({.bodies = 900});
    int stars = 0, old = 0;
    for (std::size_t i = 0; i < stream.size(); ++i) {
        if (stream.position[i].w > 0) {
            EXPECT_EQ(speciesOf(stream.group[i]), Species::bulge) << "clusters are old";
            continue;
        }
        ++stars;
        const Double4 &x = stream.position[i], &v = stream.velocity[i];
        EXPECT_NEAR(dot(xyz(x), xyz(v)), 0, 1e-9) << "on circles";
        if (speciesOf(stream.group[i]) == Species::bulge) {
            ++old;
        } else if (std::hypot(x.x, x.y) > 4) {
            EXPECT_NEAR(std::hypot(v.x, v.y), 1.06, 0.15) << "220 km/s";
        }
    }
    EXPECT_NEAR(old, 90, 40) << "a bulge, so that the picture has a warm middle";
    EXPECT_EQ(stars, 600);
}

TEST(SceneVersions, fingerprintsNameAllButTheFirst) {
    EXPECT_THAT(fingerprintText(fingerprint({.scene = "disc", .sceneVersion = 1, .bodies = 64})),
                testing::StartsWith("disc, 64 bodies, seed 1, 16 steps"));
    EXPECT_THAT(fingerprintText(fingerprint({.scene = "disc", .bodies = 64})),
                testing::StartsWith("disc, 64 bodies, seed 1, version 2, 16 steps"));
}

}  // namespace
}  // namespace gravlab
