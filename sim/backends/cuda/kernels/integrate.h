// All operations of a step other than forces: one launch runs a list of them for each body, from the sum of the last force
// to the vertex of the picture. Rule: each operation rounds separately, so the division of a list into launches changes no
// bit.
#pragma once
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/backends/cuda/runtime/launch.h"
#include "sim/core/vertex.h"
#include "sim/integrators/apply_op.h"

#include <cstdint>

namespace gravlab::cuda {

/// An operation other than a force.
template <class Real>
struct IntegrateStep {
    Op op;
    std::uint8_t
        least;    ///< in block steps: the operation is for bodies on this level and deeper ones, which have shorter steps
    Real factor;  ///< see factorOf(); for a step on the first level
};

/// One launch. All pointers are device memory, arrays of `count`; null: not wanted.
template <class Real>
struct IntegrateTask {
    using V = Vec4<Real>;
    static constexpr int kMostSteps = 12;

    std::uint32_t count;
    std::uint32_t bodiesPerBlock;  ///< threads of a block divided by this are the threads that share a body's ranges
    const V *x, *v;                ///< the state before
    const V* sums;                 ///< partial forces of `ranges` ranges, or the force itself with one
    std::uint32_t ranges;          ///< 0: no force is known, a = 0
    const V* more;                 ///< added to the force where it is one range: that of another term
    V* force;                      ///< output: the summed force
    V *x0, *v0, *dx, *dv;          ///< scratch registers
    bool usesScratch;
    int end;                   ///< operations after which the step is complete and stored; negative: it does not end here
    V *endX, *endV, *endA;     ///< output: the complete step
    ParticleVertex* vertices;  ///< output: its vertices
    VertexValue shown;
    V *outX, *outV;              ///< the state after all operations
    const std::uint8_t* levels;  ///< for operations of block steps
    int steps;
    IntegrateStep<Real> step[kMostSteps];

    void add(const StepOp& op, double timeStep, int least = 0) {
        step[steps++] = {op.op, static_cast<std::uint8_t>(least), static_cast<Real>(factorOf(op, timeStep))};
    }
};

/// It needs 3 doubles of dynamic shared memory a thread when several threads share a body.
template <class Real>
Kernel<IntegrateTask<Real>> integrateKernel(bool inBlocks = false);

}  // namespace gravlab::cuda
