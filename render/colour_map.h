// From a body's value to linear light. Rule: every map can be told apart with the common colour-vision deficiencies.
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

/// Eight colours far apart, for things without an order: which galaxy a body comes from (Okabe & Ito 2008).
const ColourMap& categoryMap();
constexpr std::size_t kCategories = 8;

/// What a body is in a photograph, as bands: shares of light in the channels old, disc and resolved, or in those of red,
/// white and blue stars. No colours: see shaders/photograph.glsl.
enum class Population { old, giant, disc, cluster, red, yellow, white, blue };
constexpr std::size_t kPopulations = 8;
const ColourMap& populationMap();
/// The value of a body of that population. Where in the population's band it lies is a lot of its own, 0 to 1: what is woven
/// of many of them are patterns that go with the bodies.
constexpr float placeOf(Population population, float lot = 0.5f) {
    return (static_cast<float>(population) + 0.1f + 0.8f * lot) / kPopulations;
}
constexpr Population populationAt(float value) { return static_cast<Population>(static_cast<int>(value * kPopulations)); }

/// What bodies of a solar system look like, as bands of tints: a star, then planets by class, see Celestial in
/// sim/scenes/scene.h. Sizes are those of symbols, in the smallest radius of a sprite.
constexpr std::size_t kCelestials = 9;
const ColourMap& celestialMap();
float celestialSize(std::size_t which);
/// The value of a body of that class.
constexpr float placeOfCelestial(std::size_t which) { return (static_cast<float>(which) + 0.5f) / kCelestials; }

/// The rows of colour maps that are not to be chosen.
constexpr int kCategoryRow = -1, kPopulationRow = -2, kCelestialRow = -3;

/// The map as linear (not sRGB) light, interpolated in a perceptual space so that equal steps look equal.
/// Stops of categoryMap(), populationMap() and celestialMap() are bands without transition.
std::array<glm::vec3, kColourMapSize> linearColours(const ColourMap& map);

/// sRGB [0,1] to linear light, and back, for legends.
glm::vec3 linearFromSrgb(glm::vec3 srgb);
glm::vec3 srgbFromLinear(glm::vec3 linear);
/// The ink that shows a colour of a map on a white page: bodies and the legend have the same.
glm::vec3 onPaper(glm::vec3 linear);
/// Linear light to OKLab: lightness [0,1], green-red, blue-yellow. Distances in it are distances to the eye.
glm::vec3 toLab(glm::vec3 linear);

}  // namespace gravlab
