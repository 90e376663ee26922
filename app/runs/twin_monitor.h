// Measures a pair of runs while both continue: the gap body by body, and both energies, at their common times.
// Rule: the picture never waits for a sum; very many bodies are sampled, and the display says so.
#pragma once
#include "app/runs/divergence.h"
#include "app/runs/sampler.h"
#include "app/runs/twin_run.h"
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
    void update(const Side& first, const Side& twin, double now, bool realTime);

    /// The OpenGL context is being lost: samples of vertices end.
    void forgetPicture() { vertices_.reset(); }

    const Divergence& curve() const { return curve_; }
    const std::vector<double>& changes() const { return changes_; }
    /// Says how many bodies are compared, where not all are; else empty.
    const std::string& sampling() const { return sampling_; }

private:
    struct Sample {
        DivergencePoint point;
        double energy = 0, twinEnergy = 0;
    };
    /// How the energies of both are summed.
    struct Question {
        int threads = 0;
        bool operator==(const Question&) const = default;
    };
    /// Energy of the start, and the shift from changes of its definition.
    struct EnergyCount {
        std::optional<double> reference;
        double offset = 0, last = 0;
        bool rebase = false;
        double change(double energy);
    };
    static Sample measured(const SampledState& both, const Question& question);
    bool sampled() const { return bodies_ > kMostBodies; }
    void look(const Side& first, const Side& twin, double now, bool realTime, bool wanted);
    void forgetUnderWay();
    void take(const Sample& sample);
    void takeVertices(bool wait);

    Divergence curve_;
    std::vector<double> changes_;
    std::string sampling_;
    EnergyCount energy_, twinEnergy_;
    ForceSettings force_, twinForce_;
    static constexpr double kShareOfACore = 0.05;  ///< largest fraction of a core for sums
    Sampler<Question, Sample> summing_{
        {.shareOfACore = kShareOfACore},
        [](const auto& both, const Question& question, const auto&) { return measured(both, question); }};
    std::unique_ptr<VertexSample> vertices_;
    double vertexTime_ = 0, lastTime_ = DivergencePoint::kUnknown;
    double vertexAt_ = 0;  ///< when vertices may be sampled again
    std::size_t bodies_ = 0;
    std::int64_t frame_ = 0, nextFrame_ = 0;
};

}  // namespace gravlab
