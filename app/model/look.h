// From a scene's own view to camera and light: one place, for the window, films and tests.
#pragma once
#include "app/model/options.h"
#include "render/camera.h"
#include "render/particle_renderer.h"
#include "sim/scenes/scene.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

Camera sceneCamera(const SceneView& view);

/// Points of a trail when it is switched on without saying how many.
constexpr int kUsualTrail = 400;

/// How `bodies` of a scene look best: the picture as a whole is equally bright for every N, and bodies get finer above a few
/// thousand. What the user changed by hand is not in here; call it when scene or N change.
Look sceneLook(const SceneView& view, std::size_t bodies);

/// A row of the tone curves.
struct ToneRow {
    std::string_view name, idea;
    ToneCurve curve;
};
std::span<const ToneRow> toneCurves();

/// Each throws UsageError naming the valid names and the nearest.
void requireColourMode(const std::string& name);
void requireColourMap(const std::string& name);
void requireTone(const std::string& name);
void requireSplat(const std::string& name);
OverlayChoice parseOverlay(const std::vector<std::string>& names);
/// "scale,clock", or "none"; what parseOverlay understands.
std::string overlayText(const OverlayChoice& overlay);

/// Puts what was asked for over a scene's look. Names are known to be right.
void applyLook(const LookOptions& wanted, Look& look);
/// Points of view asked for, over a scene's camera.
void applyCamera(const LookOptions& wanted, Camera& camera);
/// How bodies are drawn, by the name of a row of drawMethodRows(); automatic for an empty one.
DrawMethodRequest splatWish(std::string_view name);
/// The colour mode that the scene asks for.
inline constexpr std::string_view kSceneColour = "auto";
/// Row of the colour mode of that name; -1, the scene's own, for an empty one and kSceneColour.
int colourModeIndex(std::string_view name);

}  // namespace gravlab
