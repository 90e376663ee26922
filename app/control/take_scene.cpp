// Opens a file in a running window: dropped on it or chosen in a panel.
#include "app/control/open_file.h"
#include "app/control/parameter.h"
#include "app/control/scene_file.h"
#include "app/model/camera_path.h"
#include "app/model/document.h"
#include "app/model/look.h"

#include <utility>

namespace gravlab {

Options sceneBase(const Document& document) {
    Options base;
    base.simulation = document.intent.request;
    base.simulation.start = nullptr;
    if (document.intent.speed == 0) base.settings["run.steps_per_frame"] = std::int64_t{document.intent.stepsPerFrame};
    return base;
}

ReadOptions againIn(const Document& document, const std::string& units) {
    const StartFile& last = document.facts.configuration.start->file;
    return {.columns = last.columns,
            .sanitize = last.sanitize,
            .units = units,
            .part = last.part,
            .ignoreHubble = last.ignoreHubble,
            .bonds = last.bonds};
}

bool takeStart(Document& document, LoadedStart start, const TakeUp& takesUp) {
    start.request.tuning = document.intent.request.tuning;  // the tuning belongs to this machine, not to the file
    start.request.farField = document.intent.request.farField;
    document.intent.request = std::move(start.request);
    return takesUp(false);
}

bool takeScene(Document& document, const Options& scene, const TakeUp& takesUp) {
    document.dismissMessage();
    document.intent.twin = scene.twin;
    document.intent.request = scene.simulation;
    if (!takesUp(true)) return false;
    const Facts& facts = document.facts;
    document.look = sceneLook(facts.scene->view, facts.configuration.bodies);
    document.camera = sceneCamera(facts.scene->view);
    document.colourMode = -1;
    document.rotation = 0;
    document.tour.playing = false;
    document.tour.path = scene.path.empty() ? CameraPath() : CameraPath(scene.path);
    document.showFourViews(false);
    if (document.intent.speed > 0) document.intent.speed = ownSpeed(facts);
    document.frameAll = document.frameAll && !placesCamera(scene.settings);
    document.bringTrails();
    // A file's setting of trails belongs to its scene; the next scene has its own.
    const bool ownTrails = document.ownTrails;
    applySettings(document, scene.settings);
    document.ownTrails = ownTrails;
    return true;
}

}  // namespace gravlab
