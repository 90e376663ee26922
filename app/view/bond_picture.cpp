#include "app/view/bond_picture.h"

#include "sim/forces/bonds/bonds.h"

#include <algorithm>
#include <span>

namespace gravlab {
namespace {

// The end of the colours of bonds that have no largest strain.
constexpr float kColouredStrain = 0.1f;

std::shared_ptr<const Bonds> bondsOf(const Simulation& simulation) {
    for (const auto& term : simulation.terms())
        if (term->kind() == Bonds::kKind) return std::static_pointer_cast<const Bonds>(term);
    return nullptr;
}

std::vector<BondLine> linesOf(const Bonds& bonds, std::span<const std::uint32_t> ids) {
    const BondList& list = bonds.list();
    BodyPlaces places(ids);
    std::vector<BondLine> lines;
    for (std::size_t k = 0; k < list.size(); ++k) {
        const std::uint32_t i = places.find(list.first[k]), j = places.find(list.second[k]);
        if (bonds.isBroken(k) || i == BodyPlaces::kMissing || j == BodyPlaces::kMissing) continue;
        const BondClass<double>& numbers = list.numbersOf(k);
        lines.push_back({i, j, static_cast<float>(numbers.length),
                         numbers.breaking > 0 ? static_cast<float>(numbers.breaking) : kColouredStrain});
    }
    return lines;
}

}  // namespace

void BondPicture::dress(Document& document, RunHost& host) {
    const bool same = dressings_ == host.dressings() && drawn_.size() == host.runs().size();
    if (!same) drawn_.assign(host.runs().size(), nullptr);
    std::size_t k = 0;
    for (Run& run : host.runs()) {
        std::shared_ptr<const ForceTerm>& drawn = drawn_[k++];
        const std::shared_ptr<const Bonds> bonds = bondsOf(run.simulation());
        if (same && drawn == bonds) continue;
        const std::vector<BondLine> lines = bonds ? linesOf(*bonds, document.facts.bodies->id) : std::vector<BondLine>();
        if (run.hasPicture()) run.renderer().setBonds(lines);
        drawn = bonds;
        if (k > 1) continue;
        document.facts.bondLines = lines.size();
        document.facts.brokenBonds = bonds ? bonds->broken().size() : 0;
    }
    dressings_ = host.dressings();
}

}  // namespace gravlab
