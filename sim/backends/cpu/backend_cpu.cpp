// The CPU backend: checks what is asked for, keeps what is not physics, and lets the engine compute.
#include "sim/backends/cpu/backend_cpu.h"

#include "sim/backends/cpu/cpu_method.h"
#include "sim/backends/cpu/engine.h"
#include "sim/backends/kernel_rows.h"
#include "sim/core/names.h"
#include "sim/core/out_of_memory.h"
#include "sim/core/validation.h"
#include "sim/forces/law_numbers.h"

#include <cstdio>
#include <fstream>
#include <new>
#include <type_traits>

namespace gravlab {
namespace {

using cpu::Engine;
using cpu::EngineContext;
using cpu::SimdTarget;

int checkedThreads(int threads) {
    if (threads < 0 || threads > kMostThreads)
        throw UsageError("threads must be 0 (all cores) to " + std::to_string(kMostThreads) + ", not " +
                         std::to_string(threads));
    return threads;
}

/// As the kernel of Linux names it; "CPU" elsewhere.
std::string processorName() {
    std::ifstream facts("/proc/cpuinfo");
    for (std::string line; std::getline(facts, line);) {
        const std::size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
    }
    return "CPU";
}

std::string threadsText(int threads) { return std::to_string(threads) + (threads == 1 ? " thread" : " threads"); }

class CpuBackend final : public Backend {
public:
    explicit CpuBackend(const BackendOptions& options)
        : context_(checkedThreads(options.threads), cpu::simdTarget(options.simd)) {
        engine_ = cpu::makeEngine(context_, {}, {}, wanted_.force, cpu::cpuKernel(*row_));
    }

    std::string_view name() const override { return "cpu"; }
    std::string description() const override {
        return std::string(context_.simd.title) + ", " + threadsText(context_.pool.threads());
    }
    std::size_t size() const override { return engine_->size(); }
    MemorySpace vertexSpace() const override { return MemorySpace::host; }

    void load(const ParticleSet& bodies, const ForceConfiguration& configuration) override {
        const KernelRow& row = choose(configuration, bodies.size());
        ForceConfiguration wanted = configuration;
        replaceEngine(bodies.position, bodies.velocity, wanted.force, row, [&] {
            std::vector<std::uint32_t> id = bodies.id;
            std::vector<std::uint8_t> group = bodies.group;
            return std::pair(std::move(id), std::move(group));
        });
        wanted_ = std::move(wanted);
    }

    void snapshot(ParticleSet& out) override {
        engine_->copyState(out.position, out.velocity);
        out.id = id_;
        out.group = group_;
    }

    void configure(const ForceSettings& force, const KernelChoice& choice) override {
        ForceConfiguration wanted{force, choice};
        const KernelRow& row = choose(wanted, size());
        if (force == wanted_.force && &row == row_) {
            wanted_ = std::move(wanted);
            return;
        }
        context_.check.cancel();
        if (force.precision != wanted_.force.precision) {
            ParticleSet bodies;
            snapshot(bodies);
            replaceEngine(bodies.position, bodies.velocity, force, row,
                          [&] { return std::pair(std::move(bodies.id), std::move(bodies.group)); });
        } else {
            // A slow kernel may be minutes from the end of its step: the step begins again with the new one. Softening
            // waits for the end of the step instead, or moving its slider would keep large systems from moving at all.
            if (&row != row_) engine_->abandonStep();
            translated([&] { engine_->configure(force, cpu::cpuKernel(row)); }, size(), row, force.precision);
        }
        wanted_ = std::move(wanted);
        row_ = &row;
    }
    ForceConfiguration configuration() const override { return wanted_; }
    const KernelRow& activeKernel() const override { return *row_; }
    LaunchConfig activeLaunch() const override { return {1, 1, 1, 1}; }

    AdvanceStatus advance(StepProgram program, double timeStep, const Budget& budget, VertexSink* sink) override {
        const auto start = std::chrono::steady_clock::now();
        const AdvanceStatus status = translated([&] { return engine_->advance(program, timeStep, budget, sink); }, size(),
                                                *row_, wanted_.force.precision);
        if (context_.check.running()) context_.check.run(context_.pool, checkDeadline(start, budget.seconds));
        return status;
    }

    void publish(VertexSink& sink) override { engine_->publish(sink); }
    void setVertexValue(VertexValue value) override { context_.shown = value; }

