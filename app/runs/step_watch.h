// What happens between the rows of a table: the largest energy change, and the closest passage of two bodies.
#pragma once
#include "sim/run/simulation.h"

#include <cstdint>
#include <functional>

namespace gravlab {

/// Follows a run of few bodies without a picture, on the host.
class StepWatch {
public:
    /// Most bodies whose energy is summed on the way, and whose pairs are followed from step to step.
    static constexpr std::size_t kMostForEnergy = 256, kMostForPairs = 64;

    /// `changeOf` gives the relative change of the energy. `pairs`: passages are followed, too.
    StepWatch(Simulation& simulation, std::function<double(const Diagnostics&)> changeOf, bool pairs);

    /// Steps until the next look(); 0: there is none.
    std::int64_t stride() const { return stride_; }
    void look();
    /// Takes a measurement of the present step into account. Its closest pair becomes the closest one since the last call,
    /// along the path of the bodies.
    void take(Diagnostics& measured);
    /// The largest |change| so far, and when it was.
    double largest() const { return largest_; }
    double largestAt() const { return largestAt_; }

private:
    void follow(const ParticleSet& bodies);
    void compare(double change);

    Simulation& simulation_;
    std::function<double(const Diagnostics&)> changeOf_;
    bool pairs_ = false;
    std::int64_t stride_ = 0, summed_ = 0;
    double largest_ = 0, largestAt_ = 0, closest_ = 0;
    ParticleSet before_, now_;
};

}  // namespace gravlab
