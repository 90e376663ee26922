// Facts of the runs and of the selected body, as of the last frame. Rule: plain data.
#pragma once
#include "app/model/twin_choice.h"
#include "app/tables/colour_mode.h"
#include "sim/backends/tree_cells.h"
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

/// With fewer bodies, the rings of a profile would be empty.
constexpr std::size_t kFewestOfCurves = 32;

/// The cells that are drawn as boxes.
enum class TreeBoxes {
    none,
    level,  ///< cells of one level
    acting  ///< cells that act on the selected body
};

struct TreeWish {
    TreeBoxes boxes = TreeBoxes::none;
    int level = 4;  ///< below the root
    bool operator==(const TreeWish&) const = default;
};

/// The cells at one step.
struct KnownTree {
    std::uint64_t bodiesId = 0;  ///< as Simulation has it
    std::int64_t step = 0;
    TreeWish wish;
    std::uint32_t body = 0;  ///< id of the selected body
    TreeCells cells;
};

/// A body near the selected one.
struct BodyNeighbour {
    std::size_t index = 0;
    std::uint32_t id = 0;
    double distance = 0;  ///< [L]
    bool operator==(const BodyNeighbour&) const = default;
};

/// A body that feels no force, so that its position is known.
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

/// A body with a label or an arrow, as of one step.
struct BodyMark {
    std::uint32_t id = 0;
    std::size_t index = 0;                              ///< in the order of the bodies
    glm::dvec3 place{0}, velocity{0}, acceleration{0};  ///< [L], [L/T], [L/T^2]
    bool operator==(const BodyMark&) const = default;
};

/// The facts of the selected body.
struct BodyReadout {
    std::uint32_t id = 0;
    std::size_t index = 0;  ///< in the order of the bodies
    int galaxy = 0;
    bool dark = false;
    double source = 0;                        ///< source of its force: mass, charge, ...: LawRow::source
    std::optional<double> mass{};             ///< [M]; when it is not the source, empty for large N
    glm::vec3 position{0};                    ///< [L], of the newest drawn step
    bool placed = false;                      ///< position is known
    std::optional<double> speed{}, energy{};  ///< [L/T], and per unit mass [L^2/T^2]; empty for large N
    bool bound = false;                       ///< cannot escape with that energy
    bool held = false, coasting = false;      ///< feels no force; and moves
    std::vector<BodyNeighbour> nearest{};     ///< nearest first; available a frame or two after the selection
    std::optional<OrbitReadout> orbit{};      ///< empty: no central body, or large N
    bool operator==(const BodyReadout&) const = default;
};

/// The twin run, compared with the first run.
struct TwinFacts {
    bool on = false;
    TwinView view = TwinView::side;
    std::int64_t step = 0;
    double time = 0;                 ///< simulated [T]
    std::string label;               ///< its differences
    RunConfiguration configuration;  ///< in force
    std::optional<double> apart{};   ///< root mean square of the distances between the same bodies [L]
    double apartTime = 0;            ///< time of the states of `apart` [T]
    bool between = false;            ///< the first run is at a time that the twin has no step for
    bool operator==(const TwinFacts&) const = default;
};

/// Kept states, for going back.
struct HistoryFacts {
    std::size_t states = 0, bytes = 0;
    std::int64_t oldestStep = 0;  ///< step of the oldest kept state
    bool operator==(const HistoryFacts&) const = default;
};

/// The best point that the lab has measured.
struct LabBest {
    std::string term;  ///< the kind of term that it computes
    KernelInUse kernel;
    std::optional<int> threads{};  ///< empty: all threads
    bool operator==(const LabBest&) const = default;
};

/// The groups of one step.
struct KnownGroups {
    std::uint64_t bodiesId = 0;  ///< as Simulation has it
    std::int64_t step = 0;
    double time = 0;        ///< [T]
    double length = 0;      ///< largest distance of friends [L]
    std::size_t least = 0;  ///< least bodies of a group in the table
    GroupTable table;
    std::vector<std::uint32_t> ids, labels;  ///< of the bodies, in the order of that step
    std::optional<std::uint32_t> from{};     ///< id of the body from which depths were counted
    std::vector<std::uint32_t> depths{};     ///< of the bodies, see depthsByPairs(); empty: not counted
    std::string row;                         ///< "union-tree on cpu"
    double seconds = 0;                      ///< duration from positions to labels
};

/// A CUDA device of this machine.
struct DevicePart {
    int index = 0;
    std::string name;
    std::string facts;  ///< size, memory and links, for people
    double share = 0;   ///< planned part of each force; 0: it takes none
    bool operator==(const DevicePart&) const = default;
};

