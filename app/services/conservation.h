// What a run should keep, measured beside the picture: samples of energy, momenta and shape over the run's time.
// Rule: the picture never waits for a sum; a sample is a copy of one complete step, summed by the device beside its steps,
// or where the backend does not measure, on a thread of its own.
#pragma once
#include "app/services/sampler.h"
#include "sim/measure/diagnostics.h"
#include "sim/run/simulation.h"

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace gravlab {

/// Relative energy changes from which a run is doubtful, and from which it is wrong.
constexpr double kDoubtfulChange = 1e-3, kWrongChange = 1e-1;

/// One complete step, measured.
struct ConservationPoint {
    std::int64_t step = 0;
    double time = 0;      ///< [T]
    double change = 0;    ///< (E - E0) / |E0|; where E0 is 0, over the kinetic energy of the start
    double momentum = 0;  ///< |P - P0| over mass times rms speed of the start
    double spin = 0;      ///< |L - L0| over the sum of |m x v| of the start, or over |L0| where that is more
    double floor = 0;     ///< what the energy's error is to be taken for, in the unit of `change`; 0: rounding
    double virial = 0;    ///< -K / W
    Shape shape{};
};

/// Where a parameter was changed while the run went on.
struct ConservationMark {
    double time = 0;
    std::string what;  ///< "dt 0.01", "leapfrog"
    std::int64_t step = 0;
    bool rebases = false;  ///< what energy is was changed
};

/// How a window sums the pairs of such a run on the host: as its forces are computed; where these are all pairs in single
/// precision, and many, in single precision, too. Null: all of them in double.
PairSummation watchedPairs(const RunConfiguration& configuration);

class ConservationMonitor {
public:
    ConservationMonitor();

    /// On the host: one sum over all pairs of more bodies takes a core for many seconds, and could be had every few minutes
    /// only. Backends that measure have a limit of their own.
    static constexpr std::size_t kMostBodies = 65536;
    /// The same of laws whose pairs may be in single precision, as those of more than kMostInDouble then are.
    static constexpr std::size_t kMostInSingle = 262144, kMostInDouble = 16384;
    /// The same where a tree or cells sum them: one sum takes a core for half a minute.
    static constexpr std::size_t kMostByTree = 16777216;

    /// Takes up a finished sample and starts the next when it is due. Call once a frame. On a device it costs at most a
    /// fiftieth of its time, and no copy of bodies to the host; on the host a state of `feed` when a sample is due, and
    /// never more than a twentieth of one core besides. `now`: host clock [s].
    void update(Simulation& simulation, StateFeed& feed, double now);

    /// The run was put to an earlier (or later) step of its own: what was measured behind that step is dropped, the start
    /// stays the reference.
    void jump(const Simulation& simulation);

    const std::vector<ConservationPoint>& points() const { return points_; }
    const std::deque<ConservationMark>& marks() const { return marks_; }
    /// The largest |change| since the start.
    double worstChange() const { return worst_; }
    /// A sample is on its way, here or on a device: what it finds is taken by a frame.
    bool busy() const { return pending_.has_value() || summing_.busy(); }
    /// Why there are no samples; empty when there are or will be.
    const std::string& why() const { return why_; }
    /// A sentence with a smaller time step or larger softening, where the energy asks for it; else empty.
    std::string advice(const RunConfiguration& now, const Integrator& integrator, const SceneUnits& units = {}) const;

private:
    /// When a state was measured, and what was found.
    struct Moment {
        std::int64_t step = 0;
        double time = 0;
    };
    struct Sample {
        Moment at;
        Diagnostics measured;
    };
    void take(const Sample& sample);
    void follow(const Simulation& simulation);
    void forgetUnderWay();
    void measureOnDevice(Simulation& simulation, double now, double passed);

    std::vector<ConservationPoint> points_;
    std::deque<ConservationMark> marks_;
    std::string why_;
    std::optional<Diagnostics> reference_;  ///< of the start; its energy moves with the definition of energy
    double spinScale_ = 0, worst_ = 0, offset_ = 0;
    bool rebase_ = false;                   ///< the next sample is measured under another law or softening
    std::uint64_t run_ = 0, revision_ = 0;  ///< that was followed last
    RunConfiguration followed_;
    double lookedAt_ = 0;
    // What the device is at, and when the next is due.
    std::optional<Moment> pending_;
    std::int64_t lastStep_ = -1;
    double nextAt_ = 0;
    Sampler<SameQuestion, Sample> summing_;
};

}  // namespace gravlab
