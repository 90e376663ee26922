// What is known of the runs and of the selected body, as of the last frame. Rule: plain data.
#pragma once
#include "app/model/tree_cells.h"
#include "app/model/twin_choice.h"
#include "app/tables/colour_mode.h"
#include "sim/groups/groups.h"
#include "sim/measure/orbit.h"
#include "sim/run/configuration.h"

#include <glm/ext/vector_double3.hpp>
#include <glm/vec3.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// Bodies, below which the rings of a profile would be empty.
constexpr std::size_t kFewestOfCurves = 32;

/// A body near the selected one.
struct BodyNeighbour {
    std::size_t index = 0;
    std::uint32_t id = 0;
    double distance = 0;  ///< [L]
    bool operator==(const BodyNeighbour&) const = default;
};

/// A body that feels no force, and so is where this says.
struct HeldBody {
    std::uint32_t id = 0;
    glm::dvec3 place{0}, velocity{0};
    double time = 0;  ///< when it was there
    glm::dvec3 at(double when) const { return place + (when - time) * velocity; }
    bool operator==(const HeldBody&) const = default;
};

/// The orbit of a body about another one, if these two were alone.
struct OrbitReadout {
    std::uint32_t around = 0;  ///< id
    Orbit orbit;
    bool operator==(const OrbitReadout&) const = default;
};

/// A body that labels and arrows mark, as of one step.
struct BodyMark {
    std::uint32_t id = 0;
    std::size_t index = 0;                              ///< in the order of the bodies
    glm::dvec3 place{0}, velocity{0}, acceleration{0};  ///< [L], [L/T], [L/T^2]
    bool operator==(const BodyMark&) const = default;
};

/// What is known of the selected body.
struct BodyReadout {
    std::uint32_t id = 0;
    std::size_t index = 0;  ///< in the order of the bodies
    int galaxy = 0;
    bool dark = false;
    double source = 0;                        ///< what it acts with: mass, charge, ...: LawRow::source
    std::optional<double> mass{};             ///< [M]; where it is not the source, empty with very many bodies
    glm::vec3 position{0};                    ///< [L], of the newest step that has been drawn
    bool placed = false;                      ///< position is known
    std::optional<double> speed{}, energy{};  ///< [L/T], and of a unit mass [L^2/T^2]; empty with very many bodies
    bool bound = false;                       ///< cannot go to infinity with that energy
    bool held = false, coasting = false;      ///< feels no force; and moves
    std::vector<BodyNeighbour> nearest{};     ///< nearest first; known a frame or two after the selection
    std::optional<OrbitReadout> orbit{};      ///< empty: about none, or with very many bodies
    bool operator==(const BodyReadout&) const = default;
};

/// The run beside the first, which it is compared with.
struct TwinFacts {
    bool on = false;
    TwinView view = TwinView::side;
    std::int64_t step = 0;
    double time = 0;                 ///< simulated [T]
    std::string label;               ///< what it does otherwise
    RunConfiguration configuration;  ///< in force
    std::optional<double> apart{};   ///< root mean square of the distances between the same bodies [L]
    bool operator==(const TwinFacts&) const = default;
};

/// States to go back to.
struct HistoryFacts {
    std::size_t states = 0, bytes = 0;
    std::int64_t oldestStep = 0;  ///< where there are states
    bool operator==(const HistoryFacts&) const = default;
};

/// The best point that the lab has measured.
struct LabBest {
    KernelInUse kernel;
    std::optional<int> threads{};  ///< empty: as many as there are
    bool operator==(const LabBest&) const = default;
};

/// Groups as they were at a step.
struct KnownGroups {
    std::uint64_t run = 0;  ///< as Simulation has it
    std::int64_t step = 0;
    double time = 0;        ///< [T]
    double length = 0;      ///< friends were at most so far apart [L]
    std::size_t least = 0;  ///< bodies of a group of the table
    GroupTable table;
    std::vector<std::uint32_t> ids, labels;  ///< of the bodies, in their order then
    std::string rung;                        ///< "union-tree on cpu"
    double seconds = 0;                      ///< from places to labels
};

/// What is known of the run at the end of a frame.
struct Facts {
    std::uint64_t run = 0, revision = 0;  ///< as Simulation has them
    RunConfiguration configuration;
    const Scene* scene = nullptr;
    const Integrator* integrator = nullptr;
    const KernelRow* kernel = nullptr;
    LaunchFacts launch;                 ///< of the forces; kept new while the lab is open
    std::vector<MethodFigure> figures;  ///< what the kernel tells of its evaluations; kept new like these
    std::string device;                 ///< what the backend runs on
    std::string backendWhy;             ///< which backend runs and why
    std::string vertexPath;             ///< how vertices reach the picture and why
    std::string drawMethod;             ///< how bodies become a picture and why
    std::size_t bodiesLimit = 0;        ///< about as many as this machine's memory holds
    double time = 0;                    ///< simulated [T]
    std::int64_t step = 0;
    double stepProgress = 0;          ///< 0..1 of the forces of the step under way
    double innerStep = 0;             ///< length of the newest automatic step; 0 with fixed steps [T]
    std::optional<ForceCheck> check;  ///< of the configuration in use; empty until it is there

    std::shared_ptr<const BodyFacts> bodies = std::make_shared<BodyFacts>();  ///< what of them stays; never null
    SharedBodyNames names = noBodyNames();                                    ///< of single bodies, by id; never null
    std::size_t startBodies = 0;  ///< with which the scene began, before any was dropped or removed by hand
    bool edited = false;          ///< bodies were changed by hand since the start
    int galaxies = 0;             ///< (or species, or single bodies) that the scene tells apart
    bool darkBodies = false;      ///< some are dark matter, which Look::darkLight dims
    double totalMass = 0;         ///< [M]
    double usualResponse = 1;     ///< of bodies that are not held
    std::vector<HeldBody> held;   ///< the first few
    std::vector<Double4> starts;  ///< where bodies were at the start, of few
    std::vector<BodyMark> marks;  ///< of few bodies all, else the selected one and those with labels; while any are shown
    ValueRange colourRange;       ///< of colour modes that find their own

    double forceSeconds = 0;  ///< that a force takes, where that is measured [s]
    double stepForecast = 0;  ///< [s] that the step under way will take, by what is done of it; 0: not known
    double interactionsPerSecond = 0, stepsPerSecond = 0, framesPerSecond = 0, frameMilliseconds = 0;
    double speed = 0;                              ///< simulated time a second of watching, as reached [T/s]
    std::int64_t stepsDue = 0;                     ///< that the speed asked for wants of this frame
    double energyChange = 0;                       ///< the largest since the start, relative
    std::optional<double> virial, halfMassRadius;  ///< -K / W and [L], as last measured
    std::string quality;                           ///< what is lowered to hold the rate
    bool labBusy = false;
    std::string labStatus;  ///< what the lab measures, or how that ended
    std::optional<LabBest> labBest;
    std::shared_ptr<const KnownGroups> groups;  ///< as found last; null: not yet
    bool findingGroups = false;
    std::shared_ptr<const KnownTree> tree;  ///< as the picture wants it; null: not yet, or not wanted
    TwinFacts twin;
    std::optional<HistoryFacts> history;  ///< empty: none is kept
    bool operator==(const Facts&) const = default;
};

/// Whether the scene names an accuracy for so many bodies on this kind of backend.
bool namesAccuracy(const Facts& facts);

/// The pace at which a scene is worth watching [T/s]; of loaded bodies, thirty of their steps a second.
double ownSpeed(const Facts& facts);

}  // namespace gravlab
