#include "app/runs/run.h"

#include <utility>

namespace gravlab {

Run::Run(std::shared_ptr<Simulation> simulation, bool picture) : simulation_(std::move(simulation)) {
    if (picture) renderer_ = std::make_unique<ParticleRenderer>();
}

void Run::attach() {
    if (!renderer_) return simulation_->backend().setVertexValue(value_);
    const MemorySpace space = simulation_->backend().vertexSpace();
    const int device = simulation_->configuration().backendOptions.device;
    if (!vertices_ || space != space_ || (space != MemorySpace::host && device != device_)) {
        vertices_ = makeParticleBuffer(space, device);
        space_ = space;
        device_ = device;
        vertices_->copies(copies_);
    }
    simulation_->backend().setVertexValue(value_);
}

void Run::show(VertexValue value) {
    value_ = value;
    simulation_->backend().setVertexValue(value);
}

bool Run::copyVertices(bool wanted) {
    if (wanted == copies_) return false;
    copies_ = wanted;
    if (vertices_) vertices_->copies(wanted);
    return vertices_ != nullptr;
}

void Run::dropPicture() {
    simulation_->backend().wait();  // no step may still write into vertices that are about to be freed
    vertices_.reset();
    renderer_.reset();
}

void Run::makePicture() {
    renderer_ = std::make_unique<ParticleRenderer>();
    attach();
    publish();
}

void Run::recordTrailWithin(const Look& look, std::size_t within) {
    if (!renderer_ || simulation_->backend().vertexSpace() != MemorySpace::host) return;
    simulation_->publish(within_);
    renderer_->recordTrail(within_.all, look, within);
}

}  // namespace gravlab
