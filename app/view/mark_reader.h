// Where bodies are that labels and arrows mark, how fast they are and what pulls them. Rule: of a film the step that is
// shown; a window takes what is there, and waits only where that is a copy of few bodies on the host.
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

    /// What marks depend on.
    struct Question {
        std::uint64_t revision = 0, selections = 0;
        OverlayChoice shown;
        bool operator==(const Question&) const = default;
    };
    StateSampler<Question> states_;
};

}  // namespace gravlab
