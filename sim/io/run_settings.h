// Settings of a run as TOML text and back: part of a checkpoint. One table; a new setting is a row. Rule: reading is strict
// about known keys and reports unknown ones.
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
    std::string (*text)(const RunRequest&);  ///< as TOML value; "auto" when unset
    /// Sets a TOML value; false when it is invalid for this setting.
    bool (*take)(RunRequest&, std::string_view value);
    void (*copy)(RunRequest& to, const RunRequest& from);
    std::string_view expected;  ///< for messages: "a whole number of at least 1"
    /// For numbers: the range, ends included. Files may also say "auto", or 0 where older files did.
    double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
};
std::span<const SettingRow> settingRows();
/// The row of that key, which must exist.
const SettingRow& settingRow(std::string_view key);

/// "key = value" lines for every row. The same settings give the same text.
std::string settingsText(const RunRequest& request);

/// The settings in TOML text: bare keys, strings, numbers, booleans and comments, one per line. A setting that is not in the
/// text stays unset. Unknown keys become `notes`. Throws InputError with `name`, the line and what is allowed.
RunRequest parsedSettings(std::string_view text, const std::string& name, std::vector<std::string>& notes);

/// A setting of a file, read already: its value is TOML on one line.
struct SettingLine {
    std::string key, value;
    std::size_t line = 0;
};

/// The same for files that people write: it also refuses an unknown key, scene, parameter, integrator, backend or kernel,
/// and settings that contradict each other. Throws InputError "NAME, line N: ..." with what is allowed.
RunRequest strictSettings(std::span<const SettingLine> settings, const std::string& name);
RunRequest strictSettings(std::string_view text, const std::string& name);

}  // namespace gravlab
