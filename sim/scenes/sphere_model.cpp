// Tables of round parts: mass, softened potential from shells, distribution function, quantiles of speed.
#include "sim/scenes/sphere_model.h"

#include <algorithm>
#include <cmath>

namespace gravlab::scenes {
namespace {

constexpr std::size_t kRadii = 384;
constexpr std::size_t kRowStep = 3;  // a row of speeds at every third radius
constexpr std::size_t kQuantiles = 65;
constexpr std::size_t kSpeeds = 160;
constexpr double kFirstRadius = 1e-3;  // of the smallest scale

/// A factor that takes a density to zero at its end, x = 1, so that its distribution function stays finite there.
double smoothEnd(double x) {
    if (x >= 1) return 0;
    const double rest = 1 - x * x;
    return rest * rest;
}

double densityOf(const SpherePart& part, double r) {
    if (!(r < part.end)) return 0;
    return part.density(r) * (part.tapered ? smoothEnd(r / part.end) : 1);
}

}  // namespace

SpherePart hernquistPart(double mass, double scale, double end, double softening) {
    return {.mass = mass, .scale = scale, .end = end, .density = [scale, softening](double r) {
                const double q = std::hypot(r, softening), outer = q + scale;
                return 1 / (q * outer * outer * outer);
            }};
}

SphereSystem::SphereSystem(std::vector<SpherePart> parts, double softening, const std::function<double(double)>& foreignMass)
    : parts_(std::move(parts)) {
    double first = 1e300, last = 0;
    for (const SpherePart& part : parts_) {
        first = std::min(first, kFirstRadius * part.scale);
        last = std::max(last, part.end);
    }
    logFirst_ = std::log(first);
    logStep_ = (std::log(last) - logFirst_) / (kRadii - 1);
    radius_.resize(kRadii);
    for (std::size_t k = 0; k < kRadii; ++k) radius_[k] = std::exp(logFirst_ + static_cast<double>(k) * logStep_);
    radius_.back() = last;

    // Mass of the cells between radii; the first cell is the ball inside the first radius.
    std::vector<double> cell(kRadii), cellOfParts(kRadii);
    tables_.resize(parts_.size());
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        const SpherePart& part = parts_[p];
        std::vector<double>& share = tables_[p].share;
        share.resize(kRadii);
        share[0] = densityOf(part, radius_[0]) * radius_[0] * radius_[0] * radius_[0] / 3;
        for (std::size_t k = 1; k < kRadii; ++k) {
            const auto rate = [&](double r) { return densityOf(part, r) * r * r * r; };
            const double a = radius_[k - 1], b = radius_[k];
            share[k] = share[k - 1] + (rate(a) + 4 * rate(std::sqrt(a * b)) + rate(b)) * std::log(b / a) / 6;
        }
        const double whole = share.back();
        for (double& s : share) s /= whole;
        for (std::size_t k = 0; k < kRadii; ++k) cellOfParts[k] += part.mass * (share[k] - (k > 0 ? share[k - 1] : 0));
    }
    cell = cellOfParts;
    if (foreignMass)
        for (std::size_t k = 0; k < kRadii; ++k)
            cell[k] += foreignMass(radius_[k]) - (k > 0 ? foreignMass(radius_[k - 1]) : 0);

    // A shell of radius s and a body at r: the average of 1 / sqrt(distance^2 + softening^2) is 2 / (A + B).
    depth_.assign(kRadii, 0);
    pullOfParts_.assign(kRadii, 0);
    pullOfAll_.assign(kRadii, 0);
    const double soft2 = softening * softening;
    for (std::size_t j = 0; j < kRadii; ++j) {
        const double r = radius_[j];
        for (std::size_t k = 0; k < kRadii; ++k) {
            const double s = k > 0 ? std::sqrt(radius_[k - 1] * radius_[k]) : 0.75 * radius_[0];
            const double far = std::sqrt((r + s) * (r + s) + soft2), near = std::sqrt((r - s) * (r - s) + soft2);
            const double sum = far + near;
            const double slope = 2 * ((r + s) / far + (r - s) / near) / (sum * sum);
            depth_[j] += cell[k] * 2 / sum;
            pullOfParts_[j] += cellOfParts[k] * slope;
            pullOfAll_[j] += cell[k] * slope;
        }
    }
    const double edge = depth_.back();
    for (double& d : depth_) d -= edge;
    for (std::size_t p = 0; p < parts_.size(); ++p) tabulateSpeeds(parts_[p], tables_[p]);
}

