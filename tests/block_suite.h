// Forces on some bodies, and block steps: one suite for the methods of every backend. Include it once in a test binary:
//   INSTANTIATE_TEST_SUITE_P(Cpu, BlockSuite, testing::Values(kCpuMethods), nameOfBackend<LoneMethods>);
#pragma once
#include "sim/backends/backend.h"
#include "sim/backends/kernel_rows.h"
#include "sim/forces/law.h"
#include "sim/forces/sources.h"
#include "sim/integrators/block_steps.h"
#include "sim/scenes/scene.h"
#include "tests/block_steps.h"
#include "tests/on_backend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace gravlab::testing_support {

constexpr double kNoLimit = 1e300;

/// A method without an engine, with levels that do not follow from accelerations. One class for each backend.
class LoneMethod {
public:
    LoneMethod(const ParticleSet& bodies, const ForceSettings& force, const KernelChoice& kernel) : bodies_(bodies) {
        request_ = {.settings = force, .allowedError = kernel.allowedError};
        for (const Double4& at : bodies.position)
            levels_.push_back(static_cast<std::uint8_t>(at.x * at.x + at.y * at.y < 0.04 ? 2 : levels_.size() % 11 == 0));
    }
    virtual ~LoneMethod() = default;

    /// Sums of all bodies, or of those on that level and deeper ones, within a range; NaN where none was stored, if the
    /// backend can show that. All numbers of the method's precision are exact here.
    std::vector<Double4> sums(int least, bool follows = false, double slice = kNoLimit, const BodyRange& targets = {}) {
        request_.active = {};
        request_.targets = targets;
        if (least > 0)
            request_.active = {.levels = levels(), .least = least, .count = asked(least, targets), .follows = follows};
        pairs = cells = 0;
        slices = 0;
        return evaluate(slice);
    }
    /// Begins an evaluation for the bodies on that level and deeper ones, and abandons it after a few slices. False where it
    /// was complete by then.
    bool beginsAndAbandons(int least) {
        request_.targets = {};
        request_.active = {.levels = levels(), .least = least, .count = asked(least)};
        return abandoned();
    }
    bool has(std::size_t body, int least) const { return levels_[body] >= least; }
    std::size_t asked(int least, const BodyRange& targets = {}) const {
        const std::size_t first = std::min(targets.first, size()), last = first + std::min(targets.count, size() - first);
        std::size_t count = 0;
        for (std::size_t i = first; i < last; ++i) count += has(i, least);
        return count;
    }
    /// Moves all bodies in one direction, and each along its velocity.
    void move() {
        for (std::size_t i = 0; i < size(); ++i) bodies_.position[i].x += 0.2 + 0.01 * bodies_.velocity[i].x;
        upload();
    }
    void setLevels(const std::function<int(const Double4&)>& levelAt) {
        for (std::size_t i = 0; i < size(); ++i) levels_[i] = static_cast<std::uint8_t>(levelAt(bodies_.position[i]));
        uploadLevels();
    }
    /// Tells the method which bodies have mass.
    void tellSources() {
        list_ = sourcesOf(bodies_.position);
        request_.sources = sourcesInMemory(list_);
    }
    /// Rounds the positions to the method's precision, and gives them to it.
    virtual void upload() = 0;
    virtual Accuracy accuracy() const = 0;
    virtual std::vector<StateArray> state() const = 0;

    ParticleSet& bodies() { return bodies_; }
    const ForceSettings& force() const { return request_.settings; }
    std::size_t size() const { return bodies_.size(); }

    double pairs = 0, cells = 0;  ///< of the last evaluation
    int slices = 0;

protected:
    virtual std::vector<Double4> evaluate(double slice) = 0;
    virtual bool abandoned() = 0;
    virtual const std::uint8_t* levels() const = 0;  ///< in the method's memory
    virtual void uploadLevels() = 0;
    virtual MassiveBodies sourcesInMemory(const SourceList& list) = 0;
    template <class Method>
    void run(Method& method, double slice) {
        for (bool complete = false; !complete; ++slices) {
            const ForceProgress done = method.enqueue(slice);
            pairs += done.work.pairs;
            cells += done.work.cells;
            complete = done.complete;
        }
    }
    template <class Method>
    static bool abandonedIn(Method& method) {
        for (int slice = 0; slice < 40 && (slice < 2 || method.progress() < 0.5); ++slice)
            if (method.enqueue(0).complete) return false;
        method.abandon();
        return true;
    }

