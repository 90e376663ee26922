// What the colour of a body says: a table of modes, and the ranges that their colour maps cover.
// Rule: a mode shows what is computed; where colours are drawn by lot, its text says so.
#pragma once
#include "render/colour_map.h"
#include "render/particle_renderer.h"
#include "sim/core/group.h"
#include "sim/core/particles.h"
#include "sim/scenes/scene.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// Whether a body feels forces.
enum class BodyMotion : std::uint8_t { free, held, coasting };

/// What stays the same about bodies while they move.
struct BodyFacts {
    std::vector<std::uint32_t> id;
    std::vector<std::uint8_t> group;
    std::vector<float> mass;
    std::vector<BodyMotion> motion;
    std::vector<std::uint8_t> aged;  ///< stars of a disc that are old: discs grow from inside. Where they were at the start
    std::size_t size() const { return id.size(); }
};
/// `before`: facts of bodies that these came from, which keep their age.
BodyFacts bodyFacts(const ParticleSet& bodies, const BodyFacts* before = nullptr);
BodyMotion motionOf(const Double4& velocity);

/// A unit and what one of the scene's own is in it.
struct ShownUnit {
    std::string name;
    double scale = 1;
};

/// A row of the table.
struct ColourMode {
    std::string_view name;   ///< stable key
    std::string_view label;  ///< of the legend
    std::string_view idea;   ///< one line for lists and tooltips
    VertexValue published;   ///< what the backend stores with every vertex
    bool ofTraits = false;   ///< the value is a fact of the body, not published
    bool logarithmic = false;
    std::string_view map{};                          ///< the map it needs; empty: the one chosen; "categories": bands
    ShownUnit (*unit)(const SceneUnits&) = nullptr;  ///< null: no unit, no range in the legend
    bool ofDensity = false;                          ///< the value is the renderer's estimate of the density
    bool photograph = false;                         ///< the value is a population, see Photograph
    bool ofGroups = false;                           ///< the value is the colour of a group, see groupTraits()
};

/// All modes; the first, speed, is the default.
std::span<const ColourMode> colourModes();

/// Ends of a colour map.
struct ValueRange {
    double low = 0, high = 1;
    bool operator==(const ValueRange&) const = default;
};
/// What the middle 96 % of the values need, at numbers that are round after times `scale`, so that it seldom changes. Values
/// that are no numbers, and with a logarithm those that are not above 0, are left out.
ValueRange roundedRange(std::span<const float> values, bool logarithmic, double scale = 1);

/// Values and shares of light of all bodies in a mode; empty when all are plain.
/// `celestials`: what the bodies of the first ids are.
std::vector<BodyTrait> bodyTraits(const ColourMode& mode, const BodyFacts& facts, Stars stars = Stars::galaxies,
                                  std::span<const Celestial> celestials = {});
/// Colours of groups, by a hash of the id of a group's first body, so that a group keeps its colour while it keeps that
/// body; bodies in groups of fewer than `least` are grey. `labels` are of the bodies of `ids`; where the bodies are others,
/// and where there are none yet, all are grey.
std::vector<BodyTrait> groupTraits(const BodyFacts& facts, std::span<const std::uint32_t> ids,
                                   std::span<const std::uint32_t> labels, std::size_t least);
/// The band of the colours of categories that a group has.
std::size_t groupBand(std::uint32_t firstId);
constexpr std::size_t kGroupBands = kCategories - 1;  ///< the last one is the grey of those without a group

/// The range of the traits' values.
ValueRange traitRange(const ColourMode& mode, std::span<const BodyTrait> traits, double scale = 1);

/// Row of colourMaps() that a mode shows, given the chosen one; below 0: one of kCategoryRow and its like.
int mapOf(const ColourMode& mode, int chosen);

}  // namespace gravlab
