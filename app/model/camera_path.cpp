#include "app/model/camera_path.h"
#include "app/tables/format.h"

#include "sim/api/errors.h"
#include "sim/io/toml_value.h"

#include <algorithm>
#include <cmath>

namespace gravlab {
namespace {

constexpr double kPole = 88;  // degrees; near the pole, "up" has no direction
constexpr double kLeastField = 1, kMostField = 150;
constexpr const char* kForm =
    "a camera path is [[seconds, distance, azimuth, elevation, x, y, z], ...] with angles in degrees, and perhaps the field "
    "of view at the end of each point";

PathPoint pointOf(const Camera& view, double seconds) {
    return {seconds,
            static_cast<double>(view.distance),
            static_cast<double>(view.azimuth) * kDegrees,
            static_cast<double>(view.elevation) * kDegrees,
            {static_cast<double>(view.target.x), static_cast<double>(view.target.y), static_cast<double>(view.target.z)},
            static_cast<double>(view.fieldOfView) * kDegrees};
}

/// Cubic of Hermite on [0, 1] from a to b with slopes u, v.
double cubic(double a, double b, double u, double v, double t) {
    const double t2 = t * t, t3 = t2 * t;
    return (2 * t3 - 3 * t2 + 1) * a + (t3 - 2 * t2 + t) * u + (3 * t2 - 2 * t3) * b + (t3 - t2) * v;
}

PathPoint pointFrom(const std::vector<double>& v) {
    constexpr std::size_t kNumbers = 7;
    if (v.size() != kNumbers && v.size() != kNumbers + 1) throw UsageError(kForm);
    return {v[0], v[1], v[2], v[3], {v[4], v[5], v[6]}, v.size() > kNumbers ? v[kNumbers] : kUsualField};
}

}  // namespace

void requireField(double degrees) {
    if (!(degrees >= kLeastField && degrees <= kMostField))
        throw UsageError("a field of view must be from 1 to 150 degrees");
}

CameraPath::CameraPath(std::vector<PathPoint> points) : points_(std::move(points)) {
    if (points_.size() < 2) throw UsageError("a camera path needs at least two points");
    for (std::size_t i = 0; i < points_.size(); ++i) {
        const PathPoint& p = points_[i];
        const std::string which = "point " + std::to_string(i + 1) + ": ";
        if (!(p.distance > 0)) throw UsageError(which + "its distance must be above 0");
        if (i == 0 && p.seconds != 0) throw UsageError(which + "the first point's time must be 0");
        if (i > 0 && !(p.seconds > points_[i - 1].seconds))
            throw UsageError(which + "its time must be later than that of the point before");
        requireField(p.field);
        Values now{p.target[0], p.target[1], p.target[2], std::log(p.distance), p.azimuth, p.elevation, std::log(p.field)};
        if (i > 0) now[4] = values_.back()[4] + std::remainder(p.azimuth - values_.back()[4], 360.0);
        values_.push_back(now);
    }
    slopes_.resize(points_.size());
    // Differences over both neighbours (Catmull & Rom 1974, with times); at rest at the ends.
    for (std::size_t i = 1; i + 1 < points_.size(); ++i)
        for (std::size_t k = 0; k < kChannels; ++k)
            slopes_[i][k] = (values_[i + 1][k] - values_[i - 1][k]) / (points_[i + 1].seconds - points_[i - 1].seconds);
}

CameraPath CameraPath::through(std::span<const std::optional<Camera>> views) {
    std::vector<PathPoint> points;
    for (const std::optional<Camera>& view : views)
        if (view) points.push_back(pointOf(*view, kSecondsBetweenViews * static_cast<double>(points.size())));
    return points.size() < 2 ? CameraPath() : CameraPath(std::move(points));
}

Camera CameraPath::at(double seconds, const Camera& like) const {
    Camera view = like;
    if (points_.empty()) return view;
    const double time = std::clamp(seconds, 0.0, duration());
    std::size_t i = 0;
    while (i + 2 < points_.size() && time >= points_[i + 1].seconds) ++i;
    const double span = points_[i + 1].seconds - points_[i].seconds, t = (time - points_[i].seconds) / span;
    Values now;
    for (std::size_t k = 0; k < kChannels; ++k)
        now[k] = cubic(values_[i][k], values_[i + 1][k], span * slopes_[i][k], span * slopes_[i + 1][k], t);
    view.target = {static_cast<float>(now[0]), static_cast<float>(now[1]), static_cast<float>(now[2])};
    view.distance = static_cast<float>(std::exp(now[3]));
    view.azimuth = static_cast<float>(std::remainder(now[4], 360.0) / kDegrees);
    view.elevation = static_cast<float>(std::clamp(now[5], -kPole, kPole) / kDegrees);
    view.fieldOfView = static_cast<float>(std::clamp(std::exp(now[6]), kLeastField, kMostField) / kDegrees);
    return view;
}

std::vector<PathPoint> parsePath(std::string_view text) {
    const std::optional<std::vector<std::vector<double>>> rows = tomlRows(text);
    if (!rows) throw UsageError(kForm);
    std::vector<PathPoint> points;
    for (const std::vector<double>& row : *rows) points.push_back(pointFrom(row));
    const CameraPath check(points);
    return points;
}

std::string pathText(std::span<const PathPoint> points) {
    std::string text = "[\n";
    for (const PathPoint& p : points) {
        const std::string line = formatted("  [%.9g, %.9g, %.9g, %.9g, %.9g, %.9g, %.9g, %.9g],\n", p.seconds, p.distance,
                                           p.azimuth, p.elevation, p.target[0], p.target[1], p.target[2], p.field);
        text += line;
    }
    return text + "]";
}

void CameraTour::start() {
    playing = !path.empty();
    placedAny_ = false;
    seconds = 0;
}

void CameraTour::advance(double by, Camera& camera) {
    if (!playing) return;
    // A followed body may have moved the target alone.
    if (placedAny_ && (camera.distance != placed_.distance || camera.azimuth != placed_.azimuth ||
                       camera.elevation != placed_.elevation)) {
        playing = false;
        return;
    }
    seconds += by;
    camera = placed_ = path.at(seconds, camera);
    placedAny_ = true;
    if (seconds >= path.duration()) playing = false;
}

std::string toggleTour(CameraTour& tour, std::span<const std::optional<Camera>> views) {
    if (tour.playing) {
        tour.playing = false;
        return {};
    }
    if (CameraPath path = CameraPath::through(views); !path.empty()) tour.path = std::move(path);
    if (tour.path.empty()) return "A camera path needs two remembered views: Ctrl 1 and Ctrl 2 remember them.";
    tour.start();
    return {};
}

}  // namespace gravlab
