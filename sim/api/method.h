// Kernels of a term for the CPU and for CUDA devices, as rows of the kernel table. Each row is a choice of `--term-kernel`,
// is listed, timed, and checked against the term's plain statement in fp64.
// Rule: a kernel gives each body the same bits for any division of the bodies into ranges.
#pragma once
#include "term.h"

#include <type_traits>

struct CUstream_st;  // cudaStream_t points to it

namespace gravlab {

/// What a kernel is made for; it exists until the bodies change their number or order. Valid during the construction only.
struct KernelParts {
    std::size_t bodies = 0;                ///< of every evaluation
    std::span<const std::uint32_t> ids{};  ///< their ids, for terms that name bodies; host memory
    int block = 0;                         ///< the block of the row that is in use
};

/// A row of the kernel table. Texts must last as long as the program.
template <template <class> class Kernel>
struct TermKernelRow {
    std::string_view term;  ///< the term's kind()
    std::string_view name;  ///< stable key, as in `--term-kernel TERM=NAME`
    std::string_view idea;  ///< one line for lists
    /// CPU: bodies that a thread takes at a time. CUDA: threads per block.
    int block = 256;
    std::span<const int> blocks{};        ///< other blocks that the user may choose, in rising order; empty: none
    std::size_t slice = std::size_t(-1);  ///< CUDA: most bodies of one launch, so that a frame need not wait for all
    /// Makes the kernel in the precision of the state, which is double for mixed precision, too. CUDA: called with the
    /// device current, so that a constructor may allocate and copy there. Throws any Error, or std::bad_alloc.
    std::unique_ptr<Kernel<float>> (*fp32)(const ForceTerm& term, const KernelParts& parts) = nullptr;
    std::unique_ptr<Kernel<double>> (*fp64)(const ForceTerm& term, const KernelParts& parts) = nullptr;
};

/// Bodies in host memory, in separate arrays of `count`.
template <class Real>
struct HostBodies {
    const Real *x, *y, *z;     ///< [L]
    const Real *vx, *vy, *vz;  ///< [L/T]; null unless the term's offer() says that it uses velocities
    const Real* source;        ///< mass [M], or charge
    const Real* response;      ///< see ParticleSet
    std::size_t count;
    double time;  ///< simulated time of the positions [T]
};

/// Arrays of accelerations in host memory.
template <class Real>
struct HostSums {
    Real *x, *y, *z;  ///< [L/T^2], for a body of response 1: the program multiplies them by the response
};

/// A kernel for the CPU.
template <class Real>
class HostKernel {
public:
    virtual ~HostKernel() = default;
    /// Writes the sums of bodies [first, last), and no others. Several threads call it at once, each with a range of its
    /// own. Throws nothing.
    virtual void compute(const HostBodies<Real>& bodies, std::size_t first, std::size_t last,
                         const HostSums<Real>& sums) const = 0;
    /// Interactions of these bodies, for rates.
    virtual double interactions(std::size_t first, std::size_t last) const { return static_cast<double>(last - first); }
};

/// Four packed numbers in the precision of the state.
template <class Real>
using Packed = std::conditional_t<std::is_same_v<Real, float>, Float4, Double4>;

/// Bodies and sums in device memory, arrays of `count`.
template <class Real>
struct DeviceTask {
    const Packed<Real>* positions;   ///< x, y, z [L]; w = source
    const Packed<Real>* velocities;  ///< x, y, z [L/T]; w = response; only under a term that uses velocities of this time
    Packed<Real>* sums;              ///< x, y, z of the acceleration [L/T^2], for a body of response 1; w = 0
    std::uint32_t count;
    std::uint32_t first, last;  ///< the bodies of this launch, the end excluded
    double time;                ///< simulated time of the positions [T]
};

/// A kernel for CUDA devices.
template <class Real>
class DeviceKernel {
public:
    virtual ~DeviceKernel() = default;
    /// Enqueues on `stream` what writes the sums of bodies [first, last) of the task, in blocks of `block` threads. It must
    /// not wait. The program reports a launch that failed.
    virtual void enqueue(const DeviceTask<Real>& task, unsigned block, CUstream_st* stream) = 0;
    /// Interactions of these bodies, for rates.
    virtual double interactions(std::size_t first, std::size_t last) const { return static_cast<double>(last - first); }
};

/// Add a row: call it before main(), as the initialiser of a constant. The best row of a term is added last. Throws
/// std::logic_error for a name that exists already.
bool addHostKernel(const TermKernelRow<HostKernel>& row);
/// The same for CUDA; only a program with CUDA has it.
bool addDeviceKernel(const TermKernelRow<DeviceKernel>& row);

}  // namespace gravlab
