// A running simulation with its picture: its vertices, its renderer, and the feed of its states.
// Rule: a run knows nothing of other runs; an action on all shown runs is a loop over them.
#pragma once
#include "app/runs/state_feed.h"
#include "render/particle_buffer.h"
#include "render/particle_renderer.h"
#include "sim/run/configuration.h"
#include "sim/run/simulation.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace gravlab {

class Run {
public:
    /// With a picture it needs a current OpenGL context, and has no vertices until attach(). Without, makePicture() follows
    /// when one is wanted.
    Run(std::shared_ptr<Simulation> simulation, bool picture);

    Simulation& simulation() { return *simulation_; }
    const Simulation& simulation() const { return *simulation_; }
    StateFeed& feed() { return feed_; }
    ParticleRenderer& renderer() { return *renderer_; }
    const ParticleRenderer& renderer() const { return *renderer_; }
    ParticleBuffer& vertices() { return *vertices_; }
    const ParticleBuffer& vertices() const { return *vertices_; }
    /// Where steps store vertices; null without a picture.
    VertexSink* sink() { return vertices_.get(); }
    /// False while the OpenGL context is lost, and before the first picture is wanted.
    bool hasPicture() const { return renderer_ != nullptr; }

    /// Replaces the simulation; null in between, where there is no room for two. The picture stays.
    void take(std::shared_ptr<Simulation> simulation) { simulation_ = std::move(simulation); }
    /// Gives the backend in use vertices in memory that it writes natively, unless it has them. Throws std::runtime_error
    /// where OpenGL has no room; then the backend keeps its former vertices.
    void attach();
    /// The value that the backend stores with vertices, in those of now and of later ones.
    void show(VertexValue value);
    VertexValue shown() const { return value_; }
    /// Whether vertices are copied through the host; returns true where that changes.
    bool copyVertices(bool wanted);
    /// Stores the last complete step; does nothing without a picture.
    void publish() {
        if (vertices_) simulation_->publish(*vertices_);
    }
    /// Appends the last complete step to the trails within a frame, without a picture of it. Does nothing where the backend
    /// writes to a device.
    void recordTrailWithin(const Look& look, std::size_t within);

    /// Releases all OpenGL objects while their context is still current, because that context is being lost.
    void dropPicture();
    /// Makes the picture anew in the context that is current now, with the last complete step in it.
    void makePicture();

private:
    /// Vertices in host memory, for uses that need no picture.
    class HostVertices : public VertexSink {
    public:
        MemorySpace space() const override { return MemorySpace::host; }
        VertexSpan open(std::size_t count, void*) override {
            all.resize(count);
            return {all.data(), count};
        }
        void close(void*) override {}
        std::vector<ParticleVertex> all;
    };

    std::unique_ptr<ParticleRenderer> renderer_;
    HostVertices within_;
    std::unique_ptr<ParticleBuffer> vertices_;
    MemorySpace space_ = MemorySpace::host;
    int device_ = -1;
    bool copies_ = false;
    VertexValue value_ = VertexValue::speed;
    StateFeed feed_;
    std::shared_ptr<Simulation> simulation_;  // last: a backend lets go of the vertices before they go
};

// What a change of settings invalidates in the display of the same bodies. Rule: only that is dropped.

/// Trails are never among them: past positions stay true as long as the bodies are the same.
struct StaleParts {
    bool vertices = false;  ///< another backend has written none yet, or the values that their colours show have changed
    bool rates = false;     ///< rates of interactions and steps: another kernel computes, or the cost of a step has changed
};

/// Compares two configurations in force, of one run. A time step changes neither flag; softening and the numbers of a law
/// change values, not rates.
inline StaleParts staleAfter(const RunConfiguration& before, const RunConfiguration& now) {
    const bool backend = now.backend != before.backend || now.backendOptions != before.backendOptions;
    const bool computes = backend || now.force.precision != before.force.precision || now.force.law != before.force.law;
    return {.vertices = backend || now.force != before.force,
            .rates = computes || now.pairs().kernel != before.pairs().kernel || now.tuning != before.tuning ||
                     now.integrator != before.integrator};
}

}  // namespace gravlab
