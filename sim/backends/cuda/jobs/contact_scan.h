// Finds pairs in contact after each step, where the bodies are. Rule: one small copy a step reaches the host; pairs and
// positions only where there are any.
#pragma once
#include "sim/backends/cuda/jobs/contacts.h"
#include "sim/backends/cuda/runtime/memory.h"
#include "sim/core/particles.h"

#include <cstdint>
#include <vector>

namespace gravlab::cuda {

class ContactScan {
public:
    explicit ContactScan(Stream stream) : stream_(stream), facts_(1), host_(1) {}

    /// Paths begin at `bodies`, in device memory; a Vector is a Vec4. Throws OutOfMemoryError.
    template <class Vector>
    void begin(const Vector* bodies, const std::vector<Surface>& surfaces);
    /// See ContactWatch. Waits for the stream.
    template <class Vector>
    void find(const Vector* bodies, std::vector<ContactPair>& pairs, std::vector<Double4>& before);

private:
    template <class Vector>
    using TaskOf = ContactTask<decltype(Vector::x)>;
    template <class Vector>
    TaskOf<Vector> task(const Vector* bodies) const;
    void reserve(std::uint32_t count);

    Stream stream_;
    std::uint32_t count_ = 0;
    DeviceArray<Vec4<double>> before_, box_;
    DeviceArray<double> radius_;
    DeviceArray<std::uint64_t> key_, sortedKey_;
    DeviceArray<std::uint32_t> index_, order_, large_;
    DeviceArray<std::uint8_t> scratch_;
    DeviceArray<ContactPair> pairs_;
    DeviceArray<ContactFacts> facts_;
    PinnedArray<ContactFacts> host_;
};

}  // namespace gravlab::cuda
