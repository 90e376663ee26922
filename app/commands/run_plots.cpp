#include "app/commands/run_plots.h"

#include "app/plots/canvas.h"
#include "app/plots/plot.h"
#include "app/plots/profile_plot.h"
#include "app/tables/format.h"
#include "app/tables/unit_text.h"
#include "sim/core/error.h"
#include "sim/io/file/atomic_file.h"
#include "sim/measure/diagnostics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <system_error>

namespace gravlab {

namespace {

constexpr std::int64_t kMostRecords = 4000;
constexpr std::size_t kMostEnergyBodies = 2048;  // 4000 sums of all pairs stay below half a minute
using namespace paper;

/// A path of the picture: two coordinates of a body over time.
using Points = std::vector<ImVec2>;

/// Range of a plane: both axes have the same scale, so that circles stay circles.
struct Area {
    double centreX = 0, centreY = 0, half = 1;
};

Area frameOf(const std::vector<std::array<const std::vector<double>*, 2>>& curves) {
    double low[2] = {1e300, 1e300}, high[2] = {-1e300, -1e300};
    for (const auto& curve : curves)
        for (int axis = 0; axis < 2; ++axis)
            for (const double value : *curve[static_cast<std::size_t>(axis)]) {
                if (!std::isfinite(value)) continue;
                low[axis] = std::min(low[axis], value);
                high[axis] = std::max(high[axis], value);
            }
    if (low[0] > high[0]) return {};
    const double half = 0.53 * std::max({high[0] - low[0], high[1] - low[1], 1e-12});
    return {(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, half};
}

void drawPath(PlotInk& ink, const Points& points, ImU32 colour, float width) {
    if (points.empty()) return;
    constexpr float kSeen = 0.4f;  // pixels
    ImVec2 last = points.front();
    for (const ImVec2& point : points) {
        if (std::hypot(point.x - last.x, point.y - last.y) < kSeen) continue;
        ink.line(last, point, colour, width);
        last = point;
    }
}

/// Draws the start as a ring, and the end as a disc.
void drawEnds(PlotInk& ink, const Points& points, ImU32 colour, float radius) {
    if (points.empty()) return;
    ink.disc(points.front(), 1.35f * radius, kPaper);
    ink.ring(points.front(), 1.35f * radius, colour, 0.55f * radius);
    ink.disc(points.back(), radius, colour);
}

/// Draws all paths, and their ends above them. `place`: position of two coordinates in the picture.
template <class Place>
void drawCurves(PlotInk& ink, const std::vector<std::array<const std::vector<double>*, 2>>& curves, const Place& place,
                float line) {
    std::vector<Points> drawn;
    for (const auto& [across, up] : curves) {
        Points points;
        for (std::size_t i = 0; i < across->size(); ++i)
            if (std::isfinite((*across)[i]) && std::isfinite((*up)[i])) points.push_back(place((*across)[i], (*up)[i]));
        drawn.push_back(std::move(points));
    }
    for (std::size_t i = 0; i < drawn.size(); ++i) drawPath(ink, drawn[i], seriesColour(i, true), 0.1f * line);
    for (std::size_t i = 0; i < drawn.size(); ++i) drawEnds(ink, drawn[i], seriesColour(i, true), 0.3f * line);
}

/// Draws two coordinates of all paths in a square, with axes.
void drawPlane(Canvas& canvas, ImVec2 from, float side, const char* names, const std::string& unit,
               const std::vector<std::array<const std::vector<double>*, 2>>& curves) {
    PlotInk& ink = canvas.ink();
    const Area frame = frameOf(curves);
    const float line = canvas.small()->FontSize, left = from.x + 4.5f * line, top = from.y + 1.8f * line;
    const float size = side - 6 * line;
    const ImVec2 to(left + size, top + size);
    const auto place = [&](double x, double y) {
        return ImVec2(left + static_cast<float>((x - frame.centreX) / frame.half + 1) * 0.5f * size,
                      to.y - static_cast<float>((y - frame.centreY) / frame.half + 1) * 0.5f * size);
    };
    for (const double tick : roundTicks(frame.centreX - frame.half, frame.centreX + frame.half, false, 6)) {
        const float x = place(tick, 0).x;
        if (x < left || x > to.x) continue;
        ink.line(ImVec2(x, top), ImVec2(x, to.y), IM_COL32(228, 228, 228, 255));
        const std::string text = tickText(tick);
        canvas.text(canvas.small(), ImVec2(x + 0.28f * line * static_cast<float>(text.size()), to.y + 0.3f * line), kInk,
                    text.c_str(), 1);
    }
    for (const double tick : roundTicks(frame.centreY - frame.half, frame.centreY + frame.half, false, 6)) {
        const float y = place(0, tick).y;
        if (y < top || y > to.y) continue;
        ink.line(ImVec2(left, y), ImVec2(to.x, y), IM_COL32(228, 228, 228, 255));
        canvas.text(canvas.small(), ImVec2(left - 0.4f * line, y - 0.5f * line), kInk, tickText(tick).c_str(), 1);
    }
    ink.clip(ImVec2(left, top), to);
    drawCurves(ink, curves, place, line);
    ink.unclip();
    ink.frame(ImVec2(left, top), to, kInk);
    const auto label = [&](char axis) { return std::string(1, axis) + " [" + unit + "]"; };
    canvas.text(canvas.small(), ImVec2(to.x, to.y + 1.5f * line), kQuiet, label(names[0]).c_str(), 1);
    canvas.text(canvas.small(), ImVec2(left, from.y + 0.4f * line), kQuiet, label(names[1]).c_str(), 0);
}

/// Draws the paths at an angle to the plane, without perspective; the axes show the rotation.
void drawSpace(Canvas& canvas, ImVec2 from, float side,
               const std::vector<std::array<const std::vector<double>*, 3>>& curves) {
    constexpr double kAzimuth = 0.6, kElevation = 0.5;
    const double cosA = std::cos(kAzimuth), sinA = std::sin(kAzimuth), cosE = std::cos(kElevation),
                 sinE = std::sin(kElevation);
    const auto across = [&](double x, double y) { return cosA * y - sinA * x; };
    const auto up = [&](double x, double y, double z) { return cosE * z - sinE * (cosA * x + sinA * y); };
    std::vector<std::array<std::vector<double>, 2>> seen;
    double reach = 0;
    for (const auto& curve : curves) {
        std::array<std::vector<double>, 2> flat;
        for (std::size_t i = 0; i < curve[0]->size(); ++i) {
            const double x = (*curve[0])[i], y = (*curve[1])[i], z = (*curve[2])[i];
            flat[0].push_back(across(x, y));
            flat[1].push_back(up(x, y, z));
            if (std::isfinite(x + y + z)) reach = std::max({reach, std::abs(x), std::abs(y), std::abs(z)});
        }
        seen.push_back(std::move(flat));
    }
    std::vector<std::array<const std::vector<double>*, 2>> pointers;
    for (const auto& flat : seen) pointers.push_back({&flat[0], &flat[1]});
    Area frame = frameOf(pointers);
    PlotInk& ink = canvas.ink();
    const float line = canvas.small()->FontSize;
    const auto place = [&](double x, double y) {
        return ImVec2(from.x + static_cast<float>((x - frame.centreX) / frame.half + 1) * 0.5f * side,
                      from.y + side - static_cast<float>((y - frame.centreY) / frame.half + 1) * 0.5f * side);
    };
    const double arm = 0.35 * reach;
    constexpr double kAxes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int axis = 0; axis < 3; ++axis) {
        const double x = arm * kAxes[axis][0], y = arm * kAxes[axis][1], z = arm * kAxes[axis][2];
        const ImVec2 tip = place(across(x, y), up(x, y, z));
        ink.line(place(0, 0), tip, kQuiet, 0.08f * line);
        const char name[] = {static_cast<char>('x' + axis), 0};
        canvas.text(canvas.small(), ImVec2(tip.x + 0.3f * line, tip.y - 0.5f * line), kQuiet, name);
    }
    drawCurves(ink, pointers, place, line);
}

/// White paper with a title and a line of facts; `draw` receives the area below them.
template <class Draw>
void writePage(ByteSink& file, int width, int height, const std::string& title, const std::string& facts, Draw draw) {
    Canvas canvas(width, height, 18);
    canvas.ink().box(ImVec2(0, 0), canvas.size(), kPaper);
    const float margin = 28;
    canvas.text(canvas.large(), ImVec2(margin, 20), kInk, title.c_str());
    const float below = 24 + 1.25f * canvas.large()->FontSize;
    canvas.text(canvas.small(), ImVec2(margin, below), kQuiet, facts.c_str());
    draw(canvas, ImVec2(margin, below + 2.2f * canvas.small()->FontSize));
    canvas.write(file, {{"Title", title}, {"Description", facts}});
}

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
    ParticleSet bodies = simulation.bodies();
    if (times_.empty()) {
        bodies_ = bodies.size();
        const std::size_t count = std::min(bodies_, kMostPaths);
        for (std::size_t k = 0; k < count; ++k) shown_.push_back(k * bodies_ / count);
        paths_.resize(count);
    }
    const SceneUnits& units = simulation.scene().units;
    times_.push_back(simulation.time() * units.timeScale);
    for (std::size_t k = 0; k < shown_.size(); ++k) {
        const Double4& x = bodies.position[shown_[k]];
        paths_[k].x.push_back(x.x * units.lengthScale);
        paths_[k].y.push_back(x.y * units.lengthScale);
        paths_[k].z.push_back(x.z * units.lengthScale);
    }
    if (bodies_ <= kMostEnergyBodies) energies_.push_back(measureSystem(bodies, simulation.terms()).energy());
}

std::vector<std::string> RunPlots::write(const Simulation& simulation, OutputSet& outputs) const {
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
    const std::string unit = length.empty() ? "L" : length;
    using Two = std::vector<std::array<const std::vector<double>*, 2>>;
    Two xy, xz, yz;
    std::vector<std::array<const std::vector<double>*, 3>> space;
    for (const Path& path : paths_) {
        xy.push_back({&path.x, &path.y});
        xz.push_back({&path.x, &path.z});
        yz.push_back({&path.y, &path.z});
        space.push_back({&path.x, &path.y, &path.z});
    }
    const std::string name = settings.scene;
    std::vector<std::string> written;
    const auto file = [&](const char* leaf) -> ByteSink& {
        written.push_back((folder_ / leaf).string());
        return outputs.add(folder_ / leaf);
    };
    writePage(file("paths-xy.png"), 1100, 1180, name + ": paths in the x-y plane", facts.c_str(),
              [&](Canvas& canvas, ImVec2 at) { drawPlane(canvas, at, 1040, "xy", unit, xy); });
    writePage(file("paths-planes.png"), 1860, 760, name + ": paths in three planes", facts.c_str(),
              [&](Canvas& canvas, ImVec2 at) {
                  drawPlane(canvas, at, 610, "xy", unit, xy);
                  drawPlane(canvas, ImVec2(at.x + 605, at.y), 610, "xz", unit, xz);
                  drawPlane(canvas, ImVec2(at.x + 1210, at.y), 610, "yz", unit, yz);
              });
    writePage(file("paths-3d.png"), 1100, 1180, name + ": paths in space", facts.c_str(),
              [&](Canvas& canvas, ImVec2 at) { drawSpace(canvas, at, 1040, space); });
    if (energies_.empty()) return written;
    Plot plot;
    plot.x.label = "t [" + (time.empty() ? "T" : time) + "]";
    plot.y.label = "|E - E0| / |E0|";
    plot.y.logarithmic = true;
    PlotSeries series;
    series.markers = false;
    double worst = 0;
    for (std::size_t i = 1; i < energies_.size(); ++i) {
        const double size = energies_.front() != 0 ? std::abs(energies_.front()) : 1;
        const double error = std::abs(energies_[i] - energies_.front()) / size;
        if (!(error <= worst)) worst = error;
        series.x.push_back(times_[i]);
        series.y.push_back(std::max(error, 1e-17));  // below the rounding of the sum; a logarithm has no zero
    }
    plot.series.push_back(std::move(series));
    Plot wanders = plot;  // with its sign, which a logarithm cannot show
    wanders.y = {};
    wanders.y.label = "(E - E0) / |E0|";
    wanders.series.front().y.clear();
    const double scale = energies_.front() != 0 ? std::abs(energies_.front()) : 1;
    for (std::size_t i = 1; i < energies_.size(); ++i)
        wanders.series.front().y.push_back((energies_[i] - energies_.front()) / scale);
    const std::string line = formatted("%s  Largest: %.2e", facts.c_str(), worst);
    writePage(file("energy-signed.png"), 1400, 800, name + ": relative energy error with its sign", line.c_str(),
              [&](Canvas& canvas, ImVec2 at) {
                  drawPlot(canvas.ink(), at, ImVec2(canvas.size().x - 28, canvas.size().y - 20), wanders,
                           {.light = true, .legend = false});
              });
    writePage(file("energy.png"), 1400, 800, name + ": relative energy error", line.c_str(), [&](Canvas& canvas, ImVec2 at) {
        drawPlot(canvas.ink(), at, ImVec2(canvas.size().x - 28, canvas.size().y - 20), plot,
                 {.light = true, .legend = false});
    });
    return written;
}

std::vector<std::string> writeRunProfiles(const std::filesystem::path& folder, Simulation& simulation, OutputSet& outputs) {
    std::vector<std::string> written;
    if (simulation.backend().size() < kFewestOfProfile) return written;
    ParticleSet bodies = simulation.bodies();
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
