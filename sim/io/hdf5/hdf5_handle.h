// The used functions of libhdf5, with owners for its handles and messages for its error stack. Rule: every call happens
// while an Hdf5Turn lives, because the library is not thread-safe.
#pragma once
#include <hdf5.h>
#include <mutex>
#include <string>
#include <utility>

namespace gravlab {

/// Holds the one lock on libhdf5 and stops it from printing to stderr. Make one per read or write, on the stack.
class Hdf5Turn {
public:
    Hdf5Turn() : lock_(turns_) {
        H5Eget_auto2(H5E_DEFAULT, &print_, &printData_);
        H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    }
    ~Hdf5Turn() {
        H5Eclear2(H5E_DEFAULT);
        H5Eset_auto2(H5E_DEFAULT, print_, printData_);
    }
    Hdf5Turn(const Hdf5Turn&) = delete;
    Hdf5Turn& operator=(const Hdf5Turn&) = delete;

private:
    inline static std::mutex turns_;
    std::unique_lock<std::mutex> lock_;
    H5E_auto2_t print_ = nullptr;
    void* printData_ = nullptr;
};

/// Owns one handle of the library and closes it with the function for its kind.
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

/// The deepest cause of the library's last failure, in one line. Empties its error stack.
inline std::string hdf5Reason() {
    std::string text;
    const auto keepDeepest = [](unsigned, const H5E_error2_t* error, void* to) -> herr_t {
        *static_cast<std::string*>(to) = error->desc ? error->desc : "";
        return 0;
    };
    // Walking downward ends at the innermost call.
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keepDeepest, &text);
    H5Eclear2(H5E_DEFAULT);
    return text.empty() ? "no reason given" : text;
}

}  // namespace gravlab
