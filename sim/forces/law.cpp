// The table of pair laws. What they compute is in law.h.
#include "sim/forces/law.h"

#include "sim/core/names.h"

namespace gravlab {
namespace {

template <template <class> class PairLaw>
double pullOf(const ForceSettings& settings, double distanceSquared) {
    return PairLaw<double>(settings).pull(distanceSquared);
}

template <template <class> class PairLaw>
double potentialOf(const ForceSettings& settings, double distanceSquared) {
    return PairLaw<double>(settings).potential(distanceSquared);
}

constexpr LawRow kLaws[] = {
    {"gravity", "every mass attracts every other with 1/r^2", "mass", Law::gravity, true, pullOf<Gravity>,
     potentialOf<Gravity>},
    {"coulomb", "charges with sign: like ones repel, unlike ones attract", "charge", Law::coulomb, true, pullOf<Coulomb>,
     potentialOf<Coulomb>},
    {"power-law", "attraction 1/r^a: a = 2 is gravity, a = -1 springs", "mass", Law::powerLaw, true, pullOf<PowerLaw>,
     potentialOf<PowerLaw>},
    {"lennard-jones", "a soft wall and a short attraction: drops, crystals and gases of neutral atoms", "strength",
     Law::lennardJones, false, pullOf<LennardJones>, potentialOf<LennardJones>},
};

}  // namespace

std::span<const LawRow> laws() { return kLaws; }

const LawRow& law(std::string_view name) { return findRow(laws(), "law", name); }

}  // namespace gravlab
