// Choices for the settings of a run or of its twin: one function for each list, for all panels and menus.
// Rule: an entry that the run would refuse carries the reason.
#pragma once
#include "app/model/twin_choice.h"
#include "sim/run/configuration.h"

#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// An entry of a list.
struct SettingChoice {
    std::string name;
    std::string_view idea{};  ///< one line
    bool chosen = false;      ///< in force now
    Reason refused{};         ///< empty: it can be chosen
};

/// All functions use the settings in force. `backendGivesWay`: where their backend does not support an integrator, another
/// backend replaces it.
std::vector<SettingChoice> integratorChoices(const RunConfiguration& now, bool backendGivesWay = false);
std::vector<SettingChoice> precisionChoices(const RunConfiguration& now);
std::vector<SettingChoice> lawChoices(const RunConfiguration& now);
std::vector<SettingChoice> backendChoices(const RunConfiguration& now);

/// Why that backend has no choice of precisions; empty when it has one.
Reason fixedPrecision(std::string_view backend);

/// A twin that is on, from "integrator=euler,dt=0.05". Throws UsageError, which lists the names where one is unknown.
TwinChoice parseTwin(std::string_view text);
/// Applies one line of [twin]: a key and its TOML value. Throws UsageError with a sentence.
void takeTwin(TwinChoice& choice, const std::string& key, std::string_view value);

}  // namespace gravlab
