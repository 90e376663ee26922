// Where on the surface runs are seen, and with which camera. Rule: whatever is drawn, written over a picture or pointed at
// goes through this one list.
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
    PicturePart rectangle;  ///< that is drawn
    Camera camera;          ///< its part says where in the rectangle its frame is
    std::size_t run = 0;
    PicturePart frame{};  ///< that the camera's target is in the middle of: what panels leave of the rectangle

    glm::vec2 corner() const { return {rectangle.left, rectangle.top}; }
    glm::vec2 size() const { return {rectangle.width, rectangle.height}; }
    glm::vec2 frameCorner() const { return {frame.left, frame.top}; }
    glm::vec2 frameSize() const { return {frame.width, frame.height}; }
};

/// One of four views. `across` and `up`: the axes that run along its edges, 0 to 2; -1 in the view of space.
struct FourViewRow {
    const char* title;
    int across, up;
};
inline constexpr std::array<FourViewRow, 4> kFourViews{{{"x-y", 0, 1}, {"space", -1, -1}, {"x-z", 0, 2}, {"y-z", 1, 2}}};
/// The row of the view of space, which light adapts to.
inline constexpr std::size_t kSpaceView = 1;

/// What is shown on a surface of that size, within `free` where that is large enough: one view, the rows of kFourViews, or a
/// view for each of two runs, side by side or one over the other. Beside another, a narrow view stands as much farther away
/// as it needs to show as much to both sides as upwards.
std::vector<Viewport> viewports(const Document& document, int width, int height, const PicturePart& free);
/// The one under (or nearest to) a point of the surface.
const Viewport& viewportAt(std::span<const Viewport> views, glm::vec2 cursor);

/// The camera of a row: planes look along the third axis without perspective, from as far away as `space` does.
Camera cameraOf(const FourViewRow& row, const Camera& space);
/// Half of what a plane shows upwards [L].
double halfHeight(const Camera& space);

}  // namespace gravlab
