// The bodies of the CPU backend and what can be done with them, for one precision of the state.
// Rule: what is shown, saved and checked is the last complete step; a step under way works on a copy.
#pragma once
#include "sim/backends/backend.h"
#include "sim/backends/cpu/force_check_job.h"
#include "sim/backends/cpu/kernels/simd_targets.h"
#include "sim/backends/cpu/methods/cpu_method.h"
#include "sim/core/thread_pool.h"

#include <memory>

namespace gravlab::cpu {

/// What outlives a change of bodies or of precision.
struct EngineContext {
    ThreadPool pool;
    const SimdTarget& simd;
    WorkTotals totals;
    CheckJob check;
    VertexValue shown = VertexValue::speed;

    EngineContext(int threads, const SimdTarget& simdTarget) : pool(threads), simd(simdTarget) {}
};

/// Bodies in one precision. One thread drives it; it uses the context's pool.
class Engine {
public:
    virtual ~Engine() = default;
    virtual std::size_t size() const = 0;
    /// Positions and velocities of the last complete step.
    virtual void copyState(std::vector<Double4>& positions, std::vector<Double4>& velocities) const = 0;
    /// From the next step on. Precision stays what the engine was made with. Throws std::bad_alloc; the old ones then stay.
    /// `how` has the launch as the row takes it.
    virtual void configure(const ForceSettings& force, const CpuKernel& kernel, const KernelChoice& how) = 0;
    virtual AdvanceStatus advance(StepProgram program, double timeStep, const Budget& budget, VertexSink* sink) = 0;
    virtual void publish(VertexSink& sink) = 0;
    virtual void finishStep() = 0;
    virtual void abandonStep() = 0;
    virtual void accelerations(std::vector<Double4>& out) = 0;
    virtual std::vector<MethodFigure> figures() const = 0;  ///< of the pair law's method
    /// See Backend.
    virtual bool keepsForceState() const = 0;
    virtual std::vector<StateArray> forceState() const = 0;
    virtual void restoreForceState(const std::vector<StateArray>& state) = 0;
};

/// Takes the bodies over, in the precision that `force` asks for. `kernel` must outlive the engine; it need not be a row of
/// the table. Throws std::bad_alloc, and UsageError for a term without a method here.
std::unique_ptr<Engine> makeEngine(EngineContext& context, std::span<const Double4> positions,
                                   std::span<const Double4> velocities, const ForceSettings& force, const CpuKernel& kernel,
                                   const EngineTerms& terms = {});

/// Bytes that an engine holds for `bodies` bodies in `precision`, the kernel's method included.
double engineBytes(std::size_t bodies, const CpuKernel& kernel, const ForceSettings& force, bool inBlocks = false);

}  // namespace gravlab::cpu
