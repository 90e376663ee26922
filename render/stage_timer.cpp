// Rings of time-stamp queries. They replace GL_TIME_ELAPSED, because the first such query of a context in Mesa's llvmpipe
// returns the time since boot.
#include "render/stage_timer.h"

namespace gravlab {
namespace {

constexpr std::string_view kStageNames[kDrawStages] = {"bodies",  "resolve", "large",    "trails",
                                                       "develop", "glow",    "exposure", "tone"};

bool ready(GLuint query) {
    GLint answered = 0;
    glGetQueryObjectiv(query, GL_QUERY_RESULT_AVAILABLE, &answered);
    return answered != 0;
}

GLuint64 nanoseconds(GLuint query) {
    GLuint64 time = 0;
    glGetQueryObjectui64v(query, GL_QUERY_RESULT, &time);
    return time;
}

double between(GLuint64 start, GLuint64 end) { return end > start ? static_cast<double>(end - start) * 1e-6 : 0; }

}  // namespace

std::string_view nameOf(DrawStage stage) { return kStageNames[static_cast<std::size_t>(stage)]; }

void StageTimer::begin(DrawMethod path, bool whole, int tag) {
    Frame& frame = frames_[next_];
    // All queries are in flight: leave this frame unmeasured instead of waiting.
    measuring_ = !frame.pending;
    if (!measuring_) return;
    frame.path = path;
    frame.detailed = detailed;
    frame.whole = whole;
    frame.tag = tag;
    frame.stamped = {};
    glQueryCounter(frame.stamps.front().id(), GL_TIMESTAMP);
}

void StageTimer::ended(DrawStage stage) {
    Frame& frame = frames_[next_];
    if (!measuring_ || !frame.detailed) return;
    const auto i = static_cast<std::size_t>(stage);
    glQueryCounter(frame.stamps[i + 1].id(), GL_TIMESTAMP);
    frame.stamped[i] = true;
}

void StageTimer::end() {
    if (!measuring_) return;
    Frame& frame = frames_[next_];
    glQueryCounter(frame.stamps.back().id(), GL_TIMESTAMP);
    frame.pending = true;
    next_ = (next_ + 1) % kDepth;
    measuring_ = false;
}

DrawTimes StageTimer::timesOf(const Frame& frame) {
    DrawTimes times{.path = frame.path, .detailed = frame.detailed, .whole = frame.whole, .tag = frame.tag};
    const GLuint64 start = nanoseconds(frame.stamps.front().id());
    times.milliseconds = between(start, nanoseconds(frame.stamps.back().id()));
    GLuint64 before = start;
    for (std::size_t i = 0; i < kDrawStages; ++i) {
        if (!frame.stamped[i]) continue;
        const GLuint64 now = nanoseconds(frame.stamps[i + 1].id());
        times.stages[i] = between(before, now);
        before = now;
    }
    return times;
}

std::vector<DrawTimes> StageTimer::take() {
    std::vector<DrawTimes> finished;
    for (std::size_t i = 0; i < kDepth; ++i) {  // oldest first
        Frame& frame = frames_[(next_ + i) % kDepth];
        if (!frame.pending) continue;
        if (!ready(frame.stamps.back().id())) break;
        finished.push_back(timesOf(frame));
        frame.pending = false;
    }
    return finished;
}

void GpuTimer::begin() {
    measuring_ = !pending_[next_];
    if (measuring_) glQueryCounter(starts_[next_].id(), GL_TIMESTAMP);
}

void GpuTimer::end() {
    if (!measuring_) return;
    glQueryCounter(ends_[next_].id(), GL_TIMESTAMP);
    pending_[next_] = true;
    next_ = (next_ + 1) % kDepth;
    measuring_ = false;
}

std::optional<double> GpuTimer::take() {
    std::optional<double> newest;
    for (std::size_t i = 0; i < kDepth; ++i) {
        const std::size_t slot = (next_ + i) % kDepth;
        if (!pending_[slot]) continue;
        if (!ready(ends_[slot].id())) break;
        newest = between(nanoseconds(starts_[slot].id()), nanoseconds(ends_[slot].id()));
        pending_[slot] = false;
    }
    return newest;
}

}  // namespace gravlab
