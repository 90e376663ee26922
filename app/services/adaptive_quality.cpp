// Means over some frames against the time that a frame may take.
#include "app/services/adaptive_quality.h"

#include <algorithm>

namespace gravlab {
namespace {

// A picture that loses a little is given up for 30 frames a second; one that is spoilt only where people would see it
// stutter.
constexpr double kSmooth = AdaptiveQuality::kFrame, kStutter = 1.0 / 12;

// Costs as measured with 16,384 bodies at 1280x720 on software OpenGL: processor time of a picture, without trails.
constexpr QualityRung kRungs[] = {
    {"", {}, 1, 0},
    {"glow coarser", {.scale = 1, .glowShrink = 8}, 0.89, kSmooth},
    {"picture at 71 %", {.scale = 0.70711f, .glowShrink = 8}, 0.72, kSmooth},
    {"picture at 50 %", {.scale = 0.5f, .glowShrink = 8}, 0.49, kStutter},
    {"picture at 50 %, no trails", {.scale = 0.5f, .glowShrink = 8, .trails = false}, 0.47, kStutter},
    {"picture at 35 %, no trails, no glow", {.scale = 0.35355f, .glowShrink = 0, .trails = false}, 0.36, kStutter},
};
constexpr std::size_t kLast = std::size(kRungs) - 1;

constexpr double kEasy = 0.85;      // a better look only when a frame would stay below that part of what lowers it again
constexpr double kLeastDraw = 0.2;  // part of a frame that drawing must take, for less of it to help
constexpr double kLeastGain = 0.4;  // of what a lower look should save, or it is taken back

}  // namespace

std::span<const QualityRung> qualityRungs() { return kRungs; }

const QualityRung& AdaptiveQuality::rung() const { return kRungs[on ? rung_ : 0]; }

double AdaptiveQuality::budget() const {
    return std::min(std::max(kFrame - picture_, kStepsToPicture * picture_), std::max(kLongest - picture_, picture_));
}

/// The length of a frame whose picture takes that long, where the steps took `steps` of the last ones.
double AdaptiveQuality::frameWith(double picture, double steps) const {
    return everBehind_ ? std::max(kFrame, (1 + kStepsToPicture) * picture) : picture + steps;
}

void AdaptiveQuality::settle(std::size_t rung) {
    raised_ = rung < rung_;
    lowered_ = rung > rung_;
    before_ = picture_;
    rung_ = rung;
    sinceChange_ = 0;
    frames_ = 0;
    sum_ = drawSum_ = stepSum_ = 0;
}

void AdaptiveQuality::stepped(double seconds, bool behind) {
    steps_ = seconds;
    behind_ = behind;
}

void AdaptiveQuality::frame(double seconds, double workSeconds, double drawSeconds) {
    if (!(seconds >= 0) || !(workSeconds >= 0) || !(drawSeconds >= 0)) return;
    seconds = std::min(seconds, workSeconds + drawSeconds);
    ++sinceChange_;
    if (hopeless_ > 0) --hopeless_;
    if (sinceChange_ <= 3) return;  // frames under way still had the look before
    sum_ += seconds;
    stepSum_ += std::min(steps_, seconds);
    drawSum_ += std::min(drawSeconds, seconds);
    if (frames_ == 0) everBehind_ = false;
    everBehind_ = everBehind_ || behind_;
    if (++frames_ < kWindow) return;
    const double draw = drawSum_ / kWindow, steps = stepSum_ / kWindow;
    picture_ = std::max(sum_ / kWindow - steps, 0.0);
    sum_ = drawSum_ = stepSum_ = 0;
    frames_ = 0;
    if (!on) return;

    if (lowered_ && picture_ > before_ - kLeastGain * hoped_) {
        // It was not the look: back to where it was, and not down again for a while.
        floor_ = rung_ - 1;
        hopeless_ = kMostPatience;
        settle(floor_);
        raised_ = false;
        return;
    }
    lowered_ = false;
    const double now = frameWith(picture_, steps);
    const bool helps = draw > kLeastDraw * now && (hopeless_ == 0 || rung_ < floor_);
    if (rung_ < kLast && now > kRungs[rung_ + 1].beyond && helps) {
        if (raised_) patience_ = std::min(2 * patience_, kMostPatience);  // the better look was too much
        hoped_ = draw * (1 - kRungs[rung_ + 1].cost / kRungs[rung_].cost);
        settle(rung_ + 1);
        return;
    }
    if (rung_ == 0 || sinceChange_ < patience_) return;
    const double better = picture_ + draw * (kRungs[rung_ - 1].cost / kRungs[rung_].cost - 1);
    if (frameWith(better, steps) < kEasy * kRungs[rung_].beyond) settle(rung_ - 1);
}

std::string AdaptiveQuality::text() const {
    return lowered() ? "look lowered to go on: " + std::string(kRungs[rung_].text) : std::string();
}

}  // namespace gravlab
