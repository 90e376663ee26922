// What acts on bodies, as a list: the pair law, and beside it anything that a program brings. A kind of term is named by a
// word, never by an enum; each backend looks in a table of its own for what computes that kind.
// Rule: a term is never changed once made; what a user turns makes a new one.
#pragma once
#include "sim/core/particles.h"
#include "sim/core/state_array.h"
#include "sim/forces/force_settings.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// Bodies as a term's plain statement reads them; all of one length. Names, see ParticleSet::id, let a list of bonds survive
/// edits: a bond to a body that is gone acts no more.
struct TermBodies {
    std::span<const Double4> positions, velocities;
    std::span<const std::uint32_t> ids;
    std::size_t size() const { return positions.size(); }
};
inline TermBodies termBodies(const ParticleSet& bodies) { return {bodies.position, bodies.velocity, bodies.id}; }

/// What integrators and measurements may ask of a term.
struct TermOffer {
    bool jerk = false;            ///< it has addJerks(), which Hermite steps need
    bool usesVelocities = false;  ///< its force depends on velocities: see takesVelocities() of integrators
    bool conservesEnergy = true, conservesMomentum = true, conservesAngularMomentum = true;
    bool operator==(const TermOffer&) const = default;
};

/// One term of the force: its name, its numbers and its plain fp64 statement, which is the truth that the reference backend
/// computes, that checks compare with, and that energy is a sum of.
class ForceTerm {
public:
    virtual ~ForceTerm() = default;
    /// Stable key: files, and the tables of methods. Letters, digits and '-'.
    virtual std::string_view kind() const = 0;
    /// For people: "512 springs of stiffness 40".
    virtual std::string description() const = 0;
    /// All that makes this term, as named numbers: for files, and for comparison.
    virtual std::vector<StateArray> numbers() const = 0;
    /// Adds the accelerations of `targets` [L/T^2] to `out`, and to `floors`, where given, how large an error is at least
    /// held against; see referenceForces(). A body without response feels nothing. Gives how many interactions that were: a
    /// bond counts for each body that it pulls.
    virtual double addAccelerations(const TermBodies& bodies, std::span<const std::uint32_t> targets, std::span<Double4> out,
                                    std::span<double> floors) const = 0;
    /// Adds how these accelerations change as the bodies move [L/T^3]. Throws std::logic_error unless the term offers a
    /// jerk.
    virtual void addJerks(const TermBodies& bodies, std::span<const std::uint32_t> targets, std::span<Double4> out) const;
    /// Of all bodies together [M L^2/T^2].
    virtual double potential(const TermBodies& bodies) const = 0;
    /// What moving that body alone works against [M L^2/T^2]: what all bodies have, less what they have without it.
    virtual double potentialOf(const TermBodies& bodies, std::size_t body) const;
    virtual TermOffer offer() const { return {}; }
    bool usesVelocities() const { return offer().usesVelocities; }
    /// Up to `most` bodies that a check should look at beside the usual sample, where few bodies feel the term.
    virtual std::vector<std::uint32_t> checkTargets(const TermBodies&, [[maybe_unused]] std::size_t most) const {
        return {};
    }
};

/// Terms in the order in which they are evaluated and added. The first is the pair law.
using ForceTerms = std::vector<std::shared_ptr<const ForceTerm>>;

/// The pair law as a term, with all that it depends on. Its kernels are the rows of kernels().
class PairLaw final : public ForceTerm {
public:
    static constexpr std::string_view kKind = "pair-law";
    explicit PairLaw(const ForceSettings& settings) : settings_(settings) {}
    const ForceSettings& settings() const { return settings_; }

    std::string_view kind() const override { return kKind; }
    std::string description() const override;
    std::vector<StateArray> numbers() const override;
    double addAccelerations(const TermBodies& bodies, std::span<const std::uint32_t> targets, std::span<Double4> out,
                            std::span<double> floors) const override;
    double potential(const TermBodies& bodies) const override;
    TermOffer offer() const override;

private:
    ForceSettings settings_;
};

/// Terms beside the pair law, and numbers() of one: what files have room for.
constexpr std::size_t kMostTerms = 32, kMostTermArrays = 24;

/// The pair law and `others` beside it. Throws UsageError where they are more than kMostTerms, before anything is computed.
ForceTerms termsOf(const ForceSettings& pairLaw, const ForceTerms& others = {});
/// Settings of the pair law. Throws UsageError where the first term is none, or another one is.
const ForceSettings& pairLawOf(const ForceTerms& terms);
/// The terms beside the pair law.
ForceTerms othersOf(const ForceTerms& terms);
bool sameTerms(const ForceTerms& a, const ForceTerms& b);

/// How a kind of term comes out of a file.
struct TermKind {
    std::string_view name;
    /// Throws InputError for numbers that make no sense.
    std::shared_ptr<const ForceTerm> (*make)(const std::vector<StateArray>& numbers);
    std::string_view idea{};  ///< one line for lists
    /// A term of this kind that acts on those bodies: what `check` and `bench` compute where a scene has none. Null: only
    /// scenes and files have it.
    std::shared_ptr<const ForceTerm> (*example)(const ParticleSet& bodies) = nullptr;
};
/// The kinds that this program knows beside the pair law.
std::span<const TermKind> termKinds();
/// Makes a kind known to this program: before main(), or before anything reads a file. Throws std::logic_error for a name
/// that is there already.
bool addTermKind(const TermKind& kind);

/// Terms as named numbers, in the order of the list: "term.00.springs", "term.00.springs.first", ...
std::vector<StateArray> arraysOf(const ForceTerms& others);
/// Takes what arraysOf() gave out of `arrays` and leaves the rest there. Throws InputError, naming the file, for a kind that
/// this program does not know and for terms that are not whole.
ForceTerms takeTerms(std::vector<StateArray>& arrays, const std::string& name);

}  // namespace gravlab
