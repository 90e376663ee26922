// Trees on a device that treat few bodies like many: on backends made during the lifetime of one of these objects.
#pragma once
#include "sim/backends/backend.h"
#include "sim/backends/cuda/methods/tree_limits.h"

#include <memory>

namespace gravlab::test {

class ForcedTree {
public:
    explicit ForcedTree(const cuda::TreeLimits& limits) { now() = std::make_shared<cuda::TreeLimits>(limits); }
    ForcedTree(const ForcedTree&) = delete;
    ForcedTree& operator=(const ForcedTree&) = delete;
    ~ForcedTree() { now() = kept_; }

    /// For backends and requests of runs.
    static BackendOptions options() { return {.trees = now()}; }
    /// Groups walk in two levels for any number of bodies.
    static cuda::TreeLimits twoLevels() {
        cuda::TreeLimits limits;
        limits.regionsFrom = 0;
        return limits;
    }

private:
    static std::shared_ptr<const cuda::TreeLimits>& now() {
        static std::shared_ptr<const cuda::TreeLimits> limits;
        return limits;
    }
    std::shared_ptr<const cuda::TreeLimits> kept_ = now();
};

}  // namespace gravlab::test
