// The settings in which a twin run differs from the first: by name, as on the command line, in scene files and in the panel.
// Rule: one table of names; a setting without a name in the list follows the first run.
#pragma once
#include "sim/run/configuration.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gravlab {

/// The arrangement of the pictures of two runs.
enum class TwinView {
    side,     ///< the first on the left, the twin on the right
    overlaid  ///< one over the other, in two hues
};

/// Names of the views, in the order of the enumeration: side, overlaid.
std::span<const std::string_view> twinViews();
/// The view with that name; "overlay" is also valid. Throws UsageError naming the valid ones.
TwinView twinView(std::string_view name);

/// Settings of a twin. A value counts only when its name is in `keys`.
struct TwinChoice {
    bool on = false;
    TwinView view = TwinView::side;
    RunRequest values{};
    std::vector<std::string_view> keys{};  ///< names from twinKeys(), in its order

    bool names(std::string_view key) const;
    /// Copies the values of `from` for one name of the table.
    void take(std::string_view key, const RunRequest& from);
    /// Returns the setting to that of the first run.
    void release(std::string_view key);
    bool operator==(const TwinChoice&) const = default;
};

/// Possible differences, by the names of scene files: integrator, time_step, precision, softening, law, exponent, backend,
/// ...
std::span<const std::string_view> twinKeys();

/// "integrator = \"euler\"" lines, as in scene files; empty when nothing differs.
std::string twinText(const TwinChoice& choice);

/// The twin's request: the configuration of the first run with the choice applied. A kernel chosen for another backend,
/// precision or law is left to the backend. When the backend does not run the first run's integrator, one that it runs
/// replaces it.
RunRequest twinRequest(const RunConfiguration& first, const TwinChoice& choice);

/// Switches the twin on or off. A twin without differences demonstrates leapfrog: it runs with euler, or with leapfrog when
/// the first run uses euler.
TwinChoice toggledTwin(TwinChoice choice, const RunConfiguration& first);

/// The differences of two runs in words: {"leapfrog, dt 0.03", "euler, dt 0.05"}. Both arguments are configurations in
/// force. Without a difference {"the same", "the same"}.
std::pair<std::string, std::string> twinLabels(const RunConfiguration& first, const RunConfiguration& twin);

}  // namespace gravlab
