// The pair law as a term, the kinds of terms that the program knows, and terms in files.
#include "sim/forces/force_term.h"

#include "sim/api/errors.h"
#include "sim/core/text.h"
#include "sim/forces/force_check.h"
#include "sim/forces/law.h"
#include "sim/forces/law_numbers.h"
#include "sim/forces/reference_force.h"

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <utility>

namespace gravlab {

// The program's own kinds, in the order of lists; each is beside its term.
TermKind fieldKind();
TermKind dragKind();
TermKind postNewtonianKind();
TermKind secondPairLawKind();
TermKind bondsKind();

namespace {

constexpr std::string_view kPrefix = "term.";
static_assert(kMostTerms < 100, "two digits");

std::vector<TermKind>& kinds() {
    static std::vector<TermKind> known{fieldKind(), dragKind(), postNewtonianKind(), secondPairLawKind(), bondsKind()};
    return known;
}

/// The mark of a term in files: "term.07.springs".
std::string markOf(std::size_t index, std::string_view kind) {
    const std::string digits = formatted("%02zu.", index);
    return std::string(kPrefix) + digits + std::string(kind);
}

struct Record {
    std::string kind;
    std::size_t arrays = 0;  ///< number of arrays that the term should have
    std::vector<StateArray> numbers;
};

}  // namespace

void ForceTerm::addJerks(const TermBodies&, std::span<const std::uint32_t>, std::span<Double4>) const {
    throw std::logic_error("the force term '" + std::string(kind()) + "' has no jerk");
}

double ForceTerm::potentialOf(const TermBodies& bodies, std::size_t body) const {
    const auto without = [body](auto all) {
        std::vector rest(all.begin(), all.end());
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(body));
        return rest;
    };
    const std::vector<Double4> positions = without(bodies.positions), velocities = without(bodies.velocities);
    const std::vector<std::uint32_t> ids = without(bodies.ids);
    return potential(bodies) - potential({positions, velocities, ids});
}

std::string PairLaw::description() const { return std::string(lawRow(settings_.law).name) + " between all pairs"; }

std::vector<StateArray> PairLaw::numbers() const {
    const ForceSettings& s = settings_;
    std::vector<double> values{static_cast<double>(s.law), static_cast<double>(s.precision), s.softening};
    for (const LawNumber& number : lawNumbers()) values.push_back(s.*number.force);
    return {{"settings", std::move(values)}};
}

double PairLaw::addTruth(const TermBodies& bodies, std::span<const std::uint32_t> targets, std::span<Double4> out,
                         std::span<double> floors, double leastShare) const {
    std::array<Double4, 1> a{};
    std::array<double, 1> floor{};
    for (std::size_t k = 0; k < targets.size(); ++k) {
        referenceForces(bodies.positions, bodies.velocities, targets.subspan(k, 1), settings_, a,
                        floors.empty() ? std::span<double>() : floor, leastShare);
        out[k] = {out[k].x + a[0].x, out[k].y + a[0].y, out[k].z + a[0].z, 0};
        if (!floors.empty()) floors[k] += floor[0];
    }
    return static_cast<double>(targets.size()) * static_cast<double>(bodies.size());
}

double PairLaw::potential(const TermBodies& bodies) const {
    const bool atZero = finiteAtZero(settings_);
    return withLaw<double>(settings_, [&](const auto& law) {
        double sum = 0;
        for (std::size_t i = 0; i < bodies.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                const Double4 &p = bodies.positions[i], &q = bodies.positions[j];
                const Vec3d apart = xyz(p) - xyz(q);
                const double squared = dot(apart, apart);
                if (squared > 0 || atZero) sum += p.w * q.w * law.potential(squared);
            }
        return sum;
    });
}

TermOffer PairLaw::offer() const { return {.jerk = lawRow(settings_.law).hasJerk}; }

