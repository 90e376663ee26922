#include "app/runs/twin_monitor.h"
#include "app/tables/format.h"

#include "sim/backends/backend.h"
#include "sim/measure/diagnostics.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gravlab {
namespace {

constexpr double kTwinInterval = 0.2,
                 kFewTwinInterval = 1.0 / 30;  // [s] least interval between samples; the second for small N
constexpr std::size_t kFew = 256;              // bodies whose sums take a negligible time
constexpr std::size_t kMostChanges = 64;

/// Whether the two runs define energy differently.
bool another(const ForceSettings& a, const ForceSettings& b) {
    ForceSettings same = a;
    same.precision = b.precision;
    return !(same == b);
}

/// Frames of a film between two samples. It depends on N alone, so that a film is the same at any speed of the machine.
std::int64_t filmStride(std::size_t bodies) {
    if (bodies > TwinMonitor::kMostBodies) return 1;
    const double sums = static_cast<double>(bodies) / 1024;
    return std::clamp<std::int64_t>(std::llround(sums * sums), 1, 60);
}

}  // namespace

double TwinMonitor::EnergyCount::change(double energy) {
    if (!reference) reference = energy;
    const double scale = *reference != 0 ? std::abs(*reference) : 1;
    double now = (energy - *reference) / scale + offset;
    if (rebase) {
        offset += last - now;
        now = last;
    }
    rebase = false;
    return last = now;
}

void TwinMonitor::restart(const FedState& start, const Simulation& twin) {
    bodies_ = start.bodies();
    curve_.restart(spread(start.state.bodies));
    changes_.clear();
    energy_ = twinEnergy_ = {};
    force_ = start.force;
    twinForce_ = twin.force();
    forgetUnderWay();
    frame_ = nextFrame_ = 0;
    sampling_.clear();
    if (!sampled()) return;
    const std::string text = formatted("%zu of %zu bodies, in single precision; energies are not summed",
                                       std::min(bodies_, VertexSample::kBodies), bodies_);
    sampling_ = text;
}

void TwinMonitor::forgetUnderWay() {
    summing_.restart();
    vertices_.reset();
    lastTime_ = DivergencePoint::kUnknown;
    vertexAt_ = 0;
}

void TwinMonitor::jump(const Simulation& first, const Simulation& twin) {
    forgetUnderWay();
    const double now = first.time(), way = first.configuration().timeStep;
    const auto later = [&](double time) { return (time - now) * way > 0; };
    curve_.dropAfter(now, way);
    std::erase_if(changes_, later);
    energy_.rebase |= another(force_, first.force());
    twinEnergy_.rebase |= another(twinForce_, twin.force());
    force_ = first.force();
    twinForce_ = twin.force();
    if (curve_.points().empty()) return;
    const DivergencePoint& last = curve_.points().back();
    if (!std::isnan(last.change)) energy_.last = last.change;
    if (!std::isnan(last.twinChange)) twinEnergy_.last = last.twinChange;
}

void TwinMonitor::mark(const Simulation& first, const Simulation& twin) {
    const double time = first.time();
    if (!curve_.points().empty() && (changes_.empty() || changes_.back() != time)) changes_.push_back(time);
    if (changes_.size() > kMostChanges) changes_.erase(changes_.begin());
    energy_.rebase |= energy_.reference && another(force_, first.force());
    twinEnergy_.rebase |= twinEnergy_.reference && another(twinForce_, twin.force());
    force_ = first.force();
    twinForce_ = twin.force();
}

bool TwinMonitor::due(double now, bool realTime) const {
    if (summing_.busy() || (vertices_ && vertices_->underWay())) return false;
    if (!realTime) return frame_ >= nextFrame_;
    return sampled() ? now >= vertexAt_ : !summing_.rests(now);
}

TwinMonitor::Sample TwinMonitor::measured(const SampledState& both, const Question& question) {
    const FedState &here = *both, &there = *both.second;
    const auto energy = [&](const FedState& state) {
        return measureSystem(state.state.bodies, termsOf(state.force, state.state.others), question.threads).energy();
    };
    Sample sample;
    sample.point.time = here.time();
    sample.point.apart = separation(here.state.bodies, there.state.bodies);
    sample.energy = energy(here);
    sample.twinEnergy = energy(there);
    return sample;
}

void TwinMonitor::look(const Side& first, const Side& twin, double now, bool realTime, bool wanted) {
    // A GPU leaves the host's cores free; the CPU backend needs them.
    const auto onDevice = [](const Simulation& run) { return backend(run.configuration().backend).onDevice; };
    const bool coresFree = !realTime || (onDevice(first.simulation) && onDevice(twin.simulation)), few = bodies_ <= kFew;
    const Question question{few || !coresFree ? 1 : 0};
    const SampledRun second{twin.simulation, twin.feed};
    const SampledFrame at{first.simulation, first.feed, now, !realTime || few, &second};
    summing_.pace().interval = few ? kFewTwinInterval : kTwinInterval;
    if (const std::optional<Sample> sample = summing_.update(at, &question, wanted)) take(*sample);
}

void TwinMonitor::measure(const Side& first, const Side& twin, double now, bool realTime) {
    if (first.simulation.time() == lastTime_) return;
    if (sampled()) {
        if (!vertices_) vertices_ = std::make_unique<VertexSample>();
        vertexTime_ = first.simulation.time();
        vertexAt_ = now + kTwinInterval;
        vertices_->ask(first.vertices, &twin.vertices);
        if (!realTime) takeVertices(true);
    } else {
        look(first, twin, now, realTime, true);
        if (summing_.step() != first.simulation.step()) return;  // a copy of either run is under way
    }
    lastTime_ = first.simulation.time();
    nextFrame_ = frame_ + filmStride(bodies_);
}

void TwinMonitor::take(const Sample& sample) {
    DivergencePoint point = sample.point;
    point.change = energy_.change(sample.energy);
    point.twinChange = twinEnergy_.change(sample.twinEnergy);
    curve_.add(point);
}

void TwinMonitor::takeVertices(bool wait) {
    std::vector<ParticleVertex> mine, others;
    if (!vertices_ || !vertices_->take(mine, &others, wait)) return;
    ParticleSet here, there;
    for (const auto& [from, to] : {std::pair(&mine, &here), std::pair(&others, &there)})
        for (const ParticleVertex& v : *from)
            to->position.push_back({static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z), 0});
    curve_.add({.time = vertexTime_, .apart = separation(here, there)});
}

void TwinMonitor::update(const Side& first, const Side& twin, double now, bool realTime) {
    ++frame_;
    takeVertices(false);
    if (!sampled()) look(first, twin, now, realTime, false);
}

}  // namespace gravlab
