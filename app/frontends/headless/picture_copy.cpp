#include "app/frontends/headless/picture_copy.h"

#include "app/files/scene_file.h"
#include "app/frontends/headless/headless.h"
#include "app/frontends/headless/tiles.h"
#include "app/system/file_names.h"
#include "app/system/picture.h"
#include "app/ui/ui.h"
#include "app/view/base_host.h"
#include "sim/api/errors.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

namespace gravlab {
namespace {

constexpr float kUsualHeight = 1080;  // pixels, height of a picture whose letters are as large as a window's

}  // namespace

PictureCopy::PictureCopy(std::string renderer) : renderer_(std::move(renderer)) {}

PictureCopy::~PictureCopy() = default;

/// Builds panels, or the text over the bodies. False where there is neither.
bool PictureCopy::buildPanels(App& app, int width, int height, bool panels, double seconds) {
    if (!panels && !app.document.overlayDraws() && !app.document.fourViewed() && !app.document.facts.twin.on &&
        !app.document.selected)
        return false;
    shown_ = app.document.ui;
    shown_.inWindow = shown_.timeline = shown_.help = shown_.navigating = false;
    shown_.visible = panels;
    shown_.film = {};
    const float scale = std::clamp(static_cast<float>(height) / kUsualHeight, 1.0f, 4.0f);
    if (!panels_) panels_ = std::make_unique<Ui>(scale, renderer_, shown_, shown_);
    panels_->setSurface(width, height, seconds);
    panels_->frame(app);
    return true;
}

void PictureCopy::draw(App& app, OffscreenTarget& target, bool panels, double seconds) {
    const int width = target.width(), height = target.height();
    const bool over = buildPanels(app, width, height, panels, seconds);
    app.view.drawAgain(app.runs, viewports(app.document, width, height, over ? panels_->free() : PicturePart{}),
                       target.framebuffer(), width, height);
    if (over) panels_->draw();
}

std::vector<std::uint8_t> PictureCopy::pixels(App& app, int width, int height, bool panels) {
    const int side = tileSide(width, height, 0, largestSide());
    requirePictureMemory(width, height, side);
    if (side == 0) {
        OffscreenTarget target(width, height);
        draw(app, target, panels, 1);
        return target.read();
    }
    if (app.document.facts.twin.on || app.document.fourViewed())
        throw UsageError("A picture of " + std::to_string(width) + "x" + std::to_string(height) +
                         " is drawn in parts, and neither twins nor four views can be; choose a smaller size, or one view");
    const bool over = buildPanels(app, width, height, panels, 1);
    return drawTiles(app, planTiles(width, height, side), [&](int left, int top, int wide, int high) {
        if (over) panels_->drawPart(left, top, wide, high);
    });
}

FileJob takePicture(App& app, Ui& ui, int width, int height, const std::string& renderer, std::string path) {
    const UiState& state = app.document.ui;
    if (path.empty()) path = timedName("gravlab", ".png");
    const bool own = state.pictureWidth > 0 && state.pictureHeight > 0;
    const int wide = own ? state.pictureWidth : width, high = own ? state.pictureHeight : height;
    const auto drawn = [&] {
        if (!state.picturePanels || own) return PictureCopy(renderer).pixels(app, wide, high, state.picturePanels);
        // The panels are drawn as the window shows them, with menus.
        OffscreenTarget target(wide, high);
        app.view.drawAgain(app.runs, viewports(app.document, wide, high, app.document.free), target.framebuffer(), wide,
                           high);
        ui.draw();
        return target.read();
    };
    FileJob job{.work = {}, .done = sayingIn(app.reports.news)};
    try {
        job.work = [path, wide, high, rgb = std::make_shared<const std::vector<std::uint8_t>>(drawn()),
                    texts = pictureTexts(app.document, path), without = noSceneFile(app.document)] {
            writePng(path, *rgb, wide, high, texts);
            return "The picture was written to " + path + "." + (without.empty() ? "" : " It carries no scene: " + without);
        };
    } catch (const UsageError& error) {
        job.work = [why = std::string(error.what())]() -> std::string { throw UsageError(why); };
    } catch (const std::bad_alloc&) {
        job.work = [wide, high]() -> std::string {
            throw IoError("There is not enough memory for a picture of " + std::to_string(wide) + "x" +
                          std::to_string(high) + " pixels; choose a smaller size.");
        };
    } catch (const std::runtime_error& error) {  // also errors of OpenGL, which may lack memory
        job.work = [why = std::string(error.what())]() -> std::string { throw IoError(why); };
    }
    return job;
}

}  // namespace gravlab
