// What a window may lose: its OpenGL context, where the driver restarts, the GPU is removed or the machine wakes up with
// other graphics; its display server, where a remote connection breaks, a session ends or the server dies.
// Rule: the simulation knows nothing of it. Only a new context can draw. Without its server Xlib ends the program in any
// case, so all work that must be done comes before that.
#pragma once
#include <functional>
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

/// While one lives, a program that loses its X server prints the text of `leave` and ends with exit code 4. `leave` is
/// called in the middle of a call to the display, so it may use neither that nor OpenGL. At most one may exist; it does
/// nothing without X.
class LostDisplayWatch {
public:
    explicit LostDisplayWatch(std::function<std::string()> leave);
    ~LostDisplayWatch();
    LostDisplayWatch(const LostDisplayWatch&) = delete;
    LostDisplayWatch& operator=(const LostDisplayWatch&) = delete;
};

}  // namespace gravlab
