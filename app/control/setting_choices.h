// What lists offer for the settings of a run, or of its twin: one function for each list, whoever draws it.
// Rule: a row that the run would refuse carries the reason.
#pragma once
#include "sim/run/configuration.h"

#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// A row of a list.
struct SettingChoice {
    std::string name;
    std::string_view idea{};  ///< one line
    bool chosen = false;      ///< in force now
    Reason refused{};         ///< empty: it can be chosen
};

/// All of these are about settings in force. `backendGivesWay`: where their backend does not run an integrator, another one
/// is taken that does.
std::vector<SettingChoice> integratorChoices(const RunConfiguration& now, bool backendGivesWay = false);
std::vector<SettingChoice> precisionChoices(const RunConfiguration& now);
std::vector<SettingChoice> lawChoices(const RunConfiguration& now);
std::vector<SettingChoice> backendChoices(const RunConfiguration& now);

/// Why that backend has no choice of precisions; empty when it has.
Reason fixedPrecision(std::string_view backend);

}  // namespace gravlab
