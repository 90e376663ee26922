// The second half of the walk: the whole warp evaluates a list that holds 32 entries. Each lane adds a cell far from the
// group to one expansion about the group's centre; nearer cells and single bodies act on all targets. Where groups are too
// few to fill the device, the warps of a block walk for one together: each evaluates an equal segment of the lists, and
// their sums are added in the order of warps.
#pragma once
#include "sim/backends/cuda/kernels/together.cuh"
#include "sim/backends/cuda/kernels/tree_lists.cuh"
#include "sim/tree/criterion.h"

#include <cstdint>
#include <type_traits>

namespace gravlab::cuda {

// In a walk for the energy, the sums hold the nearest distance at kNearest, and the stage holds places of bodies at
// kPlacesAt.
constexpr int kNearest = 1;
constexpr float kNowhere = 3e38f;
constexpr unsigned kPlacesAt = 32 * sizeof(float4);

/// Adds the pull of a body under a power of the distance.
struct SoftenedPull {
    PowerField<float> field;
    __device__ __forceinline__ void operator()(Vec3<float>& sum, const float4& target, const float4& source) const {
        const float dx = source.x - target.x, dy = source.y - target.y, dz = source.z - target.z;
        const float squared = fmaf(dz, dz, fmaf(dy, dy, fmaf(dx, dx, field.softeningSquared)));
        const float pull = source.w * field.pullAt(squared);
        sum.x = fmaf(dx, pull, sum.x);
        sum.y = fmaf(dy, pull, sum.y);
        sum.z = fmaf(dz, pull, sum.z);
    }
};

/// kField: sums potentials in place of accelerations. kTeam: warps that walk for one group together.
template <TreeLaw kLaw, TreeWalk kWalk, int kTargets, bool kField = false, int kTeam = 1>
class Walker : protected GroupLists<kLaw, kWalk, kTargets, kTeam> {
    using Lists = GroupLists<kLaw, kWalk, kTargets, kTeam>;
    using typename Lists::Field, typename Lists::Task;
    static constexpr bool kCharges = kLaw == TreeLaw::charges, kPower = kLaw == TreeLaw::power;
    static constexpr bool kSized = kCharges && !kField;  ///< sums the sizes of pulls
    static constexpr bool kMonopole = kWalk == TreeWalk::thetaMonopole;

protected:
    using Lists::kCellBytes, Lists::kStageBytes, Lists::kTogether, Lists::kTheta, Lists::kExpands;
    using Lists::place_, Lists::at_, Lists::sum_, Lists::centre_, Lists::half_, Lists::expansion_, Lists::atCentre_;
    using Lists::size_, Lists::neighbour_, Lists::unit_, Lists::length_, Lists::counted_, Lists::visited_, Lists::next_;
    using Lists::taken;
    using Lists::task_, Lists::memory_, Lists::team_, Lists::lane_, Lists::below_, Lists::field_, Lists::criterion_;

public:
    /// `memory` begins with the shared memory of this warp, `team` with that of its team.
    __device__ Walker(const Task& task, const void* memory, const void* team = nullptr) : Lists(task, memory, team) {
        const TreeScale scale = *task.scale;
        field_.softeningSquared = fmaxf(task.softeningSquared * scale.length * scale.length, kSofteningSquaredFloor32);
        if constexpr (kPower) {
            field_.nearest = fmaxf(task.nearest, task.field.nearest * scale.length * scale.length);
            field_.shift = logf(scale.length);
            criterion_.field = field_;
            criterion_.left = task.left;
        }
    }

    __device__ void run(TreeGroup group) {
        begin(group);
        this->descend([this] { evaluateLonger<31>(); });
        evaluateLonger<0>();
        end(group);
    }

