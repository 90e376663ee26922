// Is a force of several terms right? Each term's share is judged by itself, and then their sum.
#pragma once
#include "sim/forces/force_check.h"
#include "sim/forces/force_term.h"

#include <memory>
#include <span>
#include <vector>

namespace gravlab {

/// What one term made of some targets.
struct TermShare {
    std::shared_ptr<const ForceTerm> term;
    std::vector<Double4> got;  ///< accelerations of the targets by this term alone
    ForceGate gate{};
};

/// What the plain statements say of the same targets.
struct TermTruth {
    std::vector<std::vector<Double4>> want;   ///< of each share
    std::vector<std::vector<double>> floors;  ///< the same

    TermTruth() = default;
    TermTruth(std::size_t shares, std::size_t targets)
        : want(shares, std::vector<Double4>(targets)), floors(shares, std::vector<double>(targets)) {}
};

/// Fills the places of the targets [first, last) of each share. Threads may fill different places.
void addTruth(TermTruth& truth, std::span<const TermShare> shares, const TermBodies& bodies,
              std::span<const std::uint32_t> targets, std::size_t first, std::size_t last);

/// Judges each share against its own plain statement by its own gate, so that a weak term cannot be wrong behind a strong
/// one; then the whole, so that no term is left out or added twice, against the sum of the terms' sizes: where they cancel,
/// the rounding of each stays. Gives the first of these checks that fails, else that of the first share. `whole`:
/// accelerations by all terms together; not looked at where there is but one. `worst` is an index of the targets.
ForceCheck compareTerms(std::span<const TermShare> shares, std::span<const Double4> whole, const TermTruth& truth);

}  // namespace gravlab
