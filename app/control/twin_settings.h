// Settings of a comparison run from text, checked by the rows of the table of parameters: --twin, and [twin] of scene files.
#pragma once
#include "app/model/twin_choice.h"

#include <string>
#include <string_view>

namespace gravlab {

/// A twin that is on, from "integrator=euler,dt=0.05". Throws UsageError, which lists the names where one is unknown.
TwinChoice parseTwin(std::string_view text);
/// Applies one line of [twin]: a key and its TOML value. Throws UsageError with a sentence.
void takeTwin(TwinChoice& choice, const std::string& key, std::string_view value);

}  // namespace gravlab
