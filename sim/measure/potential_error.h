// Error of a sum of potentials, estimated from some random bodies.
#pragma once
#include <algorithm>
#include <cmath>

namespace gravlab {

/// Accuracy of the walk for the energy, where forces keep `accuracy`. Errors of cells in the potential have one sign and do
/// not average out. At the forces' own accuracy they are 3e-5 of a sphere's potential, while a run is judged by changes of
/// 1e-3. For a row with an opening angle the accuracy is a bound of the worst errors of some bodies.
inline double accuracyOfEnergy(double accuracy) { return std::clamp(0.1 * std::min(accuracy, 1e-3), 1e-5, 1e-3); }

/// Adds bodies whose part of the energy is known in fp64.
class PotentialError {
public:
    /// `weight`: number of bodies that this random body stands for.
    void add(double got, double want, double weight = 1) {
        addKnown(weight * got, weight * want);
        squares_ += weight * weight * (got - want) * (got - want);
    }
    /// Adds a body that was not chosen at random, and stands for itself alone.
    void addKnown(double got, double want) {
        const double difference = got - want;
        differences_ += difference;
        whole_ += want;
        finite_ = finite_ && std::isfinite(difference);
    }
    /// Relative error of the sum over all bodies: the mean error of the added bodies, and its statistical error in a sample
    /// of this size. `whole`: the sum over all, where it is known. Infinite where one of the numbers is not finite.
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
