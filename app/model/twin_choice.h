// The choice of a twin run: whether there is one, its place in the picture, and the settings in which it differs from the
// first run.
#pragma once
#include "sim/core/value.h"

#include <functional>
#include <map>
#include <string>

namespace gravlab {

/// Chosen values by name, already checked.
using Settings = std::map<std::string, Value, std::less<>>;

/// The arrangement of the pictures of two runs.
enum class TwinView {
    side,     ///< the first on the left, the twin on the right
    overlaid  ///< one over the other, in two hues
};

struct TwinChoice {
    bool on = false;
    TwinView view = TwinView::side;
    Settings values{};  ///< by the keys of scene files, see twinKeys(); a setting without a value follows the first run
    bool operator==(const TwinChoice&) const = default;
};

}  // namespace gravlab
