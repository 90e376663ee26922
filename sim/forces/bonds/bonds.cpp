// The plain statement of bonds: every bond of a target, one after another, in double precision.
#include "sim/forces/bonds/bonds.h"

#include "sim/api/errors.h"
#include "sim/core/text.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <string>
#include <utility>

namespace gravlab {

TermKind bondsKind() {
    return {Bonds::kKind, Bonds::make, "bonds between named bodies: springs that may stiffen or break", Bonds::example};
}

namespace {

std::size_t hashOf(const BondClass<double>& numbers) {
    std::size_t hash = static_cast<std::size_t>(numbers.law);
    for (const double number : {numbers.length, numbers.stiffness, numbers.damping, numbers.breaking})
        hash = hash * 1099511628211u + std::hash<double>()(number);
    return hash;
}

std::string nameOfBond(std::uint32_t first, std::uint32_t second) {
    return "the bond of bodies " + std::to_string(first) + " and " + std::to_string(second);
}

/// The force on a body at the end of a bond, and its floor of relative errors: near the rest length the force is a
/// difference of two nearly equal numbers.
struct PullOnBody {
    Vec3d force{};
    double floor = 0;
};
PullOnBody pullOn(const BondClass<double>& bond, const TermBodies& bodies, std::size_t i, std::size_t j) {
    const Vec3d apart = xyz(bodies.positions[j]) - xyz(bodies.positions[i]);
    const Vec3d parting = xyz(bodies.velocities[j]) - xyz(bodies.velocities[i]);
    const Vec3d force = bondForce(bond, apart, parting);
    const double distance = length(apart), longer = std::abs(distance - bond.length);
    // The slope of a pull that is steeper than at rest.
    const double slope = longer > 0 ? std::max(bond.stiffness, length(force) / longer) : bond.stiffness;
    return {force, slope * (distance + bond.length) + bond.damping * length(parting)};
}

/// Calls use(bond, i, j) for the bonds that act: they are whole, and both of their bodies are there.
template <class Use>
void forActing(const Bonds& bonds, const TermBodies& bodies, const Use& use) {
    BodyPlaces places(bodies.ids);
    const BondList& list = bonds.list();
    for (std::size_t bond = 0; bond < list.size(); ++bond) {
        const std::uint32_t i = places.find(list.first[bond]), j = places.find(list.second[bond]);
        if (!bonds.isBroken(bond) && i != BodyPlaces::kMissing && j != BodyPlaces::kMissing) use(bond, i, j);
    }
}
/// The same for the bonds of body i; `places`: of all bodies.
template <class Use>
void forActingAt(std::size_t i, const Bonds& bonds, const TermBodies& bodies, BodyPlaces& places, const Use& use) {
    const BondList& list = bonds.list();
    const BondList::Ends& ends = list.ends();
    const std::uint32_t id = bodies.ids[i];
    for (auto at = static_cast<std::size_t>(std::ranges::lower_bound(ends.names, id) - ends.names.begin());
         at < ends.names.size() && ends.names[at] == id; ++at) {
        const std::size_t bond = ends.bonds[at];
        const std::uint32_t j = places.find(list.first[bond] == id ? list.second[bond] : list.first[bond]);
        if (!bonds.isBroken(bond) && j != BodyPlaces::kMissing) use(bond, j);
    }
}

}  // namespace

void BondList::add(const Bond& bond) {
    std::uint32_t number = classIndex.empty() ? 0 : classIndex.back();
    if (classes.empty() || classes[number] != bond.numbers) {
        std::vector<std::uint32_t>& alike = known_[hashOf(bond.numbers)];
        const auto found = std::ranges::find_if(alike, [&](std::uint32_t k) { return classes[k] == bond.numbers; });
        if (found == alike.end()) {
            alike.push_back(static_cast<std::uint32_t>(classes.size()));
            classes.push_back(bond.numbers);
            number = alike.back();
        } else
            number = *found;
    }
    first.push_back(bond.first);
    second.push_back(bond.second);
    classIndex.push_back(number);
}

const BondList::Ends& BondList::ends() const {
    std::call_once(sorted_, [&] {
        std::vector<std::uint64_t> both;
        both.reserve(2 * size());
        for (std::size_t k = 0; k < size(); ++k) {
            both.push_back((std::uint64_t{first[k]} << 32) | k);
            both.push_back((std::uint64_t{second[k]} << 32) | k);
        }
        std::ranges::sort(both);
        for (const std::uint64_t end : both) {
            ends_.names.push_back(static_cast<std::uint32_t>(end >> 32));
            ends_.bonds.push_back(static_cast<std::uint32_t>(end));
        }
    });
    return ends_;
}

std::string bondProblem(const Bond& bond) {
    const BondClass<double>& n = bond.numbers;
    const auto wrong = [](const char* what, double value, const char* needed) {
        return formatted("its %s is %g; %s", what, value, needed);
    };
    if (bond.first == bond.second) return "it joins body " + std::to_string(bond.first) + " to itself";
    if (static_cast<std::uint32_t>(n.law) >= std::size(kBondLaws)) return "its law is unknown; valid are hooke, fene, morse";
    const std::pair<const char*, double> numbers[] = {
        {"length", n.length}, {"stiffness", n.stiffness}, {"damping", n.damping}, {"breaking strain", n.breaking}};
    for (const auto& [what, value] : numbers)
        if (!std::isfinite(value) || value < 0) return wrong(what, value, "a finite number of at least 0 is needed");
    if (n.law != BondLaw::hooke && !(n.breaking * n.length > 0))
        return wrong("breaking strain", n.breaking, "a bond by fene or morse needs one above 0, and a length above 0");
    return {};
}

std::optional<std::size_t> firstDoubledBond(const BondList& bonds) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> pairs;
    pairs.reserve(bonds.size());
    for (std::size_t k = 0; k < bonds.size(); ++k) {
        const auto [least, most] = std::minmax(bonds.first[k], bonds.second[k]);
        pairs.emplace_back((std::uint64_t{least} << 32) | most, static_cast<std::uint32_t>(k));
    }
    std::ranges::sort(pairs);
    std::optional<std::size_t> doubled;
    for (std::size_t k = 1; k < pairs.size(); ++k)
        if (pairs[k].first == pairs[k - 1].first && (!doubled || pairs[k].second < *doubled)) doubled = pairs[k].second;
    return doubled;
}

