#include "sim/forces/fields/field_text.h"

#include "sim/api/errors.h"
#include "sim/core/names.h"
#include "sim/core/text.h"
#include "sim/core/value.h"
#include "sim/forces/fields/post_newtonian.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

namespace gravlab {
namespace {

/// " in [L]", or nothing for a ratio.
std::string inUnit(const FieldNumber& number) {
    const std::string unit = unitInWords(number);
    return unit.empty() ? unit : " in " + unit;
}

/// Reads "8kpc" or "0.5".
double quantityOf(std::string_view text, const FieldNumber& number, const RunUnits& units, const std::string& where) {
    const auto refuse = [&](const std::string& why) { return UsageError(where + " = '" + printable(text) + "': " + why); };
    if (text.starts_with('+')) text.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || !std::isfinite(value)) throw refuse("expected a finite number" + inUnit(number));
    const std::string_view unit = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
    if (unit.empty() || (number.degrees && unit == "deg")) return value;
    const std::optional<ParsedUnit> parsed = parsedUnit(unit);
    if (!parsed || parsed->nbody) throw refuse("'" + printable(unit) + "' is no unit that is known here");
    if (number.degrees || parsed->length != number.length || parsed->mass != number.mass || parsed->time != number.time)
        throw refuse("'" + printable(unit) + "' does not fit: the number is " +
                     (inUnit(number).empty() ? "a ratio" : inUnit(number).substr(1)));
    if (!units.known())
        throw refuse("this run has no units (G = 1), so '" + printable(unit) +
                     "' means nothing there; give the number alone");
    const double own =
        std::pow(units.length, number.length) * std::pow(units.mass, number.mass) * std::pow(units.time, number.time);
    return value * (parsed->factor / own);
}

OuterField parsedField(std::string_view text, const RunUnits& units) {
    const std::vector<std::string_view> pieces = partsOf(text, ',');
    const FieldLaw& law = findRow(fieldLaws(), "field", pieces.front());
    OuterField field{.law = static_cast<unsigned>(&law - fieldLaws().data())};
    const std::string of = "field " + std::string(law.name);
    for (std::size_t k = 0; k < law.numbers.size(); ++k) field.numbers[k] = law.numbers[k].usual;
    const bool placed = law.kind != FieldKind::postNewtonian;
    if (!placed && units.known()) field.numbers[1] = kLightSpeed * units.time / units.length;
    std::vector<std::string_view> seen;
    for (std::size_t piece = 1; piece < pieces.size(); ++piece) {
        const auto [name, value, found] = keyValue(pieces[piece]);
        if (!found) throw UsageError(of + ": '" + printable(pieces[piece]) + "' is not NAME=NUMBER");
        if (std::ranges::find(seen, name) != seen.end()) throw UsageError(of + ": " + printable(name) + " is there twice");
        seen.push_back(name);
        const auto own = std::ranges::find(law.numbers, name, &FieldNumber::name);
        const auto place = std::ranges::find(fieldPlace(), name, &FieldNumber::name);
        if (own == law.numbers.end() && (!placed || place == fieldPlace().end())) {
            std::vector<std::string_view> valid;
            for (const FieldNumber& number : law.numbers) valid.push_back(number.name);
            for (const FieldNumber& number : fieldPlace())
                if (placed) valid.push_back(number.name);
            throw UsageError(unknownName("number of the " + of, printable(name), valid));
        }
        const bool isOwn = own != law.numbers.end();
        const FieldNumber& number = isOwn ? *own : *place;
        double& to = isOwn ? field.numbers[static_cast<std::size_t>(own - law.numbers.begin())]
                           : field.place[static_cast<std::size_t>(place - fieldPlace().begin())];
        to = quantityOf(value, number, units, of + ": " + std::string(name));
    }
    if (!placed && std::isnan(field.numbers[1]))
        throw UsageError(of +
                         ": this run has no units, so the speed of light is not known; take a scene or a file with "
                         "units, or give c in its own");
    if (!placed && (field.numbers[0] != std::floor(field.numbers[0]) || field.numbers[0] > kMostHeavy))
        throw UsageError(of + ": heavy must be a whole number from 1 to " + std::to_string(kMostHeavy));
    if (const std::string why = whyNot(field); !why.empty()) throw UsageError(of + ": " + why);
    return field;
}

}  // namespace

