// A graphics reset: the driver restarted, the GPU was removed, the machine woke up with other graphics. All OpenGL objects
// are lost then, and only a new context can draw. Rule: the simulation knows nothing of it.
#pragma once
#include <string>
#include <string_view>

namespace gravlab {

/// Why the current context is lost, as part of a sentence; empty while it is valid. Cheap and without a wait: call it once a
/// frame. A context without robustness never reports a loss.
std::string lostContext();

/// Makes OpenGL calls that can fail by themselves fail on demand (sim/core/fault_plan.h):
/// "glGetGraphicsResetStatus:5:33363". The environment variable GRAVLAB_FAULT is read at the first call. Throws UsageError
/// in builds without GRAVLAB_FAULTS.
void planGlFaults(std::string_view plan);
/// True in builds with GRAVLAB_FAULTS.
bool glFaultsAvailable();

}  // namespace gravlab
