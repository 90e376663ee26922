#include "app/model/viewport.h"

#include "app/model/document.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gravlab {
namespace {

constexpr int kGap = 2;  // pixels between pictures

/// The area that panels leave; when it is too small, pictures lie under the panels.
PicturePart areaOf(int width, int height, const PicturePart& free) {
    const bool fits = free.width >= 64 && free.height >= 64 && free.left >= 0 && free.top >= 0 &&
                      free.left + free.width <= width && free.top + free.height <= height;
    return fits ? free : PicturePart{0, 0, std::max(width, 1), std::max(height, 1)};
}

Viewport framed(const PicturePart& rectangle, const Camera& camera, std::size_t run = 0) {
    return {rectangle, camera, run, rectangle};
}

/// Moves the camera back until the picture shows as much to both sides as upwards.
Camera fitted(Camera camera, int width, int height) {
    camera.distance *= std::max(static_cast<float>(height) / static_cast<float>(std::max(width, 1)), 1.0f);
    return camera;
}

/// Draws on the whole surface, with the camera's picture in the area that panels leave.
Viewport offCentre(const PicturePart& whole, const Camera& camera, const PicturePart& frame, std::size_t run) {
    if (frame == whole) return framed(whole, camera, run);
    const auto wide = static_cast<float>(frame.width), high = static_cast<float>(frame.height);
    Camera seen = fitted(camera, frame.width, frame.height);
    const int below = whole.height - frame.top - frame.height;
    seen.part = {-static_cast<float>(frame.left) / wide, -static_cast<float>(below) / high,
                 static_cast<float>(whole.width) / wide, static_cast<float>(whole.height) / high};
    return {whole, seen, run, frame};
}

std::vector<Viewport> fourOf(const Camera& space, const PicturePart& area) {
    const int wide = std::max((area.width - kGap) / 2, 1), tall = std::max((area.height - kGap) / 2, 1);
    std::vector<Viewport> views;
    for (int i = 0; i < 4; ++i)
        views.push_back(framed({area.left + (i % 2) * (wide + kGap), area.top + (i / 2) * (tall + kGap), wide, tall},
                               cameraOf(kFourViews[static_cast<std::size_t>(i)], space)));
    return views;
}

std::vector<Viewport> sideBySide(const Camera& camera, const PicturePart& area, int width) {
    const int half = std::max((area.width - kGap) / 2, 1);
    const Camera seen = fitted(camera, half, area.height);
    const int second = std::min(area.left + area.width - half, std::max(width - 1, 0));
    return {framed({area.left, area.top, half, area.height}, seen, 0),
            framed({second, area.top, half, area.height}, seen, 1)};
}

}  // namespace

std::vector<Viewport> viewports(const Document& document, int width, int height, const PicturePart& free) {
    const Camera& camera = document.drawnCamera();
    const PicturePart whole{0, 0, std::max(width, 1), std::max(height, 1)}, area = areaOf(width, height, free);
    const TwinFacts& twin = document.facts.twin;
    if (document.fourViewed()) return fourOf(camera, area);
    if (!twin.on) return {offCentre(whole, camera, area, 0)};
    if (twin.view == TwinView::side) return sideBySide(camera, area, width);
    return {offCentre(whole, camera, area, 0), offCentre(whole, camera, area, 1)};
}

const Viewport& viewportAt(std::span<const Viewport> views, glm::vec2 cursor) {
    // Find the last column and row that begin before the cursor; overlaid pictures have neither.
    std::size_t at = 0;
    if (views.size() > 1 && views[1].rectangle.left > views[0].rectangle.left &&
        cursor.x >= static_cast<float>(views[1].rectangle.left))
        at += 1;
    if (views.size() > 2 && cursor.y >= static_cast<float>(views[2].rectangle.top)) at += 2;
    return views[at];
}

Camera cameraOf(const FourViewRow& row, const Camera& space) {
    constexpr float kQuarter = std::numbers::pi_v<float> / 2;
    Camera camera = space;
    if (row.across < 0) return camera;
    camera.orthographic = true;
    camera.elevation = row.up == 1 ? kQuarter : 0;
    camera.azimuth = row.across == 0 ? -kQuarter : 0;
    return camera;
}

double halfHeight(const Camera& space) {
    return static_cast<double>(space.distance) * std::tan(static_cast<double>(space.fieldOfView) / 2);
}

}  // namespace gravlab
