// A scene file in a window that runs already: dropped on it or opened from a panel.
#include "app/control/scene_file.h"
#include "app/model/camera_path.h"
#include "app/model/document.h"
#include "app/model/look.h"

#include <numbers>

namespace gravlab {

Options sceneBase(const Document& document) {
    Options base;
    base.simulation = document.intent.request;
    base.simulation.start = nullptr;
    base.stepsPerFrame = document.intent.stepsPerFrame;
    return base;
}

bool takeScene(Document& document, const Options& scene, const std::function<bool()>& takesUp) {
    document.dismissMessage();
    document.intent.reset = true;
    document.intent.twin = scene.twin;
    document.intent.request = scene.simulation;
    if (!takesUp()) return false;
    const Facts& facts = document.facts;
    document.look = sceneLook(facts.scene->view, facts.configuration.bodies);
    applyLook(scene.look, document.look);
    document.camera = sceneCamera(facts.scene->view);
    applyCamera(scene.look, document.camera);
    document.colourMode = colourModeIndex(scene.look.colourMode);
    document.rotation = scene.look.rotation * std::numbers::pi / 180;
    document.tour.playing = false;
    document.tour.path = scene.look.path.empty() ? CameraPath() : CameraPath(scene.look.path);
    if (scene.look.overlay) document.overlay = *scene.look.overlay;
    document.showFourViews(scene.views == 4);
    document.intent.stepsPerFrame = scene.stepsPerFrame;
    if (scene.speed)
        document.intent.speed = *scene.speed;
    else if (document.intent.speed > 0)
        document.intent.speed = ownSpeed(facts);
    return true;
}

}  // namespace gravlab
