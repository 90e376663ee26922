// The step loop is a template on the law, so that a force is a loop and not a call.
#include "sim/backends/few_body.h"

#include "sim/api/errors.h"
#include "sim/backends/step_cursor.h"
#include "sim/forces/law.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

namespace gravlab {

/// When to stop. Reading a clock costs as much as the force on three bodies, so not every force reads it.
class StepDeadline {
public:
    static constexpr std::size_t kPairsPerReading = 4000;
    StepDeadline(double seconds, std::size_t pairsPerStep) : seconds_(seconds), pairsPerStep_(pairsPerStep) {}
    bool passed(std::size_t steps = 1) const {
        pairs_ += steps * pairsPerStep_;
        if (pairs_ < kPairsPerReading && seconds_ > 0) return false;
        pairs_ = 0;
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count() >= seconds_;
    }

private:
    double seconds_;
    std::size_t pairsPerStep_;
    mutable std::size_t pairs_ = 0;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

namespace {

/// Predicts by a Taylor series from the old state to the end of the step. Makino & Aarseth 1992, eq. 2.
inline void predictHermite(std::size_t count, double h, double* __restrict x, double* __restrict v,
                           const double* __restrict a, const double* __restrict jerk) {
    for (std::size_t i = 0; i < count; ++i) {
        x[i] += h * (v[i] + h * (a[i] / 2 + h * jerk[i] / 6));
        v[i] += h * (a[i] + h * jerk[i] / 2);
    }
}

/// Adds second and third derivative of a, from both ends, to the prediction. Makino & Aarseth 1992, eqs. 3-5.
inline void correctHermite(std::size_t count, double h, double* __restrict x, double* __restrict v,
                           const double* __restrict x0, const double* __restrict v0, const double* __restrict a0,
                           const double* __restrict jerk0, const double* __restrict a, const double* __restrict jerk) {
    for (std::size_t i = 0; i < count; ++i) {
        const double newV = v0[i] + h * ((a0[i] + a[i]) / 2 + h * (jerk0[i] - jerk[i]) / 12);
        x[i] = x0[i] + h * ((v0[i] + newV) / 2 + h * (a0[i] - a[i]) / 12);
        v[i] = newV;
    }
}

bool usesVelocities(const ForceTerms& terms) {
    return std::ranges::any_of(terms, [](const auto& term) { return term->usesVelocities(); });
}

void split(const std::vector<Double4>& from, double* to) {
    const std::size_t n = from.size();
    for (std::size_t i = 0; i < n; ++i) {
        to[i] = from[i].x;
        to[n + i] = from[i].y;
        to[2 * n + i] = from[i].z;
    }
}

}  // namespace

FewBody::FewBody() : dense_(0) {}

void FewBody::load(const ParticleSet& bodies) {
    const std::size_t n = bodies.size();
    for (std::vector<double>* row : {&x_, &v_}) row->resize(3 * n);
    split(bodies.position, x_.data());
    split(bodies.velocity, v_.data());
    source_.resize(n);
    response_.resize(n);
    sources_ = 0;
    plainResponse_ = true;
    for (std::size_t i = 0; i < n; ++i) {
        source_[i] = bodies.position[i].w;
        response_[i] = bodies.velocity[i].w;
        if (source_[i] != 0) sources_ = i + 1;
        plainResponse_ = plainResponse_ && response_[i] == 1;
    }
    ids_ = bodies.id;
    targets_.resize(n);
    std::iota(targets_.begin(), targets_.end(), 0u);
    for (std::vector<Double4>* row : {&positions_, &velocities_, &termSums_}) row->resize(n);
    for (std::vector<double>* row : {&a_, &x0_, &v0_, &dx_, &dv_, &jerk_, &a0_, &jerk0_}) row->assign(3 * n, 0.0);
    dense_ = Radau15Dense(3 * n);
    dense_.followVelocities(usesVelocities(others_));
    forceKnown_ = jerkKnown_ = false;
    interval_ = 0;
    time_.set({.t0 = bodies.time});
}

void FewBody::store(ParticleSet& out) const {
    const std::size_t n = size();
    const std::vector<double>&x = x_, &v = v_;
    if (out.size() != n) out.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        out.position[i] = {x[i], x[n + i], x[2 * n + i], source_[i]};
        out.velocity[i] = {v[i], v[n + i], v[2 * n + i], response_[i]};
    }
}

void FewBody::configure(const ForceSettings& settings, const ForceTerms& others) {
    if (settings == settings_ && sameTerms(others, others_)) return;
    settings_ = settings;
    others_ = others;
    dense_.followVelocities(usesVelocities(others_));
    forceKnown_ = jerkKnown_ = false;
    dense_.restart();
    interval_ = 0;
}

double FewBody::stepProgress() const { return interval_ == 0 ? 0 : std::clamp(dense_.progress(), 1e-9, 1 - 1e-9); }

template <class PairLaw>
void FewBody::computeForces(const PairLaw& law, const double* x, const double* v, double time, double* a) {
    const std::size_t n = size();
    const double *px = x, *py = x + n, *pz = x + 2 * n, *source = source_.data();
    double *ax = a, *ay = a + n, *az = a + 2 * n;
    std::fill(a, a + 3 * n, 0.0);
    for (std::size_t i = 0; i < sources_; ++i) {
        const double xi = px[i], yi = py[i], zi = pz[i], si = source[i];
        double sumX = 0, sumY = 0, sumZ = 0;
        for (std::size_t j = i + 1; j < n; ++j) {
            const double rx = px[j] - xi, ry = py[j] - yi, rz = pz[j] - zi;
            const double pull = law.forceOverDistance(rx * rx + ry * ry + rz * rz);
            // The separation is multiplied before the source: at the softening floor 0 times the pull must be 0.
            const double fx = pull * rx, fy = pull * ry, fz = pull * rz;
            sumX += source[j] * fx;
            sumY += source[j] * fy;
            sumZ += source[j] * fz;
            ax[j] -= si * fx;
            ay[j] -= si * fy;
            az[j] -= si * fz;
        }
        ax[i] += sumX;
        ay[i] += sumY;
        az[i] += sumZ;
    }
    scaleByResponse(a);
    if (!others_.empty()) addTerms(x, v, time, a, nullptr);
}

/// Adds the other terms on bodies at `x` and `v`, one term after the other, with their jerks where wanted.
void FewBody::addTerms(const double* x, const double* v, double time, double* a, double* jerk) {
    const std::size_t n = size();
    for (std::size_t i = 0; i < n; ++i) {
        positions_[i] = {x[i], x[n + i], x[2 * n + i], source_[i]};
        velocities_[i] = {v[i], v[n + i], v[2 * n + i], response_[i]};
    }
    const TermBodies bodies{positions_, velocities_, ids_, time};
    const auto addTo = [&](double* to, const auto& add) {
        gather(to, termSums_);
        for (const auto& term : others_) add(*term);
        split(termSums_, to);
    };
    addTo(a, [&](const ForceTerm& term) { termInteractions_ += term.addAccelerations(bodies, targets_, termSums_, {}); });
    if (jerk) addTo(jerk, [&](const ForceTerm& term) { term.addJerks(bodies, targets_, termSums_); });
}

void FewBody::scaleByResponse(double* a) const {
    if (plainResponse_) return;
    const std::size_t n = size();
    for (std::size_t block = 0; block < 3; ++block)
        for (std::size_t i = 0; i < n; ++i) a[block * n + i] *= response_[i];
}

void FewBody::computeJerks() {
    const std::size_t n = size();
    const double softening = flooredSoftening<double>(settings_.softening);
    const double *px = x_.data(), *py = px + n, *pz = py + n, *vx = v_.data(), *vy = vx + n, *vz = vy + n;
    double *ax = a_.data(), *ay = ax + n, *az = ay + n, *jx = jerk_.data(), *jy = jx + n, *jz = jy + n;
    std::fill(a_.begin(), a_.end(), 0.0);
    std::fill(jerk_.begin(), jerk_.end(), 0.0);
    for (std::size_t i = 0; i < sources_; ++i) {
        for (std::size_t j = i + 1; j < n; ++j) {
            const double rx = px[j] - px[i], ry = py[j] - py[i], rz = pz[j] - pz[i];
            const double ux = vx[j] - vx[i], uy = vy[j] - vy[i], uz = vz[j] - vz[i];
            const double r2 = rx * rx + ry * ry + rz * rz + softening;
            const double inverse2 = 1 / r2;
            const double pull = inverse2 * std::sqrt(inverse2);
            const double approach = 3 * ((rx * ux + ry * uy + rz * uz) * inverse2);
            const double fx = pull * rx, fy = pull * ry, fz = pull * rz;
            const double gx = pull * ux - approach * fx, gy = pull * uy - approach * fy, gz = pull * uz - approach * fz;
            ax[i] += source_[j] * fx;
            ay[i] += source_[j] * fy;
            az[i] += source_[j] * fz;
            ax[j] -= source_[i] * fx;
            ay[j] -= source_[i] * fy;
            az[j] -= source_[i] * fz;
            jx[i] += source_[j] * gx;
            jy[i] += source_[j] * gy;
            jz[i] += source_[j] * gz;
            jx[j] -= source_[i] * gx;
            jy[j] -= source_[i] * gy;
            jz[j] -= source_[i] * gz;
        }
    }
    scaleByResponse(a_.data());
    scaleByResponse(jerk_.data());
    if (!others_.empty()) addTerms(x_.data(), v_.data(), time_.now(), a_.data(), jerk_.data());
    ++forceEvaluations_;
}

/// Steps of fixed length, for runWholeSteps().
template <class PairLaw>
struct FewBody::FixedSteps {
    FewBody& system;
    const PairLaw& law;
    bool hermite;

