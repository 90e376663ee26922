// What a backend gives to a renderer: one vertex per body, written straight into the renderer's buffer. render/ includes no
// other header of the bodies.
#pragma once
#include <cstddef>

namespace gravlab {

/// One drawn body: position in scene units [L] and the scalar that the colour map shows.
struct ParticleVertex {
    float x, y, z;
    float value;
};

/// The scalar that a backend writes into ParticleVertex::value.
enum class VertexValue { speed, acceleration, kineticEnergy, source };

/// The value of a body that a vertex shows. `acceleration()`: its length.
template <class Acceleration>
float vertexValue(VertexValue shown, double source, double speed, const Acceleration& acceleration) {
    switch (shown) {
        case VertexValue::acceleration:
            return static_cast<float>(acceleration());
        case VertexValue::kineticEnergy:
            return static_cast<float>(source * speed * speed / 2);
        case VertexValue::source:
            return static_cast<float>(source);
        case VertexValue::speed:
            break;
    }
    return static_cast<float>(speed);
}

/// Where a vertex buffer lives, as seen by the code that writes it.
enum class MemorySpace { host, cudaDevice };

/// Writable vertices. `data` points into host memory or CUDA device memory, as the sink's space() says.
struct VertexSpan {
    ParticleVertex* data = nullptr;
    std::size_t count = 0;
};

/// Accepts complete steps. A backend opens it right before the work that ends a step, writes exactly `count` vertices, and
/// closes it. Between open and close the backend owns the sink's back buffer.
class VertexSink {
public:
    virtual ~VertexSink() = default;
    virtual MemorySpace space() const = 0;
    /// Maps the back buffer for `count` vertices. `stream` is the writer's opaque CUDA stream (null on the CPU); the
    /// mapping is ordered on it and never waits for the host.
    virtual VertexSpan open(std::size_t count, void* stream) = 0;
    /// Unmaps the buffer; its vertices become the front buffer, drawn from the next frame. Ordered on `stream`.
    virtual void close(void* stream) = 0;
};

}  // namespace gravlab
