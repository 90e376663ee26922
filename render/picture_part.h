// The place of a picture on a surface.
#pragma once

namespace gravlab {

/// A rectangle of a surface, in pixels from its upper left corner.
struct PicturePart {
    int left = 0, top = 0, width = 0, height = 0;
    bool operator==(const PicturePart&) const = default;
};

}  // namespace gravlab
