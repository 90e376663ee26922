#include "sim/backends/cuda/methods/ranked.h"

#include "sim/api/errors.h"
#include "sim/backends/cuda/kernels/tree_part.h"
#include "sim/backends/cuda/methods/divided.h"
#include "sim/backends/cuda/runtime/device.h"
#include "sim/backends/division.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <type_traits>
#include <utility>

namespace gravlab::cuda {
namespace {

constexpr double kRankSlice = 5e-3;                      // [s] between two looks at newer messages
constexpr std::chrono::microseconds kWaitForRanks{200};  // of a slice that has only to wait

/// Data of HelperMessage::Kind::create, before the row's name.
struct RankedFacts {
    LaunchPlan plan;  ///< without its addresses
    std::uint32_t count = 0;
    bool doubles = false;
    std::size_t nameLength = 0;
};

/// Data of HelperMessage::Kind::force, before bounds, positions, and the lengths that are there.
struct RankedForce {
    ForceRequest request;  ///< without its addresses
    std::size_t parts = 0;
    bool lengths = false;
};

ForceRequest requestFor(ForceRequest request, bool tree, std::span<const std::size_t> bounds, std::size_t k) {
    request.active = {};
    if (tree)
        request.parts = {bounds[k], bounds[k + 1]};
    else
        request.targets = {bounds[k], bounds[k + 1] - bounds[k]};
    return request;
}

/// Bytes on their way between a device and a message.
class Staging {
public:
    std::span<const std::byte> fetched(const void* from, std::size_t bytes, Stream stream) {
        fit(bytes);
        CUDA_CHECK(copyAsync(pinned_.data(), from, bytes, Copy::toHost, stream));
        CUDA_CHECK(waitForStream(stream));
        return {pinned_.data(), bytes};
    }
    void put(void* to, MessageReader& from, std::size_t bytes, Stream stream) {
        fit(bytes);
        CUDA_CHECK(waitForStream(stream));  // it may still read the memory
        from.get(std::span(pinned_.data(), bytes));
        CUDA_CHECK(copyAsync(to, pinned_.data(), bytes, Copy::toDevice, stream));
    }

private:
    void fit(std::size_t bytes) {
        if (pinned_.size() < bytes) pinned_ = PinnedArray<std::byte>(bytes);
    }
    PinnedArray<std::byte> pinned_;
};

template <class Real>
class Ranked final : public DividingMethod<Real> {
    using V = Vec4<Real>;
    using Base = DividingMethod<Real>;
    using Base::first_, Base::stream_, Base::treeParts;

public:
    Ranked(MadeMethod<Real> first, const MethodParts& parts, Exchange& ranks)
        : Base(std::move(first), parts, first->rate()), ranks_(ranks) {
        if (!treeParts()) return;
        landed_ = DeviceArray<V>(parts.count);
        landedLengths_ = DeviceArray<float>(parts.count);
    }
    ~Ranked() override {
        waitForStream(stream_);
        forget();
    }

    void prepare(const DeviceBodies<Real>& bodies, const ForceRequest& request) override {
        DeviceForceMethod<Real>::prepare(bodies, request);
        bounds_.clear();
        const std::size_t units = request.potential || request.sources.list ? 0 : first_->units(request);
        if (units > ranks_.helpers()) bounds_ = cutByWeights(std::vector<double>(ranks_.helpers() + 1, 1.0), units);
        first_->prepare(bodies, bounds_.empty() ? request : requestFor(request, treeParts(), bounds_, 0));
        lengths_ = first_->lengths();
        this->keepEnds(bounds_);
    }

private:
    ForceProgress enqueuePairs(double work) override {
        const double seconds = work / first_->rate()->perSecond();
        if (bounds_.empty()) return first_->enqueue(seconds);
        if (!std::exchange(sent_, true)) send();
        if (first_->underWay()) {
            ForceProgress done = first_->enqueue(seconds);
            done.complete = false;
            return done;
        }
        ForceProgress done;
        try {
            if (!ranks_.answered(method_, std::chrono::steady_clock::now() + kWaitForRanks)) return done;
            for (std::size_t k = 1; k + 1 < bounds_.size(); ++k)
                if (bounds_[k] < bounds_[k + 1]) done.work += land(k);
        } catch (...) {
            this->abandon();
            forget();  // the next evaluation makes the methods of all ranks again
            throw;
        }
        sent_ = false;
        done.complete = true;
        return done;
    }
    double nextPairs(double seconds) const override { return std::min(this->work(), this->pairsIn(seconds)); }
    double doneShare() const override {
        constexpr double kWaiting = 0.99;  // the own part is complete
        return first_->underWay() ? kWaiting * first_->progress() : bounds_.empty() ? 0 : kWaiting;
    }
    void rewind() override {
        first_->abandon();
        if (std::exchange(sent_, false)) ranks_.send({HelperMessage::Kind::abandon, method_});
    }

