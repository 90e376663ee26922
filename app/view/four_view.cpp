#include "app/view/four_view.h"

#include "app/model/look.h"
#include "render/part_target.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gravlab {
namespace {
constexpr int kGap = 2;            // pixels
constexpr std::size_t kSpace = 1;  // row of the view of space
}  // namespace

FourView::FourView() = default;
FourView::~FourView() = default;

void FourView::dropPicture() { target_.reset(); }

void FourView::show(bool on, Look& look, std::size_t bodies) {
    if (on == on_) return;
    on_ = on;
    if (on && look.trails == 0 && bodies <= kMostPaths) {
        trailsBefore_ = look.trails;
        look.trails = kUsualTrail;
    } else if (!on && trailsBefore_ >= 0) {
        if (look.trails == kUsualTrail) look.trails = trailsBefore_;
        trailsBefore_ = -1;
    }
}

void FourView::fit(Look& look, std::size_t bodies) {
    if (!on_) return;
    show(false, look, bodies);
    show(true, look, bodies);
}

std::array<PicturePart, 4> FourView::parts(int width, int height) const {
    PicturePart area{0, 0, std::max(width, 1), std::max(height, 1)};
    // Panels that leave next to nothing free are drawn over, as over a single picture.
    if (free_.width >= 64 && free_.height >= 64 && free_.left >= 0 && free_.top >= 0 && free_.left + free_.width <= width &&
        free_.top + free_.height <= height)
        area = free_;
    const int wide = std::max((area.width - kGap) / 2, 1), tall = std::max((area.height - kGap) / 2, 1);
    std::array<PicturePart, 4> parts;
    for (int i = 0; i < 4; ++i)
        parts[static_cast<std::size_t>(i)] = {area.left + (i % 2) * (wide + kGap), area.top + (i / 2) * (tall + kGap), wide,
                                              tall};
    return parts;
}

Camera FourView::cameraOf(std::size_t row, const Camera& space) {
    constexpr float kQuarter = std::numbers::pi_v<float> / 2;
    Camera camera = space;
    if (kRows[row].across < 0) return camera;
    camera.orthographic = true;
    camera.elevation = kRows[row].up == 1 ? kQuarter : 0;
    camera.azimuth = kRows[row].across == 0 ? -kQuarter : 0;
    return camera;
}

double FourView::halfHeight(const Camera& space) {
    return static_cast<double>(space.distance) * std::tan(static_cast<double>(space.fieldOfView) / 2);
}

FourView::Pane FourView::paneAt(glm::vec2 cursor, glm::vec2 surface, const Camera& space) const {
    const auto all = parts(static_cast<int>(surface.x), static_cast<int>(surface.y));
    const std::size_t row =
        (cursor.x >= static_cast<float>(all[1].left) ? 1u : 0u) + (cursor.y >= static_cast<float>(all[2].top) ? 2u : 0u);
    const PicturePart& part = all[row];
    return {{static_cast<float>(part.left), static_cast<float>(part.top)},
            {static_cast<float>(part.width), static_cast<float>(part.height)},
            cameraOf(row, space)};
}

void FourView::takeStart(const ParticleSet& bodies) {
    starts_.clear();
    if (bodies.size() <= kMostStarts) starts_ = bodies.position;
}

void FourView::draw(ParticleRenderer& renderer, const ParticleBuffer& bodies, const Camera& space, const Look& look,
                    unsigned framebuffer, int width, int height, bool again) {
    const auto draws = again ? &ParticleRenderer::drawAgain : &ParticleRenderer::draw;
    if (!target_) target_ = std::make_unique<PartTarget>();
    const std::array<PicturePart, 4> all = parts(width, height);
    const PicturePart &first = all.front(), &last = all.back();
    const int below = last.top + last.height;
    PartTarget::fill(framebuffer, look.paper ? 1 : 0, 0, 0, width, height);
    // A little off the background, so that the gaps are lines.
    PartTarget::fill(framebuffer, look.paper ? 0.78f : 0.16f, first.left, height - below,
                     last.left + last.width - first.left, below - first.top);
    // The view of space first: light adapts to it, once a frame.
    Look drawn = look;
    for (const std::size_t row : {kSpace, std::size_t{0}, std::size_t{2}, std::size_t{3}}) {
        const PicturePart& part = all[row];
        (renderer.*draws)(bodies, cameraOf(row, space), drawn, target_->framebuffer(part.width, part.height), part.width,
                          part.height);
        target_->copyTo(framebuffer, part.left, part.top, height);
        drawn.adaptation = 0;
    }
}

}  // namespace gravlab
