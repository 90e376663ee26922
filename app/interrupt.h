// Ctrl-C and kill in commands that write files: noticed between steps, so that nothing half-written stays behind.
#pragma once

namespace gravlab {

/// While one lives, the first SIGINT or SIGTERM is only noted; another one more than half a second later ends the program at
/// once. One at a time. Also ignores SIGPIPE: a closed pipe is an IoError.
class InterruptWatch {
public:
    InterruptWatch();
    ~InterruptWatch();
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;

    /// The signal that came, or 0. Safe from any thread.
    static int signal();
    /// Throws Error with exit code 130 (interrupt) or 143 (terminate) once a signal came.
    static void check();
};

}  // namespace gravlab
