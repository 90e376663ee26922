// From a scene's own view to camera and light: one place, for the window, films and tests.
#pragma once
#include "app/model/start_options.h"
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

/// Length of a trail when the user gives none.
constexpr int kUsualTrail = 400;

/// The best look of a scene for this N: the whole picture is equally bright for every N, and bodies get smaller above a few
/// thousand. User changes are not included.
Look sceneLook(const SceneView& view, std::size_t bodies);
/// Sets what the scene decides, and keeps what a user chooses; call it when scene or N change.
void fitScene(Look& look, const SceneView& view, std::size_t bodies);
/// For a photograph: adapts arm width and exposure to the size of galaxies in the picture.
void fitGalaxies(Look& look, const SceneUnits& units);

/// A row of the tone curves.
struct ToneRow {
    std::string_view name, idea;
    ToneCurve curve;
};
std::span<const ToneRow> toneCurves();

/// legend, scale, clock, axes, grid, labels, velocities, forces.
std::vector<std::string> overlayNames();
/// The overlays in a text such as "scale,clock".
OverlayChoice overlayOf(const std::string& text);
/// The text of the overlays; "none" when nothing is shown.
std::string overlayText(const OverlayChoice& overlay);

}  // namespace gravlab