std::uint32_t BodyPlaces::find(std::uint32_t id) {
    if (id < ids_.size() && ids_[id] == id) return id;
    if (!std::exchange(examined_, true)) {
        ascending_ = std::ranges::is_sorted(ids_);
        if (!ascending_)
            for (std::uint32_t i = 0; i < ids_.size(); ++i) table_.emplace(ids_[i], i);
    }
    if (ascending_) {
        const auto found = std::ranges::lower_bound(ids_, id);
        return found != ids_.end() && *found == id ? static_cast<std::uint32_t>(found - ids_.begin()) : kMissing;
    }
    const auto found = table_.find(id);
    return found != table_.end() ? found->second : kMissing;
}

Bonds::Bonds(std::shared_ptr<const BondList> list, std::vector<std::uint32_t> broken)
    : list_(std::move(list)), broken_(std::move(broken)) {
    if (broken_.empty()) return;
    gone_.assign(list_->size(), false);
    for (const std::uint32_t bond : broken_) gone_[bond] = true;
}

std::shared_ptr<const Bonds> Bonds::withBroken(std::vector<std::uint32_t> more) const {
    // `broken_` is sorted and may be long; the bonds of a step are few.
    std::ranges::sort(more);
    std::vector<std::uint32_t> all;
    all.reserve(broken_.size() + more.size());
    std::ranges::merge(broken_, more, std::back_inserter(all));
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return std::make_shared<const Bonds>(list_, std::move(all));
}

bool Bonds::damped() const {
    return std::ranges::any_of(list_->classes, [](const auto& numbers) { return numbers.damping != 0; });
}
bool Bonds::breakable() const {
    return std::ranges::any_of(list_->classes,
                               [](const auto& numbers) { return numbers.breaking > 0 && numbers.law != BondLaw::morse; });
}

std::string Bonds::description() const {
    std::string text = std::to_string(list_->size()) + (list_->size() == 1 ? " bond" : " bonds");
    if (!broken_.empty()) text += ", " + std::to_string(broken_.size()) + " broken";
    return text;
}

std::vector<StateArray> Bonds::numbers() const {
    const auto whole = [](const std::vector<std::uint32_t>& values) {
        return std::vector<double>(values.begin(), values.end());
    };
    std::vector<StateArray> arrays{{"first", whole(list_->first)}, {"second", whole(list_->second)}};
    const auto column = [&](const char* name, auto member) {
        arrays.push_back({name, {}});
        for (const BondClass<double>& numbers : list_->classes)
            arrays.back().values.push_back(static_cast<double>(numbers.*member));
    };
    column("length", &BondClass<double>::length);
    column("stiffness", &BondClass<double>::stiffness);
    column("damping", &BondClass<double>::damping);
    column("breaking", &BondClass<double>::breaking);
    column("law", &BondClass<double>::law);
    // The class of each bond, where there are several.
    arrays.push_back({"class", list_->classes.size() > 1 ? whole(list_->classIndex) : std::vector<double>()});
    arrays.push_back({"broken", whole(broken_)});
    return arrays;
}

