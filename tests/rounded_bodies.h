// Bodies as methods of the CPU read them in single precision, for methods and references.
#pragma once
#include "sim/backends/cpu/aligned_array.h"
#include "sim/backends/cpu/methods/cpu_method.h"
#include "sim/core/particles.h"

#include <vector>

namespace gravlab::testing_support {

struct RoundedBodies : cpu::BodyArrays<float> {
    std::vector<Double4> rounded;

    explicit RoundedBodies(const ParticleSet& bodies) : BodyArrays(bodies.position) {
        for (std::size_t i = 0; i < bodies.size(); ++i)
            rounded.push_back({x.axis[0][i], x.axis[1][i], x.axis[2][i], source[i]});
    }
    std::size_t size() const { return rounded.size(); }
    cpu::CpuBodies<float> view() const {
        return {{x.axis[0].data(), x.axis[1].data(), x.axis[2].data()}, source.data(), size()};
    }
};

}  // namespace gravlab::testing_support
