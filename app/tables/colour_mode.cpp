// The table of colour modes, the colours of stars, round numbers.
#include "app/tables/colour_mode.h"

#include "sim/core/bad_bodies.h"
#include "sim/core/body_edit.h"
#include "sim/core/pages.h"
#include "sim/core/random.h"
#include "sim/core/round_number.h"
#include "sim/core/thread_pool.h"
#include "sim/groups/groups.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <unordered_map>

namespace gravlab {
namespace {

std::string orOwn(std::string_view name, std::string_view own) { return std::string(name.empty() ? own : name); }

ShownUnit bodySpeedUnit(const SceneUnits& u) { return {orOwn(u.speed, "L/T"), u.speedScale}; }

ShownUnit accelerationUnit(const SceneUnits& u) {
    if (u.speed.empty() || u.time.empty()) return {"L/T^2", 1};
    return {std::string(u.speed) + "/" + std::string(u.time), u.speedScale / u.timeScale};
}

ShownUnit massUnit(const SceneUnits& u) { return {orOwn(u.mass, "M"), u.massScale}; }

ShownUnit energyUnit(const SceneUnits& u) {
    if (u.speed.empty() || u.mass.empty()) return {"M L^2/T^2", 1};
    return {std::string(u.mass) + " (" + std::string(u.speed) + ")^2", u.massScale * u.speedScale * u.speedScale};
}

ShownUnit densityUnit(const SceneUnits& u) {
    if (u.mass.empty() || u.length.empty()) return {"M/L^3", 1};
    return {std::string(u.mass) + "/" + std::string(u.length) + "^3",
            u.massScale / (u.lengthScale * u.lengthScale * u.lengthScale)};
}

ShownUnit links(const SceneUnits&) { return {"friendships", 1}; }

ShownUnit kelvin(const SceneUnits&) { return {"K", 1}; }

// In a photograph of a galaxy this many bodies are separately visible, and at most this fraction.
constexpr double kResolved = 1500, kMostResolved = 0.05;

constexpr float kCoolest = 3200, kHottest = 13000;

// Fewest bodies that a thread colours at a time.
constexpr std::size_t kGrain = 32768;

constexpr ColourMode kModes[] = {
    {"speed", "speed", "speed of a body", VertexValue::speed, false, false, "", bodySpeedUnit},
    {"acceleration", "acceleration", "acceleration of a body, on a logarithmic scale", VertexValue::acceleration, false,
     true, "", accelerationUnit},
    {"energy", "kinetic energy", "kinetic energy of a body, on a logarithmic scale", VertexValue::kineticEnergy, false, true,
     "", energyUnit},
    {"mass", "mass", "mass of a body, on a logarithmic scale", VertexValue::speed, true, true, "", massUnit},
    {"origin", "origin", "the galaxy in which a body started", VertexValue::speed, true, false, "categories", nullptr},
    {"density", "local density, by cells",
     "mass per volume around a body, on a logarithmic scale: an estimate from cells of space that are halved until they "
     "contain few bodies",
     VertexValue::speed, true, true, "", densityUnit, true},
    {"stars", "temperature",
     "stars by temperature, random for every body: old and red in bulges, some young and blue in discs", VertexValue::speed,
     true, true, "starlight", kelvin},
    {"plain", "", "all bodies white", VertexValue::speed, false, false, "plain", nullptr},
    {.name = "photograph",
     .label = "",
     .idea = "like a picture from a telescope: bulges and inner discs are old and warm, dense outer discs young and blue, "
             "with dust and glowing gas. Positions are computed; ages, dust, gas and the sky are added",
     .published = VertexValue::speed,
     .ofTraits = true,
     .map = "populations",
     .photograph = true},
    {.name = "celestial",
     .label = "",
     .idea = "natural colours; symbols are not to scale; without scene data, sizes follow mass",
     .published = VertexValue::speed,
     .ofTraits = true,
     .map = "celestials"},
    {.name = "group",
     .label = "group",
     .idea = "groups of bodies, friends of friends, from the last search; bodies in no group are grey",
     .published = VertexValue::speed,
     .ofTraits = true,
     .map = "categories",
     .ofGroups = true},
    {.name = "depth",
     .label = "depth from the selected body",
     .idea = "fewest friendships from the selected body, or from the first one, to each body; bodies out of reach are dim",
     .published = VertexValue::speed,
     .ofTraits = true,
     .unit = links,
     .ofDepth = true},
};

/// The random star of a body: the same for the same body, always.
BodyTrait star(std::uint32_t id, std::uint8_t group) {
    Random random(0x57a7, id);
    const double lot = random.uniform();
    const bool old = group >> 6 == 1;
    // Most stars are cool; in discs one in twenty is hot, and these give most of the light.
    const double height = old ? 0.42 * lot : 0.06 + 0.94 * std::pow(lot, 2.6);
    const double temperature = kCoolest * std::pow(kHottest / kCoolest, height);
    const double light = std::clamp(std::pow(temperature / 5600, 1.8), 0.35, 4.0);
    return {static_cast<float>(temperature), static_cast<float>(light)};
}

/// The population of a body in a photograph: by its species, and at random for a few.
BodyTrait population(std::uint32_t id, std::uint8_t group, bool aged, Stars stars, std::size_t all) {
    Random random(0x90b, id);
    const double lot = random.uniform(), light = random.uniform(), weave = random.uniform();
    // A bright star has the mean random number, because patterns consist of many bodies.
    const auto trait = [&](Population which, double share) {
        return BodyTrait{placeOf(which, share > 2 ? 0.5f : static_cast<float>(weave)), static_cast<float>(share)};
    };
    // Few bright stars and many faint ones: a power law of a star's rank. No star gives more than the fraction `most` of all
    // light.
    const double count = static_cast<double>(std::max<std::size_t>(all, 1));
    const auto ranked = [&](double least, double power, double most) {
        return std::min(least * std::pow(std::max(lot, 1e-6), -power), std::max(most * count, 12.0));
    };
    if (stars == Stars::globular) {
        // Giants give most of the light of an old cluster; some blue stars are on the horizontal branch.
        const double share = ranked(0.36, 0.62, 1e-3);
        if (share > 2.5) return trait(light < 0.8 ? Population::red : Population::yellow, share);
        if (share > 0.9 && light < 0.16) return trait(Population::blue, 1.2 * share);
        return trait(share > 0.9 ? Population::white : Population::yellow, share);
    }
    if (stars == Stars::young) {
        // A cluster of hundreds of stars, whatever N is: nine in ten of the faint ones are too faint to see.
        const double share = ranked(0.24, 0.76, 8e-3) * (lot > 0.1 && light > 0.1 ? 0.02 : 1);
        if (share > 6)
            return trait(light < 0.05 ? Population::red : light < 0.8 ? Population::blue : Population::white, share);
        if (share > 1) return trait(light < 0.55 ? Population::blue : Population::white, share);
        return trait(weave < 0.4 ? Population::blue : weave < 0.85 ? Population::white : Population::yellow, share);
    }
    const double resolved = std::min(kResolved / count, kMostResolved);
    const bool old = aged || speciesOf(group) == Species::bulge || stars == Stars::elliptical;
    const bool seen = lot < resolved;
    if (old) return seen ? trait(Population::giant, 1.5 + 2 * light * light) : trait(Population::old, 1);
    // A young cluster keeps its brightness for any N; most clusters are faint.
    const double cluster = std::pow(kMostResolved / resolved, 0.6);
    return seen ? trait(Population::cluster, (0.6 + 9 * std::pow(light, 3)) * cluster) : trait(Population::disc, 1);
}

/// The kind of a body with this fraction of the heaviest mass.
Celestial celestialOf(double share) {
    // A body shines by itself from 75 masses of Jupiter; Saturn has 95 of the Earth, Neptune 17, and Mars a tenth.
    if (share > 0.07) return Celestial::star;
    if (share > 2e-4) return Celestial::gasGiant;
    if (share > 2e-5) return Celestial::blueIce;
    return share > 1e-6 ? Celestial::cloudy : Celestial::barren;
}

}  // namespace

std::span<const ColourMode> colourModes() { return kModes; }

BodyMotion motionOf(const Double4& velocity) {
    if (!isHeld(velocity)) return BodyMotion::free;
    const bool moves = velocity.x != 0 || velocity.y != 0 || velocity.z != 0;
    return moves ? BodyMotion::coasting : BodyMotion::held;
}

namespace {

/// The old stars of discs with a bulge: all of the innermost, and a random fraction up to half of the disc. So a bar is old
/// where it consists of them; outer arms are young where the picture finds them dense.
std::vector<std::uint8_t> agedStars(const ParticleSet& bodies) {
    constexpr double kAllOld = 0.10, kSomeOld = 0.48;  // fractions of the disc's stars, counted from inside
    // One thread measures the discs, by every so many of very many bodies.
    constexpr std::size_t kMeasured = std::size_t{1} << 20;
    const std::size_t step = std::max<std::size_t>(1, bodies.size() / kMeasured);
    std::vector<std::uint8_t> aged(bodies.size(), 0);
    struct Galaxy {
        Vec3d sum{};
        std::size_t bulge = 0;
        std::vector<float> radii{};
        float inner = 0, outer = 0;
    };
    std::array<Galaxy, kMostGalaxies> galaxies;
    const auto galaxy = [&](std::size_t i) -> Galaxy& {
        return galaxies[static_cast<std::size_t>(galaxyOf(bodies.group[i]))];
    };
    for (std::size_t i = 0; i < bodies.size(); i += step)
        if (speciesOf(bodies.group[i]) == Species::bulge) galaxy(i).sum += xyz(bodies.position[i]), ++galaxy(i).bulge;
    if (std::ranges::all_of(galaxies, [](const Galaxy& g) { return g.bulge == 0; })) return aged;
    const auto radius = [&](std::size_t i) {
        const Galaxy& g = galaxy(i);
        return static_cast<float>(length(xyz(bodies.position[i]) - g.sum * (1.0 / static_cast<double>(g.bulge))));
    };
    const auto inDisc = [&](std::size_t i) { return speciesOf(bodies.group[i]) == Species::disc && galaxy(i).bulge > 0; };
    for (std::size_t i = 0; i < bodies.size(); i += step)
        if (inDisc(i)) galaxy(i).radii.push_back(radius(i));
    for (Galaxy& g : galaxies) {
        if (g.radii.empty()) continue;
        const auto at = [&](double part) {
            const auto place = g.radii.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(g.radii.size() - 1));
            std::nth_element(g.radii.begin(), place, g.radii.end());
            return *place;
        };
        g.inner = at(kAllOld), g.outer = at(kSomeOld);
    }
    parallelFor(bodies.size(), 0, kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            if (!inDisc(i)) continue;
            const float r = radius(i), inner = galaxy(i).inner, outer = galaxy(i).outer;
            const float way = std::clamp((r - inner) / std::max(outer - inner, 1e-30f), 0.0f, 1.0f);
            aged[i] = Random(0xa9e, bodies.id[i]).uniform() >= static_cast<double>(way * way * (3 - 2 * way));
        }
    });
    return aged;
}

}  // namespace

