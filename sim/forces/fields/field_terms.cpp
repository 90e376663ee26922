// From outer forces as data to terms of the force, and back.
#include "sim/api/errors.h"
#include "sim/forces/fields/field_text.h"
#include "sim/forces/fields/post_newtonian.h"

#include <algorithm>
#include <numeric>

namespace gravlab {
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
