// The nearest few bodies of one of them, found on the GPU among all that are drawn: no copy of the bodies is made.
// Rule: asking never waits; answers are taken when they are there.
#pragma once
#include "render/gl_objects.h"
#include "render/particle_buffer.h"
#include "render/readback.h"

#include <cstddef>
#include <vector>

namespace gravlab {

/// A body and how far it is from the one that was asked about.
struct NearBody {
    std::size_t index = 0;
    float distance = 0;  ///< [L], from positions in single precision
};

class NearestBodies {
public:
    NearestBodies();

    /// Asks about `body` in the front buffer. Replaces a question not answered yet.
    void ask(const ParticleBuffer& bodies, std::size_t body);
    bool asked() const { return found_.underWay(); }
    /// True when the answer is there, once: up to kMost bodies, nearest first. Waits only with `wait`.
    bool take(std::vector<NearBody>& nearest, bool wait);

    static constexpr std::size_t kMost = 6;

private:
    Program search_{"nearest.comp"};
    Readback found_;
    Buffer here_;  ///< the body that was asked about
    std::size_t invocations_ = 0;
};

}  // namespace gravlab
