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
/// Of a photograph: galaxies have the arms that galaxies have, however much of the picture they take, and are exposed for
/// that.
void fitGalaxies(Look& look, const SceneUnits& units);

/// A row of the tone curves.
struct ToneRow {
    std::string_view name, idea;
    ToneCurve curve;
};
std::span<const ToneRow> toneCurves();

/// legend, scale, clock, axes, grid, labels, velocities, forces.
std::vector<std::string> overlayNames();
/// Those of the names that "scale,clock" has.
OverlayChoice overlayOf(const std::string& text);
/// The same back; "none" where nothing is shown.
std::string overlayText(const OverlayChoice& overlay);

}  // namespace gravlab
