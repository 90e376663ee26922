#include "sim/measure/pair_sum.h"

#include "sim/core/thread_pool.h"
#include "sim/core/work_watch.h"
#include "sim/forces/cell_grid.h"
#include "sim/forces/force_check.h"
#include "sim/forces/law.h"
#include "sim/forces/sources.h"
#include "sim/measure/potential_error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace gravlab {
namespace {

// Sources in a block: their distances stay in the nearest cache, and the compiler sees loops of constant length.
constexpr std::size_t kSources = 64, kSums = 16;
// Limit of (pair distance / distance from the centre)^2: positions are rounded by 2^-24 of the latter, so a closer pair
// would have an error above 2^-14.
constexpr float kNear = 0x1p-20f;

/// Positions relative to the common centre, so that distances within the system determine the rounding.
struct SingleBodies {
    std::vector<float> x, y, z, w;

    explicit SingleBodies(const std::vector<Double4>& bodies) {
        Vec3d centre{};
        for (const Double4& body : bodies) centre += xyz(body);
        centre /= static_cast<double>(std::max<std::size_t>(1, bodies.size()));
        for (const Double4& body : bodies) {
            const Vec3d at = xyz(body) - centre;
            x.push_back(static_cast<float>(at.x));
            y.push_back(static_cast<float>(at.y));
            z.push_back(static_cast<float>(at.z));
            w.push_back(static_cast<float>(body.w));
        }
        // Padding, so that whole blocks can be read.
        for (std::vector<float>* values : {&x, &y, &z, &w})
            values->resize((bodies.size() + kSources - 1) / kSources * kSources);
    }
};

template <template <class> class PairLaw>
class SingleSum {
public:
    SingleSum(const std::vector<Double4>& bodies, const ForceSettings& force)
        : bodies_(bodies), single_(bodies), law_(force), exact_(force), atZero_(finiteAtZero(force)) {}

    /// Sum with bodies [0, end), without the body itself; its energy is divided by its own source.
    PairRow row(std::size_t i, std::size_t end) const {
        PairRow row;
        const float x = single_.x[i], y = single_.y[i], z = single_.z[i], near = kNear * (x * x + y * y + z * z);
        float known = std::numeric_limits<float>::infinity();
        std::array<float, kSources> squared, source;
        for (std::size_t base = 0; base < end; base += kSources) {
            float least = std::numeric_limits<float>::infinity();
            for (std::size_t k = 0; k < kSources; ++k) {
                const float dx = single_.x[base + k] - x, dy = single_.y[base + k] - y, dz = single_.z[base + k] - z;
                squared[k] = dx * dx + dy * dy + dz * dz;
                least = squared[k] < least ? squared[k] : least;
            }
            // These are the body itself, an incomplete block, and pairs that need more digits.
            if (base + kSources > end || least <= near) {
                addExactly(row, i, base, std::min(base + kSources, end));
                known = std::min(known, static_cast<float>(row.squared));
                continue;
            }
            for (std::size_t k = 0; k < kSources; ++k) source[k] = single_.w[base + k];
            std::array<float, kSums> sum{};
            for (std::size_t k = 0; k < kSources; k += kSums)
                for (std::size_t lane = 0; lane < kSums; ++lane)
                    sum[lane] += source[k + lane] * law_.potential(squared[k + lane]);
            for (const float part : sum) row.energy += static_cast<double>(part);
            if (!(least < known)) continue;
            known = least;
            nearestIn(row, i, base, base + kSources);
        }
        return row;
    }
    double exactly(std::size_t i) const {
        PairRow row;
        addExactly(row, i, 0, bodies_.size());
        return row.energy;
    }

private:
    double squaredOf(std::size_t i, std::size_t j) const {
        const Vec3d r = xyz(bodies_[j]) - xyz(bodies_[i]);
        return dot(r, r);
    }
    void take(PairRow& row, std::size_t i, std::size_t j, double squared) const {
        if (bodies_[i].w != 0 || bodies_[j].w != 0) row.meet(squared, j);
    }
    void addExactly(PairRow& row, std::size_t i, std::size_t first, std::size_t end) const {
        for (std::size_t j = first; j < end; ++j) {
            if (j == i) continue;
            const double squared = squaredOf(i, j);
            if (squared > 0 || atZero_) row.energy += bodies_[j].w * exact_.potential(squared);
            take(row, i, j, squared);
        }
    }
    void nearestIn(PairRow& row, std::size_t i, std::size_t first, std::size_t end) const {
        for (std::size_t j = first; j < end; ++j) take(row, i, j, squaredOf(i, j));
    }

