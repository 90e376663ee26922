// A running simulation with what shows it: its vertices, what draws them, and the feed of its states.
// Rule: a run knows nothing of other runs; what is done to all that are shown is a loop over them.
#pragma once
#include "app/services/state_feed.h"
#include "render/particle_buffer.h"
#include "render/particle_renderer.h"
#include "sim/run/simulation.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace gravlab {

class Run {
public:
    /// Needs a current OpenGL context. Without vertices until attach().
    explicit Run(std::shared_ptr<Simulation> simulation);

    Simulation& simulation() { return *simulation_; }
    const Simulation& simulation() const { return *simulation_; }
    StateFeed& feed() { return feed_; }
    ParticleRenderer& renderer() { return *renderer_; }
    const ParticleRenderer& renderer() const { return *renderer_; }
    ParticleBuffer& vertices() { return *vertices_; }
    const ParticleBuffer& vertices() const { return *vertices_; }
    /// False while the OpenGL context is lost.
    bool hasPicture() const { return renderer_ != nullptr; }

    /// Another simulation in its place; null in between, where there is no room for two. The picture stays.
    void take(std::shared_ptr<Simulation> simulation) { simulation_ = std::move(simulation); }
    /// Gives the backend in use vertices in memory that it writes natively, unless it has them. Throws std::runtime_error
    /// where OpenGL has no room; it then has those of before.
    void attach();
    /// What the backend stores with vertices, and with the vertices of those to come.
    void show(VertexValue value);
    VertexValue shown() const { return value_; }
    /// Whether vertices take the way through the host; true where that was another one before.
    bool copyVertices(bool wanted);
    /// Stores the last complete step.
    void publish() { simulation_->publish(*vertices_); }
    /// Appends it to the trails within a frame, without a picture of it; nothing where the backend writes to a device.
    void recordTrailWithin(const Look& look, std::size_t within);

    /// Lets go of everything of OpenGL while its context is still current: that one is lost.
    void dropPicture();
    /// Makes it anew in the context that is current now, with the last complete step in it.
    void makePicture();

private:
    /// Vertices here, for what needs no picture.
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

}  // namespace gravlab
