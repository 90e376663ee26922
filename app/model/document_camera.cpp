// Motion of the camera: by itself, and by pixels of the picture under the cursor.
#include "app/model/document.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gravlab {
namespace {

bool near(float a, float b, float scale) { return std::abs(a - b) <= 1e-4f * scale; }

bool alike(const Camera& a, const Camera& b) {
    const float size = std::max(b.distance, 1e-6f);
    return near(a.distance, b.distance, size) && near(a.azimuth, b.azimuth, 1) && near(a.elevation, b.elevation, 1) &&
           near(a.target.x, b.target.x, size) && near(a.target.y, b.target.y, size) && near(a.target.z, b.target.z, size);
}

/// The camera of a picture, at the wanted position instead of the drawn one, which is still moving there.
Camera aimedLike(Camera picture, const Camera& wanted) {
    picture.target = wanted.target;
    picture.distance = wanted.distance;
    return picture;
}

}  // namespace

void Document::turn(double seconds) {
    if (tour.playing) {
        tour.advance(seconds, camera);
        shown = camera;
        gliding = false;
        return;
    }
    if (rotation == 0) return;
    const auto angle = static_cast<float>(rotation * std::clamp(seconds, 0.0, 0.25));
    camera.azimuth = std::remainder(camera.azimuth + angle, 2 * std::numbers::pi_v<float>);
    if (!gliding) shown = camera;
}

void Document::glide(double seconds) {
    if (!gliding && alike(shown, camera)) return;
    constexpr double kTimeConstant = 0.05;  // [s]; below this a drag feels direct, above it feels like rubber
    const auto part = static_cast<float>(1 - std::exp(-std::max(seconds, 0.0) / kTimeConstant));
    shown.distance *= std::pow(camera.distance / shown.distance, part);
    shown.azimuth += part * std::remainder(camera.azimuth - shown.azimuth, 6.2831853f);
    shown.elevation += part * (camera.elevation - shown.elevation);
    shown.target += part * (camera.target - shown.target);
    shown.fieldOfView = camera.fieldOfView;
    shown.orthographic = camera.orthographic;
    gliding = !alike(shown, camera);
    if (!gliding) shown = camera;
}

void Document::aimAt(glm::vec3 target) {
    const glm::vec3 way = target - camera.target;
    camera.target += way;
    shown.target += way;
}

Document::SurfaceSpot Document::spotAt(glm::vec2 cursor, glm::vec2 surface) const {
    const auto pictures = viewports(*this, static_cast<int>(surface.x), static_cast<int>(surface.y), free);
    const Viewport& view = viewportAt(pictures, cursor);
    Camera framed = view.camera;
    framed.part = Camera{}.part;  // cursor and size are those of its frame
    return {cursor - view.frameCorner(), view.frameSize(), framed, view.run};
}

void Document::zoomAt(float steps, glm::vec2 cursor, glm::vec2 surface) {
    frameAll = false;
    const SurfaceSpot spot = spotAt(cursor, surface);
    if (fourViewed()) {
        Camera moved = aimedLike(spot.camera, camera);
        moved.zoom(steps, spot.cursor, spot.size);
        camera.target = moved.target;
        camera.distance = moved.distance;
        return;
    }
    const float stretch = spot.camera.distance / drawnCamera().distance;
    // In a stretched picture the camera needs the unstretched size of the surface.
    const glm::vec2 seen = spot.size / stretch;
    camera.zoom(steps, spot.cursor - 0.5f * spot.size + 0.5f * seen, seen);
}

void Document::panBy(glm::vec2 pixels, glm::vec2 cursor, glm::vec2 surface) {
    frameAll = false;
    const SurfaceSpot spot = spotAt(cursor, surface);
    if (fourViewed()) {
        Camera moved = aimedLike(spot.camera, camera);
        moved.pan(pixels, spot.size);
        camera.target = moved.target;
        return;
    }
    camera.pan(pixels, spot.size * (drawnCamera().distance / spot.camera.distance));
}

void Document::centreOn(glm::vec2 cursor, glm::vec2 surface) {
    frameAll = false;
    const SurfaceSpot spot = spotAt(cursor, surface);
    if (fourViewed()) {
        panBy(0.5f * spot.size - spot.cursor, cursor, surface);
        return;
    }
    camera.pan(0.5f * spot.size - spot.cursor, spot.size * (drawnCamera().distance / spot.camera.distance));
}

}  // namespace gravlab
