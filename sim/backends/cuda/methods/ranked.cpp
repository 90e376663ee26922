#include "sim/backends/cuda/methods/ranked.h"

#include "sim/api/errors.h"
#include "sim/backends/cuda/kernels/tree_part.h"
#include "sim/backends/cuda/methods/divided.h"
#include "sim/backends/cuda/runtime/device.h"
#include "sim/backends/division.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <type_traits>
#include <utility>

namespace gravlab::cuda {
namespace {

constexpr double kRankSlice = 5e-3;                      // [s] between two looks at newer messages
constexpr std::chrono::microseconds kWaitForRanks{200};  // of a slice that has only to wait

/// Memory of rank 0's device that ranks of its host map: positions and |a| of the last evaluation, then results. Ranks that
/// cannot have one of their own, and messages bring what it holds.
struct Zone {
    std::size_t count = 0, vector = 0;  ///< bodies, and bytes of a vector
    Split cut = Split::targets;
    std::size_t ranges = 1;              ///< of sums over targets
    std::size_t node = 0, allNodes = 0;  ///< bytes of a node of sums by pairs, and the nodes of all helpers

    std::size_t lengths() const { return padded(static_cast<std::uint32_t>(count)) * vector; }
    std::size_t results() const { return lengths() + padded(static_cast<std::uint32_t>(count)) * sizeof(float); }
    std::size_t treeBytes() const { return count * (vector + sizeof(float)); }
    std::size_t bytes() const {
        return results() + std::max({node * allNodes, cut == Split::keyRanges ? treeBytes() : 0, ranges * count * vector});
    }
};

std::vector<SpanNode> nodesOf(std::span<const std::size_t> bounds, std::size_t k) {
    return spanNodes(static_cast<int>(bounds[k]), static_cast<int>(bounds[k + 1]));
}

/// Where the results of part k are in the zone: first byte and size.
std::vector<std::array<std::size_t, 2>> resultsOf(const Zone& zone, std::span<const std::size_t> bounds, std::size_t k) {
    if (zone.cut == Split::keyRanges) return {{zone.results(), zone.treeBytes()}};
    std::vector<std::array<std::size_t, 2>> made;
    std::size_t nodes = 0;
    for (std::size_t part = 1; part < k && zone.cut == Split::tilePairs; ++part) nodes += nodesOf(bounds, part).size();
    if (zone.cut == Split::tilePairs)
        for (std::size_t i = 0; i < nodesOf(bounds, k).size(); ++i)
            made.push_back({zone.results() + (nodes + i) * zone.node, zone.node});
    else
        for (std::size_t range = 0; range < zone.ranges; ++range)
            made.push_back({zone.results() + (range * zone.count + bounds[k]) * zone.vector,
                            (bounds[k + 1] - bounds[k]) * zone.vector});
    return made;
}

/// Data of HelperMessage::Kind::create, before the row's name; without a name it is a trial of the mapping.
struct RankedFacts {
    LaunchPlan plan;  ///< without its addresses
    bool doubles = false;
    Zone zone;
    IpcHandle handle;
    std::size_t nameLength = 0;
};

/// Data of HelperMessage::Kind::force, before bounds and, where ranks have zones of their own, positions and lengths.
struct RankedForce {
    ForceRequest request;  ///< without its addresses
    std::size_t parts = 0;
    bool lengths = false;
};

ForceRequest requestFor(ForceRequest request, Split cut, std::span<const std::size_t> bounds, std::size_t k) {
    request.active = {};
    if (cut == Split::keyRanges) request.parts = {bounds[k], bounds[k + 1]};
    if (cut == Split::targets) request.targets = {bounds[k], bounds[k + 1] - bounds[k]};
    return request;
}

/// Device memory under a name; the size is that of whole allocations of the driver, so that the name is of nothing else.
struct NamedMemory {
    explicit NamedMemory(std::size_t bytes = 0) : memory((bytes + kWhole - 1) / kWhole * kWhole) {
        if (bytes > 0 && nameMemory(handle, memory.data()) != kSuccess) takeLastError();  // no rank can map it
    }
    static constexpr std::size_t kWhole = std::size_t{2} << 20;
    DeviceArray<std::byte> memory;
    IpcHandle handle;
};

/// Memory of another process, mapped here; none without a handle, or where that is refused.
class MappedMemory {
public:
    explicit MappedMemory(const IpcHandle* handle) {
        if (!handle || mapNamed(&memory_, *handle) == kSuccess) return;
        takeLastError();
        memory_ = nullptr;
    }
    ~MappedMemory() {
        if (memory_) unmapNamed(memory_);
    }
    MappedMemory(const MappedMemory&) = delete;
    MappedMemory& operator=(const MappedMemory&) = delete;
    std::byte* data() const { return static_cast<std::byte*>(memory_); }

private:
    void* memory_ = nullptr;
};

constexpr std::size_t kTrialWords = 4096;
/// Known data: slot 0 is rank 0's, and each rank answers in its own.
std::vector<std::uint32_t> trialWords(std::size_t slot) {
    std::vector<std::uint32_t> words(kTrialWords);
    for (std::size_t i = 0; i < kTrialWords; ++i) words[i] = static_cast<std::uint32_t>((i + 1) * 2654435761u + slot);
    return words;
}
std::byte* trialSlot(std::byte* memory, std::size_t slot) { return memory + slot * kTrialWords * sizeof(std::uint32_t); }
bool holds(std::byte* memory, std::size_t slot, Stream stream) {
    std::vector<std::uint32_t> words(kTrialWords);
    CUDA_CHECK(copyAsync(words.data(), trialSlot(memory, slot), kTrialWords * sizeof(std::uint32_t), Copy::toHost, stream));
    CUDA_CHECK(waitForStream(stream));
    return words == trialWords(slot);
}
void fillSlot(std::byte* memory, std::size_t slot, Stream stream) {
    const std::vector<std::uint32_t> words = trialWords(slot);
    CUDA_CHECK(copyAsync(trialSlot(memory, slot), words.data(), kTrialWords * sizeof words[0], Copy::toDevice, stream));
    CUDA_CHECK(waitForStream(stream));
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
    using Base::cut_, Base::first_, Base::stream_, Base::treeParts;

public:
    Ranked(MadeMethod<Real> first, const MethodParts& parts, Exchange& ranks)
        : Base(std::move(first), parts, first->rate()), ranks_(ranks) {
        facts_.plan = parts.plan;
        facts_.plan.entry = nullptr;
        facts_.plan.machineCode = nullptr;
        facts_.doubles = std::is_same_v<Real, double>;
        facts_.zone = {parts.count, sizeof(V), cut_, static_cast<std::size_t>(std::max(1, parts.plan.launch.split))};
        if (SpanMethod<Real>* const spans = first_->bySpans()) {
            facts_.zone.node = 3 * spans->bodiesOfSums() * sizeof(double);
            const std::vector<std::size_t> bounds = cut(static_cast<std::size_t>(spans->spans()));
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
        DeviceForceMethod<Real>::prepare(bodies, request);
        bounds_.clear();
        const std::size_t units = request.potential || request.sources.list ? 0 : this->unitsOf(request);
        if (units > ranks_.helpers()) bounds_ = cut(units);
        this->takeSpans(bounds_);
        first_->prepare(bodies, bounds_.empty() ? request : requestFor(request, cut_, bounds_, 0));
        lengths_ = first_->lengths();
        this->keepEnds(bounds_);
    }

private:
    std::vector<std::size_t> cut(std::size_t units) const {
        return cutByWeights(std::vector<double>(ranks_.helpers() + 1, 1.0), units);
    }
    ForceProgress enqueuePairs(double work) override {
        const double seconds = work / first_->rate()->perSecond();
        if (bounds_.empty()) return first_->enqueue(seconds);
        ForceProgress done;
        try {
            if (!std::exchange(sent_, true)) send();
            if (first_->underWay()) {
                done = first_->enqueue(seconds);
                done.complete = false;
                return done;
            }
            if (!ranks_.answered(method_, std::chrono::steady_clock::now() + kWaitForRanks)) return done;
            done.work = land();
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
        if (std::exchange(sent_, false) && method_ != 0) ranks_.send({HelperMessage::Kind::abandon, method_});
    }

    /// Waits for the positions: all that is enqueued before them, and nothing of this force.
    void send() {
        if (method_ == 0) {
            method_ = ranks_.newMethod();
            const std::string_view name = this->plan().entry->row.name;
            facts_.nameLength = name.size();
            facts_.zone.ranges = first_->sums().ranges;
            MessageWriter data;
            data.add(facts_);
            data.add(std::span<const char>(name));
            ranks_.send({HelperMessage::Kind::create, method_, data.take()});
        }
        // A force that was left may still write results.
        ranks_.answered(method_, kNoDeadline);
        if (maps_.empty())
            for (std::size_t k = 0; k < ranks_.helpers(); ++k)
                maps_.push_back(ranks_.result(method_, k).front() == std::byte{1});
        RankedForce force{this->request(), bounds_.size() - 1, treeParts() && first_->keepsState()};
        force.request.active = {};
        MessageWriter data;
        data.add(force);
        data.add(std::span<const std::size_t>(bounds_));
        const std::size_t positions = padded(this->count()) * sizeof(V), lengths = this->count() * sizeof(float);
        std::byte* const zone = shared_.memory.data();
        CUDA_CHECK(copyAsync(zone, this->bodies().positions, positions, Copy::onDevice, stream_));
        if (force.lengths)
            CUDA_CHECK(copyAsync(zone + facts_.zone.lengths(), lengths_.last, lengths, Copy::onDevice, stream_));
        // The walks leave marks at the bodies of other parts.
        if (treeParts())
            CUDA_CHECK(fillAsync(zone + facts_.zone.results(), kUnwrittenByte, this->count() * sizeof(V), stream_));
        if (std::ranges::count(maps_, false) > 0) {
            data.add(staging_.fetched(zone, positions, stream_));
            if (force.lengths) data.add(staging_.fetched(zone + facts_.zone.lengths(), lengths, stream_));
        }
        CUDA_CHECK(waitForStream(stream_));
        ranks_.send({HelperMessage::Kind::force, method_, data.take()});
    }
    /// Takes the results of all ranks; those that messages bring take the place of others in the zone of a tree.
    ForceWork land() {
        ForceWork work;
        SpanMethod<Real>* const spans = first_->bySpans();
        std::vector<SpanSums> nodes;
        if (spans) nodes = spans->spanSums();
        for (const bool mapped : {true, false})
            for (std::size_t k = 1; k + 1 < bounds_.size(); ++k) {
                if (maps_[k - 1] != mapped || bounds_[k] == bounds_[k + 1]) continue;
                MessageReader from(ranks_.result(method_, k - 1));
                work += from.get<ForceWork>();
                std::uint32_t piece = 0;
                for (const auto& [at, bytes] : resultsOf(facts_.zone, bounds_, k)) {
                    std::byte* const landed = shared_.memory.data() + at;
                    if (!mapped) staging_.put(landed, from, bytes, stream_);
                    if (spans) nodes.push_back({nodesOf(bounds_, k)[piece], reinterpret_cast<const double*>(landed)});
                    if (cut_ == Split::targets) {
                        // The sums of the first method are in memory of this object or of its engine.
                        V* const to = const_cast<V*>(first_->sums().sums) + static_cast<std::size_t>(piece) * this->count() +
                                      bounds_[k];
                        CUDA_CHECK(copyAsync(to, landed, bytes, Copy::onDevice, stream_));
                    }
                    ++piece;
                }
                if (treeParts()) landTree();
            }
        if (spans) spans->join(nodes);
        return work;
    }
    void landTree() {
        std::byte* const results = shared_.memory.data() + facts_.zone.results();
        const auto* const lengths = reinterpret_cast<const float*>(results + this->count() * sizeof(V));
        if constexpr (std::is_same_v<Real, float>)
            launchKernel(treeLandKernel(), {(this->count() + kTreeThreads - 1) / kTreeThreads}, kTreeThreads,
                         {this->count(), reinterpret_cast<const V*>(results), lengths, this->bodies().sums, lengths_.next},
                         0, stream_);
    }
    /// Waits until no rank has the memory of this object.
    void forget() {
        if (method_ == 0) return;
        ranks_.send({HelperMessage::Kind::forget, method_});
        try {
            ranks_.answered(std::exchange(method_, 0), kNoDeadline);
        } catch (const Error&) {  // that rank is gone
        }
        maps_.clear();
    }

    Exchange& ranks_;
    RankedFacts facts_;
    NamedMemory shared_;
    std::vector<bool> maps_;           ///< whether each rank has mapped it
    std::uint64_t method_ = 0;         ///< number of the ranks' methods; 0: there are none
    std::vector<std::size_t> bounds_;  ///< of units, for each rank; empty where the evaluation is not divided
    KeptLengths lengths_;
    bool sent_ = false;
    Staging staging_;
};

class MethodOfRank {
public:
    virtual ~MethodOfRank() = default;
    virtual bool mapped() const = 0;
    virtual MessageBytes force(MessageReader data, std::size_t part, const std::function<bool()>& interrupted) = 0;
};

template <class Real>
class RankMethod final : public MethodOfRank {
    using V = Vec4<Real>;

public:
    RankMethod(const RankedFacts& facts, bool maps, const DeviceFacts& device, Stream stream)
        : stream_(stream),
          zone_(facts.zone),
          count_(static_cast<std::uint32_t>(facts.zone.count)),
          method_(makeUndivided<Real>(
              {facts.plan, count_, device, stream, std::make_shared<RateEstimate>(expectedPairRate(device, count_))})),
          positions_(padded(count_)),
          sums_(zone_.cut == Split::targets ? count_ : 0),
          mapped_(maps ? &facts.handle : nullptr),
          own_(mapped() ? 0 : zone_.bytes()),
          memory_(mapped() ? mapped_.data() : own_.data()) {}
    ~RankMethod() override { waitForStream(stream_); }
    bool mapped() const override { return mapped_.data() != nullptr; }

    MessageBytes force(MessageReader data, std::size_t part, const std::function<bool()>& interrupted) override {
        const auto force = data.get<RankedForce>();
        std::vector<std::size_t> bounds(force.parts + 1);
        data.get(std::span(bounds));
        if (bounds[part] == bounds[part + 1]) return {};
        const auto bring = [&](void* to, std::size_t at, std::size_t bytes) {
            if (!mapped()) return staging_.put(to, data, bytes, stream_);
            CUDA_CHECK(copyAsync(to, memory_ + at, bytes, Copy::onDevice, stream_));
        };
        bring(positions_.data(), 0, positions_.bytes());
        std::byte* const results = memory_ + zone_.results();
        const bool tree = zone_.cut == Split::keyRanges;
        SpanMethod<Real>* const spans = method_->bySpans();
        if (spans) spans->takeSpans(static_cast<int>(bounds[part]), static_cast<int>(bounds[part + 1]));
        method_->prepare({positions_.data(), tree ? reinterpret_cast<V*>(results) : sums_.data()},
                         requestFor(force.request, zone_.cut, bounds, part));
        if (tree) {
            if (!mapped()) CUDA_CHECK(fillAsync(results, kUnwrittenByte, count_ * sizeof(V), stream_));
            if (force.lengths) bring(method_->lengths().last, zone_.lengths(), count_ * sizeof(float));
            method_->follow(reinterpret_cast<float*>(results + count_ * sizeof(V)));
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
        std::size_t piece = 0;
        for (const auto& [at, bytes] : resultsOf(zone_, bounds, part)) {
            const void* from = spans ? static_cast<const void*>(spans->spanSums()[piece].sums)
                                     : method_->sums().sums + piece * count_ + bounds[part];
            if (!tree) CUDA_CHECK(copyAsync(memory_ + at, from, bytes, Copy::onDevice, stream_));
            if (!mapped()) result.add(staging_.fetched(memory_ + at, bytes, stream_));
            ++piece;
        }
        CUDA_CHECK(waitForStream(stream_));
        return result.take();
    }

private:
    Stream stream_;
    Zone zone_;
    std::uint32_t count_;
    MadeMethod<Real> method_;
    DeviceArray<V> positions_, sums_;
    MappedMemory mapped_;  ///< the zone of rank 0
    DeviceArray<std::byte> own_;
    std::byte* memory_;
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
        if (message.kind == HelperMessage::Kind::create)
            return {static_cast<std::byte>(made(message.method, MessageReader(message.data)))};
        if (message.kind == HelperMessage::Kind::forget) methods_.erase(message.method);
        if (message.kind != HelperMessage::Kind::force) return {};
        return methods_.at(message.method)->force(MessageReader(message.data), part_, interrupted);
    }

private:
    /// Whether the method, or the trial, maps memory of rank 0.
    bool made(std::uint64_t method, MessageReader data) {
        auto facts = data.get<RankedFacts>();
        if (facts.nameLength == 0) {
            const MappedMemory trial(peersAllowed() ? &facts.handle : nullptr);
            maps_ = trial.data() && holds(trial.data(), 0, *stream_);
            if (maps_) fillSlot(trial.data(), part_, *stream_);
            return maps_;
        }
        std::string name(facts.nameLength, ' ');
        data.get(std::span<char>(name));
        facts.plan.entry = &kernelEntry(name);
        std::unique_ptr<MethodOfRank>& made = methods_[method];
        if (facts.doubles)
            made = std::make_unique<RankMethod<double>>(facts, maps_, device_, *stream_);
        else
            made = std::make_unique<RankMethod<float>>(facts, maps_, device_, *stream_);
        return made->mapped();
    }

    std::size_t part_;
    bool maps_ = false;  ///< memory of rank 0
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

std::string linkRanks(Exchange& ranks, Stream stream) {
    const NamedMemory trial((ranks.helpers() + 1) * kTrialWords * sizeof(std::uint32_t));
    fillSlot(trial.memory.data(), 0, stream);
    const std::uint64_t method = ranks.newMethod();
    RankedFacts facts;
    facts.handle = trial.handle;
    MessageWriter data;
    data.add(facts);
    ranks.send({HelperMessage::Kind::create, method, data.take()});
    ranks.answered(method, kNoDeadline);
    std::size_t mapped = 0;
    for (std::size_t k = 0; k < ranks.helpers(); ++k) {
        if (ranks.result(method, k).front() != std::byte{1}) continue;
        ++mapped;
        if (!holds(trial.memory.data(), k + 1, stream))
            throw DeviceError("data of rank " + std::to_string(k + 1) +
                              " came back changed through CUDA IPC; GRAVLAB_NO_PEERS=1 takes the host's memory");
    }
    ranks.send({HelperMessage::Kind::forget, method});
    const std::string by = " by CUDA IPC", host = " through the host's memory";
    if (mapped == ranks.helpers()) return by;
    return mapped == 0 ? host : ", " + std::to_string(mapped) + by + ", others" + host;
}

std::unique_ptr<Helper> deviceHelper(std::size_t part, int device, const std::string& like) {
    return std::make_unique<DeviceHelper>(part, device, like);
}

}  // namespace gravlab::cuda
