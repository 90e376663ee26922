// The orbit camera. z is up; angles are those on a globe seen from outside.
#include "render/camera.h"

#include <glm/ext/matrix_clip_space.hpp>
#include <glm/ext/matrix_transform.hpp>
#include <glm/geometric.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gravlab {
namespace {

constexpr float kRadiansPerPixel = 0.006f;
constexpr float kPole = 1.55f;         // below pi/2, where "up" would flip
constexpr float kZoomPerStep = 0.88f;  // one notch of a wheel
constexpr float kNearest = 1e-5f, kFarthest = 1e7f;

struct Axes {
    glm::vec3 right, up, forward;
};

Axes axesOf(const Camera& camera) {
    const glm::vec3 forward = glm::normalize(camera.target - camera.eye());
    const glm::vec3 right = glm::normalize(glm::cross(forward, glm::vec3(0, 0, 1)));
    return {right, glm::cross(right, forward), forward};
}

}  // namespace

glm::vec3 Camera::eye() const {
    const float e = std::clamp(elevation, -kPole, kPole);
    return target + distance * glm::vec3(std::cos(e) * std::cos(azimuth), std::cos(e) * std::sin(azimuth), std::sin(e));
}

glm::mat4 Camera::view() const { return glm::lookAt(eye(), target, glm::vec3(0, 0, 1)); }

glm::mat4 Camera::projection(float aspect) const {
    const float whole = aspect * part.w / part.z;
    glm::mat4 projection;
    if (orthographic) {
        const float up = distance * std::tan(fieldOfView / 2), depth = 1e4f * distance;
        projection = glm::ortho(-up * whole, up * whole, -up, up, -depth, depth);
    } else {
        // There is no depth buffer, so the planes only clip: near is proportional to the distance, far is at infinity.
        projection = glm::infinitePerspective(fieldOfView, whole, distance * 1e-3f);
    }
    if (part == glm::vec4(0, 0, 1, 1)) return projection;
    glm::mat4 crop(1);
    crop[0][0] = 1 / part.z;
    crop[1][1] = 1 / part.w;
    crop[3][0] = (1 - 2 * part.x) / part.z - 1;
    crop[3][1] = (1 - 2 * part.y) / part.w - 1;
    return crop * projection;
}

float Camera::lengthPerPixel(glm::vec2 viewport) const {
    return 2 * distance * std::tan(fieldOfView / 2) * part.w / std::max(viewport.y, 1.0f);
}

glm::vec3 Camera::pointUnder(glm::vec2 cursor, glm::vec2 viewport) const {
    const Axes axes = axesOf(*this);
    const glm::vec2 offset = cursor - 0.5f * viewport;
    return target + lengthPerPixel(viewport) * (offset.x * axes.right - offset.y * axes.up);
}

void Camera::orbit(glm::vec2 pixels) {
    azimuth = std::remainder(azimuth - kRadiansPerPixel * pixels.x, 2 * std::numbers::pi_v<float>);
    elevation = std::clamp(elevation + kRadiansPerPixel * pixels.y, -kPole, kPole);
}

void Camera::pan(glm::vec2 pixels, glm::vec2 viewport) {
    const Axes axes = axesOf(*this);
    const float scale = lengthPerPixel(viewport);
    target += scale * (-pixels.x * axes.right + pixels.y * axes.up);
}

void Camera::fly(glm::vec3 way) {
    const Axes axes = axesOf(*this);
    target += distance * (way.x * axes.right + way.y * axes.up + way.z * axes.forward);
}

void Camera::zoom(float steps, glm::vec2 cursor, glm::vec2 viewport) {
    const Axes axes = axesOf(*this);
    const glm::vec2 offset = cursor - 0.5f * viewport;
    const glm::vec3 under = lengthPerPixel(viewport) * (offset.x * axes.right - offset.y * axes.up);
    const float wanted = std::clamp(distance * std::pow(kZoomPerStep, steps), kNearest, kFarthest);
    // The point under the cursor in the target's plane must not move: shift the target as the plane shrinks by the ratio.
    target += (1 - wanted / distance) * under;
    distance = wanted;
}

}  // namespace gravlab
