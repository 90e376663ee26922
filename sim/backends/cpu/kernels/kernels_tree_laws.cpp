// The tree in SIMD under the laws beside gravity. Highway compiles the file once for each instruction set.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#define HWY_BROKEN_EMU128 1
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/backends/cpu/kernels/kernels_tree_laws.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// Include this after the two headers above, which name the instruction set.
#include "sim/backends/cpu/kernels/kernels_tree.inl"

HWY_BEFORE_NAMESPACE();
namespace gravlab::cpu {
namespace HWY_NAMESPACE {

template <TreeLaw kLaw>
TreeWalks describeLaw() {
    TreeWalks walks{{nullptr, walk<kLaw, TreeWalk::theta>, walk<kLaw, TreeWalk::cells>, walk<kLaw, TreeWalk::expansions>},
                    walk<kLaw, TreeWalk::expansions, true>};
    // A cell of charges needs its dipole, which the first row leaves out.
    if constexpr (kLaw == TreeLaw::power) walks.walk[0] = walk<kLaw, TreeWalk::thetaMonopole>;
    return walks;
}

LawTreeKernels describeLaws() { return {HWY_TARGET, describeLaw<TreeLaw::charges>(), describeLaw<TreeLaw::power>()}; }

}  // namespace HWY_NAMESPACE
}  // namespace gravlab::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <stdexcept>
#include <vector>

namespace gravlab::cpu {

const LawTreeKernels& lawTreeKernels(const SimdTarget& simd) {
    static const std::vector<LawTreeKernels> all = {
#define GRAVLAB_SIMD_TARGET(set, space, ...) space::describeLaws(),
#include "sim/backends/cpu/kernels/simd_targets.inl"
    };
    for (const LawTreeKernels& kernels : all)
        if (kernels.highway == simd.highway) return kernels;
    throw std::logic_error("the tree's laws are not compiled for '" + std::string(simd.name) + "'");
}

}  // namespace gravlab::cpu
#endif
