// The contacts of a step whose bodies are on the host, found there as a device finds those of its bodies.
#include "sim/contact/contact.h"
#include "sim/contact/path_tree.h"

#include <atomic>
#include <functional>
#include <utility>

namespace gravlab {
namespace {

/// Pairs that touch, and lists of near bodies, see FoundContacts.
class HostLists {
public:
    /// All must stay as long as the lists are used.
    HostLists(const std::vector<Double4>& before, const ParticleSet& bodies, int threads)
        : before_(before), bodies_(bodies), paths_(bodies.size()), lists_(bodies.size()) {
        parallelFor(bodies.size(), threads, kBodiesEach, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) paths_[i] = pathOf(static_cast<std::uint32_t>(i));
        });
        allow();
        order_ = orderInSpace(bodies.size(), threads, [&](std::size_t i) { return paths_[i].middle; });
        PathTree tree;
        tree.build(
            order_,
            [&](std::size_t count, std::size_t grain, const auto& body) { parallelFor(count, threads, grain, body); },
            [&](std::uint32_t i) { return paths_[i]; });
        std::vector<Piece> pieces(std::max<std::size_t>(1, tree.leaves() / kLeavesEach));
        std::atomic<std::size_t> nearBy = 0;
        parallelFor(pieces.size(), threads, 1, [&](std::size_t first, std::size_t last) {
            for (std::size_t p = first; p < last; ++p)
                for (std::size_t leaf = tree.leaves() * p / pieces.size(); leaf < tree.leaves() * (p + 1) / pieces.size();
                     ++leaf) {
                    const std::size_t known = pieces[p].near.size();
                    tree.near(leaf, [&](const HalfPath& a, const HalfPath& b) { compare(a, b, pieces[p]); });
                    const std::size_t more = pieces[p].near.size() - known;
                    requireFewPairs((nearBy.fetch_add(more, std::memory_order_relaxed) + more) / 2, bodies.size());
                }
        });
        for (const Piece& piece : pieces) pairs_.insert(pairs_.end(), piece.pairs.begin(), piece.pairs.end());
        if (!pairs_.empty()) join(pieces);
    }
    FoundContacts found() const {
        FoundContacts found = FoundContacts::of(before_, bodies_);
        found.heavy = heavy_;
        found.pairs = pairs_;
        found.lists = lists_;
        found.near = near_;
        found.order = order_;
        found.mostReach = mostReach_;
        return found;
    }

private:
    static constexpr std::size_t kBodiesEach = 4096, kLeavesEach = 32;
    /// Bodies with longer paths or larger radii than mostReach_ allows, at most.
    static constexpr std::size_t kMostLarge = 64;

    /// What a thread finds: bodies near each other, from both sides, and those of them that touch.
    struct Piece {
        std::vector<ContactPair> near, pairs;
    };

    HalfPath pathOf(std::uint32_t i) const {
        const Vec3d from = xyz(before_[i]), end = xyz(bodies_.position[i]);
        if (!isFinite(from) || !isFinite(end) || !isFinite(xyz(bodies_.velocity[i]))) return {.reach = -1, .index = i};
        return {(from + end) / 2, (end - from) / 2, bodies_.surface[i].radius, i};
    }
    /// Adds the allowances of the bodies to their reach.
    void allow() {
        std::vector<double> reaches(paths_.size());
        std::ranges::transform(paths_, reaches.begin(), [](const HalfPath& path) { return length(path.half) + path.reach; });
        const auto place = reaches.begin() + static_cast<std::ptrdiff_t>(std::min(kMostLarge, reaches.size() - 1));
        std::ranges::nth_element(reaches, place, std::greater());
        mostReach_ = *place;
        for (HalfPath& path : paths_)
            if (path.reach >= 0) path.reach += allowanceOf(path.reach, mostReach_);
    }
    void compare(const HalfPath& a, const HalfPath& b, Piece& piece) const {
        const Vec3d end = a.middle - b.middle + (a.half - b.half), way = 2 * (a.half - b.half);
        const auto touch = [&](double both) { return touchTime(end, way, both * (1 + 1e-6), 0, 1, Overlap::counts) >= 0; };
        if (!touch(a.reach + b.reach)) return;
        piece.near.push_back({a.index, b.index});
        piece.near.push_back({b.index, a.index});
        if (touch(bodies_.surface[a.index].radius + bodies_.surface[b.index].radius))
            piece.pairs.push_back({a.index, b.index});
    }
    /// Makes the lists.
    void join(const std::vector<Piece>& pieces) {
        for (const Piece& piece : pieces)
            for (const ContactPair& pair : piece.near) ++lists_[pair.first].count;
        std::uint32_t all = 0;
        for (ListRange& list : lists_) {
            list.first = all;
            all += std::exchange(list.count, 0);
        }
        near_.resize(all);
        for (const Piece& piece : pieces)
            for (const ContactPair& pair : piece.near) {
                ListRange& list = lists_[pair.first];
                near_[list.first + list.count++] = pair.second;
            }
        heavy_ = heavyBodies(bodies_.size(), [&](std::size_t i) { return bodies_.position[i].w; });
    }

    const std::vector<Double4>& before_;
    const ParticleSet& bodies_;
    std::vector<HalfPath> paths_;
    double mostReach_ = 0;
    std::vector<ContactPair> pairs_;
    std::vector<ListRange> lists_;
    std::vector<std::uint32_t> near_, order_, heavy_;
};

}  // namespace

FoundContacts FoundContacts::of(const std::vector<Double4>& before, const ParticleSet& bodies) {
    FoundContacts found;
    found.before = {.wide = &before.data()->x};
    found.position = {.wide = &bodies.position.data()->x};
    found.velocity = {.wide = &bodies.velocity.data()->x};
    found.id = bodies.id;
    found.surface = bodies.surface;
    return found;
}

std::vector<ContactEvent> resolveContacts(const std::vector<Double4>& before, const ParticleSet& bodies,
                                          const ContactSettings& contact, const ForceSettings& force,
                                          const ContactStep& step, BodyChanges& changes) {
    if (!contact.acts() || bodies.surface.empty() || !(step.length > 0)) return {};
    const HostLists lists(before, bodies, step.threads);
    FoundContacts found = lists.found();
    std::vector<ContactEvent> events = resolveContacts(found, contact, force, step);
    changes = std::move(found.changes);
    return events;
}

std::size_t countOverlaps(const ParticleSet& bodies) {
    if (bodies.surface.empty()) return 0;
    const auto pathOf = [&](std::size_t i) -> HalfPath {
        const Vec3d at = xyz(bodies.position[i]);
        if (!isFinite(at)) return {.reach = -1};
        return {.middle = at, .reach = bodies.surface[i].radius, .index = static_cast<std::uint32_t>(i)};
    };
    PathTree tree;
    tree.build(
        orderInSpace(bodies.size(), 0, [&](std::size_t i) { return pathOf(i).middle; }),
        [](std::size_t all, std::size_t, const auto& body) { body(std::size_t{0}, all); }, pathOf);
    std::size_t count = 0;
    for (std::size_t leaf = 0; leaf < tree.leaves(); ++leaf) {
        tree.near(leaf, [&](const HalfPath& a, const HalfPath& b) {
            count += distance(a.middle, b.middle) < (a.reach + b.reach) * (1 - 1e-9);
        });
        requireFewPairs(count, bodies.size());
    }
    return count;
}

}  // namespace gravlab
