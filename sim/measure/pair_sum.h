// The energy of all pairs, and of one body: what measures them on the host. Rule: fp64 sums in an order of their own, so
// that threads change no bit. A row of a tree brings its own, see sim/backends/cpu/backend_cpu.h.
#pragma once
#include "sim/core/particles.h"
#include "sim/forces/force_settings.h"
#include "sim/forces/force_term.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace gravlab {

/// What a sum over pairs gives: once each, none of a body with itself.
struct PairSum {
    double potential = 0;  ///< [M L^2/T^2]
    double error = 0;      ///< see Diagnostics::potentialError
    double closest = 0;
    std::uint32_t closestFirst = 0, closestSecond = 0;
};
/// A way to sum the pairs of a law, on so many threads (0 = all), which it waits for. The same bits for any number of
/// threads.
using PairSummation = std::function<PairSum(const ParticleSet& bodies, const ForceSettings& force, int threads)>;

/// All of them in fp64, O(N^2). Pairs at distance 0 count where their energy is finite. Ends early, with any numbers, where
/// WorkWatch::dropped() says that nobody wants them.
PairSum allPairs(const ParticleSet& bodies, const ForceSettings& force, int threads);

/// Whether a law's pairs keep their energy in single precision.
bool singleEnergy(const ForceSettings& force);
/// All pairs in single precision, 64 sources at a time, and these in double: where fp64 would take minutes beside a picture.
/// Pairs so near that rounding of places would show are in double. Some bodies at random are compared with fp64, which gives
/// PairSum::error. Of laws that singleEnergy() names.
PairSum pairsInSingle(const ParticleSet& bodies, const ForceSettings& force, int threads);

/// All pairs that have an energy, in fp64, under a law that ends, see LawRow::reach: O(N) at the density of a liquid.
PairSum pairsByCells(const ParticleSet& bodies, const ForceSettings& force, int threads);

/// What such sums have of one body: its energy with some others, and the nearest of them.
struct PairRow {
    double energy = 0;
    double squared = std::numeric_limits<double>::infinity();  ///< of the distance to the nearest
    std::size_t nearest = 0;

    void meet(double squaredDistance, std::size_t body) {
        if (!(squaredDistance < squared)) return;
        squared = squaredDistance;
        nearest = body;
    }
};
/// Adds rows up, in order.
class PairTotal {
public:
    void add(const PairRow& row, std::size_t body) {
        energy_ += row.energy;
        if (!(row.squared < least_)) return;
        least_ = row.squared;
        first_ = static_cast<std::uint32_t>(row.nearest);
        second_ = static_cast<std::uint32_t>(body);
    }
    double leastSquared() const { return least_; }
    /// `factor`: see forceFactor().
    PairSum result(double factor) const {
        return {.potential = factor * energy_ + 0.0,  // no -0 of bodies that do not pull
                .closest = std::isfinite(least_) ? std::sqrt(least_) : 0,
                .closestFirst = first_,
                .closestSecond = second_};
    }

private:
    double energy_ = 0, least_ = std::numeric_limits<double>::infinity();
    std::uint32_t first_ = 0, second_ = 0;
};

/// Of one body among others: v^2 / 2 + k_i sum_j s_j potential(r_ij) [L^2/T^2], and what it has in the terms beside the pair
/// law: kinetic energy and the energy of all its pairs and bonds, over its mass. O(N), in fp64. `response` stands in for
/// that of a body that is held. Bodies at one place without a finite energy have none.
double specificEnergy(const ParticleSet& bodies, std::size_t index, const ForceTerms& terms, double response);
/// Whether a body of that energy can never go to infinity: it is negative, or the potential grows without end.
bool isBound(double specificEnergy, const ForceSettings& force);

}  // namespace gravlab
