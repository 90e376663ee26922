// Light budget of a picture: N bodies of radius r share an area that goes with the square of the camera's distance.
#include "app/model/look.h"

#include "app/model/colour_mode.h"
#include "render/colour_map.h"
#include "sim/core/error.h"
#include "sim/core/names.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gravlab {
namespace {

// Chosen by eye on two colliding discs of 8,192 and 65,536 bodies at 1280x720: cores just below white, arms in colour.
constexpr double kSurfaceBrightness = 0.5;
// A single body is never brighter, so that few bodies are coloured and not white.
constexpr double kBrightest = 12;
// Up to this many bodies the scene's own radius holds; above, it shrinks with the fifth root: 8 times the bodies, 2/3 of it.
constexpr double kFinerAbove = 8192;

// Dark matter is shown as a trace: seen to be there, and not in the way of the stars.
constexpr float kDarkLight = 0.03f;

constexpr ToneRow kTones[] = {
    {"plate", "logarithmic, like a photographic plate: faint arms and bright cores at once", ToneCurve::plate},
    {"aces", "like cinema film: strong contrast, bright cores", ToneCurve::aces},
    {"agx", "soft, and bright colours fade towards white", ToneCurve::agx},
    {"slide", "like colour slides of galaxies: a dark sky and soft highlights", ToneCurve::slide},
    {"auto", "slide for photographs, plate for all that is measured by colour", ToneCurve::automatic},
};

// Arms are about so wide, in parts of the distance that a scene is looked at from.
constexpr double kArm = 0.06;

struct OverlayRow {
    std::string_view name;
    bool OverlayChoice::*shown;
};
constexpr OverlayRow kOverlays[] = {{"legend", &OverlayChoice::legend},
                                    {"scale", &OverlayChoice::scaleBar},
                                    {"clock", &OverlayChoice::clock},
                                    {"axes", &OverlayChoice::axes},
                                    {"grid", &OverlayChoice::grid}};

}  // namespace

std::span<const ToneRow> toneCurves() { return kTones; }

void requireColourMode(const std::string& name) {
    if (name != kSceneColour) findRow(colourModes(), "colour mode", name);
}
void requireColourMap(const std::string& name) { findRow(colourMaps(), "colour map", name); }
void requireTone(const std::string& name) { findRow(toneCurves(), "tone curve", name); }

void requireSplat(const std::string& name) { splatWish(name); }

DrawMethodRequest splatWish(std::string_view name) {
    return name.empty() ? DrawMethodRequest::automatic : findRow(drawMethodRows(), "way to draw bodies", name).wish;
}

OverlayChoice parseOverlay(const std::vector<std::string>& names) {
    OverlayChoice choice;
    for (const std::string& name : names) {
        bool found = name == "none";
        for (const OverlayRow& row : kOverlays)
            if (name == row.name || name == "all") choice.*row.shown = found = true;
        if (found) continue;
        std::vector<std::string_view> valid{"all", "none"};
        for (const OverlayRow& row : kOverlays) valid.push_back(row.name);
        throw UsageError(unknownName("overlay", name, valid));
    }
    return choice;
}

std::string overlayText(const OverlayChoice& overlay) {
    std::string text;
    for (const OverlayRow& row : kOverlays)
        if (overlay.*row.shown) text += (text.empty() ? "" : ",") + std::string(row.name);
    return text.empty() ? "none" : text;
}

int colourModeIndex(std::string_view name) {
    return name.empty() || name == kSceneColour
               ? -1
               : static_cast<int>(&findRow(colourModes(), "colour mode", name) - colourModes().data());
}

void applyCamera(const LookOptions& wanted, Camera& camera) {
    constexpr double kDegree = std::numbers::pi / 180;
    if (wanted.distance) camera.distance = static_cast<float>(*wanted.distance);
    if (wanted.azimuth) camera.azimuth = static_cast<float>(*wanted.azimuth * kDegree);
    if (wanted.elevation) camera.elevation = static_cast<float>(*wanted.elevation * kDegree);
    if (wanted.target)
        camera.target = {static_cast<float>((*wanted.target)[0]), static_cast<float>((*wanted.target)[1]),
                         static_cast<float>((*wanted.target)[2])};
    camera.orthographic = wanted.orthographic;
    if (wanted.field) camera.fieldOfView = static_cast<float>(*wanted.field * kDegree);
}

void applyLook(const LookOptions& wanted, Look& look) {
    if (!wanted.colourMap.empty())
        look.colourMap = static_cast<int>(&findRow(colourMaps(), "colour map", wanted.colourMap) - colourMaps().data());
    if (!wanted.tone.empty()) look.tone = findRow(toneCurves(), "tone curve", wanted.tone).curve;
    const auto set = [](float& to, const std::optional<double>& value) {
        if (value) to = static_cast<float>(*value);
    };
    set(look.exposure, wanted.exposure);
    set(look.bloom, wanted.glow);
    set(look.pointSize, wanted.bodySize);
    set(look.valueScale, wanted.topSpeed);
    set(look.darkLight, wanted.darkLight);
    set(look.photograph.dust, wanted.dust);
    set(look.photograph.gas, wanted.gas);
    set(look.photograph.sky, wanted.sky);
    if (wanted.trails) look.trails = *wanted.trails;
    look.paper = wanted.paper;
    look.autoExposure = wanted.autoExposure;
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
    const double n = static_cast<double>(std::max<std::size_t>(bodies, 1));
    const double radius = view.pointSize * std::pow(std::max(n / kFinerAbove, 1.0), -0.2);
    const double spread = view.distance / radius;
    Look look;
    look.darkLight = kDarkLight;
    look.tone = ToneCurve::automatic;
    look.photograph.scale = static_cast<float>(kArm * view.distance);
    look.pointSize = static_cast<float>(radius);
    look.valueScale = static_cast<float>(view.speedScale);
    look.brightness = static_cast<float>(view.exposure * std::min(kBrightest, kSurfaceBrightness * spread * spread / n));
    return look;
}

}  // namespace gravlab
