// Divides an evaluation among devices: targets of one-sided rows, spans of the pairs of rows that compute each once, parts
// of the groups of a tree. The helpers copy the positions after an event of the first device's stream, and that stream waits
// for events of theirs.
#include "sim/backends/cuda/methods/divided.h"

#include "sim/api/errors.h"
#include "sim/backends/cuda/kernels/tree_part.h"
#include "sim/backends/cuda/methods/device.h"
#include "sim/backends/cuda/methods/ranked.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string_view>
#include <type_traits>
#include <utility>

namespace gravlab::cuda {
namespace {

/// Runs `call` with that helper's device current, and names it in errors.
template <class Call>
void onHelper(const HelperDevice& helper, const Call& call) {
    struct Back {
        int device;
        ~Back() { setDevice(device); }
    };
    const auto named = [&](const char* what) { return "device " + std::to_string(helper.device.index) + ": " + what; };
    try {
        CUDA_CHECK(setDevice(helper.device.index));
        const Back back{helper.first};
        call();
    } catch (const OutOfMemoryError& error) {
        throw OutOfMemoryError(named(error.what()));
    } catch (const DeviceError& error) {
        throw DeviceError(named(error.what()));
    }
}

/// Time of that work, in instructions of a warp: a group has some 48 targets, and a lane has another expansion or node.
double workOf(const TreeCounts& counts) {
    return 0.5 * static_cast<double>(counts.pairs) + 0.9 * static_cast<double>(counts.cells) +
           0.15 * static_cast<double>(counts.expandedLow) + 0.3 * static_cast<double>(counts.expandedHigh) +
           3 * static_cast<double>(counts.visited);
}

double sizeOf(const DeviceFacts& device) {
    return static_cast<double>(device.multiprocessors) * std::max(1, device.clockKHz);
}

template <class Real>
class Divided final : public DividingMethod<Real> {
    using V = Vec4<Real>;
    using Base = DividingMethod<Real>;
    using Base::bounds_, Base::counts_, Base::cut_, Base::divides, Base::first_, Base::lengths_, Base::partEnds_,
        Base::requestOf, Base::stream_, Base::treeParts, Base::weights_, Base::work_, Base::workOfUnits_;

public:
    Divided(MadeMethod<Real> first, const MethodParts& parts, const HelperDevices& helpers,
            MadeMethod<Real> (*make)(const MethodParts&))
        : Base(std::move(first), parts,
               std::make_shared<RateEstimate>(first->rate()->perSecond() * (1.0 + helpers.size()))) {
        weights_.push_back(sizeOf(parts.device));
        for (const auto& helper : helpers) {
            weights_.push_back(sizeOf(helper->device));
            parts_.push_back(std::make_unique<Part>());
            Part& part = *parts_.back();
            part.helper = helper.get();
            onHelper(*helper, [&] {
                part.done = std::make_unique<OwnedEvent>();
                part.method = make({parts.plan, parts.count, helper->device, helper->stream, first_->rate()});
                part.positions = DeviceArray<V>(padded(parts.count));
                if (!direct(part)) part.sums = DeviceArray<V>(parts.count);
                if (treeParts()) part.work = DeviceArray<TreeCounts>(kCountedSlices);
            });
            if (treeParts() && !helper->direct) {
                part.landed = DeviceArray<V>(parts.count);
                part.landedLengths = DeviceArray<float>(parts.count);
            }
            if (!helper->direct) part.staging = PinnedArray<std::uint8_t>(sizeof(V) * padded(parts.count));
        }
        if (!treeParts()) return;
        ends_ = DeviceArray<std::uint32_t>(2 * weights_.size());
        counted_ = PinnedArray<TreeCounts>(kCountedSlices * weights_.size());
        countedEnds_ = PinnedArray<std::uint32_t>(2 * weights_.size());
    }
    ~Divided() override {
        for (const auto& part : parts_) waitForStream(part->helper->stream);
    }

