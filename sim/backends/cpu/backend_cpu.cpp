// The CPU backend: checks requests, keeps state that is not physics, and lets the engine compute.
#include "sim/backends/cpu/backend_cpu.h"

#include "sim/api/errors.h"
#include "sim/backends/cpu/aligned_array.h"
#include "sim/backends/cpu/engine.h"
#include "sim/backends/cpu/methods/divided.h"
#include "sim/backends/devices.h"
#include "sim/backends/division.h"
#include "sim/backends/kernel_rows.h"
#include "sim/backends/memory_need.h"
#include "sim/backends/ranks/job.h"
#include "sim/core/names.h"
#include "sim/core/text.h"
#include "sim/core/validation.h"
#include "sim/forces/bonds/bonds.h"
#include "sim/forces/law_numbers.h"
#include "sim/forces/second_pair_law.h"

#include <fstream>
#include <new>
#include <type_traits>

namespace gravlab {
namespace {

using cpu::Engine;
using cpu::EngineContext;
using cpu::SimdTarget;

/// The number of threads for a pool: 0 is all.
int checkedThreads(const std::optional<int>& threads) {
    if (threads && (*threads < 1 || *threads > kMostThreads))
        throw UsageError("threads must be 1 to " + std::to_string(kMostThreads) + ", not " + std::to_string(*threads));
    return threads.value_or(0);
}

/// Threads of that part of a force in this process, 0 is the first: the parts divide the cores. 0 without helpers: all.
int threadsOf(const BackendOptions& options, std::size_t part) {
    const int wanted = checkedThreads(options.threads), parts = static_cast<int>(cpuHelpers(options).size()) + 1;
    const Job* const job = Job::current();
    if (parts == 1 && !job) return wanted;
    const int all = wanted > 0 ? wanted : job ? job->threads() : usableCores();
    return std::max(1, (all + parts - 1 - static_cast<int>(part)) / parts);
}

const SimdTarget& simdOf(const BackendOptions& options) {
    return options.simd ? cpu::simdTarget(*options.simd) : cpu::simdTargets().front();
}

/// Helpers that are threads, each with threads of its own, and the other ranks of a job; null where there are none.
std::unique_ptr<Exchange> helpersOf(const BackendOptions& options) {
    auto exchange = std::make_unique<Exchange>(threadsOf(options, 0));
    for (std::size_t part = 1; part <= cpuHelpers(options).size(); ++part)
        exchange->add(cpu::partHelper(part, threadsOf(options, part), simdOf(options)), threadsOf(options, part));
    if (Job* const job = Job::current()) {
        MessageWriter order;
        order.add(false);  // of a processor
        order.add(std::span<const char>(simdOf(options).name));
        job->join(*exchange, checkedThreads(options.threads), std::move(order));
    }
    return exchange->helpers() > 0 ? std::move(exchange) : nullptr;
}

/// The processor's name from the kernel of Linux; "CPU" elsewhere.
std::string processorName() {
    std::ifstream facts("/proc/cpuinfo");
    for (std::string line; std::getline(facts, line);) {
        const std::size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
    }
    return "CPU";
}

std::string threadsText(int threads) { return std::to_string(threads) + (threads == 1 ? " thread" : " threads"); }

class CpuBackend final : public EngineBackend<Engine, EngineContext> {
public:
    explicit CpuBackend(const BackendOptions& options)
        : EngineBackend(threadsOf(options, 0), simdOf(options), helpersOf(options)),
          helpersText_(helpersText({.helpers = cpuHelpers(options)}) + ranksText(", ")) {
        threads_ = context_.pool.threads();
        for (std::size_t part = 1; part <= helpers(); ++part)
            threads_ += static_cast<int>(context_.exchange->weights()[part]);
        RunSize parts;
        countHelpers(parts, hostBackend(), options);
        helpersHere_ = parts.helpers;
        engine_ = makeEngine({}, {}, *row_, {});
    }

