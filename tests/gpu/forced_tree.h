// Trees on a device that treat few bodies like many, during the lifetime of one of these objects.
#pragma once
#include "sim/backends/cuda/methods/tree_limits.h"

namespace gravlab::test {

class ForcedTree {
public:
    explicit ForcedTree(const cuda::TreeLimits& limits) { cuda::treeLimits() = limits; }
    ForcedTree(const ForcedTree&) = delete;
    ForcedTree& operator=(const ForcedTree&) = delete;
    ~ForcedTree() { cuda::treeLimits() = kept_; }

    /// Groups walk in two levels for any number of bodies.
    static cuda::TreeLimits twoLevels() {
        cuda::TreeLimits limits;
        limits.regionsFrom = 0;
        return limits;
    }

private:
    cuda::TreeLimits kept_ = cuda::treeLimits();
};

}  // namespace gravlab::test
