// The look with the colours of the mode that is shown. Rule: backend and renderers are asked for what it needs once, and
// again when bodies, runs or context are others.
#pragma once
#include "app/services/run_host.h"

#include <cstdint>
#include <memory>

namespace gravlab {

class Colouring {
public:
    /// Once a picture.
    Look look(Document& document, RunHost& host, bool realTime);
    /// Whether light still adapts to what is shown.
    bool adapting(const Document& document) const;
    /// The context is another: what was asked of it is never answered, and light adapts at once, as at a start.
    void restart();

private:
    void dress(Document& document, RunHost& host);
    void measureDensity(const Document& document, RunHost& host, bool realTime);
    void findRange(Document& document, RunHost& host, bool realTime);

    std::uint64_t dressings_ = 0;
    std::shared_ptr<const KnownGroups> groups_;  ///< that the renderers have
    int mode_ = -1;                              ///< that the renderers have
    const Scene* scene_ = nullptr;
    bool rangeKnown_ = false, sampling_ = false;
    double sampledAt_ = -1, densityAt_ = -1;  ///< [s]
    std::int64_t densityStep_ = -1;
    double drawnAt_ = -1;  ///< [s]; below 0: light adapts at once
    double adaptingUntil_ = 0;
};

}  // namespace gravlab