    ParticleSet bodies_;
    std::vector<std::uint8_t> levels_;
    SourceList list_;
    ForceRequest request_;
};

/// What the suite must know of a backend.
struct LoneMethods {
    const char* backend;
    std::unique_ptr<LoneMethod> (*make)(const ParticleSet&, const ForceSettings&, const KernelChoice&);
    const char* pairs;                            ///< a row that sums over targets
    std::vector<const char*> rows;                ///< rows for whole steps
    std::vector<std::size_t> counts, treeCounts;  ///< numbers of bodies
    std::size_t stepped;                          ///< bodies of runs that are cut, continued and checked
    std::vector<KernelChoice> steppedKernels;     ///< of these runs
    std::vector<Precision> steppedPrecisions;     ///< the same
    bool countsAtOnce = false;                    ///< trees and cells report their work with the evaluation
    bool marksOthers = false;                     ///< sums that were not stored are NaN
    int leastOfParts = 0, leastOfRanges = 0;      ///< comparisons that must take place
};

inline void PrintTo(const LoneMethods& methods, std::ostream* out) { *out << methods.backend; }

class BlockSuite : public OnBackend<LoneMethods> {
protected:
    static std::unique_ptr<LoneMethod> made(const ParticleSet& bodies, const ForceSettings& force,
                                            const KernelChoice& kernel) {
        return GetParam().make(bodies, force, kernel);
    }
    static ParticleSet sceneBodies(const char* name, std::size_t count) {
        return sceneNamed(name).build({.bodies = count, .seed = 5});
    }
    static ParticleSet bodiesUnder(const ForceSettings& force, std::size_t count) {
        ParticleSet bodies = sceneBodies("plummer", count);
        if (lawRow(force.law).signedSources)
            for (std::size_t i = 1; i < count; i += 2) bodies.position[i].w *= -1;
        return bodies;
    }
    static ParticleSet unevenFor(const KernelRow& row, std::size_t count) {
        ParticleSet bodies = unevenBodies(count);
        if (row.equalMasses)
            for (Double4& at : bodies.position) at.w = 1.0 / 1024;
        return bodies;
    }
    static KernelChoice choiceOf(const KernelRow& row) {
        KernelChoice kernel{.kernel = std::string(row.name)};
        if (row.splits.last > 1) kernel.launch.split = 3;
        return kernel;
    }
    /// Number of active bodies whose sums differ in any bit.
    static std::size_t differing(const LoneMethod& run, int least, const std::vector<Double4>& a,
                                 const std::vector<Double4>& b) {
        std::size_t count = 0;
        for (std::size_t i = 0; i < run.size(); ++i)
            count += run.has(i, least) && std::memcmp(&a[i], &b[i], 3 * sizeof a[i].x) != 0;
        return count;
    }
    static double worstOf(const LoneMethod& run, int least, const std::vector<Double4>& got,
                          const std::vector<Double4>& want) {
        double squares = 0, worst = 0;
        for (const Double4& a : want) squares += a.x * a.x + a.y * a.y + a.z * a.z;
        const double rms = std::sqrt(squares / static_cast<double>(want.size()));
        for (std::size_t i = 0; i < run.size(); ++i) {
            if (!run.has(i, least)) continue;
            const double off = distance({got[i].x, got[i].y, got[i].z, 0}, want[i]) / (length(want[i]) + 0.1 * rms);
            if (!(off <= worst)) worst = off;  // a NaN counts
        }
        return worst;
    }
    static std::size_t unstored(const std::vector<Double4>& sums) {
        return static_cast<std::size_t>(std::ranges::count_if(sums, [](const Double4& a) { return !std::isfinite(a.x); }));
    }
    static double square(std::size_t count) { return static_cast<double>(count) * static_cast<double>(count); }
    /// Calls use(row, force) for every row of the backend that `takes` it, in every precision that it has.
    static int forRows(const std::function<bool(const KernelRow&)>& takes,
                       const std::function<void(const KernelRow&, const ForceSettings&)>& use, double softening) {
        int compared = 0;
        for (const KernelRow& row : kernels()) {
            if (row.backend != GetParam().backend || !takes(row)) continue;
            for (const Precision precision : {Precision::fp32, Precision::mixed, Precision::fp64}) {
                const ForceSettings force{.precision = precision, .softening = softening};
                if (!refusal(row, force).empty()) continue;
                SCOPED_TRACE(std::string(row.name) + ", precision " + std::to_string(static_cast<int>(precision)));
                use(row, force);
                ++compared;
            }
        }
        return compared;
    }