bool hasDark(std::span<const std::uint8_t> groups) {
    return firstBad(groups.size(), [&](std::size_t i) { return isDark(groups[i]); }) < groups.size();
}

BodyFacts bodyFacts(const ParticleSet& bodies, const BodyFacts* before) {
    BodyFacts facts{copyTouched(bodies.id), copyTouched(bodies.group), {}, {}, {}};
    const bool same = before && before->aged.size() == before->size() && before->id == bodies.id;
    facts.aged = same ? before->aged : agedStars(bodies);
    if (before && !same && before->aged.size() == before->size()) {
        std::unordered_map<std::uint32_t, std::uint8_t> known;
        for (std::size_t i = 0; i < before->size(); ++i) known.emplace(before->id[i], before->aged[i]);
        for (std::size_t i = 0; i < facts.size(); ++i)
            if (const auto found = known.find(facts.id[i]); found != known.end()) facts.aged[i] = found->second;
    }
    resizeTouched(facts.mass, bodies.size());
    resizeTouched(facts.motion, bodies.size());
    parallelFor(bodies.size(), 0, kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            facts.mass[i] = static_cast<float>(bodies.position[i].w);
            facts.motion[i] = motionOf(bodies.velocity[i]);
        }
    });
    for (const Surface& surface : bodies.surface) facts.radius.push_back(static_cast<float>(surface.radius));
    return facts;
}

