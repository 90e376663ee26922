// Outer fields, drags and post-Newtonian terms on CUDA: one thread per body, slices of bodies.
#include "sim/backends/cuda/methods/force_method.h"
#include "sim/backends/kernel_rows.h"
#include "sim/forces/fields/post_newtonian.h"

#include <algorithm>

namespace gravlab::cuda {
namespace {

constexpr unsigned kOuterThreads = 128;
/// Interactions of one slice: below a millisecond of a large GPU.
constexpr double kOuterSlice = 1 << 26;

template <class Real>
struct OuterTask {
    const Vec4<Real>*x, *v;
    Vec4<Real>* sums;
    std::uint32_t begin, end;
    unsigned fields;
    bool drags;
    FieldNow<Real> field[kMostFields];
    std::uint32_t count;
    double* partial;  ///< sums of blocks of sumReactions(), three for each field; null: no body carries a field
    __device__ FieldTarget<Real> operator()(std::uint32_t i) const {
        const Vec4<Real> at = x[i], moves = v[i];
        return {{at.x, at.y, at.z}, {moves.x, moves.y, moves.z}, at.w, moves.w != 0};
    }
};
constexpr unsigned kReactionBlocks = 64;

template <class Real>
__global__ void pullOuter(OuterTask<Real> task) {
    const std::uint32_t i = task.begin + blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= task.end) return;
    Vec3<Real> sum{0, 0, 0};
    for (unsigned k = 0; k < task.fields; ++k) sum += fieldPull(task.field[k], task, i);
    // A drag does not depend on what a body answers to other forces with.
    if (const Real response = task.v[i].w; task.drags && response != 1)
        sum = response != 0 ? sum / response : Vec3<Real>{0, 0, 0};
    task.sums[i] = {sum.x, sum.y, sum.z, 0};
}

/// Forces of the field blockIdx.y on all bodies, summed by blocks in a fixed order.
template <class Real>
__global__ void sumReactions(OuterTask<Real> task) {
    __shared__ double sums[3][kOuterThreads];
    const unsigned k = blockIdx.y;
    if (task.field[k].carrier == kNoCarrier) return;
    double sum[3] = {};
    for (std::uint32_t i = blockIdx.x * kOuterThreads + threadIdx.x; i < task.count; i += kReactionBlocks * kOuterThreads) {
        const FieldTarget<Real> target = task(i);
        if (!target.responds) continue;
        const Vec3<Real> force = target.source * fieldPull(task.field[k], task, i);
        sum[0] += force.x, sum[1] += force.y, sum[2] += force.z;
    }
    for (int axis = 0; axis < 3; ++axis) sums[axis][threadIdx.x] = sum[axis];
    for (unsigned half = kOuterThreads / 2; half > 0; half /= 2) {
        __syncthreads();
        for (int axis = 0; axis < 3 && threadIdx.x < half; ++axis) sums[axis][threadIdx.x] += sums[axis][threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        for (int axis = 0; axis < 3; ++axis) task.partial[(k * kReactionBlocks + blockIdx.x) * 3 + axis] = sums[axis][0];
}

/// Adds the reactions to the sums of the bodies that carry fields. A thread per axis; a body may carry several fields.
template <class Real>
__global__ void addReactions(OuterTask<Real> task) {
    const unsigned axis = threadIdx.x;
    for (unsigned k = 0; k < task.fields; ++k) {
        const std::uint32_t carrier = task.field[k].carrier;
        if (carrier == kNoCarrier || task.x[carrier].w == 0) continue;
        double sum = 0;
        for (unsigned block = 0; block < kReactionBlocks; ++block)
            sum += task.partial[(k * kReactionBlocks + block) * 3 + axis];
        Real* const to = &task.sums[carrier].x + axis;
        *to += static_cast<Real>(-sum) / task.x[carrier].w;
    }
}

template <class Real>
struct HeavyTask {
    const Vec4<Real>*x, *v;
    const std::uint32_t* indices;
    HeavySource<Real>* heavy;
    unsigned count;
};

/// Copies the heavy bodies, and finds what they do to each other.
template <class Real>
__global__ void gatherHeavy(HeavyTask<Real> task) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= task.count) return;
    const Vec4<Real> x = task.x[task.indices[i]], v = task.v[task.indices[i]];
    HeavySource<Real> body{{x.x, x.y, x.z}, {v.x, v.y, v.z}, x.w, {0, 0, 0}, 0};
    for (unsigned j = 0; j < task.count; ++j) {
        const Vec4<Real> other = task.x[task.indices[j]];
        const Vec3<Real> to = Vec3<Real>{other.x, other.y, other.z} - body.x;
        const Real squared = dot(to, to);
        if (!(squared > 0)) continue;
        const Real inverse = inverseRoot(squared);
        body.depth += other.w * inverse;
        body.a += to * (other.w * inverse * inverse * inverse);
    }
    task.heavy[i] = body;
}

template <class Real>
struct RelativeTask {
    const Vec4<Real>*x, *v;
    Vec4<Real>* sums;
    const HeavySource<Real>* heavy;
    std::uint32_t begin, end;
    unsigned count;
    Real share;
};

template <class Real>
__global__ void pullRelative(RelativeTask<Real> task) {
    const std::uint32_t i = task.begin + blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= task.end) return;
    const Vec4<Real> at = task.x[i], moves = task.v[i];
    const Vec3<Real> x{at.x, at.y, at.z}, v{moves.x, moves.y, moves.z};
    const Real depth = depthAt(task.heavy, task.count, x);
    Vec3<Real> sum{0, 0, 0};
    for (unsigned j = 0; j < task.count; ++j) sum += postNewtonian(task.heavy[j], x, v, depth);
    task.sums[i] = {sum.x * task.share, sum.y * task.share, sum.z * task.share, 0};
}

