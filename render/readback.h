// A small result of the GPU on its way to the host. Rule: it waits only when the caller says so.
#pragma once
#include "render/gl_objects.h"

#include <cstddef>
#include <vector>

namespace gravlab {

class Readback {
public:
    /// Allocates a result of `bytes`. `hostSide`: copies write it, not shaders.
    explicit Readback(std::size_t bytes, bool hostSide = false);
    ~Readback();
    Readback(const Readback&) = delete;
    Readback& operator=(const Readback&) = delete;

    GLuint buffer() const { return buffer_.id(); }
    /// Call it when all commands that write the result are issued. Replaces a result that was not taken.
    void sent();
    /// Whether a result was sent and not taken.
    bool underWay() const { return fence_ != nullptr; }
    /// True once, when the result has arrived. With `wait` it waits as long as necessary.
    bool arrived(bool wait);
    /// Sets the result from the host, before sent().
    void write(const void* data, std::size_t bytes);
    /// The first `count` values of the result, or those after `firstByte`.
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

/// Whether the commands before the fence are done. With `wait` it waits for them, else it returns at once.
bool passed(GLsync fence, bool wait);

}  // namespace gravlab
