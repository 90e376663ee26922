// Events in a row, read when they have been reached.
#include "sim/backends/cuda/runtime/timeline.h"

#include <algorithm>

namespace gravlab::cuda {

std::size_t Timeline::record() {
    if (idle_.empty()) {
        events_.emplace_back();
        users_.push_back(0);
        idle_.push_back(events_.size() - 1);
    }
    const std::size_t event = idle_.back();
    CUDA_CHECK(recordEvent(events_[event], stream_));
    idle_.pop_back();
    return event;
}

void Timeline::begin() {
    if (started_ && users_[start_] == 0) idle_.push_back(start_);
    started_ = false;
    start_ = record();
    started_ = true;
    open_ = {};
}

void Timeline::add(double estimatedSeconds, const Share& share) {
    open_.used = true;
    open_.estimate += estimatedSeconds;
    open_.share.steps += share.steps;
    open_.share.forceEvaluations += share.forceEvaluations;
    open_.share.interactions += share.interactions;
}

void Timeline::close(Stretch kind) {
    if (!open_.used) return;
    open_.kind = kind;
    open_.generation = generation_;
    open_.first = start_;
    open_.last = record();
    ++users_[open_.first];
    ++users_[open_.last];
    start_ = open_.last;
    queue_.push_back(open_);
    outstanding_ += open_.estimate;
    open_ = {};
}

void Timeline::collect() {
    while (!queue_.empty()) {
        const Work work = queue_.front();
        if (!events_[work.last].reached()) return;
        float milliseconds = 0;
        CUDA_CHECK(elapsedMilliseconds(milliseconds, events_[work.first], events_[work.last]));
        queue_.pop_front();
        outstanding_ = queue_.empty() ? 0 : std::max(0.0, outstanding_ - work.estimate);
        for (const std::size_t event : {work.first, work.last})
            if (--users_[event] == 0 && !(started_ && event == start_)) idle_.push_back(event);
        finish(work, 1e-3 * static_cast<double>(milliseconds));
    }
}

void Timeline::drain(double seconds) {
    collect();
    while (!queue_.empty() && outstanding() > seconds) {
        CUDA_CHECK(waitForEvent(events_[queue_.front().last]));
        collect();
    }
}

void Timeline::finish(const Work& work, double seconds) {
    totals_.steps += work.share.steps;
    totals_.forceEvaluations += work.share.forceEvaluations;
    totals_.interactions += work.share.interactions;
    double force = 0;
    switch (work.kind) {
        case Stretch::force:
            force = seconds;
            lastForce_ = work.share.forceEvaluations == 1 ? seconds : 0;
            break;
        case Stretch::integrate:
            totals_.integrateSeconds += seconds;
            if (lastForce_ > 0) forceShare_ = lastForce_ / (lastForce_ + seconds);
            lastForce_ = 0;
            break;
        case Stretch::publish:
            totals_.publishSeconds += seconds;
            break;
        case Stretch::steps:
            force = forceShare_ * seconds;
            totals_.integrateSeconds += seconds - force;
            break;
    }
    totals_.forceSeconds += force;
    if (work.generation == generation_ && work.share.interactions > 0 && force > 0) {
        const double measured = work.share.interactions / force;
        // A mean over some launches: the clock of the device moves, and single launches are short.
        rate_ = rate_ > 0 ? 0.7 * rate_ + 0.3 * measured : measured;
    }
}

}  // namespace gravlab::cuda
