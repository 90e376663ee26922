// What has been enqueued, how long it will take and how long it took. Rule: only drain() waits.
#pragma once
#include "sim/backends/backend.h"
#include "sim/backends/cuda/runtime/memory.h"

#include <deque>
#include <vector>

namespace gravlab::cuda {

/// What the work between two events is.
enum class Stretch { force, integrate, publish, steps };

/// What a stretch of work adds to the totals once it is done.
struct Share {
    std::int64_t steps = 0, forceEvaluations = 0;
    double interactions = 0;
};

/// A queue of stretches on one stream, each between two events. Totals grow as stretches finish.
class Timeline {
public:
    explicit Timeline(Stream stream) : stream_(stream) {}

    /// A burst of work begins: what lies before it on the host's clock does not count.
    void begin();
    /// Work was enqueued that belongs to the stretch under way.
    void add(double estimatedSeconds, const Share& share);
    double openSeconds() const { return open_.estimate; }
    bool hasOpenWork() const { return open_.used; }
    /// Ends the stretch under way. The time of `steps` is divided as the last steps were whose parts were measured apart.
    void close(Stretch kind);

    /// Takes up what has finished. Never waits. Throws DeviceError when work failed.
    void collect();
    /// Waits until at most `seconds` of estimated work are left.
    void drain(double seconds);
    /// Estimated seconds of work that has been enqueued and has not finished.
    double outstanding() const { return outstanding_ + open_.estimate; }

    const WorkTotals& totals() const { return totals_; }
    /// Measured interactions a second; `fallback` until something was measured.
    double rate(double fallback) const { return rate_ > 0 ? rate_ : fallback; }
    /// Other bodies or another kernel: the rate says nothing any more.
    void forgetRate() {
        rate_ = 0;
        ++generation_;
    }

private:
    struct Work {
        Stretch kind = Stretch::force;
        bool used = false;
        double estimate = 0;
        Share share;
        int generation = 0;
        std::size_t first = 0, last = 0;  ///< events
    };
    std::size_t record();
    void finish(const Work& work, double seconds);

    Stream stream_;
    std::vector<OwnedEvent> events_;
    std::vector<int> users_;  ///< stretches that still need the event
    std::vector<std::size_t> idle_;
    std::size_t start_ = 0;
    bool started_ = false;
    Work open_;
    std::deque<Work> queue_;
    double outstanding_ = 0;
    double rate_ = 0;
    int generation_ = 0;
    double forceShare_ = 0.8;  ///< of a step's time, from the last steps whose parts were measured apart
    double lastForce_ = 0;
    WorkTotals totals_;
};

}  // namespace gravlab::cuda
