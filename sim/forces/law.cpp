// The table of pair laws, made from their list. The laws themselves are in laws/.
#include "sim/forces/law.h"

#include "sim/core/names.h"

#include <limits>

namespace gravlab {
namespace {

template <template <class> class PairLaw>
double forceOverDistanceOf(const ForceSettings& settings, double distanceSquared) {
    return PairLaw<double>(settings).forceOverDistance(distanceSquared);
}

template <template <class> class PairLaw>
double potentialOf(const ForceSettings& settings, double distanceSquared) {
    return PairLaw<double>(settings).potential(distanceSquared);
}

template <template <class> class PairLaw>
double reachOf([[maybe_unused]] const ForceSettings& settings) {
    if constexpr (PairLaw<double>::kEnds)
        return PairLaw<double>::reach(settings);
    else
        return std::numeric_limits<double>::infinity();
}

template <template <class> class PairLaw>
constexpr LawRow rowOf() {
    using L = PairLaw<double>;
    return {.name = L::kText.name,
            .idea = L::kText.idea,
            .source = L::kText.source,
            .law = kLaw<PairLaw>,
            .softened = L::kSoftened,
            .hasJerk = L::kHasJerk,
            .floorShare = L::kFloorShare,
            .steep = L::kSteep,
            .signedSources = L::kSigned,
            .tried = L::kTried,
            .confines = L::confines,
            .takes = L::takes,
            .reach = reachOf<PairLaw>,
            .forceOverDistance = forceOverDistanceOf<PairLaw>,
            .potential = potentialOf<PairLaw>};
}

template <template <class> class... PairLaws>
constexpr std::array<LawRow, sizeof...(PairLaws)> rowsOf(LawList<PairLaws...>) {
    return {rowOf<PairLaws>()...};
}
constexpr std::array kLaws = rowsOf(Laws{});

}  // namespace

std::span<const LawRow> laws() { return kLaws; }

const LawRow& lawRow(Law law) { return kLaws[static_cast<std::size_t>(law)]; }

const LawRow& law(std::string_view name) { return findRow(laws(), "law", name); }

}  // namespace gravlab
