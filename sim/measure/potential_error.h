// What a sum of potentials is wrong by, as some bodies at random say.
#pragma once
#include <algorithm>
#include <cmath>

namespace gravlab {

/// What the walk for the energy is made with where forces keep `accuracy`. What cells leave out of potentials lies on one
/// side and does not average away: at the forces' own, three parts in 100,000 of a sphere's potential, while a run is
/// judged by changes of a thousandth. A row that goes by an angle says how far some bodies are off at worst.
inline double accuracyOfEnergy(double accuracy) { return std::clamp(0.1 * std::min(accuracy, 1e-3), 1e-5, 1e-3); }

/// Adds up bodies whose share of the energy is known in fp64.
class PotentialError {
public:
    /// `weight`: how many bodies it stands for, of which it was chosen at random.
    void add(double got, double want, double weight = 1) {
        addKnown(weight * got, weight * want);
        squares_ += weight * weight * (got - want) * (got - want);
    }
    /// One that was not chosen at random, and stands for itself alone.
    void addKnown(double got, double want) {
        const double difference = got - want;
        differences_ += difference;
        whole_ += want;
        finite_ = finite_ && std::isfinite(difference);
    }
    /// Of the sum over all bodies, relative: how far those that were added are on one side, and what chance leaves of that
    /// in so few. `whole`: the sum over all, where it is known. Infinite where one of them is no number.
    double relative(double whole = 0) const {
        if (!finite_) return INFINITY;
        const double wrong = std::abs(differences_) + std::sqrt(squares_);
        return wrong > 0 ? wrong / std::abs(whole != 0 ? whole : whole_) : 0;
    }

private:
    double differences_ = 0, squares_ = 0, whole_ = 0;
    bool finite_ = true;
};

}  // namespace gravlab
