// Functions that all scene builders use. Rule: the same request gives the same bytes, for any number of threads. G = 1.
#pragma once
#include "sim/core/made_bodies.h"
#include "sim/core/random.h"
#include "sim/scenes/scene.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gravlab::scenes {

using Body = MadeBody;

/// Calls body(i, random) for all i < count, each with its own stream of random numbers, and numbers the ids from 0.
ParticleSet makeBodies(std::size_t count, std::uint64_t seed,
                       const std::function<Body(std::size_t i, Random& random)>& body);

/// All bodies of a scene before they are centred: body(i, random) makes one, with its own stream of random numbers.
struct Recipe {
    std::size_t bodies = 0;
    std::uint64_t seed = 1;
    std::function<Body(std::size_t i, Random& random)> body{};
};

/// The bodies of a list, each in a group of its own.
ParticleSet listedBodies(std::span<const Body> list);

/// One astronomical unit per year over 2 pi [km/s].
inline constexpr double kSolarSpeed = 29.7847;
/// Astronomical units, solar masses and years over 2 pi, as G = 1 makes them.
inline constexpr SceneUnits kSolarUnits{"AU", "Msun", "years", "km/s", 1, 1, 0.5 / std::numbers::pi, kSolarSpeed};

/// The radius that contains the fraction `share` of the mass of a Plummer sphere of radius `scale`, 0 < share < 1.
inline double plummerRadius(double share, double scale) { return scale / std::sqrt(std::pow(share, -2.0 / 3) - 1); }

/// Mass fraction of an exponential disc within x scale lengths.
inline double discShare(double x) { return 1 - (1 + x) * std::exp(-x); }

/// The bodies with their centre of mass at rest at the origin.
ParticleSet centred(ParticleSet bodies);

/// Scene::build and Scene::made of a scene that has a recipe.
template <Recipe (*recipeOf)(const SceneRequest&)>
ParticleSet build(const SceneRequest& request) {
    const Recipe recipe = recipeOf(request);
    return centred(makeBodies(recipe.bodies, recipe.seed, recipe.body));
}
template <Recipe (*recipeOf)(const SceneRequest&)>
std::shared_ptr<const MadeBodies> made(const SceneRequest& request) {
    Recipe recipe = recipeOf(request);
    return std::make_shared<const MadeBodies>(recipe.bodies,
                                              [seed = recipe.seed, body = std::move(recipe.body)](std::size_t i) {
                                                  Random random(seed, i);
                                                  return body(i, random);
                                              });
}

/// The request with the usual values of these parameters where it has none.
inline SceneRequest withUsual(SceneRequest request, std::span<const SceneParameter> parameters) {
    for (const SceneParameter& each : parameters) request.parameters.try_emplace(std::string(each.name), each.value);
    return request;
}

/// The rows, and the first version of one of them, which had another builder.
inline std::vector<Scene> withFirst(std::span<const Scene> rows, std::string_view name, decltype(Scene::build) build) {
    std::vector<Scene> all(rows.begin(), rows.end());
    all.push_back(*std::ranges::find(rows, name, &Scene::name));
    all.back().version = 1;
    all.back().build = build;
    all.back().made = nullptr;
    return all;
}

// The rows of each file of scenes; scene_table.cpp joins them.
std::span<const Scene> bondScenes();            // cloth, jelly, rope, hub, tidal-chain
std::span<const Scene> clusterScenes();         // plummer, cube, hernquist, king, clumps, cold-collapse
std::span<const Scene> contactScenes();         // planetesimals, rings, moon
std::span<const Scene> discScenes();            // collision, disc, kepler-disc
std::span<const Scene> expandingScenes();       // expanding-box
std::span<const Scene> fewBodyScenes();         // two bodies to a dozen
std::span<const Scene> fieldScenes();           // mercury, s2, stream, satellite-decay
std::span<const Scene> galaxyScenes();          // galaxy, andromeda, antennae, cartwheel, minor-merger, group
std::span<const Scene> lawScenes();             // charges, power-law, lennard-jones, ions, molecule
std::span<const Scene> solarSystemScenes();     // the planets, from two sources
std::span<const Scene> threeBodyOrbitScenes();  // Suvakov & Dmitrasinovic 2013
std::span<const Scene> toomreFlybyScenes();     // direct, retrograde, small companion

}  // namespace gravlab::scenes
