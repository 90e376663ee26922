// Sums over all bodies of the galaxies, in blocks that a compiler can vectorise.
#include "sim/run/rigid_galaxies.h"

#include "sim/core/group.h"
#include "sim/forces/law.h"

namespace gravlab {
namespace {

constexpr std::size_t kLanes = 16, kBlock = 1024;

}  // namespace

RigidGalaxies::RigidGalaxies(const ParticleSet& bodies, const ForceSettings& force, std::optional<std::size_t> without)
    : force_(force), memberOf_(bodies.size()) {
    std::vector<std::size_t> members[kMostGalaxies];
    for (std::size_t i = 0; i < bodies.size(); ++i) members[gravlab::galaxyOf(bodies.group[i])].push_back(i);
    for (const std::vector<std::size_t>& list : members) {
        if (list.empty()) continue;
        Galaxy g;
        double weight = 0;
        for (const std::size_t i : list) {
            // Charges cancel: bodies have equal weight where their sources are not masses.
            const double m = force.law == Law::gravity ? bodies.position[i].w : 1;
            g.centre += m * xyz(bodies.position[i]);
            g.velocity += m * xyz(bodies.velocity[i]);
            weight += m;
            g.mass += bodies.position[i].w;
        }
        if (!(weight > 0)) {  // massless tracers
            g.centre = g.velocity = {};
            weight = 1;
        }
        g.centre /= weight;
        g.velocity /= weight;
        g.first = x_.size();
        for (const std::size_t i : list) {
            memberOf_[i] = galaxies_.size();
            if (bodies.position[i].w == 0 || i == without) continue;
            x_.push_back(static_cast<float>(bodies.position[i].x - g.centre.x));
            y_.push_back(static_cast<float>(bodies.position[i].y - g.centre.y));
            z_.push_back(static_cast<float>(bodies.position[i].z - g.centre.z));
            source_.push_back(static_cast<float>(bodies.position[i].w));
        }
        while ((x_.size() - g.first) % kLanes != 0) {
            // The padding is far away and without a source: it adds nothing, and no law is evaluated at distance 0.
            x_.push_back(1e6f);
            y_.push_back(0);
            z_.push_back(0);
            source_.push_back(0);
        }
        g.last = x_.size();
        galaxies_.push_back(g);
    }
}

void RigidGalaxies::addPull(const Galaxy& galaxy, const Vec3d& place, Vec3d& sum) const {
    const auto px = static_cast<float>(place.x - galaxy.centre.x), py = static_cast<float>(place.y - galaxy.centre.y),
               pz = static_cast<float>(place.z - galaxy.centre.z);
    withLaw<float>(force_, [&](const auto& law) {
        for (std::size_t block = galaxy.first; block < galaxy.last; block += kBlock) {
            const std::size_t end = block + kBlock < galaxy.last ? block + kBlock : galaxy.last;
            float ax[kLanes] = {}, ay[kLanes] = {}, az[kLanes] = {};
            for (std::size_t j = block; j < end; j += kLanes)
                for (std::size_t k = 0; k < kLanes; ++k) {
                    const float dx = x_[j + k] - px, dy = y_[j + k] - py, dz = z_[j + k] - pz;
                    const float pull = source_[j + k] * law.forceOverDistance(dx * dx + dy * dy + dz * dz);
                    ax[k] += pull * dx;
                    ay[k] += pull * dy;
                    az[k] += pull * dz;
                }
            for (std::size_t k = 0; k < kLanes; ++k)
                sum += {static_cast<double>(ax[k]), static_cast<double>(ay[k]), static_cast<double>(az[k])};
        }
    });
}

Vec3d RigidGalaxies::accelerationAt(const Vec3d& place) const {
    Vec3d sum{};
    for (const Galaxy& galaxy : galaxies_) addPull(galaxy, place, sum);
    return sum;
}

void RigidGalaxies::move(double dt) {
    const auto drift = [&](double time) {
        for (Galaxy& g : galaxies_) g.centre += time * g.velocity;
    };
    drift(0.5 * dt);
    if (galaxies_.size() > 1 && force_.law == Law::gravity) {
        std::vector<Vec3d> pull(galaxies_.size());
        for (std::size_t i = 0; i < galaxies_.size(); ++i)
            for (std::size_t j = 0; j < galaxies_.size(); ++j)
                if (j != i) addPull(galaxies_[j], galaxies_[i].centre, pull[i]);
        for (std::size_t i = 0; i < galaxies_.size(); ++i) galaxies_[i].velocity += dt * pull[i];
    }
    drift(0.5 * dt);
}

}  // namespace gravlab