ForceTerms termsOf(const ForceSettings& pairLaw, const ForceTerms& others) {
    if (others.size() > kMostTerms)
        throw UsageError("a run has at most " + std::to_string(kMostTerms) + " force terms beside the pair law");
    ForceTerms terms{std::make_shared<const PairLaw>(pairLaw)};
    terms.insert(terms.end(), others.begin(), others.end());
    return terms;
}

const ForceSettings& pairLawOf(const ForceTerms& terms) {
    const auto isPairLaw = [](const auto& term) { return term->kind() == PairLaw::kKind; };
    if (terms.empty() || !isPairLaw(terms.front()) || std::ranges::count_if(terms, isPairLaw) != 1)
        throw UsageError("a system of bodies has one pair law, and it is the first of its force terms");
    return static_cast<const PairLaw&>(*terms.front()).settings();
}

ForceTerms othersOf(const ForceTerms& terms) { return terms.empty() ? terms : ForceTerms(terms.begin() + 1, terms.end()); }

bool sameTerms(const ForceTerms& a, const ForceTerms& b) {
    return std::ranges::equal(a, b, [](const auto& one, const auto& other) {
        return one == other || (one->kind() == other->kind() && one->numbers() == other->numbers());
    });
}

std::span<const TermKind> termKinds() { return kinds(); }

bool addTermKind(const TermKind& kind) {
    if (std::ranges::any_of(kinds(), [&](const TermKind& known) { return known.name == kind.name; }))
        throw std::logic_error("the kind of force term '" + std::string(kind.name) + "' exists already");
    kinds().push_back(kind);
    return true;
}

std::vector<StateArray> arraysOf(const ForceTerms& others) {
    std::vector<StateArray> arrays;
    for (std::size_t k = 0; k < others.size(); ++k) {
        const std::string mark = markOf(k, others[k]->kind());
        const std::vector<StateArray> numbers = others[k]->numbers();
        if (numbers.size() > kMostTermArrays) throw std::logic_error("a force term has too many arrays of numbers");
        // Store the number of arrays, so that a reader detects a missing one.
        arrays.push_back({mark, {static_cast<double>(numbers.size())}});
        for (const StateArray& array : numbers) arrays.push_back({mark + "." + array.name, array.values});
    }
    return arrays;
}

ForceTerms takeTerms(std::vector<StateArray>& arrays, const std::string& name) {
    std::map<std::string, Record> records;  // by "00"
    std::vector<StateArray> rest;
    const auto broken = [&] {
        return InputError(name + ": its force terms are not whole; it was changed after it was saved");
    };
    for (StateArray& array : arrays) {
        if (!array.name.starts_with(kPrefix)) {
            rest.push_back(std::move(array));
            continue;
        }
        const std::size_t index = kPrefix.size(), kind = array.name.find('.', index) + 1;
        if (kind != index + 3) throw broken();
        const std::size_t dot = array.name.find('.', kind);
        Record& record = records[array.name.substr(index, 2)];
        const std::string word = array.name.substr(kind, dot == std::string::npos ? dot : dot - kind);
        if (!record.kind.empty() && record.kind != word) throw broken();
        record.kind = word;
        if (dot != std::string::npos)
            record.numbers.push_back({array.name.substr(dot + 1), std::move(array.values)});
        else if (array.values.size() == 1 && array.values[0] >= 0 && array.values[0] < 1e6)
            record.arrays = static_cast<std::size_t>(array.values[0]) + 1;
    }
    ForceTerms terms;
    for (auto& [index, record] : records) {
        const auto kind = std::ranges::find(kinds(), std::string_view(record.kind), &TermKind::name);
        if (kind == kinds().end())
            throw InputError(
                name + ": the force term '" + record.kind +
                "' acts in this run, which this program does not know; continue it with the program that saved it");
        if (record.arrays != record.numbers.size() + 1) throw broken();
        terms.push_back(kind->make(record.numbers));
    }
    arrays = std::move(rest);
    return terms;
}

}  // namespace gravlab