std::shared_ptr<const ForceTerm> Bonds::make(const std::vector<StateArray>& numbers) {
    const auto values = [&](std::string_view name) -> const std::vector<double>& {
        const auto found = std::ranges::find(numbers, name, &StateArray::name);
        if (found == numbers.end()) throw InputError("bonds: the numbers '" + std::string(name) + "' are missing");
        return found->values;
    };
    const std::vector<double>&first = values("first"), &second = values("second"), &length = values("length"),
          &stiffness = values("stiffness"), &damping = values("damping"), &breaking = values("breaking"),
          &law = values("law"), &classes = values("class"), &broken = values("broken");
    const auto whole = [](double value, double end, const std::string& where) {
        if (!(value >= 0) || value >= end || value != std::floor(value))
            throw InputError("bonds: " + where + " is no whole number from 0 to below " + std::to_string(end));
        return static_cast<std::uint32_t>(value);
    };
    const std::size_t bonds = first.size(), kinds = length.size();
    if (bonds > kMostBonds) throw InputError("bonds: at most " + std::to_string(kMostBonds) + " bonds are possible");
    for (const std::vector<double>* column : {&stiffness, &damping, &breaking, &law})
        if (column->size() != kinds) throw InputError("bonds: their classes have columns of different lengths");
    if (second.size() != bonds || (kinds > 1 && classes.size() != bonds) || (bonds > 0 && kinds == 0))
        throw InputError("bonds: columns of different lengths");
    const auto list = std::make_shared<BondList>();
    for (std::size_t k = 0; k < bonds; ++k) {
        const std::string where = "bond " + std::to_string(k);
        const std::size_t c = kinds > 1 ? whole(classes[k], static_cast<double>(kinds), where + "'s class") : 0;
        const Bond bond{whole(first[k], 0x1p32, where + "'s first body"),
                        whole(second[k], 0x1p32, where + "'s second body"),
                        {length[c], stiffness[c], damping[c], breaking[c],
                         static_cast<BondLaw>(whole(law[c], std::size(kBondLaws), where + "'s law"))}};
        if (const std::string problem = bondProblem(bond); !problem.empty())
            throw InputError("bonds: " + where + ": " + problem);
        list->add(bond);
    }
    if (const std::optional<std::size_t> doubled = firstDoubledBond(*list))
        throw InputError("bonds: bond " + std::to_string(*doubled) + ": " +
                         nameOfBond(list->first[*doubled], list->second[*doubled]) + " exists already");
    std::vector<std::uint32_t> gone;
    for (const double bond : broken) {
        gone.push_back(whole(bond, static_cast<double>(bonds), "the number of a broken bond"));
        if (gone.size() > 1 && gone.back() <= gone[gone.size() - 2])
            throw InputError("bonds: the numbers of the broken ones do not ascend");
    }
    return std::make_shared<const Bonds>(list, std::move(gone));
}

std::shared_ptr<const ForceTerm> Bonds::example(const ParticleSet& bodies) {
    const auto list = std::make_shared<BondList>();
    const double stiffness = 2.0 / static_cast<double>(std::max<std::size_t>(1, bodies.size()));
    const std::pair<std::size_t, BondClass<double>> layers[] = {{1, {0.5, stiffness, 0, 0, BondLaw::hooke}},
                                                                {3, {1, stiffness, 0, 5, BondLaw::fene}},
                                                                {7, {1, stiffness, 0, 2, BondLaw::morse}}};
    for (std::size_t i = 0; i < bodies.size(); ++i)
        for (const auto& [step, numbers] : layers)
            if (i + step < bodies.size()) list->add({bodies.id[i], bodies.id[i + step], numbers});
    return std::make_shared<const Bonds>(list);
}

TermOffer Bonds::offer() const {
    return {.usesVelocities = damped(), .conservesEnergy = !damped() && !breakable(), .changes = breakable()};
}

