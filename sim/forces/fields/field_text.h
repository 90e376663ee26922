// Outer forces as text, for options, scene files and settings: "nfw,mass=100,scale=1.6;drag,rate=0.1". A number may have a
// unit where the run has units: "mass=1e12Msun". Angles are in degrees.
#pragma once
#include "sim/api/units.h"
#include "sim/forces/fields/field.h"

#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// The word for no outer force at all, where a scene has some.
constexpr std::string_view kNoFields = "none";

/// Throws UsageError with the field, the number and what is allowed: for unknown names, missing numbers, units that do not
/// fit, and numbers that are none of the law. kNoFields gives none.
std::vector<OuterField> parsedFields(std::string_view text, const RunUnits& units = {});
/// The same forces with plain numbers, to be read again to the same bits; kNoFields for none.
std::string fieldsText(const std::vector<OuterField>& fields);
std::string fieldText(const OuterField& field);

/// The unit of a number in words: "[L]", "[L T^-1]", "degrees"; empty for a ratio.
std::string unitInWords(const FieldNumber& number);

/// Terms of these forces, one for each kind. Post-Newtonian terms take the heaviest of the bodies. Throws UsageError.
ForceTerms fieldTerms(const std::vector<OuterField>& fields, const ParticleSet& bodies);
/// The forces of these terms; other terms are ignored.
std::vector<OuterField> fieldsOf(const ForceTerms& terms);
/// `terms` with their outer forces replaced by `fields`; other terms stay. The same terms where the forces are the same.
ForceTerms withFields(const ForceTerms& terms, const std::vector<OuterField>& fields, const ParticleSet& bodies);

}  // namespace gravlab
