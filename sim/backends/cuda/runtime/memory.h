// Owners of device memory, pinned memory, streams and events. Rule: move-only; destructors never throw.
#pragma once
#include "sim/backends/cuda/runtime/api.h"

#include <cstddef>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace gravlab::cuda {

/// Memory for `size()` values, uninitialised.
template <class T, Code (*take)(void** memory, std::size_t bytes), Code (*give)(void* memory)>
class Array {
public:
    Array() = default;
    /// Allocates. Throws DeviceError when there is not enough memory; the error is cleared then.
    explicit Array(std::size_t count) : size_(count) {
        if (count == 0) return;
        void* memory = nullptr;
        CUDA_CHECK(take(&memory, count * sizeof(T)));
        data_ = static_cast<T*>(memory);
    }
    ~Array() {
        if (data_) give(data_);
    }
    Array(Array&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    Array& operator=(Array&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    T* data() const { return data_; }
    std::size_t size() const { return size_; }
    std::size_t bytes() const { return size_ * sizeof(T); }

private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

template <class T>
using DeviceArray = Array<T, allocate, release>;
/// Arrays that live as long as this object.
class DeviceArrays {
public:
    template <class T>
    T* make(std::size_t count) {
        return reinterpret_cast<T*>(arrays_.emplace_back(count * sizeof(T)).data());
    }

private:
    std::vector<DeviceArray<std::byte>> arrays_;
};
template <class T>
using PinnedArray = Array<T, allocatePinned, releasePinned>;
template <class T>
using ManagedArray = Array<T, allocateManaged, release>;

/// An array of the device, and its copy on the host.
template <class T>
struct Copied {
    DeviceArray<T> device;
    PinnedArray<T> host;
    /// Makes new arrays where these are shorter.
    void reserve(std::size_t count) {
        if (device.size() >= count) return;
        host = PinnedArray<T>(count);
        device = DeviceArray<T>(count);
    }
    void toHost(std::size_t count, Stream stream) {
        if (count > 0) CUDA_CHECK(copyAsync(host.data(), device.data(), count * sizeof(T), Copy::toHost, stream));
    }
    void toDevice(std::size_t count, Stream stream) {
        if (count > 0) CUDA_CHECK(copyAsync(device.data(), host.data(), count * sizeof(T), Copy::toDevice, stream));
    }
};

/// Owns a stream.
class OwnedStream {
public:
    OwnedStream() { CUDA_CHECK(createStream(stream_)); }
    ~OwnedStream() { destroyStream(stream_); }
    OwnedStream(const OwnedStream&) = delete;
    OwnedStream& operator=(const OwnedStream&) = delete;
    operator Stream() const { return stream_; }

private:
    Stream stream_ = nullptr;
};

/// Owns an event with timing.
class OwnedEvent {
public:
    OwnedEvent() { CUDA_CHECK(createEvent(event_)); }
    ~OwnedEvent() {
        if (event_) destroyEvent(event_);
    }
    OwnedEvent(OwnedEvent&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
    OwnedEvent& operator=(OwnedEvent&& other) noexcept {
        std::swap(event_, other.event_);
        return *this;
    }
    operator Event() const { return event_; }
    /// True when all work before the record is done. Throws DeviceError when it failed.
    bool reached() const {
        const Code code = queryEvent(event_);
        if (code == kNotReady) return false;
        CUDA_CHECK(code);
        return true;
    }

private:
    Event event_ = nullptr;
};

/// Time on the device between two events that it has reached [s].
inline double secondsBetween(Event first, Event last) {
    float milliseconds = 0;
    CUDA_CHECK(elapsedMilliseconds(milliseconds, first, last));
    return 1e-3 * static_cast<double>(milliseconds);
}

/// Copies so many values, and waits.
template <class T>
void copyNow(T* to, const T* from, std::size_t count, Copy direction, Stream stream) {
    if (count == 0) return;
    CUDA_CHECK(copyAsync(to, from, count * sizeof(T), direction, stream));
    CUDA_CHECK(waitForStream(stream));
}
template <class T>
DeviceArray<T> uploaded(const std::vector<T>& values, Stream stream) {
    DeviceArray<T> array(values.size());
    copyNow(array.data(), values.data(), values.size(), Copy::toDevice, stream);
    return array;
}

/// The object of a device, shared by all backends: events, streams and memory belong to one device. The first call makes it
/// on the current device, which must be `device`; it lives to the end of the program. Any thread may call.
template <class T>
class PerDevice {
public:
    T& of(int device) {
        const std::lock_guard hold(lock_);
        return made_[device];
    }

private:
    std::mutex lock_;
    std::map<int, T> made_;
};

}  // namespace gravlab::cuda