ValueRange roundedRange(std::span<const float> values, bool logarithmic, double scale) {
    std::vector<float> good;
    good.reserve(values.size());
    for (const float v : values)
        if (std::isfinite(v) && (!logarithmic || v > 0)) good.push_back(v);
    if (good.empty()) return logarithmic ? ValueRange{0.1, 1} : ValueRange{0, 1};
    std::sort(good.begin(), good.end());
    const auto at = [&](double part) {
        return static_cast<double>(good[static_cast<std::size_t>(part * static_cast<double>(good.size() - 1))]);
    };
    ValueRange range{logarithmic ? roundDown(at(0.02) * scale) / scale : 0, roundUp(at(0.98) * scale) / scale};
    if (!(range.high > range.low)) range.high = range.low > 0 ? 2 * range.low : 1;
    return range;
}

std::vector<BodyTrait> bodyTraits(const ColourMode& mode, const BodyFacts& facts, Stars stars,
                                  std::span<const Celestial> celestials) {
    if (!mode.ofTraits && !hasDark(facts.group)) return {};
    std::vector<BodyTrait> traits;
    resizeTouched(traits, facts.size());
    float heaviest = 1e-30f;
    if (mode.name == "celestial")
        for (const float mass : facts.mass) heaviest = std::max(heaviest, std::abs(mass));
    const std::size_t all = std::max(facts.all, facts.size());
    const auto give = [&](std::size_t i) {
        BodyTrait& trait = traits[i];
        if (mode.name == "mass") trait.value = facts.mass[i];
        if (mode.name == "origin")
            trait.value =
                (static_cast<float>(galaxyOf(facts.group[i]) % static_cast<int>(kCategories)) + 0.5f) / kCategories;
        if (mode.name == "stars") trait = star(facts.id[i], facts.group[i]);
        if (mode.name == "celestial") {
            const std::uint32_t id = facts.id[i];
            // What is about a planet is rock or ice.
            const bool debris = !celestials.empty() && celestials.front() != Celestial::star;
            const Celestial what = id < celestials.size() ? celestials[id]
                                   : debris               ? Celestial::barren
                                            : celestialOf(static_cast<double>(std::abs(facts.mass[i]) / heaviest));
            trait.value = placeOfCelestial(static_cast<std::size_t>(what));
            if (debris && id >= celestials.size() && !facts.radius.empty()) trait.light = 0;  // spheres show it
        }
        const bool aged = i < facts.aged.size() && facts.aged[i] != 0;
        if (mode.photograph) trait = population(facts.id[i], facts.group[i], aged, stars, all);
        if (isDark(facts.group[i])) trait.light = mode.photograph ? 0 : -1;
    };
    parallelFor(facts.size(), 0, kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) give(i);
    });
    return traits;
}

