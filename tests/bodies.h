// Bodies and comparisons for tests. Rule: comparisons are written so that a NaN fails them.
#pragma once
#include "sim/backends/backend.h"
#include "sim/core/particles.h"
#include "sim/core/random.h"

#include <cmath>
#include <cstring>
#include <vector>

namespace gravlab::testing_support {

/// A set from positions (w = mass) and velocities; ids 0, 1, ...
inline ParticleSet bodiesOf(const std::vector<Double4>& positions, const std::vector<Double4>& velocities) {
    ParticleSet bodies;
    bodies.resize(positions.size());
    for (std::size_t i = 0; i < positions.size(); ++i) {
        bodies.position[i] = positions[i];
        bodies.velocity[i] = velocities[i];
        bodies.velocity[i].w = 1;
        bodies.id[i] = static_cast<std::uint32_t>(i);
    }
    return bodies;
}

/// Unequal masses over three decades, every seventh body massless, one pair (massive) at the same place. All values are
/// floats, so that every precision starts from the same numbers.
inline ParticleSet unevenBodies(std::size_t count, std::uint64_t seed = 1) {
    std::vector<Double4> positions(count), velocities(count);
    for (std::size_t i = 0; i < count; ++i) {
        Random random(seed, i);
        // Multiples of 2^-20. A cast to float and back is not enough: GCC 12 -O3 drops the pair of casts when it vectorises.
        const auto number = [&](double low, double high) {
            return std::nearbyint(random.uniform(low, high) * 0x1p20) * 0x1p-20;
        };
        const float mass = static_cast<float>(std::pow(10.0, random.uniform(-3, 0)) / static_cast<double>(count));
        positions[i] = {number(-1, 1), number(-1, 1), number(-1, 1), i % 7 == 3 ? 0.0 : static_cast<double>(mass)};
        velocities[i] = {number(-0.5, 0.5), number(-0.5, 0.5), number(-0.5, 0.5), 1};
    }
    if (count > 2) {
        const double mass = positions[count / 2].w;
        positions[count / 2] = positions[0];
        positions[count / 2].w = mass;
    }
    return bodiesOf(positions, velocities);
}

/// The four bodies of the golden forces.
inline ParticleSet goldenBodies() {
    return bodiesOf({{0, 0, 0, 1}, {1, 0, 0, 2}, {0, 2, 0, 3}, {0, 0, 3, 4}},
                    {{0.5, 0, 0, 1}, {0, 0.25, 0, 1}, {0, 0, -0.5, 1}, {-0.25, 0.125, 0, 1}});
}

/// Accelerations of goldenBodies(), computed with 40 digits.
struct Golden {
    double softening, a[4][3];
};
inline constexpr Golden kGolden[] = {
    {0,
     {{2.0, 0.75, 0.44444444444444444444},
      {-1.3948192637067099368, 0.53665631459994952714, 0.37947331922020551984},
      {0.17888543819998317571, -0.77844785985388300435, 0.25601547518087497939},
      {0.06324555320336758664, 0.1280077375904374897, -0.49285937710687010558}}},
    {0.5,
     {{1.4310835055998654057, 0.68480647069082251347, 0.42654872381930539821},
      {-1.086825343951337789, 0.49878374911083972861, 0.36567514978795566562},
      {0.16626124970361324287, -0.72666068321076035881, 0.24880404035988955287},
      {0.060945858297992610936, 0.12440202017994477644, -0.47607778611872134702}}},
};

inline bool sameBytes(const std::vector<Double4>& a, const std::vector<Double4>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Double4)) == 0);
}

/// Same positions and velocities to the last bit, same ids.
inline bool sameState(const ParticleSet& a, const ParticleSet& b) {
    return sameBytes(a.position, b.position) && sameBytes(a.velocity, b.velocity) && a.id == b.id && a.group == b.group;
}

/// Makes `steps` steps in slices of `seconds`, and waits for them.
inline void advanceBy(Backend& backend, StepProgram program, double timeStep, std::int64_t steps,
                      double seconds = Budget{}.seconds) {
    for (std::int64_t done = 0; done < steps;)
        done += backend.advance(program, timeStep, {.seconds = seconds, .steps = steps - done}, nullptr).stepsCompleted;
    backend.wait();
}

inline ParticleSet stateOf(Backend& backend) { return backend.bodies(); }

/// Accepts the states that a backend publishes, in host memory, and records its calls.
class RecordingSink final : public VertexSink {
public:
    MemorySpace space() const override { return MemorySpace::host; }
    VertexSpan open(std::size_t count, void*) override {
        ++opened;
        vertices.assign(count, ParticleVertex{NAN, NAN, NAN, NAN});
        return {vertices.data(), count};
    }
    void close(void*) override { ++closed; }

    int opened = 0, closed = 0;
    std::vector<ParticleVertex> vertices;
};

}  // namespace gravlab::testing_support
