// Input and output of the force methods of the CPU. Rule: the engine knows methods, never rows.
#pragma once
#include "sim/api/vectors.h"
#include "sim/backends/cpu/kernels/simd_targets.h"
#include "sim/backends/force_method.h"
#include "sim/backends/kernel.h"
#include "sim/backends/row_table.h"
#include "sim/core/thread_pool.h"

#include <array>
#include <functional>
#include <memory>
#include <span>

namespace gravlab {
class Exchange;  // exchange.h
class MessageWriter;
class MessageReader;
}  // namespace gravlab

namespace gravlab::cpu {

/// Up to this N a force takes 15 microseconds or less with SIMD, so several threads would cost more than they save.
constexpr std::size_t kTinyBodies = 256;

/// Bodies of the state, in host memory: arrays of `count`, 64-byte aligned and padded with zeros to whole tiles of kTile,
/// [L] and [M].
template <class T>
struct CpuBodies {
    std::array<const T*, 3> axis{};
    const T* source = nullptr;
    std::size_t count = 0;
    std::array<const T*, 3> velocity{};  ///< [L/T]; at the time of the positions only under takesVelocities() programs
    const T* response = nullptr;         ///< see ParticleSet; the engine multiplies the sums by it
};

/// Body i of three arrays.
template <class T>
Vec3<T> vectorAt(const std::array<const T*, 3>& axis, std::size_t i) {
    return {axis[0][i], axis[1][i], axis[2][i]};
}

/// A complete evaluation, in the state's precision, in host memory: arrays of the method, valid until its next prepare().
template <class T>
struct CpuForceSums {
    std::array<const T*, 3> axis{};  ///< the term's accelerations without factor and response [L/T^2]
    T factor = 1;                    ///< remaining factor, beside each body's response; see forceFactor()
};

/// One method that computes one force term on the CPU, for a state in T: float, or double for mixed and fp64. enqueue()
/// computes on the calling thread and the pool's, and returns when its slice is done. The result has the same bits for any
/// number of threads. Only construction allocates, and throws std::bad_alloc.
template <class T>
using CpuForceMethod = ForceMethod<CpuBodies<T>, CpuForceSums<T>>;

/// What a method has beside its evaluations where it computes a part of a force, and its like on helpers compute the others.
/// A part is a request with a range of targets, or of parts of a tree.
class PartMethod {
public:
    virtual ~PartMethod() = default;
    /// |a| of the last evaluation, where the next one reads them; empty: they are not known.
    virtual std::span<const float> lengths() const { return {}; }
    virtual void setLengths(MessageReader&) {}
    /// Writes work and sums of the complete part.
    virtual void give(MessageWriter& to) const = 0;
    /// Adds to the complete own part what a helper gave for another part of the same evaluation.
    virtual ForceWork take(const ForceRequest& part, MessageReader& from) = 0;
    /// All parts are there.
    virtual void endParts() {}
    /// Work of each of kTreeParts in the last evaluation; empty where parts are ranges of targets.
    virtual std::vector<double> partWork() const { return {}; }
    /// First and last body of a part of the complete evaluation; adds none where it has no bodies.
    virtual void addEnds(const ForceRequest& part, std::vector<std::uint32_t>& to) const = 0;
};

/// Objects that a method may use for as long as it lives.
struct MethodContext {
    ThreadPool& pool;
    const SimdTarget& simd;
    std::size_t bodies = 0;                ///< of every evaluation
    std::span<const std::uint32_t> ids{};  ///< of the bodies; for terms that name them, valid only in the constructor
    LaunchConfig launch{};                 ///< with values that the row accepts
    Exchange* exchange = nullptr;          ///< helpers that divide its evaluations; null: there are none
};

template <class T>
using MakeMethod = std::unique_ptr<CpuForceMethod<T>> (*)(const MethodContext&);

/// A row of the CPU's kernel table: its public row, and its method in each precision.
struct CpuKernel {
    KernelRow row;
    bool sharesWork = false;           ///< divides its work among the threads of the pool
    bool vectors = true;               ///< its loops are built for several instruction sets
    MakeMethod<float> fp32 = nullptr;  ///< null here or below: not built in that precision
    MakeMethod<double> mixed = nullptr;
    MakeMethod<double> fp64 = nullptr;
    double (*bytes)(std::size_t bodies, const ForceSettings& force) = nullptr;  ///< memory of a method
    Reason (*unavailable)() = nullptr;  ///< why this build lacks it; null or empty: it does not
};

/// Rows that are added to the table.
using CpuKernels = RowTable<CpuKernel>;
/// The code of a row of the public table, or of CpuKernels. Throws std::logic_error for a row of another backend.
const CpuKernel& cpuKernel(const KernelRow& row);

/// A method for a kind of term beside the pair law.
struct CpuTermMethod {
    KernelRow row;  ///< its public row; the backend is "cpu"
    std::function<std::unique_ptr<CpuForceMethod<float>>(const ForceTerm& term, const MethodContext& context)> fp32{};
    std::function<std::unique_ptr<CpuForceMethod<double>>(const ForceTerm& term, const MethodContext& context)>
        fp64{};  ///< mixed, too
};
using CpuTermMethods = RowTable<CpuTermMethod>;

/// A new method of that kernel. Throws std::bad_alloc, and std::logic_error for a force that refusal() refuses.
template <class T>
std::unique_ptr<CpuForceMethod<T>> makeMethod(const CpuKernel& kernel, Precision precision, const MethodContext& context);
template <>
std::unique_ptr<CpuForceMethod<float>> makeMethod<float>(const CpuKernel& kernel, Precision precision,
                                                         const MethodContext& context);
template <>
std::unique_ptr<CpuForceMethod<double>> makeMethod<double>(const CpuKernel& kernel, Precision precision,
                                                           const MethodContext& context);

}  // namespace gravlab::cpu
