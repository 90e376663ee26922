// The contacts of a step whose bodies are on the host, and the table of searches there.
#include "sim/contact/paths.h"
#include "sim/contact/resolver.h"
#include "sim/core/thread_pool.h"

#include <mutex>

namespace gravlab {
namespace {

// Pieces of the first search that one thread takes.
constexpr std::size_t kSearchGrain = 1024;

/// All bodies of a step, in host memory.
class AllBodies {
public:
    AllBodies(const std::vector<Double4>& before, ParticleSet& bodies, const ContactStep& step,
              const std::vector<ContactPair>* candidates)
        : bodies_(bodies),
          step_(step),
          candidates_(candidates),
          paths_(bodies.size()),
          versions_(bodies.size(), 0),
          waves_(bodies.size(), 0) {
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            const Vec3d from = xyz(before[i]), end = xyz(bodies.position[i]);
            const bool finite = isFinite(from) && isFinite(end) && isFinite(xyz(bodies.velocity[i]));
            paths_[i] = {.end = end, .way = (end - from) / step.length, .radius = finite ? bodies.surface[i].radius : kGone};
        }
        for (const std::uint32_t h : heavyBodies(bodies.size(), [&](std::size_t i) { return bodies.position[i].w; }))
            heavy_.push_back({h, bodies.position[h], bodies.velocity[h]});
    }

    Double4& position(std::uint32_t i) { return bodies_.position[i]; }
    Double4& velocity(std::uint32_t i) { return bodies_.velocity[i]; }
    Surface& surface(std::uint32_t i) { return bodies_.surface[i]; }
    std::uint32_t id(std::uint32_t i) const { return bodies_.id[i]; }
    BodyPath& path(std::uint32_t i) { return paths_[i]; }
    std::uint32_t& version(std::uint32_t i) { return versions_[i]; }
    std::uint32_t& wave(std::uint32_t i) { return waves_[i]; }
    void mergeAway(std::uint32_t i) {
        mergedAway_.resize(paths_.size(), false);
        mergedAway_[i] = true;
    }
    std::vector<HeavyBody>& heavy() { return heavy_; }

    template <class Use>
    void find(bool resting, const Use& use) {
        if (candidates_) {
            for (const ContactPair& pair : *candidates_)
                if (paths_[pair.first].alive() && paths_[pair.second].alive())
                    if (const auto time = contactTime(paths_[pair.first], paths_[pair.second], 0, step_.length, resting))
                        use(pair.first, pair.second, *time, 0, 0);
            return;
        }
        cells_.build(paths_, step_.length);
        built_ = true;
        std::mutex together;
        std::vector<ContactPair> found;
        parallelFor(paths_.size(), step_.threads, kSearchGrain, [&](std::size_t first, std::size_t last) {
            std::vector<ContactPair> here;
            for (std::size_t i = first; i < last; ++i)
                if (paths_[i].alive())
                    cells_.pairs(static_cast<std::uint32_t>(i), [&](std::uint32_t k) {
                        if (paths_[k].alive() && contactTime(paths_[i], paths_[k], 0, step_.length, resting))
                            here.push_back({static_cast<std::uint32_t>(i), k});
                    });
            const std::lock_guard lock(together);
            found.insert(found.end(), here.begin(), here.end());
        });
        for (const ContactPair& pair : found)
            use(pair.first, pair.second, *contactTime(paths_[pair.first], paths_[pair.second], 0, step_.length, resting), 0,
                0);
    }
    void renew(const std::vector<std::uint32_t>& changed) {
        if (!built_ || cells_.crowded()) {
            cells_.build(paths_, step_.length);
            built_ = true;
        } else {
            for (const std::uint32_t i : changed)
                if (paths_[i].alive()) cells_.move(paths_, i);
        }
    }
    template <class Use>
    void near(std::uint32_t i, double earliest, bool resting, const Use& use) {
        cells_.near(i, [&](std::uint32_t k) {
            if (!paths_[k].alive()) return;
            const double from = std::max({paths_[i].from, paths_[k].from, earliest});
            if (const auto time = contactTime(paths_[i], paths_[k], from, step_.length, resting)) use(k, *time);
        });
    }
    int& bounces(std::uint32_t a, std::uint32_t b) {
        return bounces_.of(BounceCounts::pairOf(a, b), [] { return 0; });
    }
    void noteEvent(const EventPlace&, bool, std::uint32_t, std::uint32_t) {}
    /// Removes the bodies that merged into others.
    void close() {
        BodyChanges changes;
        for (std::uint32_t i = 0; i < mergedAway_.size(); ++i)
            if (mergedAway_[i]) changes.removed.push_back(i);
        apply(changes, bodies_);
    }

private:
    ParticleSet& bodies_;
    const ContactStep& step_;
    const std::vector<ContactPair>* candidates_;
    std::vector<BodyPath> paths_;
    std::vector<std::uint32_t> versions_, waves_;
    std::vector<HeavyBody> heavy_;
    std::vector<bool> mergedAway_;
    BounceCounts bounces_;
    PathCells cells_;
    bool built_ = false;
};

}  // namespace

std::vector<ContactEvent> resolveContacts(const std::vector<Double4>& before, ParticleSet& bodies,
                                          const ContactSettings& contact, const ForceSettings& force,
                                          const ContactStep& step, const std::vector<ContactPair>* candidates) {
    if (!contact.acts() || bodies.surface.empty() || !(step.length > 0)) return {};
    AllBodies all(before, bodies, step, candidates);
    std::vector<ContactEvent> events;
    std::vector<EventPlace> places;
    Resolver<AllBodies>(contact, force, step).run(all, events, places);
    all.close();
    return events;
}

}  // namespace gravlab
