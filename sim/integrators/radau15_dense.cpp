// The difference of the solver's clock and the output clock is stored, so that neither accumulates rounding.
#include "sim/integrators/radau15_dense.h"

#include <algorithm>
#include <cmath>

namespace gravlab {

Radau15Dense::Radau15Dense(std::size_t size) : radau_(size), fromX_(size), fromV_(size), solverX_(size), solverV_(size) {}

void Radau15Dense::restart() {
    radau_.restart();
    started_ = false;
    ahead_ = lost_ = 0;
}

void Radau15Dense::begin(const double* x, const double* v, double interval) {
    if (started_ && std::signbit(interval) != std::signbit(interval_)) restart();
    if (!started_) {
        std::copy(x, x + size(), solverX_.begin());
        std::copy(v, v + size(), solverV_.begin());
        started_ = true;
    }
    interval_ = interval;
    addCompensated(ahead_, lost_, -interval);
}

bool Radau15Dense::reached() const { return interval_ > 0 ? ahead_ >= 0 : ahead_ <= 0; }

void Radau15Dense::step(Radau15::Acceleration acceleration, void* context) {
    fromX_ = solverX_;
    fromV_ = solverV_;
    const double taken = radau_.step(solverX_.data(), solverV_.data(), kMostIntervals * interval_, acceleration, context,
                                     Radau15::kFirstStep * std::fabs(interval_));
    addCompensated(ahead_, lost_, taken);
}

void Radau15Dense::read(double* x, double* v) const {
    if (ahead_ == 0) {
        std::copy(solverX_.begin(), solverX_.end(), x);
        std::copy(solverV_.begin(), solverV_.end(), v);
        return;
    }
    radau_.interpolate(fromX_.data(), fromV_.data(), 1 - ahead_ / radau_.lastStep(), x, v);
}

double Radau15Dense::progress() const {
    if (!started_ || interval_ == 0) return 0;
    return std::clamp(1 + ahead_ / interval_, 0.0, 1.0);
}

std::vector<StateArray> Radau15Dense::state() const {
    std::vector<StateArray> arrays = radau_.state();
    if (arrays.empty()) return {};
    arrays.push_back({"radau15.ahead", {interval_, ahead_, lost_}});
    arrays.push_back({"radau15.from_v", fromV_});
    arrays.push_back({"radau15.from_x", fromX_});
    arrays.push_back({"radau15.solver_v", solverV_});
    arrays.push_back({"radau15.solver_x", solverX_});
    // The arrays are in the order of their names, because a file returns them so.
    std::sort(arrays.begin(), arrays.end(), [](const StateArray& a, const StateArray& b) { return a.name < b.name; });
    return arrays;
}

bool Radau15Dense::restore(const std::vector<StateArray>& state) {
    restart();
    const auto find = [&](std::string_view name, std::size_t values) { return numbersOf(state, name, values); };
    const auto* clocks = find("radau15.ahead", 3);
    const auto* fromX = find("radau15.from_x", size());
    const auto* fromV = find("radau15.from_v", size());
    const auto* solverX = find("radau15.solver_x", size());
    const auto* solverV = find("radau15.solver_v", size());
    if (!clocks || !fromX || !fromV || !solverX || !solverV || !radau_.restore(state)) return false;
    const double interval = (*clocks)[0], ahead = (*clocks)[1], last = radau_.lastStep();
    // A file is not trusted: the output time must lie within the last step, and both must have the same direction.
    if (!std::isfinite(interval) || !std::isfinite((*clocks)[2]) || !(interval * last > 0) || !(ahead / last >= 0) ||
        !(ahead / last <= 1)) {
        restart();
        return false;
    }
    interval_ = interval;
    ahead_ = ahead;
    lost_ = (*clocks)[2];
    fromX_ = *fromX;
    fromV_ = *fromV;
    solverX_ = *solverX;
    solverV_ = *solverV;
    started_ = true;
    return true;
}

bool Radau15Dense::fits(const double* x, const double* v, double share) const {
    const auto near = [&](const double* a, const double* b) {
        double largest = 0, apart = 0;
        for (std::size_t i = 0; i < size(); ++i) {
            largest = std::max(largest, std::fabs(b[i]));
            apart = std::max(apart, std::fabs(a[i] - b[i]));
        }
        return apart <= share * largest;
    };
    std::vector<double> foundX(size()), foundV(size());
    read(foundX.data(), foundV.data());
    if (!near(foundX.data(), x) || !near(foundV.data(), v)) return false;
    radau_.interpolate(fromX_.data(), fromV_.data(), 1, foundX.data(), foundV.data());
    return near(foundX.data(), solverX_.data()) && near(foundV.data(), solverV_.data());
}

}  // namespace gravlab
