// Ctrl-C and kill in commands that write files: handled between steps, so that no partial file remains.
#pragma once
#include "sim/core/work_watch.h"

#include <string_view>

namespace gravlab {

/// During its lifetime, the first SIGINT, SIGTERM or SIGHUP (which stays ignored under nohup) is only noted. Another one
/// more than half a second later ends the program at once. One at a time.
class InterruptWatch {
public:
    InterruptWatch();
    ~InterruptWatch();
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;

    /// The noted signal, or 0. Safe from any thread.
    static int signal();
    /// The effect of the signal in words: "interrupted".
    static const char* word();
    /// Throws Error with exit code 129 (hung up), 130 (interrupted) or 143 (terminated) after a signal. `left` describes the
    /// state of the work in its sentence.
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
