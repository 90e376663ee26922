// A pair law beside the first one, as a force term: van der Waals forces between ions, beside their charges.
#pragma once
#include "sim/forces/force_term.h"

#include <vector>

namespace gravlab {

/// What bodies count as under a second pair law.
enum class PairSources {
    own,   ///< their sources, as under the first pair law
    alike  ///< 1 for each body with a source, of either sign: atoms of one size
};

/// A second pair law. With s' the source that counts and inertia m, its acceleration of body i is
///   a_i = s'_i / m_i sum_j s'_j forceOverDistance(r^2) r.
class SecondPairLaw final : public ForceTerm {
public:
    static constexpr std::string_view kKind = "second-pair-law";
    /// `law`: its precision is ignored.
    SecondPairLaw(const ForceSettings& law, PairSources sources);
    const ForceSettings& law() const { return law_; }
    PairSources sources() const { return sources_; }
    /// The source s' of a body with source `own`.
    template <class Real>
    static Real counted(PairSources sources, Real own) {
        return sources == PairSources::own ? own : own != 0 ? Real(1) : Real(0);
    }

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

private:
    ForceSettings law_;
    PairSources sources_;
};

}  // namespace gravlab
