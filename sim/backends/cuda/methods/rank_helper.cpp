// The side of a rank whose device computes a part of the forces of rank 0's device.
#include "sim/api/errors.h"
#include "sim/backends/cuda/methods/device.h"
#include "sim/backends/cuda/methods/divided.h"
#include "sim/backends/cuda/methods/rank_messages.h"
#include "sim/backends/cuda/methods/ranked.h"

#include <chrono>
#include <map>
#include <utility>

namespace gravlab::cuda {
namespace {

constexpr double kRankSlice = 20e-3;  // [s] between two looks at newer messages

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

class MethodOfRank {
public:
    virtual ~MethodOfRank() = default;
    virtual bool mapped() const = 0;
    virtual MessageBytes force(MessageReader data, std::size_t part, const std::function<bool()>& interrupted) = 0;
    virtual void fetch() = 0;
};

template <class Real>
class RankMethod final : public MethodOfRank {
    using V = Vec4<Real>;

public:
    RankMethod(const RankedFacts& facts, bool maps, DeviceLink* link, const DeviceFacts& device, Stream stream)
        : stream_(stream),
          zone_(facts.zone),
          count_(static_cast<std::uint32_t>(facts.zone.count)),
          method_(makeUndivided<Real>(
              {facts.plan, count_, device, stream, std::make_shared<RateEstimate>(expectedPairRate(device, count_))})),
          link_(link),
          mapped_(maps && !link ? &facts.handle : nullptr),
          own_(mapped() ? 0 : zone_.bytes()),
          memory_(mapped() ? mapped_.data() : own_.data()),
          positions_(mapped() ? padded(count_) : 0),
          sums_(zone_.cut == Split::tilePairs || (tree() && mapped()) ? 0 : count_),
          work_(tree() ? kCountedSlices : 0),
          packed_(tree() ? 1 : 0) {}
    ~RankMethod() override { waitForStream(stream_); }
    bool mapped() const override { return mapped_.data() != nullptr; }

    MessageBytes force(MessageReader data, std::size_t part, const std::function<bool()>& interrupted) override {
        const auto force = data.get<RankedForce>();
        std::vector<std::size_t> bounds(force.parts + 1);
        data.get(std::span(bounds));
        pieces_.clear();
        const std::size_t positions = zone_.lengths(), brought = positions + (force.lengths ? count_ * sizeof(float) : 0);
        if (link_) {
            link_->broadcast(memory_, brought);
            link_->wait();
        }
        if (bounds[part] == bounds[part + 1]) return {};
        if (!mapped() && !link_) staging_.put(memory_, data, brought, stream_);
        if (mapped()) CUDA_CHECK(copyAsync(positions_.data(), memory_, positions, Copy::onDevice, stream_));
        std::byte* const results = memory_ + zone_.results();
        SpanMethod<Real>* const spans = method_->bySpans();
        if (spans) spans->takeSpans(static_cast<int>(bounds[part]), static_cast<int>(bounds[part + 1]));
        method_->prepare({mapped() ? positions_.data() : reinterpret_cast<V*>(memory_),
                          tree() && mapped() ? reinterpret_cast<V*>(results) : sums_.data()},
                         requestFor(force.request, zone_.cut, {bounds[part], bounds[part + 1]}));
        if (tree()) {
            const KeptLengths lengths = method_->lengths();
            if (force.lengths)
                CUDA_CHECK(
                    copyAsync(lengths.last, memory_ + zone_.lengths(), count_ * sizeof(float), Copy::onDevice, stream_));
            method_->follow(mapped() ? reinterpret_cast<float*>(results + count_ * sizeof(V)) : lengths.next);
            if (force.counts) method_->countWork(work_.data());
        }
        ForceProgress done;
        RankAnswer answer;
        while (!done.complete) {
            const auto begun = std::chrono::steady_clock::now();
            done = method_->enqueue(kRankSlice);
            answer.work += done.work;
            CUDA_CHECK(waitForStream(stream_));
            const std::chrono::duration<double> slice = std::chrono::steady_clock::now() - begun;
            method_->rate()->add(method_->rated(done.work), slice.count());
            if (interrupted()) return method_->abandon(), MessageBytes();
        }
        if (tree() && !mapped()) {
            method_->packPart({bounds[part], bounds[part + 1]}, zone_.packed(memory_, 0), packed_.data());
            CUDA_CHECK(copyAsync(&answer.bodies, packed_.data(), sizeof answer.bodies, Copy::toHost, stream_));
        }
        if (force.counts) CUDA_CHECK(copyAsync(answer.counts, work_.data(), work_.bytes(), Copy::toHost, stream_));
        CUDA_CHECK(waitForStream(stream_));
        pieces_ = resultsOf(zone_, memory_, bounds, part, 0, answer.bodies);
        MessageWriter result;
        result.add(answer);
        std::size_t number = 0;
        for (DeviceLink::Piece& piece : pieces_) {
            piece.rank = 0;
            if (!tree()) {
                const void* from = spans ? static_cast<const void*>(spans->spanSums()[number].sums)
                                         : method_->sums().sums + number * count_ + bounds[part];
                CUDA_CHECK(copyAsync(piece.memory, from, piece.bytes, Copy::onDevice, stream_));
            }
            if (!mapped() && !link_) result.add(staging_.fetched(piece.memory, piece.bytes, stream_));
            ++number;
        }
        CUDA_CHECK(waitForStream(stream_));
        return result.take();
    }
    void fetch() override {
        if (pieces_.empty()) return;
        link_->send(pieces_);
        link_->wait();
    }

private:
    bool tree() const { return zone_.cut == Split::keyRanges; }

