// The display server goes away: a remote connection breaks, a session is ended, the server dies.
// Rule: Xlib ends the program then, whatever it is told; what can be done is done before.
#pragma once
#include <functional>
#include <string>

namespace gravlab {

/// While one lives, a program that loses its X server says what `leave` gives and ends with exit code 4. `leave` is called
/// in the middle of whatever was asked of the display: it may touch neither that nor OpenGL. One at a time; nothing without
/// X.
class LostDisplayWatch {
public:
    explicit LostDisplayWatch(std::function<std::string()> leave);
    ~LostDisplayWatch();
    LostDisplayWatch(const LostDisplayWatch&) = delete;
    LostDisplayWatch& operator=(const LostDisplayWatch&) = delete;
};

}  // namespace gravlab
