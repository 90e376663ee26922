// The textbook loops: one thread, one pair at a time. They are built without vectorisation, so that the machine code follows
// the text of the loop. They are an honest baseline for the rows above them.
#include "sim/backends/cpu/kernels/force_kernels.h"

namespace gravlab::cpu {
namespace {

template <class T>
void close(const SumView<T>& sums, std::size_t i) {
    sums.x[i] += sums.lostX[i];
    sums.y[i] += sums.lostY[i];
    sums.z[i] += sums.lostZ[i];
}

template <class T>
void open(const SumView<T>& sums, std::size_t i) {
    sums.x[i] = sums.y[i] = sums.z[i] = 0;
    sums.lostX[i] = sums.lostY[i] = sums.lostZ[i] = 0;
}

template <class T>
void add(const SumView<T>& sums, std::size_t i, T x, T y, T z) {
    addTwoLevel(sums.x[i], sums.lostX[i], x);
    addTwoLevel(sums.y[i], sums.lostY[i], y);
    addTwoLevel(sums.z[i], sums.lostZ[i], z);
}

template <class PairLaw, class T>
void targets(const BodyView<T>& bodies, const TargetView<T>& at, const SumView<T>& sums, const ForceRequest& request,
             const TargetPiece& piece) {
    const PairLaw law(request.settings, request.smallestR2);
    for (std::size_t i = piece.targetBegin; i < piece.targetEnd; ++i) {
        if (piece.first) open(sums, i);
        const T x = at.x[i], y = at.y[i], z = at.z[i];
        for (std::size_t tile = piece.sourceBegin; tile < piece.sourceEnd; tile += kTile) {
            const std::size_t tileEnd = std::min(tile + kTile, piece.sourceEnd);
            T ax = 0, ay = 0, az = 0;
            for (std::size_t j = tile; j < tileEnd; ++j) {
                const T dx = bodies.x[j] - x, dy = bodies.y[j] - y, dz = bodies.z[j] - z;
                const T pull = bodies.source[j] * law.forceOverDistance(dx * dx + dy * dy + dz * dz);
                ax += pull * dx;
                ay += pull * dy;
                az += pull * dz;
            }
            add(sums, i, ax, ay, az);
        }
        if (piece.last) close(sums, i);
    }
}

template <class PairLaw, class T>
void pairs(const BodyView<T>& bodies, const SumView<T>& sums, const ForceRequest& request, const PairPiece& piece) {
    const PairLaw law(request.settings, request.smallestR2);
    const bool diagonal = piece.aBegin == piece.bBegin;
    // One accumulator for each body of tile b (also of tile a when both are the same); the two-level sums get it at the end.
    T bx[kPairTile] = {}, by[kPairTile] = {}, bz[kPairTile] = {};
    for (std::size_t i = piece.aBegin; i < piece.aEnd; ++i) {
        const T x = bodies.x[i], y = bodies.y[i], z = bodies.z[i], source = bodies.source[i];
        T ax = 0, ay = 0, az = 0;
        for (std::size_t j = diagonal ? i + 1 : piece.bBegin; j < piece.bEnd; ++j) {
            const T dx = bodies.x[j] - x, dy = bodies.y[j] - y, dz = bodies.z[j] - z;
            const T factor = law.forceOverDistance(dx * dx + dy * dy + dz * dz);
            const T onA = factor * bodies.source[j], onB = factor * source;
            ax += onA * dx;
            ay += onA * dy;
            az += onA * dz;
            bx[j - piece.bBegin] -= onB * dx;
            by[j - piece.bBegin] -= onB * dy;
            bz[j - piece.bBegin] -= onB * dz;
        }
        if (diagonal) {
            bx[i - piece.bBegin] += ax;
            by[i - piece.bBegin] += ay;
            bz[i - piece.bBegin] += az;
        } else {
            if (piece.first) open(sums, i);
            add(sums, i, ax, ay, az);
            if (piece.last) close(sums, i);
        }
    }
    for (std::size_t j = piece.bBegin; j < piece.bEnd; ++j) {
        if (piece.first) open(sums, j);
        add(sums, j, bx[j - piece.bBegin], by[j - piece.bBegin], bz[j - piece.bBegin]);
        if (piece.last) close(sums, j);
    }
}

template <class T, template <class> class... PairLaws>
constexpr LawKernels<T> everyLaw(LawList<PairLaws...>) {
    return {{{{targets<PairLaws<T>, T>, pairs<PairLaws<T>, T>}...}}};
}

}  // namespace

const LawKernels<float> kPlainKernels32 = everyLaw<float>(LoopLaws{});
const LawKernels<double> kPlainKernels64 = everyLaw<double>(LoopLaws{});

}  // namespace gravlab::cpu
