// The display server is lost: a remote connection breaks, a session is ended, the server dies.
// Rule: Xlib then ends the program in any case, so all work that must be done comes before that.
#pragma once
#include <functional>
#include <string>

namespace gravlab {

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