    bool takesFewer(const LaunchPlan& plan, std::uint32_t count) const override {
        return first_->takesFewer(plan, count) &&
               std::ranges::all_of(parts_, [&](const auto& part) { return part->method->takesFewer(plan, count); });
    }
    void takeFewer(const LaunchPlan& plan, std::uint32_t count, const DeviceChanges& changes) override {
        DeviceForceMethod<Real>::takeFewer(plan, count, changes);
        first_->takeFewer(plan, count, changes);
        for (const auto& part : parts_) {
            part->method->restore({});
            part->method->takeFewer(plan, count, changes);
        }
        workOfUnits_.clear();
    }
    void prepare(const DeviceBodies<Real>& bodies, const ForceRequest& request) override {
        readCounts();
        this->prepareFirst(bodies, request, !counting_);
    }

private:
    /// What a helper has.
    struct Part {
        const HelperDevice* helper = nullptr;
        std::unique_ptr<OwnedEvent> done;  ///< the first device may go on
        MadeMethod<Real> method;
        DeviceArray<V> positions, sums;
        DeviceArray<TreeCounts> work;
        // On the first device: what arrived of a tree without peers, and the sums of spans.
        DeviceArray<V> landed;
        DeviceArray<float> landedLengths;
        DeviceArray<double> landedSpans;
        PinnedArray<std::uint8_t> staging;
        KeptLengths lengths;  ///< that its evaluation reads and writes
        bool begun = false;
    };

    /// The helper needs no sums of its own: a tree stores those of its bodies where they belong, and spans have their own.
    bool direct(const Part& part) const { return cut_ == Split::tilePairs || (treeParts() && part.helper->direct); }

    ForceProgress enqueuePairs(double work) override {
        const double seconds = work / first_->rate()->perSecond();
        if (!divides()) return first_->enqueue(seconds);
        const double all = std::accumulate(weights_.begin(), weights_.end(), 0.0);
        const bool begins = !begun_;
        if (begins) CUDA_CHECK(recordEvent(ready_, stream_));
        begun_ = true;
        ForceProgress done{.complete = true, .work = std::exchange(late_, {})};
        const auto add = [&](const ForceProgress& part) {
            done.complete &= part.complete;
            done.work += part.work;
        };
        // Its own part comes first, so that the copies to the helpers take no time of it.
        if (first_->underWay()) add(first_->enqueue(seconds * weights_[0] / all));
        for (std::size_t k = 0; k < parts_.size(); ++k) {
            Part& part = *parts_[k];
            if (!this->hasPart(k + 1)) continue;
            onHelper(*part.helper, [&] {
                if (begins) begin(part, k + 1);
                if (part.method->underWay()) add(part.method->enqueue(seconds * weights_[k + 1] / all));
            });
        }
        if (done.complete) finish();
        return done;
    }
    double nextPairs(double seconds) const override {
        return divides() ? std::min(this->work(), this->pairsIn(seconds))
                         : first_->sliceSeconds(seconds) * first_->rate()->perSecond();
    }
    double doneShare() const override {
        if (!divides()) return first_->progress();
        const auto share = [](const auto& method) { return method->underWay() ? method->progress() : 1; };
        double sum = share(first_);
        for (const auto& part : parts_) sum += begun_ ? share(part->method) : 0;
        return begun_ ? sum / static_cast<double>(weights_.size()) : 0;
    }
    void rewind() override {
        first_->abandon();
        begun_ = false;
        for (const auto& part : parts_) {
            part->method->abandon();
            // It may still read positions, or write into the arrays of the first device.
            if (std::exchange(part->begun, false)) join(*part);
        }
    }

