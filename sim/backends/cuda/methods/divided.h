// Further devices of a run: each computes parts of the forces of the first one, which holds the bodies. Rule: no host thread
// waits for another device, and no bit depends on their number.
#pragma once
#include "sim/backends/cuda/methods/force_method.h"
#include "sim/backends/cuda/runtime/memory.h"
#include "sim/backends/division.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gravlab::cuda {

/// A further device, with a stream of its own.
struct HelperDevice {
    DeviceFacts device;
    int first = 0;        ///< index of the first device
    bool direct = false;  ///< its kernels and copies reach the memory of the first device
    bool nvlink = false;
    bool test = false;  ///< a device has several parts, see repeatsDevice()
    std::string link;   ///< "over NVLink", "over PCIe", "through the host's memory"; empty on the first device
    OwnedStream stream;
};

/// Makes the helpers of device `first`, which is current before and after. Where devices cannot reach the memory of each
/// other, or GRAVLAB_NO_PEERS is 1, copies go through pinned memory. Throws NoDeviceError.
HelperDevices helperDevices(int first, std::span<const int> helpers);

/// Whether copies may go between devices without the host, see helperDevices().
bool peersAllowed();

/// ", helper 1 over NVLink", or ", 2 ranks by CUDA IPC"; empty without helpers.
std::string helpersText(const HelperDevices& helpers);

/// The request of the units in `part` alone.
inline ForceRequest requestFor(ForceRequest request, Split cut, PartRange part) {
    request.active = {};
    if (cut == Split::keyRanges) request.parts = part;
    if (cut == Split::targets) request.targets = {part.first, part.last - part.first};
    return request;
}

// Evaluations between two counts of the work of parts: a count takes short slices, and bodies move little meanwhile.
constexpr int kEvaluationsPerCount = 64;
/// Work of each part of a tree, from counts of kCountedSlices slices per range. Adds what was counted to `all`.
std::vector<double> workOfParts(std::span<const std::size_t> bounds, const TreeCounts* counted, ForceWork& all);
/// Work of a walk in that time, for cutByWeights(). `bytes` arrive from another device first, `fast`: over NVLink.
double workWhileCopying(const DeviceFacts& device, double seconds, double bytes, bool fast);

/// What the divisions of a method have in common: the first part's method, on the device of the bodies, has all that is kept
/// and all sums in the end.
template <class Real>
class DividingMethod : public DeviceForceMethod<Real> {
public:
    DividingMethod(MadeMethod<Real>&& first, const MethodParts& parts, std::shared_ptr<RateEstimate> rate)
        : DeviceForceMethod<Real>(parts.plan, parts.count, std::move(rate)),
          stream_(parts.stream),
          first_(std::move(first)),
          cut_(parts.plan.entry->row.cut),
          work_(treeParts() ? kCountedSlices : 0) {}

    double work() const override { return treeParts() ? first_->work() : this->sourcePairs(); }
    double rated(const ForceWork& work) const override { return first_->rated(work); }
    DeviceSums<Real> sums() const override { return first_->sums(); }
    Accuracy accuracy() const override { return first_->accuracy(); }
    std::vector<MethodFigure> figures() const override { return first_->figures(); }
    std::string failure() const override { return first_->failure(); }
    bool keepsState() const override { return first_->keepsState(); }
    std::vector<StateArray> state() const override { return first_->state(); }
    bool restore(const std::vector<StateArray>& state) override { return first_->restore(state); }
    std::vector<std::uint32_t> partEnds() const override { return partEnds_; }

protected:
    bool treeParts() const { return cut_ == Split::keyRanges; }
    /// Work that the first device does while others wait for positions, where the work of units is known.
    virtual double workMeanwhile() const = 0;
    std::vector<std::size_t> cut(std::size_t units) const {
        return cutByWeights(weights_, units, workOfUnits_, workOfUnits_.empty() ? 0 : -workMeanwhile());
    }
    /// Cuts the evaluation, and prepares the part of the first device, or all of it. `mayCount`: the work of parts.
    void prepareFirst(const DeviceBodies<Real>& bodies, const ForceRequest& request, bool mayCount) {
        DeviceForceMethod<Real>::prepare(bodies, request);
        const std::size_t count = this->count();
        SpanMethod<Real>* const spans = first_->bySpans();
        std::size_t units = 0;
        if (!spans)
            units = first_->units(request);
        else if (request.wanted(count).all() && request.sources.among(count) == count)
            units = static_cast<std::size_t>(spans->spans());
        bounds_ = units < weights_.size() ? std::vector<std::size_t>() : cut(units);
        if (spans) spans->takeSpans(0, divides() ? static_cast<int>(bounds_[1]) : spans->spans());
        first_->prepare(bodies, divides() ? requestOf(0) : request);
        lengths_ = first_->lengths();
        counts_ = treeParts() && divides() && mayCount && ++evaluations_ % kEvaluationsPerCount == 1;
        if (counts_) first_->countWork(work_.data());
        if (cut_ != Split::targets) return;
        partEnds_.clear();
        for (std::size_t k = 0; k + 1 < bounds_.size(); ++k)
            if (hasPart(k))
                for (const std::size_t body : {bounds_[k], bounds_[k + 1] - 1})
                    partEnds_.push_back(static_cast<std::uint32_t>(body));
    }
    bool divides() const { return !bounds_.empty(); }
    bool hasPart(std::size_t k) const { return bounds_[k] < bounds_[k + 1]; }
    ForceRequest requestOf(std::size_t k) const { return requestFor(this->request(), cut_, {bounds_[k], bounds_[k + 1]}); }

    Stream stream_;
    MadeMethod<Real> first_;  ///< its device is the engine's
    Split cut_;
    std::vector<double> weights_;      ///< of all devices, the first one's first
    std::vector<std::size_t> bounds_;  ///< of units, for each device; empty where the evaluation is not divided
    std::vector<std::uint32_t> partEnds_;
    KeptLengths lengths_;  ///< of the first device
    // Counts of the work of a tree's parts.
    DeviceArray<TreeCounts> work_;
    bool counts_ = false;  ///< by the evaluation under way
    int evaluations_ = 0;
    std::vector<double> workOfUnits_;
};

/// A method that divides the evaluations of `first` among its device and the helpers. `make` makes the method of a helper,
/// whose device is current. Throws DeviceError, which names the helper.
template <class Real>
MadeMethod<Real> makeDivided(MadeMethod<Real> first, const MethodParts& parts, const HelperDevices& helpers,
                             MadeMethod<Real> (*make)(const MethodParts&));

}  // namespace gravlab::cuda