    /// Runs all warps of the block on one group; the caller has passed a barrier after the last group.
    __device__ void runTogether(TreeGroup group) {
        begin(group);
        this->descendTogether([this] { share(kTeamList - 32 * kTeam); });
        share(0);
        end(group);
    }

protected:
    /// Evaluates up to 32 entries of each list that is longer than kLonger.
    template <int kLonger>
    __device__ __forceinline__ void evaluateLonger() {
        if constexpr (kExpands) expandLonger<kLonger>();
        if (length_[kCells] > kLonger) addCells(kLonger > 0 ? 32 : length_[kCells]);
        if (length_[kBodies] > kLonger) addBodies(kLonger > 0 ? 32 : length_[kBodies]);
    }
    template <int kLonger>
    __device__ __forceinline__ void expandLonger() {
        if (length_[kLow] > kLonger) expand<false>(kLonger > 0 ? 32 : length_[kLow]);
        if (length_[kHigh] > kLonger) expand<true>(kLonger > 0 ? 32 : length_[kHigh]);
    }

    /// Evaluates the lists that are longer than `longer`, an equal segment a warp.
    __device__ __forceinline__ void share(int longer) {
        int longest = 0;
        for (const int length : length_) longest = max(longest, length);
        if (longest <= longer) return;
        __syncthreads();
        if constexpr (kExpands) {
            if (length_[kLow] > longer) part(kLow, [&](int n) { expand<false>(n); });
            if (length_[kHigh] > longer) part(kHigh, [&](int n) { expand<true>(n); });
        }
        if (length_[kCells] > longer) part(kCells, [&](int n) { addCells(n); });
        if (length_[kBodies] > longer) part(kBodies, [&](int n) { addBodies(n); });
    }
    template <class Evaluate>
    __device__ __forceinline__ void part(List list, const Evaluate& evaluate) {
        const int all = length_[list], each = (all + kTeam - 1) / kTeam, warp = static_cast<int>(threadIdx.x) / 32;
        next_ = min(all, warp * each);
        const int end = min(all, next_ + each);
#pragma unroll 1
        while (next_ < end) evaluate(min(32, end - next_));
        length_[list] = 0;
    }

    /// The field where lengths are multiplied by the expansion's unit, whose square is s2.
    __device__ __forceinline__ Field expandedBy(float s2) const {
        if constexpr (kPower)
            return {s2 * field_.softeningSquared,
                    field_.degree,
                    field_.nearest,
                    1 / s2,
                    field_.whole,
                    field_.over,
                    field_.shift};
        else
            return {s2 * field_.softeningSquared};
    }
    /// Factor of a scaled sum that contains lengths to the -power: scales are powers of two.
    __device__ double powerScale(double power) const {
        const int length = ilogbf(task_.scale->length), source = ilogbf(task_.scale->source);
        return task_.factor * exp2(power * length - source);
    }
    __device__ double powerScale() const { return powerScale(static_cast<double>(task_.field.degree)); }

    __device__ void begin(TreeGroup group) {
        const TreeScale scale = *task_.scale;
        float low[3] = {3e38f, 3e38f, 3e38f}, high[3] = {-3e38f, -3e38f, -3e38f};
        float smallest = 3e38f;
#pragma unroll
        for (int t = 0; t < kTargets; ++t) {
            place_[t] = group.first + min(lane_ + 32 * t, group.count - 1);
            const float4 at = asVectors(task_.sorted)[place_[t]];
            at_[t][0] = at.x;
            at_[t][1] = at.y;
            at_[t][2] = at.z;
            for (int axis = 0; axis < 3; ++axis) {
                low[axis] = fminf(low[axis], at_[t][axis]);
                high[axis] = fmaxf(high[axis], at_[t][axis]);
                sum_[t][axis] = 0;
            }
            if constexpr (kSized) size_[t] = 0;
            if constexpr (kField) {
                sum_[t][kNearest] = kNowhere;
                neighbour_[t] = 0;
            }
            if constexpr (!kTheta) smallest = fminf(smallest, task_.before[task_.order[place_[t]]]);
        }
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = warpMin(low[axis]);
            high[axis] = warpMax(high[axis]);
            centre_[axis] = 0.5f * (low[axis] + high[axis]);
            half_[axis] = fmaxf(high[axis] - centre_[axis], centre_[axis] - low[axis]);
        }
        criterion_.opening = task_.opening;
        if constexpr (!kTheta && kPower)
            criterion_.limit = static_cast<float>(
                task_.share * static_cast<double>(fmaxf(warpMin(smallest), scale.smallest)) / powerScale());
        else if constexpr (!kTheta)
            criterion_.limit = task_.share * fmaxf(warpMin(smallest), scale.smallest) / scale.acceleration;
        if constexpr (kExpands) {
            float squared = 0;
#pragma unroll
            for (int t = 0; t < kTargets; ++t) {
                const float x = at_[t][0] - centre_[0], y = at_[t][1] - centre_[1], z = at_[t][2] - centre_[2];
                squared = fmaxf(squared, x * x + y * y + z * z);
            }
            criterion_.radius = sqrtf(warpMax(squared));
            unit_ = expansionUnit(criterion_.radius);
            expansion_ = {};
            atCentre_ = 0;
        }
        for (int& length : length_) length = 0;
        for (unsigned& counted : counted_) counted = 0;
        visited_ = 0;
    }

