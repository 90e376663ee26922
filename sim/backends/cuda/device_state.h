// The bodies of a run in device memory. Rule: what is seen is the last complete step; a step under way writes into other
// arrays.
#pragma once
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/backends/cuda/runtime/memory.h"
#include "sim/core/particles.h"
#include "sim/forces/force_settings.h"

#include <cstdint>
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

    /// Allocates and clears; upload() fills. Throws DeviceError when the device has not the memory.
    DeviceState(std::uint32_t count, Stream stream);
    /// Takes the bodies over. Waits.
    void upload(const ParticleSet& bodies);
    /// Takes over the force at the last complete step. Waits.
    void uploadAccelerations(const std::vector<Double4>& accelerations);
    /// Positions and velocities of the last complete step. Waits.
    void download(std::vector<Double4>& positions, std::vector<Double4>& velocities) const;
    /// Any array of the state, or of its kind. Waits.
    std::vector<Double4> download(const DeviceArray<V>& from) const;

    std::uint32_t count() const { return count_; }
    Arrays& complete() { return states_[completeIndex_]; }
    const Arrays& complete() const { return states_[completeIndex_]; }
    /// Of the step under way.
    Arrays& work() { return states_[1 - completeIndex_]; }
    int completeIndex() const { return completeIndex_; }
    void setCompleteIndex(int index) { completeIndex_ = index; }

    /// Floor of the softening squared [L^2]: where a body meets itself, mass / softening^3 must stay a number.
    /// See ForceRequest.
    double smallestR2(const ForceSettings& force) const;
    /// Some response is not 1: a body that is held feels no force.
    bool hasResponses() const { return hasResponses_; }

    /// Scratch registers of programs that save; null before requireScratch().
    DeviceArray<V> x0, v0, dx, dv;
    void requireScratch();

    /// Bytes of device memory for so many bodies, scratch registers and partial sums aside.
    static double bytes(std::size_t bodies) { return 6.0 * sizeof(V) * static_cast<double>(bodies); }

private:
    std::uint32_t count_;
    Stream stream_;
    Arrays states_[2];
    int completeIndex_ = 0;
    double heaviest_ = 0;  ///< largest |source|
    bool hasResponses_ = false;
};

}  // namespace gravlab::cuda
