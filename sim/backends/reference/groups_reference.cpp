// The rung of the reference: every pair.
#include "sim/backends/groups.h"

#include <chrono>

namespace gravlab {
namespace {

FoundGroups everyPair(const ParticleSet& bodies, double length, const BackendOptions&) {
    const auto start = std::chrono::steady_clock::now();
    FoundGroups found;
    found.labels = groupsByPairs(bodies, length);
    found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return found;
}

constexpr GroupRung kReferenceRungs[] = {{"reference", "pairs",
                                          "every pair is compared, on one thread: what all others are held against",
                                          [](std::size_t bodies) { return 28.0 * static_cast<double>(bodies); }, everyPair}};

}  // namespace

std::span<const GroupRung> referenceGroupRungs() { return kReferenceRungs; }

}  // namespace gravlab
