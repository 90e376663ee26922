#include "app/frontends/window/lost_display.h"

#include "sim/core/error.h"
#include "sim/core/text.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace gravlab {
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
