// Enqueued work, with its estimated and its measured time. Rule: only drain() waits.
#pragma once
#include "sim/backends/backend.h"
#include "sim/backends/cuda/runtime/memory.h"

#include <deque>
#include <memory>
#include <vector>

namespace gravlab::cuda {

/// Kind of the work between two events.
enum class Span { force, terms, sums, integrate, publish, steps };

/// Amounts that a span of work adds to the totals once it is done.
struct Work {
    std::int64_t steps = 0, forceEvaluations = 0;
    double interactions = 0;      ///< pairs of the pair law
    double cells = 0;             ///< cells of a tree
    double rated = 0;             ///< work in the unit of the rate, of one method a span
    double termInteractions = 0;  ///< interactions of the other terms
};

/// Work a second of one method, from spans that have finished. The unit is directed pairs, or the method's own.
class RateEstimate {
public:
    /// `expected` holds until something is measured.
    explicit RateEstimate(double expected) : rate_(expected) {}
    double perSecond() const { return rate_; }
    void add(double pairs, double seconds) {
        if (!(pairs > 0 && seconds > 0)) return;
        const double measured = pairs / seconds;
        // The rate is a mean over several launches: the device's clock varies, and single launches are short.
        rate_ = measured_ ? 0.7 * rate_ + 0.3 * measured : measured;
        measured_ = true;
    }

private:
    double rate_;
    bool measured_ = false;
};

/// A queue of spans on one stream, each between two events. Totals grow as spans finish.
class GpuTimer {
public:
    explicit GpuTimer(Stream stream) : stream_(stream) {}

    /// Begins a burst of work: earlier time on the host's clock does not count.
    void begin();
    /// Adds work, which the caller has enqueued, to the span under way. `rate` gets the time of its interactions.
    void add(double estimatedSeconds, const Work& work, const std::shared_ptr<RateEstimate>& rate = nullptr);
    double openSeconds() const { return open_.estimate; }
    bool hasOpenWork() const { return open_.used; }
    /// Ends the span under way. The time of `steps` is divided in the ratio of the last steps whose phases were measured
    /// separately.
    void close(Span kind);

    /// Adds finished spans to the totals. Never waits. Throws DeviceError when work failed.
    void collect();
    /// Waits until at most `seconds` of estimated work are left.
    void drain(double seconds);
    /// Estimated seconds of work that has been enqueued and has not finished.
    double outstanding() const { return outstanding_ + open_.estimate; }

    const WorkTotals& totals() const { return totals_; }

private:
    struct Entry {
        Span kind = Span::force;
        bool used = false;
        double estimate = 0;
        Work work;
        std::shared_ptr<RateEstimate> rate;
        std::size_t first = 0, last = 0;  ///< events
    };
    std::size_t record();
    void finish(const Entry& entry, double seconds);

    Stream stream_;
    std::vector<OwnedEvent> events_;
    std::vector<int> users_;  ///< spans that still need the event
    std::vector<std::size_t> idle_;
    std::size_t start_ = 0;
    bool started_ = false;
    Entry open_;
    std::deque<Entry> queue_;
    double outstanding_ = 0;
    double forceShare_ = 0.8;  ///< fraction of a step's time, from the last steps whose phases were measured separately
    double lastForce_ = 0;
    WorkTotals totals_;
};

}  // namespace gravlab::cuda
