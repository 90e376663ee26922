// The nearest bodies of one body, found on the GPU among all drawn ones: no copy of the bodies is made. Rule: a request
// never waits; the caller takes the result when it has arrived.
#pragma once
#include "render/gl_objects.h"
#include "render/particle_buffer.h"
#include "render/readback.h"

#include <cstddef>
#include <vector>

namespace gravlab {

/// A body and its distance from the requested one.
struct NearBody {
    std::size_t index = 0;
    float distance = 0;  ///< [L], from positions in single precision
};

class NearestBodies {
public:
    NearestBodies();

    /// Requests the neighbours of `body` in the front buffer. Replaces a pending request.
    void ask(const ParticleBuffer& bodies, std::size_t body);
    bool underWay() const { return found_.underWay(); }
    /// True once, when the result has arrived: up to kMost bodies, nearest first. Waits only with `wait`.
    bool take(std::vector<NearBody>& nearest, bool wait);

    static constexpr std::size_t kMost = 6;

private:
    Program search_{"nearest.comp"};
    Readback found_;
    Buffer here_;  ///< the body of the request
    std::size_t invocations_ = 0;
};

}  // namespace gravlab
