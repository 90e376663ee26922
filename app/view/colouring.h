// Dresses the renderers of all runs: adds the colours of the shown mode to the look, and gives the bonds that act, as lines.
// Rule: backend and renderers receive a request once, and again after a change of bodies, runs or context.
#pragma once
#include "app/model/document.h"
#include "app/runs/run_host.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace gravlab {

class Colouring {
public:
    /// Call it once for each picture.
    Look look(Document& document, RunHost& host, bool realTime);
    /// Whether the exposure is still adapting to the picture.
    bool adapting(const Document& document) const;
    /// Call it after a change of context. Pending results are lost, and the exposure adapts at once, as at a start.
    void restart();

private:
    void dress(Document& document, RunHost& host);
    void measureDensity(const Document& document, RunHost& host, bool realTime);
    void findRange(Document& document, RunHost& host, bool realTime);

    std::uint64_t appearanceRevision_ = 0;
    std::shared_ptr<const KnownGroups> groups_;  ///< groups that the renderers have
    int mode_ = -1;                              ///< mode that the renderers have
    const Scene* scene_ = nullptr;
    bool rangeKnown_ = false, sampling_ = false;
    double sampledAt_ = -1, densityAt_ = -1;  ///< [s]
    std::int64_t densityStep_ = -1;
    double drawnAt_ = -1;  ///< [s]; below 0: the exposure adapts at once
    double adaptingUntil_ = 0;
};

class BondPicture {
public:
    /// Copies the bonds of runs whose bonds or bodies have changed, and counts those of the first run for panels. Does not
    /// wait for a device: a bond that breaks vanishes a few frames later there.
    void dress(Document& document, RunHost& host);
    /// Call it after a change of context.
    void restart() { drawn_.clear(); }

private:
    std::vector<std::shared_ptr<const ForceTerm>> drawn_;  ///< of each run; null: it has no bonds
    std::uint64_t appearanceRevision_ = 0;                 ///< of the bodies in the pictures
};

}  // namespace gravlab