/// Bodies of a slice, each with so many interactions.
std::uint32_t outerSlice(std::size_t interactions) {
    return static_cast<std::uint32_t>(std::max(1024.0, kOuterSlice / std::max(1.0, static_cast<double>(interactions))));
}

template <class Real>
constexpr Accuracy outerAccuracy{.gate = sizeof(Real) == sizeof(float) ? kGate32 : kGate64};

template <class Real>
class Outer final : public SlicedTerm<Real> {
public:
    Outer(const ForceTerm& term, const TermParts& parts)
        : SlicedTerm<Real>(parts.count, outerSlice(static_cast<const OuterForces&>(term).fields().size())),
          term_(static_cast<const OuterForces&>(term)),
          stream_(parts.stream),
          carriers_(term_.carriersIn(parts.ids)) {
        if (!term_.drags() && std::ranges::any_of(carriers_, [&](std::uint32_t carrier) { return carrier < this->count_; }))
            partial_ = DeviceArray<double>(kMostFields * kReactionBlocks * 3);
    }
    Accuracy accuracy() const override { return outerAccuracy<Real>; }

private:
    void begin() {
        const std::vector<FieldNow<Real>> now = term_.at<Real>(this->request_.time, carriers_, this->count_);
        // nvcc 13.0 fills the wrong members where a designated initializer leaves out some between.
        task_.x = this->bodies_.positions;
        task_.v = this->bodies_.velocities;
        task_.sums = this->bodies_.sums;
        task_.fields = static_cast<unsigned>(now.size());
        task_.drags = term_.drags();
        task_.count = this->count_;
        task_.partial = partial_.data();
        std::copy(now.begin(), now.end(), task_.field);
    }
    double enqueueBodies(std::uint32_t first, std::uint32_t end) override {
        if (first == 0) begin();
        task_.begin = first;
        task_.end = end;
        launchEach(kernelOf(pullOuter<Real>), end - first, kOuterThreads, task_, stream_);
        if (end == this->count_ && partial_.size() > 0) {
            launchKernel(kernelOf(sumReactions<Real>), {kReactionBlocks, task_.fields}, kOuterThreads, task_, 0, stream_);
            launchKernel(kernelOf(addReactions<Real>), {1}, 3, task_, 0, stream_);
        }
        return (end - first) * static_cast<double>(term_.fields().size());
    }

    const OuterForces& term_;
    Stream stream_;
    std::vector<std::uint32_t> carriers_;
    DeviceArray<double> partial_;
    OuterTask<Real> task_{};
};

template <class Real>
class Relative final : public SlicedTerm<Real> {
public:
    Relative(const ForceTerm& term, const TermParts& parts)
        : Relative(static_cast<const PostNewtonian&>(term), static_cast<const PostNewtonian&>(term).indicesIn(parts.ids),
                   parts) {}
    Accuracy accuracy() const override { return outerAccuracy<Real>; }

private:
    Relative(const PostNewtonian& term, const std::vector<std::uint32_t>& indices, const TermParts& parts)
        : SlicedTerm<Real>(parts.count, outerSlice(indices.size())),
          stream_(parts.stream),
          heavies_(static_cast<unsigned>(indices.size())),
          share_(static_cast<Real>(1 / (term.lightSpeed() * term.lightSpeed()))),
          indices_(uploaded(indices, stream_)),
          heavy_(heavies_) {}
    double enqueueBodies(std::uint32_t first, std::uint32_t end) override {
        const DeviceBodies<Real>& bodies = this->bodies_;
        if (first == 0 && heavies_ > 0)
            launchEach(kernelOf(gatherHeavy<Real>), heavies_, kOuterThreads,
                       {bodies.positions, bodies.velocities, indices_.data(), heavy_.data(), heavies_}, stream_);
        launchEach(kernelOf(pullRelative<Real>), end - first, kOuterThreads,
                   {bodies.positions, bodies.velocities, bodies.sums, heavy_.data(), first, end, heavies_, share_}, stream_);
        return static_cast<double>(end - first) * heavies_;
    }

    Stream stream_;
    unsigned heavies_;
    Real share_;
    DeviceArray<std::uint32_t> indices_;
    DeviceArray<HeavySource<Real>> heavy_;
};

template <class Method>
std::unique_ptr<Method> makeOuter(const ForceTerm& term, const TermParts& parts) {
    return std::make_unique<Method>(term, parts);
}

template <template <class> class Method>
bool addOuterRow(std::string_view kind, std::string_view idea) {
    return CudaTermMethods::add({.row = {.backend = "cuda", .term = kind, .name = "each-body", .idea = idea},
                                 .fp32 = makeOuter<Method<float>>,
                                 .fp64 = makeOuter<Method<double>>});
}

}  // namespace

bool addOuterMethods() {
    return addOuterRow<Outer>(OuterForces::kField, "one thread a body goes through the fields") &&
           addOuterRow<Outer>(OuterForces::kDrag, "one thread a body goes through the drags") &&
           addOuterRow<Relative>(PostNewtonian::kKind, "one thread a body goes through the heavy bodies");
}

}  // namespace gravlab::cuda