void SphereSystem::tabulateSpeeds(const SpherePart& part, Table& table) const {
    // f(E) = 1 / (sqrt(8) pi^2) times the integral over depth from 0 to E of rho'' / sqrt(E - depth). rho' is 0 at the edge.
    // Constant factors do not matter here.
    std::vector<double> first(kRadii), second(kRadii), f(kRadii);
    for (std::size_t k = 0; k < kRadii; ++k) {
        const double r = radius_[k], h = 0.5 * logStep_;
        const double slope = (densityOf(part, r * std::exp(h)) - densityOf(part, r * std::exp(-h))) / (2 * h * r);
        first[k] = -slope / std::max(pullOfAll_[k], 1e-300);
    }
    for (std::size_t k = 0; k < kRadii; ++k) {
        const std::size_t a = k > 0 ? k - 1 : 0, b = std::min(k + 1, kRadii - 1);
        const double way = depth_[b] - depth_[a];
        second[k] = way != 0 ? (first[b] - first[a]) / way : 0;
    }
    for (std::size_t k = 0; k + 1 < kRadii; ++k) {
        const double energy = depth_[k];
        double sum = 0;
        for (std::size_t j = k; j + 1 < kRadii; ++j) {
            // Within a segment rho'' is linear from the outer to the inner end; the root is integrated exactly.
            const double inner = depth_[j], outer = depth_[j + 1], way = inner - outer;
            if (!(way > 0)) continue;
            const double u = std::sqrt(std::max(energy - inner, 0.0)), w = std::sqrt(energy - outer);
            const double slope = (second[j] - second[j + 1]) / way;
            sum += 2 * (second[j + 1] + slope * (energy - outer)) * (w - u) - slope * (2.0 / 3) * (w * w * w - u * u * u);
        }
        f[k] = std::max(sum, 0.0);
    }
    f.back() = 0;

    const std::size_t rows = (kRadii + kRowStep - 1) / kRowStep;
    table.speed.resize(rows * kQuantiles);
    std::vector<double> cumulative(kSpeeds + 1);
    for (std::size_t row = 0; row < rows; ++row) {
        const std::size_t node = std::min(row * kRowStep, kRadii - 2);
        const double depth = depth_[node];
        std::size_t j = node;  // speeds rise, so energies fall: the index in the table only moves outwards
        cumulative[0] = 0;
        double before = 0;
        for (std::size_t i = 1; i <= kSpeeds; ++i) {
            const double x = static_cast<double>(i) / kSpeeds, energy = depth * (1 - x * x);
            while (j + 2 < kRadii && depth_[j + 1] > energy) ++j;
            const double way = depth_[j] - depth_[j + 1];
            const double part1 = way > 0 ? std::clamp((energy - depth_[j + 1]) / way, 0.0, 1.0) : 0;
            const double density = x * x * (f[j + 1] + part1 * (f[j] - f[j + 1]));
            cumulative[i] = cumulative[i - 1] + before + density;
            before = density;
        }
        const double whole = cumulative[kSpeeds];
        std::size_t i = 0;
        for (std::size_t q = 0; q < kQuantiles; ++q) {
            double x = 0;
            if (whole > 0) {
                const double wanted = whole * static_cast<double>(q) / (kQuantiles - 1);
                while (i + 1 < kSpeeds && cumulative[i + 1] < wanted) ++i;
                const double way = cumulative[i + 1] - cumulative[i];
                x = (static_cast<double>(i) + (way > 0 ? std::clamp((wanted - cumulative[i]) / way, 0.0, 1.0) : 0)) /
                    kSpeeds;
            }
            table.speed[row * kQuantiles + q] = static_cast<float>(x);
        }
    }
}

double SphereSystem::at(const std::vector<double>& values, double radius) const {
    const double place =
        std::clamp((std::log(std::max(radius, 1e-300)) - logFirst_) / logStep_, 0.0, static_cast<double>(kRadii - 1) - 1e-9);
    const auto k = static_cast<std::size_t>(place);
    return values[k] + (place - static_cast<double>(k)) * (values[k + 1] - values[k]);
}

double SphereSystem::inwardAcceleration(double radius) const {
    // Inside the table the pull falls linearly to zero; outside it falls with the square of the distance.
    if (radius < radius_.front()) return pullOfParts_.front() * radius / radius_.front();
    if (radius > radius_.back()) return pullOfParts_.back() * radius_.back() * radius_.back() / (radius * radius);
    return at(pullOfParts_, radius);
}

double SphereSystem::depth(double radius) const { return at(depth_, radius); }

double SphereSystem::massWithin(std::size_t part, double radius) const {
    return radius < radius_.front() ? 0 : parts_[part].mass * at(tables_[part].share, radius);
}

Body SphereSystem::sample(std::size_t part, Random& random) const {
    const Table& table = tables_[part];
    const double share = random.uniform();
    const auto above = std::upper_bound(table.share.begin(), table.share.end(), share);
    const auto k = static_cast<std::size_t>(above - table.share.begin());
    double place = 0;  // in the table of radii
    double r = radius_[0] * std::cbrt(share / std::max(table.share[0], 1e-300));
    if (k > 0) {
        const std::size_t low = std::min(k, kRadii - 1) - 1;
        const double way = table.share[low + 1] - table.share[low];
        place = static_cast<double>(low) + (way > 0 ? (share - table.share[low]) / way : 0);
        r = std::exp(logFirst_ + place * logStep_);
    }
    const std::size_t rows = table.speed.size() / kQuantiles;
    const double rowPlace = std::min(place / kRowStep, static_cast<double>(rows - 1) - 1e-9);
    const auto row = static_cast<std::size_t>(rowPlace);
    const double quantile = random.uniform() * (kQuantiles - 1);
    const auto q = static_cast<std::size_t>(quantile);
    const auto speedOf = [&](std::size_t which) {
        const float* values = &table.speed[which * kQuantiles + q];
        return static_cast<double>(values[0]) +
               (quantile - static_cast<double>(q)) * static_cast<double>(values[1] - values[0]);
    };
    const double up = rowPlace - static_cast<double>(row);
    const double x = speedOf(row) + up * (speedOf(row + 1) - speedOf(row));
    const double speed = x * std::sqrt(2 * depth(r));
    const Vec3d where = random.onSphere(), heading = random.onSphere();
    return {r * where, speed * heading};
}

}  // namespace gravlab::scenes
