// Bonds between named bodies as a term of the force: springs that may stiffen, break and be damped.
// Rule: a bond names its bodies by their ids, so that edits keep the others valid; a bond to a missing body does not act.
#pragma once
#include "sim/forces/bonds/bond_force.h"
#include "sim/forces/force_term.h"

#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace gravlab {

/// One bond between the bodies of two ids.
struct Bond {
    std::uint32_t first = 0, second = 0;
    BondClass<double> numbers{};
};

/// The words of the laws in files, in the order of BondLaw.
constexpr std::string_view kBondLaws[] = {"hooke", "fene", "morse"};
/// Most bonds of a run: rows count the two entries of each in 32 bits.
constexpr std::size_t kMostBonds = (std::size_t{1} << 31) - 1;

/// Bonds in columns, and the numbers that differ. It never changes once made; terms share it.
class BondList {
public:
    BondList() = default;
    BondList(const BondList&) = delete;
    BondList& operator=(const BondList&) = delete;

    void add(const Bond& bond);
    std::size_t size() const { return first.size(); }
    /// Number of the class of a bond.
    std::uint32_t classOf(std::size_t bond) const { return classes.size() > 1 ? classIndex[bond] : 0; }
    const BondClass<double>& numbersOf(std::size_t bond) const { return classes[classOf(bond)]; }

    /// The ends of all bonds by the id of their body: the bonds of id names[k] are bonds[k].
    struct Ends {
        std::vector<std::uint32_t> names, bonds;
    };
    /// Made at the first call. Any thread.
    const Ends& ends() const;

    std::vector<std::uint32_t> first, second;  ///< ids
    std::vector<BondClass<double>> classes;    ///< in the order in which they were added
    std::vector<std::uint32_t> classIndex;     ///< of each bond

private:
    std::unordered_map<std::size_t, std::vector<std::uint32_t>> known_;  ///< classes by hash
    mutable std::once_flag sorted_;
    mutable Ends ends_;
};

/// What is wrong with a bond by itself; empty when nothing is. See also firstDoubledBond().
std::string bondProblem(const Bond& bond);
/// The first bond between two bodies that an earlier one joins already.
std::optional<std::size_t> firstDoubledBond(const BondList& bonds);

/// Indices of bodies by their ids.
class BodyPlaces {
public:
    static constexpr std::uint32_t kMissing = 0xffffffffu;
    explicit BodyPlaces(std::span<const std::uint32_t> ids) : ids_(ids) {}
    /// kMissing where no body has that id. Fast where ids are numbered or ascend; else the first call makes a table.
    std::uint32_t find(std::uint32_t id);

private:
    std::span<const std::uint32_t> ids_;
    bool examined_ = false, ascending_ = false;
    std::unordered_map<std::uint32_t, std::uint32_t> table_;
};

class Bonds final : public ForceTerm {
public:
    static constexpr std::string_view kKind = "bonds";
    /// `broken`: numbers of the bonds that act no more, ascending.
    explicit Bonds(std::shared_ptr<const BondList> list, std::vector<std::uint32_t> broken = {});
    /// Throws InputError for numbers that are no bonds.
    static std::shared_ptr<const ForceTerm> make(const std::vector<StateArray>& numbers);
    /// Bonds of every law through the bodies, for scenes without bonds of their own.
    static std::shared_ptr<const ForceTerm> example(const ParticleSet& bodies);

    const BondList& list() const { return *list_; }
    const std::vector<std::uint32_t>& broken() const { return broken_; }
    bool isBroken(std::size_t bond) const { return !gone_.empty() && gone_[bond]; }
    bool damped() const;
    bool breakable() const;
    /// The same bonds, of which these act no more, too.
    std::shared_ptr<const Bonds> withBroken(std::vector<std::uint32_t> more) const;

    std::string_view kind() const override { return kKind; }
    std::string description() const override;
    std::vector<StateArray> numbers() const override;
    double addAccelerations(const TermBodies& bodies, std::span<const std::uint32_t> targets, std::span<Double4> out,
                            std::span<double> floors) const override;
    double potential(const TermBodies& bodies) const override;
    double potentialOf(const TermBodies& bodies, std::size_t body) const override;
    TermOffer offer() const override;
    std::vector<std::uint32_t> checkTargets(const TermBodies& bodies, std::size_t most) const override;
    std::shared_ptr<const ForceTerm> after(const TermBodies& bodies) const override;
    StepLimit stepLimit(const TermBodies& bodies) const override;

private:
    std::shared_ptr<const BondList> list_;
    std::vector<std::uint32_t> broken_;
    std::vector<bool> gone_;  ///< of each bond; empty while none is broken
};

}  // namespace gravlab
