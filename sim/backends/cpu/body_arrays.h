// A state in arrays, in the layout that methods of the CPU read.
#pragma once
#include "sim/backends/cpu/aligned_array.h"
#include "sim/core/vec3.h"

#include <span>

namespace gravlab::cpu {

/// Positions [L] and sources of bodies, rounded to T.
template <class T>
struct BodyArrays {
    VectorArrays<T> x;
    AlignedArray<T> source;

    explicit BodyArrays(std::span<const Double4> bodies) : x(bodies.size()), source(bodies.size()) {
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            x.axis[0][i] = static_cast<T>(bodies[i].x);
            x.axis[1][i] = static_cast<T>(bodies[i].y);
            x.axis[2][i] = static_cast<T>(bodies[i].z);
            source[i] = static_cast<T>(bodies[i].w);
        }
    }
};

}  // namespace gravlab::cpu