    void finishStep() override { engine_->finishStep(); }
    void wait() override { context_.check.run(context_.pool, kNoDeadline); }

    void accelerations(std::vector<Double4>& out) override {
        translated([&] { engine_->accelerations(out); }, size(), *row_, wanted_.force.precision);
    }

    void requestForceCheck(std::vector<std::uint32_t> targets) override {
        for (const std::uint32_t target : targets)
            if (target >= size()) throw UsageError("force check: there is no body with index " + std::to_string(target));
        context_.check.request(std::move(targets));
    }
    std::optional<ForceCheck> takeForceCheck() override {
        // Nothing else drives the check while the picture is paused.
        if (context_.check.running()) context_.check.run(context_.pool, std::chrono::steady_clock::now() + kCheckSlice);
        return context_.check.take();
    }

    WorkTotals totals() override { return context_.totals; }
    LaunchFacts launchFacts() const override {
        static const std::string model = processorName();
        return {.device = model + ", " + std::string(context_.simd.title),
                .cpuThreads = cpu::cpuKernel(*row_).sharesWork ? context_.pool.threads() : 1,
                .vectorLanes = context_.simd.lanes};
    }

private:
    static constexpr std::chrono::microseconds kCheckSlice{500};

    /// A check shares the time of a frame: a quarter of the budget, and all the time it needs where there is no limit.
    static Deadline checkDeadline(Deadline start, double budgetSeconds) {
        if (!(budgetSeconds < 1)) return kNoDeadline;
        const auto quarter =
            std::chrono::duration_cast<Deadline::duration>(std::chrono::duration<double>(budgetSeconds / 4));
        return std::max(start, std::chrono::steady_clock::now()) + std::max<Deadline::duration>(quarter, kCheckSlice);
    }

    /// The row that computes so many bodies. Throws UsageError when none can as it is asked.
    const KernelRow& choose(const ForceConfiguration& configuration, std::size_t bodies) const {
        requireSoftening(configuration.force.softening);
        requireLawNumbers(configuration.force);
        const KernelRow& row = named(configuration.kernel.kernel, bodies);
        if (const Reason reason = refusal(row, configuration.force); !reason.empty()) throw UsageError(reason);
        return row;
    }

    /// The row of that name, or what `auto` means for so many bodies.
    const KernelRow& named(std::string_view name, std::size_t bodies) const {
        if (name != "auto") return kernel("cpu", name);
        // Newton's third law brings 1.5 times the rate once there are tiles enough to keep all threads busy.
        const bool symmetric = bodies >= 2048 * static_cast<std::size_t>(context_.pool.threads());
        return kernel("cpu", symmetric ? "symmetric-threads" : "simd-threads");
    }

    /// Makes the new engine before the old one goes, so that a failure leaves the old bodies as they were.
    template <class Names>
    void replaceEngine(std::span<const Double4> positions, std::span<const Double4> velocities, const ForceSettings& force,
                       const KernelRow& row, Names names) {
        requireHostMemory(cpu::engineBytes(positions.size(), cpu::cpuKernel(row), force.precision), "the bodies on the cpu");
        translated(
            [&] {
                std::unique_ptr<Engine> engine =
                    cpu::makeEngine(context_, positions, velocities, force, cpu::cpuKernel(row));
                auto [id, group] = names();
                engine_ = std::move(engine);
                id_ = std::move(id);
                group_ = std::move(group);
                row_ = &row;
                context_.check.cancel();
            },
            positions.size(), row, force.precision);
    }

    /// Runs `work`; a lack of memory becomes an error that says how much is needed.
    template <class Work>
    static std::invoke_result_t<Work> translated(Work work, std::size_t bodies, const KernelRow& row, Precision precision) {
        try {
            return work();
        } catch (const std::bad_alloc&) {
            const double bytes = cpu::engineBytes(bodies, cpu::cpuKernel(row), precision);
            char text[160];
            std::snprintf(text, sizeof text,
                          "not enough memory: %zu bodies need %.0f bytes (%.1f MB) on the cpu; use fewer bodies", bodies,
                          bytes, bytes / 1e6);
            throw OutOfMemoryError(text);
        }
    }

    EngineContext context_;
    ForceConfiguration wanted_;
    const KernelRow* row_ = &kernel("cpu", "simd-threads");
    std::unique_ptr<Engine> engine_;
    std::vector<std::uint32_t> id_;
    std::vector<std::uint8_t> group_;
};

}  // namespace

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
                }};
}

}  // namespace gravlab
