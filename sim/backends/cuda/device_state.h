// The bodies of a run in device memory. Rule: readers see the last complete step; a step under way writes into other
// arrays, or readers wait for its end.
#pragma once
#include "sim/api/law.h"
#include "sim/backends/cuda/kernels/body_changes.h"
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/backends/cuda/runtime/memory.h"
#include "sim/backends/force_method.h"
#include "sim/core/made_bodies.h"

#include <cstdint>
#include <span>
#include <vector>

namespace gravlab::cuda {

template <class Real>
class DeviceState {
public:
    using V = Vec4<Real>;
    struct Arrays {
        DeviceArray<V> x, v, a;   ///< x with pads; a of unit response, w 0
        bool forceKnown = false;  ///< a is the force at x, under the present settings
    };

    /// Allocates and clears; upload() fills. `one`: a step under way writes into the arrays of the last complete one. Throws
    /// DeviceError when the device has too little memory.
    DeviceState(std::uint32_t count, Stream stream, bool one = false);
    /// Copies the bodies to the device; `heaviest` is their largest |source|. Waits. Throws DeviceError before it changes
    /// anything when the device has too little memory.
    void upload(const BodiesToRead& bodies, double heaviest);
    /// Changes bodies of the last complete step; `count` are left, the largest |source| of which is `heaviest`. All or none
    /// of them have a list of sources, and a response.
    void change(const DeviceChanges& changes, std::uint32_t count, double heaviest);
    /// Copies the accelerations at the last complete step to the device. Waits.
    void uploadAccelerations(const std::vector<Double4>& accelerations);
    /// Copies positions and velocities of the last complete step to the host. Waits.
    void download(std::vector<Double4>& positions, std::vector<Double4>& velocities) const;
    /// Copies any array of the state, or one of the same type, to the host. Waits.
    std::vector<Double4> download(const DeviceArray<V>& from) const;
    /// The same into `result`, whose memory is used again.
    void download(const DeviceArray<V>& from, std::vector<Double4>& result) const;
    /// The same of the bodies from `first` on.
    void download(const DeviceArray<V>& from, std::size_t first, std::span<Double4> result) const;

    std::uint32_t count() const { return count_; }
    Arrays& complete() { return states_[completeIndex_]; }
    const Arrays& complete() const { return states_[completeIndex_]; }
    /// Arrays of the step under way.
    Arrays& work() { return states_[one_ ? completeIndex_ : 1 - completeIndex_]; }
    bool one() const { return one_; }
    int completeIndex() const { return completeIndex_; }
    /// That of the state that is complete when the step under way ends.
    int nextIndex() const { return one_ ? completeIndex_ : 1 - completeIndex_; }
    void setCompleteIndex(int index) { completeIndex_ = index; }

    /// Floor of the softening squared [L^2]: for the pair of a body with itself, mass / softening^3 must stay finite.
    /// See ForceRequest.
    double smallestR2(const ForceSettings& force) const;
    /// See ForceRequest; the list is device memory.
    MassiveBodies sources() const { return sources_; }
    /// True when some response is not 1. A body that is held has response 0 and feels no force.
    bool hasResponses() const { return hasResponses_; }

    /// Scratch registers of programs that save; null before requireScratch().
    DeviceArray<V> x0, v0, dx, dv;
    void requireScratch();

private:
    std::uint32_t count_;
    Stream stream_;
    bool one_;
    Arrays states_[2];  ///< the second is empty where one is kept
    int completeIndex_ = 0;
    double heaviest_ = 0;  ///< largest |source|
    MassiveBodies sources_{};
    DeviceArray<std::uint32_t> sourceList_;  ///< empty unless sources_ has a list
    bool hasResponses_ = false;
};

}  // namespace gravlab::cuda