    void comparePart(const KernelRow& row, const ForceSettings& force, std::size_t count) {
        SCOPED_TRACE(count);
        const ParticleSet bodies = unevenFor(row, count);
        const auto run = made(bodies, force, choiceOf(row)), sliced = made(bodies, force, choiceOf(row));
        const std::vector<Double4> all = run->sums(0);
        EXPECT_EQ(run->pairs, square(count));
        // When no more blocks can split a body's sources, sums are in the same order.
        const bool sameOrder =
            row.splits.last == 1 && row.name != "tiled" && row.name != "fused" && row.cut == Split::targets;
        const double close = force.precision == Precision::fp64 ? 1e-12 : 1e-5;
        for (const int least : {1, 2}) {
            const std::vector<Double4> part = run->sums(least);
            EXPECT_GT(run->asked(least), 10u);
            if (row.cut != Split::none) {
                EXPECT_EQ(run->pairs, static_cast<double>(run->asked(least)) * static_cast<double>(count))
                    << "what was computed, and no more";
                if (GetParam().marksOthers) {
                    EXPECT_EQ(unstored(part), count - run->asked(least)) << "others were asked for, too";
                }
            }
            EXPECT_LE(worstOf(*run, least, part, all), close);
            if (sameOrder && row.deterministic) {
                EXPECT_EQ(differing(*run, least, part, all), 0u);
            }
            if (row.deterministic) {
                EXPECT_EQ(differing(*run, least, sliced->sums(least, false, 0), part), 0u) << "slices, no bit";
                if (count > 15000 && row.cut == Split::targets) {
                    EXPECT_GT(sliced->slices, 1);
                }
            }
        }
        // All bodies again, after some of them. The comparison notices one wrong source.
        if (row.deterministic) {
            EXPECT_EQ(differing(*run, 0, run->sums(0), all), 0u);
        }
        std::ranges::max_element(run->bodies().position, {}, &Double4::w)->x += 0.3;
        run->upload();
        EXPECT_GT(worstOf(*run, 2, run->sums(2), all), close);
    }
    /// The sums of two ranges and what they cost, for each of these cuts.
    void compareRanges(const KernelRow& row, const ForceSettings& force, std::size_t count) {
        const auto run = made(unevenFor(row, count), force, choiceOf(row));
        const std::vector<Double4> all = run->sums(0);
        for (const std::size_t cut : {std::size_t{0}, std::size_t{64}, std::size_t{256}, std::size_t{1703}, count}) {
            std::vector<Double4> both = run->sums(0, false, 0, {0, cut});
            EXPECT_EQ(run->pairs, static_cast<double>(cut) * static_cast<double>(count)) << "what was computed, and no more";
            const std::vector<Double4> rest = run->sums(0, false, kNoLimit, {cut});
            EXPECT_EQ(run->pairs, static_cast<double>(count - cut) * static_cast<double>(count));
            std::copy(rest.begin() + static_cast<std::ptrdiff_t>(cut), rest.end(),
                      both.begin() + static_cast<std::ptrdiff_t>(cut));
            if (row.cut == Split::targets) {
                EXPECT_EQ(differing(*run, 0, both, all), 0u) << "cut at " << cut;
            } else {
                EXPECT_LE(worstOf(*run, 0, both, all), force.precision == Precision::fp64 ? 1e-12 : 1e-5) << cut;
            }
        }
        // Active bodies of a range, in slices; then one source is off.
        const std::vector<Double4> part = run->sums(2, false, 0, {1703});
        EXPECT_EQ(run->pairs, static_cast<double>(run->asked(2, {1703})) * static_cast<double>(count));
        EXPECT_LT(run->asked(2, {1703}), run->asked(2));
        for (std::size_t i = 1703; i < count; ++i)
            if (run->has(i, 2)) {
                ASSERT_LE(distance(part[i], all[i]), 1e-4 * (1 + length(all[i]))) << i;
            }
        run->bodies().position[17].w = 1;
        run->upload();
        EXPECT_GT(differing(*run, 0, run->sums(0, false, kNoLimit, {4000 % count}), all), 0u);
    }
    /// Forces of some bodies by a tree, compared with exact ones; returns their pairs and cells.
    double checkTree(LoneMethod& tree, int least, bool follows, double slice = kNoLimit, const BodyRange& range = {}) {
        SCOPED_TRACE(least);
        const std::vector<Double4> got = tree.sums(least, follows, slice, range);
        std::vector<std::uint32_t> targets;
        const std::size_t every = std::max<std::size_t>(1, tree.asked(least, range) / 700);
        std::size_t passed = 0;
        for (std::size_t i = range.first; i < std::min(tree.size(), range.first + std::min(range.count, tree.size())); ++i)
            if (tree.has(i, least) && passed++ % every == 0) targets.push_back(static_cast<std::uint32_t>(i));
        std::vector<Double4> want(targets.size()), mine;
        std::vector<double> floors(targets.size());
        const ParticleSet& now = tree.bodies();
        referenceForces(now.position, now.velocity, targets, tree.force(), want, floors);
        const double factor = forceFactor(tree.force());
        for (const std::uint32_t i : targets) mine.push_back({factor * got[i].x, factor * got[i].y, factor * got[i].z, 0});
        const ForceGate gate = tree.accuracy().gate;
        const ForceCheck checked = compareForces(mine, want, gate, floors);
        EXPECT_TRUE(checked.passed) << checked.text();
        for (Double4& a : mine) a.y *= 1.02;
        EXPECT_FALSE(compareForces(mine, want, gate, floors).passed) << "or it would pass anything";
        if (least == 2 && GetParam().marksOthers) {
            EXPECT_GT(unstored(got), tree.size() / 4) << "groups of nobody asked for are left out";
        }
        return tree.pairs + tree.cells;
    }
};

