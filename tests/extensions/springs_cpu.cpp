// Springs on the CPU, and reading them from a file.
#include "sim/api/method.h"
#include "springs.h"

namespace gravlab::extension {
namespace {

// Small, so that forces of some hundred bodies need several slices; it is the block of one kernel.
constexpr int kBodiesPerSlice = 64;
constexpr int kBlocks[] = {16, 64, 256};

template <class T>
class CpuSprings final : public HostKernel<T> {
public:
    /// `strength`: 1, except in a kernel that is wrong on purpose.
    CpuSprings(const Springs& springs, const KernelParts& parts, T strength)
        : all_(springs.endsOf(parts.ids)), strength_(strength) {}

    void compute(const HostBodies<T>& bodies, std::size_t first, std::size_t last, const HostSums<T>& sums) const override {
        for (std::size_t i = first; i < last; ++i) {
            const Vec3<T> at{bodies.x[i], bodies.y[i], bodies.z[i]};
            Vec3<T> sum{0, 0, 0};
            for (std::uint32_t e = all_.first[i]; bodies.source[i] != 0 && e < all_.first[i + 1]; ++e) {
                const SpringEnd& end = all_.ends[e];
                const Vec3<T> apart = Vec3<T>{bodies.x[end.other], bodies.y[end.other], bodies.z[end.other]} - at;
                const T distance = length(apart);
                if (!(distance > 0)) continue;
                sum += strength_ * static_cast<T>(end.stiffness) * (distance - static_cast<T>(end.length)) /
                       (distance * bodies.source[i]) * apart;
            }
            sums.x[i] = sum.x;
            sums.y[i] = sum.y;
            sums.z[i] = sum.z;
        }
    }
    double interactions(std::size_t first, std::size_t last) const override {
        return static_cast<double>(all_.first[last] - all_.first[first]);
    }

private:
    SpringEnds all_;
    T strength_;
};

/// In thousandths: a template argument that every compiler accepts.
template <class T, int kStrength>
std::unique_ptr<HostKernel<T>> make(const ForceTerm& term, const KernelParts& parts) {
    return std::make_unique<CpuSprings<T>>(static_cast<const Springs&>(term), parts, static_cast<T>(kStrength) / 1000);
}

const bool kKnown = addTermKind({Springs::kKind, Springs::make, "springs between named bodies", Springs::example});
const bool kWrong = addHostKernel({.term = Springs::kKind,
                                   .name = "wrong",
                                   .idea = "a thousandth too strong: checks must notice",
                                   .block = kBodiesPerSlice,
                                   .fp32 = make<float, 1001>,
                                   .fp64 = make<double, 1001>});
const bool kBlock = addHostKernel({.term = Springs::kKind,
                                   .name = "blocks",
                                   .idea = "as many bodies at a time as the block says",
                                   .block = 256,
                                   .blocks = kBlocks,
                                   .fp32 = make<float, 1000>,
                                   .fp64 = make<double, 1000>});
const bool kRight = addHostKernel({.term = Springs::kKind,
                                   .name = "list",
                                   .idea = "each body goes through its springs",
                                   .block = kBodiesPerSlice,
                                   .fp32 = make<float, 1000>,
                                   .fp64 = make<double, 1000>});

}  // namespace
}  // namespace gravlab::extension
