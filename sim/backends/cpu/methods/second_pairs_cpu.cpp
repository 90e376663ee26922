// A second pair law on the CPU, by the methods of the first: with its own sources, and sums for a body's own source.
#include "sim/api/errors.h"
#include "sim/backends/cpu/aligned_array.h"
#include "sim/backends/cpu/methods/cpu_method.h"
#include "sim/backends/kernel_rows.h"
#include "sim/forces/law.h"
#include "sim/forces/second_pair_law.h"

#include <algorithm>
#include <cmath>
#include <mutex>

namespace gravlab::cpu {
namespace {

// Bodies that a thread takes at a time.
constexpr std::size_t kSecondGrain = 65536;

template <class T>
class SecondPairs final : public CpuForceMethod<T> {
public:
    SecondPairs(const SecondPairLaw& term, const MethodContext& context, std::string_view row)
        : settings_(term.law()),
          sources_(term.sources()),
          pool_(context.pool),
          source_(context.bodies),
          sums_(context.bodies) {
        settings_.precision = std::is_same_v<T, float> ? Precision::fp32 : Precision::fp64;
        const KernelRow& known = kernel("cpu", row);
        if (const Reason reason = refusal(known, settings_); !reason.empty())
            throw UsageError("the kernel '" + std::string(row) + "' cannot compute the second pair law: " + reason);
        MethodContext own = context;
        own.launch = known.usual;
        pairs_ = makeMethod<T>(cpuKernel(known), settings_.precision, own);
    }

    void prepare(const CpuBodies<T>& bodies, const ForceRequest& request) override {
        bodies_ = bodies;
        T heaviest = 0;
        std::mutex together;
        pool_.forRange(bodies.count, kSecondGrain, [&](std::size_t first, std::size_t last) {
            T here = 0;
            for (std::size_t i = first; i < last; ++i) {
                source_[i] = SecondPairLaw::counted(sources_, bodies.source[i]);
                here = std::max(here, std::abs(source_[i]));
            }
            const std::lock_guard lock(together);
            heaviest = std::max(heaviest, here);
        });
        CpuBodies<T> counted = bodies;
        counted.source = source_.data();
        ForceRequest own = request;
        own.settings = settings_;
        own.smallestR2 = smallestR2<T>(settings_, static_cast<double>(heaviest));
        own.potential = false;
        own.allowedError = own.opening = 0;
        pairs_->prepare(counted, own);
    }
    ForceProgress enqueue(double seconds) override {
        const ForceProgress done = pairs_->enqueue(seconds);
        if (done.complete) takeSums();
        return done;
    }
    bool underWay() const override { return pairs_->underWay(); }
    double progress() const override { return pairs_->progress(); }
    void abandon() override { pairs_->abandon(); }
    CpuForceSums<T> sums() const override { return {sums_.data(), 1}; }
    Accuracy accuracy() const override { return pairs_->accuracy(); }
    std::vector<MethodFigure> figures() const override { return pairs_->figures(); }

private:
    /// The engine multiplies by the response k = s / m. Bodies that count alike need 1 / m.
    void takeSums() {
        const CpuForceSums<T> pairs = pairs_->sums();
        const bool alike = sources_ == PairSources::alike;
        pool_.forRange(bodies_.count, kSecondGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) {
                const T own = bodies_.source[i], share = !alike ? pairs.factor : own != 0 ? pairs.factor / own : T(0);
                for (std::size_t axis = 0; axis < 3; ++axis) sums_.axis[axis][i] = share * pairs.axis[axis][i];
            }
        });
    }

    ForceSettings settings_;
    PairSources sources_;
    ThreadPool& pool_;
    AlignedArray<T> source_;  ///< sources that count
    VectorArrays<T> sums_;
    std::unique_ptr<CpuForceMethod<T>> pairs_;
    CpuBodies<T> bodies_{};
};

// In ladder order, the best last.
constexpr KernelRow kSecondPairRows[] = {
    {.backend = "cpu",
     .term = SecondPairLaw::kKind,
     .name = "simd-threads",
     .idea = "every pair, targets shared out over all cores",
     .source = "kernels_simd.cpp:targetGroup"},
    {.backend = "cpu",
     .term = SecondPairLaw::kKind,
     .name = "symmetric-threads",
     .idea = "each pair once on all cores",
     .cut = Split::tilePairs,
     .source = "kernels_simd.cpp:pairGroup"},
    {.backend = "cpu",
     .term = SecondPairLaw::kKind,
     .name = "cells",
     .idea = "only what is within the cut-off of a law that has one: exact in O(N)",
     .cut = Split::keyRanges,
     .byCutOff = true,
     .source = "kernels_simd.cpp:cellGroup,cells"},
};

}  // namespace

bool addSecondPairMethods() {
    return std::ranges::all_of(kSecondPairRows, [](const KernelRow& row) {
        const auto maker = [name = row.name]<class T>(T) {
            return [name](const ForceTerm& term, const MethodContext& context) {
                return std::make_unique<SecondPairs<T>>(static_cast<const SecondPairLaw&>(term), context, name);
            };
        };
        return CpuTermMethods::add({.row = row, .fp32 = maker(0.0f), .fp64 = maker(0.0)});
    });
}

}  // namespace gravlab::cpu
