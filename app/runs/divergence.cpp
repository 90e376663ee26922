#include "app/runs/divergence.h"
#include "app/tables/format.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace gravlab {

namespace {

constexpr std::size_t kLeastPoints = 12;   // of a fit
constexpr double kLeastGrowth = 3.5;       // e-foldings that a fit must cover
constexpr double kSaturation = 0.05;       // fraction of the system's size, beyond which the gap stops growing freely
constexpr double kBetterThanPower = 0.75;  // residual of the line over that of the best power of time
constexpr double kGoodFit = 0.97;          // least fraction of the variance that the line must explain

/// A least-squares line through points: its slope, its residual, and the variance of y.
struct Line {
    double slope = 0, residual = 0, variance = 0;
};

Line lineThrough(std::span<const double> x, std::span<const double> y) {
    const auto n = static_cast<double>(x.size());
    double meanX = 0, meanY = 0;
    for (std::size_t i = 0; i < x.size(); ++i) meanX += x[i] / n, meanY += y[i] / n;
    double xx = 0, xy = 0, yy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xx += (x[i] - meanX) * (x[i] - meanX);
        xy += (x[i] - meanX) * (y[i] - meanY);
        yy += (y[i] - meanY) * (y[i] - meanY);
    }
    if (!(xx > 0)) return {.slope = 0, .residual = yy, .variance = yy};
    return {.slope = xy / xx, .residual = std::max(yy - xy * xy / xx, 0.0), .variance = yy};
}

void grow(double& worst, double value) {
    if (std::isnan(value)) return;
    worst = std::max(worst, std::abs(value));
}

}  // namespace

Separation separation(const ParticleSet& first, const ParticleSet& twin) {
    constexpr double kNone = DivergencePoint::kUnknown;
    if (first.size() != twin.size() || first.size() == 0) return {kNone, kNone};
    double sum = 0, most = 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
        const Double4 &a = first.position[i], &b = twin.position[i];
        const double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
        const double square = x * x + y * y + z * z;
        if (!std::isfinite(square)) return {kNone, kNone};
        sum += square;
        most = std::max(most, square);
    }
    return {std::sqrt(sum / static_cast<double>(first.size())), std::sqrt(most)};
}

double spread(const ParticleSet& bodies) {
    if (bodies.size() == 0) return 0;
    const auto n = static_cast<double>(bodies.size());
    std::array<double, 3> mean{};
    for (const Double4& p : bodies.position) mean[0] += p.x / n, mean[1] += p.y / n, mean[2] += p.z / n;
    double sum = 0;
    for (const Double4& p : bodies.position) {
        const double x = p.x - mean[0], y = p.y - mean[1], z = p.z - mean[2];
        sum += x * x + y * y + z * z;
    }
    return std::sqrt(sum / n);
}

void Divergence::restart(double size) {
    *this = Divergence();
    size_ = size > 0 && std::isfinite(size) ? size : 1;
}

void Divergence::noteWorst(const DivergencePoint& point) {
    grow(worst_, point.apart.max);
    grow(worstChange_, point.change);
    grow(worstTwinChange_, point.twinChange);
}

void Divergence::dropAfter(double time, double way) {
    std::erase_if(points_, [&](const DivergencePoint& point) { return (point.time - time) * way > 0; });
    worst_ = worstChange_ = worstTwinChange_ = 0;
    for (const DivergencePoint& point : points_) noteWorst(point);
    eFolding_ = fitted();
}

void Divergence::add(const DivergencePoint& point) {
    points_.push_back(point);
    noteWorst(point);
    if (points_.size() > kMostPoints) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < points_.size(); i += 2) points_[kept++] = points_[i];
        points_.resize(kept);
    }
    eFolding_ = fitted();
}

std::optional<double> Divergence::fitted() const {
    if (points_.empty()) return std::nullopt;
    const double from = points_.front().time;
    std::vector<double> time, power, gap;
    for (const DivergencePoint& point : points_) {
        const double rms = point.apart.rms, passed = std::abs(point.time - from);
        if (!(rms < kSaturation * size_)) break;
        if (!(rms > 0) || passed == 0) continue;
        time.push_back(passed);
        power.push_back(std::log(passed));
        gap.push_back(std::log(rms));
    }
    // The beginning shows the difference of the methods, the rest the response of the system.
    const std::size_t first = time.size() / 4;
    const std::span<const double> t = std::span(time).subspan(first), p = std::span(power).subspan(first),
                                  g = std::span(gap).subspan(first);
    if (t.size() < kLeastPoints) return std::nullopt;
    const Line straight = lineThrough(t, g), powerLaw = lineThrough(p, g);
    const double growth = straight.slope * (t.back() - t.front());
    const bool exponential = growth >= kLeastGrowth && straight.residual < (1 - kGoodFit) * straight.variance &&
                             straight.residual < kBetterThanPower * powerLaw.residual;
    if (!exponential) return std::nullopt;
    return 1 / straight.slope;
}

namespace {

struct PredictabilityLimit {
    std::string_view scene;
    double fixed, fixed32;  ///< reliable until this time in double and in single precision with fixed steps [T]
    double adaptive;        ///< reliable until this time with radau15 [T]
    const char* why;
};

constexpr double kTrianglePeriod = 3.6275987284684357;  // 2 pi / sqrt(3)
constexpr PredictabilityLimit kLimits[] = {
    {"pythagorean", 15.82, 8.7, 1e300,
     "two bodies passed at 0.0004 at t = 15.83, and no fixed step gets through. radau15 shows the true ending: the lightest "
     "escapes after t = 60"},
    {"lagrange", 5 * kTrianglePeriod, 2 * kTrianglePeriod, 6 * kTrianglePeriod,
     "the triangle is unstable and multiplies every rounding error by 85 each period: how it breaks up is chance"},
    {"super-eight", 4 * 6.283185307179586, 2 * 6.283185307179586, 5 * 6.283185307179586,
     "the orbit is unstable and multiplies every rounding error by hundreds each period: how it breaks up is chance"},
};

}  // namespace

std::string predictabilityNote(std::string_view scene, const Integrator& integrator, double time, bool singlePrecision) {
    for (const PredictabilityLimit& row : kLimits) {
        if (row.scene != scene) continue;
        const bool adaptive = isAdaptive(integrator.program);
        const double until = adaptive ? row.adaptive : singlePrecision ? row.fixed32 : row.fixed;
        if (!(std::abs(time) > until)) return {};
        return formatted("Beyond t = %.3g this ending is not the true one: %s.", until, row.why);
    }
    return {};
}

}  // namespace gravlab
