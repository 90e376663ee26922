#include "app/plots/profile_plot.h"

#include "app/tables/format.h"

#include <cmath>

namespace gravlab {
namespace {

std::string unitOr(std::string_view name, const char* otherwise) { return name.empty() ? otherwise : std::string(name); }

Plot plotOf(const char* title, const SceneUnits& units) {
    Plot plot{.title = title, .x = {.label = "R [" + unitOr(units.length, "L") + "]"}};
    return plot;
}

void add(Plot& plot, const char* label, const Profile& profile, double ProfileRing::*column, double lengthScale,
         double scale, bool line = true) {
    PlotSeries series{.label = label, .line = line, .markers = !line};
    for (const ProfileRing& ring : profile.rings) {
        // A missing number leaves a gap; zero has no logarithm and counts as missing.
        const double value = ring.*column * scale;
        if (!std::isfinite(value) || (plot.y.logarithmic && !(value > 0))) continue;
        series.x.push_back(ring.radius * lengthScale);
        series.y.push_back(value);
    }
    if (!series.x.empty()) plot.series.push_back(std::move(series));
}

}  // namespace

std::array<Plot, 4> profilePlots(const Profile& profile, const SceneUnits& units) {
    const double length = units.lengthScale, speed = units.speedScale;
    const std::string speedUnit = unitOr(units.speed, "L/T");
    std::array<Plot, 4> plots{plotOf("rotation", units), plotOf("surface density", units),
                              plotOf("velocity dispersion", units), plotOf("Toomre Q", units)};
    plots[0].y.label = "v [" + speedUnit + "]";
    add(plots[0], "measured", profile, &ProfileRing::rotation, length, speed, false);
    add(plots[0], "v_c, radial force", profile, &ProfileRing::circular, length, speed);
    add(plots[0], "v_c, mass within", profile, &ProfileRing::circularOfMass, length, speed);
    plots[1].y.logarithmic = true;
    const double area = length * length;
    if (profile.numberWeighted) {
        plots[1].y.label = "bodies / " + unitOr(units.length, "L") + "^2";
        add(plots[1], "", profile, &ProfileRing::surfaceDensity, length, 1 / area);
    } else if (units.length == "kpc" && units.mass == "Msun") {
        plots[1].y.label = "Msun / pc^2";
        add(plots[1], "", profile, &ProfileRing::surfaceDensity, length, units.massScale / area * 1e-6);
    } else {
        plots[1].y.label = unitOr(units.mass, "M") + " / " + unitOr(units.length, "L") + "^2";
        add(plots[1], "", profile, &ProfileRing::surfaceDensity, length, units.massScale / area);
    }
    plots[2].y.label = "sigma [" + speedUnit + "]";
    add(plots[2], "sigma_R", profile, &ProfileRing::dispersionR, length, speed);
    add(plots[2], "sigma_z", profile, &ProfileRing::dispersionZ, length, speed);
    plots[3].y.label = "sigma_R kappa / (3.36 G Sigma)";
    add(plots[3], "", profile, &ProfileRing::toomreQ, length, 1);
    return plots;
}

std::string profileText(const Profile& profile, const ProfileRequest& request, const SceneUnits& units) {
    if (!profile.why.empty()) return profile.why;
    const double scale = units.lengthScale;
    std::string result =
        formatted("About (%.3g, %.3g, %.3g) %s, %s bodies", profile.centre.x * scale, profile.centre.y * scale,
                  profile.centre.z * scale, unitOr(units.length, "L").c_str(), grouped(profile.bodies).text);
    if (request.galaxy >= 0) result += " of galaxy " + std::to_string(request.galaxy + 1);
    if (profile.weight > 1) result += ", an even sample of " + std::string(grouped(profile.sampled).text);
    return result + formatted("; order of rotation %.2f", profile.order);
}

std::string profileTable(const Profile& profile, const SceneUnits& units) {
    const auto in = [](std::string_view unit) { return unit.empty() ? std::string() : " [" + std::string(unit) + "]"; };
    const bool solar = units.length == "kpc" && units.mass == "Msun";
    const std::string density = solar ? "Msun/pc^2"
                                : units.mass.empty() || units.length.empty()
                                    ? std::string()
                                    : std::string(units.mass) + "/" + std::string(units.length) + "^2";
    const double area = units.lengthScale * units.lengthScale * (solar ? 1e6 : 1);
    const double weight = profile.numberWeighted ? 1 : units.massScale;
    std::string text =
        "radius" + in(units.length) + ",bodies,surface_density" +
        (profile.numberWeighted && !density.empty() ? in("1/" + std::string(solar ? "pc" : units.length) + "^2")
                                                    : in(density));
    for (const char* name : {"v_phi", "v_circular", "v_circular_mass", "sigma_r", "sigma_z"})
        text += "," + std::string(name) + in(units.speed);
    text += ",toomre_q\n";
    for (const ProfileRing& ring : profile.rings) {
        text += formatted("%.9g,%zu", ring.radius * units.lengthScale, ring.bodies);
        const double speed = units.speedScale;
        for (const double value :
             {ring.surfaceDensity * weight / area, ring.rotation * speed, ring.circular * speed, ring.circularOfMass * speed,
              ring.dispersionR * speed, ring.dispersionZ * speed, ring.toomreQ})
            text += std::isfinite(value) ? formatted(",%.9g", value) : ",";
        text += "\n";
    }
    return text;
}

}  // namespace gravlab