inline const ForceSettings kTreeForces[] = {{.softening = 0.05},
                                            {.law = kLaw<Coulomb>, .softening = 0.05},
                                            {.law = kLaw<PowerLaw>, .softening = 0.05, .exponent = 1.5}};

TEST_P(BlockSuite, sumsOfAPartAreThoseOfAllToTheLastBit) {
    const auto everyRow = [](const KernelRow& row) { return everyPair(row); };
    int compared = 0;
    for (const std::size_t count : GetParam().counts)
        compared += forRows(
            everyRow,
            [&](const KernelRow& row, const ForceSettings& force) {
                if (row.cut != Split::none || count <= 2000) comparePart(row, force, count);
            },
            0.05);
    EXPECT_GE(compared, GetParam().leastOfParts);
    comparePart(kernel(GetParam().backend, GetParam().pairs), {.law = kLaw<PowerLaw>, .softening = 0.05, .exponent = 1.5},
                GetParam().counts.back());
}

TEST_P(BlockSuite, twoRangesOfTargetsAreAll) {
    const int compared = forRows(
        [](const KernelRow& row) {
            return (row.cut == Split::targets || row.cut == Split::tilePairs) && row.deterministic && everyPair(row);
        },
        [&](const KernelRow& row, const ForceSettings& force) {
            if (row.cut == Split::targets) return compareRanges(row, force, GetParam().counts.back());
            // A row of pairs takes ranges by targets where they are few, and else computes all.
            const std::size_t count = GetParam().counts.back();
            const auto run = made(unevenFor(row, count), force, choiceOf(row));
            const std::vector<Double4> all = run->sums(0), part = run->sums(0, false, 0, {100, count / 4});
            EXPECT_EQ(run->pairs, static_cast<double>(count / 4) * static_cast<double>(count));
            double worst = 0;
            for (std::size_t i = 100; i < 100 + count / 4; ++i)
                worst = std::max(worst, distance(part[i], all[i]) / (length(all[i]) + 1e-3));
            EXPECT_LE(worst, force.precision == Precision::fp64 ? 1e-11 : 1e-4);
            EXPECT_GT(length(all[100]), 0);
        },
        0.02);
    EXPECT_GE(compared, GetParam().leastOfRanges);
}

