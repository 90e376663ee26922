// Masses 3, 4, 5 released from a 3-4-5 triangle: the classic test of close encounters, up to its known ending.
#include "tests/physics/famous_helpers.h"

#include <gtest/gtest.h>

#include <array>

namespace gravlab::famous {
namespace {

using Places = std::array<std::array<double, 2>, 3>;  ///< x, y of the masses 3, 4, 5

struct KnownPlaces {
    double time;
    Places places;
};

// Computed with a Taylor series of order 24 to 32 in 128-bit arithmetic; two orders and tolerances agree.
constexpr KnownPlaces kKnownPlaces[] = {
    {1,
     {{{0.94955013483948425, 2.7732316949455631},
       {-1.6662290659137289, -0.94944240914777313},
       {0.76325317182729259, -0.90438508964911932}}}},
    {5,
     {{{2.4691696670824922, -1.2278155641570122},
       {-2.2782026968143569, -0.20544953872305414},
       {0.34106035720199021, 0.90104896947265065}}}},
    {10,
     {{{0.77848041013808549, 0.14139230029008617},
       {-2.0250924779781986, 0.097219384146058397},
       {1.1529857362997076, -0.16261088749089842}}}},
    {20,
     {{{3.0042926366963992, 0.51192523502468587},
       {-1.3886265375108954, -0.47047605025272217},
       {-0.69167435200912321, 0.069225699187366215}}}},
    {40, {{{-0.6220036918011, 1.8583181578998}, {0.1735445568164, -2.3684104432832}, {0.2343665696275, 0.7797374597589}}}},
    {60, {{{0.743807500118, 1.939947951095}, {0.264010334686, -0.731624394870}, {-0.657492767820, -0.578669254761}}}},
    {70, {{{6.93346359901, 20.26180430595}, {-2.00300600260, -6.87246343583}, {-2.55767335732, -6.65911183491}}}},
    {100, {{{23.1777342713, 68.5273511478}, {-7.2599559255, -22.9883017245}, {-8.0986758224, -22.7257693091}}}},
};

constexpr KnownPlaces kSoftened[] = {
    {5,
     {{{2.73890073182389805, -0.736877920236357585},
       {0.64924509923510301, 0.23044226871836406},
       {-2.16273651848242124, 0.257772937167123303}}}},
    {10,
     {{{0.694537653106129738, -1.68016438376365658},
       {0.568828998167894657, -0.150049714709091904},
       {-0.871785790397993569, 1.12813840202546747}}}},
    {20,
     {{{3.6826026745012963, 7.09572674332203188},
       {-0.8697621930057193, -2.2721370765985794},
       {-1.51375185029620234, -2.43972638471435561}}}},
};

ParticleSet pythagorean() { return sceneNamed("pythagorean").build({3, 1}); }

double distanceTo(const Places& places, const ParticleSet& bodies) {
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
        const double dx = bodies.position[i].x - places[i][0], dy = bodies.position[i].y - places[i][1];
        sum += dx * dx + dy * dy + bodies.position[i].z * bodies.position[i].z;
    }
    return std::sqrt(sum);
}

TEST(FamousPythagorean, startsAsBurrauSetIt) {
    const Conserved start = measured(pythagorean());
    EXPECT_RELATIVE(start.energy, -769.0 / 60, 1e-15);
    EXPECT_EQ(start.momentum, 0);
    EXPECT_EQ(start.angularMomentum, 0);
    EXPECT_RELATIVE(measured(pythagorean(), 0.1).energy, -12.8113148645101727, 1e-15);
}

TEST(FamousPythagorean, adaptiveStepsReachTheTrueEnding) {
    // Each close passage multiplies rounding errors: 1e-16 has grown to a few times 1e-3 after the last triple encounter at
    // t = 60. The bounds leave a factor of twenty for another machine's rounding; a wrong ending is off by tens.
    constexpr double kBounds[] = {1e-14, 3e-12, 2e-11, 1e-8, 1e-6, 5e-3, 0.3, 1};
    static_assert(std::size(kBounds) == std::size(kKnownPlaces));
    Motion motion(pythagorean(), "radau15", 0.5);
    std::int64_t done = 0;
    for (std::size_t row = 0; row < std::size(kKnownPlaces); ++row) {
        const std::int64_t wanted = std::lround(kKnownPlaces[row].time / 0.5);
        motion.advance(wanted - done);
        done = wanted;
        EXPECT_LE(distanceTo(kKnownPlaces[row].places, motion.bodies()), kBounds[row]) << "t = " << kKnownPlaces[row].time;
    }
    EXPECT_LE(std::fabs(motion.energyError()), 1e-9);

    // Mass 3 has escaped; 4 and 5 are a narrow, very eccentric pair.
    const ParticleSet& end = motion.bodies();
    const Double4 r = minus(end.position[2], end.position[1]), v = minus(end.velocity[2], end.velocity[1]);
    const double distance = norm(r), a = 1 / (2 / distance - static_cast<double>(square(v)) / 9);
    const double spin = r.x * v.y - r.y * v.x;
    EXPECT_NEAR(a, 0.552494, 1e-3);
    EXPECT_NEAR(std::sqrt(1 - spin * spin / (9 * a)), 0.98871, 1e-3);
}

TEST(FamousPythagorean, fixedSmallStepsAreRightToTenAndLostByTwenty) {
    Motion motion(pythagorean(), "yoshida4", 1e-5);
    motion.advance(500000);
    EXPECT_LE(distanceTo(kKnownPlaces[1].places, motion.bodies()), 2e-5);
    motion.advance(500000);
    EXPECT_LE(distanceTo(kKnownPlaces[2].places, motion.bodies()), 5e-5);
    motion.advance(1000000);
    EXPECT_GE(distanceTo(kKnownPlaces[3].places, motion.bodies()), 1e-2);
}

TEST(FamousPythagorean, theTestCatchesAMassThatIsOffByAMillionth) {
    ParticleSet start = pythagorean();
    start.position[2].w *= 1 + 1e-6;
    Motion motion(start, "radau15", 1);
    motion.advance(1);
    EXPECT_GE(distanceTo(kKnownPlaces[0].places, motion.bodies()), 1e-8);
}

TEST(FamousPythagorean, softenedVariantHasItsKnownErrors) {
    struct Row {
        const char* name;
        double dt, error;
    };
    constexpr Row kRows[] = {{"leapfrog", 1e-3, 3.1e-4},
                             {"leapfrog", 1e-4, 3.1e-6},
                             {"yoshida4", 1e-3, 1.6e-5},
                             {"yoshida4", 1e-4, 1.7e-9},
                             {"hermite4", 1e-4, 7.9e-10}};
    for (const Row& row : kRows) {
        Motion motion(pythagorean(), row.name, row.dt, 0.1);
        motion.advance(std::lround(10 / row.dt));
        EXPECT_RELATIVE(distanceTo(kSoftened[1].places, motion.bodies()), row.error, 0.04) << row.name << ' ' << row.dt;
    }
    Motion adaptive(pythagorean(), "radau15", 5, 0.1);
    adaptive.advance(1);
    EXPECT_LE(distanceTo(kSoftened[0].places, adaptive.bodies()), 1e-13);
    adaptive.advance(1);
    EXPECT_LE(distanceTo(kSoftened[1].places, adaptive.bodies()), 1e-12);
    adaptive.advance(2);
    EXPECT_LE(distanceTo(kSoftened[2].places, adaptive.bodies()), 1e-10);
}

}  // namespace
}  // namespace gravlab::famous
