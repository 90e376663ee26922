// The effect of an operation of a step on the registers: the one place, for host and device, for one body and for columns of
// bodies.
// Rule: each assignment rounds by itself, as its arithmetic defines, so that the division of a list of operations changes no
// bit.
#pragma once
#include "sim/api/vectors.h"
#include "sim/integrators/integrator.h"

namespace gravlab {

/// True for operations that occur only in block steps. applyOp() runs them as if all bodies were on the first level.
GRAVLAB_HOST_DEVICE constexpr bool isOfBlocks(Op op) { return op == Op::levels || op == Op::open || op == Op::close; }

/// True for operations that applyOp() runs: each body by itself, from its own registers alone.
GRAVLAB_HOST_DEVICE constexpr bool isPointwise(Op op) {
    return op == Op::kick || op == Op::drift || op == Op::save || op == Op::combine || op == Op::stage || op == Op::finish ||
           isOfBlocks(op);
}

/// True when operation `op` moves bodies, so that a known force is no longer the force at x.
GRAVLAB_HOST_DEVICE constexpr bool movesBodies(Op op) {
    return op == Op::drift || op == Op::stage || op == Op::finish || op == Op::correct;
}

/// True when `op` reads or writes x0, v0, dx or dv.
GRAVLAB_HOST_DEVICE constexpr bool usesScratch(Op op) {
    return isPointwise(op) && op != Op::kick && op != Op::drift && !isOfBlocks(op);
}

/// The factor for applyOp(): w dt [T] for kick, drift and stage, dt [T] for finish, w for combine.
constexpr double factorOf(const StepOp& step, double timeStep) {
    return step.op == Op::combine ? step.weight : step.op == Op::finish ? timeStep : step.weight * timeStep;
}

/// The registers of a step. A `Register` is a number, a vector of one body, or a pointer to a column of bodies.
/// Scratch registers may be null columns for operations that do not use them, see usesScratch().
template <class Register, class Force = Register>
struct StepRegisters {
    Register x{}, v{};
    Force a{};
    Register x0{}, v0{}, dx{}, dv{};
};

/// Runs one pointwise operation; does nothing for another. `factor` is factorOf() in the registers' precision. `on` defines
/// the assignments, on references to registers:
///   add(to, factor, slope)        to += factor slope
///   set(to, base, factor, slope)  to = base + factor slope; `to` is neither of the others
///   copy(to, from), clear(to)
/// stage moves x by the v from before it, so x comes first.
template <class Register, class Force, class Real, class Arithmetic>
GRAVLAB_HOST_DEVICE void applyOp(Op op, Real factor, StepRegisters<Register, Force>& r, const Arithmetic& on) {
    switch (op) {
        case Op::kick:
        case Op::open:
        case Op::close:
            on.add(r.v, factor, r.a);
            break;
        case Op::drift:
            on.add(r.x, factor, r.v);
            break;
        case Op::save:
            on.copy(r.x0, r.x);
            on.copy(r.v0, r.v);
            on.clear(r.dx);
            on.clear(r.dv);
            break;
        case Op::combine:
            on.add(r.dx, factor, r.v);
            on.add(r.dv, factor, r.a);
            break;
        case Op::stage:
            on.set(r.x, r.x0, factor, r.v);
            on.set(r.v, r.v0, factor, r.a);
            break;
        case Op::finish:
            on.set(r.x, r.x0, factor, r.dx);
            on.set(r.v, r.v0, factor, r.dv);
            break;
        case Op::force:
        case Op::predict:
        case Op::correct:
        case Op::adaptive:
        case Op::levels:
            break;
    }
}

/// The arithmetic of columns: bodies [first, last) of arrays of numbers. Each product is rounded before it is added. Host
/// memory; columns do not overlap.
struct ColumnArithmetic {
    std::size_t first = 0, last = 0;

    template <class Real, class From>
    void add(Real* __restrict to, Real factor, const From* __restrict slope) const {
        for (std::size_t i = first; i < last; ++i) to[i] += factor * slope[i];
    }
    template <class Real, class From>
    void set(Real* __restrict to, const Real* __restrict base, Real factor, const From* __restrict slope) const {
        for (std::size_t i = first; i < last; ++i) to[i] = base[i] + factor * slope[i];
    }
    template <class Real>
    void copy(Real* __restrict to, const Real* __restrict from) const {
        for (std::size_t i = first; i < last; ++i) to[i] = from[i];
    }
    template <class Real>
    void clear(Real* to) const {
        for (std::size_t i = first; i < last; ++i) to[i] = 0;
    }
};

/// The same for columns of vectors (Float4, Double4); w components are never touched.
struct VectorColumnArithmetic {
    std::size_t first = 0, last = 0;

    template <class Vec, class Real>
    void add(Vec* to, Real factor, const Vec* slope) const {
        set(to, to, factor, slope);
    }
    template <class Vec, class Real>
    void set(Vec* to, const Vec* base, Real factor, const Vec* slope) const {
        for (std::size_t i = first; i < last; ++i) {
            to[i].x = base[i].x + factor * slope[i].x;
            to[i].y = base[i].y + factor * slope[i].y;
            to[i].z = base[i].z + factor * slope[i].z;
        }
    }
    template <class Vec>
    void copy(Vec* to, const Vec* from) const {
        for (std::size_t i = first; i < last; ++i) to[i] = from[i];
    }
    template <class Vec>
    void clear(Vec* to) const {
        for (std::size_t i = first; i < last; ++i) to[i] = {};
    }
};

}  // namespace gravlab
