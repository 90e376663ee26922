// Charges that are hard for cells: at one position, without extent, cancelling, over many decades.
#pragma once
#include "sim/core/random.h"
#include "tests/bodies.h"

#include <cmath>
#include <string_view>

namespace gravlab::testing_support {

/// unevenBodies() with the sign of every second source inverted, arranged by the name; an unknown name changes nothing.
/// Sources are floats.
inline ParticleSet chargedShape(std::size_t count, std::string_view name) {
    ParticleSet bodies = unevenBodies(count);
    for (std::size_t i = 0; i < count; ++i) {
        Double4& at = bodies.position[i];
        if (i % 2 == 1) at.w = -at.w;
        if (name == "point") at = {1, 2, 3, at.w};
        if (name == "three points") at = {static_cast<double>(i % 3), 1, 0.5, at.w};
        if (name == "line") at = {at.x, 0.5, -0.25, at.w};
        if (name == "far" && i == 0) at = {1e6, -1e6, 1e6, at.w};
        if (name == "none") at.w = 0;
        if (name == "pairs" && i % 2 == 1)
            at = {bodies.position[i - 1].x, bodies.position[i - 1].y, bodies.position[i - 1].z, -bodies.position[i - 1].w};
        if (name == "spread")
            at.w = static_cast<float>((i % 2 ? 1 : -1) * std::pow(10.0, 12.0 * Random(3, i).uniform(0, 1)));
        if (name == "near") at = {1 + 1e-6 * at.x, 1 + 1e-6 * at.y, 1e-6 * at.z, at.w};
    }
    return bodies;
}

}  // namespace gravlab::testing_support
