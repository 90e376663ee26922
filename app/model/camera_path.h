// A cinematic path of the camera through keyframes. Rule: a place on it depends on time alone, never on frames.
#pragma once
#include "render/camera.h"

#include <array>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

constexpr double kDegrees = 180 / std::numbers::pi;  ///< in a radian
/// Default field of view of a camera [degrees].
constexpr double kUsualField = kDegrees * static_cast<double>(Camera{}.fieldOfView);
/// Throws UsageError unless the field of view is 1 to 150 degrees.
void requireField(double degrees);

/// A view and its time on the path, as in scene files.
struct PathPoint {
    double seconds = 0;  ///< since the start of the path
    double distance = 1;
    double azimuth = 0, elevation = 0;  ///< field of view, vertical [degrees]
    std::array<double, 3> target{};     ///< [L]
    double field = kUsualField;         ///< of view, upwards [degrees]
    bool operator==(const PathPoint&) const = default;
};

/// A cubic through all points: target, logarithms of distance and field of view, and the two angles, each with a continuous
/// speed that is 0 at both ends. Between two points the azimuth moves by the shorter way. Two angles instead of a quaternion
/// keep the horizon level.
class CameraPath {
public:
    CameraPath() = default;
    /// Throws UsageError, naming the point, for fewer than two points, times that do not rise, or distances not above 0.
    explicit CameraPath(std::vector<PathPoint> points);
    /// A path through these views, with kSecondsBetweenViews between them; empty for fewer than two views.
    static CameraPath through(std::span<const std::optional<Camera>> views);

    bool empty() const { return points_.empty(); }
    std::span<const PathPoint> points() const { return points_; }
    double duration() const { return points_.empty() ? 0 : points_.back().seconds; }
    /// The view at that time; constant before the start and after the end. `like` gives the properties that a path lacks.
    Camera at(double seconds, const Camera& like) const;
    bool operator==(const CameraPath&) const = default;

private:
    static constexpr std::size_t kChannels = 7;
    using Values = std::array<double, kChannels>;
    std::vector<PathPoint> points_;
    std::vector<Values> values_, slopes_;  ///< interpolated values, angles unwound; and their change per second
};

/// Seconds from one remembered view to the next.
constexpr double kSecondsBetweenViews = 4;

/// "[[0, 20, 30, 25, 0, 0, 0], ...]": seconds, distance, azimuth, elevation, target, and optionally the field of view.
/// Throws UsageError.
std::vector<PathPoint> parsePath(std::string_view text);
std::string pathText(std::span<const PathPoint> points);

/// A flight along a path.
struct CameraTour {
    CameraPath path;
    bool playing = false;
    double seconds = 0;

    /// Starts at the beginning; does nothing without a path.
    void start();
    /// Advances by that time and moves the camera. Ends at the end of the path, or when the user moves the camera.
    void advance(double by, Camera& camera);
    bool operator==(const CameraTour&) const = default;

private:
    Camera placed_;  ///< the camera after the last advance()
    bool placedAny_ = false;
};

/// Starts along the remembered views (two or more), else along the existing path; stops a running tour. Returns a sentence
/// when neither exists, else an empty text.
std::string toggleTour(CameraTour& tour, std::span<const std::optional<Camera>> views);

}  // namespace gravlab
