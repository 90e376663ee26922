#include "sim/groups/groups.h"

#include "sim/api/errors.h"
#include "sim/core/random.h"
#include "sim/core/text.h"
#include "sim/core/thread_pool.h"
#include "sim/core/work_watch.h"
#include "sim/groups/friends.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace gravlab {
namespace {

bool areFriends(const ParticleSet& bodies, std::size_t a, std::size_t b, double square) {
    const Double4 &p = bodies.position[a], &q = bodies.position[b];
    return friendSquare(p.x - q.x, p.y - q.y, p.z - q.z) <= square;
}

constexpr std::size_t kMostOfGroup = 2048, kGroupsChecked = 64;
/// Number of bodies that are compared with all: every one for small N, else as many as take half a second of one core.
constexpr double kComparisons = 3e8;
std::size_t sampled(std::size_t bodies) {
    const auto wanted = static_cast<std::size_t>(kComparisons / static_cast<double>(bodies));
    return std::min(bodies, std::max<std::size_t>(16, wanted));
}

std::string bodyText(std::size_t body) { return "body " + std::to_string(body); }

/// Checks the labels alone: each is the smallest of its group, and its own label.
std::string flawOf(std::span<const std::uint32_t> labels) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (labels[i] > i) return bodyText(i) + " is said to be in a group that begins later";
        if (labels[labels[i]] != labels[i]) return bodyText(i) + " has a label that is not the first of its group";
    }
    return {};
}

/// A body whose label disagrees with its friends among all bodies.
std::string strangerOf(const ParticleSet& bodies, std::uint32_t body, double square, std::span<const std::uint32_t> labels) {
    std::atomic<std::int64_t> found{-1};
    parallelFor(labels.size(), 0, 65536, [&](std::size_t first, std::size_t last) {
        for (std::size_t other = first; other < last; ++other)
            if (labels[other] != labels[body] && other != body && areFriends(bodies, body, other, square))
                found = static_cast<std::int64_t>(other);
    });
    if (found < 0) return {};
    return bodyText(body) + " and its friend, " + bodyText(static_cast<std::size_t>(found.load())) +
           ", are in different groups";
}

/// Whether friendship connects the first of these with all others.
bool hangsTogether(const ParticleSet& bodies, std::span<const std::uint32_t> members, double square) {
    std::vector<std::uint32_t> left(members.begin() + 1, members.end()), reached{members.front()};
    while (!reached.empty()) {
        const std::uint32_t from = reached.back();
        reached.pop_back();
        const auto apart = std::partition(left.begin(), left.end(),
                                          [&](std::uint32_t other) { return !areFriends(bodies, from, other, square); });
        reached.insert(reached.end(), apart, left.end());
        left.erase(apart, left.end());
    }
    return left.empty();
}

}  // namespace

double meanDistance(const ParticleSet& bodies) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    std::size_t counted = 0;
    for (const Double4& p : bodies.position) {
        const double at[3] = {p.x, p.y, p.z};
        if (!isPlace(at[0]) || !isPlace(at[1]) || !isPlace(at[2])) continue;
        ++counted;
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = std::min(low[axis], at[axis]);
            high[axis] = std::max(high[axis], at[axis]);
        }
    }
    if (counted == 0) return 0;
    // A thickness that is only rounding counts as 0.
    constexpr double kThin = 1e-9;
    const double widest = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
    double logarithm = -std::log(static_cast<double>(counted));
    int axes = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const double extent = high[axis] - low[axis];
        if (!(extent > kThin * widest)) continue;
        logarithm += std::log(extent);
        ++axes;
    }
    return axes > 0 ? std::exp(logarithm / axes) : 0;
}

double linkingLength(const ParticleSet& bodies, const Linking& linking) {
    const double length = linking.length > 0 ? linking.length : linking.mean * meanDistance(bodies);
    // 0 where all bodies are at one point.
    if (length == 0 || (length >= 1e-150 && length <= 1e150)) return length;
    throw UsageError(formatted("the linking length is %g; its square must be a number: give 1e-150 to 1e150", length));
}

std::vector<std::uint32_t> groupsByPairs(const ParticleSet& bodies, double length) {
    const auto count = static_cast<std::uint32_t>(bodies.size());
    const double square = length * length;
    std::vector<std::uint32_t> parent(bodies.size());
    std::iota(parent.begin(), parent.end(), 0u);
    for (std::uint32_t i = 0; i < count; ++i)
        for (std::uint32_t other = i + 1; other < count; ++other)
            if (areFriends(bodies, i, other, square)) joinGroups(parent.data(), i, other);
    // Roots become labels: where each parent is the smallest index, the root is, too.
    for (std::uint32_t i = 0; i < count; ++i) parent[i] = groupRoot(parent.data(), i);
    return parent;
}

