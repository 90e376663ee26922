// Pictures of a run: paths in one plane, in three planes and in space, and the energy error over time.
// Rule: only recorded data are drawn. A thinned path shows nothing that the run did not do.
#pragma once
#include "app/plots/page.h"
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
    /// Adds paths.csv, energy.csv where energies were summed, and profile.csv of each galaxy to `outputs`, and the pictures
    /// of these files, which figures.py draws. Returns the names of these files. Waits for a copy of the bodies. Throws
    /// IoError. `missing`: why there are no pictures.
    std::vector<std::string> write(Simulation& simulation, OutputSet& outputs, std::string& missing) const;

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

// Radial profiles of galaxies at the end of a run: a table and its picture for each galaxy of the scene.

/// Fewer bodies would leave rings empty.
constexpr std::size_t kFewestOfProfile = 200;

/// Adds profile.csv, or profile-1.csv, ... with several galaxies, to `outputs`, and gives their pages; nothing for few
/// bodies.
std::vector<Page> writeRunProfiles(const std::filesystem::path& folder, Simulation& simulation, OutputSet& outputs,
                                   std::vector<std::string>& written);

}  // namespace gravlab
