// The plain statement of the post-Newtonian terms, and their energy.
#include "sim/forces/fields/post_newtonian.h"

#include "sim/api/errors.h"
#include "sim/forces/fields/field_text.h"

#include <algorithm>
#include <cmath>

namespace gravlab {
namespace {

constexpr std::array kPostNewtonianNumbers{FieldNumber{.name = "heavy",
                                                       .range = FieldRange::positive,
                                                       .usual = 1,
                                                       .idea = "how many of the heaviest bodies cause them, up to 1024"},
                                           FieldNumber{.name = "c",
                                                       .length = 1,
                                                       .time = -1,
                                                       .range = FieldRange::positive,
                                                       .idea = "speed of light; known where the run has units"}};

std::vector<HeavySource<double>> heavyOf(const TermBodies& bodies, const std::vector<std::uint32_t>& indices) {
    std::vector<HeavySource<double>> heavy;
    for (const std::uint32_t i : indices)
        heavy.push_back({xyz(bodies.positions[i]), xyz(bodies.velocities[i]), bodies.positions[i].w, {}, 0});
    actOnHeavy(heavy);
    return heavy;
}

std::shared_ptr<const ForceTerm> postNewtonianFrom(const std::vector<StateArray>& numbers) {
    std::vector<std::uint32_t> heavy;
    double lightSpeed = 0;
    for (const StateArray& array : numbers) {
        if (array.name == "c" && array.values.size() == 1) lightSpeed = array.values[0];
        if (array.name != "heavy") continue;
        for (const double id : array.values)
            heavy.push_back(id >= 0 && id < 4294967296.0 ? static_cast<std::uint32_t>(id) : 0);
    }
    try {
        return std::make_shared<const PostNewtonian>(std::move(heavy), lightSpeed);
    } catch (const UsageError& error) {
        throw InputError(error.what());
    }
}

/// The first two bodies as heavy ones, with light fast enough to see an effect.
std::shared_ptr<const ForceTerm> exampleOfHeavy(const ParticleSet& bodies) {
    std::vector<std::uint32_t> heavy{bodies.size() > 0 ? bodies.id[0] : 0};
    if (bodies.size() > 1) heavy.push_back(bodies.id[1]);
    return std::make_shared<const PostNewtonian>(std::move(heavy), 20.0);
}

}  // namespace

TermKind postNewtonianKind() {
    return {PostNewtonian::kKind, postNewtonianFrom, "first post-Newtonian terms of the heaviest bodies", exampleOfHeavy};
}

PostNewtonian::PostNewtonian(std::vector<std::uint32_t> heavy, double lightSpeed)
    : heavy_(std::move(heavy)), lightSpeed_(lightSpeed) {
    if (heavy_.empty() || heavy_.size() > kMostHeavy)
        throw UsageError("post-newtonian: heavy must be 1 to " + std::to_string(kMostHeavy));
    if (!(lightSpeed_ > 0) || !std::isfinite(lightSpeed_)) throw UsageError("post-newtonian: c must be above 0");
}

FieldLaw PostNewtonian::law() {
    return {kKind,
            "first post-Newtonian terms of the heaviest bodies: orbits turn",
            "Einstein, Infeld & Hoffmann 1938",
            FieldKind::postNewtonian,
            FieldShape::none,
            kPostNewtonianNumbers};
}

OuterField PostNewtonian::field() const {
    OuterField field{.law = static_cast<unsigned>(FieldLaws::kCount)};
    field.numbers[0] = static_cast<double>(heavy_.size());
    field.numbers[1] = lightSpeed_;
    return field;
}

/// The terms are some (v/c)^2 of Newton's pull, whose rounding in single precision must stay below a thousandth of them.
std::string PostNewtonian::beyondSingle(const TermBodies& bodies, const SingleTrial&) const {
    constexpr double kLeastShare = 1e-4;
    double fastest = 0;
    for (const Double4& v : bodies.velocities) fastest = std::max(fastest, dot(xyz(v), xyz(v)));
    return fastest < kLeastShare * lightSpeed_ * lightSpeed_
               ? "it would round Newton's pull by as much as the post-newtonian terms are"
               : std::string();
}

std::vector<std::uint32_t> PostNewtonian::indicesIn(std::span<const std::uint32_t> ids) const {
    std::vector<std::uint32_t> wanted = heavy_, indices;
    std::ranges::sort(wanted);
    for (std::uint32_t i = 0; i < ids.size(); ++i)
        if (std::ranges::binary_search(wanted, ids[i])) indices.push_back(i);
    return indices;
}

std::string PostNewtonian::description() const {
    return fieldText(field()) + " (keeps " + std::string(keptUnder(law())) + ")";
}

std::vector<StateArray> PostNewtonian::numbers() const {
    return {{"c", {lightSpeed_}}, {"heavy", {heavy_.begin(), heavy_.end()}}};
}

double PostNewtonian::addAccelerations(const TermBodies& bodies, std::span<const std::uint32_t> targets,
                                       std::span<Double4> out, std::span<double> floors) const {
    const std::vector<HeavySource<double>> heavy = heavyOf(bodies, indicesIn(bodies.ids));
    const auto count = static_cast<unsigned>(heavy.size());
    const double share = 1 / (lightSpeed_ * lightSpeed_);
    for (std::size_t k = 0; k < targets.size(); ++k) {
        const Vec3d x = xyz(bodies.positions[targets[k]]), v = xyz(bodies.velocities[targets[k]]);
        if (bodies.velocities[targets[k]].w == 0) continue;
        const double depth = depthAt(heavy.data(), count, x);
        Vec3d sum{};
        for (const HeavySource<double>& j : heavy) {
            sum += postNewtonian(j, x, v, depth);
            // The terms of a bracket nearly cancel where a body is near rest on an orbit.
            const double squared = dot(j.x - x, j.x - x);
            if (!floors.empty() && squared > 0)
                floors[k] += share * j.mass / squared * (dot(v, v) + dot(j.v, j.v) + 4 * depth + j.depth);
        }
        out[k] = {out[k].x + share * sum.x, out[k].y + share * sum.y, out[k].z + share * sum.z, 0};
    }
    return static_cast<double>(targets.size()) * count;
}

// From the Lagrangian of Einstein, Infeld & Hoffmann, with pairs of which one at least is heavy.
double PostNewtonian::potential(const TermBodies& bodies) const {
    const std::vector<std::uint32_t> indices = indicesIn(bodies.ids);
    const std::vector<HeavySource<double>> heavy = heavyOf(bodies, indices);
    double sum = 0;
    std::size_t next = 0;
    for (std::uint32_t i = 0; i < bodies.size(); ++i) {
        const bool isHeavy = next < indices.size() && indices[next] == i;
        next += isHeavy;
        if (bodies.velocities[i].w == 0) continue;
        const Vec3d x = xyz(bodies.positions[i]), v = xyz(bodies.velocities[i]);
        const double m = bodies.positions[i].w, depth = depthAt(heavy.data(), static_cast<unsigned>(heavy.size()), x);
        const double squared = dot(v, v);
        sum += m * (0.375 * squared * squared + 0.5 * depth * depth);
        for (const HeavySource<double>& j : heavy) {
            const Vec3d to = j.x - x;
            const double distance = length(to);
            if (!(distance > 0)) continue;
            // The velocities of both bodies count; a pair of two heavy bodies comes twice, once from each.
            const double own = isHeavy ? squared : squared + dot(j.v, j.v);
            const double both = 7 * dot(v, j.v) + dot(to, v) * dot(to, j.v) / (distance * distance);
            sum += m * j.mass / (4 * distance) * (6 * own - (isHeavy ? both : 2 * both));
        }
    }
    return sum / (lightSpeed_ * lightSpeed_);
}

}  // namespace gravlab
