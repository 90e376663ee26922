// How many-steps deals bodies to blocks.
#include "sim/backends/cuda/kernels/many_steps.h"

namespace gravlab::cuda {

ManyStepsDeal manyStepsDeal(std::size_t count, int multiprocessors) {
    ManyStepsDeal deal;
    if (count == 0 || count > static_cast<std::size_t>(multiprocessors) * kManyStepsBodies * kManyStepsMaxWarps) return deal;
    const int n = static_cast<int>(count);
    const int share = (n + multiprocessors - 1) / multiprocessors;
    deal.targets = (share + kManyStepsBodies - 1) / kManyStepsBodies * kManyStepsBodies;
    const int groups = deal.targets / kManyStepsBodies;
    // At one group a block, 8 segments beat 16 (2.44 against 2.87 us a step at N = 1,024): the sum over segments costs more.
    const int most = groups == 1 ? 8 : kManyStepsMaxWarps / groups;
    deal.segments = 1;
    while (deal.segments * 2 <= most && deal.segments * 64 <= n) deal.segments *= 2;
    while (deal.threads() < deal.targets) deal.segments *= 2;  // every target needs a thread that owns it
    deal.blocks = (n + deal.targets - 1) / deal.targets;
    return deal;
}

}  // namespace gravlab::cuda
