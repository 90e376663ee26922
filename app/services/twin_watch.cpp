#include "app/services/twin_watch.h"

#include "app/host_clock.h"
#include "sim/measure/diagnostics.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace gravlab {
namespace {

constexpr double kInterval = 0.2, kFewInterval = 1.0 / 30;  // [s] between samples at least; of few bodies
constexpr std::size_t kFew = 256;                           // their sums take no time that could be felt
constexpr double kShareOfACore = 0.05;                      // what sums may cost
constexpr std::size_t kMostChanges = 64;

/// Whether energies of the two have different definitions.
bool another(const ForceSettings& a, const ForceSettings& b) {
    ForceSettings same = a;
    same.precision = b.precision;
    return !(same == b);
}

/// Frames of a film between two samples, by the number of bodies alone: a film is the same however fast it is made.
std::int64_t filmStride(std::size_t bodies) {
    if (bodies > TwinWatch::kMostBodies) return 1;
    const double sums = static_cast<double>(bodies) / 1024;
    return std::clamp<std::int64_t>(std::llround(sums * sums), 1, 60);
}

}  // namespace

TwinWatch::TwinWatch() = default;
TwinWatch::~TwinWatch() = default;

double TwinWatch::EnergyCount::change(double energy) {
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

void TwinWatch::restart(Simulation& first, Simulation& twin) {
    ParticleSet bodies;
    first.snapshot(bodies);
    bodies_ = bodies.size();
    curve_.restart(spread(bodies));
    changes_.clear();
    energy_ = twinEnergy_ = {};
    force_ = first.force();
    twinForce_ = twin.force();
    stale_ = running_.valid();
    vertices_.reset();
    lastTime_ = DivergencePoint::kUnknown;
    nextAt_ = 0;
    frame_ = nextFrame_ = 0;
    sampling_.clear();
    if (bodies_ <= kMostBodies) return;
    char text[120];
    std::snprintf(text, sizeof text, "%zu of %zu bodies, in single precision; energies are not summed",
                  std::min(bodies_, VertexSample::kBodies), bodies_);
    sampling_ = text;
}

void TwinWatch::mark(const Simulation& first, const Simulation& twin) {
    const double time = first.time();
    if (!curve_.points().empty() && (changes_.empty() || changes_.back() != time)) changes_.push_back(time);
    if (changes_.size() > kMostChanges) changes_.erase(changes_.begin());
    energy_.rebase |= energy_.reference && another(force_, first.force());
    twinEnergy_.rebase |= twinEnergy_.reference && another(twinForce_, twin.force());
    force_ = first.force();
    twinForce_ = twin.force();
}

bool TwinWatch::due(double now, bool realTime) const {
    if (running_.valid() || (vertices_ && vertices_->asked())) return false;
    return realTime ? now >= nextAt_ : frame_ >= nextFrame_;
}

TwinWatch::Sample TwinWatch::measured(const ParticleSet& here, const ParticleSet& there, const ForceSettings& force,
                                      const ForceSettings& twinForce, double time, int threads) {
    const double start = hostClock();
    Sample sample;
    sample.point.time = time;
    sample.point.apart = separation(here, there);
    sample.energy = gravlab::measure(here, force, threads).energy();
    sample.twinEnergy = gravlab::measure(there, twinForce, threads).energy();
    sample.seconds = hostClock() - start;
    return sample;
}

void TwinWatch::measure(Simulation& first, Simulation& twin, const ParticleBuffer& here, const ParticleBuffer& there,
                        double now, bool realTime) {
    if (first.time() == lastTime_) return;
    lastTime_ = first.time();
    nextAt_ = now + (bodies_ <= kFew ? kFewInterval : kInterval);
    nextFrame_ = frame_ + filmStride(bodies_);
    if (bodies_ > kMostBodies) {
        if (!vertices_) vertices_ = std::make_unique<VertexSample>();
        vertexTime_ = first.time();
        vertices_->ask(here, there);
        if (!realTime) takeVertices(true);
        return;
    }
    ParticleSet mine, others;
    first.snapshot(mine);
    twin.snapshot(others);
    // A GPU leaves the host's cores free; the CPU backend needs them.
    const bool cuda = first.settings().backend == "cuda" && twin.settings().backend == "cuda";
    const int threads = cuda || !realTime ? 0 : 1;
    if (!realTime || bodies_ <= kFew) {
        take(measured(mine, others, first.force(), twin.force(), lastTime_, bodies_ <= kFew ? 1 : threads), now);
        return;
    }
    running_ = std::async(std::launch::async, [mine = std::move(mine), others = std::move(others), force = first.force(),
                                               twinForce = twin.force(), time = lastTime_,
                                               threads] { return measured(mine, others, force, twinForce, time, threads); });
}

void TwinWatch::take(const Sample& sample, double now) {
    DivergencePoint point = sample.point;
    if (sample.energy) point.change = energy_.change(*sample.energy);
    if (sample.twinEnergy) point.twinChange = twinEnergy_.change(*sample.twinEnergy);
    nextAt_ = std::max(nextAt_, now + sample.seconds / kShareOfACore);
    curve_.add(point);
}

void TwinWatch::takeVertices(bool wait) {
    std::vector<ParticleVertex> mine, others;
    if (!vertices_ || !vertices_->take(mine, others, wait)) return;
    ParticleSet here, there;
    for (const auto& [from, to] : {std::pair(&mine, &here), std::pair(&others, &there)})
        for (const ParticleVertex& v : *from)
            to->position.push_back({static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z), 0});
    curve_.add({.time = vertexTime_, .apart = separation(here, there)});
}

void TwinWatch::look(double now, bool realTime) {
    ++frame_;
    takeVertices(false);
    if (!running_.valid()) return;
    if (realTime && running_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
    const Sample sample = running_.get();
    if (!stale_) take(sample, now);
    stale_ = false;
}

}  // namespace gravlab
