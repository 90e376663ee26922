#include "sim/backends/cpu/aligned_array.h"
#include "sim/backends/cpu/backend_cpu.h"

#include "sim/backends/cpu/methods/tree_method.h"
#include "sim/core/work_watch.h"
#include "sim/forces/law.h"
#include "sim/measure/potential_error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

namespace gravlab {
namespace {

using namespace cpu;

/// The exact sum that the tree approximates, in its plainest form.
template <class PairLaw>
double potentialOf(const std::vector<Double4>& bodies, std::size_t target, const PairLaw& law, bool finite) {
    double sum = 0;
    const Double4& at = bodies[target];
    for (std::size_t j = 0; j < bodies.size(); ++j) {
        const double x = bodies[j].x - at.x, y = bodies[j].y - at.y, z = bodies[j].z - at.z;
        const double squared = x * x + y * y + z * z;
        if (j != target && (finite || squared > 0)) sum += bodies[j].w * law.potential(squared);
    }
    return sum;
}

/// The error relative to `whole`, the sum over all bodies, which is twice the energy.
double errorOf(const std::vector<Double4>& bodies, const TreeMethod<double>::Fields& fields, const ForceSettings& force,
               double whole) {
    constexpr double kPairs = 3e7;
    constexpr std::size_t kFewest = 32, kMost = 256, kHeaviest = 16;
    const std::size_t n = bodies.size(), heavy = std::min(n, kHeaviest);
    const auto affordable = static_cast<std::size_t>(kPairs / static_cast<double>(n));
    // A nucleus among charges has half of the energy, and a random sample hardly ever contains it.
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    const auto heavier = [&](std::uint32_t a, std::uint32_t b) {
        const double here = std::abs(bodies[a].w), there = std::abs(bodies[b].w);
        return here != there ? here > there : a < b;
    };
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(heavy), order.end(), heavier);
    const std::span<const std::uint32_t> heaviest(order.data(), heavy), others(order.data() + heavy, n - heavy);
    const std::vector<std::uint32_t> chosen = randomTargets(others.size(), std::clamp(affordable, kFewest, kMost));
    PotentialError error;
    withLaw<double>(force, [&](const auto& law) {
        const auto got = [&](std::uint32_t i) {
            return -forceFactor(force) * bodies[i].w * fields.unit * static_cast<double>(fields.field[i]);
        };
        const auto want = [&](std::uint32_t i) { return bodies[i].w * potentialOf(bodies, i, law, finiteAtZero(force)); };
        for (const std::uint32_t i : heaviest) error.addKnown(got(i), want(i));
        for (const std::uint32_t k : chosen)
            error.add(got(others[k]), want(others[k]),
                      static_cast<double>(others.size()) / static_cast<double>(chosen.size()));
    });
    return error.relative(whole);
}

PairSum sumByTree(const ParticleSet& bodies, const ForceSettings& force, double accuracy, int threads) {
    const std::size_t n = bodies.size();
    PairSum sum;
    if (n < 2) return sum;
    ThreadPool pool(threads);
    TreeMethod<double> method(TreeWalk::expansions, {.pool = pool, .simd = simdTargets().front(), .bodies = n});
    const BodyArrays<double> arrays(bodies.position);
    method.prepare({.axis = arrays.x.data(), .source = arrays.source.data(), .count = n},
                   {.settings = force, .potential = true, .allowedError = accuracy});
    constexpr double kSlice = 0.1;  // [s] between checks for a waiting caller
    while (!method.enqueue(kSlice).complete)
        if (WorkWatch::dropped()) return sum;
    const TreeMethod<double>::Fields& fields = method.fields();
    double potential = 0, least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < n; ++i) {
        potential += bodies.position[i].w * static_cast<double>(fields.field[i]);
        if (fields.neighbour[i] < 0 || !(static_cast<double>(fields.nearest[i]) < least)) continue;
        least = static_cast<double>(fields.nearest[i]);
        sum.closestFirst = static_cast<std::uint32_t>(fields.neighbour[i]);
        sum.closestSecond = static_cast<std::uint32_t>(i);
    }
    sum.potential = -0.5 * forceFactor(force) * fields.unit * potential;
    if (sum.closestFirst > sum.closestSecond) std::swap(sum.closestFirst, sum.closestSecond);
    if (std::isfinite(least)) sum.closest = distance(bodies.position[sum.closestFirst], bodies.position[sum.closestSecond]);
    sum.error = errorOf(bodies.position, fields, force, 2 * sum.potential);
    return sum;
}

}  // namespace

PairSummation pairsByTree(double accuracy) {
    return [accuracy](const ParticleSet& bodies, const ForceSettings& force, int threads) {
        return sumByTree(bodies, force, accuracy, threads);
    };
}

}  // namespace gravlab
