// What a run and its picture start with, from the command line, a configuration or a scene file, as plain data.
#pragma once
#include "app/model/camera_path.h"
#include "app/model/twin_choice.h"
#include "sim/core/value.h"
#include "sim/io/snapshot.h"
#include "sim/run/configuration.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// Overlays over the picture.
struct OverlayChoice {
    bool legend = false, scaleBar = false, clock = false, axes = false, grid = false;
    bool labels = false;                      ///< of bodies with names
    bool velocities = false, forces = false;  ///< as arrows
    /// Whether it draws anything over a picture of bodies, `named` or not.
    bool any(bool named) const {
        return legend || scaleBar || clock || axes || grid || (labels && named) || velocities || forces;
    }
    bool operator==(const OverlayChoice&) const = default;
};

struct StartOptions;

/// A written value with a unit, kept until the run is known.
struct WrittenQuantity {
    std::string path;  ///< path of the parameter; empty: a time of the command
    std::string name;  ///< for messages: the option, or the key of a file
    std::string text;
    double StartOptions::*time = nullptr;  ///< of the command
};

/// An option and its file, or its pattern for numbered files.
struct OutputName {
    std::string option, file;
    bool numbered = false;  ///< `file` has one %d and stands for all of its numbers
};

/// A picture, and the panels over it.
struct PictureOptions {
    int width = 1280, height = 720;
    double uiScale = 0;       ///< 0: from the display
    bool showUi = false;      ///< draw panels into films and pictures
    std::int64_t frames = 0;  ///< 0: not given
};

struct StartOptions {
    RunRequest simulation{};
    TwinChoice twin{};  ///< a second run beside it

    std::string file{};                 ///< replaces the scene; for convert and info: the input
    ReadOptions read{};                 ///< reading options
    std::vector<std::string> notes{};   ///< notes about the input
    std::vector<OutputName> outputs{};  ///< files that will be written
    std::vector<std::string> given{};   ///< options of the command line: long names, and words; they override files
    /// Whether this option is among them; the empty name is not.
    bool has(std::string_view option) const { return std::find(given.begin(), given.end(), option) != given.end(); }

    /// Settings of look, camera, view, pace and window; missing ones have the scene's or the program's default.
    Settings settings{};                        ///< by parameter path
    std::vector<WrittenQuantity> quantities{};  ///< that wait for the run
    double until = -1;                          ///< end of the run [T]; below 0 also: unset
    double snapshotTime = 0;                    ///< between numbered snapshots [T]; 0: they go by steps

    std::vector<PathPoint> path{};  ///< path of the camera; empty: none
    bool flyPath = false;           ///< fly along the path

    bool watched = false;  ///< a person watches: the run uses the scene's pace, the camera keeps all bodies in view
    bool still = false;    ///< a watched window ends as a picture, for which the camera and the quality stay
    bool holdRate = true;  ///< the quality of the picture follows its rate
    std::int64_t rewindMegabytes = 256;  ///< memory for kept states; 0: none
    bool sceneTrails = false;            ///< each scene sets its trails, unless the settings do
    bool pictureLater = false;           ///< OpenGL is opened for the first picture
};

}  // namespace gravlab
