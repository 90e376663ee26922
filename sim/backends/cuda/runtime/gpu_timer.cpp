// Reads events in their order once the device has reached them.
#include "sim/backends/cuda/runtime/gpu_timer.h"

#include "sim/backends/profiler_range.h"

#include <algorithm>

// NVTX 3 is headers only. A build without them records no ranges for profilers.
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#endif

namespace gravlab {
#ifdef NVTX_VERSION
ProfilerRange::ProfilerRange(const char* name) { nvtxRangePushA(name); }
ProfilerRange::~ProfilerRange() { nvtxRangePop(); }
#else
ProfilerRange::ProfilerRange(const char*) {}
ProfilerRange::~ProfilerRange() = default;
#endif
}  // namespace gravlab

namespace gravlab::cuda {

std::size_t GpuTimer::record() {
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

void GpuTimer::begin() {
    if (started_ && users_[start_] == 0) idle_.push_back(start_);
    started_ = false;
    start_ = record();
    started_ = true;
    open_ = {};
}

void GpuTimer::add(double estimatedSeconds, const Work& work, const std::shared_ptr<RateEstimate>& rate) {
    open_.used = true;
    open_.estimate += estimatedSeconds;
    open_.work.steps += work.steps;
    open_.work.forceEvaluations += work.forceEvaluations;
    open_.work.interactions += work.interactions;
    open_.work.cells += work.cells;
    open_.work.rated += work.rated;
    open_.work.termInteractions += work.termInteractions;
    if (rate) open_.rate = rate;
}

void GpuTimer::close(Span kind) {
    if (!open_.used) return;
    open_.kind = kind;
    open_.first = start_;
    open_.last = record();
    ++users_[open_.first];
    ++users_[open_.last];
    start_ = open_.last;
    queue_.push_back(open_);
    outstanding_ += open_.estimate;
    open_ = {};
}

void GpuTimer::collect() {
    while (!queue_.empty()) {
        const Entry entry = queue_.front();
        if (!events_[entry.last].reached()) return;
        const double seconds = secondsBetween(events_[entry.first], events_[entry.last]);
        queue_.pop_front();
        outstanding_ = queue_.empty() ? 0 : std::max(0.0, outstanding_ - entry.estimate);
        for (const std::size_t event : {entry.first, entry.last})
            if (--users_[event] == 0 && !(started_ && event == start_)) idle_.push_back(event);
        finish(entry, seconds);
    }
}

void GpuTimer::drain(double seconds) {
    collect();
    while (!queue_.empty() && outstanding() > seconds) {
        CUDA_CHECK(waitForEvent(events_[queue_.front().last]));
        collect();
    }
}

void GpuTimer::finish(const Entry& entry, double seconds) {
    totals_.steps += entry.work.steps;
    totals_.forceEvaluations += entry.work.forceEvaluations;
    totals_.interactions += entry.work.interactions;
    totals_.cells += entry.work.cells;
    totals_.termInteractions += entry.work.termInteractions;
    double force = 0;
    switch (entry.kind) {
        case Span::force:
            force = seconds;
            lastForce_ = entry.work.forceEvaluations == 1 ? seconds : 0;
            break;
        case Span::terms:
            totals_.termSeconds += seconds;
            break;
        case Span::sums:  // a term's sums were added to the others
            totals_.integrateSeconds += seconds;
            break;
        case Span::integrate:
            totals_.integrateSeconds += seconds;
            if (lastForce_ > 0) forceShare_ = lastForce_ / (lastForce_ + seconds);
            lastForce_ = 0;
            break;
        case Span::publish:
            totals_.publishSeconds += seconds;
            break;
        case Span::steps:
            force = forceShare_ * seconds;
            totals_.integrateSeconds += seconds - force;
            break;
    }
    totals_.forceSeconds += force;
    if (entry.rate) entry.rate->add(entry.work.rated, entry.kind == Span::terms ? seconds : force);
}

}  // namespace gravlab::cuda
