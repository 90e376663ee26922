// Measures a pair of runs while both continue: the gap body by body, and both energies, at their common times.
// Rule: the picture never waits for a sum; very many bodies are sampled, and the display says so.
#pragma once
#include "app/services/divergence.h"
#include "app/services/state_feed.h"
#include "app/services/twin_run.h"
#include "app/system/worker.h"
#include "render/vertex_sample.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gravlab {

class TwinMonitor {
public:
    /// Above this number bodies are sampled from the picture's vertices, and energies are not summed.
    static constexpr std::size_t kMostBodies = 32768;

    TwinMonitor();
    ~TwinMonitor();
    /// Another start: forgets everything. `start`: the first run's.
    void restart(const FedState& start, const Simulation& twin);
    /// A setting of one of the runs was changed: the plot gets a mark. Where that changed the definition of energy, the
    /// energy error continues from its last value.
    void mark(const Simulation& first, const Simulation& twin);

    /// Both runs were put to states at other times: measurements after those are dropped.
    void jump(const Simulation& first, const Simulation& twin);

    /// Whether a common time would be measured now. Real time: host clock [s]; else the interval is in frames.
    bool due(double now, bool realTime) const;
    /// A run of a pair, with its feed, and where bodies are sampled with its vertices, which show that time.
    struct Side {
        Simulation& simulation;
        StateFeed& feed;
        const ParticleBuffer& vertices;
    };
    /// Measures the pair; both runs are at the same time. In real time more than a few bodies are measured beside the
    /// frames. Where a copy of either run is under way, a later time is measured instead.
    void measure(const Side& first, const Side& twin, double now, bool realTime);
    /// Takes finished measurements. Call once a frame, after both feeds were pumped.
    void update(double now, bool realTime);

    /// The OpenGL context is being lost: samples of vertices end.
    void forgetPicture() { vertices_.reset(); }

    const Divergence& curve() const { return curve_; }
    const std::vector<double>& changes() const { return changes_; }
    /// Says how many bodies are compared, where not all are; else empty.
    const std::string& sampling() const { return sampling_; }

private:
    struct Sample {
        DivergencePoint point;
        std::optional<double> energy, twinEnergy;
        double seconds = 0;
    };
    /// Energy of the start, and the shift from changes of its definition.
    struct EnergyCount {
        std::optional<double> reference;
        double offset = 0, last = 0;
        bool rebase = false;
        double change(double energy);
    };
    /// A common time of both runs.
    struct Pair {
        std::shared_ptr<const FedState> here{}, there{};
        int threads = 0;
    };
    static Sample measured(const Pair& pair);
    void forgetUnderWay();
    void take(const Sample& sample, double now);
    void takeVertices(bool wait);

    Divergence curve_;
    std::vector<double> changes_;
    std::string sampling_;
    EnergyCount energy_, twinEnergy_;
    ForceSettings force_, twinForce_;
    StateTicket askedHere_, askedThere_;
    Pair coming_;  ///< the next pair, as far as its states have arrived
    Worker<Pair, Sample> summing_{[](const Pair& pair, auto&) { return measured(pair); }};
    std::unique_ptr<VertexSample> vertices_;
    double vertexTime_ = 0, lastTime_ = DivergencePoint::kUnknown, nextAt_ = 0;
    std::size_t bodies_ = 0;
    std::int64_t frame_ = 0, nextFrame_ = 0;
};

}  // namespace gravlab
