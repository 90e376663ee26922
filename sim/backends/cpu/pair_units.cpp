#include "sim/backends/cpu/pair_units.h"

#include "sim/forces/law.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

namespace gravlab::cpu {
namespace {

constexpr std::size_t kPairGrain = 16384;
constexpr std::string_view kUnits = "units";  // of what a tree keeps, in a file

PairUnits chosenFor(const CpuBodies<double>& bodies, const ForceSettings& settings) {
    const auto largest = [&](const double* values) {
        double most = 0;
        for (std::size_t i = 0; i < bodies.count; ++i) most = std::max(most, std::abs(values[i]));
        return most;
    };
    return pairUnits(std::max({largest(bodies.axis[0]), largest(bodies.axis[1]), largest(bodies.axis[2])}),
                     largest(bodies.source), settings);
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
    ForceRequest inUnits = request;
    inUnits.settings = settingsIn(*units_, request.settings);
    double heaviest = 0;
    for (std::size_t i = 0; i < bodies.count; ++i) heaviest = std::max(heaviest, std::abs(source_[i]));
    inUnits.smallestR2 = smallestR2<float>(inUnits.settings, heaviest);
    back_ = accelerationUnit(*units_, request.settings);
    pairs_->prepare(
        {{positions_.axis[0].data(), positions_.axis[1].data(), positions_.axis[2].data()}, source_.data(), bodies.count},
        inUnits);
}

CpuForceSums<double> InPairUnits::sums() const {
    CpuForceSums<double> sums = pairs_->sums();
    sums.factor *= back_;
    return sums;
}

std::vector<StateArray> InPairUnits::state() const {
    std::vector<StateArray> state = pairs_->state();
    if (!state.empty() && units_ && *units_ != PairUnits())
        state.push_back({std::string(kUnits), {units_->length, units_->source}});
    return state;
}

bool InPairUnits::restore(const std::vector<StateArray>& state) {
    units_.reset();
    if (state.empty() || state.back().name != kUnits) return pairs_->restore(state);
    const std::vector<double>& values = state.back().values;
    const auto isUnit = [](double value) {
        return value > 0 && std::isfinite(value) && std::ldexp(1.0, std::ilogb(value)) == value;
    };
    if (values.size() != 2 || !isUnit(values[0]) || !isUnit(values[1])) return false;
    if (!pairs_->restore({state.begin(), state.end() - 1})) return false;
    units_ = PairUnits{values[0], values[1]};
    return true;
}

double InPairUnits::bytes(std::size_t bodies) { return 4.0 * sizeof(double) * static_cast<double>(roundUp(bodies, kTile)); }

}  // namespace gravlab::cpu
