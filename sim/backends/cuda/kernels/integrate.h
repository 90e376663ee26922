// Everything of a step that is not a force: one launch runs a list of operations for each body, from the sum of the last
// force to the vertex that is drawn. Rule: each operation rounds by itself, so how a list is cut changes no bit.
#pragma once
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/backends/cuda/runtime/launch.h"
#include "sim/core/vertex.h"
#include "sim/integrators/apply_op.h"

#include <cstdint>

namespace gravlab::cuda {

/// An operation but a force.
template <class Real>
struct IntegrateStep {
    Op op;
    std::uint8_t least;  ///< of block steps: for bodies on this rung and deeper ones, whose own steps are shorter
    Real factor;         ///< see factorOf(); of a step on the first rung
};

/// One launch. Device memory throughout; arrays of `count`. Null where not wanted.
template <class Real>
struct IntegrateTask {
    using V = Vec4<Real>;
    static constexpr int kMostSteps = 12;

    std::uint32_t count;
    std::uint32_t bodiesPerBlock;  ///< threads a block over this: the threads that share a body's ranges
    const V *x, *v;                ///< the state before
    const V* sums;                 ///< partial forces of `ranges` ranges, or the force itself with one
    std::uint32_t ranges;          ///< 0: no force is known, a = 0
    V* force;                      ///< where the summed force is kept
    V *x0, *v0, *dx, *dv;          ///< scratch registers
    bool usesScratch;
    int end;                   ///< operations after which the step is complete and stored; negative: it goes on
    V *endX, *endV, *endA;     ///< where the complete step goes
    ParticleVertex* vertices;  ///< where what is drawn of it goes
    VertexValue shown;
    V *outX, *outV;             ///< the state after all operations
    const std::uint8_t* rungs;  ///< of block steps: for blockIntegrateKernel()
    int steps;
    IntegrateStep<Real> step[kMostSteps];

    void add(const StepOp& op, double timeStep, int least = 0) {
        step[steps++] = {op.op, static_cast<std::uint8_t>(least), static_cast<Real>(factorOf(op, timeStep))};
    }
};

/// Needs 3 doubles of dynamic shared memory a thread when several threads share a body.
template <class Real>
Kernel<IntegrateTask<Real>> integrateKernel();
/// The same for operations of block steps.
template <class Real>
Kernel<IntegrateTask<Real>> blockIntegrateKernel();

}  // namespace gravlab::cuda
