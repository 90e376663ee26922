// What a device finds of the contacts of a step, found by comparing all bodies: the statement that a device is held against.
#pragma once
#include "sim/contact/contact.h"
#include "sim/contact/touch.h"
#include "sim/forces/cell_grid.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace gravlab::testing_support {

struct ContactLists {
    std::vector<ContactPair> pairs, nearLarge;
    std::vector<ListRange> lists;
    std::vector<std::uint32_t> near, order, large, heavy;
    FoundContacts found;

    /// `before` and `bodies` must stay as long as the lists. `most`: bodies that may be large.
    ContactLists(const std::vector<Double4>& before, const ParticleSet& bodies, std::size_t most = 8) {
        const auto count = static_cast<std::uint32_t>(bodies.size());
        const auto endOf = [&](std::uint32_t i) { return xyz(bodies.position[i]); };
        const auto wayOf = [&](std::uint32_t i) { return endOf(i) - xyz(before[i]); };
        std::vector<double> reach(count);
        for (std::uint32_t i = 0; i < count; ++i) reach[i] = length(wayOf(i)) / 2 + bodies.surface[i].radius;
        std::vector<double> sorted = reach;
        std::ranges::sort(sorted, std::greater());
        found.mostReach = count > most ? sorted[most] * 1.1 : 0;
        const double cellsPerLength = found.mostReach > 0 ? 1 / (2 * found.mostReach) : 0;
        const auto isLarge = [&](std::uint32_t i) { return !(reach[i] < found.mostReach); };
        const auto allowed = [&](std::uint32_t i) { return allowanceOf(bodies.surface[i].radius, found.mostReach); };
        const auto touch = [&](std::uint32_t i, std::uint32_t k, double more) {
            const double both = (bodies.surface[i].radius + bodies.surface[k].radius) * (1 + 1e-6) + more;
            return touchTime(endOf(i) - endOf(k), wayOf(i) - wayOf(k), both, 0, 1, true) >= 0;
        };
        std::vector<std::pair<std::uint64_t, std::uint32_t>> places;
        for (std::uint32_t i = 0; i < count; ++i) {
            const Vec3d middle = endOf(i) - 0.5 * wayOf(i);
            const auto cell = [&](double x) { return cellPlace(x, cellsPerLength); };
            if (isLarge(i)) large.push_back(i);
            places.emplace_back(isLarge(i) ? (std::uint64_t{1} << kCellKeyBits) - 1
                                           : cellKey(cell(middle.x), cell(middle.y), cell(middle.z)),
                                i);
            lists.push_back({static_cast<std::uint32_t>(near.size()), 0});
            for (std::uint32_t k = 0; k < count; ++k) {
                if (k == i || !touch(i, k, allowed(i) + allowed(k))) continue;
                if (i < k && touch(i, k, 0)) pairs.push_back({i, k});
                if (isLarge(i) && !isLarge(k))
                    nearLarge.push_back({i, k});
                else
                    near.push_back(k);
            }
            lists.back().count = static_cast<std::uint32_t>(near.size()) - lists.back().first;
        }
        std::ranges::sort(places);
        for (const auto& [key, body] : places) order.push_back(body);
        std::ranges::reverse(large);  // a device has them in any order
        heavy = heavyBodies(count, [&](std::size_t i) { return bodies.position[i].w; });
        found.before = {.wide = &before.data()->x};
        found.position = {.wide = &bodies.position.data()->x};
        found.velocity = {.wide = &bodies.velocity.data()->x};
        found.id = bodies.id;
        found.surface = bodies.surface;
        found.heavy = heavy;
        found.pairs = pairs;
        found.lists = lists;
        found.near = near;
        found.nearLarge = nearLarge;
        found.order = order;
        found.large = large;
    }
};

}  // namespace gravlab::testing_support
