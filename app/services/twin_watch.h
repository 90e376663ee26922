// Measures a pair of runs while both go on: the gap body by body, and both energies, over their common times.
// Rule: the picture never waits for a sum; very many bodies are sampled, and it says so.
#pragma once
#include "app/services/divergence.h"
#include "app/session/twin_run.h"
#include "render/vertex_sample.h"

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gravlab {

class TwinWatch {
public:
    /// Above this bodies are sampled from the picture's vertices, and energies are not summed.
    static constexpr std::size_t kMostBodies = 32768;

    TwinWatch();
    ~TwinWatch();
    /// Another start: everything is forgotten.
    void restart(Simulation& first, Simulation& twin);
    /// A setting of one of the runs was changed: a mark in the plot. Where that changed what energy is, the count of lost
    /// energy goes on from where it was.
    void mark(const Simulation& first, const Simulation& twin);

    /// Whether a common time would be measured now. Real time: host clock [s]; else by frames.
    bool due(double now, bool realTime) const;
    /// Measures; both runs are at one time. Where bodies are sampled, `here` and `there` hold what is drawn of that time.
    void measure(Simulation& first, Simulation& twin, const ParticleBuffer& here, const ParticleBuffer& there, double now,
                 bool realTime);
    /// Takes up what has finished. Once a frame.
    void look(double now, bool realTime);

    /// The OpenGL context goes: samples of vertices end.
    void forgetPicture() { vertices_.reset(); }

    const Divergence& curve() const { return curve_; }
    const std::vector<double>& changes() const { return changes_; }
    /// How many bodies are compared, where it is not all of them; else empty.
    const std::string& sampling() const { return sampling_; }

private:
    struct Sample {
        DivergencePoint point;
        std::optional<double> energy, twinEnergy;
        double seconds = 0;
    };
    /// Energy of the start, and what a change of its definition has shifted.
    struct EnergyCount {
        std::optional<double> reference;
        double offset = 0, last = 0;
        bool rebase = false;
        double change(double energy);
    };
    static Sample measured(const ParticleSet& here, const ParticleSet& there, const ForceSettings& force,
                           const ForceSettings& twinForce, double time, int threads);
    void take(const Sample& sample, double now);
    void takeVertices(bool wait);

    Divergence curve_;
    std::vector<double> changes_;
    std::string sampling_;
    EnergyCount energy_, twinEnergy_;
    ForceSettings force_, twinForce_;
    std::future<Sample> running_;
    bool stale_ = false;  ///< the sample under way belongs to a start that is gone
    std::unique_ptr<VertexSample> vertices_;
    double vertexTime_ = 0, lastTime_ = DivergencePoint::kUnknown, nextAt_ = 0;
    std::size_t bodies_ = 0;
    std::int64_t frame_ = 0, nextFrame_ = 0;
};

}  // namespace gravlab
