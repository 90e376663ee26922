// The future path of the selected body: requested when it is needed, and again when the body has left it.
// Rule: a state is requested only then, and seldom where N is very large.
#pragma once
#include "app/runs/sampler.h"
#include "app/services/service.h"
#include "sim/api/vectors.h"
#include "sim/run/trajectory.h"

#include <glm/vec3.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace gravlab {

/// Computes a path and reports it as it grows. It stops once the worker has dropped the request. A failed path carries its
/// reason.
Trajectory predictedPath(const TrajectoryRequest& request, const std::function<void(Trajectory)>& report = {});

class TrajectoryPrediction : public Service {
public:
    TrajectoryPrediction();
    /// Call it after the selection has been read.
    void look(const ServiceFrame& frame) override;
    /// The path as far as it is known; without points while nothing is selected or wanted.
    const Trajectory& path() const { return known_.path; }
    bool busy() const override { return sampler_.busy(); }

private:
    struct Question {
        std::uint32_t id = 0;
        double duration = 0;
        std::uint64_t revision = 0;  ///< revision of the Simulation
        bool operator==(const Question&) const = default;
    };
    struct Path {
        Trajectory path;
        double begins = 0;  ///< time of the state that it was computed from [T]
    };
    bool stale(double time, const glm::vec3* place) const;

    Path known_;
    Sampler<Question, Path> sampler_;
};

/// The path of a body that would be dropped now.
class DropPrediction : public Service {
public:
    DropPrediction();
    /// Requests a path a few times a second while the arrow is dragged.
    void look(const ServiceFrame& frame) override;
    const Trajectory& path() const { return known_.path; }
    bool busy() const override { return sampler_.busy(); }

private:
    struct Question {
        Double4 position{}, velocity{};  ///< of the body, with mass and response
        bool operator==(const Question&) const = default;
    };
    struct Path {
        Trajectory path;
        std::shared_ptr<const TrajectoryStart> start{};
    };
    static Path predicted(const std::shared_ptr<const TrajectoryStart>& start, const Question& wish, double after,
                          const std::function<void(Path)>& report);

    Path known_;
    std::optional<Question> question_;  ///< a dragged arrow changes in every frame, a question less often
    double questionAt_ = 0;             ///< host clock [s]
    Sampler<Question, Path> sampler_;
};

/// The state of a running simulation from which a trajectory is predicted.
std::shared_ptr<const TrajectoryStart> trajectoryStart(const std::shared_ptr<const FedState>& state);

/// What a path includes and leaves out, in words: "all 9 bodies move, radau15 in fp64".
std::string trajectoryText(const Trajectory& path);

}  // namespace gravlab
