// Counts of an evaluation on a device and times of its phases, for the lab. Nothing waits: a later evaluation reads the copy
// on the host.
#pragma once
#include "sim/backends/cuda/runtime/memory.h"
#include "sim/backends/force_method.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gravlab::cuda {

/// Facts belong to one evaluation; Counts grow over all evaluations. kMarks counts the begin of an evaluation and the ends
/// of its phases.
template <class Facts, class Counts, std::size_t kMarks>
class TimedCounts {
    // Shortest time between two timed evaluations: events and copies in each would slow short evaluations down.
    static constexpr std::chrono::milliseconds kPause{20};

public:
    /// The interval between two readings.
    struct Interval {
        Facts facts;  ///< of the last evaluation
        Counts now, before;
        double done;  ///< as fetch() counts it
    };

    explicit TimedCounts(Stream stream) : stream_(stream) {}
    /// Allocates apart from construction, so that a method without bodies takes no memory. Throws DeviceError.
    void allocate() { host_ = PinnedArray<Copied>(1); }

    /// Begins an evaluation. `wanted`: the times of this one are of use.
    void begin(bool wanted = true) {
        const auto now = std::chrono::steady_clock::now();
        timed_ = wanted && !reading_ && now - timedAt_ > kPause;
        if (timed_) timedAt_ = now;
    }
    /// Whether the evaluation under way is timed.
    bool timed() const { return timed_; }
    void mark(std::size_t which) {
        if (timed_) CUDA_CHECK(recordEvent(marks_[which], stream_));
    }
    /// Ends the evaluation; `done` counts all evaluations or bodies so far. Counts of evaluations that are not timed appear
    /// in the next interval.
    void fetch(const Facts* facts, const Counts* counts, std::uint64_t done) {
        if (!timed_) return;
        reading_ = true;
        readAt_ = done;
        CUDA_CHECK(copyAsync(&host_.data()->facts, facts, sizeof(Facts), Copy::toHost, stream_));
        CUDA_CHECK(copyAsync(&host_.data()->counts, counts, sizeof(Counts), Copy::toHost, stream_));
        CUDA_CHECK(recordEvent(arrived_, stream_));
    }
    /// The fetched interval, once, when the copy has arrived.
    std::optional<Interval> take() {
        if (!reading_ || !arrived_.reached()) return {};
        reading_ = timed_ = false;
        const Copied& copied = *host_.data();
        const Interval interval{copied.facts, copied.counts, reported_, static_cast<double>(readAt_ - reportedAt_)};
        reported_ = copied.counts;
        reportedAt_ = readAt_;
        return interval;
    }
    /// Adds the times of the last interval from take(): `parts` end at marks 1 to kMarks - 1; phases without a name are left
    /// out.
    void addTimes(const std::array<std::string_view, kMarks - 1>& parts, std::vector<MethodFigure>& figures) const {
        for (std::size_t k = 1; k < kMarks; ++k) {
            if (parts[k - 1].empty()) continue;
            figures.push_back({parts[k - 1], "s", secondsBetween(marks_[k - 1], marks_[k])});
        }
    }

private:
    struct Copied {
        Facts facts;
        Counts counts;
    };

    Stream stream_;
    PinnedArray<Copied> host_;
    std::array<OwnedEvent, kMarks> marks_;
    OwnedEvent arrived_;
    std::chrono::steady_clock::time_point timedAt_{};
    bool timed_ = false;    ///< the evaluation under way, or the one that is being read
    bool reading_ = false;  ///< a copy is on its way
    Counts reported_{};
    std::uint64_t readAt_ = 0, reportedAt_ = 0;
};

}  // namespace gravlab::cuda