std::vector<std::uint32_t> depthsByPairs(const ParticleSet& bodies, double length, std::uint32_t from) {
    const auto count = static_cast<std::uint32_t>(bodies.size());
    std::vector<std::uint32_t> depths(bodies.size(), kNoDepth), level = {from}, next;
    depths[from] = 0;
    for (std::uint32_t depth = 1; !level.empty(); ++depth) {
        next.clear();
        for (const std::uint32_t body : level)
            for (std::uint32_t other = 0; other < count; ++other)
                if (depths[other] == kNoDepth && areFriends(bodies, body, other, length * length)) {
                    depths[other] = depth;
                    next.push_back(other);
                }
        level.swap(next);
    }
    return depths;
}

std::string faultOfDepths(const ParticleSet& bodies, double length, std::uint32_t from,
                          std::span<const std::uint32_t> depths, std::size_t most) {
    if (depths.size() != bodies.size())
        return "there are " + std::to_string(depths.size()) + " depths for " + std::to_string(bodies.size()) + " bodies";
    for (std::size_t body = 0; body < depths.size(); ++body)
        if ((depths[body] == 0) != (body == from))
            return bodyText(body) + " must not have depth " + std::to_string(depths[body]);
    const auto count = static_cast<std::uint32_t>(bodies.size());
    Random random(0xdeb7);
    const bool all = bodies.size() <= most;
    for (std::size_t k = 0; k < (all ? bodies.size() : most / 8); ++k) {
        const double lot = random.uniform() * static_cast<double>(count);
        const auto body = all ? static_cast<std::uint32_t>(k) : std::min(count - 1, static_cast<std::uint32_t>(lot));
        bool leads = depths[body] == 0 || depths[body] == kNoDepth;
        for (std::uint32_t other = 0; other < count; ++other) {
            if (other == body || !areFriends(bodies, body, other, length * length)) continue;
            const std::uint32_t high = std::max(depths[body], depths[other]), low = std::min(depths[body], depths[other]);
            if (high - low > 1)
                return bodyText(body) + " and its friend " + std::to_string(other) + " have depths " +
                       std::to_string(depths[body]) + " and " + std::to_string(depths[other]);
            leads = leads || depths[other] + 1 == depths[body];
        }
        if (!leads) return bodyText(body) + " of depth " + std::to_string(depths[body]) + " has no friend that is nearer";
    }
    return {};
}

GroupTable groupTable(const ParticleSet& bodies, std::span<const std::uint32_t> labels, std::size_t least) {
    GroupTable table;
    constexpr std::uint32_t kNone = ~0u;
    // Row of each label; before that, its number of members.
    std::vector<std::uint32_t> row(labels.size(), 0);
    for (const std::uint32_t label : labels) ++row[label];
    for (std::size_t i = 0; i < row.size(); ++i) {
        const std::size_t members = row[i];
        row[i] = kNone;
        if (members == 0) continue;
        ++table.all;
        if (members < std::max<std::size_t>(1, least)) continue;
        row[i] = static_cast<std::uint32_t>(table.groups.size());
        table.groups.push_back({.label = static_cast<std::uint32_t>(i), .members = members});
        table.bodies += members;
    }
    // Relative to each group's first body, so that small groups far out keep their digits.
    struct Sums {
        double weight = 0, squares = 0, speeds = 0;
        Vec3d at{}, velocity{};
        bool alike = false;
    };
    std::vector<Sums> sums(table.groups.size());
    const auto each = [&](auto&& use) {
        for (std::size_t i = 0; i < labels.size(); ++i)
            if (const std::uint32_t k = row[labels[i]]; k != kNone) use(table.groups[k], sums[k], i);
    };
    each(
        [&](BodyGroup& group, Sums&, std::size_t i) { group.mass += inertialMass(bodies.position[i], bodies.velocity[i]); });
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k].alike = !(table.groups[k].mass > 0);
    const auto weightOf = [&](const Sums& sum, std::size_t i) {
        return sum.alike ? 1 : inertialMass(bodies.position[i], bodies.velocity[i]);
    };
    each([&](BodyGroup& group, Sums& sum, std::size_t i) {
        const double weight = weightOf(sum, i);
        sum.weight += weight;
        sum.at += (xyz(bodies.position[i]) - xyz(bodies.position[group.label])) * weight;
        sum.velocity += xyz(bodies.velocity[i]) * weight;
    });
    for (std::size_t k = 0; k < sums.size(); ++k) {
        BodyGroup& group = table.groups[k];
        group.centre = xyz(bodies.position[group.label]) + sums[k].at / sums[k].weight;
        group.velocity = sums[k].velocity / sums[k].weight;
    }
    each([&](BodyGroup& group, Sums& sum, std::size_t i) {
        const Vec3d from = xyz(bodies.position[i]) - group.centre, drift = xyz(bodies.velocity[i]) - group.velocity;
        const double weight = weightOf(sum, i);
        sum.squares += weight * dot(from, from);
        sum.speeds += weight * dot(drift, drift);
    });
    for (std::size_t k = 0; k < sums.size(); ++k) {
        table.groups[k].radius = std::sqrt(sums[k].squares / sums[k].weight);
        table.groups[k].dispersion = std::sqrt(sums[k].speeds / (3 * sums[k].weight));
    }
    std::ranges::sort(table.groups, [](const BodyGroup& a, const BodyGroup& b) {
        return a.members != b.members ? a.members > b.members : a.label < b.label;
    });
    return table;
}

