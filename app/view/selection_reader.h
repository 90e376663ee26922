// What is known of the selected body: found by a click, watched on the GPU, read now and then from a copy of the bodies.
// Rule: asks, takes up what was answered, and never waits in a window; a film waits, so that it depends on the frame alone.
#pragma once
#include "app/services/run_host.h"
#include "app/services/sampler.h"
#include "render/nearest_bodies.h"
#include "render/picker.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace gravlab {

class SelectionReader {
public:
    /// Before the bodies are drawn, so that the camera of the picture knows where they are.
    void find(Document& document, RunHost& host, bool realTime);
    /// After that: neighbours, speed and energy. Throws std::bad_alloc.
    void read(Document& document, RunHost& host, bool realTime);
    bool busy() const { return pickAsked_ || states_.busy(); }
    /// Lets go of everything of OpenGL.
    void dropPicture();

private:
    void findNeighbours(Document& document, RunHost& host, bool realTime);
    void readFrom(const FedState& state, Document& document, const RunHost& host);

    std::unique_ptr<Picker> picker_;  // from the first click
    bool pickAsked_ = false;
    std::unique_ptr<NearestBodies> nearest_;  // from the first selection
    struct Question {
        std::uint64_t selection = 0;
        std::optional<std::uint32_t> orbitAround;  ///< id of the body that the orbit is about
        bool operator==(const Question&) const = default;
    };
    static constexpr double kInterval = 0.5;  // [s]
    StateSampler<Question> states_{{.interval = kInterval}};
    double nearestAt_ = -1;  ///< [s]; below 0: not yet
    std::int64_t nearestStep_ = -1;
};

}  // namespace gravlab
