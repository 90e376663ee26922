// Settings of a run as TOML text and back: what a checkpoint carries. One table; a new setting is a row.
// Rule: reading is strict about what it knows and says what it does not know.
#pragma once
#include "sim/run/configuration.h"

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// A row of the table of settings.
struct SettingRow {
    std::string_view key;                    ///< in TOML
    std::string (*text)(const RunRequest&);  ///< as TOML value; "auto" where nothing was asked for
    /// Takes a TOML value; false when it is none for this setting.
    bool (*take)(RunRequest&, std::string_view value);
    void (*copy)(RunRequest& to, const RunRequest& from);
    std::string_view expected;  ///< for messages: "a whole number of at least 1"
    /// Of numbers: what may be asked for, ends included. Beside it files may say "auto", or 0 where that has always been it.
    double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
};
std::span<const SettingRow> settingRows();
/// The row of that key, which there must be.
const SettingRow& settingRow(std::string_view key);

/// "key = value" lines for every row. The same settings give the same text.
std::string settingsText(const RunRequest& request);

/// The settings in TOML text: bare keys, strings, numbers, booleans and remarks, one a line. What is not in the text was not
/// asked for. Unknown keys become `notes`. Throws InputError with `name`, the line and what is allowed.
RunRequest parsedSettings(std::string_view text, const std::string& name, std::vector<std::string>& notes);

/// The same for files that people write: an unknown key, scene, parameter, integrator, backend or kernel is refused too, and
/// so is what does not go together. Throws InputError "NAME, line N: ..." with what is allowed.
RunRequest strictSettings(std::string_view text, const std::string& name);

}  // namespace gravlab