    template <bool kHighOrder>
    __device__ __forceinline__ void expand(int n) {
        const std::uint32_t id = taken(kHighOrder ? kHigh : kLow, n);
        if (static_cast<int>(lane_) < n) {
            const float4 a = asVectors(task_.nodes.centre)[2ull * id];
            const float4 m0 = asVectors(task_.nodes.moments)[2ull * id], m1 = asVectors(task_.nodes.moments)[2ull * id + 1];
            const float s = unit_, s2 = s * s;
            const float q[kMoments] = {s2 * m0.x, s2 * m0.y, s2 * m0.z, s2 * m0.w, s2 * m1.x, s2 * m1.y};
            const Field field = expandedBy(s2);
            addToExpansion<kHighOrder>(expansion_, s * (centre_[0] - a.x), s * (centre_[1] - a.y), s * (centre_[2] - a.z),
                                       a.w, q, field);
            if constexpr (kField)
                atCentre_ +=
                    fieldAtCentre(s * (centre_[0] - a.x), s * (centre_[1] - a.y), s * (centre_[2] - a.z), a.w, q, field);
            if constexpr (kCharges) {
                const float4 first = asVectors(task_.dipoles)[id];
                const float dipole[3] = {s * first.x, s * first.y, s * first.z};
                const float x = s * (centre_[0] - a.x), y = s * (centre_[1] - a.y), z = s * (centre_[2] - a.z);
                addDipoleToExpansion<kHighOrder>(expansion_, x, y, z, dipole, field);
                if constexpr (kField)
                    atCentre_ += dipoleField(dipole, x, y, z, field.softeningSquared);
                else
                    atCentre_ += m1.z / (x * x + y * y + z * z);  // sizes of pulls, for all of the group
            }
        }
        counted_[kHighOrder ? kHigh : kLow] += static_cast<unsigned>(n);
    }