    std::string_view name() const override { return "cpu"; }
    std::string description() const override {
        return std::string(context_.simd.title) + ", " + threadsText(threads_) + helpersText_;
    }
    MemorySpace vertexSpace() const override { return MemorySpace::host; }
    double pairsOfForce() const override {
        return static_cast<double>(size()) * static_cast<double>(sources().among(size()));
    }

    using Backend::load;
    void load(const ParticleSet& bodies, const ForceTerms& terms, const SystemConfiguration& configuration) override {
        const ForceSettings& force = pairLawOf(terms);
        SystemConfiguration how = configuration;
        how.resize(terms.size());
        const KernelRow& row =
            choose(force, how[0].kernel, bodies.size(), MassiveBodies{nullptr, sourcesOf(bodies.position).count});
        const LaunchConfig launch = launchOf(row, how[0].kernel.launch);
        ForceTerms loaded = terms;
        const auto labels = translated(
            [&] {
                return std::make_shared<Labels>(Labels{bodies.id, bodies.group, bodies.surface});
            },
            bodies.size(), row, force);
        const EngineTerms computed = engineTerms(terms, launched(how, launch), labels);
        const bool inPlace = engine_.with(
            [&](auto& e) { return e.replace(bodies.position, bodies.velocity, cpu::cpuKernel(row), computed); });
        if (!inPlace) makeEngineOf(bodies.position, bodies.velocity, row, computed);
        labels_ = labels;
        row_ = &row;
        launch_ = launch;
        terms_ = std::move(loaded);
        configuration_ = std::move(how);
        context_.check.cancel();
    }

    bool change(const BodyChanges& changes, bool moved) override {
        // Mixed precision has units that fit all places.
        if (!changes.removed.empty() || pairLawOf(terms_).precision == Precision::mixed) return false;
        engine_.with([&](auto& e) { e.change(changes, moved); });
        changeLabels(changes);
        context_.check.cancel();
        return true;
    }

    void configure(const ForceSettings& force, const KernelChoice& choice) override {
        const KernelRow& row = choose(force, choice, size(), sources());
        const LaunchConfig launch = launchOf(row, choice.launch);
        const ForceSettings before = pairLawOf(terms_);
        ForceTerms terms = termsOf(force, othersOf(terms_));
        SystemConfiguration how = configuration_;
        how[0].kernel = choice;
        if (force != before || &row != row_ || choice != configuration_[0].kernel) {
            // The state exists already, so only the new method is still to be allocated.
            if ((&row != row_ || launch != launch_) && force.precision == before.precision)
                requireHostMemory(cpu::cpuKernel(row).bytes(size(), force), "the sums of the new kernel");
            context_.check.cancel();
            if (force.precision != before.precision) {
                std::vector<Double4> positions, velocities;
                engine_.with([&](auto& e) { return e.copyState(positions, velocities); });
                const Clock clock = engine_.with([](auto& e) { return e.clock(); });
                makeEngineOf(positions, velocities, row, engineTerms(terms, launched(how, launch), labels_));
                setClock(clock);
            } else {
                // A slow kernel may be minutes from the end of its step, so the step begins again with the new kernel. A new
                // softening waits for the end of the step: otherwise dragging its slider would stop large systems entirely.
                if (&row != row_) engine_.with([&](auto& e) { return e.abandonStep(); });
                translated(
                    [&] {
                        engine_.with(
                            [&](auto& e) { e.configure(force, cpu::cpuKernel(row), launched(how, launch)[0].kernel); });
                    },
                    size(), row, force);
            }
        }
        terms_ = std::move(terms);
        configuration_ = std::move(how);
        row_ = &row;
        launch_ = launch;
    }
    const KernelRow& activeKernel() const override { return *row_; }
    LaunchConfig activeLaunch() const override {
        const bool blocks = row_->blocks.first != row_->blocks.last;
        return {blocks ? launch_.block : 1, row_->unrolls.empty() ? 1 : launch_.unroll, 1, 1};
    }

