#include "app/commands/run_plots.h"

#include "app/plots/profile_plot.h"
#include "app/tables/format.h"
#include "app/tables/unit_text.h"
#include "sim/api/errors.h"
#include "sim/io/checkpoint.h"
#include "sim/io/file/atomic_file.h"
#include "sim/measure/diagnostics.h"

#include <algorithm>
#include <cmath>
#include <system_error>

namespace gravlab {

namespace {

constexpr std::int64_t kMostRecords = 4000;
constexpr std::size_t kMostEnergyBodies = 2048;  // 4000 sums of all pairs stay below half a minute
constexpr std::size_t kMostCopied = 65536;
constexpr double kLeastError = 1e-17;  // below the rounding of the sum; a logarithm has no zero

}  // namespace

std::string inBrackets(std::string_view unit) { return unit.empty() ? std::string() : " [" + std::string(unit) + "]"; }

RunPlots::RunPlots(const std::filesystem::path& folder) : folder_(folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error || !std::filesystem::is_directory(folder))
        throw IoError("--plots: cannot make the folder '" + folder.string() + "': " + error.message());
}

std::int64_t RunPlots::stride(std::int64_t steps) {
    return std::max<std::int64_t>(1, (steps + kMostRecords - 1) / kMostRecords);
}

void RunPlots::record(Simulation& simulation) {
    if (times_.empty()) {
        bodies_ = simulation.backend().size();
        const std::size_t count = std::min(bodies_, kMostPaths);
        for (std::size_t k = 0; k < count; ++k) shown_.push_back(k * bodies_ / count);
        paths_.resize(count);
    }
    const SceneUnits& units = simulation.scene().units;
    times_.push_back(simulation.time() * units.timeScale);
    // A copy of few bodies is faster than some bodies one by one; of many it would need their memory again.
    const bool few = bodies_ <= kMostCopied;
    const ParticleSet bodies = few ? simulation.bodies() : ParticleSet();
    for (std::size_t k = 0; k < shown_.size(); ++k) {
        const auto index = static_cast<std::uint32_t>(shown_[k]);
        const Double4 x = few ? bodies.position[index] : simulation.backend().body(index).position;
        paths_[k].x.push_back(x.x * units.lengthScale);
        paths_[k].y.push_back(x.y * units.lengthScale);
        paths_[k].z.push_back(x.z * units.lengthScale);
    }
    if (bodies_ <= kMostEnergyBodies) energies_.push_back(measureSystem(bodies, simulation.terms()).energy());
}

