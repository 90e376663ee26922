// Compares the mean frame time with the limit, and lowers or raises the quality.
#include "app/services/adaptive_quality.h"

#include <algorithm>

namespace gravlab {
namespace {

// Rungs that lose little are used to hold 30 frames a second. Rungs that spoil the picture are used only where it would
// visibly stutter.
constexpr double kSmooth = AdaptiveQuality::kFrame, kStutter = 1.0 / 12;

// Costs were measured with 16,384 bodies at 1280x720 on software OpenGL: processor time of a picture without trails, and of
// a photograph of 1,024.
constexpr QualityRung kRungs[] = {
    {"", {}, 1, 1, 0},
    {"glow coarser", {.scale = 1, .glowShrink = 8}, 0.89, 0.38, kSmooth},
    {"picture at 71 %", {.scale = 0.70711f, .glowShrink = 8}, 0.72, 0.2, kSmooth},
    {"picture at 50 %", {.scale = 0.5f, .glowShrink = 8}, 0.49, 0.1, kStutter},
    {"picture at 50 %, no trails", {.scale = 0.5f, .glowShrink = 8, .trails = false}, 0.47, 0.095, kStutter},
    {"picture at 35 %, no trails, no glow", {.scale = 0.35355f, .glowShrink = 0, .trails = false}, 0.36, 0.04, kStutter},
};
constexpr std::size_t kLast = std::size(kRungs) - 1;

constexpr double kEasy =
    0.85;  // a better look is tried only where a frame would stay below this fraction of the limit that lowers it again
constexpr double kLeastDraw = 0.2;  // least fraction of a frame spent on drawing for which a lower look helps
constexpr std::size_t kLow = 3;     // rung to begin with where pictures are slow
constexpr double kLeastGain = 0.4;  // least fraction of the expected gain; below it a lower look is taken back

}  // namespace

std::span<const QualityRung> qualityRungs() { return kRungs; }

int thinnedBy(std::size_t bodies, double wholeMilliseconds) {
    constexpr double kSmoothMilliseconds = 8;   // half of a frame of 60 a second
    constexpr std::size_t kFewest = 2'000'000;  // fewer would be seen as single bodies
    int every = 1;
    for (double left = wholeMilliseconds; left > kSmoothMilliseconds && every < 1024; left /= 2) every *= 2;
    while (every > 1 && bodies / static_cast<std::size_t>(every) < kFewest) every /= 2;
    return every;
}

const QualityRung& AdaptiveQuality::rung() const { return kRungs[on ? rung_ : 0]; }

double AdaptiveQuality::budget() const {
    return std::min(std::max(kFrame - picture_, kStepsToPicture * picture_), std::max(kLongest - picture_, picture_));
}

/// Length of a frame whose picture takes `picture`, where the steps took `steps` in the last frames.
double AdaptiveQuality::frameWith(double picture, double steps) const {
    return everBehind_ ? std::max(kFrame, (1 + kStepsToPicture) * picture) : picture + steps;
}

double AdaptiveQuality::costOf(std::size_t rung) const {
    return photograph ? kRungs[rung].costOfPhotograph : kRungs[rung].cost;
}

/// Whether with that rung a frame would exceed the fraction `part` of the next rung's limit, or be so long that drawing were
/// half of it. `draw`: time of drawing with the present rung.
bool AdaptiveQuality::tooLong(std::size_t rung, double draw, double steps, double part) const {
    const double then = draw * costOf(rung) / costOf(rung_), beyond = part * kRungs[rung + 1].beyond;
    if (frameWith(std::max(picture_ - draw, 0.0) + then, steps) > beyond) return true;
    return kRungs[rung + 1].beyond >= kStutter && 2 * then > beyond;
}

/// The best rung from `from` on with which a frame is short enough.
std::size_t AdaptiveQuality::fitting(std::size_t from, double draw, double steps, double part) const {
    std::size_t rung = from;
    while (rung < kLast && tooLong(rung, draw, steps, part)) ++rung;
    return rung;
}

void AdaptiveQuality::startLow() {
    settle(kLow);
    starting_ = true;
    raised_ = lowered_ = false;
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
    if (sinceChange_ <= 1) return;  // one of its frames may still have had the look before
    sum_ += seconds;
    stepSum_ += std::min(steps_, seconds);
    drawSum_ += std::min(drawSeconds, seconds);
    if (frames_ == 0) everBehind_ = false;
    everBehind_ = everBehind_ || behind_;
    ++frames_;
    if (frames_ < kWindow && !starting_ && !(frames_ > 1 && sum_ > kLongEnough)) return;
    const auto count = static_cast<double>(frames_);
    const double draw = drawSum_ / count, steps = stepSum_ / count;
    picture_ = std::max(sum_ / count - steps, 0.0);
    sum_ = drawSum_ = stepSum_ = 0;
    frames_ = 0;
    if (!on) return;
    if (starting_) {
        starting_ = false;
        settle(fitting(0, draw, steps, kEasy));
        raised_ = lowered_ = false;
        return;
    }

    if (lowered_ && picture_ > before_ - kLeastGain * hoped_) {
        // The look was not the cause: restore the former rung, and do not lower it again for a while.
        floor_ = from_;
        hopeless_ = kMostPatience;
        settle(floor_);
        raised_ = false;
        return;
    }
    lowered_ = false;
    const bool helps = draw > kLeastDraw * frameWith(picture_, steps) && (hopeless_ == 0 || rung_ < floor_);
    if (rung_ < kLast && tooLong(rung_, draw, steps, 1) && helps) {
        if (raised_) patience_ = std::min(2 * patience_, kMostPatience);  // the better look was too expensive
        const std::size_t to = fitting(rung_ + 1, draw, steps, 1);
        hoped_ = draw * (1 - costOf(to) / costOf(rung_));
        from_ = rung_;
        settle(to);
        return;
    }
    if (rung_ == 0 || sinceChange_ < patience_) return;
    if (!tooLong(rung_ - 1, draw, steps, kEasy)) settle(rung_ - 1);
}

std::string AdaptiveQuality::text() const {
    if (!lowered()) return {};
    constexpr std::string_view kNoTrails = ", no trails";
    std::string look(kRungs[rung_].text);
    if (const auto at = look.find(kNoTrails); keepsTrails && at != std::string::npos) look.erase(at, kNoTrails.size());
    return "look lowered to continue: " + look;
}

}  // namespace gravlab
