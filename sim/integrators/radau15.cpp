// Within a step of length h, with s = t / h, the acceleration is a0 + b0 s + b1 s^2 + ... + b6 s^7. Iteration finds the b
// that match it at seven Gauss-Radau nodes, until they converge; x and v are its integrals.
#include "sim/integrators/radau15.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gravlab {
namespace {

constexpr int kNodes = Radau15::kNodes;

/// Zeros of P7 + P8 on [0, 1] without the one at 0.
constexpr double kNode[kNodes] = {0.056262560536922146465652191032311, 0.18024069173689236498757994280918,
                                  0.3526247171131696373739077701712,   0.54715362633055538300144855765235,
                                  0.73421017721541053152321060830661,  0.88532094683909576809035976293249,
                                  0.97752061356128750189117450042915};

/// b = newtonToPower * g: row j holds the coefficients of s (s - node_0) ... (s - node_(j-1)); column k belongs to s^(k+1).
struct NewtonToPower {
    double c[kNodes][kNodes] = {};
    constexpr NewtonToPower() {
        c[0][0] = 1;
        for (int j = 1; j < kNodes; ++j)
            for (int k = 0; k <= j; ++k) c[j][k] = (k > 0 ? c[j - 1][k - 1] : 0) - (k < j ? kNode[j - 1] * c[j - 1][k] : 0);
    }
};
constexpr NewtonToPower kNewtonToPower;

/// The inverse: s^(k+1) as a sum of the Newton products; complete symmetric polynomials of the nodes.
struct PowerToNewton {
    double d[kNodes][kNodes] = {};
    constexpr PowerToNewton() {
        d[0][0] = 1;
        for (int k = 1; k < kNodes; ++k)
            for (int j = 0; j <= k; ++j) d[k][j] = (j > 0 ? d[k - 1][j - 1] : 0) + (j < k ? kNode[j] * d[k - 1][j] : 0);
    }
};
constexpr PowerToNewton kPowerToNewton;

/// binomial(j + 1, k + 1): moves the polynomial's origin to the end of the step.
struct Binomial {
    double value[kNodes][kNodes] = {};
    constexpr Binomial() {
        for (int j = 0; j < kNodes; ++j) {
            double product = 1;  // binomial(j + 1, 0)
            for (int k = 0; k <= j; ++k) {
                product = product * (j + 1 - k) / (k + 1);
                value[j][k] = product;
            }
        }
    }
};
constexpr Binomial kBinomial;

constexpr int kMaxIterations = 12;
constexpr double kConverged = 1e-16;  ///< change of b6 relative to a at which iterating stops
constexpr double kShrinkLimit =
    0.25;                         ///< a step is repeated if it should have been shorter than this fraction of its length
constexpr int kMaxAttempts = 60;  ///< a force that is never finite must not hang the program

double largest(const std::vector<double>& values) {
    double result = 0;
    for (double value : values) result = std::max(result, std::fabs(value));
    return result;
}

}  // namespace

Radau15::Radau15(std::size_t size, double tolerance)
    : size_(size), tolerance_(tolerance), a0_(size), a_(size), x_(size), v_(size), lostX_(size), lostV_(size) {
    for (Coefficients* set : {&b_, &e_, &g_, &lastB_, &lastE_})
        for (std::vector<double>& row : *set) row.resize(size);
}

void Radau15::restart() {
    proposed_ = 0;
    done_ = 0;
    for (std::vector<double>* row : {&lostX_, &lostV_}) std::fill(row->begin(), row->end(), 0.0);
}

std::vector<StateArray> Radau15::state() const {
    if (proposed_ == 0) return {};
    // The arrays are in the order of their names, because a file returns them so.
    std::vector<StateArray> arrays;
    for (const auto& [name, set] : {std::pair("radau15.b", &lastB_), std::pair("radau15.e", &lastE_)}) {
        StateArray joined{name, {}};
        for (const std::vector<double>& row : *set) joined.values.insert(joined.values.end(), row.begin(), row.end());
        arrays.push_back(std::move(joined));
    }
    arrays.push_back({"radau15.from_a", a0_});
    arrays.push_back({"radau15.lost_v", lostV_});
    arrays.push_back({"radau15.lost_x", lostX_});
    arrays.push_back({"radau15.step", {proposed_, done_}});
    return arrays;
}