    bool forceKnown() const { return hermite ? system.jerkKnown_ : system.forceKnown_; }
    void wholeStepForce() {
        if (hermite) {
            system.computeJerks();
        } else {
            system.computeForces(law, system.x_.data(), system.v_.data(), system.time_.now(), system.a_.data());
            ++system.forceEvaluations_;
        }
        system.jerkKnown_ = hermite;
        system.forceKnown_ = true;
    }
    void apply(const StepOp& step, double timeStep) { system.apply(step, timeStep); }
    void wholeStepsTaken(double, double) {}
};

void FewBody::apply(const StepOp& step, double timeStep) {
    const std::size_t count = x_.size();
    time_.pass(step);
    if (step.op == Op::predict) {
        x0_ = x_;
        v0_ = v_;
        a0_ = a_;
        jerk0_ = jerk_;
        predictHermite(count, timeStep, x_.data(), v_.data(), a_.data(), jerk_.data());
        forceKnown_ = false;
    } else if (step.op == Op::correct) {
        correctHermite(count, timeStep, x_.data(), v_.data(), x0_.data(), v0_.data(), a0_.data(), jerk0_.data(), a_.data(),
                       jerk_.data());
        // No force follows, so the next prediction starts from the a and jerk of this one (PEC).
        forceKnown_ = false;
    } else {
        StepRegisters<double*> registers{x_.data(), v_.data(), a_.data(), x0_.data(), v0_.data(), dx_.data(), dv_.data()};
        applyOp(step.op, factorOf(step, timeStep), registers, ColumnArithmetic{0, count});
        if (step.op == Op::kick || isOfBlocks(step.op) || movesBodies(step.op)) jerkKnown_ = false;
        if (movesBodies(step.op)) forceKnown_ = false;
    }
}

template <class PairLaw>
bool FewBody::runAdaptiveStep(double timeStep, const PairLaw& law, const StepDeadline& deadline) {
    struct Callback {
        FewBody* system;
        const PairLaw* law;
        double start;  ///< of the solver's step [T]
    } callback{this, &law, 0};
    if (interval_ == 0) {
        interval_ = timeStep;
        time_.begin(timeStep);
        dense_.begin(x_.data(), v_.data(), timeStep);
    }
    while (!dense_.reached()) {
        const std::int64_t before = adaptive().forceEvaluations();
        callback.start = time_.complete().time() + interval_ + dense_.ahead();
        dense_.step(
            [](void* context, const double* x, double* a) {
                const auto& call = *static_cast<const Callback*>(context);
                const Radau15& radau = call.system->adaptive();
                const double time = call.start + radau.evaluationTime();
                call.system->computeForces(*call.law, x, radau.velocities(), time, a);
            },
            &callback);
        const std::int64_t evaluated = adaptive().forceEvaluations() - before;
        forceEvaluations_ += evaluated;
        if (deadline.passed(static_cast<std::size_t>(evaluated)) && !dense_.reached()) return false;
    }
    dense_.read(x_.data(), v_.data());
    time_.count(1, interval_);
    interval_ = 0;
    forceKnown_ = jerkKnown_ = false;
    return true;
}

template <class PairLaw>
std::int64_t FewBody::run(StepProgram program, double timeStep, const Budget& budget, const PairLaw& law) {
    // The cost of a term is not known, so the clock is then read after each force.
    const std::size_t pairsPerForce =
        others_.empty() ? std::max<std::size_t>(1, sources_ * size() / 2) : StepDeadline::kPairsPerReading;
    const StepDeadline deadline(budget.seconds, pairsPerForce);
    const StepPacer pacer(budget);
    std::int64_t completed = 0;
    if (interval_ != 0) {
        if (!runAdaptiveStep(interval_, law, deadline)) return 0;
        ++completed;
    }
    if (!isAdaptive(program)) {
        dense_.restart();
        FixedSteps<PairLaw> steps{*this, law, needsJerk(program)};
        const std::int64_t wanted = budget.steps - completed;
        if (wanted <= 0) return completed;
        time_.begin(timeStep);
        const std::int64_t taken = runWholeSteps(steps, program, timeStep, wanted, pacer);
        time_.count(taken, timeStep);
        return completed + taken;
    }
    while (completed < budget.steps) {
        if (!runAdaptiveStep(timeStep, law, deadline)) break;
        ++completed;
        if (deadline.passed()) break;
    }
    return completed;
}

std::int64_t FewBody::advance(StepProgram program, double timeStep, const Budget& budget) {
    if (budget.steps <= 0 || size() == 0) return 0;
    if (needsJerk(program) && !lawRow(settings_.law).hasJerk)
        throw UsageError("Hermite steps need the jerk, which only gravity has here; choose another integrator");
    if (const Reason reason = others_.empty() ? Reason() : refusal(program, termsOf(settings_, others_)); !reason.empty())
        throw UsageError(reason);
    return withLaw<double>(settings_, [&](const auto& law) { return run(program, timeStep, budget, law); });
}

std::int64_t FewBody::finishStep() {
    if (interval_ == 0) return 0;
    const StepDeadline never(1e300, 1);
    withLaw<double>(settings_, [&](const auto& law) { return runAdaptiveStep(interval_, law, never); });
    return 1;
}

void FewBody::gather(const double* from, std::vector<Double4>& out) const {
    const std::size_t n = size();
    out.resize(n);
    for (std::size_t i = 0; i < n; ++i) out[i] = {from[i], from[n + i], from[2 * n + i], 0};
}

void FewBody::accelerations(std::vector<Double4>& out) {
    // The result goes to scratch: a_ belongs to the steps, and a Hermite step needs the a_ of the last one.
    withLaw<double>(settings_,
                    [&](const auto& law) { computeForces(law, x_.data(), v_.data(), time_.complete().time(), dv_.data()); });
    gather(dv_.data(), out);
}

void FewBody::jerks(std::vector<Double4>& accelerations, std::vector<Double4>& jerks) {
    if (!lawRow(settings_.law).hasJerk) throw UsageError("only gravity has a jerk here");
    finishStep();
    computeJerks();
    forceKnown_ = jerkKnown_ = true;
    gather(a_.data(), accelerations);
    gather(jerk_.data(), jerks);
}

}  // namespace gravlab
