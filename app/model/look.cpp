// Light budget of a picture: N bodies of radius r cover an area that is proportional to the square of the camera's distance.
#include "app/model/look.h"

#include "app/tables/text_values.h"
#include "sim/core/names.h"

#include <algorithm>
#include <cmath>

namespace gravlab {
namespace {

// Chosen by eye on two colliding discs of 8,192 and 65,536 bodies at 1280x720: cores just below white, arms in colour.
constexpr double kSurfaceBrightness = 0.5;
// Limit of a single body's brightness, so that few bodies are coloured and not white.
constexpr double kBrightest = 12;
// Up to this N the scene's own radius applies; beyond, it shrinks with the fifth root: 8 times the bodies, 2/3 of the
// radius.
constexpr double kFinerAbove = 8192;

// Dark matter is a faint trace that does not hide the stars.
constexpr float kDarkLight = 0.03f;

constexpr ToneRow kTones[] = {
    {"plate", "logarithmic, like a photographic plate: faint arms and bright cores at once", ToneCurve::plate},
    {"aces", "like cinema film: strong contrast, bright cores", ToneCurve::aces},
    {"agx", "soft, and bright colours fade towards white", ToneCurve::agx},
    {"slide", "like colour slides of galaxies: a dark sky and soft highlights", ToneCurve::slide},
    {"auto", "slide for photographs, plate for all that is measured by colour", ToneCurve::automatic},
};

// Approximate width of arms, as a fraction of the scene's viewing distance.
constexpr double kArm = 0.06;

struct OverlayRow {
    std::string_view name;
    bool OverlayChoice::*shown;
};
constexpr OverlayRow kOverlays[] = {{"legend", &OverlayChoice::legend},
                                    {"scale", &OverlayChoice::scaleBar},
                                    {"clock", &OverlayChoice::clock},
                                    {"axes", &OverlayChoice::axes},
                                    {"grid", &OverlayChoice::grid},
                                    {"labels", &OverlayChoice::labels},
                                    {"velocities", &OverlayChoice::velocities},
                                    {"forces", &OverlayChoice::forces}};

}  // namespace

std::span<const ToneRow> toneCurves() { return kTones; }

std::vector<std::string> overlayNames() {
    std::vector<std::string> names;
    for (const OverlayRow& row : kOverlays) names.emplace_back(row.name);
    return names;
}

OverlayChoice overlayOf(const std::string& text) {
    OverlayChoice choice;
    for (const std::string& name : splitList({text}))
        for (const OverlayRow& row : kOverlays)
            if (name == row.name) choice.*row.shown = true;
    return choice;
}

std::string overlayText(const OverlayChoice& overlay) {
    std::string text;
    for (const OverlayRow& row : kOverlays)
        if (overlay.*row.shown) addTo(text, row.name, ",");
    return text.empty() ? "none" : text;
}

Camera sceneCamera(const SceneView& view) {
    Camera camera;
    camera.distance = static_cast<float>(view.distance);
    camera.azimuth = static_cast<float>(view.azimuth);
    camera.elevation = static_cast<float>(view.elevation);
    camera.target = {static_cast<float>(view.target[0]), static_cast<float>(view.target[1]),
                     static_cast<float>(view.target[2])};
    return camera;
}

Look sceneLook(const SceneView& view, std::size_t bodies) {
    Look look;
    look.darkLight = kDarkLight;
    look.tone = ToneCurve::automatic;
    fitScene(look, view, bodies);
    return look;
}

void fitScene(Look& look, const SceneView& view, std::size_t bodies) {
    const double n = static_cast<double>(std::max<std::size_t>(bodies, 1));
    const double radius = view.pointSize * std::pow(std::max(n / kFinerAbove, 1.0), -0.2);
    const double spread = view.distance / radius;
    look.photograph.scale = static_cast<float>(kArm * view.distance);
    look.pointSize = static_cast<float>(radius);
    look.valueScale = static_cast<float>(view.speedScale);
    look.brightness = static_cast<float>(view.exposure * std::min(kBrightest, kSurfaceBrightness * spread * spread / n));
}

void fitGalaxies(Look& look, const SceneUnits& units) {
    if (units.length != "kpc") return;
    // A scene's light is that of a full picture. Galaxies that are small in theirs get less exposure; otherwise their cores
    // would be white and their tails as bright as discs. A power of 2 would make all discs alike, and single cores dull.
    constexpr float kArmLength = 3.2f, kShorter = 1.2f;  // [kpc]
    const float whole = look.photograph.scale;
    look.photograph.scale = std::min(whole, kArmLength / static_cast<float>(units.lengthScale));
    look.exposure *= std::pow(look.photograph.scale / whole, kShorter);
}

}  // namespace gravlab
