#include "sim/forces/second_pair_law.h"

#include "sim/api/errors.h"
#include "sim/forces/law.h"
#include "sim/forces/law_numbers.h"

#include <cmath>

namespace gravlab {
namespace {

/// Bodies whose sources are those of the second law, with the responses that go with them.
struct CountedBodies {
    std::vector<Double4> positions, velocities;

    CountedBodies(const TermBodies& bodies, PairSources sources)
        : positions(bodies.positions.begin(), bodies.positions.end()),
          velocities(bodies.velocities.begin(), bodies.velocities.end()) {
        for (std::size_t i = 0; i < positions.size(); ++i) {
            const double own = positions[i].w, counted = SecondPairLaw::counted(sources, own);
            positions[i].w = counted;
            if (sources == PairSources::alike) velocities[i].w *= own != 0 ? counted / own : 0;
        }
    }
};

std::shared_ptr<const ForceTerm> secondLawOf(const std::vector<StateArray>& numbers) {
    const auto& known = lawNumbers();
    if (numbers.size() != 1 || numbers[0].values.size() != 3 + known.size())
        throw InputError("the second pair law has another number of settings; it was changed after it was saved");
    const std::vector<double>& values = numbers[0].values;
    const auto law = static_cast<std::size_t>(values[0]);
    if (!(values[0] >= 0) || law >= laws().size() || (values[1] != 0 && values[1] != 1) || !(values[2] >= 0))
        throw InputError("the second pair law names no law of this program; continue it with the program that saved it");
    ForceSettings settings{.law = laws()[law].law, .softening = values[2]};
    for (std::size_t k = 0; k < known.size(); ++k) {
        if (!std::isfinite(values[3 + k])) throw InputError("the second pair law has a number that is not finite");
        settings.*known[k].force = values[3 + k];
    }
    return std::make_shared<const SecondPairLaw>(settings, values[1] == 0 ? PairSources::own : PairSources::alike);
}

}  // namespace

TermKind secondPairLawKind() {
    return {SecondPairLaw::kKind, secondLawOf, "a second law between all pairs, such as van der Waals beside charges"};
}

SecondPairLaw::SecondPairLaw(const ForceSettings& law, PairSources sources) : law_(law), sources_(sources) {
    law_.precision = Precision::fp64;
}

std::string SecondPairLaw::description() const {
    return std::string(lawRow(law_.law).name) + " between all pairs" +
           (sources_ == PairSources::alike ? ", which count alike" : "");
}

std::vector<StateArray> SecondPairLaw::numbers() const {
    std::vector<double> values{static_cast<double>(law_.law), static_cast<double>(sources_), law_.softening};
    for (const LawNumber& number : lawNumbers()) values.push_back(law_.*number.force);
    return {{"settings", std::move(values)}};
}

double SecondPairLaw::addTruth(const TermBodies& bodies, std::span<const std::uint32_t> targets, std::span<Double4> out,
                               std::span<double> floors, double leastShare) const {
    const CountedBodies counted(bodies, sources_);
    return PairLaw(law_).addTruth({counted.positions, counted.velocities, bodies.ids}, targets, out, floors, leastShare);
}

double SecondPairLaw::potential(const TermBodies& bodies) const {
    const CountedBodies counted(bodies, sources_);
    return PairLaw(law_).potential({counted.positions, counted.velocities, bodies.ids});
}

}  // namespace gravlab
