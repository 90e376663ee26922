// The energy of all pairs, and of one body, on the host. Rule: fp64 sums in an order of their own, so that threads change no
// bit. A row of a tree brings its own sum, see sim/backends/cpu/backend_cpu.h.
#pragma once
#include "sim/api/law.h"
#include "sim/core/particles.h"
#include "sim/forces/force_term.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace gravlab {

/// Result of a sum over pairs: each pair counts once, without self energy.
struct PairSum {
    double potential = 0;  ///< [M L^2/T^2]
    double error = 0;      ///< see Diagnostics::potentialError
    double closest = 0;
    std::uint32_t closestFirst = 0, closestSecond = 0;
};
/// A way to sum the pairs of a law, on `threads` threads (0 = all), which it waits for. Threads change no bit.
using PairSummation = std::function<PairSum(const ParticleSet& bodies, const ForceSettings& force, int threads)>;

/// All pairs in fp64, O(N^2). Pairs at distance 0 count where their energy is finite. It ends early, with arbitrary numbers,
/// when WorkWatch::dropped() says that the result is not wanted.
PairSum allPairs(const ParticleSet& bodies, const ForceSettings& force, int threads);

/// Whether a law's pairs keep their energy in single precision.
bool singleEnergy(const ForceSettings& force);
/// All pairs in single precision, 64 sources at a time; these partial sums are added in double. For N where fp64 would take
/// minutes beside a picture. Pairs so close that rounding of positions matters are in double. Some random bodies are
/// compared with fp64, which gives PairSum::error. Only for laws of singleEnergy().
PairSum pairsInSingle(const ParticleSet& bodies, const ForceSettings& force, int threads);

/// All pairs that have an energy, in fp64, under a law of finite range, see LawRow::reach: O(N) at the density of a liquid.
PairSum pairsByCells(const ParticleSet& bodies, const ForceSettings& force, int threads);

/// One body's part of such a sum: its energy with some other bodies, and the nearest of them.
struct PairRow {
    double energy = 0;
    double squared = std::numeric_limits<double>::infinity();  ///< squared distance to the nearest
    std::size_t nearest = 0;

    void meet(double squaredDistance, std::size_t body) {
        if (!(squaredDistance < squared)) return;
        squared = squaredDistance;
        nearest = body;
    }
};
/// Adds rows, in order.
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
                .closestFirst = std::min(first_, second_),
                .closestSecond = std::max(first_, second_)};
    }

private:
    double energy_ = 0, least_ = std::numeric_limits<double>::infinity();
    std::uint32_t first_ = 0, second_ = 0;
};

/// Energy of one body among others: v^2 / 2 + k_i sum_j s_j potential(r_ij) [L^2/T^2]. Terms beside the pair law add kinetic
/// energy and the energy of all its pairs and bonds, over its mass. O(N), in fp64. `response` replaces that of a held body.
/// Bodies at the same position without a finite energy add none.
double specificEnergy(const ParticleSet& bodies, std::size_t index, const ForceTerms& terms, double response);
/// Whether a body of that energy can never reach infinity: the energy is negative, or the potential grows without bound.
bool isBound(double specificEnergy, const ForceSettings& force);

}  // namespace gravlab
