// The well on the CPU, and reading it from a file.
#include <gravlab/method.h>
#include "well.h"

namespace outside {
namespace {

using namespace gravlab;

template <class T>
class CpuWell final : public HostKernel<T> {
public:
    explicit CpuWell(const Well& well) : stiffness_(static_cast<T>(well.stiffness())) {}
    void compute(const HostBodies<T>& bodies, std::size_t first, std::size_t last, const HostSums<T>& sums) const override {
        for (std::size_t i = first; i < last; ++i) {
            sums.x[i] = -stiffness_ * bodies.x[i];
            sums.y[i] = -stiffness_ * bodies.y[i];
            sums.z[i] = -stiffness_ * bodies.z[i];
        }
    }

private:
    T stiffness_;
};

template <class T>
std::unique_ptr<HostKernel<T>> make(const ForceTerm& term, const KernelParts&) {
    return std::make_unique<CpuWell<T>>(static_cast<const Well&>(term));
}

const bool kKnown = addTermKind({Well::kKind, Well::make, "a harmonic well about the origin", Well::example});
const bool kRow = addHostKernel({.term = Well::kKind,
                                 .name = "rows",
                                 .idea = "each thread takes some thousand bodies",
                                 .block = 4096,
                                 .fp32 = make<float>,
                                 .fp64 = make<double>});

}  // namespace
}  // namespace outside