    Stream stream_;
    Zone zone_;
    std::uint32_t count_;
    MadeMethod<Real> method_;
    DeviceLink* link_;     ///< null: another way
    MappedMemory mapped_;  ///< the zone of rank 0
    DeviceArray<std::byte> own_;
    std::byte* memory_;
    DeviceArray<V> positions_, sums_;
    DeviceArray<TreeCounts> work_;
    DeviceArray<std::uint32_t> packed_;  ///< how many bodies
    Pieces pieces_;                      ///< the results
    Staging staging_;
};

class DeviceHelper final : public Helper {
public:
    DeviceHelper(std::size_t part, int device, const std::string& like, Transfers& beside) : part_(part), beside_(beside) {
        if (const Reason reason = whyNotDevice(device); !reason.empty()) throw NoDeviceError(reason);
        CUDA_CHECK(setDevice(device));
        CUDA_CHECK(deviceFacts(device, device_));
        if (device_.name != like)
            throw NoDeviceError("it has a " + device_.name + ", and rank 0 a " + like + "; take equal ones");
        stream_ = std::make_unique<OwnedStream>();
        beside.stayAwake();
    }
    std::chrono::microseconds awake() const override { return kAwakeForDevices; }
    MessageBytes act(const HelperMessage& message, const std::function<bool()>& interrupted) override {
        CUDA_CHECK(setDevice(device_.index));
        if (message.kind == HelperMessage::Kind::create) return made(message.method, MessageReader(message.data));
        if (message.kind == HelperMessage::Kind::forget) methods_.erase(message.method);
        if (message.kind == HelperMessage::Kind::fetch) methods_.at(message.method)->fetch();
        if (message.kind != HelperMessage::Kind::force) return {};
        return methods_.at(message.method)->force(MessageReader(message.data), part_, interrupted);
    }

private:
    MessageBytes made(std::uint64_t method, MessageReader data) {
        auto facts = data.get<RankedFacts>();
        const bool linked = facts.way == Way::nccl || facts.way == Way::mpi;
        if (facts.nameLength == 0) {
            if (!linked) return tryMapping(facts);
            link_ = makeLink(facts, static_cast<int>(part_), beside_, device_.index);
            tryLink(*link_, static_cast<int>(part_), facts.ranks, *stream_);
            return {};
        }
        std::string name(facts.nameLength, ' ');
        data.get(std::span<char>(name));
        facts.plan.entry = &kernelEntry(name);
        std::unique_ptr<MethodOfRank>& made = methods_[method];
        DeviceLink* const link = linked ? link_.get() : nullptr;
        if (facts.doubles)
            made = std::make_unique<RankMethod<double>>(facts, maps_, link, device_, *stream_);
        else
            made = std::make_unique<RankMethod<float>>(facts, maps_, link, device_, *stream_);
        return {static_cast<std::byte>(made->mapped())};
    }
    MessageBytes tryMapping(const RankedFacts& facts) {
        const MappedMemory trial(facts.way == Way::ipc ? &facts.handle : nullptr);
        maps_ = trial.data() && holds(trial.data(), 0, *stream_);
        if (maps_) fill(trial.data() + part_ * kSlotBytes, part_, *stream_);
        TrialAnswer found{maps_};
        found.has[static_cast<std::size_t>(Way::nccl)] = !ncclVersion().empty();
        found.has[static_cast<std::size_t>(Way::mpi)] = beside_.takesDevices();
        deviceName(device_.index).copy(found.device, sizeof found.device - 1);
        MessageWriter answer;
        answer.add(found);
        return answer.take();
    }

    std::size_t part_;
    bool maps_ = false;  ///< memory of rank 0
    DeviceFacts device_;
    std::unique_ptr<OwnedStream> stream_;
    Transfers& beside_;
    std::unique_ptr<DeviceLink> link_;
    std::map<std::uint64_t, std::unique_ptr<MethodOfRank>> methods_;
};

}  // namespace

std::unique_ptr<Helper> deviceHelper(std::size_t part, int device, const std::string& like, Transfers& beside) {
    return std::make_unique<DeviceHelper>(part, device, like, beside);
}

}  // namespace gravlab::cuda
