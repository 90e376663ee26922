// A plain parallel loop for work outside a step: building scenes, measuring. Rule: results must not depend on the cut.
#pragma once
#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace gravlab {

/// Calls body(first, last) for pieces of [0, count) on up to `threads` threads (0 = all of the machine). Waits; passes on an
/// exception of a piece. Counts below `grain` run on the caller.
inline void parallelFor(std::size_t count, int threads, std::size_t grain,
                        const std::function<void(std::size_t first, std::size_t last)>& body) {
    const std::size_t wanted =
        threads > 0 ? static_cast<std::size_t>(threads) : std::max(1u, std::thread::hardware_concurrency());
    const std::size_t pieces = std::max<std::size_t>(1, std::min(wanted, count / std::max<std::size_t>(1, grain)));
    if (pieces == 1) {
        if (count > 0) body(0, count);
        return;
    }
    std::vector<std::exception_ptr> failures(pieces);
    const auto piece = [&](std::size_t k) {
        try {
            body(count * k / pieces, count * (k + 1) / pieces);
        } catch (...) {
            failures[k] = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> workers;
        for (std::size_t k = 1; k < pieces; ++k) workers.emplace_back(piece, k);
        piece(0);
    }
    for (const std::exception_ptr& failure : failures)
        if (failure) std::rethrow_exception(failure);
}

}  // namespace gravlab
