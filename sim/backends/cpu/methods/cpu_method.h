// What the force methods of the CPU are given and what they leave. Rule: the engine knows methods, never rows.
#pragma once
#include "sim/backends/cpu/kernels/simd_targets.h"
#include "sim/backends/force_method.h"
#include "sim/backends/kernel.h"
#include "sim/backends/term_table.h"
#include "sim/core/thread_pool.h"

#include <array>
#include <memory>
#include <span>

namespace gravlab::cpu {

/// Up to here a force takes 15 microseconds or less with SIMD: sharing it would cost more than it brings.
constexpr std::size_t kTinyBodies = 256;

/// Bodies as the state has them, in host memory: arrays of `count`, 64-byte aligned and padded with zeros to whole tiles of
/// kTile, [L] and [M].
template <class T>
struct CpuBodies {
    std::array<const T*, 3> axis{};
    const T* source = nullptr;
    std::size_t count = 0;
    std::array<const T*, 3> velocity{};  ///< [L/T]; at the time of the positions only under takesVelocities() programs
};

/// A complete evaluation, in the state's precision and in host memory: arrays of the method, valid until it prepares again.
template <class T>
struct CpuForceSums {
    std::array<const T*, 3> axis{};  ///< the term's accelerations without factor and response [L/T^2]
    T factor = 1;  ///< what they are still to be multiplied with, together with each body's response: see forceFactor()
};

/// One way to compute one force term on the CPU, for a state in T: float, or double for mixed and fp64. enqueue() computes,
/// on the calling thread and the pool's, and returns when its slice is done; its result is the same bits for any number of
/// threads. Only construction allocates, and throws std::bad_alloc.
template <class T>
using CpuForceMethod = ForceMethod<CpuBodies<T>, CpuForceSums<T>>;

/// What a method may use for as long as it lives.
struct MethodContext {
    ThreadPool& pool;
    const SimdTarget& simd;
    std::size_t bodies = 0;                ///< of every evaluation
    std::span<const std::uint32_t> ids{};  ///< of the bodies; for terms that name them, and only while a method is made
    LaunchConfig launch{};                 ///< as the row takes it
};

template <class T>
using MakeMethod = std::unique_ptr<CpuForceMethod<T>> (*)(const MethodContext&);

/// A row of the CPU's kernel table: what the user sees of it, and its method in each precision.
struct CpuKernel {
    KernelRow row;
    bool sharesWork = false;           ///< over the threads of the pool
    bool vectors = true;               ///< its loops are built for several instruction sets
    MakeMethod<float> fp32 = nullptr;  ///< null, as the others: not in this precision
    MakeMethod<double> mixed = nullptr;
    MakeMethod<double> fp64 = nullptr;
    double (*bytes)(std::size_t bodies, const ForceSettings& force) = nullptr;  ///< that a method holds
    Reason (*unavailable)() = nullptr;  ///< why this build has it not at all; null, or empty when it has
};

/// The code of a row of the public table, or of one that addCpuKernel() brought. Throws std::logic_error for a row of
/// another backend.
const CpuKernel& cpuKernel(const KernelRow& row);
/// Brings a row of its own, as a test does: taken by its name, and in no list. See addKernel().
bool addCpuKernel(const CpuKernel& kernel);

/// A method for a kind of term beside the pair law.
struct CpuTermMethod {
    KernelRow row;  ///< what the user sees of it; its backend is "cpu"
    std::unique_ptr<CpuForceMethod<float>> (*fp32)(const ForceTerm& term, const MethodContext& context) = nullptr;
    std::unique_ptr<CpuForceMethod<double>> (*fp64)(const ForceTerm& term,
                                                    const MethodContext& context) = nullptr;  ///< mixed, too
};
using CpuTermMethods = TermTable<CpuTermMethod>;

/// A new method of that kernel. Throws std::bad_alloc, and std::logic_error where refusal() would have said no.
template <class T>
std::unique_ptr<CpuForceMethod<T>> makeMethod(const CpuKernel& kernel, Precision precision, const MethodContext& context);
template <>
std::unique_ptr<CpuForceMethod<float>> makeMethod<float>(const CpuKernel& kernel, Precision precision,
                                                         const MethodContext& context);
template <>
std::unique_ptr<CpuForceMethod<double>> makeMethod<double>(const CpuKernel& kernel, Precision precision,
                                                           const MethodContext& context);

}  // namespace gravlab::cpu