    AdvanceStatus advance(StepProgram program, double timeStep, const Budget& budget, VertexSink* sink) override {
        const auto start = std::chrono::steady_clock::now();
        const AdvanceStatus status =
            translated([&] { return engine_.with([&](auto& e) { return e.advance(program, timeStep, budget, sink); }); },
                       size(), *row_, pairLawOf(terms_));
        if (context_.check.running()) context_.check.run(context_.pool, checkDeadline(start, budget.seconds));
        return status;
    }

    void setVertexValue(VertexValue value) override { context_.shown = value; }

    void wait() override { context_.check.run(context_.pool, kNoDeadline); }

    void accelerations(std::vector<Double4>& out) override {
        translated([&] { EngineBackend::accelerations(out); }, size(), *row_, pairLawOf(terms_));
    }

    std::optional<ForceCheck> takeForceCheck() override {
        // While the run is paused, nothing else drives the check.
        if (context_.check.running()) context_.check.run(context_.pool, std::chrono::steady_clock::now() + kCheckSlice);
        return context_.check.take();
    }

    WorkTotals totals() override { return context_.totals; }
    DevicePeaks peaks() override { return cpu::measuredPeaks(context_.simd, context_.pool); }
    LaunchFacts launchFacts() const override {
        static const std::string model = processorName();
        return {.device = model + ", " + std::string(context_.simd.title) + helpersText_,
                .cpuThreads = cpu::cpuKernel(*row_).sharesWork ? threads_ : 1,
                .vectorLanes = context_.simd.lanes};
    }

private:
    static constexpr std::chrono::microseconds kCheckSlice{500};
    /// Smallest N at which the tree is faster than all pairs, for any number of threads; measured, see docs/benchmarks.
    static std::size_t treeBodies(double allowedError) {
        return allowedError >= 5e-4 ? 8192 : allowedError >= 1e-4 ? 16384 : 65536;
    }

    /// Smallest N at which Newton's third law is faster on up to eight threads: 1.3 to 1.5 times. It does not depend on
    /// their number, because the sums of both rows differ in their last bits.
    static constexpr std::size_t kSymmetricBodies = 4096;

    /// Smallest N at which cells are faster than all pairs under a law that ends; see docs/benchmarks/far-field.md.
    static constexpr std::size_t kCellBodies = 1024;

    /// A check gets a quarter of the frame's budget, and all the time it needs where there is no limit.
    static Deadline checkDeadline(Deadline start, double budgetSeconds) {
        if (!(budgetSeconds < 1)) return kNoDeadline;
        const auto quarter =
            std::chrono::duration_cast<Deadline::duration>(std::chrono::duration<double>(budgetSeconds / 4));
        return std::max(start, std::chrono::steady_clock::now()) + std::max<Deadline::duration>(quarter, kCheckSlice);
    }

    std::size_t helpers() const { return context_.exchange ? context_.exchange->helpers() : 0; }
    MassiveBodies sources() const {
        return engine_.with([](const auto& e) { return e.sources(); });
    }

    /// The row that computes `bodies` bodies. Throws UsageError when no row can compute the request.
    const KernelRow& choose(const ForceSettings& force, const KernelChoice& choice, std::size_t bodies,
                            const MassiveBodies& sources) const {
        requireSoftening(force.softening);
        requireLawNumbers(force);
        const KernelRow& row = named(force, choice, bodies, sources.among(bodies));
        if (const Reason reason = refusal(row, force); !reason.empty()) throw UsageError(reason);
        return row;
    }

    /// The launch with the values that the row uses. Throws UsageError for values that it was not built with.
    static LaunchConfig launchOf(const KernelRow& row, const LaunchConfig& wanted) {
        LaunchConfig launch = tunable(row, wanted);
        if (row.blockSizes.empty() && row.unrolls.empty()) return launch;
        // Runs saved this value before rows of the CPU had a block.
        if (wanted.block == 1) launch.block = row.usual.block;
        if (!row.blockSizes.empty()) requireListed(row, "block", row.blockSizes, launch.block);
        if (!row.unrolls.empty()) requireListed(row, "unroll", row.unrolls, launch.unroll, unrollText);
        return launch;
    }
    static SystemConfiguration launched(SystemConfiguration how, const LaunchConfig& launch) {
        how[0].kernel.launch = launch;
        return how;
    }