const std::vector<double>* numbersOf(const std::vector<StateArray>& state, std::string_view name, std::size_t count) {
    const auto found = std::ranges::find_if(
        state, [&](const StateArray& array) { return array.name == name && array.values.size() == count; });
    return found == state.end() ? nullptr : &found->values;
}

bool Radau15::restore(const std::vector<StateArray>& state) {
    restart();
    const auto find = [&](std::string_view name, std::size_t values) { return numbersOf(state, name, values); };
    const auto* step = find("radau15.step", 2);
    const auto* lostX = find("radau15.lost_x", size_);
    const auto* lostV = find("radau15.lost_v", size_);
    const auto* from = find("radau15.from_a", size_);
    const auto* b = find("radau15.b", kNodes * size_);
    const auto* e = find("radau15.e", kNodes * size_);
    // A file is not trusted: a step that is not positive would never end.
    if (!step || !from || !lostX || !lostV || !b || !e || !((*step)[0] > 0) || !std::isfinite((*step)[1])) return false;
    proposed_ = (*step)[0];
    done_ = (*step)[1];
    a0_ = *from;
    lostX_ = *lostX;
    lostV_ = *lostV;
    for (std::size_t k = 0; k < kNodes; ++k) {
        const auto row = static_cast<std::ptrdiff_t>(k * size_), next = static_cast<std::ptrdiff_t>((k + 1) * size_);
        lastB_[k].assign(b->begin() + row, b->begin() + next);
        lastE_[k].assign(e->begin() + row, e->begin() + next);
    }
    return true;
}

void Radau15::solve(const double* x, const double* v, double h, Acceleration acceleration, void* context) {
    for (int j = 0; j < kNodes; ++j)
        for (std::size_t i = 0; i < size_; ++i) {
            double sum = 0;
            for (int k = kNodes - 1; k >= j; --k) sum += kPowerToNewton.d[k][j] * b_[k][i];
            g_[j][i] = sum;
        }
    double lastChange = 1e300;
    for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
        double change = 0, scale = 0;
        for (int n = 0; n < kNodes; ++n) {
            const double s = kNode[n];
            for (std::size_t i = 0; i < size_; ++i) {
                const double bend =
                    a0_[i] / 2 +
                    s * (b_[0][i] / 6 +
                         s * (b_[1][i] / 12 +
                              s * (b_[2][i] / 20 +
                                   s * (b_[3][i] / 30 + s * (b_[4][i] / 42 + s * (b_[5][i] / 56 + s * b_[6][i] / 72))))));
                x_[i] = x[i] + ((s * h) * (v[i] + (s * h) * bend) - lostX_[i]);
            }
            evaluationTime_ = s * h;
            for (std::size_t i = 0; follows_ && i < size_; ++i) {
                const double push =
                    a0_[i] +
                    s * (b_[0][i] / 2 +
                         s * (b_[1][i] / 3 +
                              s * (b_[2][i] / 4 +
                                   s * (b_[3][i] / 5 + s * (b_[4][i] / 6 + s * (b_[5][i] / 7 + s * b_[6][i] / 8))))));
                v_[i] = v[i] + ((s * h) * push - lostV_[i]);
            }
            acceleration(context, x_.data(), a_.data());
            ++evaluations_;
            for (std::size_t i = 0; i < size_; ++i) {
                double difference = (a_[i] - a0_[i]) / s;
                for (int j = 0; j < n; ++j) difference = (difference - g_[j][i]) / (s - kNode[j]);
                const double correction = difference - g_[n][i];
                g_[n][i] = difference;
                for (int k = 0; k <= n; ++k) b_[k][i] += correction * kNewtonToPower.c[n][k];
                if (n == kNodes - 1) {
                    change = std::max(change, std::fabs(correction));
                    scale = std::max(scale, std::fabs(a_[i]));
                }
            }
        }
        if (!(change > kConverged * scale)) return;
        // Rounding changes the last digits at random: two iterations without progress mean convergence.
        if (iteration > 1 && change >= lastChange) return;
        lastChange = change;
    }
}

