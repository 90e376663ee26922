// Named starting states: one row each, beside its builder. Rule: the same seed gives the same bytes, so use no std
// distributions.
#pragma once
#include "contact.h"
#include "law.h"
#include "term.h"
#include "units.h"

#include <array>
#include <map>
#include <memory>
#include <optional>

namespace gravlab {

class MadeBodies;

/// A number that a builder takes: a mass, an angle, a temperature.
struct SceneParameter {
    std::string_view name;   ///< stable key
    std::string_view label;  ///< for panels: a short word
    std::string_view unit;   ///< "kpc", "deg"; empty for a ratio
    std::string_view idea;   ///< one line for lists and tooltips
    double value = 0;        ///< default
    double least = 0, most = 1;
};

/// Chosen numbers by name; a parameter that is missing has the row's default.
using SceneParameters = std::map<std::string, double, std::less<>>;

/// The input of a builder.
struct SceneRequest {
    std::size_t bodies = 0;  ///< already resolved: never 0; ignored by scenes of fixed size
    std::uint64_t seed = 1;
    SceneParameters parameters{};

    double value(const SceneParameter& parameter) const {
        const auto found = parameters.find(parameter.name);
        return found == parameters.end() ? parameter.value : found->second;
    }
};

/// Physical units of [L], [M], [T] and [L/T]. Without names the scene has units of its own, G = 1.
struct SceneUnits {
    std::string_view length{}, mass{}, time{}, speed{};
    double lengthScale = 1, massScale = 1, timeScale = 1, speedScale = 1;  ///< one [L] is lengthScale of `length`, ...
};

/// One [L], [M] and [T] in m, kg and s; 0 where a scene has units of its own.
RunUnits runUnits(const SceneUnits& units);

/// Kiloparsecs and 10^10 solar masses; the rest follows from G = 4.30091e-6 kpc (km/s)^2 / Msun.
inline constexpr SceneUnits kGalacticUnits{.length = "kpc",
                                           .mass = "Msun",
                                           .time = "Myr",
                                           .speed = "km/s",
                                           .lengthScale = 1,
                                           .massScale = 1e10,
                                           .timeScale = 4.71486,
                                           .speedScale = 207.386};

/// Populations of stars, for pictures that show bodies as stars.
enum class Stars {
    galaxies,    ///< by species: old bulges, and discs that are young where they are dense
    elliptical,  ///< all old, unresolved
    globular,    ///< all old: red giants, and many faint yellow ones
    young        ///< a cluster of blue and white stars, with a few red giants
};

/// The kind of a body of a solar system, for pictures that show stars and planets.
enum class Celestial : std::uint8_t { star, barren, cloudy, ocean, desert, gasGiant, ringed, paleIce, blueIce };

/// The best view of a scene: orbit angles [rad], distance to the target [L].
struct SceneView {
    double distance = 5, azimuth = 0.6, elevation = 0.5;
    double pointSize = 0.02;         ///< drawn radius of a body [L]
    double exposure = 1;             ///< multiplies the automatic brightness, which falls about as 1/N
    double speedScale = 1;           ///< speed that maps to the top of the colour map [L/T]
    std::array<double, 3> target{};  ///< what the camera looks at [L]
    std::string_view colour{};       ///< default colour mode; empty: the first
    Stars stars = Stars::galaxies;
    std::span<const Celestial> celestials{};  ///< kinds of the bodies with the first ids; empty: pictures show no planets
};

/// How long a scene takes to show what its caption says: one revolution, a passage, a collapse with its remnant.
struct Story {
    double time = 0;      ///< simulated [T]; 0: no story
    double seconds = 30;  ///< of watching, on a machine that is fast enough
    double period = 0;    ///< after which all bodies are where they began [T]; 0: never

    /// Simulated time a second of watching [T/s].
    double pace() const { return time / seconds; }
};

/// When the window uses a tree by default, for scenes that do not need every pair exactly.
struct FarField {
    double accuracy = 0;  ///< relative error of the force that 99 % of the bodies keep; 0: every pair, for any N
    std::size_t fromCpu = 16384, fromGpu = 131072;  ///< least N for a tree
    std::size_t bodiesCpu = 0;  ///< default N on a CPU with a tree, at most: see farFieldBodies(); 0: the row's own
    std::size_t bodiesGpu = 0;  ///< default N on a GPU with a tree, at most; 0: the row's own
    /// The accuracy for `bodies` on a device or a CPU; 0: every pair.
    double accuracyOf(std::size_t bodies, bool onDevice) const {
        return bodies >= (onDevice ? fromGpu : fromCpu) ? accuracy : 0;
    }
    bool operator==(const FarField&) const = default;
};
/// For systems without close encounters: the softening changes forces by more than this.
inline constexpr FarField kCollisionless{.accuracy = 1e-3, .bodiesCpu = 65536, .bodiesGpu = 1048576};

/// What a scene is, for menus. Other laws, and few bodies, tell by themselves: see groupOf() of app/control/scene_groups.h.
enum class SceneGroup { galaxies, clusters, famous, laws };

/// A row of the scene table.
struct Scene {
    std::string_view name{};  ///< stable key
    SceneGroup group = SceneGroup::galaxies;
    std::string_view idea{};        ///< one line for lists and tooltips
    std::string_view caption{};     ///< what to look for; the window shows it
    std::string_view source{};      ///< paper, book; empty if none
    int version = 1;                ///< rises when the start changes; files name it, and older rows remain
    std::size_t bodiesGpu = 65536;  ///< default N on a GPU
    std::size_t bodiesCpu = 8192;   ///< default N on a CPU
    std::size_t fixedBodies = 0;    ///< 0, or the only N of the scene, which is then both defaults
    std::size_t massive = 0;        ///< bodies with mass, where the others have none; 0: all have
    std::string_view integrator{};  ///< that the scene needs; empty: the default
    double timeStep = 0.01;         ///< [T]
    Story story{};
    double softening = 0;  ///< [L]
    FarField farField{};
    Law law = Law::gravity;
    SceneView view{};
    /// Bodies centred and at rest as a whole; the same bytes for the same request, for any number of threads. Null in a row
    /// that describes loaded bodies.
    ParticleSet (*build)(const SceneRequest&) = nullptr;
    /// The same bodies, made again where they are read. Null: the scene makes all at once.
    std::shared_ptr<const MadeBodies> (*made)(const SceneRequest&) = nullptr;
    SceneUnits units{};
    std::span<const SceneParameter> parameters{};
    std::span<const std::string_view> names{};  ///< of the first bodies, in their order; empty: no names
    // The numbers of the law, see ForceSettings.
#define GRAVLAB_LAW_NUMBER(member, usual, ...) double member = usual;
#include "law_numbers.inl"
#undef GRAVLAB_LAW_NUMBER
    ContactSettings contact{};  ///< what bodies do that touch
    /// The terms beside the pair law for the bodies that `build` made. Null: none.
    ForceTerms (*terms)(const SceneRequest&, const ParticleSet& bodies) = nullptr;
};

/// Adds a scene that its name finds but no list shows, for tests. Call it before main(), or before the scene is used. Throws
/// std::logic_error for a name that exists already.
bool addScene(const Scene& scene);

}  // namespace gravlab
