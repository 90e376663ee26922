// The meaning of a body's colour: a table of modes, and the ranges of their colour maps. Rule: a mode shows computed values;
// when colours are random, its text says so.
#pragma once
#include "app/tables/unit_text.h"
#include "render/colour_map.h"
#include "render/particle_renderer.h"
#include "sim/core/group.h"
#include "sim/core/particles.h"
#include "sim/scenes/scene.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace gravlab {

/// Whether a body feels forces.
enum class BodyMotion : std::uint8_t { free, held, coasting };

/// Constant facts of bodies.
struct BodyFacts {
    std::vector<std::uint32_t> id;
    std::vector<std::uint8_t> group;
    std::vector<float> mass;
    std::vector<BodyMotion> motion;
    std::vector<std::uint8_t>
        aged;  ///< stars of a disc that are old, because discs grow from inside; by their radius at the start
    std::vector<float> radius{};  ///< [L]; empty: all bodies are points
    std::size_t all = 0;          ///< bodies of the picture, where these are a part of them
    std::size_t size() const { return id.size(); }
};
/// `before`: facts of the earlier set of these bodies, which keep their age.
BodyFacts bodyFacts(const ParticleSet& bodies, const BodyFacts* before = nullptr);
/// Whether a body of these groups is dark matter.
bool hasDark(std::span<const std::uint8_t> groups);
BodyMotion motionOf(const Double4& velocity);

/// A row of the table.
struct ColourMode {
    std::string_view name;   ///< stable key
    std::string_view label;  ///< of the legend
    std::string_view idea;   ///< one line for lists and tooltips
    VertexValue published;   ///< the value that the backend stores in every vertex
    bool ofTraits = false;   ///< the value is a fact of the body and is not published
    bool logarithmic = false;
    std::string_view map{};                          ///< the map that it needs; empty: the chosen one; "categories": bands
    ShownUnit (*unit)(const SceneUnits&) = nullptr;  ///< null: no unit, no range in the legend
    bool ofDensity = false;                          ///< the value is the renderer's estimate of the density
    bool photograph = false;                         ///< the value is a population, see Photograph
    bool ofGroups = false;                           ///< the value is the colour of a group, see groupTraits()
    bool ofDepth = false;                            ///< the value is a depth among friends, see depthTraits()
};

/// All modes; the first, speed, is the default.
std::span<const ColourMode> colourModes();

/// Ends of a colour map.
struct ValueRange {
    double low = 0, high = 1;
    bool operator==(const ValueRange&) const = default;
};
/// The range of the middle 96 % of the values, with ends that are round after multiplying by `scale`, so that it seldom
/// changes. NaNs are ignored, and with a logarithm also values that are not above 0.
ValueRange roundedRange(std::span<const float> values, bool logarithmic, double scale = 1);

/// Values and light of all bodies in a mode; empty when no body has a trait. `celestials`: kinds of the bodies with the
/// first ids.
std::vector<BodyTrait> bodyTraits(const ColourMode& mode, const BodyFacts& facts, Stars stars = Stars::galaxies,
                                  std::span<const Celestial> celestials = {});
/// Colours of groups, by a hash of the id of a group's first body, so that a group keeps its colour while it keeps that
/// body. Bodies in groups of fewer than `least` are grey. `labels` belong to the bodies of `ids`; when the bodies differ, or
/// there are no labels yet, all are grey.
std::vector<BodyTrait> groupTraits(const BodyFacts& facts, std::span<const std::uint32_t> ids,
                                   std::span<const std::uint32_t> labels, std::size_t least);
/// Depths as values; bodies that no chain of friends reaches are dim. `depths` belong to the bodies of `ids`; when the
/// bodies differ, or there are no depths yet, all are dim.
std::vector<BodyTrait> depthTraits(const BodyFacts& facts, std::span<const std::uint32_t> ids,
                                   std::span<const std::uint32_t> depths);
/// The band of the category colours for a group.
std::size_t groupBand(std::uint32_t firstId);
constexpr std::size_t kGroupBands = kCategories - 1;  ///< the last band is the grey of bodies without a group

/// The range of the traits' values.
ValueRange traitRange(const ColourMode& mode, std::span<const BodyTrait> traits, double scale = 1);

/// Row of colourMaps() for a mode, given the chosen one; below 0: kCategoryRow and the like.
int mapOf(const ColourMode& mode, int chosen);

}  // namespace gravlab
