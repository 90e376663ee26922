// Where a body will go: its path for some time ahead, computed from a copy of the run without touching it.
// Rule: what is left out is named by the method, and shown with the path.
#pragma once
#include "sim/core/particles.h"
#include "sim/forces/force_settings.h"
#include "sim/forces/force_term.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gravlab {

class Backend;

/// How a path is computed.
enum class TrajectoryMethod {
    copy,          ///< all bodies move, by the run's own integrator in fp64: exact as far as the motion is not chaotic
    rigidGalaxies  ///< many bodies: each galaxy goes on as a whole and keeps its shape; the body's pull on them is left out
};

/// A moment of a run, shared by the questions about it.
struct TrajectoryStart {
    std::shared_ptr<const ParticleSet> bodies;
    double time = 0;                      ///< [T]
    ForceSettings force;                  ///< its precision is not looked at
    ForceTerms others{};                  ///< what acts beside it; held shapes leave it out
    std::string integrator = "leapfrog";  ///< a row of the integrator table
    double timeStep = 0.01;               ///< of the run [T]; below 0: the path leads into the past
};

/// What is asked: a body of the run, or one that is not there yet.
struct TrajectoryRequest {
    std::shared_ptr<const TrajectoryStart> start;
    std::optional<std::uint32_t> id{};  ///< of a body of the run
    Double4 position{}, velocity{};     ///< of a body to come, as ParticleSet has them; without `id`
    double after = 0;                   ///< the body to come starts so much later than `start` [T]
    double duration = 0;                ///< how far ahead [T]; 0: about one turn and a half
};

/// A place at a time.
struct TrajectoryPoint {
    Vec3d place{};    ///< [L]
    double time = 0;  ///< [T], of the run's clock
};

/// The path as far as it is known.
struct Trajectory {
    TrajectoryMethod method = TrajectoryMethod::copy;
    std::size_t bodies = 0;               ///< whose pull is in it
    double until = 0;                     ///< where it will end [T]
    bool complete = false;                ///< it is there already, or ended at a body that is not finite
    std::vector<TrajectoryPoint> points;  ///< evenly spaced in time, about kTrajectoryPoints
    std::string integrator;               ///< that computed it
    std::string failure;                  ///< why there is no path; empty when there is
};

/// Up to so many bodies are copied and moved.
constexpr std::size_t kTrajectoryCopies = 384;
constexpr std::size_t kTrajectoryPoints = 400;

/// Computes one path piece by piece.
class TrajectoryPredictor {
public:
    /// Throws UsageError when there is no body with that id.
    explicit TrajectoryPredictor(const TrajectoryRequest& question);
    ~TrajectoryPredictor();
    TrajectoryPredictor(TrajectoryPredictor&&) noexcept;
    TrajectoryPredictor& operator=(TrajectoryPredictor&&) noexcept;

    /// Goes on for about `seconds`; true when the path is complete.
    bool advance(double seconds);
    const Trajectory& path() const { return path_; }

private:
    class Field;
    void startCopy(const TrajectoryRequest& question, ParticleSet bodies);
    bool advanceCopy(double seconds);
    void addPoint(const Vec3d& place, double time);

    Trajectory path_;
    std::unique_ptr<Backend> copy_;
    std::unique_ptr<Field> field_;
    std::size_t subject_ = 0;
    std::string integrator_;
    double timeStep_ = 0, from_ = 0;
    std::int64_t stepsLeft_ = 0, stepsAPoint_ = 1, done_ = 0;
    ParticleSet state_;
};

}  // namespace gravlab
