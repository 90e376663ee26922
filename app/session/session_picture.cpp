// Session: what was drawn, drawn again: for films, and when the OpenGL context was lost. Rule: nothing here touches the
// bodies.
#include "app/session/frame_loop.h"
#include "app/session/twin.h"
#include "app/view/four_view.h"
#include "render/centre_finder.h"
#include "render/nearest_bodies.h"
#include "render/picker.h"

namespace gravlab {

void Session::dropPicture() {
    simulation().backend().wait();  // nothing may still be on its way into a texture that goes
    lab.matrix.forgetTexture();
    matrixStep_ = -1;
    twin_->dropPicture();
    fourView->dropPicture();
    picker_.reset();
    nearest_.reset();
    centreFinder_.reset();
    pickAsked_ = false;
    for (Run& run : runs_) run.dropPicture();
}

void Session::remakePicture() {
    for (Run& run : runs_) run.makePicture();
    traitsStale_ = true;
    sampling_ = false;
    drawnAt_ = -1;  // light adapts at once, as at a start
    trailStep_ = -1;
    readProgress();
    sayPath();
    twin_->remakePicture();
}

void Session::drawAgain(unsigned framebuffer, int width, int height, const glm::vec4& part) {
    Look drawn = drawnLook_;
    drawn.adaptation = 0;
    Camera seen = drawnCamera();
    seen.part = part;
    // Films have the full look, however slow the window is.
    for (Run& run : runs_) run.renderer().setQuality({});
    if (fourViewed()) return fourView->draw(renderer(), vertices(), seen, drawn, framebuffer, width, height, true);
    if (!twin_->on()) return renderer().drawAgain(vertices(), seen, drawn, framebuffer, width, height);
    twin_->draw(seen, drawn, framebuffer, width, height, true);
}

}  // namespace gravlab