    /// Waits for the positions: all that is enqueued before them, and nothing of this force.
    void send() {
        const std::string name(this->plan().entry->row.name);
        if (method_ == 0) {
            method_ = ranks_.newMethod();
            RankedFacts facts{this->plan(), this->count(), std::is_same_v<Real, double>, name.size()};
            facts.plan.entry = nullptr;
            facts.plan.machineCode = nullptr;
            MessageWriter data;
            data.add(facts);
            data.add(std::span<const char>(name));
            ranks_.send({HelperMessage::Kind::create, method_, data.take()});
        }
        RankedForce force{this->request(), bounds_.size() - 1, treeParts() && first_->keepsState()};
        force.request.active = {};
        MessageWriter data;
        data.add(force);
        data.add(std::span<const std::size_t>(bounds_));
        data.add(staging_.fetched(this->bodies().positions, padded(this->count()) * sizeof(V), stream_));
        if (force.lengths) data.add(staging_.fetched(lengths_.last, this->count() * sizeof(float), stream_));
        ranks_.send({HelperMessage::Kind::force, method_, data.take()});
    }
    /// Takes the sums of part k.
    ForceWork land(std::size_t k) {
        MessageReader from(ranks_.result(method_, k - 1));
        const auto work = from.get<ForceWork>();
        if (!treeParts()) {
            const DeviceSums<Real> to = first_->sums();
            for (std::uint32_t range = 0; range < to.ranges; ++range) {
                // The sums of the first method are in memory of this object or of its engine.
                V* const at = const_cast<V*>(to.sums) + static_cast<std::size_t>(range) * this->count() + bounds_[k];
                staging_.put(at, from, (bounds_[k + 1] - bounds_[k]) * sizeof(V), stream_);
            }
            return work;
        }
        staging_.put(landed_.data(), from, landed_.bytes(), stream_);
        staging_.put(landedLengths_.data(), from, landedLengths_.bytes(), stream_);
        if constexpr (std::is_same_v<Real, float>)
            launchKernel(treeLandKernel(), {(this->count() + kTreeThreads - 1) / kTreeThreads}, kTreeThreads,
                         {this->count(), landed_.data(), landedLengths_.data(), this->bodies().sums, lengths_.next}, 0,
                         stream_);
        return work;
    }
    void forget() {
        if (method_ != 0) ranks_.send({HelperMessage::Kind::forget, method_});
        method_ = 0;
    }

    Exchange& ranks_;
    std::uint64_t method_ = 0;         ///< number of the ranks' methods; 0: there are none
    std::vector<std::size_t> bounds_;  ///< of units, for each rank; empty where the evaluation is not divided
    KeptLengths lengths_;
    bool sent_ = false;
    Staging staging_;
    DeviceArray<V> landed_;  ///< what arrived of a tree
    DeviceArray<float> landedLengths_;
};

class MethodOfRank {
public:
    virtual ~MethodOfRank() = default;
    virtual MessageBytes force(MessageReader data, std::size_t part, const std::function<bool()>& interrupted) = 0;
};

template <class Real>
class RankMethod final : public MethodOfRank {
    using V = Vec4<Real>;

public:
    RankMethod(const LaunchPlan& plan, std::uint32_t count, const DeviceFacts& device, Stream stream)
        : stream_(stream),
          count_(count),
          tree_(plan.entry->row.cut == Split::keyRanges),
          method_(makeUndivided<Real>(
              {plan, count, device, stream, std::make_shared<RateEstimate>(expectedPairRate(device, count))})),
          positions_(padded(count)),
          sums_(count) {}

