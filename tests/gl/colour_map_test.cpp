// Colour maps: readable for colour-blind users, even steps, names that stay.
#include "render/colour_map.h"

#include <gtest/gtest.h>
#include <glm/geometric.hpp>
#include <glm/mat3x3.hpp>

#include <set>
#include <string>

namespace gravlab::test {
namespace {

// Full protanopia and deuteranopia on linear RGB (Machado, Oliveira and Fernandes 2009), by column.
const glm::mat3 kProtan{0.152286f,  0.114503f,  -0.003882f, 1.052583f, 0.786281f,
                        -0.048116f, -0.204868f, 0.099216f,  1.051998f};
const glm::mat3 kDeutan{0.367322f, 0.280085f, -0.011820f, 0.860646f, 0.672501f, 0.042940f, -0.227968f, 0.047413f, 0.968881f};

/// Distance of two bright colours, by lightness and by the blue-yellow axis that both deficiencies keep.
float apart(glm::vec3 a, glm::vec3 b) { return glm::length(toLab(a) - toLab(b)); }

TEST(ColourMaps, NamesAreUniqueAndExplained) {
    std::set<std::string> names;
    for (const ColourMap& map : colourMaps()) {
        EXPECT_TRUE(names.insert(std::string(map.name)).second);
        EXPECT_FALSE(map.idea.empty());
        EXPECT_GE(map.stops.size(), 2u);
    }
    EXPECT_GE(names.size(), 4u);
}

TEST(ColourMaps, EndsAreTheStops) {
    for (const ColourMap& map : colourMaps()) {
        const auto colours = linearColours(map);
        EXPECT_LT(glm::length(colours.front() - linearFromSrgb(map.stops.front())), 2e-3f) << map.name;
        EXPECT_LT(glm::length(colours.back() - linearFromSrgb(map.stops.back())), 2e-3f) << map.name;
    }
}

TEST(ColourMaps, LowAndHighDifferForEveryEye) {
    for (const ColourMap& map : colourMaps()) {
        if (map.name == "plain") continue;
        const auto colours = linearColours(map);
        for (const glm::mat3& eye : {glm::mat3(1), kProtan, kDeutan}) {
            const auto seen = [&](std::size_t quarter) {
                return glm::max(eye * colours[quarter * (kColourMapSize - 1) / 4], glm::vec3(0));
            };
            EXPECT_GT(apart(seen(0), seen(4)), 0.25f) << map.name;
            for (std::size_t i = 0; i < 4; ++i)
                EXPECT_GT(apart(seen(i), seen(i + 1)), 0.05f) << map.name << " quarter " << i;
        }
    }
}

TEST(ColourMaps, EveryColourIsSeenOnPaper) {
    // Contrast as in the guidelines for web pages (WCAG 2): 3 for anything but text.
    const auto contrast = [](glm::vec3 linear) {
        return 1.05f / (0.05f + glm::dot(linear, glm::vec3(0.2126f, 0.7152f, 0.0722f)));
    };
    for (const ColourMap& map : colourMaps())
        for (const glm::vec3& colour : linearColours(map)) EXPECT_GT(contrast(onPaper(colour)), 3) << map.name;
    for (const glm::vec3& colour : linearColours(categoryMap())) EXPECT_GT(contrast(onPaper(colour)), 3);
}

TEST(ColourMaps, StepsAreEven) {
    for (const ColourMap& map : colourMaps()) {
        if (map.name == "plain") continue;
        const auto colours = linearColours(map);
        float largest = 0, total = 0;
        for (std::size_t i = 1; i < kColourMapSize; ++i) {
            const float step = apart(colours[i - 1], colours[i]);
            largest = std::max(largest, step);
            total += step;
        }
        EXPECT_LT(largest / (total / (kColourMapSize - 1)), 2.5f) << map.name;
    }
}

TEST(ColourMaps, LightnessRisesWhereItSaysSo) {
    for (const ColourMap& map : colourMaps()) {
        if (map.idea.find("lightness rises") == std::string_view::npos) continue;
        const auto colours = linearColours(map);
        for (std::size_t i = 1; i < kColourMapSize; ++i)
            EXPECT_GE(toLab(colours[i]).x, toLab(colours[i - 1]).x - 1e-4f) << map.name << " " << i;
    }
}

}  // namespace
}  // namespace gravlab::test
