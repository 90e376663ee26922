#include "sim/forces/law_numbers.h"

#include "sim/api/errors.h"
#include "sim/core/text.h"
#include "sim/forces/law.h"

#include <cctype>
#include <vector>

namespace gravlab {
namespace {

/// The words of a member's name in small letters: a_b for aB.
std::string keyOf(const char* member, char between) {
    std::string key;
    for (; *member; ++member) {
        if (std::isupper(static_cast<unsigned char>(*member))) key += between;
        key += static_cast<char>(std::tolower(static_cast<unsigned char>(*member)));
    }
    return key;
}

std::string withUnit(const std::string& help, const std::string& unit) {
    return unit.empty() ? help : help + " [" + unit + "]";
}

}  // namespace

std::span<const LawNumber> lawNumbers() {
    static const std::vector<LawNumber> rows{
#define GRAVLAB_LAW_NUMBER(member, usual, least, most, unit, label, idea, help, of, note) \
    {keyOf(#member, '_'),                                                                 \
     "--" + keyOf(#member, '-'),                                                          \
     unit,                                                                                \
     label,                                                                               \
     idea,                                                                                \
     withUnit(help, unit),                                                                \
     &ForceSettings::member,                                                              \
     &LawRequest::member,                                                                 \
     &Scene::member,                                                                      \
     least,                                                                               \
     most,                                                                                \
     [](Law law) { return lawRow(law).takes(&ForceSettings::member); },                   \
     of,                                                                                  \
     note},
#include "sim/api/law_numbers.inl"
#undef GRAVLAB_LAW_NUMBER
    };
    return rows;
}

std::string rangeText(const LawNumber& number) { return formatted("%g to %g", number.least, number.most); }

void requireLawNumbers(const ForceSettings& force) {
    for (const LawNumber& number : lawNumbers())
        if (const double value = force.*number.force; !(value >= number.least && value <= number.most))
            throw UsageError("the " + number.option.substr(2) + " of " + number.of + " must be from " + rangeText(number) +
                             number.note);
}

void takeLawNumbers(ForceSettings& force, const LawRequest& wanted, const Scene& scene) {
    for (const LawNumber& number : lawNumbers()) force.*number.force = (wanted.*number.wanted).value_or(scene.*number.scene);
}

}  // namespace gravlab
