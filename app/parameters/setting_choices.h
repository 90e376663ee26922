// Choices for the settings of a run or of its twin: one function for each list, for all panels and menus.
// Rule: an entry that the run would refuse carries the reason.
#pragma once
#include "sim/backends/kernel.h"
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
/// The kernels of the backend of `now`, the kernel in use. `fixed`: the precision stays, so rows without it are refused.
std::vector<SettingChoice> kernelChoices(const KernelRow& now, const ForceSettings& force, bool fixed = false);

/// Why that backend has no choice of precisions; empty when it has one.
Reason fixedPrecision(std::string_view backend);

}  // namespace gravlab
