// Everything of a step that is not a force: one launch runs a list of operations for each body, from the sum of the last
// force to the vertex that is drawn. Rule: each operation rounds by itself, so how a list is cut changes no bit.
#pragma once
#include "sim/backends/cuda/kernels/vec4.h"
#include "sim/core/vertex.h"

#include <cstdint>

namespace gravlab::cuda {

enum class PassOp : std::uint32_t {
    kick,     ///< v += w a
    drift,    ///< x += w v
    save,     ///< x0 = x, v0 = v, dx = 0, dv = 0
    combine,  ///< dx += w v, dv += w a
    stage,    ///< x = x0 + w v, v = v0 + w a, both from before
    finish,   ///< x = x0 + w dx, v = v0 + w dv
    end       ///< the step is complete: stores it, and its vertex
};

template <class Real>
struct PassStep {
    PassOp op;
    Real weight;
};

/// One launch. Device memory throughout; arrays of `count`. Null where not wanted.
template <class Real>
struct PassTask {
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
    V *endX, *endV, *endA;     ///< where PassOp::end stores
    ParticleVertex* vertices;  ///< where PassOp::end stores what is drawn
    VertexValue shown;
    V *outX, *outV;  ///< the state after all operations
    int steps;
    PassStep<Real> step[kMostSteps];

    void add(PassOp op, double weight = 0) { step[steps++] = {op, static_cast<Real>(weight)}; }
};

/// Needs 3 doubles of dynamic shared memory a thread when several threads share a body.
template <class Real>
const void* passKernel();

}  // namespace gravlab::cuda
