// fp64 accelerations of a few bodies by the plainest sum on a device: one block a body, one running sum a thread.
// Rule: it uses no code of the kernels that it checks.
#include "sim/backends/cuda/kernels/force.h"

namespace gravlab::cuda {
namespace {

/// Gravity and charges, written independently of the force kernels.
struct PlainGravity {
    double softeningSquared;
    __device__ double forceOverDistance(double squared) const {
        const double softened = squared + softeningSquared;
        return 1 / (softened * sqrt(softened));
    }
};

template <class Real, class Law>
__device__ void checkForce(const CheckTask<Real>& task, const Law& law) {
    __shared__ double sums[4][kCheckThreads];
    const std::uint32_t target = task.targets[blockIdx.x];
    const Vec4<Real> at = task.bodies[target];
    double x = 0, y = 0, z = 0, terms = 0;
    for (std::uint32_t j = threadIdx.x; j < task.count; j += kCheckThreads) {
        const Vec4<Real> source = task.bodies[j];
        const double dx = static_cast<double>(source.x) - at.x;
        const double dy = static_cast<double>(source.y) - at.y;
        const double dz = static_cast<double>(source.z) - at.z;
        const double squared = dx * dx + dy * dy + dz * dz;
        const double pull = law.forceOverDistance(squared);
        x += source.w * (dx * pull);
        y += source.w * (dy * pull);
        z += source.w * (dz * pull);
        terms += fabs(source.w * (sqrt(squared) * pull));
    }
    sums[0][threadIdx.x] = x;
    sums[1][threadIdx.x] = y;
    sums[2][threadIdx.x] = z;
    sums[3][threadIdx.x] = terms;
    for (unsigned half = kCheckThreads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            for (auto& part : sums) part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x > 0) return;
    const Vec4<Real> got = task.accelerations[target];
    const double response = task.sign * static_cast<double>(task.velocities[target].w);
    const double want[3] = {response * sums[0][0], response * sums[1][0], response * sums[2][0]};
    const double scale = fmax(norm3d(want[0], want[1], want[2]), task.floorShare * fabs(response) * sums[3][0]);
    // The result is in double: forces in extreme units leave the range of single precision.
    task.result[blockIdx.x] = {got.x - want[0], got.y - want[1], got.z - want[2], scale};
}

template <class Real>
__global__ void checkGravity(CheckTask<Real> task) {
    checkForce(task, PlainGravity{task.softeningSquared});
}
template <class Real, class Law>
__global__ void checkLaw(LawCheckTask<Real, Law> task) {
    checkForce(task.check, task.law);
}

}  // namespace

template <class Real>
Kernel<CheckTask<Real>> checkKernel() {
    return kernelOf(checkGravity<Real>);
}
template Kernel<CheckTask<float>> checkKernel();
template Kernel<CheckTask<double>> checkKernel();

template <class Real, template <class> class... PairLaws>
std::tuple<Kernel<LawCheckTask<Real, PairLaws<double>>>...> LawCheckKernels<Real, LawList<PairLaws...>>::all() {
    return {kernelOf(checkLaw<Real, PairLaws<double>>)...};
}
template struct LawCheckKernels<float, OtherLoopLaws>;
template struct LawCheckKernels<double, OtherLoopLaws>;

}  // namespace gravlab::cuda