TEST_P(BlockSuite, aTreeKeepsItsAccuracyForAPart) {
    for (const ForceSettings& force : kTreeForces)
        for (const std::size_t count : GetParam().treeCounts) {
            if (count > 10000 && force.law != Law::gravity) continue;
            SCOPED_TRACE(std::string(lawRow(force.law).name) + ' ' + std::to_string(count));
            const auto tree = made(bodiesUnder(force, count), force, {.kernel = "tree", .allowedError = 1e-3});
            tree->sums(0);
            const double all = tree->pairs;
            tree->move();
            checkTree(*tree, 1, false);
            tree->move();  // as bodies do within a step: cells with old positions would be noticed
            checkTree(*tree, 2, true);
            if (GetParam().countsAtOnce) {
                EXPECT_LT(tree->pairs, all / 2) << "groups without a body that is asked for are left out";
            }
            tree->move();
            checkTree(*tree, 2, true, 0);
            tree->move();
            checkTree(*tree, 1, true);
            // Ranges of the bodies.
            checkTree(*tree, 0, false, 0, {count / 3, count / 8});
            if (GetParam().countsAtOnce) {
                EXPECT_LT(tree->pairs, 0.8 * all) << "groups outside of the range are left out";
            }
            checkTree(*tree, 0, false, kNoLimit, {count / 3, count / 2});
        }
}

TEST_P(BlockSuite, aTreeMayBeginWithAPart) {
    const ForceSettings force{.softening = 0.05};  // as after the choice of another row within a step
    const auto tree = made(bodiesUnder(force, 6000), force, {.kernel = "tree", .allowedError = 1e-3});
    checkTree(*tree, 1, false);
    if (GetParam().countsAtOnce) {
        EXPECT_LT(tree->pairs, 0.5 * 6000 * 6000);
    }
    const std::vector<StateArray> kept = tree->state();
    ASSERT_EQ(kept.size(), 1u) << "the criterion of the next evaluation goes by this one";
    for (const double length : kept[0].values) ASSERT_TRUE(length > 1e-3 && length < 1e3) << length;
    tree->move();
    checkTree(*tree, 2, true);
}

TEST_P(BlockSuite, anAbandonedPartLeavesATreeNoHalfOfItsState) {
    const ForceSettings force{.softening = 0.05};
    const auto tree = made(bodiesUnder(force, 20000), force, {.kernel = "tree", .allowedError = 1e-3});
    tree->sums(0);
    ASSERT_EQ(tree->state().size(), 1u);
    ASSERT_TRUE(tree->beginsAndAbandons(1)) << "it ended before it was abandoned";
    EXPECT_TRUE(tree->state().empty()) << "accelerations of two times";
    checkTree(*tree, 0, false);
}

TEST_P(BlockSuite, treesOfAllLawsStepAsAllPairsDo) {
    for (ForceSettings force : kTreeForces) {
        force.softening = 0.02;
        expectTreeStepsAsPairs(GetParam().backend, GetParam().pairs, force, 3000, 3);
    }
}

