#include "sim/measure/pair_sum.h"

#include "sim/core/thread_pool.h"
#include "sim/forces/cell_grid.h"
#include "sim/forces/law.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace gravlab {
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
    // The nearest pair may be out of reach. Widen the cells until the nearest pair found is closer than a cell, so that no
    // closer one was missed.
    while (!(total.leastSquared() * perLength * perLength <= 1) && farthest * perLength > 0.5 && std::isfinite(farthest)) {
        perLength /= 2;
        look([](double) { return 0.0; });
    }
    PairSum sum = total.result(forceFactor(force));
    if (sum.closestFirst > sum.closestSecond) std::swap(sum.closestFirst, sum.closestSecond);
    return sum;
}

}  // namespace gravlab
