// Verification of kernels on this machine.
#include "app/bench/verify.h"

#include "app/system/interrupt.h"
#include "app/tables/format.h"
#include "sim/api/errors.h"
#include "sim/backends/backend.h"
#include "sim/core/names.h"
#include "sim/forces/cell_grid.h"
#include "sim/forces/force_check.h"
#include "sim/forces/law.h"
#include "sim/forces/precision.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <tuple>

namespace gravlab {
namespace {

// One more and one less than the sizes of tiles, warps and vectors.
constexpr std::array<std::size_t, 11> kBodyCounts{1, 2, 3, 31, 32, 33, 255, 256, 257, 1000, 4097};
constexpr std::array<int, 6> kBlocks{32, 96, 128, 256, 512, 1024};
constexpr std::array<double, 2> kSoftenings{0.0, 0.05};

constexpr std::size_t kStepBodies = 257;
constexpr std::int64_t kSteps = 8;
constexpr double kStepTime = 1.0 / 512;
// Tolerance of positions after a few steps, relative to the extent: fp32 rounds at 6e-8 and a few of those add up.
constexpr double kStepTolerance32 = 5e-6, kStepTolerance64 = 1e-13;

constexpr KnownForces kGolden[] = {{0,
                                    {{{2, 0.75, 0.44444444444444444444, 0},
                                      {-1.3948192637067099368, 0.53665631459994952714, 0.37947331922020551984, 0},
                                      {0.17888543819998317571, -0.77844785985388300435, 0.25601547518087497939, 0},
                                      {0.06324555320336758664, 0.1280077375904374897, -0.49285937710687010558, 0}}},
                                    -13.374638211819159167},
                                   {0.5,
                                    {{{1.4310835055998654057, 0.68480647069082251347, 0.42654872381930539821, 0},
                                      {-1.086825343951337789, 0.49878374911083972861, 0.36567514978795566562, 0},
                                      {0.16626124970361324287, -0.72666068321076035881, 0.24880404035988955287, 0},
                                      {0.060945858297992610936, 0.12440202017994477644, -0.47607778611872134702, 0}}},
                                    -12.973308438478830109}};
constexpr ForceGate kGolden32{5e-7, 5e-7}, kGolden64{1e-14, 1e-14};

const std::vector<Double4>& truth(std::size_t count, double softening, bool equalMasses) {
    static std::map<std::tuple<std::size_t, double, bool>, std::vector<Double4>> known;
    std::vector<Double4>& forces = known[{count, softening, equalMasses}];
    if (forces.empty()) {
        const ParticleSet bodies = mixedBodies(count, equalMasses);
        forces.resize(count);
        referenceGravity(bodies.position, bodies.id, softening, forces);
    }
    return forces;
}

/// The truth for one law and its numbers, and bodies that are the same for all rows, accuracies and precisions.
struct TruthUnder {
    std::vector<Double4> forces;
    std::vector<double> floors;
};
const TruthUnder& truthUnder(const ForceSettings& force, std::size_t number, bool equalMasses, const ParticleSet& bodies) {
    static std::map<std::tuple<Law, std::size_t, std::size_t, bool>, TruthUnder> known;
    TruthUnder& truth = known[{force.law, number, bodies.size(), equalMasses}];
    if (truth.forces.empty()) {
        truth.forces.resize(bodies.size());
        truth.floors.resize(bodies.size());
        referenceForces(bodies.position, bodies.velocity, bodies.id, force, truth.forces, truth.floors);
    }
    return truth;
}

std::string launchText(const KernelRow& row, std::size_t count, double softening, const LaunchConfig& launch) {
    std::string where = formatted("N = %zu, softening %g", count, softening);
    if (row.blocks.last != 1) where += ", block " + std::to_string(launch.block);
    if (!row.unrolls.empty()) where += ", unroll " + unrollText(launch.unroll);
    return where;
}

std::string accuracyText(double allowedError) { return allowedError > 0 ? formatted(", accuracy %g", allowedError) : ""; }

/// Where `trial` throws, that is the verdict; an interrupt is thrown.
template <class Trial>
void tryOut(Verdict& verdict, Trial trial) {
    try {
        trial();
    } catch (const std::exception& error) {
        if (InterruptWatch::signal() != 0) throw;
        verdict.state = Verdict::State::failed;
        verdict.note = error.what();
    }
}

/// Adds one comparison to the verdict, which reports the first failure.
void judge(Verdict& verdict, const ForceCheck& check, const std::string& where) {
    ++verdict.configurations;
    verdict.worstMedian = std::max(verdict.worstMedian, check.median);
    verdict.worst = std::max(verdict.worst, check.max);
    if (check.passed || verdict.state == Verdict::State::failed) return;
    verdict.state = Verdict::State::failed;
    verdict.note = where + ": " + check.text();
}

/// Error limits of a precision: forces of many bodies, forces of the golden bodies, positions after a few steps.
struct Limits {
    ForceGate forces, golden;
    double steps;
};
constexpr Limits kLimits32{kGate32, kGolden32, kStepTolerance32}, kLimits64{kGate64, kGolden64, kStepTolerance64};

constexpr const Limits& limitsOf(Precision precision) { return precision == Precision::fp64 ? kLimits64 : kLimits32; }

// Accuracies at which approximating rows are tried.
constexpr std::array<double, 3> kAccuracies{1e-2, 1e-3, 1e-4};

void verifyForces(Verdict& verdict, Backend& backend, const KernelRow& row, const PrecisionRow& precision,
                  const Limits& limits, double allowedError) {
    std::vector<Double4> got;
    const std::vector<LaunchConfig> launches = launchesOf(row, kBlocks);
    const auto compareAll = [&](const ParticleSet& bodies, double softening, std::span<const Double4> want,
                                const ForceGate& gate) {
        for (const LaunchConfig& launch : launches) {
            InterruptWatch::check(kUnfinishedCheck);
            try {
                backend.configure({.precision = precision.precision, .softening = softening},
                                  {.kernel = std::string(row.name), .launch = launch, .allowedError = allowedError});
            } catch (const UsageError&) {
                continue;  // the row lacks this precision, or the device has a lower limit: refused before a launch
            }
            backend.accelerations(got);
            judge(verdict, compareForces(got, want, gate),
                  std::string(precision.name) + ", " + launchText(row, bodies.size(), softening, launch) +
                      accuracyText(allowedError));
        }
    };
    for (const KnownForces& known : kGolden) {
        if (row.equalMasses) break;
        const ParticleSet bodies = knownBodies();
        backend.load(bodies, {});
        compareAll(bodies, known.softening, known.acceleration, limits.golden);
    }
    for (const std::size_t count : kBodyCounts) {
        const ParticleSet bodies = mixedBodies(count, row.equalMasses);
        backend.load(bodies, {});
        for (const double softening : kSoftenings)
            compareAll(bodies, softening, truth(count, softening, row.equalMasses), limits.forces);
    }
}

/// Tries an approximating row under the other laws that its cells support, in its usual launch. Sources have both signs if
/// the law has, and bodies differ in response.
void verifyLaws(Verdict& verdict, Backend& backend, const KernelRow& row, const ForceGate& gate, double allowedError) {
    for (const LawRow& law : laws())
        for (std::size_t number = 0; number < law.tried.size(); ++number) {
            ForceSettings force = law.tried[number];
            force.law = law.law;
            if (!refusal(row, force).empty()) continue;
            for (const std::size_t count : {std::size_t{257}, kBodyCounts.back()}) {
                InterruptWatch::check(kUnfinishedCheck);
                ParticleSet bodies = mixedBodies(count, row.equalMasses);
                for (std::size_t i = 0; i < count; ++i) {
                    if (law.signedSources && i % 3 == 1) bodies.position[i].w *= -1;
                    bodies.velocity[i].w = i % 5 == 0 ? 0.5 : 1;
                }
                std::vector<Double4> got;
                const auto& [want, floors] = truthUnder(force, number, row.equalMasses, bodies);
                backend.load(bodies, {force, {.kernel = std::string(row.name), .allowedError = allowedError}});
                backend.accelerations(got);
                judge(verdict, compareForces(got, want, gate, floors),
                      std::string(law.name) + " " + std::to_string(number + 1) + ", N = " + std::to_string(count) +
                          accuracyText(allowedError));
            }
        }
}

/// Tries a row that omits pairs beyond the reach of a law, under every law with a finite reach.
void verifyUnderLawsThatEnd(Verdict& verdict, Backend& backend, const KernelRow& row, std::optional<double> tolerance) {
    for (const LawRow& law : laws()) {
        for (ForceSettings force : law.tried) {
            force.law = law.law;
            if (!std::isfinite(reachOf(force))) break;
            for (const std::size_t count : kBodyCounts) {
                const ParticleSet bodies = atoms(count);
                std::vector<Double4> got, want(count);
                std::vector<double> floors(count);
                referenceForces(bodies.position, bodies.velocity, bodies.id, force, want, floors);
                for (const PrecisionRow& precision : precisions()) {
                    InterruptWatch::check(kUnfinishedCheck);
                    force.precision = precision.precision;
                    const ForceGate gate = tolerance ? ForceGate{*tolerance, *tolerance} : gateOf(row, force);
                    for (const LaunchConfig& launch : launchesOf(row, kBlocks)) {
                        backend.load(bodies, {force, {.kernel = std::string(row.name), .launch = launch}});
                        backend.accelerations(got);
                        judge(verdict, compareForces(got, want, gate, floors),
                              std::string(law.name) + ", " + std::string(precision.name) + ", " +
                                  launchText(row, count, 0, launch));
                    }
                }
            }
        }
    }
}

void verifySteps(Verdict& verdict, Backend& tested, const KernelRow& row, double tolerance) {
    const ParticleSet start = mixedBodies(kStepBodies, row.equalMasses);
    const auto advanced = [&](Backend& backend, const KernelChoice& kernel, const Integrator& integrator) {
        backend.load(start, {{.softening = kSoftenings.back()}, kernel});
        const Budget budget{.steps = kSteps};
        backend.advance(integrator.program, kStepTime, budget, nullptr);
        backend.finishStep();
        backend.wait();
        return backend.bodies();
    };
    const BackendRow& truth = exactBackend();
    const std::unique_ptr<Backend> reference = truth.make({});
    for (const Integrator& integrator : integrators()) {
        if (!refusal(backend(row.backend), integrator, kStepBodies).empty()) continue;
        if (!refusal(truth, integrator, kStepBodies).empty()) continue;
        InterruptWatch::check(kUnfinishedCheck);
        const ParticleSet want = advanced(*reference, {}, integrator);
        const ParticleSet got = advanced(tested, {std::string(row.name), launchesOf(row, kBlocks).front()}, integrator);
        double worst = 0;
        for (std::size_t i = 0; i < want.size(); ++i) {
            const Double4 &a = got.position[i], &b = want.position[i];
            const double error = distance(a, b);
            if (!(error <= worst)) worst = error;  // keep a NaN
        }
        if (worst <= tolerance || verdict.state == Verdict::State::failed) continue;
        verdict.state = Verdict::State::failed;
        verdict.note = formatted("%lld steps of %s are off by %.1e, more than %.1e", static_cast<long long>(kSteps),
                                 std::string(integrator.name).c_str(), worst, tolerance);
    }
}

/// Numbers in [0, 1) on a grid that fp32 holds exactly, so that every backend computes with the same bodies.
class Grid {
public:
    double next() {
        state_ += 0x9e3779b97f4a7c15u;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return static_cast<double>((z ^ (z >> 31)) >> 44) / (1 << 20);
    }

private:
    std::uint64_t state_ = 2026;
};

std::string nameOfTermKernel(const KernelRow& row) { return std::string(row.term) + ":" + std::string(row.name); }

/// Throws UsageError for a name that no kernel has.
void requireKernels(std::span<const std::string> names) {
    if (names.empty()) return;
    std::vector<std::string> all;
    for (const KernelRow& row : kernels()) all.emplace_back(row.name);
    for (const TermKind& kind : termKinds())
        for (const BackendRow& backend : backends())
            for (const KernelRow* row : listedKernels(backend.name, kind.name)) all.push_back(nameOfTermKernel(*row));
    for (const std::string& name : names)
        if (std::ranges::find(all, name) == all.end())
            throw UsageError(unknownName("kernel", name, {all.begin(), all.end()}));
}

}  // namespace

ParticleSet mixedBodies(std::size_t count, bool equalMasses) {
    ParticleSet bodies;
    bodies.resize(count);
    Grid grid;
    for (std::size_t i = 0; i < count; ++i) {
        const double other = i % 7 == 6 ? 0 : 1 + 99 * grid.next(), run = static_cast<double>(i / 700 % 4);
        const double mass = (2 * i > count ? 20 * run : other) / static_cast<double>(count);
        bodies.position[i] = {2 * grid.next() - 1, 2 * grid.next() - 1, 2 * grid.next() - 1,
                              static_cast<float>(equalMasses ? 50.0 / static_cast<double>(count) : mass)};
        bodies.velocity[i] = {grid.next() - 0.5, grid.next() - 0.5, grid.next() - 0.5, 1};
        if (i % 11 == 10) {
            bodies.position[i].x = bodies.position[i - 1].x;
            bodies.position[i].y = bodies.position[i - 1].y;
            bodies.position[i].z = bodies.position[i - 1].z;
        }
        bodies.id[i] = static_cast<std::uint32_t>(i);
    }
    return bodies;
}

ParticleSet atoms(std::size_t count) {
    const auto side = static_cast<std::size_t>(std::ceil(std::cbrt(static_cast<double>(count))));
    ParticleSet bodies;
    bodies.resize(count);
    Grid grid;
    for (std::size_t i = 0; i < count; ++i) {
        const auto place = [&](std::size_t site) {
            return static_cast<float>(1.1 * static_cast<double>(site) + 0.1 * grid.next() - 2);
        };
        bodies.position[i] = {place(i % side), place(i / side % side), place(i / side / side),
                              0.5 + 0.25 * static_cast<double>(i % 3)};
        bodies.velocity[i] = {0, 0, 0, 1};
        bodies.id[i] = static_cast<std::uint32_t>(i);
    }
    return bodies;
}

std::span<const KnownForces> knownForces() { return kGolden; }

ParticleSet knownBodies() {
    ParticleSet bodies;
    bodies.resize(4);
    bodies.position = {{0, 0, 0, 1}, {1, 0, 0, 2}, {0, 2, 0, 3}, {0, 0, 3, 4}};
    bodies.velocity = {{0.5, 0, 0, 1}, {0, 0.25, 0, 1}, {0, 0, -0.5, 1}, {-0.25, 0.125, 0, 1}};
    bodies.id = {0, 1, 2, 3};
    return bodies;
}

std::vector<LaunchConfig> launchesOf(const KernelRow& row, std::span<const int> blocks) {
    std::vector<int> allowed;
    for (const int block : blocks)
        if (block >= row.blocks.first && (row.blocks.last == 0 || block <= row.blocks.last)) allowed.push_back(block);
    if (!row.blockSizes.empty()) allowed.assign(row.blockSizes.begin(), row.blockSizes.end());
    if (row.blocks.last == 1 || allowed.empty()) allowed = {row.usual.block};
    std::vector<int> unrolls(row.unrolls.begin(), row.unrolls.end());
    if (unrolls.empty()) unrolls = {row.usual.unroll};
    std::vector<LaunchConfig> launches;
    // When not all launches are valid, try the usual one first.
    if (row.usual != LaunchConfig()) launches.push_back(row.usual);
    for (const int block : allowed)
        for (const int unroll : unrolls) {
            LaunchConfig launch = row.usual;
            launch.block = block;
            launch.unroll = unroll;
            if (launches.empty() || launch != launches.front()) launches.push_back(launch);
        }
    return launches;
}

Verdict verifyKernel(Backend& tested, const KernelRow& row, std::optional<double> tolerance) {
    Verdict verdict{.backend = std::string(row.backend), .kernel = std::string(row.name), .note = {}};
    const auto allowed = [&tolerance](const Limits& usual) {
        return tolerance ? Limits{{*tolerance, *tolerance}, {*tolerance, *tolerance}, *tolerance} : usual;
    };
    const bool alwaysExact = backend(row.backend).exact;
    tryOut(verdict, [&] {
        if (row.byCutOff) return verifyUnderLawsThatEnd(verdict, tested, row, tolerance);
        for (const PrecisionRow& precision : precisions()) {
            if (alwaysExact && precision.precision != Precision::fp64) continue;
            const Limits usual = limitsOf(precision.precision);
            if (!row.approximates) {
                verifyForces(verdict, tested, row, precision, allowed(usual), 0);
                continue;
            }
            for (const double accuracy : kAccuracies) {
                const Limits limits = allowed({gateOf(row, {}, accuracy), usual.golden, usual.steps});
                verifyForces(verdict, tested, row, precision, limits, accuracy);
                if (precision.precision == Precision::fp32) verifyLaws(verdict, tested, row, limits.forces, accuracy);
            }
        }
        if (verdict.configurations == 0) throw UsageError("every launch of this row was refused");
        // A few steps of few bodies, so that the approximation moves no body far.
        const double steps = row.approximates ? keptAccuracy(row, {}) * kStepTime : kLimits32.steps;
        verifySteps(verdict, tested, row, allowed(alwaysExact ? kLimits64 : Limits{kGate32, kGolden32, steps}).steps);
    });
    return verdict;
}

Verdict verifyTermKernel(Backend& tested, const KernelRow& row, const TermKind& kind, std::optional<double> tolerance) {
    Verdict verdict{.backend = std::string(row.backend), .kernel = nameOfTermKernel(row), .note = {}};
    constexpr std::size_t kCounts[] = {2, 33, 300};
    tryOut(verdict, [&] {
        for (const PrecisionRow& precision : precisions()) {
            if (backend(row.backend).exact && precision.precision != Precision::fp64) continue;
            const ForceSettings force{.precision = precision.precision, .softening = kSoftenings.back()};
            if (!refusal(row, force).empty()) continue;
            for (const std::size_t count : kCounts)
                for (const LaunchConfig& launch : launchesOf(row, kBlocks)) {
                    InterruptWatch::check(kUnfinishedCheck);
                    System system{mixedBodies(count, false), {{std::make_shared<const PairLaw>(force)}}};
                    system.terms.push_back({kind.example(system.bodies), {std::string(row.name), launch}});
                    std::vector<std::uint32_t> all(count);
                    std::iota(all.begin(), all.end(), 0u);
                    tested.load(system);
                    std::vector<Double4> got, want(count);
                    std::vector<double> floors(count);
                    tested.accelerations(got);
                    for (const Term& term : system.terms)
                        term.what->addAccelerations(termBodies(system.bodies), all, want, floors);
                    const ForceGate gate = looser(gateOf(tested.activeKernel(), force), gateOf(row, force));
                    judge(verdict, compareForces(got, want, tolerance ? ForceGate{*tolerance, *tolerance} : gate, floors),
                          std::string(precision.name) + ", " + launchText(row, count, 0, launch));
                }
        }
    });
    return verdict;
}

std::vector<Verdict> verifyAll(std::span<const BackendRow> rows, const BackendOptions& options,
                               std::optional<double> tolerance, std::span<const std::string> only) {
    requireKernels(only);
    const auto wanted = [&](std::string_view name) { return only.empty() || std::ranges::find(only, name) != only.end(); };
    std::vector<Verdict> verdicts;
    for (const BackendRow& row : rows) {
        const Reason reason = row.unavailable(options);
        if (!reason.empty()) {
            verdicts.push_back(
                {.backend = std::string(row.name), .kernel = "-", .state = Verdict::State::unavailable, .note = reason});
            continue;
        }
        try {
            const std::unique_ptr<Backend> made = row.make(options);
            for (const KernelRow& kernelRow : kernels()) {
                if (kernelRow.backend != row.name || !wanted(kernelRow.name)) continue;
                const Reason missing =
                    kernelRow.byCutOff ? Reason() : refusal(kernelRow, {});  // such a row of this build is no failure
                verdicts.push_back(missing.empty() ? verifyKernel(*made, kernelRow, tolerance)
                                                   : Verdict{.backend = std::string(row.name),
                                                             .kernel = std::string(kernelRow.name),
                                                             .state = Verdict::State::unavailable,
                                                             .note = missing});
            }
            for (const TermKind& kind : termKinds())
                for (const KernelRow* kernelRow : listedKernels(row.name, kind.name))
                    if (kind.example && wanted(nameOfTermKernel(*kernelRow)))
                        verdicts.push_back(verifyTermKernel(*made, *kernelRow, kind, tolerance));
        } catch (const std::exception& error) {
            if (InterruptWatch::signal() != 0) throw;
            verdicts.push_back(
                {.backend = std::string(row.name), .kernel = "-", .state = Verdict::State::failed, .note = error.what()});
        }
    }
    return verdicts;
}

}  // namespace gravlab
