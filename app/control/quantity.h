// Numbers with a unit as people write them, "500Myr" or "0.3 kpc", and what they are in a run's own units, where G = 1.
// Rule: nothing is guessed. A run without units refuses them, and what a number without a unit means is said.
#pragma once
#include "app/model/options.h"
#include "sim/scenes/scene.h"

#include <string>
#include <string_view>

namespace gravlab {

struct Parameter;

/// Whether values of a row are lengths, masses or times of the run; `unit` as rows have it: "L", "T", "L/T", "T/s".
bool hasDimension(std::string_view unit);
/// Whether a text is a number with letters behind it.
bool isQuantity(std::string_view text);
/// What is wrong with a number and its unit whatever the run is, `NAME 'TEXT': ...`: a unit that is not known, or one of
/// something else. Throws UsageError.
void requireDimension(std::string_view name, std::string_view text, std::string_view dimension);
/// The number in the run's own units. Throws UsageError likewise, and where the run `of` has no units.
double quantity(std::string_view name, std::string_view text, std::string_view dimension, const SceneUnits& units,
                std::string_view of);
/// "500 T = 489 Gyr"; empty where the run has no units.
std::string meaningOf(double value, std::string_view dimension, const SceneUnits& units);

/// What a run shows and reads: of its file, else of its scene.
const SceneUnits& unitsOf(const RunRequest& request);

/// Keeps what an option or a file says of that row until the run is known. True where the text has a unit; else the number
/// is taken as always, and only its meaning is said later. Throws UsageError where no run could take it.
bool keepQuantity(Options& options, const Parameter& row, std::string_view name, const std::string& text);
/// The same of --until.
bool keepUntil(Options& options, const std::string& text);
/// Keeps what --twin says with a unit, and gives back the rest of its list.
std::string keepTwinQuantities(Options& options, std::string_view list);
/// Takes up what was kept: the run is known now. Says on stderr what numbers without a unit mean. Throws UsageError.
void takeQuantities(Options& options);

}  // namespace gravlab
