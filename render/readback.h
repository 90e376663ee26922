// A small answer of the GPU on its way to the host. Rule: only callers who say so wait for it.
#pragma once
#include "render/gl_objects.h"

#include <cstddef>
#include <vector>

namespace gravlab {

class Readback {
public:
    /// Room for an answer of so many bytes. `hostSide`: the answer comes from copies, not from shaders.
    explicit Readback(std::size_t bytes, bool hostSide = false);
    ~Readback();
    Readback(const Readback&) = delete;
    Readback& operator=(const Readback&) = delete;

    /// The buffer that the answer goes to.
    GLuint buffer() const { return buffer_.id(); }
    /// All commands that write the answer have been issued. Replaces an answer that was not taken.
    void sent();
    /// An answer was sent and not taken.
    bool underWay() const { return fence_ != nullptr; }
    /// True when the answer has arrived, once. Waits only with `wait`, then as long as it takes.
    bool arrived(bool wait);
    /// Replaces the answer from the host, before sent().
    void write(const void* data, std::size_t bytes);
    /// The first `count` values of the answer, or those behind `firstByte`.
    template <class Value>
    std::vector<Value> read(std::size_t count, std::size_t firstByte = 0) const {
        std::vector<Value> values(count);
        if (count > 0) copy(firstByte, count * sizeof(Value), values.data());
        return values;
    }

private:
    void copy(std::size_t from, std::size_t bytes, void* to) const;
    Buffer buffer_;
    GLsync fence_ = nullptr;
};

/// Waits until the commands before the fence are done. With `wait` as long as it takes, else not at all.
bool passed(GLsync fence, bool wait);

}  // namespace gravlab
