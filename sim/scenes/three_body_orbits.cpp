// Periodic orbits of three equal masses without angular momentum; each body moves on its own loop.
#include "sim/scenes/few_body_orbits.h"

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace gravlab::scenes {
namespace {

/// The texts of an orbit for the scene table, beside its numbers.
struct Shown {
    PeriodicOrbit orbit;
    std::string_view idea;
    double closest;  ///< smallest distance between two bodies [L]
};

// Starting values and periods refined from the published five digits until the orbit closes to 4e-28.
constexpr Shown kOrbits[] = {
    {{"butterfly-1", 0.30689342046437922584, 0.12550656701528315185, 6.2346748387278087754, -2.17019359034},
     "three bodies flutter through each other: butterfly I",
     0.0110},
    {{"butterfly-2", 0.39295549369834836764, 0.097578968423181654587, 7.0037096006535922593, -2.00819297468},
     "three bodies flutter through each other: butterfly II",
     0.0041},
    {{"moth-1", 0.46444517281806668182, 0.39606001465281478193, 14.894305175042123723, -1.38228143872},
     "a three-body orbit without close encounters: moth I",
     0.0795},
    {{"moth-2", 0.43916591788795624087, 0.45296764319125085728, 28.669270915014442856, -1.30586083236},
     "a long three-body orbit without close encounters: moth II",
     0.0497},
    {{"butterfly-3", 0.40591556713517809352, 0.23016312598027507488, 13.867123435830292349, -1.84677246339},
     "three bodies flutter through each other: butterfly III",
     0.0083},
    {{"goggles", 0.0833000718504974699, 0.12788925551976670648, 10.464849525920719845, -2.43011630906},
     "two loops side by side and a third body between them: goggles",
     0.0185},
    {{"dragonfly", 0.080584225540651626953, 0.58883608977791358735, 21.272337394614254155, -1.44033472591},
     "a three-body orbit with four wings: dragonfly",
     0.0073},
    {{"yin-yang-1a", 0.51393853746032810433, 0.30473591934684611475, 17.328834018616237138, -1.42900959752},
     "a three-body orbit shaped like yin and yang, first of two",
     0.0133},
    {{"yin-yang-1b", 0.282702090436163116, 0.327208971522764903, 10.963303088113740701, -1.93904145105},
     "a three-body orbit shaped like yin and yang, second of two",
     0.0098},
};

template <std::size_t row>
ParticleSet build(const SceneRequest&) {
    return threeInLine(kOrbits[row].orbit.p, kOrbits[row].orbit.q);
}

/// A fiftieth of the time in which the closest pair would fall together from rest.
double stepFor(const Shown& shown) { return 0.02 * shown.closest * std::sqrt(shown.closest); }

}  // namespace

ParticleSet threeInLine(double p, double q) {
    const Body start[] = {
        {{-1, 0, 0}, {p, q, 0}, 1},
        {{1, 0, 0}, {p, q, 0}, 1},
        {{0, 0, 0}, {-2 * p, -2 * q, 0}, 1},
    };
    return listedBodies(start);
}

std::span<const PeriodicOrbit> suvakovOrbits() {
    static const std::vector<PeriodicOrbit> orbits = [] {
        std::vector<PeriodicOrbit> list;
        for (const Shown& shown : kOrbits) list.push_back(shown.orbit);
        return list;
    }();
    return orbits;
}

std::span<const Scene> threeBodyOrbitScenes() {
    static const std::vector<Scene> rows = []<std::size_t... k>(std::index_sequence<k...>) {
        std::vector<Scene> list;
        for (const auto build : {build<k>...}) {
            const Shown& shown = kOrbits[list.size()];
            list.push_back({.name = shown.orbit.name,
                            .idea = shown.idea,
                            .caption = "A periodic orbit found by computer in 2013. Its close passages need radau15, the "
                                       "default, or a tiny step.",
                            .source = "Suvakov & Dmitrasinovic 2013",
                            .fixedBodies = 3,
                            .integrator = "radau15",
                            .timeStep = stepFor(shown),
                            .story = {shown.orbit.period, 20, shown.orbit.period},
                            .view = {.distance = 4,
                                     .azimuth = -0.5 * std::numbers::pi,
                                     .elevation = 1.2,
                                     .pointSize = 0.05,
                                     .speedScale = 2},
                            .build = build});
        }
        return list;
    }
    (std::make_index_sequence<std::size(kOrbits)>());
    return rows;
}

}  // namespace gravlab::scenes
