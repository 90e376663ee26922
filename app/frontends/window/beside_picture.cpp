#include "app/frontends/window/beside_picture.h"

#include "app/control/scene_file.h"
#include "app/frontends/headless/headless.h"
#include "app/system/timed_name.h"
#include "app/ui/ui.h"
#include "sim/core/error.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

namespace gravlab {
namespace {

constexpr float kUsualHeight = 1080;  // pixels of a picture whose letters are as large as a window's

}  // namespace

BesidePicture::BesidePicture(OffscreenTarget& target, std::string renderer)
    : target_(target), renderer_(std::move(renderer)) {}

BesidePicture::~BesidePicture() = default;

void BesidePicture::draw(Workspace& workspace, bool panels, double seconds) {
    const int width = target_.width(), height = target_.height();
    const bool over =
        panels || workspace.overlayDraws() || workspace.fourViewed() || workspace.facts.twin.on || workspace.selected;
    PicturePart free;
    if (over) {
        shown_ = workspace.ui;
        shown_.inWindow = shown_.timeline = shown_.help = shown_.navigating = false;
        shown_.visible = panels;
        shown_.film = {};
        const float scale = std::clamp(static_cast<float>(height) / kUsualHeight, 1.0f, 4.0f);
        if (!panels_) panels_ = std::make_unique<Ui>(scale, renderer_, shown_);
        panels_->setSurface(width, height, seconds);
        panels_->frame(workspace);
        free = panels_->free();
    }
    workspace.drawAgain(viewports(workspace, width, height, free), target_.framebuffer(), width, height);
    if (over) panels_->draw();
}

PictureTexts pictureTexts(const Workspace& workspace, const std::string& path) {
    const RunConfiguration& s = workspace.facts.configuration;
    PictureTexts texts{{"Software", "gravlab"},
                       {"gravlab:scene", s.scene},
                       {"gravlab:bodies", std::to_string(s.bodies)},
                       {"gravlab:seed", std::to_string(s.seed)},
                       {"gravlab:backend", s.backend},
                       {"gravlab:kernel", s.kernel.kernel},
                       {"gravlab:integrator", s.integrator},
                       {"gravlab:step", std::to_string(workspace.facts.step)},
                       {"gravlab:time", std::to_string(workspace.facts.time)}};
    addSceneFile(texts, workspace, path);
    return texts;
}

EffectResult takePicture(Workspace& workspace, Ui& ui, int width, int height, const std::string& renderer,
                         std::string path) {
    const UiState& state = workspace.ui;
    if (path.empty()) path = timedName("gravlab", ".png");
    const bool own = state.pictureWidth > 0 && state.pictureHeight > 0;
    const int wide = own ? state.pictureWidth : width, high = own ? state.pictureHeight : height;
    try {
        OffscreenTarget target(wide, high);
        if (state.picturePanels && !own) {
            // As the window shows it, menus and all.
            workspace.drawAgain(viewports(workspace, wide, high, workspace.free), target.framebuffer(), wide, high);
            ui.draw();
        } else {
            BesidePicture(target, renderer).draw(workspace, state.picturePanels, 1);
        }
        writePng(path, target.read(), wide, high, pictureTexts(workspace, path));
        const Reason without = noSceneFile(workspace);
        workspace.say("The picture was written to " + path + "." +
                      (without.empty() ? "" : " It carries no scene: " + without));
        return {CommandStatus::applied, workspace.message, {}};
    } catch (const UsageError& error) {
        return refusedBecause(error.what());
    } catch (const std::bad_alloc&) {
        workspace.warn(path + ": there is not enough memory for a picture of " + std::to_string(wide) + " x " +
                       std::to_string(high) + " pixels.");
    } catch (const std::runtime_error& error) {  // also of OpenGL, which may have no room for it
        workspace.warn(error.what());
    }
    return failedBecause(workspace.message);
}

}  // namespace gravlab
