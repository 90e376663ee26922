// Checks a force of several terms: each term by itself, and then their sum.
#pragma once
#include "sim/forces/force_check.h"
#include "sim/forces/force_term.h"

#include <memory>
#include <span>
#include <vector>

namespace gravlab {

/// The result of one term for some targets.
struct TermShare {
    std::shared_ptr<const ForceTerm> term;
    std::vector<Double4> got;  ///< accelerations of the targets by this term alone
    ForceGate gate{};
};

/// The plain statements of all terms for the same targets.
struct TermTruth {
    std::vector<std::vector<Double4>> want;   ///< of each term
    std::vector<std::vector<double>> floors;  ///< of each term

    TermTruth() = default;
    TermTruth(std::size_t shares, std::size_t targets)
        : want(shares, std::vector<Double4>(targets)), floors(shares, std::vector<double>(targets)) {}
};

/// Fills the entries of the targets [first, last) for each term. Threads may fill different ranges.
void addTruth(TermTruth& truth, std::span<const TermShare> shares, const TermBodies& bodies,
              std::span<const std::uint32_t> targets, std::size_t first, std::size_t last);

/// Compares each term with its own plain statement by its own gate, so that a strong term cannot hide a wrong weak one. Then
/// compares the sum, so that no term is left out or added twice. Its errors are relative to the summed sizes of the terms,
/// because their roundings remain where they cancel. Returns the first failing check, else that of the first term. `whole`:
/// accelerations by all terms together; ignored for a single term. `worst` is an index of the targets.
ForceCheck compareTerms(std::span<const TermShare> shares, std::span<const Double4> whole, const TermTruth& truth);

}  // namespace gravlab
