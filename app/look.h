// From a scene's own view to camera and light: one place, for the window, films and tests.
#pragma once
#include "render/camera.h"
#include "render/particle_renderer.h"
#include "sim/scenario.h"

#include <cstddef>

namespace gravlab {

Camera sceneCamera(const ScenarioView& view);

/// How `bodies` of a scene look best: the picture as a whole is equally bright for every N, and bodies get finer above a few
/// thousand. What the user changed by hand is not in here; call it when scene or N change.
Look sceneLook(const ScenarioView& view, std::size_t bodies);

}  // namespace gravlab
