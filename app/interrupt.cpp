// Ctrl-C and kill, noted and looked at between steps.
#include "app/interrupt.h"

#include "sim/error.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

namespace gravlab {
namespace {

// The system may run the handler on any thread.
std::atomic<int> noted{0};
static_assert(std::atomic<int>::is_always_lock_free, "a handler may touch it");
struct sigaction before[3];
constexpr int kSignals[3] = {SIGINT, SIGTERM, SIGPIPE};

/// The first one is noted; whoever asks again does not want to wait.
void note(int number) {
    if (noted.exchange(number) != 0) _exit(128 + number);
}

}  // namespace

InterruptWatch::InterruptWatch() {
    noted = 0;
    for (int i = 0; i < 3; ++i) {
        struct sigaction action {};
        action.sa_handler = kSignals[i] == SIGPIPE ? SIG_IGN : note;
        sigaction(kSignals[i], &action, &before[i]);
    }
}

InterruptWatch::~InterruptWatch() {
    for (int i = 0; i < 3; ++i) sigaction(kSignals[i], &before[i], nullptr);
}

int InterruptWatch::signal() { return noted; }

void InterruptWatch::check() {
    if (noted == SIGINT) throw Error(static_cast<ExitCode>(128 + SIGINT), "interrupted; nothing was written");
    if (noted == SIGTERM) throw Error(static_cast<ExitCode>(128 + SIGTERM), "terminated; nothing was written");
}

}  // namespace gravlab
