#include "app/frontends/headless/lost_context.h"

#include "render/gl_objects.h"
#include "sim/api/errors.h"
#include "sim/core/fault_plan.h"
#include "sim/core/text.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace gravlab {
namespace {

#if GRAVLAB_FAULTS
constexpr std::string_view kFunctions[] = {"glGetGraphicsResetStatus"};

/// One thread calls OpenGL, so no lock is needed.
FaultPlan& faults() {
    static FaultPlan plan = [] {
        const char* plan = std::getenv("GRAVLAB_FAULT");
        return plan ? FaultPlan(plan, "gl", kFunctions) : FaultPlan();
    }();
    return plan;
}
#endif

GLenum resetStatus() {
#if GRAVLAB_FAULTS
    if (const int planned = faults().call(0)) return static_cast<GLenum>(planned);
#endif
    return glGetGraphicsResetStatus ? glGetGraphicsResetStatus() : static_cast<GLenum>(GL_NO_ERROR);
}

}  // namespace

std::string lostContext() {
    switch (const GLenum status = resetStatus()) {
        case GL_NO_ERROR:
            return {};
        case GL_GUILTY_CONTEXT_RESET:
            return "the graphics driver was reset while it drew for this program";
        case GL_INNOCENT_CONTEXT_RESET:
            return "the graphics driver was reset because of another program";
        case GL_UNKNOWN_CONTEXT_RESET:
            return "the graphics driver was reset";
        default:
            return "OpenGL lost its context (status " + std::to_string(status) + ")";
    }
}

bool glFaultsAvailable() {
#if GRAVLAB_FAULTS
    return true;
#else
    return false;
#endif
}

void planGlFaults([[maybe_unused]] std::string_view plan) {
#if GRAVLAB_FAULTS
    faults() = FaultPlan(plan, "gl", kFunctions);
#else
    throw UsageError("this build cannot make OpenGL calls fail: configure it with -DGRAVLAB_FAULTS=ON");
#endif
}

namespace {

std::function<std::string()> leaving;

/// Handlers of Xlib must not return.
int leave(void* /*display*/) {
    const std::string text = leaving ? std::exchange(leaving, {})() : std::string();
    std::fprintf(stderr, "gravlab: the display server went away. %s\n", printable(text).c_str());
    std::_Exit(static_cast<int>(ExitCode::noDevice));
}

using Handler = int (*)(void*);

void setHandler(Handler handler) {
    // The window library loads it by itself, where there is an X server.
    void* library = dlopen("libX11.so.6", RTLD_LAZY | RTLD_NOLOAD);
    if (!library) return;
    if (const auto set = reinterpret_cast<Handler (*)(Handler)>(dlsym(library, "XSetIOErrorHandler"))) set(handler);
    dlclose(library);
}

}  // namespace

LostDisplayWatch::LostDisplayWatch(std::function<std::string()> leaveWith) {
    leaving = std::move(leaveWith);
    setHandler(leave);
}

LostDisplayWatch::~LostDisplayWatch() {
    setHandler(nullptr);
    leaving = {};
}

}  // namespace gravlab