double Radau15::suggestedStep(double h) const {
    const double scale = largest(a_), error = largest(b_[kNodes - 1]);
    if (!std::isfinite(scale) || !std::isfinite(error)) return 0.1 * h;
    if (!(scale > 0) || !(error > 0)) return h / kShrinkLimit;
    return h * std::pow(tolerance_ * scale / error, 1.0 / 7);
}

void Radau15::advanceState(double* x, double* v, double h) {
    for (std::size_t i = 0; i < size_; ++i) {
        const double bend = b_[6][i] / 72 + b_[5][i] / 56 + b_[4][i] / 42 + b_[3][i] / 30 + b_[2][i] / 20 + b_[1][i] / 12 +
                            b_[0][i] / 6 + a0_[i] / 2;
        addCompensated(x[i], lostX_[i], bend * h * h);
        addCompensated(x[i], lostX_[i], v[i] * h);
        addCompensated(x[i], lostX_[i], -lostV_[i] * h);
        const double push =
            b_[6][i] / 8 + b_[5][i] / 7 + b_[4][i] / 6 + b_[3][i] / 5 + b_[2][i] / 4 + b_[1][i] / 3 + b_[0][i] / 2 + a0_[i];
        addCompensated(v[i], lostV_[i], push * h);
    }
}

void Radau15::predict(double h) {
    if (done_ == 0) {
        for (int k = 0; k < kNodes; ++k) {
            std::fill(b_[k].begin(), b_[k].end(), 0.0);
            std::fill(e_[k].begin(), e_[k].end(), 0.0);
        }
        return;
    }
    const double ratio = h / done_;
    for (std::size_t i = 0; i < size_; ++i) {
        double power = ratio;
        for (int k = 0; k < kNodes; ++k, power *= ratio) {
            double sum = 0;
            for (int j = kNodes - 1; j >= k; --j) sum += kBinomial.value[j][k] * lastB_[j][i];
            // The error of the last extrapolation corrects the next one, because such errors change slowly.
            e_[k][i] = power * sum;
            b_[k][i] = e_[k][i] + power * (lastB_[k][i] - lastE_[k][i]);
        }
    }
}

void Radau15::interpolate(const double* fromX, const double* fromV, double s, double* x, double* v) const {
    const double t = s * done_;
    for (std::size_t i = 0; i < size_; ++i) {
        const auto b = [&](int k) { return lastB_[k][i]; };
        const double bend =
            a0_[i] / 2 +
            s * (b(0) / 6 +
                 s * (b(1) / 12 + s * (b(2) / 20 + s * (b(3) / 30 + s * (b(4) / 42 + s * (b(5) / 56 + s * b(6) / 72))))));
        const double push =
            a0_[i] + s * (b(0) / 2 +
                          s * (b(1) / 3 + s * (b(2) / 4 + s * (b(3) / 5 + s * (b(4) / 6 + s * (b(5) / 7 + s * b(6) / 8))))));
        x[i] = fromX[i] + t * (fromV[i] + t * bend);
        v[i] = fromV[i] + t * push;
    }
}

double Radau15::step(double* x, double* v, double limit, Acceleration acceleration, void* context, double firstTry) {
    const double room = std::fabs(limit), direction = limit < 0 ? -1 : 1;
    if (proposed_ == 0) proposed_ = firstTry > 0 ? std::min(firstTry, room) : kFirstStep * room;
    evaluationTime_ = 0;
    if (follows_) std::copy(v, v + size_, v_.begin());
    acceleration(context, x, a0_.data());
    ++evaluations_;
    for (int attempt = 0;; ++attempt) {
        // Take two equal steps to the limit, not a long and a very short one: the latter spoils prediction and step control.
        const bool cut = proposed_ > 0.5 * room;
        const double length = proposed_ >= room ? room : cut ? 0.5 * room : proposed_;
        predict(length * direction);
        solve(x, v, length * direction, acceleration, context);
        const double wanted = suggestedStep(length);
        if (wanted < kShrinkLimit * length && attempt < kMaxAttempts) {
            proposed_ = wanted;
            continue;
        }
        // A shortened step says little about a longer one, unless it was too long itself.
        if (!cut || wanted < length) proposed_ = std::min(wanted, length / kShrinkLimit);
        advanceState(x, v, length * direction);
        std::swap(b_, lastB_);
        std::swap(e_, lastE_);
        done_ = length * direction;
        ++steps_;
        return done_;
    }
}

}  // namespace gravlab
