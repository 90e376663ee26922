// Colour maps: readable for colour-blind users, even steps, names that stay.
#include "render/colour_map.h"
#include "app/bench/pair_matrix.h"
#include "app/frontends/headless/headless.h"
#include "app/tables/unit_text.h"
#include "render/value_colours.h"
#include "sim/core/text.h"

#include <gtest/gtest.h>
#include <glm/geometric.hpp>
#include <glm/mat3x3.hpp>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <vector>

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

// Values of a buffer as colours of a table: the colour of each pixel belongs to its value.

TEST(ValueColours, everyPixelHasTheColourOfItsValue) {
    const HeadlessContext context;
    // The table of the pair matrix: 256 colours that all differ.
    std::vector<std::uint32_t> table;
    for (int k = 0; k < 256; ++k) table.push_back(matrixColour(PairMatrix::kDecades * (1 - static_cast<float>(k) / 255)));
    constexpr int kWidth = 37, kHeight = 19;  // no multiples of a compute group
    std::vector<float> values;
    for (int k = 0; k < kWidth * kHeight; ++k)
        values.push_back(k == 5 ? -3.f : k == 6 ? 7.f : static_cast<float>(k) / (kWidth * kHeight - 1));
    Buffer buffer;
    glNamedBufferStorage(buffer.id(), static_cast<GLsizeiptr>(values.size() * sizeof(float)), values.data(), 0);
    ValueColours colours(table);
    ImageTexture picture;
    for (int round = 0; round < 2; ++round) colours.paint(buffer.id(), kWidth, kHeight, picture);
    ASSERT_NE(picture.id(), 0u);
    std::vector<std::uint32_t> pixels(values.size());
    glGetTextureImage(picture.id(), 0, GL_RGBA, GL_UNSIGNED_BYTE, static_cast<int>(4 * pixels.size()), pixels.data());
    std::size_t wrong = 0, different = 0;
    for (std::size_t k = 0; k < pixels.size(); ++k) {
        const float level = std::clamp(values[k], 0.f, 1.f);
        wrong += pixels[k] == table[static_cast<std::size_t>(level * 255 + 0.5f)] ? 0 : 1;
        different += pixels[k] != pixels[0] ? 1 : 0;
    }
    EXPECT_EQ(wrong, 0u);
    EXPECT_GT(different, pixels.size() / 2) << "a picture of one colour proves nothing";
    EXPECT_EQ(pixels[5], table.front());
    EXPECT_EQ(pixels[6], table.back());
    EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
}

// Numbers beside the plot of the rate have at most five letters.

TEST(RateUnit, numbersFitBesideThePlot) {
    for (float most = 1.1e-6f; most < 9e5f; most *= 1.0007f) {
        const std::string text = formatted("%.3g", static_cast<double>(most / rateUnit(most).size));
        ASSERT_LE(text.size(), 5u) << text << " for " << most << " G";
    }
    EXPECT_STREQ(rateUnit(1.1f).name, "G interactions/s");
    EXPECT_STREQ(rateUnit(0.9997f).name, "G interactions/s") << "1e+03 M";
    EXPECT_STREQ(rateUnit(0.999f).name, "M interactions/s");
}

}  // namespace
}  // namespace gravlab::test
