// A question about the units of bodies whose file states none. Rule: only ask; never convert by a guess.
#include "sim/core/random.h"
#include "sim/core/text.h"
#include "sim/io/formats/units.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace gravlab {
namespace {

// The ratio is 1/2 in balance. A start at rest, or an expanding one, may be far from it, but hardly as far as these limits.
constexpr double kBalance = 0.5, kLowest = 5e-3, kHighest = 1e3;
// A suitable system of units brings the ratio this close to balance.
constexpr double kNear = 30;
constexpr std::size_t kAllPairs = 1024, kHeavy = 16, kSampledPairs = std::size_t{1} << 19;

double pairEnergy(const ParticleSet& bodies, std::size_t i, std::size_t j) {
    const double apart = length(xyz(bodies.position[i]) - xyz(bodies.position[j]));
    return apart > 0 ? bodies.position[i].w * bodies.position[j].w / apart : 0;
}

/// The sum of m m / r over all pairs: exact for few bodies; for many, the pairs of the heaviest bodies and a sample of the
/// others.
double bindingEnergy(const ParticleSet& bodies) {
    const std::size_t n = bodies.size();
    double sum = 0;
    if (n <= kAllPairs) {
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < i; ++j) sum += pairEnergy(bodies, i, j);
        return sum;
    }
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::nth_element(order, order.begin() + kHeavy, std::greater(),
                             [&](std::uint32_t i) { return bodies.position[i].w; });
    for (std::size_t a = 0; a < kHeavy; ++a)
        for (std::size_t b = a + 1; b < n; ++b) sum += pairEnergy(bodies, order[a], order[b]);
    const double rest = static_cast<double>(n - kHeavy);
    const auto any = [&](Random& random) {
        return order[kHeavy + std::min(static_cast<std::size_t>(random.uniform() * rest), n - kHeavy - 1)];
    };
    Random random(1);
    double sampled = 0;
    std::size_t pairs = 0;
    for (std::size_t k = 0; k < kSampledPairs; ++k) {
        const std::size_t i = any(random), j = any(random);
        if (i == j) continue;
        sampled += pairEnergy(bodies, i, j);
        ++pairs;
    }
    return sum + sampled / static_cast<double>(std::max<std::size_t>(pairs, 1)) * 0.5 * rest * (rest - 1);
}

double kineticEnergy(const ParticleSet& bodies) {
    double mass = 0, sum = 0;
    Vec3d drift{};
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        mass += bodies.position[i].w;
        drift += bodies.position[i].w * xyz(bodies.velocity[i]);
    }
    if (!(mass > 0)) return 0;
    drift /= mass;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const Vec3d v = xyz(bodies.velocity[i]) - drift;
        sum += 0.5 * bodies.position[i].w * dot(v, v);
    }
    return sum;
}

}  // namespace

std::string radiiDoubt(const Snapshot& snapshot) {
    constexpr std::size_t kPairs = 10'000'000, kFewest = 16;
    const ParticleSet& bodies = snapshot.bodies;
    const std::size_t n = bodies.surface.size(),
                      stride = std::max<std::size_t>(n / std::max(kPairs / std::max<std::size_t>(n, 1), kFewest), 1);
    std::size_t larger = 0, looked = 0;
    for (std::size_t i = 0; i < n; i += stride, ++looked) {
        double nearest = INFINITY;
        for (std::size_t j = 0; j < n; ++j) {
            const Vec3d apart = xyz(bodies.position[i]) - xyz(bodies.position[j]);
            if (j != i) nearest = std::min(nearest, dot(apart, apart));
        }
        larger += bodies.surface[i].radius * bodies.surface[i].radius > nearest;
    }
    if (larger == 0) return {};
    const std::string unit = snapshot.fileUnits.length;
    return "of " + std::to_string(looked) + " bodies " + std::to_string(larger) +
           " have radii beyond the nearest body: are radii and places both in " + (unit.empty() ? "one unit" : unit) + "?";
}

UnitsDoubt unitsDoubt(const Snapshot& snapshot) {
    const ParticleSet& bodies = snapshot.bodies;
    const bool stated = !snapshot.fileUnits.plain() || snapshot.fileUnits.named() || snapshot.units != "G = 1";
    const bool charges = std::ranges::any_of(bodies.position, [](const Double4& p) { return p.w < 0; });
    if (stated || charges || snapshot.isCheckpoint() || !snapshot.knowsVelocities || bodies.size() < 2) return {};
    const double ratio = kineticEnergy(bodies) / bindingEnergy(bodies);
    if (!std::isfinite(ratio) || !(ratio > 0) || (ratio >= kLowest && ratio <= kHighest)) return {};
    const UnitSystem* best = nullptr;
    const auto away = [&](const UnitSystem& system) { return std::abs(std::log(ratio / system.gravity / kBalance)); };
    for (const UnitSystem& system : unitSystems())
        if (!system.lengthName.empty() && away(system) < std::log(kNear) && (!best || away(system) < away(*best)))
            best = &system;
    const std::string start = formatted("far from balance (kinetic/potential %.2g): ", ratio);
    UnitsDoubt doubt{.question = start, .units = {}};
    if (!best) {
        doubt.question += "which units are these? Give --units or --G";
        return doubt;
    }
    doubt.units = best->name;
    doubt.question += "are these " + std::string(best->lengthName) + ", " + std::string(best->velocityName) + ", " +
                      std::string(best->massName) + "? --units " + doubt.units;
    return doubt;
}

}  // namespace gravlab
