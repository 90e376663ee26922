// Where on a surface a picture is.
#pragma once

namespace gravlab {

/// A part of a surface, in pixels from its upper left corner.
struct PicturePart {
    int left = 0, top = 0, width = 0, height = 0;
    bool operator==(const PicturePart&) const = default;
};

}  // namespace gravlab
