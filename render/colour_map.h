// From a body's value to linear light. Rule: people with the common colour-vision deficiencies can distinguish the ends of
// every map.
#pragma once
#include <glm/vec3.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace gravlab {

constexpr std::size_t kColourMapSize = 256;

/// A row of the table of colour maps. `stops` are evenly spaced sRGB colours, low value first.
struct ColourMap {
    std::string_view name;  ///< stable key
    std::string_view idea;  ///< one line for tooltips
    std::span<const glm::vec3> stops;
};

/// All colour maps; the first is the default.
std::span<const ColourMap> colourMaps();

/// Eight distinct colours for unordered values: the galaxy of a body (Okabe & Ito 2008).
const ColourMap& categoryMap();
constexpr std::size_t kCategories = 8;

/// The population of a body in a photograph, as a band of the map. Bands are fractions of light in the channels old, disc
/// and resolved, or in those of red, white and blue stars. They are not colours: see shaders/photograph.glsl.
enum class Population { old, giant, disc, cluster, red, yellow, white, blue };
constexpr std::size_t kPopulations = 8;
const ColourMap& populationMap();
/// The value of a body of that population. `lot`, a random number from 0 to 1 per body, is its place in the population's
/// band; patterns made of many such numbers move with the bodies.
constexpr float placeOf(Population population, float lot = 0.5f) {
    return (static_cast<float>(population) + 0.1f + 0.8f * lot) / kPopulations;
}
constexpr Population populationAt(float value) { return static_cast<Population>(static_cast<int>(value * kPopulations)); }

/// Looks of bodies of a solar system, as bands of tints: a star, then planets by class, see Celestial in sim/scenes/scene.h.
/// Sizes are those of symbols, in units of the smallest sprite radius.
constexpr std::size_t kCelestials = 9;
const ColourMap& celestialMap();
float celestialSize(std::size_t which);
/// The value of a body of that class.
constexpr float placeOfCelestial(std::size_t which) { return (static_cast<float>(which) + 0.5f) / kCelestials; }

/// Rows of colour maps that users cannot choose.
constexpr int kCategoryRow = -1, kPopulationRow = -2, kCelestialRow = -3;

/// The map as linear (not sRGB) light, interpolated in a perceptual space so that equal steps look equal.
/// Stops of categoryMap(), populationMap() and celestialMap() are bands without transition.
std::array<glm::vec3, kColourMapSize> linearColours(const ColourMap& map);

/// sRGB [0,1] to linear light, and back, for legends.
glm::vec3 linearFromSrgb(glm::vec3 srgb);
glm::vec3 srgbFromLinear(glm::vec3 linear);
/// The ink for a colour of a map on a white page, for bodies and the legend.
glm::vec3 onPaper(glm::vec3 linear);
/// Linear light to OKLab: lightness [0,1], green-red, blue-yellow. Distances in it match perceived differences.
glm::vec3 toLab(glm::vec3 linear);

}  // namespace gravlab
