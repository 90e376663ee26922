#include "app/services/twin_monitor.h"

#include "app/system/host_clock.h"
#include "sim/backends/backend.h"
#include "sim/measure/diagnostics.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace gravlab {
namespace {

constexpr double kTwinInterval = 0.2,
                 kFewTwinInterval = 1.0 / 30;  // [s] least interval between samples; the second for small N
constexpr std::size_t kFew = 256;              // bodies whose sums take a negligible time
constexpr double kTwinShareOfACore = 0.05;     // largest fraction of a core for sums
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

TwinMonitor::TwinMonitor() = default;
TwinMonitor::~TwinMonitor() = default;

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
    if (bodies_ <= kMostBodies) return;
    char text[120];
    std::snprintf(text, sizeof text, "%zu of %zu bodies, in single precision; energies are not summed",
                  std::min(bodies_, VertexSample::kBodies), bodies_);
    sampling_ = text;
}

void TwinMonitor::forgetUnderWay() {
    askedHere_.drop();
    askedThere_.drop();
    coming_ = {};
    summing_.drop();
    vertices_.reset();
    lastTime_ = DivergencePoint::kUnknown;
    nextAt_ = 0;
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
    if (askedHere_.waiting() || askedThere_.waiting() || summing_.busy()) return false;
    if (vertices_ && vertices_->asked()) return false;
    return realTime ? now >= nextAt_ : frame_ >= nextFrame_;
}

TwinMonitor::Sample TwinMonitor::measured(const Pair& pair) {
    const double start = hostClock();
    const FedState &here = *pair.here, &there = *pair.there;
    Sample sample;
    sample.point.time = here.time();
    sample.point.apart = separation(here.state.bodies, there.state.bodies);
    sample.energy = measureSystem(here.state.bodies, termsOf(here.force, here.state.others), pair.threads).energy();
    sample.twinEnergy = measureSystem(there.state.bodies, termsOf(there.force, there.state.others), pair.threads).energy();
    sample.seconds = hostClock() - start;
    return sample;
}

void TwinMonitor::measure(const Side& first, const Side& twin, double now, bool realTime) {
    if (first.simulation.time() == lastTime_) return;
    // A GPU leaves the host's cores free; the CPU backend needs them.
    const auto onDevice = [](const Simulation& run) { return backend(run.configuration().backend).onDevice; };
    const bool coresFree = onDevice(first.simulation) && onDevice(twin.simulation);
    coming_ = {.threads = bodies_ <= kFew || !(coresFree || !realTime) ? 1 : 0};
    const bool beside = realTime && bodies_ > kFew;
    if (bodies_ <= kMostBodies && beside) {
        askedHere_ = first.feed.here(first.simulation);
        if (askedHere_.waiting()) askedThere_ = twin.feed.here(twin.simulation);
        if (!askedThere_.waiting()) {
            askedHere_.drop();
            return;
        }
    }
    lastTime_ = first.simulation.time();
    nextAt_ = now + (bodies_ <= kFew ? kFewTwinInterval : kTwinInterval);
    nextFrame_ = frame_ + filmStride(bodies_);
    if (bodies_ > kMostBodies) {
        if (!vertices_) vertices_ = std::make_unique<VertexSample>();
        vertexTime_ = lastTime_;
        vertices_->ask(first.vertices, &twin.vertices);
        if (!realTime) takeVertices(true);
        return;
    }
    if (beside) return;
    coming_.here = first.feed.now(first.simulation);
    coming_.there = twin.feed.now(twin.simulation);
    take(measured(std::exchange(coming_, {})), now);
}

void TwinMonitor::take(const Sample& sample, double now) {
    DivergencePoint point = sample.point;
    if (sample.energy) point.change = energy_.change(*sample.energy);
    if (sample.twinEnergy) point.twinChange = twinEnergy_.change(*sample.twinEnergy);
    nextAt_ = std::max(nextAt_, now + sample.seconds / kTwinShareOfACore);
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

void TwinMonitor::update(double now, bool realTime) {
    ++frame_;
    takeVertices(false);
    if (const std::optional<Sample> sample = summing_.poll()) take(*sample, now);
    if (auto here = askedHere_.take()) coming_.here = std::move(here);
    if (auto there = askedThere_.take()) coming_.there = std::move(there);
    if (coming_.here && coming_.there) summing_.ask(std::exchange(coming_, {}));
    if (realTime) return;
    summing_.wait();
    if (const std::optional<Sample> sample = summing_.poll()) take(*sample, now);
}

}  // namespace gravlab