double Bonds::addAccelerations(const TermBodies& bodies, std::span<const std::uint32_t> targets, std::span<Double4> out,
                               std::span<double> floors) const {
    BodyPlaces places(bodies.ids);
    double pulls = 0;
    for (std::size_t t = 0; t < targets.size(); ++t) {
        const std::uint32_t i = targets[t];
        const double inertia = inertialMass(bodies.positions[i], bodies.velocities[i]);
        if (inertia == 0) continue;
        Vec3d sum = xyz(out[t]);
        double floor = 0;
        forActingAt(i, *this, bodies, places, [&](std::size_t bond, std::uint32_t j) {
            const PullOnBody pull = pullOn(list_->numbersOf(bond), bodies, i, j);
            sum += pull.force / inertia;
            floor += pull.floor / std::abs(inertia);
            ++pulls;
        });
        out[t] = packed(sum);
        if (!floors.empty()) floors[t] += floor;
    }
    return pulls;
}

double Bonds::potential(const TermBodies& bodies) const {
    double sum = 0;
    forActing(*this, bodies, [&](std::size_t bond, std::uint32_t i, std::uint32_t j) {
        sum += bondEnergy(list_->numbersOf(bond), distance(bodies.positions[i], bodies.positions[j]));
    });
    return sum;
}

double Bonds::potentialOf(const TermBodies& bodies, std::size_t body) const {
    BodyPlaces places(bodies.ids);
    double sum = 0;
    forActingAt(body, *this, bodies, places, [&](std::size_t bond, std::uint32_t j) {
        sum += bondEnergy(list_->numbersOf(bond), distance(bodies.positions[body], bodies.positions[j]));
    });
    return sum;
}

std::vector<std::uint32_t> Bonds::checkTargets(const TermBodies& bodies, std::size_t most) const {
    std::vector<std::uint32_t> targets;
    BodyPlaces places(bodies.ids);
    const std::size_t bonds = list_->size(), wanted = std::min(most / 2, bonds);
    for (std::size_t k = 0; k < wanted; ++k)
        for (const std::vector<std::uint32_t>* ends : {&list_->first, &list_->second})
            if (const std::uint32_t i = places.find((*ends)[k * bonds / wanted]); i != BodyPlaces::kMissing)
                targets.push_back(i);
    return targets;
}

std::shared_ptr<const ForceTerm> Bonds::after(const TermBodies& bodies) const {
    if (!breakable()) return nullptr;
    std::vector<std::uint32_t> breaking;
    forActing(*this, bodies, [&](std::size_t bond, std::uint32_t i, std::uint32_t j) {
        if (bondBreaks(list_->numbersOf(bond), length(xyz(bodies.positions[j]) - xyz(bodies.positions[i]))))
            breaking.push_back(static_cast<std::uint32_t>(bond));
    });
    if (breaking.empty()) return nullptr;
    return withBroken(std::move(breaking));
}

StepLimit Bonds::stepLimit(const TermBodies& bodies) const {
    // The square of the fastest oscillation is at most the largest sum, over the two ends of a bond, of the stiffnesses
    // there divided by the mass. The bound is exact for a chain of equal links and for a hub.
    std::vector<double> stiff(bodies.size()), damped(bodies.size());
    const auto overMass = [&](double value, std::uint32_t i) {
        const double inertia = std::abs(inertialMass(bodies.positions[i], bodies.velocities[i]));
        return inertia > 0 ? value / inertia : 0;
    };
    forActing(*this, bodies, [&](std::size_t bond, std::uint32_t i, std::uint32_t j) {
        const BondClass<double>& numbers = list_->numbersOf(bond);
        // A bond that is stretched already may be stiffer than at rest.
        const double now = distance(bodies.positions[i], bodies.positions[j]), h = 1e-4 * (now + numbers.length);
        const double stiffness =
            std::max(numbers.stiffness, (bondPull(numbers, now + h) - bondPull(numbers, now - h)) / (2 * h));
        stiff[i] += stiffness, stiff[j] += stiffness;
        damped[i] += numbers.damping, damped[j] += numbers.damping;
    });
    StepLimit limit;
    forActing(*this, bodies, [&](std::size_t bond, std::uint32_t i, std::uint32_t j) {
        const double square = overMass(stiff[i], i) + overMass(stiff[j], j);
        const double rate = std::max(std::sqrt(square), overMass(damped[i], i) + overMass(damped[j], j));
        if (!(rate > 0) || 1 / rate >= limit.longest) return;
        limit.longest = 1 / rate;
        limit.why = nameOfBond(list_->first[bond], list_->second[bond]) + ", the stiffest for its masses";
    });
    return limit;
}

}  // namespace gravlab
