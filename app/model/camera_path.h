// A cinematic way of the camera through keyframes. Rule: a place on it depends on the time alone, never on frames.
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

/// Field of view of a camera that nobody has changed [degrees].
constexpr double kUsualField = 180 / std::numbers::pi * static_cast<double>(Camera{}.fieldOfView);
/// Throws UsageError unless a camera can have it: 1 to 150 degrees.
void requireField(double degrees);

/// A view and when the camera is there, as scene files have it.
struct PathPoint {
    double seconds = 0;  ///< since the start of the path
    double distance = 1;
    double azimuth = 0, elevation = 0;  ///< [degrees]
    std::array<double, 3> target{};     ///< [L]
    double field = kUsualField;         ///< of view, upwards [degrees]
    bool operator==(const PathPoint&) const = default;
};

/// Cubic through all points: target, logarithms of distance and field of view, and the two angles, each with a continuous
/// speed that is 0 at both ends. The way round is the shorter one from point to point. Two angles instead of a quaternion
/// keep the horizon level.
class CameraPath {
public:
    CameraPath() = default;
    /// Throws UsageError, naming the point, for fewer than two, times that do not rise, or distances not above 0.
    explicit CameraPath(std::vector<PathPoint> points);
    /// Through these views, kSecondsBetweenViews from one to the next; empty for fewer than two.
    static CameraPath through(std::span<const std::optional<Camera>> views);

    bool empty() const { return points_.empty(); }
    std::span<const PathPoint> points() const { return points_; }
    double duration() const { return points_.empty() ? 0 : points_.back().seconds; }
    /// The view at that time; before the start and after the end it stands still. `like` gives what a path does not have.
    Camera at(double seconds, const Camera& like) const;
    bool operator==(const CameraPath&) const = default;

private:
    static constexpr std::size_t kChannels = 7;
    using Values = std::array<double, kChannels>;
    std::vector<PathPoint> points_;
    std::vector<Values> values_, slopes_;  ///< what is interpolated, angles unwound; and its change a second
};

/// Seconds from one remembered view to the next.
constexpr double kSecondsBetweenViews = 4;

/// "[[0, 20, 30, 25, 0, 0, 0], ...]": seconds, distance, azimuth, elevation, target, and perhaps the field of view. Throws
/// UsageError.
std::vector<PathPoint> parsePath(std::string_view text);
std::string pathText(std::span<const PathPoint> points);

/// A path being flown.
struct CameraTour {
    CameraPath path;
    bool playing = false;
    double seconds = 0;

    /// From the beginning; nothing where there is no path.
    void start();
    /// Goes on by that time and moves the camera. Ends at the end of the path, or when somebody else has turned the camera.
    void advance(double by, Camera& camera);
    bool operator==(const CameraTour&) const = default;

private:
    Camera placed_;  ///< where it was left
    bool placedAny_ = false;
};

/// Starts along the remembered views (two or more), else along the path there is; stops a tour that plays. What cannot be is
/// a sentence, else empty.
std::string toggleTour(CameraTour& tour, std::span<const std::optional<Camera>> views);

}  // namespace gravlab