    /// The row of that name; without a name the best for `bodies` bodies, `sources` of which act, and the allowed error.
    const KernelRow& named(const ForceSettings& force, const KernelChoice& choice, std::size_t bodies,
                           std::size_t sources) const {
        if (choice.kernel) return kernel("cpu", *choice.kernel);
        const LaunchConfig usual;
        const bool block = choice.launch.block != usual.block, unroll = choice.launch.unroll != usual.unroll;
        if (block && unroll)
            throw UsageError("no kernel of the CPU has a block and an unroll factor: leave one of them out");
        if (block || unroll) return kernel("cpu", block ? "symmetric-threads" : "simd-threads");
        if (const KernelRow& tree = kernel("cpu", "tree");
            choice.allowedError > 0 && sources >= treeBodies(choice.allowedError) && refusal(tree, force).empty())
            return tree;
        if (const KernelRow& cells = kernel("cpu", "cells"); bodies >= kCellBodies && refusal(cells, force).empty())
            return cells;
        const bool symmetric = sources == bodies && bodies >= kSymmetricBodies;
        return kernel("cpu", symmetric ? "symmetric-threads" : "simd-threads");
    }

    Engine makeEngine(std::span<const Double4> positions, std::span<const Double4> velocities, const KernelRow& row,
                      const EngineTerms& terms) {
        return {pairLawOf(terms.terms).precision, context_, positions, velocities, cpu::cpuKernel(row), terms};
    }
    /// Makes the new engine before it drops the old one, so that a failure leaves the old bodies as they were.
    void makeEngineOf(std::span<const Double4> positions, std::span<const Double4> velocities, const KernelRow& row,
                      const EngineTerms& terms) {
        const ForceSettings& force = pairLawOf(terms.terms);
        requireHostMemory(sumOf(cpuRows(sizeOf(positions.size(), row, force, helpersHere_))).host, "the bodies on the cpu");
        translated([&] { engine_ = makeEngine(positions, velocities, row, terms); }, positions.size(), row, force);
    }

    static RunSize sizeOf(std::size_t bodies, const KernelRow& row, const ForceSettings& force, std::size_t helpers = 0) {
        RunSize size;
        size.bodies = bodies;
        size.force = force;
        size.kernel.kernel = std::string(row.name);
        size.helpers = helpers;
        return size;
    }

    /// Runs `work` and turns a lack of memory into an error that says how much is needed.
    template <class Work>
    static std::invoke_result_t<Work> translated(Work work, std::size_t bodies, const KernelRow& row,
                                                 const ForceSettings& force) {
        try {
            return work();
        } catch (const std::bad_alloc&) {
            throw OutOfMemoryError("not enough memory: " + needText(sumOf(cpuRows(sizeOf(bodies, row, force))), bodies) +
                                   "; use fewer bodies or --threads");
        }
    }

