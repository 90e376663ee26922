// The bodies with mass of a state in which most bodies have none, as in rings, streams and tracers.
#pragma once
#include "sim/api/vectors.h"
#include "sim/core/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gravlab {

/// Sources are few where at most one body of this many has mass.
constexpr std::size_t kFewSources = 3;

/// The bodies with mass; host memory.
struct SourceList {
    std::vector<std::uint32_t> places;                 ///< indices; empty where they are the first `count` bodies
    std::size_t count = static_cast<std::size_t>(-1);  ///< at least 1; beyond the last body: all bodies
    const std::uint32_t* list() const { return places.empty() ? nullptr : places.data(); }
};

/// All of `count` bodies, unless at most a third of them act. With more sources, a list would save less than a row that
/// computes each pair once. `sourceOf(i)` is the source of a body, as the method has it.
template <class SourceOf>
SourceList sourcesOf(std::size_t count, const SourceOf& sourceOf) {
    std::atomic<std::size_t> acting{0};
    parallelFor(count, 0, 65536, [&](std::size_t first, std::size_t last) {
        std::size_t some = 0;
        for (std::size_t i = first; i < last; ++i) some += sourceOf(i) != 0;
        acting += some;
    });
    if (kFewSources * acting > count) return {};
    SourceList found;
    found.places.reserve(acting);
    for (std::size_t i = 0; i < count; ++i)
        if (sourceOf(i) != 0) found.places.push_back(static_cast<std::uint32_t>(i));
    if (count < 2) return {};
    found.count = std::max<std::size_t>(1, found.places.size());
    if (found.places.empty() || found.places.back() + 1 == found.places.size()) found.places.clear();
    return found;
}
inline SourceList sourcesOf(std::span<const Double4> positions) {
    return sourcesOf(positions.size(), [&](std::size_t i) { return positions[i].w; });
}

}  // namespace gravlab