TEST_P(BlockSuite, cellsWithoutActiveTargetsAreLeftOut) {
    ParticleSet liquid = sceneBodies("lennard-jones", 4000);
    Vec3d middle{};
    for (const Double4& at : liquid.position) middle += xyz(at) / static_cast<double>(liquid.size());
    for (Double4& at : liquid.position) at = {at.x - middle.x, at.y - middle.y, at.z - middle.z, at.w};
    const auto run = made(liquid, {.law = kLaw<LennardJones>}, {.kernel = "cells"});
    run->setLevels([](const Double4& at) { return at.x * at.x + at.y * at.y < 9 ? 2 : 0; });
    const std::vector<Double4> all = run->sums(0);
    const double pairs = run->pairs;
    const std::vector<Double4> part = run->sums(2);
    ASSERT_GT(run->asked(2), 40u);
    ASSERT_LT(run->asked(2), liquid.size() / 3);
    EXPECT_EQ(differing(*run, 2, part, all), 0u);
    if (GetParam().marksOthers) {
        EXPECT_GT(unstored(part), liquid.size() / 4);
    }
    EXPECT_EQ(differing(*run, 2, run->sums(2, false, 0), all), 0u);
    run->setLevels([](const Double4& at) { return at.x > 0; });
    EXPECT_EQ(differing(*run, 1, run->sums(1), all), 0u);
    if (GetParam().countsAtOnce) {
        EXPECT_LT(run->pairs, 0.8 * pairs);
        EXPECT_GT(run->pairs, 0.3 * pairs);
    }
    const std::vector<Double4> range = run->sums(0, false, kNoLimit, {0, 500});
    EXPECT_TRUE(std::memcmp(range.data(), all.data(), 500 * sizeof(Double4)) == 0);
    if (GetParam().countsAtOnce) {
        EXPECT_LT(run->pairs, 0.6 * pairs) << "500 bodies of 4,000";
    }
}

TEST_P(BlockSuite, followTheReference) {
    const ParticleSet start = sceneBodies("hernquist", 600);
    const ForceSettings force{.precision = Precision::fp64, .softening = 0.02};
    const auto truth = afterSteps("reference", start, force, {}, "block-leapfrog", 1.0 / 32, 6);
    EXPECT_GT(figureOf(*truth, "rung 2"), 10);
    for (const char* row : GetParam().rows) {
        SCOPED_TRACE(row);
        const auto run = afterSteps(GetParam().backend, start, force, {.kernel = row}, "block-leapfrog", 1.0 / 32, 6);
        ParticleSet got, want;
        run->snapshot(got);
        truth->snapshot(want);
        double worst = 0;
        for (std::size_t i = 0; i < got.size(); ++i) {
            const double off = distance(got.position[i], want.position[i]);
            if (!(off <= worst)) worst = off;
        }
        EXPECT_LE(worst, 1e-11);
        if (std::string_view(row) != "symmetric") {  // it computes all bodies when most are active
            EXPECT_EQ(run->totals().interactions, truth->totals().interactions);
        }
        EXPECT_EQ(run->totals().forceEvaluations, 7) << "of all bodies: one a step, and the first";
        EXPECT_EQ(run->totals().steps, 6);
    }
}

TEST_P(BlockSuite, keepEnergyAtFewerForcesThanAStepForAll) {
    expectEnergyAtFewerForces(GetParam().backend, {.kernel = GetParam().pairs});
}

/// Most bodies have no mass; those that have are the first ones, or anywhere.
inline ParticleSet tracers(std::size_t count, std::size_t massive, bool first) {
    ParticleSet bodies = unevenBodies(count, 3);
    for (std::size_t i = 0; i < count; ++i) {
        const bool acts = first ? i < massive : i % (count / massive) == 1 && i / (count / massive) < massive;
        bodies.position[i].w = acts ? 0.3 / static_cast<double>(massive) : 0;
    }
    return bodies;
}

