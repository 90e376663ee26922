// The settings in which a twin run differs from the first: rows made from those of the run, and what follows from them.
// Rule: a name without a value follows the first run.
#pragma once
#include "app/model/start_options.h"
#include "sim/run/configuration.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace gravlab {

/// A view of two runs.
struct TwinViewRow {
    std::string_view name, idea;
};
/// The views, in the order of the enumeration: side, overlaid.
std::span<const TwinViewRow> twinViews();
/// The view with that name; "overlay" is also valid. Throws UsageError naming the valid ones.
TwinView twinView(std::string_view name);

/// Possible differences, by the names of scene files: integrator, time_step, precision, softening, law, exponent, backend,
/// ...
std::span<const std::string_view> twinKeys();

/// Stores a value that the row of that key accepts; "same": the twin follows the first run. Throws UsageError.
void setTwin(TwinChoice& choice, std::string_view key, const Value& value);
/// Applies one line of [twin]: a key and its TOML value. Throws UsageError, which lists the names where one is unknown.
void takeTwin(TwinChoice& choice, const std::string& key, std::string_view value);
/// A twin that is on, from "integrator=euler,dt=0.05". Values with a unit are kept in `start`, where it is given. Throws
/// UsageError likewise.
TwinChoice parseTwin(std::string_view text, StartOptions* start = nullptr);

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
