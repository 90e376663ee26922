// Where on the surface runs are drawn, and with which camera. Rule: drawing, overlays and pointing all use this one list.
#pragma once
#include "render/camera.h"
#include "render/picture_part.h"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace gravlab {

struct Document;

/// A picture of a run and its place on the surface.
struct Viewport {
    PicturePart rectangle;  ///< the drawn rectangle
    Camera camera;          ///< its region gives the place of the frame in the rectangle
    std::size_t run = 0;
    PicturePart frame{};  ///< its centre shows the camera's target: the area of the rectangle that panels leave

    glm::vec2 corner() const { return {rectangle.left, rectangle.top}; }
    glm::vec2 size() const { return {rectangle.width, rectangle.height}; }
    glm::vec2 frameCorner() const { return {frame.left, frame.top}; }
    glm::vec2 frameSize() const { return {frame.width, frame.height}; }
};

/// One of four views. `across` and `up`: the axes along its edges, 0 to 2; -1 in the view of space.
struct FourViewRow {
    const char* title;
    int across, up;
};
inline constexpr std::array<FourViewRow, 4> kFourViews{{{"x-y", 0, 1}, {"space", -1, -1}, {"x-z", 0, 2}, {"y-z", 1, 2}}};
/// The row of the view of space; exposure adapts to it.
inline constexpr std::size_t kSpaceView = 1;

/// The pictures on a surface of that size, within `free` when that is large enough: one view, the rows of kFourViews, or a
/// view for each of two runs. A narrow view beside another one moves its camera back until it shows as much to both sides as
/// upwards.
std::vector<Viewport> viewports(const Document& document, int width, int height, const PicturePart& free);
/// The view under (or nearest to) a point of the surface.
const Viewport& viewportAt(std::span<const Viewport> views, glm::vec2 cursor);

/// The camera of a row: planes look along the third axis without perspective, from the distance of `space`.
Camera cameraOf(const FourViewRow& row, const Camera& space);
/// Half of the height that a plane shows [L].
double halfHeight(const Camera& space);

}  // namespace gravlab
