// The future path of the selected body: requested when it is needed, and again when the body has left it.
// Rule: a state is requested only then, and seldom where N is very large.
#pragma once
#include "app/services/sampler.h"
#include "sim/run/simulation.h"
#include "sim/run/trajectory.h"

#include <glm/ext/vector_double3.hpp>
#include <glm/vec3.hpp>

namespace gravlab {

struct BodyReadout;
struct PathAhead;
class Slingshot;

/// Computes paths. A new question drops the old one, and a path grows while it is computed. A failed path carries its
/// reason.
class TrajectoryWorker : public Worker<TrajectoryRequest, Trajectory> {
public:
    TrajectoryWorker();
};

class TrajectoryPrediction {
public:
    TrajectoryPrediction();
    /// Call once a frame, after the selection has been read. `wait`: for films.
    void update(Simulation& simulation, StateFeed& feed, const PathAhead& ahead, const BodyReadout* selected, double now,
                bool wait);
    /// The path as far as it is known; without points while nothing is selected or wanted.
    const Trajectory& path() const { return known_.path; }
    /// A path is under way.
    bool busy() const { return sampler_.busy(); }

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
class DropPrediction {
public:
    /// Call once a frame. Requests a path a few times a second while the arrow is dragged.
    void update(const Simulation& simulation, StateFeed& feed, const Slingshot& tool, double response, double now);
    const Trajectory& path() const { return path_; }
    bool busy() const { return asked_.waiting() || worker_.busy(); }

private:
    TrajectoryWorker worker_;
    Trajectory path_;
    StateTicket asked_;
    std::shared_ptr<const TrajectoryStart> start_;  ///< for very large N, requested once per drag
    bool shown_ = false;
    double askedAt_ = -1;
    glm::dvec3 velocity_{0};
};

/// The state of a running simulation from which a trajectory is predicted.
std::shared_ptr<const TrajectoryStart> trajectoryStart(const std::shared_ptr<const FedState>& state);

/// What a path includes and leaves out, in words: "all 9 bodies move, radau15 in fp64".
std::string trajectoryText(const Trajectory& path);

}  // namespace gravlab