std::size_t groupBand(std::uint32_t firstId) { return splitmix64(firstId + 1) % kGroupBands; }

constexpr float kGreyLight = 0.12f;

std::vector<BodyTrait> depthTraits(const BodyFacts& facts, std::span<const std::uint32_t> ids,
                                   std::span<const std::uint32_t> depths) {
    std::vector<BodyTrait> traits(facts.size(), {0, kGreyLight});
    if (depths.size() == traits.size() && std::ranges::equal(ids, facts.id))
        for (std::size_t i = 0; i < traits.size(); ++i)
            if (depths[i] != kNoDepth) traits[i] = {static_cast<float>(depths[i]), 1};
    for (std::size_t i = 0; i < traits.size(); ++i)
        if (isDark(facts.group[i])) traits[i].light = -traits[i].light;
    return traits;
}

std::vector<BodyTrait> groupTraits(const BodyFacts& facts, std::span<const std::uint32_t> ids,
                                   std::span<const std::uint32_t> labels, std::size_t least) {
    const auto placeOfBand = [](std::size_t band) { return (static_cast<float>(band) + 0.5f) / kCategories; };
    std::vector<BodyTrait> traits(facts.size(), {placeOfBand(kGroupBands), kGreyLight});
    if (std::ranges::equal(ids, facts.id)) {
        std::vector<std::uint32_t> members(labels.size(), 0);
        for (const std::uint32_t label : labels) ++members[label];
        for (std::size_t i = 0; i < traits.size(); ++i)
            if (members[labels[i]] >= least) traits[i] = {placeOfBand(groupBand(ids[labels[i]])), 1};
    }
    for (std::size_t i = 0; i < traits.size(); ++i)
        if (isDark(facts.group[i])) traits[i].light = -traits[i].light;
    return traits;
}

ValueRange traitRange(const ColourMode& mode, std::span<const BodyTrait> traits, double scale) {
    if (mode.name == "origin" || mode.name == "celestial" || mode.photograph || mode.ofGroups) return {0, 1};
    if (mode.name == "stars") return {kCoolest, kHottest};
    if (mode.ofDepth) {
        float deepest = 1;
        for (const BodyTrait& trait : traits) deepest = std::max(deepest, trait.value);
        return {0, static_cast<double>(deepest)};
    }
    float low = 1e30f, high = 0;
    for (const BodyTrait& trait : traits) {
        if (!(trait.value > 0)) continue;
        low = std::min(low, trait.value);
        high = std::max(high, trait.value);
    }
    if (!(high > 0)) return {0.1, 1};
    ValueRange range{roundDown(static_cast<double>(low) * scale) / scale,
                     roundUp(static_cast<double>(high) * scale) / scale};
    if (!(range.high > range.low)) range = {range.low / 2, range.low * 2};
    return range;
}

int mapOf(const ColourMode& mode, int chosen) {
    if (mode.map.empty()) return chosen;
    if (mode.photograph) return kPopulationRow;
    if (mode.map == celestialMap().name) return kCelestialRow;
    const auto maps = colourMaps();
    for (std::size_t i = 0; i < maps.size(); ++i)
        if (maps[i].name == mode.map) return static_cast<int>(i);
    return kCategoryRow;
}

}  // namespace gravlab
