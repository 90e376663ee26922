#include "app/model/framing.h"

#include <glm/geometric.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace gravlab {
namespace {

constexpr std::size_t kFew = 100;
constexpr double kShown = 0.95;        // fraction of many bodies
constexpr float kAroundHalf = 1.9f;    // largest radius shown of them, in half-light radii
constexpr double kForget = 20;         // [s] in which an empty ball shrinks
constexpr double kGlide = 1.5;         // [s]
constexpr float kFull = 0.92f;         // largest ball, as a fraction of the picture's half height
constexpr float kEmpty = 0.4f;         // below this the camera approaches, up to
constexpr float kComfortable = 0.62f;  // this
constexpr float kOff = 0.15f;          // largest offset of its centre, as a fraction of the visible radius

}  // namespace

Extent extentOf(std::span<const glm::vec3> places) {
    Extent extent;
    if (places.empty()) return extent;
    const bool few = places.size() <= kFew;
    std::vector<float> line(places.size());
    for (int axis = 0; axis < 3; ++axis) {
        std::transform(places.begin(), places.end(), line.begin(), [axis](const glm::vec3& place) { return place[axis]; });
        const auto middle = line.begin() + static_cast<std::ptrdiff_t>(line.size() / 2);
        if (few) {
            const auto [least, most] = std::minmax_element(line.begin(), line.end());
            extent.centre[axis] = 0.5f * (*least + *most);
        } else {
            std::nth_element(line.begin(), middle, line.end());
            extent.centre[axis] = *middle;
        }
    }
    std::transform(places.begin(), places.end(), line.begin(),
                   [&](const glm::vec3& place) { return glm::length(place - extent.centre); });
    if (few) {
        extent.radius = *std::max_element(line.begin(), line.end());
        return extent;
    }
    const auto radiusOf = [&](double part) {
        const auto at = line.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(line.size() - 1));
        std::nth_element(line.begin(), at, line.end());
        return *at;
    };
    // What escapes moves no camera: half of the light then fills about 40 % of the picture's height.
    extent.radius = std::min(radiusOf(kShown), kAroundHalf * radiusOf(0.5));
    return extent;
}

void Framing::see(const Extent& extent, double seconds) {
    if (!std::isfinite(extent.radius) || !(extent.radius > 0)) return;
    if (!known_) {
        extent_ = extent;
        known_ = true;
        return;
    }
    const auto kept = static_cast<float>(std::exp(-std::max(seconds, 0.0) / kForget));
    const float aside = glm::length(extent.centre - extent_.centre);
    // The old ball, slightly smaller, and the new one both fit inside.
    extent_.radius = std::max(extent_.radius * kept, extent.radius + kept * aside);
    extent_.centre = glm::mix(extent.centre, extent_.centre, kept);
}

void Framing::move(Camera& camera, double seconds, bool holdsTarget) const {
    if (!known_) return;
    const auto part = static_cast<float>(1 - std::exp(-std::clamp(seconds, 0.0, 0.25) / kGlide));
    const float slope = std::tan(camera.fieldOfView / 2), visible = slope * camera.distance;
    const glm::vec3 off = extent_.centre - camera.target;
    const float aside = glm::length(off), most = kOff * visible;
    if (!holdsTarget && aside > most) camera.target += part * (1 - most / aside) * off;
    const float reach = extent_.radius + (holdsTarget ? aside : std::min(aside, most));
    float wanted = visible;
    if (reach > kFull * visible) wanted = reach / kFull;
    if (reach < kEmpty * visible) wanted = reach / kComfortable;
    camera.distance *= std::pow(wanted / visible, part);
}

}  // namespace gravlab
