#include "app/model/viewport.h"

#include "app/model/document.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gravlab {
namespace {

constexpr int kGap = 2;  // pixels between pictures

/// What panels leave; where that is next to nothing, pictures are drawn under them.
PicturePart areaOf(int width, int height, const PicturePart& free) {
    const bool fits = free.width >= 64 && free.height >= 64 && free.left >= 0 && free.top >= 0 &&
                      free.left + free.width <= width && free.top + free.height <= height;
    return fits ? free : PicturePart{0, 0, std::max(width, 1), std::max(height, 1)};
}

std::vector<Viewport> fourOf(const Camera& space, const PicturePart& area) {
    const int wide = std::max((area.width - kGap) / 2, 1), tall = std::max((area.height - kGap) / 2, 1);
    std::vector<Viewport> views;
    for (int i = 0; i < 4; ++i)
        views.push_back({{area.left + (i % 2) * (wide + kGap), area.top + (i / 2) * (tall + kGap), wide, tall},
                         cameraOf(kFourViews[static_cast<std::size_t>(i)], space)});
    return views;
}

std::vector<Viewport> sideBySide(Camera camera, const PicturePart& area, int width) {
    const int half = std::max((area.width - kGap) / 2, 1);
    const float aspect = static_cast<float>(half) / static_cast<float>(area.height);
    camera.distance *= std::max(1 / aspect, 1.0f);
    const int second = std::min(area.left + area.width - half, std::max(width - 1, 0));
    return {{{area.left, area.top, half, area.height}, camera, 0}, {{second, area.top, half, area.height}, camera, 1}};
}

}  // namespace

std::vector<Viewport> viewports(const Document& document, int width, int height, const PicturePart& free) {
    const Camera& camera = document.drawnCamera();
    const PicturePart whole{0, 0, std::max(width, 1), std::max(height, 1)};
    const TwinFacts& twin = document.facts.twin;
    if (document.fourViewed()) return fourOf(camera, areaOf(width, height, free));
    if (!twin.on) return {{whole, camera}};
    if (twin.view == TwinView::side) return sideBySide(camera, areaOf(width, height, free), width);
    return {{whole, camera, 0}, {whole, camera, 1}};
}

const Viewport& viewportAt(std::span<const Viewport> views, glm::vec2 cursor) {
    // The last column and the last row that the cursor has reached; pictures of one over the other have neither.
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