    const std::vector<Double4>& bodies_;
    SingleBodies single_;
    PairLaw<float> law_;
    PairLaw<double> exact_;
    bool atZero_;
};

template <template <class> class PairLaw>
PairSum summed(const ParticleSet& bodies, const ForceSettings& force, double factor, int threads) {
    const std::size_t n = bodies.size();
    const SingleSum<PairLaw> pairs(bodies.position, force);
    std::vector<PairRow> rows(n);
    // Row i has i pairs: folding the triangle gives every slice the same work.
    parallelFor((n + 1) / 2, threads, 64, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last && !WorkWatch::dropped(); ++k)
            for (const std::size_t i : {k, n - 1 - k}) rows[i] = pairs.row(i, i);
    });
    PairTotal total;
    if (WorkWatch::dropped()) return {};
    for (std::size_t i = 0; i < n; ++i) {
        rows[i].energy *= bodies.position[i].w;
        total.add(rows[i], i);
    }
    PairSum sum = total.result(factor);
    constexpr double kAffordable = 3e7;
    constexpr std::size_t kFewest = 32, kMost = 256;
    const auto affordable = static_cast<std::size_t>(kAffordable / static_cast<double>(std::max<std::size_t>(1, n)));
    PotentialError error;
    for (const std::uint32_t i : randomTargets(n, std::clamp(affordable, kFewest, kMost)))
        error.add(bodies.position[i].w * pairs.row(i, n).energy, bodies.position[i].w * pairs.exactly(i));
    sum.error = error.relative();
    return sum;
}

}  // namespace

bool singleEnergy(const ForceSettings& force) {
    return forLaw<Laws>(loopLaw(force), [&]<template <class> class PairLaw>() { return PairLaw<double>::kSingleEnergy; });
}

PairSum pairsInSingle(const ParticleSet& bodies, const ForceSettings& force, int threads) {
    if (sourcesOf(bodies.position).count < bodies.size()) return allPairs(bodies, force, threads);  // they are few
    ForceSettings loop = force;
    loop.law = loopLaw(force);
    return forLaw<Laws>(loop.law, [&]<template <class> class PairLaw>() -> PairSum {
        if constexpr (PairLaw<double>::kSingleEnergy)
            return summed<PairLaw>(bodies, loop, forceFactor(force), threads);
        else
            throw std::logic_error("pairs of " + std::string(lawRow(force.law).name) +
                                   " have no energy in single precision");
    });
}

namespace {

constexpr std::size_t kEnergyGrain = 256;

/// Bodies in the order of cells.
struct SortedBodies {
    std::vector<std::uint64_t> key;
    std::vector<std::uint32_t> body;
    std::vector<Double4> at;
};

SortedBodies sortedBy(const std::vector<Double4>& bodies, double perLength, int threads) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> keyed(bodies.size());
    const auto place = [&](double x) { return cellPlace(x, perLength); };
    parallelFor(bodies.size(), threads, kEnergyGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            keyed[i] = {cellKey(place(bodies[i].x), place(bodies[i].y), place(bodies[i].z)), static_cast<std::uint32_t>(i)};
    });
    std::ranges::sort(keyed);
    SortedBodies sorted;
    for (const auto& [key, body] : keyed) {
        sorted.key.push_back(key);
        sorted.body.push_back(body);
        sorted.at.push_back(bodies[body]);
    }
    return sorted;
}

/// Sums each body with those before it in the cells around it.
template <class Energy>
std::vector<PairRow> metIn(const SortedBodies& sorted, int threads, const Energy& energy) {
    std::vector<PairRow> met(sorted.at.size());
    const auto placeOf = [&](std::uint64_t key) {
        return static_cast<std::size_t>(std::lower_bound(sorted.key.begin(), sorted.key.end(), key) - sorted.key.begin());
    };
    parallelFor(met.size(), threads, kEnergyGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            const Double4& own = sorted.at[i];
            const std::uint64_t row = cellRow(sorted.key[i]), cell = cellOfRow(sorted.key[i]);
            // Bodies of later rows add the pair from their side.
            for (int which = 0; which <= kCellRows / 2; ++which) {
                const std::uint64_t key = neighbourRow(row, which) << kCellBits;
                const std::size_t end = which == kCellRows / 2 ? i : placeOf(key + cell + 2);
                for (std::size_t j = placeOf(key + cell - 1); j < end; ++j) {
                    const double dx = sorted.at[j].x - own.x, dy = sorted.at[j].y - own.y, dz = sorted.at[j].z - own.z;
                    const double squared = dx * dx + dy * dy + dz * dz;
                    met[i].energy += sorted.at[j].w * energy(squared);
                    if (own.w != 0 || sorted.at[j].w != 0) met[i].meet(squared, j);
                }
            }
            met[i].energy *= own.w;
        }
    });
    return met;
}

}  // namespace

PairSum pairsByCells(const ParticleSet& bodies, const ForceSettings& force, int threads) {
    PairTotal total;
    double perLength = cellsPerLength(force), farthest = 0;
    for (const Double4& at : bodies.position)
        farthest = std::max({farthest, std::abs(at.x), std::abs(at.y), std::abs(at.z)});
    const auto look = [&](const auto& energy) {
        const SortedBodies sorted = sortedBy(bodies.position, perLength, threads);
        for (std::size_t i = 0; PairRow met : metIn(sorted, threads, energy)) {
            met.nearest = sorted.body[met.nearest];
            total.add(met, sorted.body[i++]);
        }
    };
    withLaw<double>(force, [&](const auto& law) {
        const bool atZero = finiteAtZero(force);
        look([&](double squared) { return squared > 0 || atZero ? law.potential(squared) : 0; });
    });
    // The nearest pair may be out of reach. Widen the cells until the nearest pair found is closer than a cell.
    while (!(total.leastSquared() * perLength * perLength <= 1) && farthest * perLength > 0.5 && std::isfinite(farthest)) {
        perLength /= 2;
        look([](double) { return 0.0; });
    }
    return total.result(forceFactor(force));
}

}  // namespace gravlab
