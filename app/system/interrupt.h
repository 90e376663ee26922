// Ctrl-C and kill in commands that write files: noticed between steps, so that nothing half-written stays behind.
#pragma once
#include "sim/core/work_watch.h"

#include <string_view>

namespace gravlab {

/// While one lives, the first SIGINT, SIGTERM or SIGHUP (which stays ignored under nohup) is only noted; another one more
/// than half a second later ends the program at once. One at a time.
class InterruptWatch {
public:
    InterruptWatch();
    ~InterruptWatch();
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;

    /// The signal that came, or 0. Safe from any thread.
    static int signal();
    /// What it did, in words: "interrupted".
    static const char* word();
    /// Throws Error with exit code 129 (hung up), 130 (interrupted) or 143 (terminated) once a signal came. `left` says in
    /// its sentence what became of the work.
    static void check(std::string_view left = "nothing was written");
};

/// While one lives, this thread stops reading a file as check() does: the standard input may keep it waiting for ever.
struct InterruptibleReading {
    const WorkWatch watch{{}, {}, [] {
                              InterruptWatch::check();
                              return false;
                          }};
};

}  // namespace gravlab
