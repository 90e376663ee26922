// The little of libhdf5 that we use, with owners for its handles and its error stack turned into our messages.
// Rule: every call happens while an Hdf5Turn lives. The library is not safe for several threads at once.
#pragma once
#include <hdf5.h>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

namespace gravlab {

/// Holds the one lock on libhdf5 and keeps it from printing to stderr. One a read or write, on the stack.
class Hdf5Turn {
public:
    Hdf5Turn();
    ~Hdf5Turn();
    Hdf5Turn(const Hdf5Turn&) = delete;
    Hdf5Turn& operator=(const Hdf5Turn&) = delete;

private:
    std::unique_lock<std::mutex> lock_;
    H5E_auto2_t print_ = nullptr;
    void* printData_ = nullptr;
};

/// Owns one handle of the library; closed with the function that fits its kind.
class Hdf5Handle {
public:
    Hdf5Handle() = default;
    Hdf5Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
    Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
    Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
        std::swap(id_, other.id_);
        std::swap(close_, other.close_);
        return *this;
    }
    ~Hdf5Handle() {
        if (id_ >= 0) close_(id_);
    }
    operator hid_t() const { return id_; }
    bool valid() const { return id_ >= 0; }

private:
    hid_t id_ = -1;
    herr_t (*close_)(hid_t) = nullptr;
};

/// What the library says about its last failure, in one line: the deepest cause. Empties its stack.
std::string hdf5Reason();

}  // namespace gravlab