/// The facts of the run at the end of a frame.
struct RunFacts {
    std::uint64_t runId = 0, bodiesId = 0, revision = 0;  ///< as Simulation has them
    RunConfiguration configuration;
    const Scene* scene = nullptr;
    const Integrator* integrator = nullptr;
    const KernelRow* kernel = nullptr;
    LaunchFacts launch;                 ///< of the forces; refreshed while the lab is open
    std::vector<MethodFigure> figures;  ///< figures of the kernel about its evaluations; refreshed while the lab is open
    std::string device;                 ///< the device of the backend
    std::vector<DevicePart> devices;    ///< all of this machine; empty: the run is on a processor
    std::string backendWhy;             ///< the backend in use and why
    std::string vertexPath;             ///< the way of vertices to the picture and why
    std::string drawMethod;             ///< the method of drawing and why
    std::size_t bodiesLimit = 0;        ///< about the largest N for this machine's memory
    double time = 0;                    ///< simulated [T]
    std::int64_t step = 0;
    double stepProgress = 0;          ///< 0..1 of the forces of the present step
    double innerStep = 0;             ///< length of the newest automatic step; 0 with fixed steps [T]
    std::optional<ForceCheck> check;  ///< of the configuration in use; empty until it has run

    /// Whether a measurement at `measured` is of an earlier state than one at `at` [T]; runs may go backwards.
    bool precedes(double measured, double at) const { return (at - measured) * configuration.timeStep > 0; }

    std::shared_ptr<const BodyFacts> bodies = std::make_shared<BodyFacts>();  ///< constant facts of the bodies; never null
    SharedBodyNames names = noBodyNames();                                    ///< of single bodies, by id; never null
    std::size_t startBodies = 0;  ///< N at the start of the scene, before edits by hand
    bool edited = false;          ///< the user has changed bodies since the start
    int galaxies = 0;             ///< galaxies (or species, or single bodies) that the scene distinguishes
    bool darkBodies = false;      ///< some are dark matter, which Look::darkLight dims
    double totalMass = 0;         ///< [M]
    double usualResponse = 1;     ///< of bodies that are not held
    std::vector<HeldBody> held;   ///< the first few
    std::vector<Double4> starts;  ///< positions at the start, for small N
    std::vector<BodyMark> marks;  ///< all of few bodies, else the selected one and those with labels; while any are shown
    ValueRange colourRange;       ///< for colour modes with an automatic range
    std::size_t bondLines = 0;    ///< bonds that act, which the picture shows as lines
    std::size_t brokenBonds = 0;  ///< bonds that have broken

    double forceSeconds = 0;  ///< duration of a force, if measured [s]
    double stepForecast = 0;  ///< predicted duration of the present step [s]; 0: unknown
    double pairsOfForce = 0;  ///< directed pairs of one force by a row that leaves out none; 0: N*N
    double interactionsPerSecond = 0, stepsPerSecond = 0, framesPerSecond = 0, frameMilliseconds = 0;
    double speed = 0;                              ///< reached simulated time per second of watching [T/s]
    std::int64_t stepsDue = 0;                     ///< steps that the chosen speed requires in this frame
    double energyChange = 0;                       ///< the largest since the start, relative
    ContactTotals contacts{};                      ///< what contacts have done since the start
    std::optional<double> virial, halfMassRadius;  ///< -K / W and [L], as measured last
    bool energyComes = false;                      ///< energies are measured, so values of the present state will follow
    std::optional<double> energyTime;              ///< time of the state of the newest values [T]
    std::string quality;                           ///< what is reduced to hold the frame rate
    bool labBusy = false;
    std::string labStatus;  ///< the lab's present measurement, or how it ended
    std::optional<LabBest> labBest;
    std::shared_ptr<const KnownGroups> groups;  ///< the newest groups; null: none yet
    bool findingGroups = false;
    std::shared_ptr<const KnownTree> tree;  ///< as the picture needs it; null: not yet, or not needed
    TwinFacts twin;
    std::optional<HistoryFacts> history;  ///< empty: no states are kept
    bool operator==(const RunFacts&) const = default;
};

/// The row in use for the term of that kind; the row of the pair law for any other word.
const KernelRow& rowOf(const RunFacts& facts, std::string_view term);

/// Whether the scene sets an accuracy for this N on this kind of backend.
bool namesAccuracy(const RunFacts& facts);

/// The default pace of a scene [T/s]; for loaded bodies, thirty of their steps per second.
double ownSpeed(const RunFacts& facts);

}  // namespace gravlab
