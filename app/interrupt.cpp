// Ctrl-C and kill, noted and looked at between steps.
#include "app/interrupt.h"

#include "sim/core/error.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>

namespace gravlab {
namespace {

// The first signal and when it came [ms]; 0: none. The system may run the handler on any thread.
std::atomic<std::int64_t> noted{0};
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "a handler may touch it");
constexpr std::int64_t kSignalRange = 128;
struct sigaction before[3];
constexpr int kSignals[3] = {SIGINT, SIGTERM, SIGPIPE};

// Those who end programs (timeout, job systems, a terminal beside them) often ask twice at once, and mean once.
constexpr std::int64_t kSameAsk = 500;  // [ms]

/// The first one is noted; whoever asks again does not want to wait.
void note(int number) {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    const std::int64_t now = std::int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1000000 + 1;
    std::int64_t first = 0;
    if (noted.compare_exchange_strong(first, now * kSignalRange + number)) return;
    if (now - first / kSignalRange > kSameAsk) _exit(128 + number);
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

int InterruptWatch::signal() { return static_cast<int>(noted % kSignalRange); }

void InterruptWatch::check() {
    if (signal() == SIGINT) throw Error(static_cast<ExitCode>(128 + SIGINT), "interrupted; nothing was written");
    if (signal() == SIGTERM) throw Error(static_cast<ExitCode>(128 + SIGTERM), "terminated; nothing was written");
}

}  // namespace gravlab
