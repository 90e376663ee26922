// Numbers with a unit, such as "500Myr" or "0.3 kpc", and their values in a run's own units, where G = 1.
// Rule: nothing is guessed. A run without units refuses such numbers, and a message gives the meaning of a number without a
// unit.
#pragma once
#include "app/model/start_options.h"
#include "sim/scenes/scene.h"

#include <string>
#include <string_view>

namespace gravlab {

struct Parameter;

/// Whether values with that unit are lengths, masses or times of the run; `unit` is as in rows: "L", "T", "L/T", "T/s".
bool hasDimension(std::string_view unit);
/// Whether a text is a number followed by letters.
bool isQuantity(std::string_view text);
/// Throws UsageError `NAME 'TEXT': ...` where the unit is unknown or of another dimension. The check is independent of the
/// run.
void requireDimension(std::string_view name, std::string_view text, std::string_view dimension);
/// The number in the run's own units. Throws UsageError likewise, and where the run `of` has no units.
double quantity(std::string_view name, std::string_view text, std::string_view dimension, const SceneUnits& units,
                std::string_view of);
/// "500 T = 489 Gyr"; empty where the run has no units.
std::string meaningOf(double value, std::string_view dimension, const SceneUnits& units);

/// Units of a run for display and input: those of its file, else those of its scene.
const SceneUnits& unitsOf(const RunRequest& request);

/// Keeps the text of an option or file for that row until the run is known. Returns true where the text has a unit.
/// Otherwise the number is used as usual, and only its meaning is printed later. Throws UsageError where the text is wrong
/// for every run.
bool keepQuantity(StartOptions& options, const Parameter& row, std::string_view name, const std::string& text);
/// Keeps the text of an option that is a time of the command in the same way.
bool keepTime(StartOptions& options, std::string_view name, const std::string& text, double StartOptions::*to);
/// Applies the kept texts once the run is known. Prints the meaning of numbers without a unit on stderr. Throws UsageError.
void takeQuantities(StartOptions& options);

}  // namespace gravlab
