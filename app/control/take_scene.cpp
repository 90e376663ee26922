// A scene file in a window that runs already: dropped on it or opened from a panel.
#include "app/control/scene_file.h"
#include "app/model/camera_path.h"
#include "app/model/look.h"
#include "app/session/frame_loop.h"
#include "app/view/four_view.h"

#include <numbers>

namespace gravlab {

Options sceneBase(const Session& session) {
    Options base;
    base.simulation = session.intent.request;
    base.simulation.start = nullptr;
    base.stepsPerFrame = session.intent.stepsPerFrame;
    return base;
}

bool takeScene(Session& session, const Options& scene) {
    session.dismissMessage();
    session.intent.reset = true;
    session.intent.twin = scene.twin;
    session.intent.request = scene.simulation;
    if (!session.apply()) return false;
    const Facts& facts = session.facts();
    session.look = sceneLook(facts.scene->view, facts.configuration.bodies);
    applyLook(scene.look, session.look);
    session.camera = sceneCamera(facts.scene->view);
    applyCamera(scene.look, session.camera);
    session.colourMode = colourModeIndex(scene.look.colourMode);
    session.rotation = scene.look.rotation * std::numbers::pi / 180;
    session.tour->playing = false;
    session.tour->path = scene.look.path.empty() ? CameraPath() : CameraPath(scene.look.path);
    if (scene.look.overlay) session.overlay = *scene.look.overlay;
    session.fourView->show(scene.views == 4, session.look, facts.configuration.bodies);
    session.intent.stepsPerFrame = scene.stepsPerFrame;
    return true;
}

}  // namespace gravlab