    MessageBytes force(MessageReader data, std::size_t part, const std::function<bool()>& interrupted) override {
        const auto force = data.get<RankedForce>();
        std::vector<std::size_t> bounds(force.parts + 1);
        data.get(std::span(bounds));
        if (bounds[part] == bounds[part + 1]) return {};
        staging_.put(positions_.data(), data, positions_.bytes(), stream_);
        method_->prepare({positions_.data(), sums_.data()}, requestFor(force.request, tree_, bounds, part));
        const KeptLengths lengths = method_->lengths();
        if (tree_) {
            // The walk leaves marks at the bodies of the other parts.
            CUDA_CHECK(fillAsync(sums_.data(), kUnwrittenByte, sums_.bytes(), stream_));
            if (force.lengths) staging_.put(lengths.last, data, count_ * sizeof(float), stream_);
            method_->follow(lengths.next);
        }
        ForceProgress done;
        ForceWork work;
        while (!done.complete) {
            done = method_->enqueue(kRankSlice);
            work += done.work;
            CUDA_CHECK(waitForStream(stream_));
            if (interrupted()) return method_->abandon(), MessageBytes();
        }
        MessageWriter result;
        result.add(work);
        const DeviceSums<Real> sums = method_->sums();
        const std::size_t first = tree_ ? 0 : bounds[part], bodies = tree_ ? count_ : bounds[part + 1] - first;
        for (std::uint32_t range = 0; range < sums.ranges; ++range)
            result.add(
                staging_.fetched(sums.sums + static_cast<std::size_t>(range) * count_ + first, bodies * sizeof(V), stream_));
        if (tree_) result.add(staging_.fetched(lengths.next, count_ * sizeof(float), stream_));
        return result.take();
    }

private:
    Stream stream_;
    std::size_t count_;
    bool tree_;
    MadeMethod<Real> method_;
    DeviceArray<V> positions_, sums_;
    Staging staging_;
};

class DeviceHelper final : public Helper {
public:
    DeviceHelper(std::size_t part, int device, const std::string& like) : part_(part) {
        if (const Reason reason = whyNotDevice(device); !reason.empty()) throw NoDeviceError(reason);
        CUDA_CHECK(setDevice(device));
        CUDA_CHECK(deviceFacts(device, device_));
        if (device_.name != like)
            throw NoDeviceError("it has a " + device_.name + ", and rank 0 a " + like + "; take equal ones");
        stream_ = std::make_unique<OwnedStream>();
    }
    MessageBytes act(const HelperMessage& message, const std::function<bool()>& interrupted) override {
        CUDA_CHECK(setDevice(device_.index));
        if (message.kind == HelperMessage::Kind::create) methods_[message.method] = made(MessageReader(message.data));
        if (message.kind == HelperMessage::Kind::forget) methods_.erase(message.method);
        if (message.kind != HelperMessage::Kind::force) return {};
        return methods_.at(message.method)->force(MessageReader(message.data), part_, interrupted);
    }

private:
    std::unique_ptr<MethodOfRank> made(MessageReader data) {
        auto facts = data.get<RankedFacts>();
        std::string name(facts.nameLength, ' ');
        data.get(std::span<char>(name));
        facts.plan.entry = &kernelEntry(name);
        if (facts.doubles) return std::make_unique<RankMethod<double>>(facts.plan, facts.count, device_, *stream_);
        return std::make_unique<RankMethod<float>>(facts.plan, facts.count, device_, *stream_);
    }

    std::size_t part_;
    DeviceFacts device_;
    std::unique_ptr<OwnedStream> stream_;
    std::map<std::uint64_t, std::unique_ptr<MethodOfRank>> methods_;
};

}  // namespace

template <class Real>
MadeMethod<Real> makeRanked(MadeMethod<Real> first, const MethodParts& parts, Exchange& ranks) {
    return std::make_unique<Ranked<Real>>(std::move(first), parts, ranks);
}
template MadeMethod<float> makeRanked(MadeMethod<float>, const MethodParts&, Exchange&);
template MadeMethod<double> makeRanked(MadeMethod<double>, const MethodParts&, Exchange&);

std::unique_ptr<Helper> deviceHelper(std::size_t part, int device, const std::string& like) {
    return std::make_unique<DeviceHelper>(part, device, like);
}

}  // namespace gravlab::cuda
