#include "app/system/host_clock.h"

#include <chrono>

namespace gravlab {
namespace {

double steadySeconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

HostClockSource& hostClockSource() {
    static HostClockSource source = steadySeconds;
    return source;
}

double hostClock() { return hostClockSource()(); }

}  // namespace gravlab
