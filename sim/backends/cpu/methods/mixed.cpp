#include "sim/backends/cpu/methods/mixed.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gravlab::cpu {
namespace {

constexpr std::size_t kPairGrain = 16384;

double largest(const double* values, std::size_t count) {
    double most = 0;
    for (std::size_t i = 0; i < count; ++i) most = std::max(most, std::abs(values[i]));
    return most;
}

PairUnits chosenFor(const CpuBodies<double>& bodies, const ForceSettings& settings) {
    double farthest = 0;
    for (const double* axis : bodies.axis) farthest = std::max(farthest, largest(axis, bodies.count));
    return pairUnits(farthest, largest(bodies.source, bodies.count), settings);
}

}  // namespace

InPairUnits::InPairUnits(std::unique_ptr<CpuForceMethod<double>> pairs, const MethodContext& context)
    : pairs_(std::move(pairs)), pool_(context.pool), positions_(context.bodies), source_(context.bodies) {}

void InPairUnits::prepare(const CpuBodies<double>& bodies, const ForceRequest& request) {
    if (!units_) units_ = chosenFor(bodies, request.settings);
    back_ = 1;
    if (*units_ == PairUnits()) return pairs_->prepare(bodies, request);
    const double length = 1 / units_->length, source = 1 / units_->source;  // exact
    pool_.forRange(bodies.count, kPairGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t axis = 0; axis < 3; ++axis)
            for (std::size_t i = first; i < last; ++i) positions_.axis[axis][i] = length * bodies.axis[axis][i];
        for (std::size_t i = first; i < last; ++i) source_[i] = source * bodies.source[i];
    });
    const double heaviest = largest(bodies.source, bodies.count);
    back_ = accelerationUnit(*units_, request.settings);
    pairs_->prepare({positions_.data(), source_.data(), bodies.count}, requestIn(*units_, request, heaviest));
}

CpuForceSums<double> InPairUnits::sums() const {
    CpuForceSums<double> sums = pairs_->sums();
    sums.factor *= back_;
    return sums;
}

std::vector<StateArray> InPairUnits::state() const { return withUnits(pairs_->state(), units_.value_or(PairUnits())); }

bool InPairUnits::restore(const std::vector<StateArray>& state) {
    std::vector<StateArray> kept = state;
    units_ = takeUnits(kept);
    const bool known = units_.has_value();
    if (state.empty()) units_.reset();  // no kept state needs the old units
    return known && pairs_->restore(kept);
}

double InPairUnits::bytes(std::size_t bodies) { return 4.0 * sizeof(double) * static_cast<double>(roundUp(bodies, kTile)); }

}  // namespace gravlab::cpu
