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

/// Slices of bodies; `Rule` enqueues one.
template <class Real, class Rule>
class PerBody final : public DeviceTermMethod<Real> {
public:
    PerBody(const ForceTerm& term, const TermParts& parts) : rule_(term, parts), count_(parts.count) {}

    void prepare(const DeviceBodies<Real>& bodies, const ForceRequest& request) override {
        bodies_ = bodies;
        request_ = request;
        next_ = 0;
        underWay_ = count_ > 0;
    }
    ForceProgress enqueue(double) override {
        if (next_ == 0) rule_.begin(bodies_, request_);
        const auto most = static_cast<std::uint32_t>(std::max(1024.0, kOuterSlice / std::max(1.0, rule_.perBody())));
        const std::uint32_t end = count_ - next_ > most ? next_ + most : count_;
        rule_.enqueue(bodies_, next_, end);
        const double pairs = (end - next_) * rule_.perBody();
        next_ = end;
        underWay_ = next_ < count_;
        if (!underWay_) rule_.end();
        return {.complete = !underWay_, .work = {.pairs = pairs}};
    }
    bool underWay() const override { return underWay_; }
    double progress() const override { return underWay_ ? static_cast<double>(next_) / count_ : 0; }
    void abandon() override { underWay_ = false; }
    DeviceSums<Real> sums() const override { return {bodies_.sums, 1}; }
    Accuracy accuracy() const override { return {.gate = sizeof(Real) == sizeof(float) ? kGate32 : kGate64}; }

private:
    Rule rule_;
    std::uint32_t count_;
    DeviceBodies<Real> bodies_;
    ForceRequest request_;
    std::uint32_t next_ = 0;
    bool underWay_ = false;
};

template <class Real>
class OuterRule {
public:
    OuterRule(const ForceTerm& term, const TermParts& parts)
        : term_(static_cast<const OuterForces&>(term)),
          stream_(parts.stream),
          count_(parts.count),
          carriers_(term_.carriersIn(parts.ids)) {
        if (!term_.drags() && std::ranges::any_of(carriers_, [&](std::uint32_t carrier) { return carrier < count_; }))
            partial_ = DeviceArray<double>(kMostFields * kReactionBlocks * 3);
    }
    void begin(const DeviceBodies<Real>& bodies, const ForceRequest& request) {
        const std::vector<FieldNow<Real>> now = term_.at<Real>(request.time, carriers_, count_);
        // nvcc 13.0 fills the wrong members where a designated initializer leaves out some between.
        task_.x = bodies.positions;
        task_.v = bodies.velocities;
        task_.sums = bodies.sums;
        task_.fields = static_cast<unsigned>(now.size());
        task_.drags = term_.drags();
        task_.count = count_;
        task_.partial = partial_.data();
        std::copy(now.begin(), now.end(), task_.field);
    }
    void enqueue(const DeviceBodies<Real>&, std::uint32_t begin, std::uint32_t end) {
        task_.begin = begin;
        task_.end = end;
        launchEach(kernelOf(pullOuter<Real>), end - begin, kOuterThreads, task_, stream_);
    }
    /// After the last slice, which wrote the sums that are added to here.
    void end() {
        if (partial_.size() == 0) return;
        launchKernel(kernelOf(sumReactions<Real>), {kReactionBlocks, task_.fields}, kOuterThreads, task_, 0, stream_);
        launchKernel(kernelOf(addReactions<Real>), {1}, 3, task_, 0, stream_);
    }
    double perBody() const { return static_cast<double>(term_.fields().size()); }

private:
    const OuterForces& term_;
    Stream stream_;
    std::uint32_t count_;
    std::vector<std::uint32_t> carriers_;
    DeviceArray<double> partial_;
    OuterTask<Real> task_{};
};

template <class Real>
class RelativeRule {
public:
    RelativeRule(const ForceTerm& term, const TermParts& parts) : stream_(parts.stream) {
        const auto& relative = static_cast<const PostNewtonian&>(term);
        const std::vector<std::uint32_t> indices = relative.indicesIn(parts.ids);
        count_ = static_cast<unsigned>(indices.size());
        share_ = static_cast<Real>(1 / (relative.lightSpeed() * relative.lightSpeed()));
        indices_ = DeviceArray<std::uint32_t>(count_);
        heavy_ = DeviceArray<HeavySource<Real>>(count_);
        if (count_ == 0) return;
        CUDA_CHECK(copyAsync(indices_.data(), indices.data(), indices_.bytes(), Copy::toDevice, stream_));
        CUDA_CHECK(waitForStream(stream_));
    }
    void begin(const DeviceBodies<Real>& bodies, const ForceRequest&) {
        if (count_ == 0) return;
        launchEach(kernelOf(gatherHeavy<Real>), count_, kOuterThreads,
                   {bodies.positions, bodies.velocities, indices_.data(), heavy_.data(), count_}, stream_);
    }
    void enqueue(const DeviceBodies<Real>& bodies, std::uint32_t begin, std::uint32_t end) {
        launchEach(kernelOf(pullRelative<Real>), end - begin, kOuterThreads,
                   {bodies.positions, bodies.velocities, bodies.sums, heavy_.data(), begin, end, count_, share_}, stream_);
    }
    void end() {}
    double perBody() const { return count_; }

private:
    Stream stream_;
    unsigned count_ = 0;
    Real share_ = 0;
    DeviceArray<std::uint32_t> indices_;
    DeviceArray<HeavySource<Real>> heavy_;
};

template <class Real, template <class> class Rule>
std::unique_ptr<DeviceTermMethod<Real>> makeOuter(const ForceTerm& term, const TermParts& parts) {
    return std::make_unique<PerBody<Real, Rule<Real>>>(term, parts);
}

template <template <class> class Rule>
bool addOuterRow(std::string_view kind, std::string_view idea) {
    return CudaTermMethods::add({.row = {.backend = "cuda", .term = kind, .name = "each-body", .idea = idea},
                                 .fp32 = makeOuter<float, Rule>,
                                 .fp64 = makeOuter<double, Rule>});
}

}  // namespace

bool addOuterMethods() {
    return addOuterRow<OuterRule>(OuterForces::kField, "one thread a body goes through the fields") &&
           addOuterRow<OuterRule>(OuterForces::kDrag, "one thread a body goes through the drags") &&
           addOuterRow<RelativeRule>(PostNewtonian::kKind, "one thread a body goes through the heavy bodies");
}

}  // namespace gravlab::cuda
