// Named starting states. The table is in scenario.cpp, builders are one file each under scenario/.
// Rule: same seed, same bytes: own generator and transforms, no std distributions.
#pragma once
#include "sim/core/particles.h"
#include "sim/forces/force_settings.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace gravlab {

/// A number that a scene can be built with: masses, angles, temperatures.
struct ScenarioParameter {
    std::string_view name;   ///< stable key
    std::string_view label;  ///< for panels: a short word
    std::string_view unit;   ///< "kpc", "deg"; empty for a ratio
    std::string_view idea;   ///< one line for lists and tooltips
    double value = 0;        ///< unless asked otherwise
    double least = 0, most = 1;
};

/// Numbers asked for, by name; what is not there has the row's value.
using ScenarioParameters = std::map<std::string, double, std::less<>>;

/// What a builder is asked for.
struct ScenarioRequest {
    std::size_t bodies = 0;  ///< already resolved: never 0; ignored by scenes of fixed size
    std::uint64_t seed = 1;
    ScenarioParameters parameters{};

    double value(const ScenarioParameter& parameter) const {
        const auto found = parameters.find(parameter.name);
        return found == parameters.end() ? parameter.value : found->second;
    }
};

/// What [L], [M], [T] and [L/T] are in units that people know. Without names: the scene's own, G = 1.
struct ScenarioUnits {
    std::string_view length{}, mass{}, time{}, speed{};
    double lengthScale = 1, massScale = 1, timeScale = 1, speedScale = 1;  ///< one [L] is lengthScale of `length`, ...
};

/// Kiloparsecs and 10^10 solar masses; the rest follows from G = 4.30091e-6 kpc (km/s)^2 / Msun.
inline constexpr ScenarioUnits kGalacticUnits{.length = "kpc",
                                              .mass = "Msun",
                                              .time = "Myr",
                                              .speed = "km/s",
                                              .lengthScale = 1,
                                              .massScale = 1e10,
                                              .timeScale = 4.71486,
                                              .speedScale = 207.386};

/// From where a scene looks best: orbit angles [rad], distance to the target [L].
struct ScenarioView {
    double distance = 5, azimuth = 0.6, elevation = 0.5;
    double pointSize = 0.02;         ///< radius of a body as drawn [L]
    double exposure = 1;             ///< multiplies the automatic 1/N-ish brightness
    double speedScale = 1;           ///< speed that maps to the top of the colour map [L/T]
    std::array<double, 3> target{};  ///< what the camera looks at [L]
};

/// A row of the scene table.
struct Scenario {
    std::string_view name;     ///< stable key
    std::string_view idea;     ///< one line for lists and tooltips
    std::string_view caption;  ///< what to look for, shown in the window
    std::string_view source;   ///< paper, book; empty if none
    std::size_t bodiesGpu;     ///< default N on a GPU
    std::size_t bodiesCpu;     ///< default N on a CPU
    std::size_t fixedBodies;   ///< 0, or the only N that the scene has
    double timeStep;           ///< [T]
    double softening;          ///< [L]
    Law law;
    ScenarioView view;
    ParticleSet (*build)(const ScenarioRequest&);  ///< COM-centred, at rest as a whole
    ScenarioUnits units{};
    std::span<const ScenarioParameter> parameters{};
    double exponent = 2;                              ///< of the power law
    double strength = 1, diameter = 1, cutOff = 2.5;  ///< of the law, see ForceSettings
};

/// All scenes; the default is `collision`.
std::span<const Scenario> scenarios();
/// The row of that name. Throws UsageError naming the valid ones and the nearest.
const Scenario& scenario(std::string_view name);
/// Throws UsageError when a name is none of the scene's parameters or a number is out of its range, naming what is valid.
void requireParameters(const Scenario& scene, const ScenarioParameters& parameters);

}  // namespace gravlab
