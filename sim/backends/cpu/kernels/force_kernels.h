// A CPU force kernel: a function that works on one piece of the N x N pairs. Rule: a piece adds to the sums of its targets
// in an order that depends on the piece alone. The assignment of pieces to threads therefore never changes a bit.
#pragma once
#include "sim/backends/cpu/aligned_array.h"
#include "sim/backends/force_method.h"
#include "sim/forces/law.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gravlab::cpu {

/// Input bodies of kernels, [L] and [M], padded to whole tiles; T is the precision of a pair.
template <class T>
struct BodyView {
    const T* x;
    const T* y;
    const T* z;
    const T* source;
    std::size_t count;
};

/// Bodies whose sums are wanted, among the sources or apart from them; aligned and padded like the sources.
template <class T>
struct TargetView {
    const T *x, *y, *z;
};

/// Two-level sums of targets: `x` holds the sum so far, `lostX` the rounding error of it (Knuth's two-sum). A piece whose
/// `last` is set adds the two, so that x, y, z then hold the acceleration.
template <class T>
struct SumView {
    T *x, *y, *z;
    T *lostX, *lostY, *lostZ;
};

/// All pairs of some targets with some sources. Targets begin at a multiple of 64 and may be rounded up into the padding.
struct TargetPiece {
    std::size_t targetBegin, targetEnd;
    std::size_t sourceBegin, sourceEnd;  ///< begins at a multiple of kTile
    bool first, last;                    ///< of these targets: `first` starts from zero, `last` closes the sums
};

/// All pairs of the bodies of tile a with those of tile b, in both directions; a == b is allowed. At most kPairTile each.
struct PairPiece {
    std::size_t aBegin, aEnd, bBegin, bEnd;
    bool first, last;
};
constexpr std::size_t kPairTile = 512;

/// Bodies [begin, end) in the order of cells.
struct CellStretch {
    std::uint32_t begin, end;
};
/// Consecutive bodies of one row of cells, at most kCellGroup, with all sources within reach of the law. More bodies would
/// be farther apart, and would visit more sources beyond the reach.
struct CellPiece {
    std::size_t first, count;
    std::span<const CellStretch> stretches;
};
constexpr std::size_t kCellGroup = 16;
/// Two-level sums of a group, as in SumView.
template <class T>
struct CellSums {
    T sum[3][kCellGroup], lost[3][kCellGroup];
};
/// Reads up to kCellGroup bodies beyond the group. It sums in the order of the stretches, on every instruction set.
template <class T>
using CellKernel = void (*)(const BodyView<T>&, const ForceRequest&, const CellPiece&, CellSums<T>&);

template <class T>
using TargetKernel = void (*)(const BodyView<T>&, const TargetView<T>&, const SumView<T>&, const ForceRequest&,
                              const TargetPiece&);
template <class T>
using PairKernel = void (*)(const BodyView<T>&, const SumView<T>&, const ForceRequest&, const PairPiece&);

/// Adds `term` to a two-level sum without losing its low bits (Knuth, TAOCP vol. 2, 4.2.2, theorem B).
template <class T>
inline void addTwoLevel(T& sum, T& lost, T term) {
    const T total = sum + term;
    const T kept = total - sum;
    lost += (sum - (total - kept)) + (term - kept);
    sum = total;
}

/// Sources per iteration of the loops over targets.
constexpr std::array<int, 4> kUnrolls{1, 2, 4, 8};

/// The loops of one law.
template <class T>
struct KernelSet {
    TargetKernel<T> targets = nullptr;
    PairKernel<T> pairs = nullptr;
    CellKernel<T> cells = nullptr;  ///< for laws that end
    /// `targets` with its loop unrolled by each of kUnrolls but the first; same bits. Null: not built.
    std::array<TargetKernel<T>, kUnrolls.size() - 1> unrolled{};
};

/// The kernels of one instruction set, or the plain ones: one set of loops for each of LoopLaws, in its order.
template <class T>
struct LawKernels {
    std::array<KernelSet<T>, LoopLaws::kCount> own{};

    /// The loops that compute this force, see loopLaw().
    const KernelSet<T>& of(const ForceSettings& force) const { return own[loopIndex(force)]; }
    /// Whether this build has these kernels.
    bool available() const { return own.front().targets != nullptr; }
};

/// The textbook loops, one body at a time, never vectorised: the baseline.
extern const LawKernels<float> kPlainKernels32;
extern const LawKernels<double> kPlainKernels64;

/// The textbook loop with OpenMP directives and nothing else. Null when built without OpenMP.
extern const LawKernels<float> kOpenMpKernels32;
/// Runs call(context, i) for i in [begin, end) by `omp parallel for` on `threads` threads.
void openMpFor(int threads, std::size_t begin, std::size_t end, void (*call)(void* context, std::size_t index),
               void* context);

}  // namespace gravlab::cpu