TEST_P(BlockSuite, goOnFromAnyStepAsIfNeverStoppedHoweverTheyAreCut) {
    const ParticleSet start = sceneBodies("hernquist", GetParam().stepped);
    const StepProgram program = integrator("block-leapfrog").program;
    for (const Precision precision : GetParam().steppedPrecisions)
        for (const KernelChoice& kernel : GetParam().steppedKernels) {
            SCOPED_TRACE(nameOf(kernel) + ' ' + std::to_string(static_cast<int>(precision)));
            const auto begun = [&](const ParticleSet& bodies, int threads) {
                BackendOptions options;
                if (GetParam().backend == std::string_view("cpu")) options.threads = threads;
                std::unique_ptr<Backend> made = backend(GetParam().backend).make(options);
                made->load(bodies, {{.precision = precision, .softening = 0.01}, kernel});
                return made;
            };
            const std::unique_ptr<Backend> whole = begun(start, 2);
            advanceBy(*whole, program, 1.0 / 16, 5);
            EXPECT_GT(figureOf(*whole, "rung 3"), 1);
            for (const std::int64_t steps : {1, 4}) {
                const std::unique_ptr<Backend> first = begun(start, 1);
                int cut = 0;
                for (std::int64_t done = 0; done < steps;) {
                    const double seconds = cut % 7 == 6 ? 2e-3 : 0;
                    const AdvanceStatus status =
                        first->advance(program, 1.0 / 16, {.seconds = seconds, .steps = steps - done}, nullptr);
                    done += status.stepsCompleted;
                    cut += status.stepProgress > 0;
                }
                EXPECT_GT(cut, 4) << "no step was cut: this test shows nothing";
                first->wait();
                const std::unique_ptr<Backend> second = begun(stateOf(*first), 2);
                second->restoreForceState(first->forceState());
                for (Backend* run : {second.get(), first.get()}) {
                    advanceBy(*run, program, 1.0 / 16, 5 - steps);
                    EXPECT_TRUE(sameState(stateOf(*run), stateOf(*whole)))
                        << steps << (run == first.get() ? ", not resumed" : "");
                }
            }
        }
}

TEST_P(BlockSuite, forcesAreCheckedWhereAllBodiesHaveThem) {
    const ParticleSet start = sceneBodies("hernquist", GetParam().stepped);
    for (const KernelChoice& kernel : GetParam().steppedKernels) {
        const std::unique_ptr<Backend> run =
            afterSteps(GetParam().backend, start, {.softening = 0.01}, kernel, "block-leapfrog", 1.0 / 16, 2);
        run->requestForceCheck(randomTargets(start.size()));
        advanceBy(*run, integrator("block-leapfrog").program, 1.0 / 16, 1);
        const std::optional<ForceCheck> check = run->takeForceCheck();
        ASSERT_TRUE(check.has_value());
        EXPECT_TRUE(check->passed) << "bodies in the midst of their own step have the force of another place: "
                                   << check->text();
    }
}

TEST_P(BlockSuite, bodiesWithoutMassAreTargetsOnly) {
    const std::size_t count = 1501;
    for (const std::size_t massive : {std::size_t{1}, std::size_t{300}})
        for (const bool first : {true, false}) {
            SCOPED_TRACE(std::to_string(massive) + (first ? " first" : " anywhere"));
            const ParticleSet bodies = tracers(count, massive, first);
            const auto compare = [&](const KernelRow& row, const ForceSettings& force) {
                const auto run = made(bodies, force, choiceOf(row)), everyone = made(bodies, force, choiceOf(row));
                run->tellSources();
                const std::vector<Double4> all = everyone->sums(0), got = run->sums(0);
                EXPECT_EQ(everyone->pairs, square(count));
                EXPECT_EQ(run->pairs, static_cast<double>(count) * static_cast<double>(massive));
                EXPECT_LE(worstOf(*run, 0, got, all), force.precision == Precision::fp64 ? 1e-12 : 1e-5);
                // The rest of the sources adds zeros, so the bits stay where the sources keep their places.
                if (first && row.cut == Split::targets && row.splits.last == 1 && row.deterministic) {
                    EXPECT_EQ(differing(*run, 0, got, all), 0u);
                }
                if (row.deterministic) {
                    EXPECT_EQ(differing(*run, 0, run->sums(0, false, 0), got), 0u) << "slices, no bit";
                }
                const std::vector<Double4> part = run->sums(1);
                EXPECT_EQ(run->pairs, static_cast<double>(run->asked(1)) * static_cast<double>(massive));
                EXPECT_LE(worstOf(*run, 1, part, all), force.precision == Precision::fp64 ? 1e-12 : 1e-5);
                // The comparison notices a mass that is missing from the list.
                run->bodies().position[first ? 0 : 1].w *= 2;
                run->upload();
                EXPECT_GT(worstOf(*run, 0, run->sums(0), all), 1e-4);
            };
            const int compared =
                forRows([&](const KernelRow& row) { return everyPair(row) && row.cut != Split::none && !row.equalMasses; },
                        compare, 0.05);
            EXPECT_GE(compared, 10);
        }
}

