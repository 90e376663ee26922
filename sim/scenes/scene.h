// Named starting states: a row each, beside its builder; scene_table.cpp joins them.
// Rule: same seed, same bytes: own generator and transforms, no std distributions.
#pragma once
#include "sim/core/particles.h"
#include "sim/forces/force_settings.h"
#include "sim/forces/force_term.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gravlab {

/// A number that a scene can be built with: masses, angles, temperatures.
struct SceneParameter {
    std::string_view name;   ///< stable key
    std::string_view label;  ///< for panels: a short word
    std::string_view unit;   ///< "kpc", "deg"; empty for a ratio
    std::string_view idea;   ///< one line for lists and tooltips
    double value = 0;        ///< unless asked otherwise
    double least = 0, most = 1;
};

/// Numbers asked for, by name; what is not there has the row's value.
using SceneParameters = std::map<std::string, double, std::less<>>;

/// What a builder is asked for.
struct SceneRequest {
    std::size_t bodies = 0;  ///< already resolved: never 0; ignored by scenes of fixed size
    std::uint64_t seed = 1;
    SceneParameters parameters{};

    double value(const SceneParameter& parameter) const {
        const auto found = parameters.find(parameter.name);
        return found == parameters.end() ? parameter.value : found->second;
    }
};

/// What [L], [M], [T] and [L/T] are in units that people know. Without names: the scene's own, G = 1.
struct SceneUnits {
    std::string_view length{}, mass{}, time{}, speed{};
    double lengthScale = 1, massScale = 1, timeScale = 1, speedScale = 1;  ///< one [L] is lengthScale of `length`, ...
};

/// Kiloparsecs and 10^10 solar masses; the rest follows from G = 4.30091e-6 kpc (km/s)^2 / Msun.
inline constexpr SceneUnits kGalacticUnits{.length = "kpc",
                                           .mass = "Msun",
                                           .time = "Myr",
                                           .speed = "km/s",
                                           .lengthScale = 1,
                                           .massScale = 1e10,
                                           .timeScale = 4.71486,
                                           .speedScale = 207.386};

/// What bodies stand for, in pictures that show them as stars.
enum class Stars {
    galaxies,    ///< by species: old bulges, discs that are young where they are dense
    elliptical,  ///< all old, unresolved
    globular,    ///< all old: red giants, and many faint yellow ones
    young        ///< a cluster of blue and white stars, with a few red giants
};

/// What a body of a solar system looks like, in pictures that show bodies as what they are.
enum class Celestial : std::uint8_t { star, barren, cloudy, ocean, desert, gasGiant, ringed, paleIce, blueIce };

/// From where a scene looks best: orbit angles [rad], distance to the target [L].
struct SceneView {
    double distance = 5, azimuth = 0.6, elevation = 0.5;
    double pointSize = 0.02;         ///< radius of a body as drawn [L]
    double exposure = 1;             ///< multiplies the automatic 1/N-ish brightness
    double speedScale = 1;           ///< speed that maps to the top of the colour map [L/T]
    std::array<double, 3> target{};  ///< what the camera looks at [L]
    std::string_view colour{};       ///< colour mode that it is shown in unless asked otherwise; empty: the first
    Stars stars = Stars::galaxies;
    std::span<const Celestial> celestials{};  ///< of the bodies of the first ids; empty: they are none
};

/// How long it takes until a scene has shown what its caption says: one turn, a passage, a collapse and what it leaves.
struct Story {
    double time = 0;      ///< simulated [T]; 0: it has none
    double seconds = 30;  ///< of watching, on a machine that can
    double period = 0;    ///< after which all bodies are where they began [T]; 0: never

    /// Simulated time a second of watching [T/s].
    double pace() const { return time / seconds; }
};

/// What a window takes together of a scene that has no need of every pair, unless somebody says otherwise.
struct FarField {
    double accuracy = 0;  ///< relative error of the force that 99 % of the bodies keep; 0: every pair, however many
    std::size_t fromCpu = 16384, fromGpu = 131072;  ///< bodies from which on it is so
    std::size_t bodiesCpu = 0;  ///< default N on a CPU then, at most: see farFieldBodies(); 0: the row's own
    std::size_t bodiesGpu = 0;  ///< default N on a GPU then, at most; 0: the row's own
    /// Of so many bodies on a device or a CPU; 0: every pair.
    double accuracyOf(std::size_t bodies, bool onDevice) const {
        return bodies >= (onDevice ? fromGpu : fromCpu) ? accuracy : 0;
    }
    bool operator==(const FarField&) const = default;
};
/// Of systems whose bodies do not meet: what their softening leaves out is more than this.
inline constexpr FarField kCollisionless{.accuracy = 1e-3, .bodiesCpu = 65536, .bodiesGpu = 1048576};

/// What a scene is, for menus. Other laws, and few bodies, tell by themselves: see groupOf() of app/control/scene_groups.h.
enum class SceneGroup { galaxies, clusters, famous, laws };

/// A row of the scene table.
struct Scene {
    std::string_view name{};  ///< stable key
    SceneGroup group = SceneGroup::galaxies;
    std::string_view idea{};        ///< one line for lists and tooltips
    std::string_view caption{};     ///< what to look for, shown in the window
    std::string_view source{};      ///< paper, book; empty if none
    int version = 1;                ///< goes up where the start changes; files name it, and the rows before are kept
    std::size_t bodiesGpu = 65536;  ///< default N on a GPU
    std::size_t bodiesCpu = 8192;   ///< default N on a CPU
    std::size_t fixedBodies = 0;    ///< 0, or the only N that the scene has: the table then has it as both defaults
    std::string_view integrator{};  ///< that its story needs; empty: the usual one
    double timeStep = 0.01;         ///< [T]
    Story story{};
    double softening = 0;  ///< [L]
    FarField farField{};
    Law law = Law::gravity;
    SceneView view{};
    /// Centred, at rest as a whole; the same bytes for the same request, for any number of threads. Null in a row that
    /// stands for loaded bodies.
    ParticleSet (*build)(const SceneRequest&) = nullptr;
    SceneUnits units{};
    std::span<const SceneParameter> parameters{};
    std::span<const std::string_view> names{};  ///< of the first bodies, in their order; empty: they have none
    // The numbers of the law, see ForceSettings.
#define GRAVLAB_LAW_NUMBER(member, usual, ...) double member = usual;
#include "sim/forces/laws/numbers.inl"
#undef GRAVLAB_LAW_NUMBER
    /// What acts beside the pair law on the bodies that `build` made. Null: nothing.
    ForceTerms (*terms)(const SceneRequest&, const ParticleSet& bodies) = nullptr;
};

/// All scenes, in the order of the menus; the default is `collision`. Lives as long as the program.
std::span<const Scene> sceneTable();
/// Rows that newer versions have replaced: for files that mean them.
std::span<const Scene> olderScenes();
/// The row of that name and version; without one the newest. Throws UsageError naming the valid ones and the nearest.
const Scene& sceneNamed(std::string_view name, std::optional<int> version = {});
/// Brings a scene of its own, as a test does: taken by its name, and in no list. Before main(), or before it is asked for.
/// Throws std::logic_error for a name that is there already.
bool addScene(const Scene& scene);
/// Throws UsageError when a name is none of the scene's parameters or a number is out of its range, naming what is valid.
void requireParameters(const Scene& scene, const SceneParameters& parameters);

}  // namespace gravlab
