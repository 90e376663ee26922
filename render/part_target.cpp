#include "render/part_target.h"

namespace gravlab {

unsigned PartTarget::framebuffer(int width, int height) {
    if (!target_ || target_->width() != width || target_->height() != height) target_.emplace(GL_RGBA8, width, height);
    return target_->framebuffer();
}

void PartTarget::copyTo(unsigned framebuffer, int left, int top, int surfaceHeight) const {
    const int width = target_->width(), height = target_->height(), bottom = surfaceHeight - top - height;
    glBlitNamedFramebuffer(target_->framebuffer(), framebuffer, 0, 0, width, height, left, bottom, left + width,
                           bottom + height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
}

void PartTarget::fill(unsigned framebuffer, float grey, int left, int bottom, int width, int height) {
    const float colour[4] = {grey, grey, grey, 1};
    glEnable(GL_SCISSOR_TEST);
    glScissor(left, bottom, width, height);
    glClearNamedFramebufferfv(framebuffer, GL_COLOR, 0, colour);
    glDisable(GL_SCISSOR_TEST);
}

}  // namespace gravlab