TEST_P(BlockSuite, aTreeOfTracersKeepsItsAccuracy) {
    for (const ForceSettings& force : kTreeForces) {
        SCOPED_TRACE(std::string(lawRow(force.law).name));
        const KernelChoice choice{.kernel = "tree", .allowedError = 1e-3};
        // One body of `share` has mass; charges keep both signs.
        const auto tracersUnder = [&](std::size_t count, std::size_t share) {
            ParticleSet found = sceneBodies("plummer", count);
            for (std::size_t i = 0; i < count; ++i) {
                double& source = found.position[i].w;
                source *= i % share == 2 ? static_cast<double>(share) : 0;
                if (lawRow(force.law).signedSources && i / share % 2 == 1) source *= -1;
            }
            return found;
        };
        if (force.law != kLaw<PowerLaw>) {  // its fraction has a reserve
            const auto few = made(tracersUnder(60000, 100), force, choice);
            few->tellSources();
            checkTree(*few, 0, false);
        }
        const ParticleSet bodies = tracersUnder(6000, 5);
        const auto tree = made(bodies, force, choice), everyone = made(bodies, force, choice);
        tree->tellSources();
        checkTree(*everyone, 0, false);
        checkTree(*tree, 0, false);
        if (GetParam().countsAtOnce) {
            EXPECT_LT(tree->pairs, 0.7 * everyone->pairs) << "leaves contain bodies without mass";
        }
        const std::vector<Double4> all = tree->sums(0, false, 0);
        for (std::size_t i = 0; i < bodies.size(); ++i) ASSERT_GT(length(all[i]), 1e-6) << i << " is in no group";
    }
}

TEST_P(BlockSuite, aSystemOfTracersCountsItsPairs) {
    for (const bool first : {true, false}) {
        const std::size_t count = 900, massive = 3;
        const ParticleSet start = tracers(count, massive, first);
        const ForceSettings force{.precision = Precision::fp64, .softening = 0.1};
        for (const char* name : {"leapfrog", "block-leapfrog"}) {
            SCOPED_TRACE(name);
            const auto truth = afterSteps("reference", start, force, {}, name, 1.0 / 64, 5);
            for (const char* row : GetParam().rows) {
                SCOPED_TRACE(row);
                const auto run = afterSteps(GetParam().backend, start, force, {.kernel = row}, name, 1.0 / 64, 5);
                ParticleSet got, want;
                run->snapshot(got);
                truth->snapshot(want);
                double worst = 0;
                for (std::size_t i = 0; i < count; ++i) {
                    const double off = distance(got.position[i], want.position[i]);
                    if (!(off <= worst)) worst = off;
                }
                EXPECT_LE(worst, 1e-11);
                EXPECT_EQ(run->totals().interactions * static_cast<double>(count),
                          truth->totals().interactions * static_cast<double>(massive));
                EXPECT_EQ(run->pairsOfForce(), static_cast<double>(count * massive));
                run->requestForceCheck(randomTargets(count));
                for (std::int64_t done = 0; done < 1;)
                    done += run->advance(integrator(name).program, 1.0 / 64, {.steps = 1}, nullptr).stepsCompleted;
                run->wait();
                const std::optional<ForceCheck> check = run->takeForceCheck();
                ASSERT_TRUE(check.has_value());
                EXPECT_TRUE(check->passed) << check->text();
            }
        }
    }
}

}  // namespace gravlab::testing_support
