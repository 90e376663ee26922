// What acts on bodies, as a list: the pair law, and beside it any term that a program adds. A kind of term is a word, never
// an enum; each backend looks up its methods in its own table (method.h). Rule: a term never changes once made; changing a
// setting makes a new term.
#pragma once
#include "bodies.h"

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace gravlab {

/// Bodies as a term's plain statement reads them; all arrays have one length. Ids, see ParticleSet::id, keep a list of bonds
/// valid through edits: a bond to a removed body no longer acts.
struct TermBodies {
    std::span<const Double4> positions, velocities;
    std::span<const std::uint32_t> ids;
    double time = 0;  ///< simulated time of the positions [T]
    std::size_t size() const { return positions.size(); }
};
inline TermBodies termBodies(const ParticleSet& bodies) {
    return {bodies.position, bodies.velocity, bodies.id, bodies.time};
}

/// What a term offers to integrators and measurements.
struct TermOffer {
    bool jerk = false;            ///< it has addJerks(), which Hermite steps need
    bool usesVelocities = false;  ///< its force depends on velocities: see takesVelocities() of integrators
    bool conservesEnergy = true, conservesMomentum = true, conservesAngularMomentum = true;
    bool changes = false;  ///< it may lose parts at the end of a step: see after()
    bool operator==(const TermOffer&) const = default;
};

/// The longest time step [T] under which a term keeps its bodies together, and the part of the term that sets it.
struct StepLimit {
    double longest = std::numeric_limits<double>::infinity();
    std::string why{};
};

/// Scales by which a term judges single precision.
struct SingleTrial {
    bool pairsAlone = false;  ///< mixed precision: only pairs are in single
    double least = 0;         ///< least scale of relative errors [L/T^2]
    double ahead = 0;         ///< how far ahead in time places are judged [T]
};

/// One term of the force: its name, its numbers and its plain fp64 statement. The statement is the truth: the reference
/// backend computes it, checks compare with it, and energy sums it.
class ForceTerm {
public:
    virtual ~ForceTerm() = default;
    /// Stable key: files, and the tables of methods. Letters, digits and '-'.
    virtual std::string_view kind() const = 0;
    /// A description for people: "512 springs of stiffness 40".
    virtual std::string description() const = 0;
    /// All numbers of this term, by name: for files and for comparison.
    virtual std::vector<StateArray> numbers() const = 0;
    /// Adds the accelerations of `targets` [L/T^2] to `out`. Adds to `floors`, if given, the least scale for relative
    /// errors; see referenceForces(). A body without response feels nothing. Returns the number of interactions: a bond
    /// counts for each body that it pulls.
    virtual double addAccelerations(const TermBodies& bodies, std::span<const std::uint32_t> targets, std::span<Double4> out,
                                    std::span<double> floors) const = 0;
    /// The same for a check, whose floors are at least `leastShare` of the summed sizes of what acts on a target; see
    /// leastShare(). A term whose floors have the whole sizes keeps this.
    virtual double addTruth(const TermBodies& bodies, std::span<const std::uint32_t> targets, std::span<Double4> out,
                            std::span<double> floors, [[maybe_unused]] double leastShare) const {
        return addAccelerations(bodies, targets, out, floors);
    }
    /// Adds the rate of change of these accelerations as the bodies move [L/T^3]. Throws std::logic_error unless the term
    /// offers a jerk.
    virtual void addJerks(const TermBodies& bodies, std::span<const std::uint32_t> targets, std::span<Double4> out) const;
    /// The potential energy of all bodies [M L^2/T^2].
    virtual double potential(const TermBodies& bodies) const = 0;
    /// The potential energy of one body [M L^2/T^2]: the energy of all bodies less the energy without this one.
    virtual double potentialOf(const TermBodies& bodies, std::size_t body) const;
    virtual TermOffer offer() const { return {}; }
    bool usesVelocities() const { return offer().usesVelocities; }
    /// Up to `most` bodies for a check to examine beside the usual sample, when few bodies feel the term.
    virtual std::vector<std::uint32_t> checkTargets(const TermBodies&, [[maybe_unused]] std::size_t most) const {
        return {};
    }
    /// This term after a complete step that ends with these bodies, without the parts that end there, such as bonds that
    /// break. Null: nothing ends. Methods that `changes` do the same in their own precision.
    virtual std::shared_ptr<const ForceTerm> after(const TermBodies&) const { return nullptr; }
    /// Why single precision would compute this term wrongly, with single precision as the subject; empty when it would not.
    virtual std::string beyondSingle(const TermBodies&, const SingleTrial&) const { return {}; }
    /// The limit for steps of fixed length.
    virtual StepLimit stepLimit(const TermBodies&) const { return {}; }
};

/// Terms in the order in which they are evaluated and added. The first is the pair law.
using ForceTerms = std::vector<std::shared_ptr<const ForceTerm>>;

/// How to make a kind of term from a file.
struct TermKind {
    std::string_view name;
    /// Throws InputError for invalid numbers.
    std::shared_ptr<const ForceTerm> (*make)(const std::vector<StateArray>& numbers);
    std::string_view idea{};  ///< one line for lists
    /// A term of this kind for those bodies, which `check` and `bench` compute when a scene has none. Null: only scenes and
    /// files have it.
    std::shared_ptr<const ForceTerm> (*example)(const ParticleSet& bodies) = nullptr;
};
/// Adds a kind to this program: call it before main(), or before any file is read. Throws std::logic_error for a name that
/// exists already.
bool addTermKind(const TermKind& kind);

}  // namespace gravlab
