// Gives the renderers of all runs the bonds that act, as lines.
#pragma once
#include "app/model/document.h"
#include "app/services/run_host.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace gravlab {

class BondPicture {
public:
    /// Copies the bonds of runs whose bonds or bodies have changed, and counts those of the first run for panels. Does not
    /// wait for a device: a bond that breaks vanishes a few frames later there.
    void dress(Document& document, RunHost& host);
    /// Call it after a change of context.
    void restart() { drawn_.clear(); }

private:
    std::vector<std::shared_ptr<const ForceTerm>> drawn_;  ///< of each run; null: it has no bonds
    std::uint64_t dressings_ = 0;                          ///< of the bodies in the pictures
};

}  // namespace gravlab
