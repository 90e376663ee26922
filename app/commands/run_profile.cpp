#include "app/commands/run_profile.h"

#include "app/commands/run_plots.h"
#include "app/tables/unit_text.h"

#include "app/plots/profile_plot.h"
#include "sim/io/file/atomic_file.h"

#include <cstdio>

namespace gravlab {

std::vector<std::string> writeRunProfiles(const std::filesystem::path& folder, Simulation& simulation, OutputSet& outputs) {
    std::vector<std::string> written;
    if (simulation.backend().size() < kFewestOfProfile) return written;
    ParticleSet bodies;
    simulation.snapshot(bodies);
    const SceneUnits& units = simulation.scene().units;
    const int galaxies = galaxiesIn(bodies);
    // Groups of species or of single bodies are no galaxies, because galaxies have a density and a plane of their own.
    constexpr int kMostProfiles = 8;
    const bool apart = galaxies > 1 && galaxies <= kMostProfiles;
    for (int galaxy = apart ? 0 : -1; galaxy < (apart ? galaxies : 0); ++galaxy) {
        const ProfileRequest request{.centre = ProfileCentre::core, .galaxy = galaxy};
        const Profile profile = measureProfile(bodies, simulation.force(), request);
        if (!profile.why.empty()) continue;
        const std::string title = simulation.configuration().scene +
                                  (apart ? ", galaxy " + std::to_string(galaxy + 1) : "") +
                                  ": profile at t = " + timeText(simulation.time(), units);
        const std::string name = apart ? "profile-" + std::to_string(galaxy + 1) : "profile";
        const std::filesystem::path picture = folder / (name + ".png"), table = folder / (name + ".csv");
        writeProfile(outputs.add(picture), title, profileText(profile, request, units), profile, units);
        outputs.add(table).write(profileTable(profile, units));
        written.push_back(picture.string());
        written.push_back(table.string());
    }
    return written;
}

}  // namespace gravlab
