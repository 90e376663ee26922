// Where bodies are that labels and arrows mark, how fast they are and what pulls them. Rule: of a film the step that is
// shown; a window takes what is there, and waits only where that is a copy of few bodies on the host.
#pragma once
#include "app/services/run_host.h"

#include <cstdint>

namespace gravlab {

class MarkReader {
public:
    /// Throws std::bad_alloc.
    void read(Document& document, RunHost& host, bool realTime);
    bool busy() const { return state_.waiting(); }

private:
    void take(const FedState& state, Document& document, const RunHost& host) const;

    StateTicket state_;
    std::uint64_t run_ = 0, revision_ = 0, selections_ = 0;  ///< that were read last
    std::int64_t step_ = -1;
    OverlayChoice shown_;
    double readAt_ = -1;  ///< host clock [s]; below 0: not yet
};

}  // namespace gravlab
