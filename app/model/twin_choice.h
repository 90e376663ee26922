// What a twin run does otherwise than the first: named settings, as on the command line, in scene files and in the panel.
// Rule: one table of names; what is not named is the first run's, whatever that becomes.
#pragma once
#include "sim/run/configuration.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gravlab {

/// How two runs share the picture.
enum class TwinView {
    side,     ///< the first at the left, the twin at the right
    overlaid  ///< one over the other, in two hues
};

/// Names of the views, in the order of the enumeration: side, overlaid.
std::span<const std::string_view> twinViews();
/// The view of that name; "overlay" is one as well. Throws UsageError naming the valid ones.
TwinView twinView(std::string_view name);

/// Settings of a twin. Values count only where their name is in `keys`.
struct TwinChoice {
    bool on = false;
    TwinView view = TwinView::side;
    RunRequest values;
    std::vector<std::string_view> keys;  ///< of twinKeys(), in its order

    bool names(std::string_view key) const;
    /// Takes the values of `from` for one name of the table.
    void take(std::string_view key, const RunRequest& from);
    /// The setting is the first run's again.
    void release(std::string_view key);
    bool operator==(const TwinChoice&) const = default;
};

/// What can differ, by the names of scene files: integrator, time_step, precision, softening, law, exponent, backend, ...
std::span<const std::string_view> twinKeys();

/// "integrator = \"euler\"" lines, as scene files have them; empty when nothing differs.
std::string twinText(const TwinChoice& choice);

/// What the twin asks for: what the first has in force, and otherwise the choice. A kernel that was chosen for another
/// backend, precision or law is left to the backend; an integrator that the first's backend does not run brings one that
/// does.
RunRequest twinRequest(const RunConfiguration& first, const TwinChoice& choice);

/// On where it was off, and off where it was on. One that was never told what to differ in shows what leapfrog is good for:
/// it runs with euler, or with leapfrog where the first run is euler's.
TwinChoice toggledTwin(TwinChoice choice, const RunConfiguration& first);

/// What tells two runs apart, in words: {"leapfrog, dt 0.03", "euler, dt 0.05"}. Both are settings in force. Without any
/// difference {"the same", "the same"}.
std::pair<std::string, std::string> twinLabels(const RunConfiguration& first, const RunConfiguration& twin);

}  // namespace gravlab
