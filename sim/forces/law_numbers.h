// The numbers that pair laws take beside the softening, one row each: options, sliders, files and marks are made from it.
// Rule: the rows are those of laws/numbers.inl; a number that a law takes has its range there and nowhere else.
#pragma once
#include "sim/run/configuration.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gravlab {

/// A row of the table of numbers.
struct LawNumber {
    std::string key;     ///< in files
    std::string option;  ///< of the command line: the key with dashes
    const char* unit;    ///< L; empty: none
    const char* label;   ///< for panels: a short word
    const char* idea;    ///< one line for tooltips
    std::string help;    ///< of the option, without range and default
    double ForceSettings::*force;
    std::optional<double> RunRequest::*asked;
    double Scene::*scene;
    double least, most;
    bool (*acts)(Law);  ///< in which laws it does
    const char* of;     ///< the laws in which it acts, for messages: "the power law"
    const char* note;   ///< end of the refusal: "; 2 is gravity"
};

/// All of them.
std::span<const LawNumber> lawNumbers();
/// "0.001 to 1000".
std::string rangeText(const LawNumber& number);
/// Throws UsageError naming the number and what is allowed.
void requireLawNumber(const LawNumber& number, double value);
/// The same for all numbers of `force`.
void requireLawNumbers(const ForceSettings& force);

/// Takes over what was asked for; the scene's own for the rest.
void takeLawNumbers(ForceSettings& force, const RunRequest& asked, const Scene& scene);

}  // namespace gravlab
