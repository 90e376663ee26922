// Mass per volume around every body, estimated on the GPU. Rule: the estimate is for colours only.
#pragma once
#include "render/gl_objects.h"
#include "render/particle_buffer.h"
#include "render/stage_timer.h"

#include <cstddef>
#include <memory>
#include <span>

namespace gravlab {

/// Space in cubes, halved where they contain many bodies. The density of a body is that of the smallest cube around it with
/// enough bodies, smoothed with the neighbours.
class DensityField {
public:
    /// Masses of all bodies [M], in body order.
    void setMasses(std::span<const float> masses);
    /// Replaces the values of `traits` (a buffer of BodyTrait, one per body) by densities [M/L^3]. The largest cubes are
    /// about as large as `size` [L]. False when the masses belong to another number of bodies.
    bool measure(const ParticleBuffer& bodies, GLuint traits, float size);

    /// GPU time of the newest finished estimate [ms]; never waits.
    double milliseconds();

    static constexpr int kLevels = 12;

private:
    void fit(std::size_t bodies);
    Program bin_{"density_bin.comp"}, read_{"density_read.comp"};
    std::unique_ptr<Buffer> masses_, cells_;
    std::size_t count_ = 0, cellCount_ = 0;
    double total_ = 0, milliseconds_ = 0;
    GpuTimer timer_;
};

}  // namespace gravlab