    __device__ __forceinline__ void addCells(int n) {
        const std::uint32_t id = taken(kCells, n);
        // Lanes after the last cell hold massless ones.
        float4 a{0, 0, 0, 0}, q0{0, 0, 0, 0}, q1{0, 0, 0, 0};
        [[maybe_unused]] float4 dipole{0, 0, 0, 0};
        if (static_cast<int>(lane_) < n) {
            a = asVectors(task_.nodes.centre)[2ull * id];
            if constexpr (!kMonopole) {
                const float4 m0 = asVectors(task_.nodes.moments)[2ull * id],
                             m1 = asVectors(task_.nodes.moments)[2ull * id + 1];
                const CellPull<float> pull =
                    cellPull(CellMoments<float>{a.x, a.y, a.z, a.w, {m0.x, m0.y, m0.z, m0.w, m1.x, m1.y}},
                             kField ? GravityField<float>::power() : field_.power());
                q0 = {pull.q[0], pull.q[1], pull.q[2], pull.q[3]};
                q1 = {pull.q[4], pull.q[5], pull.trace, 0};
                if constexpr (kCharges) {
                    q1.w = m1.z;
                    dipole = asVectors(task_.dipoles)[id];
                }
            }
        }
        memory_.store(kCellBytes * lane_, a);
        if constexpr (!kMonopole) {
            memory_.store(kCellBytes * lane_ + 16, q0);
            memory_.store(kCellBytes * lane_ + 32, q1);
        }
        if constexpr (kCharges) memory_.store(kCellBytes * lane_ + 48, dipole);
        __syncwarp();
        const unsigned end = memory_.at(kCellBytes * n);
#pragma unroll 1
        for (unsigned at = memory_.at(0); at < end; at += 2 * kCellBytes) {
            addCell<0>(at);
            addCell<kCellBytes>(at);
        }
        __syncwarp();
        counted_[kCells] += static_cast<unsigned>(n);
    }
    template <unsigned kOffset>
    __device__ __forceinline__ void addCell(unsigned at) {
        const float4 a = Shared::load4<kOffset>(at);
        if constexpr (kMonopole) {
            const BodyPull one = bodyPull();
#pragma unroll
            for (int t = 0; t < kTargets; ++t) addBody(one, t, a);
        } else if constexpr (kCharges) {
            addCharges(a, Shared::load4<kOffset + 16>(at), Shared::load4<kOffset + 32>(at), Shared::load4<kOffset + 48>(at));
        } else {
            const float4 q0 = Shared::load4<kOffset + 16>(at), q1 = Shared::load4<kOffset + 32>(at);
            const CellPull<float> pull{a.x, a.y, a.z, a.w, {q0.x, q0.y, q0.z, q0.w, q1.x, q1.y}, q1.z};
#pragma unroll
            for (int t = 0; t < kTargets; ++t)
                if constexpr (kField)
                    sum_[t][0] += cellField(pull, at_[t][0], at_[t][1], at_[t][2], field_);
                else
                    addCellPull(sum_[t], pull, at_[t][0], at_[t][1], at_[t][2], field_);
        }
    }

    __device__ __forceinline__ void addCharges(const float4& a, const float4& q0, const float4& q1, const float4& first) {
        const CellPull<float> pull{a.x, a.y, a.z, a.w, {q0.x, q0.y, q0.z, q0.w, q1.x, q1.y}, q1.z};
        const float dipole[3] = {first.x, first.y, first.z};
#pragma unroll
        for (int t = 0; t < kTargets; ++t) {
            const float* at = at_[t];
            if constexpr (kField) {
                sum_[t][0] += cellField(pull, at[0], at[1], at[2], field_) +
                              dipoleField(dipole, at[0] - a.x, at[1] - a.y, at[2] - a.z, field_.softeningSquared);
            } else {
                addCellPull(sum_[t], pull, at[0], at[1], at[2], field_);
                addDipolePull(sum_[t], dipole, a.x, a.y, a.z, at[0], at[1], at[2], field_);
                const float x = a.x - at[0], y = a.y - at[1], z = a.z - at[2];
                const float u = inverseRoot(x * x + (y * y + (z * z + field_.softeningSquared)));
                size_[t] += q1.w * (u * u);
            }
        }
    }