GroupCheck checkGroups(const ParticleSet& bodies, double length, std::span<const std::uint32_t> labels,
                       std::size_t mostForPairs) {
    GroupCheck check;
    if (labels.size() != bodies.size()) {
        check.failure =
            "there are " + std::to_string(labels.size()) + " labels for " + std::to_string(bodies.size()) + " bodies";
        return check;
    }
    if (bodies.size() <= mostForPairs) {
        check.what = "every pair";
        const std::vector<std::uint32_t> want = groupsByPairs(bodies, length);
        const auto [here, there] = std::ranges::mismatch(labels, want);
        if (here != labels.end())
            check.failure = bodyText(static_cast<std::size_t>(here - labels.begin())) +
                            " is said to be in the group of body " + std::to_string(*here) + ", and every pair says " +
                            std::to_string(*there);
        return check;
    }
    check.failure = flawOf(labels);
    if (!check.failure.empty()) return check;
    const auto count = static_cast<std::uint32_t>(bodies.size());
    const double square = length * length;
    Random random(0x9f0f);
    const auto lot = [&] {
        return std::min(count - 1, static_cast<std::uint32_t>(random.uniform() * static_cast<double>(count)));
    };
    const std::size_t compared = sampled(bodies.size());
    for (std::size_t k = 0; k < compared && check.failure.empty(); ++k) {
        check.failure = strangerOf(bodies, compared < bodies.size() ? lot() : static_cast<std::uint32_t>(k), square, labels);
        WorkWatch::report("bodies compared with all", static_cast<std::int64_t>(k + 1), static_cast<std::int64_t>(compared));
    }
    // Groups of random bodies, which tend to be the larger ones.
    std::vector<std::uint32_t> sampled;
    for (std::size_t tries = 0; tries < 64 * kGroupsChecked && sampled.size() < kGroupsChecked; ++tries) {
        const std::uint32_t label = labels[lot()];
        if (std::ranges::find(sampled, label) == sampled.end()) sampled.push_back(label);
    }
    std::size_t connected = 0, large = 0;
    std::vector<std::vector<std::uint32_t>> members(sampled.size());  // of a large group the first ones
    for (std::uint32_t i = 0; i < count; ++i)
        if (const auto at = std::ranges::find(sampled, labels[i]); at != sampled.end())
            if (auto& some = members[static_cast<std::size_t>(at - sampled.begin())]; some.size() <= kMostOfGroup)
                some.push_back(i);
    for (std::size_t k = 0; k < sampled.size() && check.failure.empty(); ++k) {
        if (members[k].size() <= kMostOfGroup) {
            ++connected;
            if (!hangsTogether(bodies, members[k], square))
                check.failure = "the group of " + bodyText(sampled[k]) + " does not hang together";
            continue;
        }
        // In a large group, check that no body is without a friend in it.
        ++large;
        for (int draw = 0; draw < 8 && check.failure.empty(); ++draw) {
            std::uint32_t body = lot(), other = 0;
            while (labels[body] != sampled[k]) body = lot();
            while (other < count &&
                   (labels[other] != sampled[k] || other == body || !areFriends(bodies, body, other, square)))
                ++other;
            if (other == count) check.failure = bodyText(body) + " has no friend in the group that it is said to be in";
        }
    }
    check.what = std::to_string(compared) + " bodies against all others, " + std::to_string(connected) +
                 " groups as a whole" + (large > 0 ? ", bodies of " + std::to_string(large) + " large ones" : "");
    return check;
}

}  // namespace gravlab
