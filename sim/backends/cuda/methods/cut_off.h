// Common parts of the methods for laws with a finite reach: slices of bodies, and counts of pairs for the lab.
#pragma once
#include "sim/backends/cuda/methods/force_method.h"
#include "sim/backends/cuda/methods/timed_counts.h"
#include "sim/forces/law.h"

#include <algorithm>
#include <cmath>

namespace gravlab::cuda {

/// `Facts`: of one evaluation, in device memory.
template <class Real, class Facts>
class CutOffMethod : public DeviceForceMethod<Real> {
public:
    // Progress in bodies.
    double rated(const ForceWork& work) const override { return work.bodies; }
    std::vector<MethodFigure> figures() const override { return figures_; }

protected:
    // Ends of the phases of an evaluation. A method names the two phases before the walk.
    enum Mark : std::size_t { kBegun, kFirst, kSecond, kSummed, kMarks };

    /// `expected`: bodies per second, until the rate is measured. `most`: bodies of a slice.
    CutOffMethod(const MethodParts& parts, double expected, double most)
        : DeviceForceMethod<Real>(parts.plan, parts.count, std::make_shared<RateEstimate>(expected)),
          stream_(parts.stream),
          threads_(static_cast<unsigned>(parts.plan.launch.block)),
          counts_(parts.stream),
          most_(most) {
        if (parts.count == 0) return;
        pairs_ = DeviceArray<unsigned long long>(1);
        counts_.allocate();
        CUDA_CHECK(fillAsync(pairs_.data(), 0, pairs_.bytes(), stream_));
    }

    /// Enqueues all before the walk; its work in bodies.
    virtual double begin() = 0;
    virtual void walk(std::uint32_t first, std::uint32_t end) = 0;
    virtual void finish() {}
    virtual const Facts* facts() const = 0;
    /// Figures of the facts, and names of the phases; a phase without a name is left out.
    virtual std::vector<MethodFigure> figuresOf(const Facts& facts) const = 0;
    virtual std::array<std::string_view, kMarks - 1> phases() const = 0;

    Stream stream_;
    unsigned threads_;                       ///< a block of the walk
    DeviceArray<unsigned long long> pairs_;  ///< pairs of all evaluations
    TimedCounts<Facts, unsigned long long, kMarks> counts_;

private:
    ForceProgress enqueuePairs(double bodies) override {
        const std::uint32_t n = this->count();
        if (n == 0) return {.complete = true};
        ForceProgress done{.work = takeCounts()};
        if (next_ == 0) {
            counts_.begin();
            done.work.bodies += begin();
        }
        // A slice is whole blocks, so that the bodies of a warp do not depend on the slices.
        const double blocks = std::ceil(std::clamp<double>(bodies, 1, std::min<double>(n, most_)) / threads_);
        const auto places = static_cast<std::uint32_t>(std::min<double>(blocks * threads_, n - next_));
        walk(next_, next_ + places);
        done.work.bodies += places;
        next_ += places;
        if (next_ < n) return done;
        next_ = 0;
        finish();
        done.complete = true;
        ++evaluations_;
        counts_.mark(kSummed);
        counts_.fetch(facts(), pairs_.data(), evaluations_);
        return done;
    }
    double nextPairs(double seconds) const override {
        return std::min({static_cast<double>(this->count()), this->pairsIn(seconds), most_});
    }
    double doneShare() const override { return static_cast<double>(next_) / this->count(); }
    void rewind() override { next_ = 0; }

    /// Counts since the last call.
    ForceWork takeCounts() {
        const auto taken = counts_.take();
        if (!taken) return {};
        const double n = this->count(), pairs = static_cast<double>(taken->now - taken->before),
                     aBody = pairs / (n * taken->done);
        figures_ = figuresOf(taken->facts);
        figures_.push_back({"bodies a body", "", aBody});
        figures_.push_back({"share of all pairs", "", aBody / n});
        counts_.addTimes(phases(), figures_);
        return {.pairs = pairs};
    }

    double most_;
    std::uint32_t next_ = 0;         ///< place of the next slice
    std::uint64_t evaluations_ = 0;  ///< finished evaluations
    std::vector<MethodFigure> figures_;
};

/// The address of a walk under the first law that ends, for facts of its code.
template <class Real, template <class> class... PairLaws, class Walk>
const void* walkCode(LawList<PairLaws...>, const Walk& walk) {
    const void* found = nullptr;
    const auto take = [&]<class Law>() {
        if constexpr (Law::kEnds)
            if (!found) found = walk.template operator()<Real, Law>();
    };
    (take.template operator()<PairLaws<Real>>(), ...);
    return found;
}
template <class Walk>
const void* walkCode(Precision precision, const Walk& walk) {
    return precision == Precision::fp64 ? walkCode<double>(OtherLoopLaws{}, walk) : walkCode<float>(OtherLoopLaws{}, walk);
}

}  // namespace gravlab::cuda
