// The numbers that pair laws take beside the softening, one row each. Options, sliders, files and marks are made from them.
// Rule: the rows are in laws/numbers.inl; the range of a number is there and nowhere else.
#pragma once
#include "sim/api/scene.h"

#include <optional>
#include <span>
#include <string>

namespace gravlab {

/// The numbers that a user requests; empty: the scene's.
struct LawRequest {
#define GRAVLAB_LAW_NUMBER(member, ...) std::optional<double> member{};
#include "sim/api/law_numbers.inl"
#undef GRAVLAB_LAW_NUMBER
    bool operator==(const LawRequest&) const = default;
};

/// A row of the table of numbers.
struct LawNumber {
    std::string key;     ///< name in files
    std::string option;  ///< name on the command line: the key with dashes
    const char* unit;    ///< L; empty: none
    const char* label;   ///< for panels: a short word
    const char* idea;    ///< one line for tooltips
    std::string help;    ///< help of the option, without range and default
    double ForceSettings::*force;
    std::optional<double> LawRequest::*wanted;
    double Scene::*scene;
    double least, most;
    bool (*acts)(Law);  ///< whether the law reads it
    const char* of;     ///< laws that read it, for messages: "the power law"
    const char* note;   ///< end of the refusal: "; 2 is gravity"
};

/// All of them.
std::span<const LawNumber> lawNumbers();
/// "0.001 to 1000".
std::string rangeText(const LawNumber& number);
/// Throws UsageError naming the number and what is allowed.
void requireLawNumbers(const ForceSettings& force);

/// Takes the numbers of the request, and those of the scene where the request has none.
void takeLawNumbers(ForceSettings& force, const LawRequest& wanted, const Scene& scene);

}  // namespace gravlab
