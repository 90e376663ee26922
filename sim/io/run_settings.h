// Settings of a run as TOML text and back: what a checkpoint carries. One table; a new setting is a row.
// Rule: reading is strict about what it knows and says what it does not know.
#pragma once
#include "sim/run/simulation.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// A row of the table of settings.
struct SettingRow {
    std::string_view key;                            ///< in TOML
    std::string_view option;                         ///< of the command line that sets it; empty: none
    std::string (*text)(const SimulationSettings&);  ///< as TOML value
    /// Takes a TOML value; false when it is none for this setting.
    bool (*take)(SimulationSettings&, std::string_view value);
    void (*copy)(SimulationSettings& to, const SimulationSettings& from);
    std::string_view expected;  ///< for messages: "a whole number of at least 1"
};
std::span<const SettingRow> settingRows();

/// "key = value" lines for every row. The same settings give the same text.
std::string settingsText(const SimulationSettings& settings);

/// The settings in TOML text: bare keys, strings, numbers, booleans and remarks, one a line. What is not in the text keeps
/// its default. Unknown keys become `notes`. Throws InputError with `name`, the line and what is allowed.
SimulationSettings parsedSettings(std::string_view text, const std::string& name, std::vector<std::string>& notes);

/// The same for files that people write: an unknown key, scene, parameter, integrator, backend or kernel is refused too, and
/// so is what does not go together. Throws InputError "NAME, line N: ..." with what is allowed.
SimulationSettings strictSettings(std::string_view text, const std::string& name);

}  // namespace gravlab
