// Reads positions, velocities and accelerations of the bodies with labels or arrows.
// Rule: a film uses the shown step. A window uses the newest copy, and waits only for a copy of few bodies on the host.
#pragma once
#include "app/services/run_host.h"
#include "app/services/sampler.h"

#include <cstdint>

namespace gravlab {

class MarkReader {
public:
    /// Throws std::bad_alloc.
    void read(Document& document, RunHost& host, bool realTime);
    bool busy() const { return states_.busy(); }

private:
    void take(const FedState& state, Document& document, const RunHost& host) const;

    /// The inputs that the marks depend on.
    struct Question {
        std::uint64_t revision = 0, selections = 0;
        OverlayChoice shown;
        bool operator==(const Question&) const = default;
    };
    StateSampler<Question> states_;
};

}  // namespace gravlab
