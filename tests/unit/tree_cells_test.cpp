// The cells of a tree that a picture shows: their positions, and that those marked as acting make up the force.
#include "sim/backends/tree_cells.h"
#include "sim/api/errors.h"
#include "sim/backends/backend.h"
#include "sim/backends/cpu/methods/tree_method.h"
#include "sim/forces/law.h"
#include "tests/bodies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>

namespace gravlab {
namespace {

using namespace testing_support;

constexpr ForceSettings kSoft{.softening = 0.02};

TreeQuestion ofLevel(int level) {
    TreeQuestion question;
    question.level = level;
    return question;
}
TreeQuestion onBody(std::size_t body, std::string_view kernel = "tree", double accuracy = 0) {
    TreeQuestion question;
    question.body = body;
    question.kernel = kernel;
    question.allowedError = accuracy;
    return question;
}

bool holds(const CellBox& box, const Double4& at) {
    const double rounded = 1e-5 + 2e-6 * (box.high.x - box.low.x);
    return at.x >= box.low.x - rounded && at.x <= box.high.x + rounded && at.y >= box.low.y - rounded &&
           at.y <= box.high.y + rounded && at.z >= box.low.z - rounded && at.z <= box.high.z + rounded;
}

TEST(TreeCellsOf, aLevelAreCubesThatHoldTheirBodies) {
    const ParticleSet bodies = unevenBodies(4000);
    double edge = 0;
    for (int level = 0; level < 4; ++level) {
        SCOPED_TRACE(level);
        const TreeCells cells = treeCells(bodies, kSoft, ofLevel(level));
        EXPECT_GT(cells.levels, 4);
        EXPECT_EQ(cells.cells, cells.boxes.size());
        std::size_t inside = 0, said = 0;
        for (const CellBox& box : cells.boxes) {
            EXPECT_EQ(box.use, CellUse::none);
            const double size = box.high.x - box.low.x;
            EXPECT_NEAR(box.high.y - box.low.y, size, 1e-12);
            if (level > 0) {
                EXPECT_NEAR(size, edge / 2, 1e-12);
            }
            std::size_t here = 0;
            for (const Double4& at : bodies.position) here += holds(box, at);
            EXPECT_GE(here, box.bodies);
            EXPECT_LE(here, box.bodies + 3) << "neighbours have those on its faces";
            inside += here;
            said += box.bodies;
        }
        edge = cells.boxes.front().high.x - cells.boxes.front().low.x;
        EXPECT_GE(inside, said);
        if (level == 0) {
            EXPECT_EQ(said, bodies.size());
        }
    }
}

TEST(TreeCellsOf, aLevelWithTooManyAreCountedAndNotDrawn) {
    const ParticleSet bodies = unevenBodies(60000);
    const TreeCells root = treeCells(bodies, kSoft, {});
    ASSERT_LT(root.deepest + 1, static_cast<std::size_t>(root.levels)) << "all levels have few cells";
    const TreeCells most = treeCells(bodies, kSoft, ofLevel(static_cast<int>(root.deepest))),
                    more = treeCells(bodies, kSoft, ofLevel(static_cast<int>(root.deepest) + 1)),
                    none = treeCells(bodies, kSoft, ofLevel(root.levels));
    EXPECT_LE(most.cells, kMostCellBoxes);
    EXPECT_EQ(most.boxes.size(), most.cells);
    EXPECT_GT(more.cells, kMostCellBoxes);
    EXPECT_TRUE(more.boxes.empty());
    EXPECT_EQ(none.cells, 0u);
    EXPECT_EQ(treeCells({}, kSoft, {}).levels, 0);
}

TEST(TreeCellsOf, aBodyVeryFarOutIsInABoxOfItsOwn) {
    ParticleSet bodies = unevenBodies(3000);
    bodies.position[5] = {1e6, -1e6, 1e6, bodies.position[5].w};
    for (const CellBox& box : treeCells(bodies, kSoft, onBody(5)).boxes) {
        std::size_t inside = 0;
        for (const Double4& at : bodies.position) inside += holds(box, at);
        EXPECT_GE(inside, box.bodies);
    }
}

TEST(TreeCellsOf, areThoseOfARunWhereFewBodiesHaveMass) {
    ParticleSet bodies = unevenBodies(4000);
    for (std::size_t i = 1000; i < bodies.size(); ++i)
        bodies.position[i] = {9 + 1e-6 * static_cast<double>(i % 50), 9, 9, 0};
    const std::unique_ptr<Backend> run = backend("cpu").make({});
    run->load(bodies, {kSoft, {.kernel = "tree"}});
    std::vector<Double4> a;
    run->accelerations(a);
    run->advance(integrator("leapfrog").program, 1e-9, {}, nullptr);
    const std::vector<MethodFigure> figures = run->figures();
    const auto levels = std::ranges::find(figures, "levels", &MethodFigure::name);
    ASSERT_NE(levels, figures.end());
    EXPECT_EQ(treeCells(bodies, kSoft, ofLevel(0)).levels, static_cast<int>(levels->value));
}

TEST(TreeCellsOf, everyBodyActsOnceOnASelectedOne) {
    const ParticleSet bodies = unevenBodies(3000);
    for (const char* kernel : {"tree-theta-monopole", "tree-theta", "tree-cells", "tree", "simd-threads"}) {
        SCOPED_TRACE(kernel);
        const TreeCells cells = treeCells(bodies, kSoft, onBody(77, kernel));
        std::size_t all = 0, single = 0;
        for (const CellBox& box : cells.boxes) {
            all += box.bodies;
            if (box.use == CellUse::bodies) single += box.bodies;
            EXPECT_NE(box.use, CellUse::none);
        }
        EXPECT_EQ(all, bodies.size());
        EXPECT_EQ(single, cells.single);
        EXPECT_EQ(cells.singleCells + cells.alone + cells.expanded, cells.boxes.size());
        EXPECT_EQ(cells.expanded > 0, std::string_view(kernel) == "tree" || std::string_view(kernel) == "simd-threads");
        EXPECT_TRUE(std::ranges::count(cells.group, 77u) == 1);
    }
}

TEST(TreeCellsOf, aBodyAreThoseThatItsForceIsMadeOf) {
    const std::size_t count = 3000;
    ParticleSet bodies = unevenBodies(count);
    VectorArrays<float> x(count);
    AlignedArray<float> source(count);
    for (std::size_t i = 0; i < count; ++i) {
        x.axis[0][i] = static_cast<float>(bodies.position[i].x);
        x.axis[1][i] = static_cast<float>(bodies.position[i].y);
        x.axis[2][i] = static_cast<float>(bodies.position[i].z);
        source[i] = static_cast<float>(bodies.position[i].w);
    }
    struct Case {
        const char* name;
        TreeWalk walk;
        double accuracy;
        ForceSettings force = kSoft;
        double opening = 0;
    };
    const ForceSettings charges{.law = kLaw<Coulomb>, .softening = 0.02},
        steep{.law = kLaw<PowerLaw>, .softening = 0.02, .exponent = 5},
        flat{.law = kLaw<PowerLaw>, .softening = 0.02, .exponent = 0};
    std::vector<Case> cases{{"tree-theta", TreeWalk::theta, 0},
                            {"tree-cells", TreeWalk::cells, 1e-3},
                            {"tree", TreeWalk::expansions, 1e-2},
                            {"tree", TreeWalk::expansions, 1e-3}};
    for (const ForceSettings& force : {charges, steep, flat}) {
        cases.push_back({"tree-theta", TreeWalk::theta, 0, force});
        cases.push_back({"tree-theta", TreeWalk::theta, 0, force, 0.7});
        cases.push_back({"tree-cells", TreeWalk::cells, 1e-2, force});
        cases.push_back({"tree", TreeWalk::expansions, 1e-2, force});
    }
    for (const auto& [name, walk, accuracy, force, opening] : cases) {
        SCOPED_TRACE(std::string(name) + ", " + std::to_string(accuracy) + ", law " + std::string(lawRow(force.law).name) +
                     " " + std::to_string(force.exponent));
        for (std::size_t i = 0; i < count; i += 2) {
            bodies.position[i].w = std::copysign(bodies.position[i].w, force.law == kLaw<Coulomb> ? -1 : 1);
            source[i] = static_cast<float>(bodies.position[i].w);
        }
        ThreadPool pool(1);
        cpu::TreeMethod<float> method(walk, {pool, cpu::simdTargets().front(), count});
        // The second evaluation counts, because the first includes the work for its criterion.
        for (int time = 0; time < 2; ++time) {
            method.prepare({{x.axis[0].data(), x.axis[1].data(), x.axis[2].data()}, source.data(), count},
                           {.settings = force, .allowedError = accuracy, .opening = opening});
            method.enqueue(std::numeric_limits<double>::infinity());
        }
        std::map<std::string, double> told;
        for (const MethodFigure& figure : method.figures()) told[std::string(figure.name)] = figure.value;
        std::vector<bool> looked(count);
        double single = 0, alone = 0, expanded = 0;
        for (std::size_t i = 0; i < count; ++i) {
            if (looked[i]) continue;
            TreeQuestion question = onBody(i, name, accuracy);
            question.opening = opening;
            const TreeCells cells = treeCells(bodies, force, question);
            for (const std::uint32_t other : cells.group) looked[other] = true;
            const auto targets = static_cast<double>(cells.group.size()) / static_cast<double>(count);
            single += targets * static_cast<double>(cells.single);
            alone += targets * static_cast<double>(cells.alone);
            expanded += targets * static_cast<double>(cells.expanded);
        }
        EXPECT_NEAR(single, told["bodies a body"], 0.02 * told["bodies a body"]);
        EXPECT_NEAR(alone, told["cells a body"], 0.02 * told["cells a body"] + 0.5);
        EXPECT_NEAR(expanded, told["expanded a body"], 0.02 * told["expanded a body"] + 0.5);
    }
}

TEST(TreeCellsOf, aLawThatEndsAreThoseOfALevelOnly) {
    const ParticleSet bodies = unevenBodies(500);
    const ForceSettings atoms{.law = kLaw<LennardJones>};
    EXPECT_GT(treeCells(bodies, atoms, ofLevel(2)).boxes.size(), 1u);
    try {
        treeCells(bodies, atoms, onBody(3));
        FAIL() << "a tree that does not know the law says what acts";
    } catch (const UsageError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("No cells act on a body under lennard-jones"));
    }
}

}  // namespace
}  // namespace gravlab
