// Small systems are copied into a backend of their own; in large ones the pull of all bodies acts on one.
#include "sim/run/trajectory.h"

#include "sim/api/errors.h"
#include "sim/backends/backend.h"
#include "sim/core/body_edit.h"
#include "sim/core/particles.h"
#include "sim/run/rigid_galaxies.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

namespace gravlab {
namespace {

constexpr double kTurns = 1.5;      // revolutions shown by default
constexpr double kMostPairs = 4e9;  // per path: some seconds of one core
constexpr std::int64_t kMostSteps = 4'000'000;
constexpr std::int64_t kFieldSteps = 800;  // steps for one and a half revolutions

/// Time of one and a half revolutions about a centre, from distance and speed; 200 to 1e6 time steps.
double usualDuration(const Vec3d& away, const Vec3d& speed, double timeStep) {
    const double step = std::abs(timeStep), v = length(speed);
    const double turn = v > 0 ? 2 * std::numbers::pi * length(away) / v : 0;
    return std::clamp(kTurns * turn, 200 * step, 1e6 * step);
}

}  // namespace

/// The body in the field of all others, whose galaxies keep their shapes.
class TrajectoryPredictor::Field {
public:
    Field(const TrajectoryStart& start, std::optional<std::size_t> without) : shapes(*start.bodies, start.force, without) {}

    /// Leapfrog; the galaxies are moved to the middle of the step, where the pull is evaluated.
    void step(double dt) {
        place += 0.5 * dt * velocity;
        shapes.move(0.5 * dt);
        velocity += dt * response * shapes.accelerationAt(place);
        place += 0.5 * dt * velocity;
        shapes.move(0.5 * dt);
    }

    RigidGalaxies shapes;
    Vec3d place{}, velocity{};
    double response = 1;  ///< see ParticleSet
};

TrajectoryPredictor::~TrajectoryPredictor() = default;
TrajectoryPredictor::TrajectoryPredictor(TrajectoryPredictor&&) noexcept = default;
TrajectoryPredictor& TrajectoryPredictor::operator=(TrajectoryPredictor&&) noexcept = default;

TrajectoryPredictor::TrajectoryPredictor(const TrajectoryRequest& question) {
    const TrajectoryStart& start = *question.start;
    const ParticleSet& bodies = *start.bodies;
    std::optional<std::size_t> known;
    if (question.id) {
        const auto found = std::find(bodies.id.begin(), bodies.id.end(), *question.id);
        if (found == bodies.id.end())
            throw UsageError("there is no body " + std::to_string(*question.id) + " whose path could be predicted");
        known = static_cast<std::size_t>(found - bodies.id.begin());
    }
    timeStep_ = start.timeStep;
    from_ = start.time;
    path_.bodies = bodies.size();
    const double after = known ? 0 : question.after;
    if (bodies.size() <= kTrajectoryCopies && after == 0) {
        startCopy(question, bodies);
        return;
    }

    path_.method = TrajectoryMethod::rigidGalaxies;
    path_.integrator = "leapfrog";
    field_ = std::make_unique<Field>(start, known);
    Field& f = *field_;
    const Double4& velocity = known ? bodies.velocity[*known] : question.velocity;
    f.place = xyz(known ? bodies.position[*known] : question.position);
    f.velocity = xyz(velocity);
    f.response = velocity.w;
    // The centre is that of the body's galaxy; for a new body that of the galaxy with the strongest pull.
    std::size_t home = 0;
    double strongest = -1;
    for (std::size_t g = 0; g < f.shapes.galaxies(); ++g) {
        const double r = length(f.place - f.shapes.centre(g)), pull = std::abs(f.shapes.mass(g)) / (r * r + 1e-30);
        if (pull > strongest) home = g, strongest = pull;
    }
    if (known && f.shapes.mass(f.shapes.galaxyOf(*known)) != 0) home = f.shapes.galaxyOf(*known);
    const double duration = question.duration > 0 ? question.duration
                                                  : usualDuration(f.place - f.shapes.centre(home),
                                                                  f.velocity - f.shapes.velocity(home), timeStep_);
    if (after != 0) f.shapes.move(after);
    from_ += after;
    // Use the run's own step where that is affordable, else as many steps as a smooth path needs.
    const double pairs = static_cast<double>(bodies.size()) * static_cast<double>(f.shapes.galaxies() > 1 ? 3 : 1);
    const double most = std::clamp(kMostPairs / pairs, 100.0, static_cast<double>(2 * kFieldSteps));
    const double steps = std::clamp(std::ceil(duration / std::abs(timeStep_)), 1.0, most);
    stepsLeft_ = static_cast<std::int64_t>(steps);
    timeStep_ = std::copysign(duration / steps, timeStep_);
    stepsPerPoint_ = std::max<std::int64_t>(1, stepsLeft_ / static_cast<std::int64_t>(kTrajectoryPoints));
    path_.until = from_ + std::copysign(duration, timeStep_);
    addPoint(f.place, from_);
}

void TrajectoryPredictor::startCopy(const TrajectoryRequest& question, ParticleSet bodies) {
    const TrajectoryStart& start = *question.start;
    if (!question.id) {
        const std::uint32_t id = bodies.id.empty() ? 0 : *std::max_element(bodies.id.begin(), bodies.id.end()) + 1;
        const BodyEdit edit{
            .kind = BodyEdit::Kind::add, .id = id, .position = question.position, .velocity = question.velocity};
        applyEdits(bodies, std::span(&edit, 1));
        subject_ = bodies.size() - 1;
    } else {
        subject_ = static_cast<std::size_t>(std::find(bodies.id.begin(), bodies.id.end(), *question.id) - bodies.id.begin());
    }
    // The centre of mass, or for charges the mean position.
    Vec3d centre{}, drift{};
    double weight = 0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const double m = start.force.law == Law::gravity ? bodies.position[i].w : 1;
        centre += m * xyz(bodies.position[i]);
        drift += m * xyz(bodies.velocity[i]);
        weight += m;
    }
    const double share = weight > 0 ? 1 / weight : 0;
    const Vec3d x = xyz(bodies.position[subject_]), v = xyz(bodies.velocity[subject_]);
    const double duration =
        question.duration > 0 ? question.duration : usualDuration(x - share * centre, v - share * drift, timeStep_);
    // Use the first backend and integrator that can: the run's own, but never a device, because the run needs that.
    integrator_ = start.integrator;
    const BackendRow* row = nullptr;
    for (const std::string& name : {start.integrator, std::string("leapfrog")})
        for (const BackendRow* candidate : {&hostBackend(), &exactBackend()}) {
            const BackendRow& r = *candidate;
            if (row || !r.unavailable({}).empty() || !refusal(r, integrator(name), bodies.size()).empty()) continue;
            if (!refusal(integrator(name), start.force.law).empty()) continue;
            if (!refusal(integrator(name).program, termsOf(start.force, start.others)).empty()) continue;
            row = &r;
            integrator_ = name;
        }
    copy_ = row->make({.threads = 1});
    ForceSettings force = start.force;
    force.precision = Precision::fp64;
    copy_->load(bodies, {force, {}}, start.others);
    path_.integrator = integrator_;
    path_.bodies = bodies.size();
    const double pairs = static_cast<double>(bodies.size() * bodies.size());
    const double most = std::min(static_cast<double>(kMostSteps), kMostPairs / std::max(pairs, 1.0));
    stepsLeft_ = static_cast<std::int64_t>(std::clamp(std::ceil(duration / std::abs(timeStep_)), 1.0, most));
    stepsPerPoint_ = std::max<std::int64_t>(1, stepsLeft_ / static_cast<std::int64_t>(kTrajectoryPoints));
    path_.until = from_ + timeStep_ * static_cast<double>(stepsLeft_);
    addPoint(x, from_);
}

