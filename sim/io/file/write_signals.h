// Writes whose failure is an error code, whatever handlers the program has.
#pragma once
#include <pthread.h>

#include <cerrno>
#include <csignal>
#include <ctime>

namespace gravlab {

/// A write past RLIMIT_FSIZE or into a closed pipe raises a signal whose default action ends the program. During its
/// lifetime the signal is blocked in this thread, and then removed from the queue.
class WriteSignalsHeld {
public:
    WriteSignalsHeld() {
        sigemptyset(&held_);
        sigaddset(&held_, SIGXFSZ);
        sigaddset(&held_, SIGPIPE);
        sigset_t pending;
        sigpending(&pending);
        // A signal that was already pending does not belong to this write.
        for (int signal : {SIGXFSZ, SIGPIPE})
            if (sigismember(&pending, signal)) sigdelset(&held_, signal);
        pthread_sigmask(SIG_BLOCK, &held_, &before_);
    }
    ~WriteSignalsHeld() {
        const int error = errno;
        const timespec now{};
        while (sigtimedwait(&held_, nullptr, &now) > 0) {
        }
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
        errno = error;
    }
    WriteSignalsHeld(const WriteSignalsHeld&) = delete;
    WriteSignalsHeld& operator=(const WriteSignalsHeld&) = delete;

private:
    sigset_t held_, before_;
};

}  // namespace gravlab
