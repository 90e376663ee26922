// The textbook loop with high-level directives: `omp parallel for` over the targets and `omp simd` over the sources.
#include "sim/backends/cpu/kernels/force_kernels.h"

namespace gravlab::cpu {

#if defined(_OPENMP)
namespace {

template <class PairLaw>
void targets(const BodyView<float>& bodies, const TargetView<float>& at, const SumView<float>& sums,
             const ForceRequest& request, const TargetPiece& piece) {
    const PairLaw law(request.settings, request.smallestR2);
    const float *px = bodies.x, *py = bodies.y, *pz = bodies.z, *source = bodies.source;
    for (std::size_t i = piece.targetBegin; i < piece.targetEnd; ++i) {
        if (piece.first) {
            sums.x[i] = sums.y[i] = sums.z[i] = 0;
            sums.lostX[i] = sums.lostY[i] = sums.lostZ[i] = 0;
        }
        const float x = at.x[i], y = at.y[i], z = at.z[i];
        for (std::size_t tile = piece.sourceBegin; tile < piece.sourceEnd; tile += kTile) {
            const std::size_t tileEnd = std::min(tile + kTile, piece.sourceEnd);
            float ax = 0, ay = 0, az = 0;
#pragma omp simd reduction(+ : ax, ay, az)
            for (std::size_t j = tile; j < tileEnd; ++j) {
                const float dx = px[j] - x, dy = py[j] - y, dz = pz[j] - z;
                const float pull = source[j] * law.forceOverDistance(dx * dx + dy * dy + dz * dz);
                ax += pull * dx;
                ay += pull * dy;
                az += pull * dz;
            }
            addTwoLevel(sums.x[i], sums.lostX[i], ax);
            addTwoLevel(sums.y[i], sums.lostY[i], ay);
            addTwoLevel(sums.z[i], sums.lostZ[i], az);
        }
        if (piece.last) {
            sums.x[i] += sums.lostX[i];
            sums.y[i] += sums.lostY[i];
            sums.z[i] += sums.lostZ[i];
        }
    }
}

template <template <class> class... PairLaws>
constexpr LawKernels<float> everyLaw(LawList<PairLaws...>) {
    return {{{{targets<PairLaws<float>>, nullptr}...}}};
}

}  // namespace

const LawKernels<float> kOpenMpKernels32 = everyLaw(LoopLaws{});

void openMpFor(int threads, std::size_t begin, std::size_t end, void (*call)(void*, std::size_t), void* context) {
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (std::size_t i = begin; i < end; ++i) call(context, i);
}

#else

const LawKernels<float> kOpenMpKernels32{};

void openMpFor(int, std::size_t, std::size_t, void (*)(void*, std::size_t), void*) {}

#endif

}  // namespace gravlab::cpu
