// Finds the clicked body, follows it on the GPU, and reads its state from occasional copies of the bodies; reads positions,
// velocities and accelerations of the bodies with labels or arrows.
// Rule: a window uses the newest result, and waits only for a copy of few bodies on the host. A film waits, so that its
// picture depends on the frame alone.
#pragma once
#include "app/runs/run_host.h"
#include "app/runs/sampler.h"
#include "render/nearest_bodies.h"
#include "render/picker.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace gravlab {

class SelectionReader {
public:
    /// Call it before the bodies are drawn, so that the camera of the picture knows their positions.
    void find(Document& document, RunHost& host, bool realTime);
    /// Call it after find(): it reads neighbours, velocity and energy. Throws std::bad_alloc.
    void read(Document& document, RunHost& host, bool realTime);
    bool busy() const { return pickWaits_ || states_.busy(); }
    /// Releases all OpenGL objects.
    void dropPicture();

private:
    void findNeighbours(Document& document, RunHost& host, bool realTime);
    void readFrom(const FedState& state, Document& document, const RunHost& host);

    std::unique_ptr<Picker> picker_;  // created at the first click
    bool pickWaits_ = false;
    std::unique_ptr<NearestBodies> nearest_;  // created at the first selection
    struct Question {
        std::uint64_t selection = 0;
        std::optional<std::uint32_t> orbitAround;  ///< id of the body at the centre of the orbit
        bool operator==(const Question&) const = default;
    };
    static constexpr double kInterval = 0.5;  // [s]
    StateSampler<Question> states_{{.interval = kInterval}};
    double nearestAt_ = -1;  ///< [s]; below 0: not yet
    std::int64_t nearestStep_ = -1;
};

class MarkReader {
public:
    /// Throws std::bad_alloc.
    void read(Document& document, RunHost& host, bool realTime);
    bool busy() const { return states_.busy(); }

private:
    void take(const FedState& state, Document& document, const RunHost& host) const;

    /// The inputs that the marks depend on.
    struct Question {
        std::uint64_t revision = 0, selections = 0;
        OverlayChoice shown;
        bool operator==(const Question&) const = default;
    };
    StateSampler<Question> states_;
};

}  // namespace gravlab
