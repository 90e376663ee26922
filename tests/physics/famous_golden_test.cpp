// Accelerations, jerks and potentials of four unequal bodies, known to 20 digits.
#include "sim/forces/law.h"
#include "tests/physics/famous_helpers.h"

#include <gtest/gtest.h>

namespace gravlab::famous {
namespace {

struct Golden {
    double a[3], jerk[3], potential;
};

struct Case {
    double softening, potentialEnergy;
    Golden body[4];
};

constexpr Case kCases[] = {{0,
                            -13.374638211819159167,
                            {{{2.0, 0.75, 0.44444444444444444444},
                              {1.7013888888888888889, 0.51851851851851851852, -0.1875},
                              -4.8333333333333333333},
                             {{-1.3948192637067099368, 0.53665631459994952714, 0.37947331922020551984},
                              {-1.1026343908111710844, -0.17189653324585072941, -0.16262457759150279577},
                              -3.6065518505672255506},
                             {{0.17888543819998317571, -0.77844785985388300435, 0.25601547518087497939},
                              {0.094831008528255371098, -0.0027088466770329785004, 0.1207613471228337378},
                              -2.5038275834503741226},
                             {{0.06324555320336758664, 0.1280077375904374897, -0.49285937710687010558},
                              {0.054846716787171791652, -0.041649727998929531049, 0.037616278453626094535},
                              -1.7978391597048528828}}},
                           {0.5,
                            -12.973308438478830109,
                            {{{1.4310835055998654057, 0.68480647069082251347, 0.42654872381930539821},
                              {0.72391965529237380607, 0.37554373989243740968, -0.17120161767270562837},
                              -4.5592600306606879094},
                             {{-1.086825343951337789, 0.49878374911083972861, 0.36567514978795566562},
                              {-0.59368807131810856755, -0.11396022881023922921, -0.15145265555487741988},
                              -3.4531246275247186904},
                             {{0.16626124970361324287, -0.72666068321076035881, 0.24880404035988955287},
                              {0.083836750061943435155, 0.0038698775973037255002, 0.11124893296498549927},
                              -2.456827322606147664},
                             {{0.060945858297992610936, 0.12440202017994477644, -0.47607778611872134702},
                              {0.052986559289503255889, -0.039808228765967531943, 0.035090032471875992582},
                              -1.7776564058572729838}}}};

ParticleSet goldenBodies() {
    const scenes::Body start[] = {{{0, 0, 0}, {0.5, 0, 0}, 1},
                                  {{1, 0, 0}, {0, 0.25, 0}, 2},
                                  {{0, 2, 0}, {0, 0, -0.5}, 3},
                                  {{0, 0, 3}, {-0.25, 0.125, 0}, 4}};
    return scenes::listedBodies(start);
}

double largestDifference(const Double4& got, const double* want) {
    return std::fmax(std::fabs(got.x - want[0]), std::fmax(std::fabs(got.y - want[1]), std::fabs(got.z - want[2])));
}

TEST(FamousGolden, accelerationsJerksAndPotentials) {
    const ParticleSet bodies = goldenBodies();
    for (const Case& golden : kCases) {
        ForceSettings settings{.softening = golden.softening};
        FewBody system;
        system.load(bodies);
        system.configure(settings);
        std::vector<Double4> plain, a, jerk;
        system.accelerations(plain);
        system.jerks(a, jerk);
        for (int i = 0; i < 4; ++i) {
            // Jerks are sums of terms of either sign, hence the looser bound.
            EXPECT_LE(largestDifference(plain[i], golden.body[i].a), 1e-15 * norm(plain[i]));
            EXPECT_LE(largestDifference(a[i], golden.body[i].a), 1e-15 * norm(a[i]));
            EXPECT_LE(largestDifference(jerk[i], golden.body[i].jerk), 5e-15 * norm(jerk[i]));
            double potential = 0;
            for (int j = 0; j < 4; ++j)
                if (j != i)
                    potential += bodies.position[j].w *
                                 law("gravity").potential(
                                     settings, static_cast<double>(square(minus(bodies.position[j], bodies.position[i]))));
            EXPECT_RELATIVE(potential, golden.body[i].potential, 1e-15);
        }
        const Conserved energies = measured(bodies, golden.softening);
        EXPECT_RELATIVE(energies.kinetic, 0.71875, 1e-15);
        EXPECT_RELATIVE(energies.potential, golden.potentialEnergy, 1e-15);
    }
}

TEST(FamousGolden, theComparisonCatchesSmallMistakes) {
    const Golden& first = kCases[0].body[0];
    const double tolerance = 1e-15 * 2.2;
    EXPECT_GT(largestDifference({0, 0, 0, 0}, first.a), tolerance);
    EXPECT_GT(largestDifference({2.0 * 1.0000001, 0.75, first.a[2], 0}, first.a), tolerance);
    EXPECT_GT(largestDifference({0.75, 2.0, first.a[2], 0}, first.a), tolerance);
}

TEST(FamousGolden, coincidentMasslessBodiesAreHarmless) {
    const scenes::Body start[] = {{{0, 0, 0}, {}, 1}, {{1, 0, 0}, {}, 0}, {{1, 0, 0}, {}, 0}, {{0, 0, 0}, {}, 0}};
    FewBody system;
    system.load(scenes::listedBodies(start));
    std::vector<Double4> a, jerk;
    system.accelerations(a);
    EXPECT_EQ(a[0].x, 0);
    EXPECT_EQ(a[1].x, -1);
    EXPECT_EQ(a[2].x, -1);
    EXPECT_EQ(a[3].x, 0);
    system.jerks(a, jerk);
    for (const Double4& value : jerk) EXPECT_EQ(norm(value), 0);
}

}  // namespace
}  // namespace gravlab::famous