    using BodyPull = std::conditional_t<kPower, SoftenedPull, GravityPull<float>>;
    __device__ __forceinline__ BodyPull bodyPull() const {
        if constexpr (kPower)
            return {field_};
        else
            return {field_.softeningSquared};
    }
    __device__ __forceinline__ void addBody(const BodyPull& one, int t, const float4& body) {
        if constexpr (kSized) {
            const float x = body.x - at_[t][0], y = body.y - at_[t][1], z = body.z - at_[t][2];
            const float inverse = inverseRoot(fmaf(z, z, fmaf(y, y, fmaf(x, x, field_.softeningSquared))));
            const float weight = kSizeOfAxes * fabsf(body.w) * inverse * (inverse * inverse);
            size_[t] = fmaf(weight, fabsf(x) + fabsf(y) + fabsf(z), size_[t]);
        }
        Vec3<float> a{sum_[t][0], sum_[t][1], sum_[t][2]};
        one(a, {at_[t][0], at_[t][1], at_[t][2], 0}, body);
        sum_[t][0] = a.x;
        sum_[t][1] = a.y;
        sum_[t][2] = a.z;
    }

    /// Adds the potential of a body to its targets other than itself, and keeps it where it is the nearest.
    __device__ __forceinline__ void addField(const float4& source, std::uint32_t place) {
        if (source.w == 0) return;  // it pulls no body, and fills the lanes after the last source
#pragma unroll
        for (int t = 0; t < kTargets; ++t) {
            const float x = source.x - at_[t][0], y = source.y - at_[t][1], z = source.z - at_[t][2];
            const float squared = x * x + y * y + z * z;
            if (place == place_[t]) continue;
            // Two bodies at one place have no energy where it would not be finite.
            if (squared > 0 || task_.softeningSquared > 0) {
                const float softened = squared + field_.softeningSquared;
                if constexpr (kPower)
                    sum_[t][0] += source.w * field_.fieldAt(softened);
                else
                    sum_[t][0] += source.w * inverseRoot(softened);
            }
            if (squared < sum_[t][kNearest]) {
                sum_[t][kNearest] = squared;
                neighbour_[t] = place;
            }
        }
    }

    template <unsigned kOffset>
    __device__ __forceinline__ void addBodyAt(const BodyPull& one, unsigned at) {
        const float4 source = Shared::load4<kOffset>(at);
        if constexpr (kField) {
            addField(source, memory_.load(kPlacesAt + (at + kOffset - memory_.at(0)) / 4));
        } else {
#pragma unroll
            for (int t = 0; t < kTargets; ++t) addBody(one, t, source);
        }
    }

    /// Adds the bodies of `n` leaves, 32 at a time: a lane finds the leaf of its body by counting the starts of leaves.
    __device__ __forceinline__ void addBodies(int n) {
        const std::uint32_t id = taken(kBodies, n);
        const float4 link = asVectors(task_.nodes.centre)[2ull * id + 1];
        const bool has = static_cast<int>(lane_) < n;
        const int bodies = has ? -asInt(link.w) : 0;
        int start = bodies;  // becomes the sum over the lanes before
        for (int step = 1; step < 32; step *= 2) {
            const int other = __shfl_up_sync(kAll, start, step);
            if (static_cast<int>(lane_) >= step) start += other;
        }
        const int all = __shfl_sync(kAll, start, 31);
        start -= bodies;
        const int shift = asInt(link.z) - start;
        const BodyPull one = bodyPull();
        [[maybe_unused]] std::uint32_t fetched = 0;  // place of the body
        const auto fetch = [&](int base) {
            const unsigned bit = has && start >= base && start < base + 32 ? 1u << (start - base) : 0;
            const unsigned starts = warpOr(bit);
            const int passed = __popc(__ballot_sync(kAll, has && start < base));
            const int leaf = passed + __popc(starts & (below_ | 1u << lane_)) - 1;
            const int place = __shfl_sync(kAll, shift, max(leaf, 0)) + base + static_cast<int>(lane_);
            float4 body{0, 0, 0, 0};
            if (base + static_cast<int>(lane_) < all) body = asVectors(task_.sorted)[place];
            if constexpr (kField) fetched = static_cast<std::uint32_t>(place);
            return body;
        };
        float4 body = fetch(0);
        for (int base = 0; base < all; base += 32) {
            memory_.store(16 * lane_, body);
            if constexpr (kField) memory_.store(kPlacesAt + 4 * lane_, fetched);
            __syncwarp();
            if (base + 32 < all) body = fetch(base + 32);
            // Lanes after the last body hold massless ones.
            const unsigned end = memory_.at(16 * min(32, all - base));
#pragma unroll 1
            for (unsigned at = memory_.at(0); at < end; at += 64) {
                addBodyAt<0>(one, at);
                addBodyAt<16>(one, at);
                addBodyAt<32>(one, at);
                addBodyAt<48>(one, at);
            }
            __syncwarp();
        }
        counted_[kBodies] += static_cast<unsigned>(all);
    }

