// What a run should keep, measured beside the picture: samples of energy, momenta and shape over the run's time.
// Rule: the picture never waits for a sum. A sample is a copy of one complete step. The device sums it beside its steps;
// where the backend does not measure, a thread of its own does.
#pragma once
#include "app/runs/sampler.h"
#include "app/runs/virial_check.h"
#include "app/services/service.h"
#include "sim/measure/diagnostics.h"
#include "sim/run/simulation.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gravlab {

/// Relative energy changes beyond which a run is doubtful, and beyond which it is wrong.
constexpr double kDoubtfulChange = 1e-3, kWrongChange = 1e-1;

/// Measurements of one complete step.
struct ConservationPoint {
    std::int64_t step = 0;
    double time = 0;      ///< [T]
    double change = 0;    ///< (E - E0) / |E0|; where E0 is 0, over the kinetic energy of the start
    double momentum = 0;  ///< |P - P0| over mass times rms speed of the start
    double spin = 0;      ///< |L - L0| over the sum of |m x v| of the start, or over |L0| where that is more
    double floor = 0;     ///< estimated error of the energy, in the unit of `change`; 0: rounding
    double virial = 0;    ///< see virialOf()
    Shape shape{};
};

/// A change of a parameter during the run.
struct ConservationMark {
    double time = 0;
    std::string what;  ///< "dt 0.01", "leapfrog"
    std::int64_t step = 0;
    bool rebases = false;  ///< the definition of the energy changed
};

/// -K / W; NaN where forces beside those of the pair law act.
double virialOf(const Diagnostics& found, const RunConfiguration& of);

/// Measured change of the half-mass radius of a single system, one dynamical time after the start, from samples of the run;
/// empty before.
std::optional<double> measuredDrift(std::span<const VirialState> start, std::span<const ConservationPoint> points);

/// How a window sums the pairs of this run on the host: by default as its forces are computed. Where these are all pairs in
/// single precision, large N is summed in single precision, too. Null: all pairs in double.
PairSummation watchedPairs(const RunConfiguration& configuration);

class ConservationMonitor : public Service {
public:
    ConservationMonitor();

    /// Limit of the host's sum over all pairs: for more bodies one sum occupies a core for many seconds, so samples would be
    /// minutes apart. Backends that measure have a limit of their own.
    static constexpr std::size_t kMostBodies = 65536;
    /// The same for laws whose pairs may be in single precision, as they are beyond kMostInDouble bodies.
    static constexpr std::size_t kMostInSingle = 262144, kMostInDouble = 16384;
    /// The same where a tree or cells sum them: one sum occupies a core for half a minute.
    static constexpr std::size_t kMostByTree = 16777216;

    /// Takes a finished sample and starts the next when it is due. Call once a frame. On a device it costs at most a
    /// fiftieth of its time and copies no bodies to the host. On the host it costs a state of `feed` when a sample is due,
    /// and at most a twentieth of one core. `now`: host clock [s].
    void update(Simulation& simulation, StateFeed& feed, double now);
    /// Measures the present step at once, for the largest change and, where there is none yet, for the start. For few
    /// bodies, between the steps of a frame.
    void watchStep(Simulation& simulation);
    void follow(const RunHost& runs) override;
    void advance(const ServiceFrame& frame) override;
    void readFacts(RunFacts& facts) const override;

    /// The run was put to an earlier or later step of its own. Drops what was measured after that step; the start stays the
    /// reference.
    void jump(const Simulation& simulation);

    const std::vector<ConservationPoint>& points() const { return curve_.points; }
    const std::deque<ConservationMark>& marks() const { return curve_.marks; }
    /// The largest |change| since the start: of the points, and of the steps that watchStep() has seen.
    double worstChange() const { return curve_.worst; }
    /// A sample is under way, here or on a device: a frame must come to take its result.
    bool busy() const override { return pending_.has_value() || summing_.busy(); }
    /// Why there are no samples; empty when there are or will be.
    const std::string& why() const { return why_; }
    /// A sentence that advises a smaller time step or larger softening where the energy error calls for it; else empty.
    std::string advice(const RunConfiguration& now, const Integrator& integrator, const SceneUnits& units = {}) const;

private:
    /// When a state was measured.
    struct Moment {
        std::int64_t step = 0;
        double time = 0;
        double lost = 0;  ///< energy that contacts had taken
    };
    struct Sample {
        Moment at;
        Diagnostics measured;
    };
    /// What was measured of a run.
    struct Curve {
        std::vector<std::uint64_t> runs{};  ///< its numbers, as Simulation has them; undo of a new start adds one
        std::vector<ConservationPoint> points{};
        std::deque<ConservationMark> marks{};
        std::optional<Diagnostics> reference{};  ///< of the start; its energy shifts with the definition of energy
        double spinScale = 0, worst = 0, offset = 0;
        bool isOf(std::uint64_t run) const { return std::ranges::find(runs, run) != runs.end(); }
    };
    void take(const Sample& sample);
    double changeOf(const Diagnostics& found) const;
    void worsen(double change);
    void notice(const Simulation& simulation);
    void forgetUnderWay();
    void measureOnDevice(Simulation& simulation, double now, double passed);

    Curve curve_;
    std::deque<Curve> left_;  ///< of the runs before, to which undo may return; newest last
    std::string why_;
    bool rebase_ = false;                   ///< the next sample is measured under another law or softening
    std::uint64_t run_ = 0, revision_ = 0;  ///< the run and revision that were followed last
    std::uint64_t jumps_ = 0;               ///< of the runs
    RunConfiguration followed_;
    double lookedAt_ = 0;
    std::int64_t watchedStep_ = -1;  ///< step of the last watchStep()
    // State of the measurement on the device, and when the next one is due.
    std::optional<Moment> pending_;
    std::int64_t lastStep_ = -1;
    double nextAt_ = 0;
    Sampler<SameQuestion, Sample> summing_;
};

}  // namespace gravlab
