// Where a picture stops being the answer: chaotic endings that a method cannot follow.
// Rule: these times are measured with solvers of many digits, never guessed.
#pragma once
#include "sim/integrators/integrator.h"

#include <string>
#include <string_view>

namespace gravlab {

/// Warning on screen for a scene at this time [T] under this integrator; empty while the picture is reliable.
std::string predictabilityNote(std::string_view scene, const Integrator& integrator, double time, bool singlePrecision);

}  // namespace gravlab