void TrajectoryPredictor::addPoint(const Vec3d& place, double time) {
    if (!isFinite(place)) {
        path_.complete = true;
        return;
    }
    path_.points.push_back({place, time});
}

/// True at the last step; a point that is not reached within `seconds` is left for the next call.
bool TrajectoryPredictor::advanceCopy(double seconds) {
    // The last interval may be shorter than the others.
    const std::int64_t steps = std::min(stepsPerPoint_ - done_ % stepsPerPoint_, stepsLeft_);
    const std::int64_t made =
        copy_->advance(integrator(integrator_).program, timeStep_, {.seconds = seconds, .steps = steps}, nullptr)
            .stepsCompleted;
    stepsLeft_ -= made;
    done_ += made;
    if (made < steps) return false;
    copy_->snapshot(state_);
    addPoint(xyz(state_.position[subject_]), from_ + timeStep_ * static_cast<double>(done_));
    return stepsLeft_ == 0;
}

bool TrajectoryPredictor::advance(double seconds) {
    const auto now = [] { return std::chrono::steady_clock::now(); };
    const auto end = now() + std::chrono::duration<double>(std::min(seconds, 1e6));
    while (!path_.complete) {
        if (copy_) {
            if (advanceCopy(std::chrono::duration<double>(end - now()).count())) path_.complete = true;
        } else {
            field_->step(timeStep_);
            --stepsLeft_;
            if (++done_ % stepsPerPoint_ == 0 || stepsLeft_ == 0)
                addPoint(field_->place, from_ + timeStep_ * static_cast<double>(done_));
            if (stepsLeft_ == 0) path_.complete = true;
        }
        if (now() >= end) break;
    }
    return path_.complete;
}

}  // namespace gravlab