    const std::string helpersText_;  ///< see there
    int threads_ = 0;                ///< of all parts
    std::size_t helpersHere_ = 0;    ///< that need memory of this host
    const KernelRow* row_ = &kernel("cpu", "simd-threads");
    LaunchConfig launch_ = row_->usual;  ///< with values that the row accepts
};

}  // namespace

template class cpu::EngineOf<float>;
template class cpu::EngineOf<double>;

MemoryRows cpuRows(const RunSize& run) {
    const KernelChoice& choice = run.kernel;
    const bool named = choice.kernel && hasKernel("cpu", *choice.kernel);
    const bool tree = choice.allowedError > 0 && refusal(kernel("cpu", "tree"), run.force).empty();
    const KernelRow& row = kernel("cpu", named ? std::string_view(*choice.kernel) : tree ? "tree" : "symmetric-threads");
    const cpu::CpuKernel& code = cpu::cpuKernel(row);
    const auto n = static_cast<double>(run.bodies), padded = static_cast<double>(roundUp(run.bodies, kTile));
    const double real = run.force.precision == Precision::fp32 ? sizeof(float) : sizeof(double),
                 pair = run.force.precision == Precision::fp64 ? sizeof(double) : sizeof(float);
    const double method = code.bytes(run.bodies, run.force);
    MemoryRows rows{{"two states: positions, velocities and accelerations; masses and responses", 20 * real * padded},
                    {"arrays of the force method", method}};
    if (needsScratch(run.program)) rows.push_back({"registers of the integrator", 12 * real * padded});
    if (inBlocks(run.program))
        rows.push_back({"levels, and lists, positions and sums of active bodies",
                        n * (1 + (everyPair(row) ? 3 * pair + 3 * real + sizeof(std::uint32_t) : 1))});
    for (const Term& term : run.others) {
        rows.push_back({"sums of a term", 3 * real * padded});
        if (const auto* bonds = dynamic_cast<const Bonds*>(term.what.get()))
            rows.push_back(
                {"partners of bonds", sizeof(std::uint32_t) * (n + 4.0 * static_cast<double>(bonds->list().size()))});
        if (const auto* second = dynamic_cast<const SecondPairLaw*>(term.what.get()))
            rows.push_back(
                {"masses and method of the second pair law",
                 real * padded + cpu::cpuKernel(kernel("cpu", termKernel("cpu", term.what->kind(), term.how.kernel).name))
                                     .bytes(run.bodies, second->law())});
    }
    if (run.helpers > 0 && whyUndivided(row, run.program, run.bodies, true).empty()) {
        const auto parts = static_cast<double>(run.helpers);
        rows.push_back({"messages to helpers, and their results", (10 * real + sizeof(float)) * n});
        // A helper has a copy of the message, and its own sums.
        rows.push_back(
            {"messages, bodies and methods of helpers", parts * ((8 * real + 2 * sizeof(float)) * padded + method)});
    }
    rows.push_back({"positions in double precision", sizeof(Double4) * n, false, "while forces are checked", false});
    // A copy of the bodies, and their places; then energies and neighbours, by a tree in double precision or by pairs.
    ForceSettings single = run.force;
    single.precision = Precision::fp32;
    constexpr double kCopy = 3 * sizeof(Double4) + 5, kDoubles = 3 * sizeof(double), kFields = 12;
    if (row.approximates)
        rows.push_back({"copy of the bodies, and a tree of their energies",
                        (kCopy + kDoubles + kFields) * n + code.bytes(run.bodies, single), false, "a measurement", false});
    else
        rows.push_back(
            {"copy of the bodies, and their energies", (kCopy + sizeof(PairRow)) * n, false, "a measurement", false});
    return rows;
}

RankSelf rankOfCpu() {
    return {usableCores(), processorName() + ", " + std::string(cpu::simdTargets().front().title),
            [](std::size_t part, int threads, int place, MessageReader order, Transfers& beside) {
                if (order.get<bool>()) return deviceHelper(part, place, order, beside);
                const auto name = order.rest();
                const std::string simd(reinterpret_cast<const char*>(name.data()), name.size());
                return cpu::partHelper(part, threads, cpu::simdTarget(simd));
            }};
}

BackendRow cpuBackendRow() {
    return {.name = "cpu",
            .idea = "all cores, many bodies in each vector register, instruction set chosen at run time",
            .unavailable = [](const BackendOptions&) { return Reason(); },
            .make = [](const BackendOptions& options) -> std::unique_ptr<Backend> {
                return std::make_unique<CpuBackend>(options);
            },
            .devices =
                [] {
                    std::string text = threadsText(usableCores()) + ", instruction sets:";
                    for (const SimdTarget& target : cpu::simdTargets()) text.append(" ").append(target.name);
                    return text;
                },
            .usesCores = true,
            .mostStudied = 65536};
}

}  // namespace gravlab
