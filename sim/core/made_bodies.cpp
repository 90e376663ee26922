#include "sim/core/made_bodies.h"

#include "sim/core/bad_bodies.h"
#include "sim/core/pages.h"
#include "sim/core/thread_pool.h"
#include "sim/core/validation.h"
#include "sim/core/work_watch.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>

namespace gravlab {
namespace {

// Bodies that are made while one thread sums those before them, and the least for one thread.
constexpr std::size_t kMadeAtOnce = std::size_t{1} << 19, kMadeByOne = 4096;
// Two passes centre the bodies: the second removes the rounding of the first. Then a backend reads them.
constexpr std::size_t kPasses = 2;

void report(std::size_t passes, std::size_t done, std::size_t count) {
    WorkWatch::report("bodies", static_cast<std::int64_t>((passes * count + done) / (kPasses + 1)),
                      static_cast<std::int64_t>(count));
}

/// The first bodies as they were made, so that fewer are made again. Their memory is cleared by no single thread.
struct KeptBodies {
    struct Body {
        Vec3d position, velocity;
        double mass;
        std::uint8_t group;
    };
    explicit KeptBodies(std::size_t bodies) : count(bodies), made(std::make_unique_for_overwrite<Body[]>(bodies)) {}
    ~KeptBodies() { dropPages(made.get(), count * sizeof(Body)); }
    KeptBodies(const KeptBodies&) = delete;
    KeptBodies& operator=(const KeptBodies&) = delete;

    std::size_t count;
    std::unique_ptr<Body[]> made;
    bool all = false;
};

/// 34 bytes per body, or half of the free memory: with groups and numbers a start then takes 40 at most.
std::shared_ptr<KeptBodies> kept(std::size_t count) {
    constexpr double kBytes = 34;
    const double bytes = std::min(kBytes * static_cast<double>(count), 0.5 * freeHostBytes());
    return std::make_shared<KeptBodies>(static_cast<std::size_t>(bytes / sizeof(KeptBodies::Body)));
}

}  // namespace

MadeBodies::MadeBodies(std::size_t count, Make make) : count_(count), groups_(count) {
    const auto known = kept(count);
    make_ = [known, make = std::move(make)](std::size_t i) {
        if (i >= known->count) return make(i);
        KeptBodies::Body& is = known->made[i];
        if (known->all) return MadeBody{is.position, is.velocity, is.mass, is.group};
        const MadeBody body = make(i);
        is = {body.position, body.velocity, body.mass, body.group};
        return body;
    };
    ParticleSet made, summed;
    std::mutex together;
    for (std::size_t pass = 0; pass < kPasses; ++pass) {
        MassCentre centre;
        for (std::size_t begin = 0; begin < count + kMadeAtOnce; begin += kMadeAtOnce) {
            made.resize(std::min(kMadeAtOnce, count - std::min(begin, count)));
            const auto sum = [&] {
                for (std::size_t k = 0; k < summed.size(); ++k) {
                    centre.add(summed.position[k], summed.velocity[k]);
                    const double mass = summed.position[k].w;
                    if (pass == 0 && (masses_.empty() || masses_.back().second != mass))
                        masses_.emplace_back(begin - kMadeAtOnce + k, mass);
                }
            };
            const std::size_t parts = (made.size() + kMadeByOne - 1) / kMadeByOne;
            parallelFor(parts + 1, 0, 1, [&](std::size_t first, std::size_t last) {
                if (first == 0) sum();
                double largest = 0, fastest = 0;
                for (std::size_t k = (std::max<std::size_t>(first, 1) - 1) * kMadeByOne;
                     k < std::min(made.size(), (last - 1) * kMadeByOne); ++k) {
                    put(begin + k, made, k);
                    groups_[begin + k] = made.group[k];
                    largest = std::max(largest, largestCoordinate(made.position[k]));
                    fastest = std::max(fastest, largestCoordinate(made.velocity[k]));
                }
                if (pass == 0) return;
                const std::lock_guard lock(together);
                largest_ = std::max(largest_, largest);
                fastest_ = std::max(fastest_, fastest);
            });
            std::swap(made, summed);
            report(pass, std::min(begin + kMadeAtOnce, count), count);
        }
        centres_.emplace_back(centre.place(), centre.velocity());
        known->all = true;
    }
}

void MadeBodies::put(std::size_t i, ParticleSet& out, std::size_t at) const {
    const MadeBody body = make_(i);
    Double4 position = packed(body.position, body.mass), velocity = packed(body.velocity, 1);
    for (const auto& [place, motion] : centres_) {
        position = packed(xyz(position) - place, position.w);
        velocity = packed(xyz(velocity) - motion, velocity.w);
    }
    out.position[at] = position;
    out.velocity[at] = velocity;
    out.id[at] = static_cast<std::uint32_t>(i);
    out.group[at] = body.group;
}

double MadeBodies::mass(std::size_t i) const {
    const auto after = std::ranges::upper_bound(masses_, i, {}, &std::pair<std::size_t, double>::first);
    return (after - 1)->second;
}

std::size_t MadeBodies::heaviest() const {
    return std::ranges::max_element(masses_, {}, [](const auto& run) { return std::abs(run.second); })->first;
}

void MadeBodies::read(std::size_t first, std::size_t step, ParticleSet& out) const {
    parallelFor(out.size(), 0, kMadeByOne, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) put(first + k * step, out, k);
    });
    if (step == 1) report(kPasses, first + out.size(), count_);
}

void BodiesToRead::read(std::size_t first, std::size_t step, ParticleSet& out) const {
    constexpr std::size_t kCopiedByOne = 65536;
    if (made) return made->read(first, step, out);
    parallelFor(out.size(), 0, kCopiedByOne, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            const std::size_t i = first + k * step;
            out.position[k] = set->position[i];
            out.velocity[k] = set->velocity[i];
            out.id[k] = set->id[i];
            out.group[k] = set->group[i];
        }
    });
}

ParticleSet MadeBodies::whole() const {
    constexpr double kBytes = 2 * sizeof(Double4) + sizeof(std::uint32_t) + sizeof(std::uint8_t);
    requireHostMemory(kBytes * static_cast<double>(count_), "the bodies of the scene");
    ParticleSet all;
    resizeTouched(all.position, count_);
    resizeTouched(all.velocity, count_);
    resizeTouched(all.id, count_);
    resizeTouched(all.group, count_);
    read(0, 1, all);
    return all;
}

}  // namespace gravlab
