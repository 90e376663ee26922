// Where a picture stops being the answer: chaotic endings that a method cannot follow.
// Rule: measured with solvers of many digits, never guessed.
#pragma once
#include "sim/integrators/integrator.h"

#include <string>
#include <string_view>

namespace gravlab {

/// What to say on screen about a scene at this time [T] under this integrator; empty while the picture can be believed.
std::string predictabilityNote(std::string_view scene, const Integrator& integrator, double time, bool singlePrecision);

}  // namespace gravlab
