// Finds contacts after each step, where the bodies are, and copies what their resolution reads. Rule: without pairs in
// contact one small copy reaches the host.
#pragma once
#include "sim/backends/cuda/kernels/body_changes.h"
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/backends/cuda/runtime/memory.h"
#include "sim/contact/contact.h"
#include "sim/contact/touch.h"
#include "sim/core/particles.h"

#include <cstdint>
#include <vector>

namespace gravlab::cuda {

struct ContactFacts;
template <class Real>
struct ContactTask;

template <class Real>
class ContactScan {
public:
    explicit ContactScan(Stream stream);

    /// Paths begin at `bodies`, in device memory. Throws OutOfMemoryError.
    void begin(const Vec4<Real>* bodies, const std::vector<Surface>& surfaces);
    /// Fills `found` with all but ids, surfaces and heavy bodies; false: no pair touches. Waits for the stream.
    bool find(const Vec4<Real>* bodies, const Vec4<Real>* velocities, FoundContacts& found);
    /// Bodies changed, and `count` are left: paths begin at `bodies`.
    void change(const DeviceChanges& changes, std::uint32_t count, const Vec4<Real>* bodies);
    std::uint32_t count() const { return count_; }

private:
    using V = Vec4<Real>;
    /// An array of the device whose newest values the host copies.
    template <class T>
    struct Copied {
        DeviceArray<T> device;
        PinnedArray<T> host;
        void reserve(std::size_t count);
        std::span<const T> copy(std::size_t count, Stream stream);
    };
    ContactTask<Real> task(const V* bodies) const;
    void keep(const V* bodies);
    void reserve(std::uint32_t count);

    Stream stream_;
    std::uint32_t count_ = 0;
    Copied<V> before_;
    PinnedArray<V> positions_, velocities_;
    DeviceArray<Vec4<double>> box_, half_;
    DeviceArray<PathBounds> nodes_;
    DeviceArray<double> radius_, spareRadius_;
    DeviceArray<std::uint64_t> key_, sortedKey_;
    DeviceArray<std::uint32_t> index_;
    Copied<std::uint32_t> order_, near_;
    Copied<ListRange> lists_;
    Copied<ContactPair> pairs_, nearLarge_;
    DeviceArray<std::uint8_t> scratch_;
    DeviceArray<ContactFacts> facts_;
    PinnedArray<ContactFacts> host_;
};

}  // namespace gravlab::cuda