    __device__ void end(TreeGroup group) {
        if constexpr (kExpands) {
            float* terms = expansion_.first;
            static_assert(sizeof expansion_ == kExpansionTerms * sizeof(float));
#pragma unroll
            for (int k = 0; k < kExpansionTerms; ++k) terms[k] = warpSum(terms[k]);
        }
        const unsigned longest = counted_[kBodies] + counted_[kCells] + counted_[kLow] + counted_[kHigh];
        if (lane_ == 0) {
            const unsigned long long targets = group.count;
            atomicAdd(&task_.counts->pairs, targets * counted_[kBodies]);
            atomicAdd(&task_.counts->cells, targets * counted_[kCells]);
            if constexpr (kExpands) {
                atomicAdd(&task_.counts->expandedLow, targets * counted_[kLow]);
                atomicAdd(&task_.counts->expandedHigh, targets * counted_[kHigh]);
            }
            atomicAdd(&task_.counts->visited, static_cast<unsigned long long>(visited_));
            if constexpr (!kTogether) atomicMax(&task_.facts->longest, longest);
        }
        if constexpr (kTogether) addUp(longest);
        if constexpr (kField)
            endField(group);
        else if constexpr (kLaw != TreeLaw::gravity)
            endLawForce(group);
        else
            endForce(group);
    }

    /// Adds the sums of all warps, in their order; each warp then has those of its targets.
    __device__ void addUp(unsigned longest) {
        static_assert(kTargets <= kTeam && kTermsAt + 4 * 32 * 3 * kTargets + 4 <= kStageBytes);
        __syncwarp();
        if constexpr (kExpands)
            if (lane_ == 0)
                for (int k = 0; k < kExpansionTerms; ++k) memory_.store(4 * k, __float_as_uint(expansion_.first[k]));
#pragma unroll
        for (int t = 0; t < kTargets; ++t)
            for (int axis = 0; axis < 3; ++axis)
                memory_.store(kTermsAt + 4 * (32 * (3 * t + axis) + lane_), __float_as_uint(sum_[t][axis]));
        if (lane_ == 0) memory_.store(kStageBytes - 4, longest);
        __syncthreads();
        const unsigned warp = threadIdx.x / 32, base = memory_.at(0) - kStageBytes * warp;
        const auto all = [&](unsigned offset) {
            float sum = 0;
#pragma unroll
            for (unsigned k = 0; k < kTeam; ++k) sum += Shared::loadFloat(base + kStageBytes * k + offset);
            return sum;
        };
        if (threadIdx.x == 0) {
            unsigned sum = 0;
            for (unsigned k = 0; k < kTeam; ++k) sum += __float_as_uint(Shared::loadFloat(base + kStageBytes * (k + 1) - 4));
            atomicMax(&task_.facts->longest, sum);
        }
        if (warp >= kTargets) return;
        if constexpr (kExpands)
#pragma unroll
            for (int k = 0; k < kExpansionTerms; ++k) expansion_.first[k] = all(4 * k);
#pragma unroll
        for (int t = 0; t < kTargets; ++t)
            for (int axis = 0; axis < 3; ++axis) sum_[t][axis] = all(kTermsAt + 4 * (32 * (3 * t + axis) + lane_));
    }

