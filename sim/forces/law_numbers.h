// The numbers that pair laws take beside the softening, one row each: options, sliders, files and marks are made from it.
// Rule: a number that a law takes has its range here and nowhere else.
#pragma once
#include "sim/run/configuration.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gravlab {

/// A row of the table of numbers.
struct LawNumber {
    const char* key;     ///< in files; the option has dashes instead of underscores
    const char* option;  ///< of the command line
    const char* label;   ///< for panels: a short word
    const char* idea;    ///< one line for tooltips
    const char* help;    ///< of the option, without range and default
    double ForceSettings::*force;
    std::optional<double> RunRequest::*asked;
    double Scene::*scene;
    double least, most;
    bool (*acts)(Law);  ///< in which laws it does
    const char* of;     ///< the laws in which it acts, for messages: "the power law"
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
