#include "sim/backends/cuda/methods/ranked.h"

#include "sim/api/errors.h"
#include "sim/backends/cuda/methods/divided.h"
#include "sim/backends/cuda/methods/rank_messages.h"
#include "sim/backends/division.h"

#include <algorithm>
#include <chrono>
#include <type_traits>
#include <utility>

namespace gravlab::cuda {
namespace {

constexpr std::chrono::microseconds kWaitForRanks{200};  // of a slice that has only to wait

template <class Real>
class Ranked final : public DividingMethod<Real> {
    using V = Vec4<Real>;
    using Base = DividingMethod<Real>;
    using Base::bounds_, Base::counts_, Base::cut_, Base::divides, Base::first_, Base::hasPart, Base::lengths_,
        Base::stream_, Base::treeParts, Base::work_;

public:
    Ranked(MadeMethod<Real> first, const MethodParts& parts, RankDevices& devices)
        : Base(std::move(first), parts, first->rate()), devices_(devices), ranks_(devices.exchange), device_(parts.device) {
        this->weights_.assign(ranks_.helpers() + 1, 1.0);
        facts_.plan = parts.plan;
        facts_.plan.entry = nullptr;
        facts_.plan.machineCode = nullptr;
        facts_.doubles = std::is_same_v<Real, double>;
        facts_.zone = {parts.count, sizeof(V), cut_, static_cast<std::size_t>(std::max(1, parts.plan.launch.split))};
        if (SpanMethod<Real>* const spans = first_->bySpans()) {
            facts_.zone.node = 3 * spans->bodiesOfSums() * sizeof(double);
            const std::vector<std::size_t> bounds = this->cut(static_cast<std::size_t>(spans->spans()));
            for (std::size_t k = 1; k <= ranks_.helpers(); ++k) facts_.zone.allNodes += nodesOf(bounds, k).size();
        }
        shared_ = NamedMemory(facts_.zone.bytes());
        facts_.handle = shared_.handle;
    }
    ~Ranked() override {
        waitForStream(stream_);
        forget();
    }

