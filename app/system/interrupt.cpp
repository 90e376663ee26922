// Notes Ctrl-C and kill; commands check for them between steps.
#include "app/system/interrupt.h"

#include "sim/api/errors.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <iterator>
#include <string>

namespace gravlab {
namespace {

// The first signal and its time [ms]; 0: none. The system may run the handler on any thread.
std::atomic<std::int64_t> noted{0};
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "a handler may touch it");
constexpr std::int64_t kSignalRange = 128;
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
struct sigaction before[std::size(kSignals)];

// Programs that end others (timeout, job systems, a second terminal) often send two signals at once and mean one.
constexpr std::int64_t kSameAsk = 500;  // [ms]

/// Notes the first signal; a second one means that the user does not want to wait.
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
    for (std::size_t i = 0; i < std::size(kSignals); ++i) {
        struct sigaction action {};
        action.sa_handler = note;
        sigaction(kSignals[i], &action, &before[i]);
        // nohup means that the program outlives its terminal.
        if (kSignals[i] == SIGHUP && before[i].sa_handler == SIG_IGN) sigaction(SIGHUP, &before[i], nullptr);
    }
}

InterruptWatch::~InterruptWatch() {
    for (std::size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &before[i], nullptr);
}

int InterruptWatch::signal() { return static_cast<int>(noted % kSignalRange); }

const char* InterruptWatch::word() {
    return signal() == SIGINT ? "interrupted" : signal() == SIGTERM ? "terminated" : "the terminal hung up";
}

void InterruptWatch::check(std::string_view left) {
    if (signal() != 0) throw Error(static_cast<ExitCode>(128 + signal()), std::string(word()) + "; " + std::string(left));
}

}  // namespace gravlab
