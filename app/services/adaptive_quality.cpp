// Means over some frames against the time that a frame may take.
#include "app/services/adaptive_quality.h"

#include <algorithm>
#include <cstdio>

namespace gravlab {
namespace {

// Costs as measured with 16,384 bodies at 1280x720 on software OpenGL: processor time of a picture, without trails.
constexpr QualityRung kRungs[] = {
    {"", {}, 1},
    {"glow coarser", {.scale = 1, .glowShrink = 8}, 0.89},
    {"picture at 71 %", {.scale = 0.70711f, .glowShrink = 8}, 0.72},
    {"picture at 50 %", {.scale = 0.5f, .glowShrink = 8}, 0.49},
    {"picture at 50 %, no trails", {.scale = 0.5f, .glowShrink = 8, .trails = false}, 0.47},
    {"picture at 35 %, no trails, no glow", {.scale = 0.35355f, .glowShrink = 0, .trails = false}, 0.36},
};
constexpr std::size_t kLast = std::size(kRungs) - 1;

// Too slow beyond this part of the time a frame may take; a better look only when it would stay below that one.
constexpr double kTooLong = 1, kEasy = 0.85;
// A look is lowered only for what drawing takes beyond this part of a frame: less would not help.
constexpr double kLeastDraw = 0.25;
constexpr double kLeastShare = 0.1;

}  // namespace

std::span<const QualityRung> qualityRungs() { return kRungs; }

const QualityRung& AdaptiveQuality::rung() const { return kRungs[on ? rung_ : 0]; }

double AdaptiveQuality::budget(double asked) const { return on ? asked * share_ : asked; }

void AdaptiveQuality::settle(std::size_t rung) {
    raised_ = rung < rung_;
    rung_ = rung;
    sinceChange_ = 0;
    frames_ = 0;
    sum_ = drawSum_ = 0;
}

void AdaptiveQuality::frame(double seconds, double workSeconds, double drawSeconds) {
    if (!on || !(seconds >= 0) || !(workSeconds >= 0) || !(drawSeconds >= 0)) return;
    seconds = std::min(seconds, workSeconds + drawSeconds);
    ++sinceChange_;
    if (sinceChange_ <= 3) return;  // frames under way still had the look before
    sum_ += seconds;
    drawSum_ += std::min(drawSeconds, seconds);
    if (++frames_ < kWindow) return;
    const double mean = sum_ / kWindow, draw = drawSum_ / kWindow;
    sum_ = drawSum_ = 0;
    frames_ = 0;

    if (mean > kTooLong * kFrame) {
        if (raised_) patience_ = std::min(2 * patience_, kMostPatience);  // the better look was too much
        raised_ = false;
        if (rung_ < kLast && draw > kLeastDraw * kFrame) {
            // As far down as the excess asks for, at least one rung.
            const double wanted = std::max(draw - (mean - kFrame), kLeastDraw * kFrame) / draw * kRungs[rung_].cost;
            std::size_t next = rung_ + 1;
            while (next < kLast && kRungs[next].cost > wanted) ++next;
            settle(next);
        } else {
            share_ = std::max(0.7 * share_, kLeastShare);
        }
        return;
    }
    if (sinceChange_ < patience_) return;
    if (share_ < 1 && mean < kEasy * kFrame) {
        share_ = std::min(share_ / 0.7, 1.0);
        sinceChange_ = 3;
        return;
    }
    if (rung_ == 0 || share_ < 1) return;
    const double better = mean + draw * (kRungs[rung_ - 1].cost / kRungs[rung_].cost - 1);
    if (better < kEasy * kFrame) settle(rung_ - 1);
}

std::string AdaptiveQuality::text() const {
    if (!lowered()) return {};
    std::string text = "look lowered for 30 frames/s";
    if (rung_ > 0) text += ": " + std::string(kRungs[rung_].text);
    if (share_ < 1) {
        char part[48];
        std::snprintf(part, sizeof part, "%s stepping %.0f %% of its time", rung_ > 0 ? "," : ":", 100 * share_);
        text += part;
    }
    return text;
}

}  // namespace gravlab
