#include "sim/core/work_watch.h"

#include <utility>

namespace gravlab {
namespace {

thread_local WorkWatch* listening = nullptr;

}  // namespace

WorkWatch::WorkWatch(Listener listener, Noted noted, Dropped dropped)
    : listener_(std::move(listener)),
      noted_(std::move(noted)),
      dropped_(std::move(dropped)),
      before_(std::exchange(listening, this)) {}

WorkWatch::~WorkWatch() { listening = before_; }

void WorkWatch::report(const char* what, std::int64_t done, std::int64_t total) {
    const WorkWatch* to = listening;
    while (to && !to->listener_) to = to->before_;
    if (to) to->listener_(what, done, total);
}

void WorkWatch::note(const std::string& sentence) {
    if (listening && listening->noted_) listening->noted_(sentence);
}

bool WorkWatch::dropped() { return listening && listening->dropped_ && listening->dropped_(); }

}  // namespace gravlab