    __device__ void endForce(TreeGroup group) {
        const float factor = task_.scale->acceleration;
#pragma unroll
        for (int t = 0; t < kTargets; ++t) {
            if (kTogether && threadIdx.x / 32 != t) continue;
            if constexpr (kExpands) {
                float far[3] = {};
                addExpandedPull<true>(far, expansion_, unit_ * (at_[t][0] - centre_[0]), unit_ * (at_[t][1] - centre_[1]),
                                      unit_ * (at_[t][2] - centre_[2]));
                for (int axis = 0; axis < 3; ++axis) sum_[t][axis] += unit_ * unit_ * far[axis];
            }
            if (lane_ + 32 * t >= group.count) continue;
            const std::uint32_t body = task_.order[place_[t]];
            const float x = factor * sum_[t][0], y = factor * sum_[t][1], z = factor * sum_[t][2];
            if (task_.sums) asVectors(task_.sums)[body] = {x, y, z, 0};
            // The sum is still scaled, so that no square overflows or underflows.
            const float length = sqrtf(sum_[t][0] * sum_[t][0] + sum_[t][1] * sum_[t][1] + sum_[t][2] * sum_[t][2]);
            task_.lengths[body] = factor * length;
        }
    }

    /// Stores the force under other laws.
    __device__ void endLawForce(TreeGroup group) {
        double factor = task_.scale->acceleration;
        [[maybe_unused]] float back = 0, sizes = 0;
        if constexpr (kPower) factor = powerScale();
        // 1/r^2 is in the units of the expansion, too; another power has separate units.
        if constexpr (kExpands) back = kPower ? unit_ : unit_ * unit_;
        if constexpr (kSized && kExpands) sizes = unit_ * unit_ * warpSum(atCentre_);
#pragma unroll
        for (int t = 0; t < kTargets; ++t) {
            if constexpr (kExpands) {
                float far[3] = {};
                addExpandedPull<true>(far, expansion_, unit_ * (at_[t][0] - centre_[0]), unit_ * (at_[t][1] - centre_[1]),
                                      unit_ * (at_[t][2] - centre_[2]));
                for (int axis = 0; axis < 3; ++axis) sum_[t][axis] += back * far[axis];
            }
            if (lane_ + 32 * t >= group.count) continue;
            const std::uint32_t body = task_.order[place_[t]];
            const auto scaled = [&](float x) { return static_cast<float>(factor * static_cast<double>(x)); };
            if (task_.sums) asVectors(task_.sums)[body] = {scaled(sum_[t][0]), scaled(sum_[t][1]), scaled(sum_[t][2]), 0};
            float length = sqrtf(sum_[t][0] * sum_[t][0] + sum_[t][1] * sum_[t][1] + sum_[t][2] * sum_[t][2]);
            if constexpr (kSized) length = fmaxf(length, task_.floorShare * (size_[t] + sizes));
            task_.lengths[body] = scaled(length);
        }
    }

    __device__ void endField(TreeGroup group) {
        const float centre = warpSum(atCentre_);
        const double length = task_.scale->length;
        double factor = 0.5 * length / task_.scale->source;
        if constexpr (kPower) factor = 0.5 * powerScale(static_cast<double>(task_.field.degree) - 1);
        // 1/r is in the units of the expansion; another power has separate units.
        const float back = kPower ? 1.f : unit_;
#pragma unroll
        for (int t = 0; t < kTargets; ++t) {
            if (lane_ + 32 * t >= group.count) continue;
            const float far = centre + expandedField(expansion_, unit_ * (at_[t][0] - centre_[0]),
                                                     unit_ * (at_[t][1] - centre_[1]), unit_ * (at_[t][2] - centre_[2]));
            const std::uint32_t body = task_.order[place_[t]];
            const float nearest = sum_[t][kNearest];
            task_.fields.energy[body] = factor * static_cast<double>(sum_[t][0] + back * far);
            task_.fields.squared[body] = nearest < kNowhere ? nearest / (length * length) : INFINITY;
            task_.fields.neighbour[body] = task_.order[neighbour_[t]];
        }
    }
};

}  // namespace gravlab::cuda
