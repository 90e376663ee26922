// The pictures of a run: paths in the plane, in three planes and in space, and the energy error over time.
// Rule: what was recorded is drawn; a path that is thinned says nothing that the run did not do.
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

/// Collects the paths of up to kMostPaths bodies while a run goes on.
class RunPlots {
public:
    static constexpr std::size_t kMostPaths = 64;

    /// Makes the folder. Throws IoError where that fails.
    explicit RunPlots(const std::filesystem::path& folder);

    /// Steps between two records of a run of so many steps: fine enough for smooth curves.
    static std::int64_t stride(std::int64_t steps);
    /// Takes the present step in. Waits for a copy of the state; the energy of many bodies is left out.
    void record(Simulation& simulation);
    /// Writes paths-xy.png, paths-planes.png, paths-3d.png and, where energies were summed, energy.png
    /// and energy-signed.png. The names of
    /// what was written. Throws IoError.
    std::vector<std::string> write(const Simulation& simulation, OutputSet& outputs) const;

private:
    struct Path {
        std::vector<double> x, y, z;
    };

    std::filesystem::path folder_;
    std::vector<Path> paths_;
    std::vector<std::size_t> shown_;  ///< indices of the bodies that have a path
    std::vector<double> times_, energies_;
    std::size_t bodies_ = 0;
};

}  // namespace gravlab
