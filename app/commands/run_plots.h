// Pictures of a run: paths in one plane, in three planes and in space, and the energy error over time.
// Rule: only recorded data are drawn. A thinned path shows nothing that the run did not do.
#pragma once
#include "sim/io/file/atomic_file.h"
#include "sim/run/simulation.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// " [kpc]"; empty for a unit without a name.
std::string inBrackets(std::string_view unit);

/// Records the paths of up to kMostPaths bodies during a run.
class RunPlots {
public:
    static constexpr std::size_t kMostPaths = 64;

    /// Creates the folder. Throws IoError where that fails.
    explicit RunPlots(const std::filesystem::path& folder);

    /// Number of steps between two records in a run of `steps` steps, which keeps curves smooth.
    static std::int64_t stride(std::int64_t steps);
    /// Records the present step. Waits for a copy of the state; skips the energy of many bodies.
    void record(Simulation& simulation);
    /// Writes paths-xy.png, paths-planes.png, paths-3d.png and, where energies were summed, energy.png and
    /// energy-signed.png. Returns the names of these files. Throws IoError.
    std::vector<std::string> write(const Simulation& simulation, OutputSet& outputs) const;

private:
    struct Path {
        std::vector<double> x, y, z;
    };

    std::filesystem::path folder_;
    std::vector<Path> paths_;
    std::vector<std::size_t> shown_;  ///< indices of the bodies whose paths are recorded
    std::vector<double> times_, energies_;
    std::size_t bodies_ = 0;
};

// Radial profiles of galaxies at the end of a run: a picture and a table for each galaxy of the scene.

/// Fewer bodies would leave rings empty.
constexpr std::size_t kFewestOfProfile = 200;

/// Writes profile.png and profile.csv into the folder, or profile-1.png, ... with several galaxies; nothing for few bodies.
/// Returns the names of these files. Waits for a copy of the bodies. Throws IoError.
std::vector<std::string> writeRunProfiles(const std::filesystem::path& folder, Simulation& simulation, OutputSet& outputs);

}  // namespace gravlab
