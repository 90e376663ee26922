// Light budget of a picture: N bodies of radius r share an area that goes with the square of the camera's distance.
#include "app/look.h"

#include <algorithm>
#include <cmath>

namespace gravlab {
namespace {

// Chosen by eye on two colliding discs of 8,192 and 65,536 bodies at 1280x720: cores just below white, arms in colour.
constexpr double kSurfaceBrightness = 0.5;
// A single body is never brighter, so that few bodies are coloured and not white.
constexpr double kBrightest = 12;
// Up to this many bodies the scene's own radius holds; above, it shrinks with the fifth root: 8 times the bodies, 2/3 of it.
constexpr double kFinerAbove = 8192;

}  // namespace

Camera sceneCamera(const ScenarioView& view) {
    Camera camera;
    camera.distance = static_cast<float>(view.distance);
    camera.azimuth = static_cast<float>(view.azimuth);
    camera.elevation = static_cast<float>(view.elevation);
    camera.target = {static_cast<float>(view.target[0]), static_cast<float>(view.target[1]),
                     static_cast<float>(view.target[2])};
    return camera;
}

Look sceneLook(const ScenarioView& view, std::size_t bodies) {
    const double n = static_cast<double>(std::max<std::size_t>(bodies, 1));
    const double radius = view.pointSize * std::pow(std::max(n / kFinerAbove, 1.0), -0.2);
    const double spread = view.distance / radius;
    Look look;
    look.pointSize = static_cast<float>(radius);
    look.valueScale = static_cast<float>(view.speedScale);
    look.brightness = static_cast<float>(view.exposure * std::min(kBrightest, kSurfaceBrightness * spread * spread / n));
    return look;
}

}  // namespace gravlab