std::string unitInWords(const FieldNumber& number) {
    if (number.degrees) return "degrees";
    std::string text;
    for (const auto& [symbol, power] : {std::pair("L", number.length), {"M", number.mass}, {"T", number.time}})
        if (power != 0) addTo(text, std::string(symbol) + (power == 1 ? "" : "^" + std::to_string(power)), " ");
    return text.empty() ? text : "[" + text + "]";
}

std::vector<OuterField> parsedFields(std::string_view text, const RunUnits& units) {
    std::vector<OuterField> fields;
    if (trimmed(text) == kNoFields) return fields;
    for (const std::string_view piece : partsOf(text, ';')) fields.push_back(parsedField(piece, units));
    return fields;
}

std::string fieldText(const OuterField& field) {
    std::string text(field.row().name);
    const auto add = [&](const FieldNumber& number, double value) {
        if (value != number.usual) text += "," + std::string(number.name) + "=" + shortestText(value);
    };
    for (std::size_t k = 0; k < field.row().numbers.size(); ++k) add(field.row().numbers[k], field.numbers[k]);
    for (std::size_t k = 0; k < kFieldPlaces; ++k) add(fieldPlace()[k], field.place[k]);
    return text;
}

std::string fieldsText(const std::vector<OuterField>& fields) {
    return fields.empty() ? std::string(kNoFields) : joined(fields, fieldText, ";");
}

namespace {

/// The ids of the heaviest bodies; of equal ones those that come first.
std::vector<std::uint32_t> heaviest(const ParticleSet& bodies, std::size_t count) {
    if (count > bodies.size())
        throw UsageError("field post-newtonian: heavy = " + std::to_string(count) + ", but there are " +
                         std::to_string(bodies.size()) + " bodies");
    std::vector<std::uint32_t> order(bodies.size()), ids;
    std::iota(order.begin(), order.end(), 0u);
    const auto first = order.begin() + static_cast<std::ptrdiff_t>(count);
    std::partial_sort(order.begin(), first, order.end(), [&](std::uint32_t a, std::uint32_t b) {
        const double ma = bodies.position[a].w, mb = bodies.position[b].w;
        return ma != mb ? ma > mb : a < b;
    });
    std::sort(order.begin(), first);
    for (auto at = order.begin(); at != first; ++at) ids.push_back(bodies.id[*at]);
    return ids;
}

bool isOuter(const ForceTerm& term) {
    return term.kind() == OuterForces::kField || term.kind() == OuterForces::kDrag || term.kind() == PostNewtonian::kKind;
}

}  // namespace

ForceTerms fieldTerms(const std::vector<OuterField>& fields, const ParticleSet& bodies) {
    ForceTerms terms;
    for (const FieldKind kind : {FieldKind::field, FieldKind::drag}) {
        std::vector<OuterField> ofKind;
        for (const OuterField& field : fields) {
            if (field.row().kind != kind) continue;
            if (field.carrier() && std::ranges::find(bodies.id, *field.carrier()) == bodies.id.end())
                throw UsageError("field " + std::string(field.row().name) + ": body = " + std::to_string(*field.carrier()) +
                                 ", but no body has that id");
            ofKind.push_back(field);
        }
        if (!ofKind.empty()) terms.push_back(std::make_shared<const OuterForces>(kind, std::move(ofKind)));
    }
    for (const OuterField& field : fields) {
        if (field.row().kind != FieldKind::postNewtonian) continue;
        if (!terms.empty() && terms.back()->kind() == PostNewtonian::kKind)
            throw UsageError("field post-newtonian is there twice; a run has one");
        terms.push_back(std::make_shared<const PostNewtonian>(heaviest(bodies, static_cast<std::size_t>(field.numbers[0])),
                                                              field.numbers[1]));
    }
    return terms;
}

std::vector<OuterField> fieldsOf(const ForceTerms& terms) {
    std::vector<OuterField> fields;
    for (const auto& term : terms)
        if (const auto* outer = dynamic_cast<const OuterForces*>(term.get()))
            fields.insert(fields.end(), outer->fields().begin(), outer->fields().end());
        else if (const auto* relative = dynamic_cast<const PostNewtonian*>(term.get()))
            fields.push_back(relative->field());
    return fields;
}

ForceTerms withFields(const ForceTerms& terms, const std::vector<OuterField>& fields, const ParticleSet& bodies) {
    if (fieldsOf(terms) == fields) return terms;
    ForceTerms made;
    for (const auto& term : terms)
        if (!isOuter(*term)) made.push_back(term);
    for (auto& term : fieldTerms(fields, bodies)) made.push_back(std::move(term));
    return made;
}

}  // namespace gravlab
