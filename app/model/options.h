// The initial choices of the command line, a configuration or a scene file, as plain data.
#pragma once
#include "app/model/camera_path.h"
#include "app/model/twin_choice.h"
#include "app/tables/occupancy.h"
#include "sim/backends/pair_matrix.h"
#include "sim/core/value.h"
#include "sim/groups/groups.h"
#include "sim/io/snapshot.h"
#include "sim/run/configuration.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

enum class Subcommand {
    view,
    render,
    run,
    bench,
    tune,
    list,
    check,
    convert,
    info,
    fingerprint,
    matrix,
    memory,
    play,
    lesson,
    occupancy,
    groups,
    report,
    grade,
    version
};

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

/// Chosen values by parameter path, already checked.
using Settings = std::map<std::string, Value, std::less<>>;

/// Groups to find in bodies that do not move.
struct GroupsAsk {
    Linking linking;
    std::string length;      ///< with its unit; empty: `linking` says how far
    std::size_t least = 10;  ///< bodies of a group that is shown
    std::string rung;        ///< of groupRungs(); empty: the fastest of the backend
    std::size_t rows = 12;   ///< of the printed table
};

/// A written value with a unit, kept until the run is known.
struct WrittenQuantity {
    std::string path;  ///< path of the parameter; empty: --until
    std::string name;  ///< for messages: the option, or the key of a file
    std::string text;
};

/// What is measured, by bench, tune and fingerprint, and what is planned by occupancy. Empty lists: the usual values.
struct BenchOptions {
    std::vector<std::size_t> bodies{};
    std::vector<int> blocks{}, unrolls{}, splits{}, threads{};
    std::vector<double> accuracies{}, timeSteps{}, softenings{};
    std::vector<std::string> kernels{};
    bool spreadMasses = false;
    std::string format = "table";
    int repeats = 5;
    bool stages = false;                       ///< with frames: GPU time of each stage of drawing
    std::vector<std::pair<int, int>> sizes{};  ///< of pictures [px]; empty: width x height
    bool besidePapers = false;                 ///< draw rates of papers beside those of a figure
    std::string figure{};                      ///< empty: a table of rates
    std::string card{};                        ///< file of the benchmark card; empty: none
};

/// What is checked: the kernels, unless one of these says otherwise.
struct CheckOptions {
    bool physics = false;               ///< the reference table
    bool lessons = false;               ///< the lessons
    std::optional<double> tolerance{};  ///< relative error allowed, instead of the usual limits
};

/// How a film or a picture is written.
struct RenderOptions {
    double fps = 60;      ///< of bench --frames, too
    std::string encoder;  ///< row of encoders(); empty: the first for the file
    double quality = -1;  ///< 0 to 100; below 0: the default
    bool loop = false;    ///< one whole period of the scene
    int tile = 0;         ///< pixels of a tile of a large picture; 0: as large as OpenGL allows
};

/// Files of a run beside its table.
struct RunOutputs {
    std::string finalFile;
    std::string events;                            ///< table of contacts; empty: none
    std::string series;                            ///< list of the numbered files; empty: none
    std::string plots;                             ///< folder for pictures of the run; empty: none
    std::int64_t every = 1;                        ///< steps from a row of the table to the next
    std::int64_t snapshotEvery = 0;                ///< 0: no numbered snapshots
    std::string snapshots = "snapshot_%08d.hdf5";  ///< name pattern, by step
};

/// The printed sheet of a lesson.
struct SheetOptions {
    std::string worksheet;  ///< file; empty: standard output
    bool answers = false;   ///< with explanations and answers
};

struct PlayOptions {
    std::string script;         ///< file of lines, or "-"
    bool inWindow = false;      ///< else off screen
    bool pictureLater = false;  ///< OpenGL is opened for the first picture
    int shared = -1;            ///< descriptor of memory for bodies; below 0: none
};

struct Options {
    Subcommand command = Subcommand::view;
    RunRequest simulation;

    std::string file;                ///< replaces the scene; for convert and info: the input
    ReadOptions read;                ///< reading options
    std::vector<std::string> notes;  ///< notes about the input
    std::vector<std::string> given;  ///< long names of the given options
    /// Whether this option is among them; the empty name is not.
    bool has(std::string_view option) const { return std::find(given.begin(), given.end(), option) != given.end(); }

    TwinChoice twin;  ///< a second run beside it: view, render and run

    /// Settings of look, camera, view, pace and window; missing ones have the scene's or the program's default.
    Settings settings;

    std::vector<WrittenQuantity> quantities;  ///< that wait for the run

    // view and render
    int width = 1280, height = 720;
    double uiScale = 0;        ///< 0: from the display
    std::int64_t frames = 0;   ///< 0: until closed (view); required for render
    std::string screenshot;    ///< file written after the last frame
    bool sceneTrails = false;  ///< each scene sets its trails, unless the settings do
    bool watched = false;      ///< a person watches: the run uses the scene's pace, the camera keeps all bodies in view
    std::int64_t rewindMegabytes = 256;  ///< memory for kept states; 0: none
    bool showUi = false;                 ///< draw panels into films and pictures
    std::vector<PathPoint> path;         ///< path of the camera; empty: none
    bool flyPath = false;                ///< fly along the path

    std::string lesson;  ///< initial lesson, or that of the command lesson: a name, or a file that ends with .toml

    // render
    PairValue pairValue = PairValue::force;  ///< quantity of the matrix
    std::string output;                      ///< -o; for bench too, empty: standard output; for convert: the output file

    // run
    std::int64_t steps = -1;  ///< -1: unset; for bench: steps of one repetition
    double until = -1;
    std::string csv;
    std::string checkpoint;       ///< file for autosaves and interrupts; empty: the state folder
    double autosaveSeconds = -1;  ///< 0: no autosave

    RenderOptions render;
    RunOutputs run;
    BenchOptions bench;
    CheckOptions check;
    SheetOptions sheet;
    PlayOptions play;

    bool printsAllRows = false;  ///< fingerprint: a table of the rows of a backend

    // grade
    double gradeSeconds = 10;  ///< longest time of a force

    OccupancyAsk occupancy;

    GroupsAsk groups;

    // list
    std::string listWhat;
    bool json = false;
};

}  // namespace gravlab