std::vector<std::string> RunPlots::write(Simulation& simulation, OutputSet& outputs, std::string& missing) const {
    const RunConfiguration& settings = simulation.configuration();
    const SceneUnits& units = simulation.scene().units;
    const std::string length(units.length), time(units.time);
    const auto behind = [](const std::string& unit) { return unit.empty() ? unit : " " + unit; };
    const std::string facts =
        formatted("%zu bodies%s, %s, dt = %g%s, softening %g%s, t = %g to %g%s.  Rings: start; discs: end.", bodies_,
                  bodies_ > shown_.size() ? (", " + std::to_string(shown_.size()) + " paths").c_str() : "",
                  settings.integrator.c_str(), settings.timeStep * units.timeScale, behind(time).c_str(),
                  settings.force.softening * units.lengthScale, behind(length).c_str(), times_.empty() ? 0 : times_.front(),
                  times_.empty() ? 0 : times_.back(), behind(time).c_str());
    std::vector<std::string> written;
    const auto file = [&](const std::string& leaf) -> AtomicFile& {
        written.push_back((folder_ / leaf).string());
        return outputs.add(folder_ / leaf);
    };
    std::string paths = "t" + inBrackets(time);
    for (const std::size_t body : shown_)
        for (const char* axis : {"x", "y", "z"})
            paths += "," + std::string(axis) + std::to_string(body) + inBrackets(length);
    paths += "\n";
    for (std::size_t i = 0; i < times_.size(); ++i) {
        paths += formatted("%.9g", times_[i]);
        for (const Path& path : paths_) paths += formatted(",%.9g,%.9g,%.9g", path.x[i], path.y[i], path.z[i]);
        paths += "\n";
    }
    file("paths.csv").write(paths);
    const std::string device = simulation.backend().description();
    std::vector<Page> pages;
    const auto page = [&](const char* name, const char* what, const std::string& csv, int width, int height,
                          const std::string& note) {
        pages.push_back({.name = name, .title = settings.scene + ": " + what, .csv = csv});
        pages.back().notes = {note, device};
        pages.back().texts = {{"Title", pages.back().title}, {"Description", note}};
        pages.back().width = width, pages.back().height = height;
    };
    page("paths-xy", "paths in the x-y plane", paths, 1100, 1180, facts);
    page("paths-planes", "paths in three planes", paths, 1860, 760, facts);
    page("paths-3d", "paths in space", paths, 1100, 1180, facts);
    if (!energies_.empty()) {
        double worst = 0;
        std::string table = "t" + inBrackets(time) + ",relative_energy_error\n";
        const double scale = energies_.front() != 0 ? std::abs(energies_.front()) : 1;
        for (std::size_t i = 0; i < energies_.size(); ++i) {
            const double change = (energies_[i] - energies_.front()) / scale;
            table += formatted("%.9g,%.9g\n", times_[i], change);
            if (!(std::abs(change) <= worst)) worst = std::abs(change);
        }
        file("energy.csv").write(table);
        const std::string note = facts + formatted("  Largest: %.2e", worst);
        page("energy-signed", "relative energy error with its sign", table, 1400, 800, note);
        page("energy", "relative energy error", table, 1400, 800, note);
    }
    for (Page& profile : writeRunProfiles(folder_, simulation, outputs, written)) pages.push_back(std::move(profile));
    const DrawnPages drawn = drawnPages(pages, "png");
    missing = drawn.why;
    for (std::size_t k = 0; k < drawn.files.size(); ++k) file(pages[k].name + ".png").write(drawn.files[k]);
    return written;
}

std::vector<Page> writeRunProfiles(const std::filesystem::path& folder, Simulation& simulation, OutputSet& outputs,
                                   std::vector<std::string>& written) {
    std::vector<Page> pages;
    if (simulation.backend().size() < kFewestOfProfile) return pages;
    BodyPieces* const pieces = piecesOf(simulation);
    const ParticleSet copied = pieces ? ParticleSet() : simulation.bodies();
    const BodySource bodies(copied, pieces);
    const SceneUnits& units = simulation.scene().units;
    const int galaxies = galaxiesIn(bodies);
    const bool apart = haveProfiles(galaxies);
    for (int galaxy = apart ? 0 : -1; galaxy < (apart ? galaxies : 0); ++galaxy) {
        const ProfileRequest request{.centre = ProfileCentre::core, .galaxy = galaxy};
        const Profile profile = measureProfile(bodies, simulation.force(), request);
        if (!profile.why.empty()) continue;
        const std::string title = simulation.configuration().scene +
                                  (apart ? ", galaxy " + std::to_string(galaxy + 1) : "") +
                                  ": profile at t = " + timeText(simulation.time(), units);
        const std::string name = apart ? "profile-" + std::to_string(galaxy + 1) : "profile";
        written.push_back((folder / (name + ".csv")).string());
        pages.push_back({.name = name, .title = title, .csv = profileTable(profile, units)});
        outputs.add(written.back()).write(pages.back().csv);
        pages.back().notes = {profileText(profile, request, units)};
        pages.back().texts = {{"Title", title}, {"Description", pages.back().notes.front()}};
        pages.back().width = 1400, pages.back().height = 1080;
    }
    return pages;
}

}  // namespace gravlab
