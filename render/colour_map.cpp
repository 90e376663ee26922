// The table of colour maps and its interpolation in OKLab (B. Ottosson, "A perceptual color space for image processing",
// 2020).
#include "render/colour_map.h"

#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <glm/mat3x3.hpp>

#include <algorithm>
#include <cmath>

namespace gravlab {
namespace {

constexpr glm::vec3 hex(unsigned rgb) {
    return {static_cast<float>(rgb >> 16 & 255) / 255, static_cast<float>(rgb >> 8 & 255) / 255,
            static_cast<float>(rgb & 255) / 255};
}

// Blue and gold, which people with any common colour blindness can distinguish.
constexpr glm::vec3 kGlow[] = {hex(0x2a55f0), hex(0x4f8bff), hex(0xa8c8ff), hex(0xffdcc4), hex(0xffbf78), hex(0xffa648)};
// The colours of stars: cool stars red, hot stars blue.
constexpr glm::vec3 kStarlight[] = {hex(0xff7a30), hex(0xffb46b), hex(0xffe9d2),
                                    hex(0xdfe8ff), hex(0x9fbfff), hex(0x6b97ff)};
// Lightness rises evenly, so that the map is readable in grey print.
constexpr glm::vec3 kEmber[] = {hex(0x3b1a5e), hex(0x8a2268), hex(0xcf4446), hex(0xf38a2e), hex(0xfdd46a), hex(0xfff7dc)};
constexpr glm::vec3 kLagoon[] = {hex(0x202f72), hex(0x1f5f9c), hex(0x1c90a3), hex(0x55bd92), hex(0xb4df83), hex(0xfbf7c0)};
constexpr glm::vec3 kPlain[] = {hex(0xffffff), hex(0xffffff)};

// Maps of other plotting programs: S. van der Walt and N. Smith (2015); J. Nunez, C. Anderton and R. Renslow (2018). The
// darkest eighth of magma is omitted, because its bodies would be invisible on a black sky.
constexpr glm::vec3 kViridis[] = {hex(0x440154), hex(0x472d7b), hex(0x3b528b), hex(0x2c728e), hex(0x21918c),
                                  hex(0x28ae80), hex(0x5ec962), hex(0xaddc30), hex(0xfde725)};
constexpr glm::vec3 kMagma[] = {hex(0x1d1147), hex(0x51127c), hex(0x832681), hex(0xb73779),
                                hex(0xe75263), hex(0xfc8961), hex(0xfec488), hex(0xfcfdbf)};
constexpr glm::vec3 kCividis[] = {hex(0x00224e), hex(0x123570), hex(0x3b496c), hex(0x575d6d), hex(0x707173),
                                  hex(0x8a8678), hex(0xa59c74), hex(0xc3b369), hex(0xe1cc55), hex(0xfee838)};
constexpr glm::vec3 kGrey[] = {hex(0x2b2b2b), hex(0xffffff)};

constexpr glm::vec3 kCategoryStops[] = {hex(0xe69f00), hex(0x56b4e9), hex(0x009e73), hex(0xcc79a7),
                                        hex(0xf0e442), hex(0xd55e00), hex(0x3f7fd9), hex(0xffffff)};
constexpr ColourMap kCategoryMap{"categories", "eight distinct colours, without an order", kCategoryStops};

// These stops are channels, not colours: linear fractions, so none is sRGB.
constexpr glm::vec3 kPopulationStops[kPopulations] = {{1, 0, 0}, {0.7f, 0, 0.3f}, {0, 1, 0}, {0, 0.35f, 0.65f},
                                                      {1, 0, 0}, {0.5f, 0.5f, 0}, {0, 1, 0}, {0, 0, 1}};
constexpr ColourMap kPopulationMap{"populations", "channels of a photograph", kPopulationStops};

// Colours as seen from a spacecraft, slightly more saturated.
constexpr glm::vec3 kCelestialStops[kCelestials] = {hex(0xfff0b8), hex(0xa89c90), hex(0xecd9a4),
                                                    hex(0x4f8fe8), hex(0xe0693a), hex(0xd9b38c),
                                                    hex(0xe8d49a), hex(0x9fe0e0), hex(0x4a6cf0)};
constexpr float kCelestialSizes[kCelestials] = {5.5f, 1.5f, 1.9f, 2.0f, 1.6f, 3.2f, 2.9f, 2.4f, 2.4f};
constexpr ColourMap kCelestialMap{"celestials", "tints of stars and planets", kCelestialStops};

constexpr ColourMap kMaps[] = {
    {"glow", "low blue, high gold, pale between: the colours of galaxies", kGlow},
    {"starlight", "low red, high blue, as stars by temperature", kStarlight},
    {"ember", "violet over red to pale yellow; lightness rises evenly", kEmber},
    {"lagoon", "blue over green to pale yellow; lightness rises evenly", kLagoon},
    {"plain", "white, whatever the value", kPlain},
    {"viridis", "violet over green to yellow, as in plots of other programs; lightness rises evenly", kViridis},
    {"magma", "violet over red to pale yellow, as in plots of other programs; lightness rises evenly", kMagma},
    {"cividis", "blue over grey to yellow, the same with colour blindness; lightness rises evenly", kCividis},
    {"grey", "dark grey to white; lightness rises evenly", kGrey},
};

// Columns, as GLM stores them.
constexpr glm::mat3 kLmsFromLinear{0.4122214708f, 0.2119034982f, 0.0883024619f, 0.5363325363f, 0.6806995451f,
                                   0.2817188376f, 0.0514459929f, 0.1073969566f, 0.6299787005f};
constexpr glm::mat3 kLabFromLms{0.2104542553f, 1.9779984951f,  0.0259040371f, 0.7936177850f, -2.4285922050f,
                                0.7827717662f, -0.0040720468f, 0.4505937099f, -0.8086757660f};

glm::vec3 linearFromLab(glm::vec3 lab) {
    const glm::vec3 root = glm::inverse(kLabFromLms) * lab;
    return glm::max(glm::inverse(kLmsFromLinear) * (root * root * root), glm::vec3(0));
}

}  // namespace

std::span<const ColourMap> colourMaps() { return kMaps; }
const ColourMap& categoryMap() { return kCategoryMap; }
const ColourMap& populationMap() { return kPopulationMap; }
const ColourMap& celestialMap() { return kCelestialMap; }
float celestialSize(std::size_t which) { return kCelestialSizes[which % kCelestials]; }

glm::vec3 linearFromSrgb(glm::vec3 srgb) {
    const auto one = [](float c) { return c <= 0.04045f ? c / 12.92f : std::pow((c + 0.055f) / 1.055f, 2.4f); };
    return {one(srgb.x), one(srgb.y), one(srgb.z)};
}

glm::vec3 srgbFromLinear(glm::vec3 linear) {
    const auto one = [](float c) { return c <= 0.0031308f ? 12.92f * c : 1.055f * std::pow(c, 1 / 2.4f) - 0.055f; };
    const glm::vec3 c = glm::clamp(linear, 0.0f, 1.0f);
    return {one(c.x), one(c.y), one(c.z)};
}

glm::vec3 onPaper(glm::vec3 linear) {
    constexpr float kDarker =
        0.6f;  // of the lightness and the colour in OKLab: white becomes a grey that is visible on white
    return kDarker * kDarker * kDarker * linear;
}

glm::vec3 toLab(glm::vec3 linear) {
    const glm::vec3 lms = kLmsFromLinear * linear;
    return kLabFromLms * glm::vec3(std::cbrt(lms.x), std::cbrt(lms.y), std::cbrt(lms.z));
}

std::array<glm::vec3, kColourMapSize> linearColours(const ColourMap& map) {
    std::array<glm::vec3, kColourMapSize> colours;
    if (map.stops.data() == kCategoryMap.stops.data()) {
        for (std::size_t i = 0; i < kColourMapSize; ++i)
            colours[i] = linearFromSrgb(map.stops[i * kCategories / kColourMapSize]);
        return colours;
    }
    if (map.stops.data() == kPopulationMap.stops.data()) {
        for (std::size_t i = 0; i < kColourMapSize; ++i) colours[i] = map.stops[i * kPopulations / kColourMapSize];
        return colours;
    }
    if (map.stops.data() == kCelestialMap.stops.data()) {
        for (std::size_t i = 0; i < kColourMapSize; ++i)
            colours[i] = linearFromSrgb(map.stops[i * kCelestials / kColourMapSize]);
        return colours;
    }
    const std::size_t last = map.stops.size() - 1;
    for (std::size_t i = 0; i < kColourMapSize; ++i) {
        const float at = static_cast<float>(i) / (kColourMapSize - 1) * static_cast<float>(last);
        const std::size_t low = std::min(static_cast<std::size_t>(at), last - 1);
        const glm::vec3 a = toLab(linearFromSrgb(map.stops[low]));
        const glm::vec3 b = toLab(linearFromSrgb(map.stops[low + 1]));
        colours[i] = linearFromLab(glm::mix(a, b, at - static_cast<float>(low)));
    }
    return colours;
}

}  // namespace gravlab
