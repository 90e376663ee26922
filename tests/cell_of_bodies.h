// A cell like those that the tree makes of its bodies.
#pragma once
#include "sim/api/vectors.h"
#include "sim/tree/criterion.h"

#include <span>

namespace gravlab::testing_support {

/// The sum of the sources, their centre, and second moments about it.
inline CellMoments<double> cellOf(std::span<const Double4> bodies) {
    CellMoments<double> cell;
    for (const Double4& b : bodies) {
        cell.source += b.w;
        cell.x += b.w * b.x;
        cell.y += b.w * b.y;
        cell.z += b.w * b.z;
    }
    cell.x /= cell.source;
    cell.y /= cell.source;
    cell.z /= cell.source;
    for (const Double4& b : bodies) addSecondMoments(cell.moments, b.w, b.x - cell.x, b.y - cell.y, b.z - cell.z);
    return cell;
}

}  // namespace gravlab::testing_support
