// The list of terms of a run, whose first one is the pair law.
#pragma once
#include "sim/api/law.h"
#include "sim/api/term.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// The pair law as a term, with all its settings. Its kernels are the rows of kernels().
class PairLaw final : public ForceTerm {
public:
    static constexpr std::string_view kKind = "pair-law";
    explicit PairLaw(const ForceSettings& settings) : settings_(settings) {}
    const ForceSettings& settings() const { return settings_; }

    std::string_view kind() const override { return kKind; }
    std::string description() const override;
    std::vector<StateArray> numbers() const override;
    double addAccelerations(const TermBodies& bodies, std::span<const std::uint32_t> targets, std::span<Double4> out,
                            std::span<double> floors) const override {
        return addTruth(bodies, targets, out, floors, 0);
    }
    double addTruth(const TermBodies& bodies, std::span<const std::uint32_t> targets, std::span<Double4> out,
                    std::span<double> floors, double leastShare) const override;
    double potential(const TermBodies& bodies) const override;
    TermOffer offer() const override;

private:
    ForceSettings settings_;
};

/// Terms beside the pair law, and arrays in numbers() of one term, that files have room for.
constexpr std::size_t kMostTerms = 32, kMostTermArrays = 24;

/// The pair law and `others` beside it. Throws UsageError for more than kMostTerms terms, before anything is computed.
ForceTerms termsOf(const ForceSettings& pairLaw, const ForceTerms& others = {});
/// Settings of the pair law. Throws UsageError when the first term is not a pair law, or a later one is.
const ForceSettings& pairLawOf(const ForceTerms& terms);
/// The terms beside the pair law.
ForceTerms othersOf(const ForceTerms& terms);
bool sameTerms(const ForceTerms& a, const ForceTerms& b);

/// The kinds of terms that this program knows beside the pair law.
std::span<const TermKind> termKinds();
/// Terms as named numbers, in the order of the list: "term.00.springs", "term.00.springs.first", ...
std::vector<StateArray> arraysOf(const ForceTerms& others);
/// Moves what arraysOf() gave out of `arrays` and leaves the rest. Throws InputError, naming the file, for an unknown kind
/// or an incomplete term.
ForceTerms takeTerms(std::vector<StateArray>& arrays, const std::string& name);

}  // namespace gravlab
