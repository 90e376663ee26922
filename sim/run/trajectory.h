// The future path of a body for some time ahead, computed from a copy of the run without changing it.
// Rule: the method names what is left out, and the path shows it.
#pragma once
#include "sim/api/law.h"
#include "sim/core/particles.h"
#include "sim/forces/force_term.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gravlab {

class Backend;

enum class TrajectoryMethod {
    copy,          ///< all bodies move, by the run's own integrator in fp64: exact as long as the motion is not chaotic
    rigidGalaxies  ///< large N: each galaxy moves as a whole and keeps its shape; the body's pull on the galaxies is left
                   ///< out
};

/// A moment of a run, shared by all requests about it.
struct TrajectoryStart {
    std::shared_ptr<const ParticleSet> bodies;
    double time = 0;                      ///< [T]
    ForceSettings force;                  ///< its precision is ignored
    ForceTerms others{};                  ///< terms beside it; rigid galaxies leave them out
    std::string integrator = "leapfrog";  ///< a row of the integrator table
    double timeStep = 0.01;               ///< of the run [T]; below 0: the path leads into the past
};

/// Request for the path of a body of the run, or of a new one.
struct TrajectoryRequest {
    std::shared_ptr<const TrajectoryStart> start;
    std::optional<std::uint32_t> id{};  ///< a body of the run
    Double4 position{}, velocity{};     ///< a new body, as in ParticleSet; without `id`
    double after = 0;                   ///< delay of the new body's start after `start` [T]
    double duration = 0;                ///< length of the path [T]; 0: about one and a half revolutions
};

struct TrajectoryPoint {
    Vec3d place{};    ///< [L]
    double time = 0;  ///< [T], of the run's clock
};

/// The path as far as it is known.
struct Trajectory {
    TrajectoryMethod method = TrajectoryMethod::copy;
    std::size_t bodies = 0;               ///< number of bodies whose pull is included
    double until = 0;                     ///< time at its end [T]
    bool complete = false;                ///< the path has reached its end, or ended at a body that is not finite
    std::vector<TrajectoryPoint> points;  ///< evenly spaced in time, about kTrajectoryPoints
    std::string integrator;               ///< integrator that computed it
    std::string failure;                  ///< why there is no path; empty when there is one
};

/// Largest number of bodies that are copied and moved.
constexpr std::size_t kTrajectoryCopies = 384;
constexpr std::size_t kTrajectoryPoints = 400;

/// Computes one path in several calls.
class TrajectoryPredictor {
public:
    /// Throws UsageError when there is no body with that id.
    explicit TrajectoryPredictor(const TrajectoryRequest& question);
    ~TrajectoryPredictor();
    TrajectoryPredictor(TrajectoryPredictor&&) noexcept;
    TrajectoryPredictor& operator=(TrajectoryPredictor&&) noexcept;

    /// Continues for about `seconds`; true when the path is complete.
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
    std::int64_t stepsLeft_ = 0, stepsPerPoint_ = 1, done_ = 0;
    ParticleSet state_;
};

}  // namespace gravlab