    double workMeanwhile() const override {
        const HelperDevice& helper = *parts_.front()->helper;
        if (helper.device.index == helper.first) return 0;  // a test
        constexpr double kWait = 85e-6;                     // a helper ends late
        return workWhileCopying(helper.device, kWait, static_cast<double>(this->count()) * (sizeof(V) + sizeof(float)),
                                helper.nvlink);
    }
    /// Sends the helper what it needs, and prepares its evaluation.
    void begin(Part& part, std::size_t k) {
        const Stream stream = part.helper->stream;
        CUDA_CHECK(waitInStream(stream, ready_));
        part.begun = true;
        transfer(part, part.positions.data(), this->bodies().positions, padded(this->count()) * sizeof(V));
        DeviceBodies<Real> bodies{part.positions.data(), part.sums.data()};
        if (treeParts() && part.helper->direct) bodies.sums = this->bodies().sums;
        if (SpanMethod<Real>* const spans = part.method->bySpans())
            spans->takeSpans(static_cast<int>(bounds_[k]), static_cast<int>(bounds_[k + 1]));
        part.method->prepare(bodies, requestOf(k));
        if (!treeParts()) return;
        // The walk of a helper that reaches no other memory leaves marks at the bodies of the others.
        if (!part.helper->direct) CUDA_CHECK(fillAsync(part.sums.data(), kUnwrittenByte, part.sums.bytes(), stream));
        part.lengths = part.method->lengths();
        if (first_->keepsState()) transfer(part, part.lengths.last, lengths_.last, this->count() * sizeof(float));
        if (part.helper->direct) part.lengths.next = lengths_.next;
        part.method->follow(part.lengths.next);
        if (counts_) part.method->countWork(part.work.data());
    }
    /// Collects the sums.
    void finish() {
        std::vector<SpanSums> spans;
        SpanMethod<Real>* const joins = first_->bySpans();
        if (joins) spans = joins->spanSums();
        for (std::size_t k = 0; k < parts_.size(); ++k) {
            Part& part = *parts_[k];
            if (!part.begun) continue;
            if (joins) landSpans(part, spans);
            onHelper(*part.helper, [&] {
                if (cut_ == Split::targets) returnTargets(part, bounds_[k + 1], bounds_[k + 2]);
                if (treeParts() && !part.helper->direct) returnTree(part);
                if (counts_)
                    CUDA_CHECK(copyAsync(counted_.data() + kCountedSlices * (k + 1), part.work.data(), part.work.bytes(),
                                         Copy::toHost, part.helper->stream));
            });
            join(part);
            part.begun = false;
            if constexpr (std::is_same_v<Real, float>)
                if (treeParts() && !part.helper->direct)
                    launchEach(
                        treeLandKernel(), this->count(), kTreeThreads,
                        {this->count(), part.landed.data(), part.landedLengths.data(), this->bodies().sums, lengths_.next},
                        stream_);
        }
        if (joins) joins->join(spans);
        begun_ = false;
        if (counts_) fetchCounts();
    }
    /// Later work of the first device waits for what the helper has enqueued.
    void join(Part& part) {
        onHelper(*part.helper, [&] { CUDA_CHECK(recordEvent(*part.done, part.helper->stream)); });
        CUDA_CHECK(waitInStream(stream_, *part.done));
    }
    void returnTargets(Part& part, std::size_t first, std::size_t last) {
        // The sums of the first method are in memory of this object or of its engine.
        const DeviceSums<Real> from = part.method->sums(), to = first_->sums();
        for (std::uint32_t k = 0; k < from.ranges; ++k) {
            const std::size_t at = static_cast<std::size_t>(k) * this->count() + first;
            transfer(part, const_cast<V*>(to.sums) + at, from.sums + at, (last - first) * sizeof(V));
        }
    }
    void transfer(Part& part, void* to, const void* from, std::size_t bytes) {
        const Stream stream = part.helper->stream;
        if (part.helper->direct) {
            CUDA_CHECK(copyAsync(to, from, bytes, Copy::onDevice, stream));
            return;
        }
        for (std::size_t done = 0; done < bytes; done += part.staging.bytes()) {
            const std::size_t some = std::min(bytes - done, part.staging.bytes());
            CUDA_CHECK(
                copyAsync(part.staging.data(), static_cast<const std::uint8_t*>(from) + done, some, Copy::toHost, stream));
            CUDA_CHECK(copyAsync(static_cast<std::uint8_t*>(to) + done, part.staging.data(), some, Copy::toDevice, stream));
        }
    }
    /// Brings the whole arrays of a tree: those of its bodies are anywhere among them.
    void returnTree(Part& part) {
        transfer(part, part.landed.data(), part.sums.data(), part.sums.bytes());
        transfer(part, part.landedLengths.data(), part.lengths.next, part.landedLengths.bytes());
    }
    /// Brings the sums of the helper's spans.
    void landSpans(Part& part, std::vector<SpanSums>& all) {
        const SpanMethod<Real>& from = *part.method->bySpans();
        const std::vector<SpanSums> sums = from.spanSums();
        const std::size_t numbers = 3 * from.bodiesOfSums();
        if (part.landedSpans.size() < numbers * sums.size()) part.landedSpans = DeviceArray<double>(numbers * sums.size());
        double* to = part.landedSpans.data();
        for (const SpanSums& node : sums) {
            transfer(part, to, node.sums, numbers * sizeof(double));
            all.push_back({node.node, to});
            to += numbers;
        }
    }
    /// The host reads the counts of work before a later evaluation, when they have arrived.
    void fetchCounts() {
        CUDA_CHECK(copyAsync(counted_.data(), work_.data(), work_.bytes(), Copy::toHost, stream_));
        first_->findEnds(bounds_, ends_.data());
        CUDA_CHECK(copyAsync(countedEnds_.data(), ends_.data(), ends_.bytes(), Copy::toHost, stream_));
        CUDA_CHECK(recordEvent(arrived_, stream_));
        counting_ = true;
        countedBounds_ = bounds_;
    }
    void readCounts() {
        if (!counting_ || !arrived_.reached()) return;
        counting_ = false;
        workOfUnits_ = workOfParts(countedBounds_, counted_.data(), late_);
        partEnds_.assign(countedEnds_.data(), countedEnds_.data() + countedEnds_.size());
    }

