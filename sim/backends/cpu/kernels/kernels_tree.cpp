// The tree in SIMD under gravity, and keys. Highway compiles the file once for each instruction set.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#define HWY_BROKEN_EMU128 1
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/backends/cpu/kernels/kernels_tree.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// Include this after the two headers above, which name the instruction set.
#include "sim/backends/cpu/kernels/kernels_tree.inl"
#include "sim/tree/key.h"

HWY_BEFORE_NAMESPACE();
namespace gravlab::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Computes hilbertKey() of key.h without branches.
void hilbertKeys(std::uint32_t* placeX, std::uint32_t* placeY, std::uint32_t* placeZ, std::size_t count,
                 std::uint64_t* keys) {
    const hn::ScalableTag<std::uint32_t> d;
    using U = hn::Vec<decltype(d)>;
    const std::size_t lanes = hn::Lanes(d);
    for (std::size_t k = 0; k < count; k += lanes) {
        U x = hn::LoadU(d, placeX + k), y = hn::LoadU(d, placeY + k), z = hn::LoadU(d, placeZ + k);
        // Rotates the cube by the bit of one axis: flips where it is set, swaps with x where it is not.
        const auto turned = [&](U& other, U bit, U below) HWY_ATTR {
            const auto set = hn::TestBit(other, bit);
            const U swap = hn::IfThenZeroElse(set, hn::And(hn::Xor(x, other), below));
            x = hn::Xor(x, hn::IfThenElse(set, below, swap));
            other = hn::Xor(other, swap);
        };
        for (std::uint32_t bit = kTreeGrid / 2; bit > 1; bit >>= 1) {
            const U at = hn::Set(d, bit), below = hn::Set(d, bit - 1);
            x = hn::Xor(x, hn::IfThenElseZero(hn::TestBit(x, at), below));
            turned(y, at, below);
            turned(z, at, below);
        }
        y = hn::Xor(y, x);
        z = hn::Xor(z, y);
        U turn = hn::Zero(d);
        for (std::uint32_t bit = kTreeGrid / 2; bit > 1; bit >>= 1)
            turn = hn::Xor(turn, hn::IfThenElseZero(hn::TestBit(z, hn::Set(d, bit)), hn::Set(d, bit - 1)));
        hn::StoreU(hn::Xor(x, turn), d, placeX + k);
        hn::StoreU(hn::Xor(y, turn), d, placeY + k);
        hn::StoreU(hn::Xor(z, turn), d, placeZ + k);
    }
    for (std::size_t k = 0; k < count; ++k) keys[k] = mortonKey(placeX[k], placeY[k], placeZ[k]);
}

TreeKernels describeTree() {
    constexpr TreeLaw kLaw = TreeLaw::gravity;
    return {HWY_TARGET,
            hilbertKeys,
            {{walk<kLaw, TreeWalk::thetaMonopole>, walk<kLaw, TreeWalk::theta>, walk<kLaw, TreeWalk::cells>,
              walk<kLaw, TreeWalk::expansions>},
             walk<kLaw, TreeWalk::expansions, true>}};
}

}  // namespace HWY_NAMESPACE
}  // namespace gravlab::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <stdexcept>
#include <vector>

namespace gravlab::cpu {

const TreeKernels& treeKernels(const SimdTarget& simd) {
    static const std::vector<TreeKernels> all = {
#define GRAVLAB_SIMD_TARGET(set, space, ...) space::describeTree(),
#include "sim/backends/cpu/kernels/simd_targets.inl"
    };
    for (const TreeKernels& kernels : all)
        if (kernels.highway == simd.highway) return kernels;
    throw std::logic_error("the tree is not compiled for '" + std::string(simd.name) + "'");
}

const TreeWalks& treeWalks(const SimdTarget& simd, TreeLaw law) {
    if (law == TreeLaw::gravity) return treeKernels(simd).gravity;
    return law == TreeLaw::charges ? lawTreeKernels(simd).charges : lawTreeKernels(simd).power;
}

}  // namespace gravlab::cpu
#endif