    void prepare(const DeviceBodies<Real>& bodies, const ForceRequest& request) override {
        this->prepareFirst(bodies, request, true);
    }

private:
    double workMeanwhile() const override {
        constexpr double kWait = 130e-6;  // messages, and the late end of a helper
        return workWhileCopying(device_, kWait, static_cast<double>(this->count()) * (sizeof(V) + sizeof(float)),
                                devices_.fast);
    }
    ForceProgress enqueuePairs(double work) override {
        const double seconds = work / first_->rate()->perSecond();
        if (!divides()) return first_->enqueue(seconds);
        ForceProgress done;
        try {
            if (!std::exchange(sent_, true)) send();
            if (link()) link()->reached();  // throws where a rank stays away
            if (first_->underWay()) {
                done = first_->enqueue(seconds);
                done.complete = false;
                return done;
            }
            // To wake would take longer than the last part of the wait.
            const auto until = std::chrono::steady_clock::now() + kWaitForRanks;
            while (!ranks_.answered(method_, {})) {
                if (std::chrono::steady_clock::now() > until) return done;
                std::this_thread::yield();
            }
            done.work = land();
        } catch (...) {
            this->abandon();
            leave();
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
        return first_->underWay() ? kWaiting * first_->progress() : divides() ? kWaiting : 0;
    }
    void rewind() override {
        first_->abandon();
        if (std::exchange(sent_, false) && method_ != 0) ranks_.send({HelperMessage::Kind::abandon, method_});
    }
    DeviceLink* link() const { return linked_ ? devices_.link.get() : nullptr; }
    /// Continues without the link, which others may have left.
    void leave() {
        if (!link()) return;
        devices_.link.reset();
        devices_.fast = false;
        devices_.way = kThroughHost;
    }

    /// Waits for the positions: all that is enqueued before them, and nothing of this force.
    void send() {
        if (method_ == 0) {
            method_ = ranks_.newMethod();
            const std::string_view name = this->plan().entry->row.name;
            linked_ = devices_.link != nullptr;
            facts_.way = linked_ ? Way::nccl : Way::ipc;
            facts_.nameLength = name.size();
            facts_.zone.ranges = first_->sums().ranges;
            MessageWriter data;
            data.add(facts_);
            data.add(std::span<const char>(name));
            ranks_.send({HelperMessage::Kind::create, method_, data.take()});
        }
        // A force that was left may still write results, or read positions.
        ranks_.answered(method_, kNoDeadline);
        if (link()) link()->wait();
        if (maps_.empty())
            for (std::size_t k = 0; k < ranks_.helpers(); ++k)
                maps_.push_back(ranks_.result(method_, k).front() == std::byte{1});
        RankedForce force{this->request(), bounds_.size() - 1, treeParts() && first_->keepsState(), counts_};
        force.request.active = {};
        MessageWriter data;
        data.add(force);
        data.add(std::span<const std::size_t>(bounds_));
        const std::size_t positions = padded(this->count()) * sizeof(V), lengths = this->count() * sizeof(float);
        std::byte* const zone = shared_.memory.data();
        CUDA_CHECK(copyAsync(zone, this->bodies().positions, positions, Copy::onDevice, stream_));
        if (force.lengths)
            CUDA_CHECK(copyAsync(zone + facts_.zone.lengths(), lengths_.last, lengths, Copy::onDevice, stream_));
        // The walks of ranks that map it leave marks at the bodies of other parts.
        if (treeParts() && std::ranges::count(maps_, true) > 0)
            CUDA_CHECK(fillAsync(zone + facts_.zone.results(), kUnwrittenByte, this->count() * sizeof(V), stream_));
        const std::size_t sent = positions + (force.lengths ? lengths : 0);
        if (!link() && std::ranges::count(maps_, false) > 0) data.add(staging_.fetched(zone, sent, stream_));
        CUDA_CHECK(waitForStream(stream_));
        ranks_.send({HelperMessage::Kind::force, method_, data.take()});
        if (link()) link()->broadcast(zone, sent);
    }
    /// Takes the results of all ranks; those that are packed take the place of others in the zone of a tree.
    ForceWork land() {
        ForceWork work;
        SpanMethod<Real>* const spans = first_->bySpans();
        std::vector<SpanSums> nodes;
        if (spans) nodes = spans->spanSums();
        std::vector<RankAnswer> answers(bounds_.size() - 1);
        std::vector<std::size_t> before{0};
        std::vector<MessageReader> data;
        for (std::size_t k = 1; k + 1 < bounds_.size(); ++k) {
            data.emplace_back(ranks_.result(method_, k - 1));
            if (hasPart(k)) answers[k] = data.back().template get<RankAnswer>();
            work += answers[k].work;
            before.push_back(before.back() + answers[k].bodies);
        }
        const auto piecesOf = [&](std::size_t k) {
            return resultsOf(facts_.zone, shared_.memory.data(), bounds_, k, before[k - 1], answers[k].bodies);
        };
        if (link()) {
            ranks_.send({HelperMessage::Kind::fetch, method_});
            Pieces all;
            for (std::size_t k = 1; k + 1 < bounds_.size(); ++k)
                for (const DeviceLink::Piece& piece : piecesOf(k)) all.push_back(piece);
            link()->receive(all);
            link()->wait();
        }
        for (const bool mapped : {true, false})
            for (std::size_t k = 1; k + 1 < bounds_.size(); ++k) {
                if (maps_[k - 1] != mapped || !hasPart(k)) continue;
                std::uint32_t number = 0;
                for (const DeviceLink::Piece& piece : piecesOf(k)) {
                    if (!mapped && !link()) staging_.put(piece.memory, data[k - 1], piece.bytes, stream_);
                    if (spans) nodes.push_back({nodesOf(bounds_, k)[number], reinterpret_cast<const double*>(piece.memory)});
                    if (cut_ == Split::targets) {
                        // The sums of the first method are in memory of this object or of its engine.
                        V* const to = const_cast<V*>(first_->sums().sums) +
                                      static_cast<std::size_t>(number) * this->count() + bounds_[k];
                        CUDA_CHECK(copyAsync(to, piece.memory, piece.bytes, Copy::onDevice, stream_));
                    }
                    ++number;
                }
                if (treeParts()) landTree(mapped, before[k - 1], answers[k].bodies);
            }
        if (spans) spans->join(nodes);
        if (counts_) takeCounts(answers, work);
        return work;
    }
    void landTree(bool mapped, std::size_t before, std::uint32_t bodies) {
        if constexpr (std::is_same_v<Real, float>) {
            std::byte* const results = shared_.memory.data() + facts_.zone.results();
            const std::uint32_t count = mapped ? this->count() : bodies;
            if (mapped)
                launchEach(treeLandKernel(), count, kTreeThreads,
                           {count, reinterpret_cast<const V*>(results),
                            reinterpret_cast<const float*>(results + count * sizeof(V)), this->bodies().sums, lengths_.next},
                           stream_);
            else if (count > 0)
                launchEach(treeUnpackKernel(), count, kTreeThreads,
                           {count, facts_.zone.packed(shared_.memory.data(), before), this->bodies().sums, lengths_.next},
                           stream_);
        }
    }
    /// The next evaluations are cut by the work of this one.
    void takeCounts(std::span<const RankAnswer> answers, ForceWork& work) {
        std::vector<TreeCounts> counted(kCountedSlices * answers.size());
        copyNow(counted.data(), work_.data(), work_.size(), Copy::toHost, stream_);
        for (std::size_t k = 1; k < answers.size(); ++k)
            std::ranges::copy(answers[k].counts, counted.begin() + static_cast<std::ptrdiff_t>(kCountedSlices * k));
        this->workOfUnits_ = workOfParts(bounds_, counted.data(), work);
    }
    /// Waits until no rank has the memory of this object.
    void forget() {
        if (method_ == 0) return;
        ranks_.send({HelperMessage::Kind::forget, method_});
        try {
            ranks_.answered(std::exchange(method_, 0), kNoDeadline);
            if (link()) link()->wait();
        } catch (const Error&) {  // that rank is gone
            leave();
        }
        maps_.clear();
    }

    RankDevices& devices_;
    Exchange& ranks_;
    const DeviceFacts device_;
    RankedFacts facts_;
    NamedMemory shared_;
    std::vector<bool> maps_;              ///< whether each rank has mapped it
    std::uint64_t method_ = 0;            ///< number of the ranks' methods; 0: there are none
    bool sent_ = false, linked_ = false;  ///< linked: a link brings the data
    Staging staging_;
};

}  // namespace

template <class Real>
MadeMethod<Real> makeRanked(MadeMethod<Real> first, const MethodParts& parts, RankDevices& ranks) {
    return std::make_unique<Ranked<Real>>(std::move(first), parts, ranks);
}
template MadeMethod<float> makeRanked(MadeMethod<float>, const MethodParts&, RankDevices&);
template MadeMethod<double> makeRanked(MadeMethod<double>, const MethodParts&, RankDevices&);

}  // namespace gravlab::cuda