    std::vector<std::unique_ptr<Part>> parts_;
    OwnedEvent ready_;    ///< the positions are there
    bool begun_ = false;  ///< the evaluation
    // Counts of the work of a tree's parts.
    bool counting_ = false;  ///< they are on their way to the host
    DeviceArray<std::uint32_t> ends_;
    PinnedArray<TreeCounts> counted_;
    std::vector<std::size_t> countedBounds_;
    ForceWork late_;  ///< work that was counted and not yet reported
    PinnedArray<std::uint32_t> countedEnds_;
    OwnedEvent arrived_;
};

}  // namespace

std::vector<double> workOfParts(std::span<const std::size_t> bounds, const TreeCounts* counted, ForceWork& all) {
    std::vector<double> work(kTreeParts);
    for (std::size_t k = 0; k + 1 < bounds.size(); ++k) {
        const std::size_t parts = bounds[k + 1] - bounds[k];
        const std::span slices(counted + kCountedSlices * k, parts > 0 ? kCountedSlices : 0);
        for (std::size_t part = 0; part < parts; ++part)
            work[bounds[k] + part] =
                workOf(slices[part * kCountedSlices / parts]) * kCountedSlices / static_cast<double>(parts);
        for (const TreeCounts& counts : slices) {
            all.pairs += static_cast<double>(counts.pairs);
            all.cells += static_cast<double>(counts.cells + counts.expandedLow + counts.expandedHigh);
        }
    }
    return work;
}

double workWhileCopying(const DeviceFacts& device, double seconds, double bytes, bool fast) {
    // Peers with NVLink copy 390e9 bytes per second, others some 20e9. A walk issues 0.55 of the most instructions.
    constexpr double kLink = 390e9, kOtherLink = 20e9, kIssued = 0.55 * 4;
    return kIssued * 1e3 * sizeOf(device) * (seconds + bytes / (fast ? kLink : kOtherLink));
}

bool peersAllowed() {
    const char* const without = std::getenv("GRAVLAB_NO_PEERS");
    return !without || std::string_view(without) != "1";
}

HelperDevices helperDevices(int first, std::span<const int> helpers) {
    const bool peers = peersAllowed();
    HelperDevices made;
    for (const int index : helpers) {
        if (const Reason reason = whyNotDevice(index); !reason.empty())
            throw NoDeviceError("the cuda backend cannot run here: " + reason);
        CUDA_CHECK(setDevice(index));
        made.push_back(std::make_unique<HelperDevice>());
        HelperDevice& helper = *made.back();
        CUDA_CHECK(deviceFacts(index, helper.device));
        helper.first = first;
        helper.test = repeatsDevice({.device = first, .helpers = {helpers.begin(), helpers.end()}});
        helper.direct = peers && index == first;
        if (const PeerLink link = peerLink(index, first); peers && index != first && link != PeerLink::none) {
            CUDA_CHECK(openPeer(first));
            CUDA_CHECK(setDevice(first));
            CUDA_CHECK(openPeer(index));
            helper.direct = true;
            helper.nvlink = link == PeerLink::nvlink;
        }
        helper.link = !helper.direct   ? "through the host's memory"
                      : index == first ? ""
                      : helper.nvlink  ? "over NVLink"
                                       : "over PCIe";
    }
    CUDA_CHECK(setDevice(first));
    return made;
}

std::string helpersText(const HelperDevices& helpers) {
    std::string text;
    for (const auto& helper : helpers) {
        text += (text.empty() ? ", helper " : " and ") + std::to_string(helper->device.index) +
                (helper->link.empty() ? "" : " " + helper->link) + (helper->test ? " as a test" : "");
    }
    return helpers.ranks ? text + ranksText(", ") + helpers.ranks->way : text;
}

template <class Real>
MadeMethod<Real> makeDivided(MadeMethod<Real> first, const MethodParts& parts, const HelperDevices& helpers,
                             MadeMethod<Real> (*make)(const MethodParts&)) {
    return std::make_unique<Divided<Real>>(std::move(first), parts, helpers, make);
}
template MadeMethod<float> makeDivided(MadeMethod<float>, const MethodParts&, const HelperDevices&,
                                       MadeMethod<float> (*)(const MethodParts&));
template MadeMethod<double> makeDivided(MadeMethod<double>, const MethodParts&, const HelperDevices&,
                                        MadeMethod<double> (*)(const MethodParts&));

}  // namespace gravlab::cuda
