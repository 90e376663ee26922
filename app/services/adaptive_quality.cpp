// Compares the mean frame time with the limit, and lowers or raises the quality.
#include "app/services/adaptive_quality.h"

#include <algorithm>
#include <utility>

namespace gravlab {
namespace {

// Levels that lose little are used to hold 30 frames a second, the others only below eight. The light of a photograph stays.
constexpr double kSmooth = AdaptiveQuality::kFrame, kStutter = AdaptiveQuality::kLongest;

// Costs were measured with 16,384 bodies at 1280x720 on software OpenGL: processor time of a picture without trails, and of
// a photograph of 1,024. Gas and dust have texels of at most nine pixels of the window: larger ones show.
constexpr QualityLevel kLevels[] = {
    {"", {}, 1, 1, 0},
    {"gas and dust coarser", {.scale = 1, .glowShrink = 8}, 0.97, 0.38, kSmooth},
    {"picture at 71 %", {.scale = 0.70711f, .glowShrink = 8}, 0.72, 0.2, kSmooth},
    {"picture at 50 %", {.scale = 0.5f, .glowShrink = 6}, 0.49, 0.135, kStutter},
    {"picture at 50 %, no trails", {.scale = 0.5f, .glowShrink = 6, .trails = false}, 0.47, 0.13, kStutter},
    {"picture at 35 %, no trails", {.scale = 0.35355f, .glowShrink = 6, .trails = false}, 0.38, 0.07, kStutter},
};
constexpr std::size_t kLast = std::size(kLevels) - 1;

constexpr double kEasy =
    0.85;  // a better look is tried only where a frame would stay below this fraction of the limit that lowers it again
constexpr double kLeastDraw = 0.2;  // least fraction of a frame spent on drawing for which a lower look helps
constexpr std::size_t kLow = 3;     // level to begin with where pictures are slow
constexpr double kLeastGain = 0.4;  // least fraction of the expected gain; below it a lower look is taken back
constexpr double kFirstLook = 1;    // [s] of frames before the first choice
constexpr int kMostPatience = 16;   // in units of kHold
constexpr std::size_t kShort = 12;  // frames that the time left for steps follows

}  // namespace

std::span<const QualityLevel> qualityLevels() { return kLevels; }

int thinnedBy(std::size_t bodies, double wholeMilliseconds) {
    constexpr double kSmoothMilliseconds = 8;   // half of a frame of 60 a second
    constexpr std::size_t kFewest = 2'000'000;  // fewer would be seen as single bodies
    int every = 1;
    for (double left = wholeMilliseconds; left > kSmoothMilliseconds && every < 1024; left /= 2) every *= 2;
    while (every > 1 && bodies / static_cast<std::size_t>(every) < kFewest) every /= 2;
    return every;
}

const QualityLevel& AdaptiveQuality::level() const { return kLevels[on ? level_ : 0]; }

double AdaptiveQuality::budget() const {
    return std::min(std::max(kFrame - picture_, kStepsToPicture * picture_), std::max(kLongest - picture_, picture_));
}

/// Length of a frame whose picture takes `picture`, where the steps took `steps` in the last frames.
double AdaptiveQuality::frameWith(double picture, double steps) const {
    return lagging_ ? std::max(kFrame, (1 + kStepsToPicture) * picture) : picture + steps;
}

double AdaptiveQuality::costOf(std::size_t level) const {
    return photograph ? kLevels[level].costOfPhotograph : kLevels[level].cost;
}

/// Whether with that level a frame would exceed the fraction `part` of the next level's limit, or be so long that drawing
/// were half of it. `mean`: with the present level.
bool AdaptiveQuality::tooLong(std::size_t level, const Times& mean, double part) const {
    const double then = mean.draw * costOf(level) / costOf(level_), beyond = part * kLevels[level + 1].beyond;
    if (frameWith(std::max(mean.picture() - mean.draw, 0.0) + then, mean.steps) > beyond) return true;
    return kLevels[level + 1].beyond >= kStutter && 2 * then > beyond;
}

/// The best level from `from` on with which a frame is short enough.
std::size_t AdaptiveQuality::fitting(std::size_t from, const Times& mean, double part) const {
    std::size_t level = from;
    while (level < kLast && tooLong(level, mean, part)) ++level;
    return level;
}

void AdaptiveQuality::startLow() {
    settle(kLow, {});
    chooseAnew();
}

void AdaptiveQuality::chooseAnew() {
    first_ = true;
    raised_ = lowered_ = false;
    held_ = {};
    heldSeconds_ = 0;
}

void AdaptiveQuality::settle(std::size_t level, const Times& mean) {
    raised_ = level < level_;
    lowered_ = level > level_;
    before_ = mean.picture();
    level_ = level;
    changed_ = true;
    recent_ = {};
}

void AdaptiveQuality::stepped(double seconds, bool behind) {
    steps_ = seconds;
    behind_ = behind;
}

AdaptiveQuality::Times AdaptiveQuality::Times::mean() const {
    const auto count = static_cast<double>(std::max<std::size_t>(frames, 1));
    return {frames, late, whole / count, draw / count, steps / count};
}

void AdaptiveQuality::frame(double seconds, double workSeconds, double drawSeconds) {
    if (!(seconds >= 0) || !(workSeconds >= 0) || !(drawSeconds >= 0)) return;
    heldSeconds_ += seconds;
    seconds = std::min(seconds, workSeconds + drawSeconds);
    if (std::exchange(changed_, false)) return;  // this frame may still have had the look before
    for (Times* times : {&recent_, &held_}) {
        ++times->frames;
        times->late += behind_ ? 1 : 0;
        times->whole += seconds;
        times->steps += std::min(steps_, seconds);
        times->draw += std::min(drawSeconds, seconds);
    }
    if (recent_.frames >= kShort || (recent_.frames > 1 && recent_.whole > kLongest)) {
        picture_ = recent_.mean().picture();
        recent_ = {};
    }
    if (held_.frames < 2 || heldSeconds_ < (first_ ? kFirstLook : kHold)) return;
    const Times mean = held_.mean();
    lagging_ = 2 * mean.late > mean.frames;
    if (on) choose(mean);
    held_ = {};
    heldSeconds_ = 0;
}

/// Keeps the level or changes it, once in kHold.
void AdaptiveQuality::choose(const Times& mean) {
    if (hopeless_ > 0) --hopeless_;
    ++kept_;
    if (std::exchange(first_, false) && level_ > 0) {
        settle(fitting(0, mean, kEasy), mean);
        raised_ = lowered_ = false;
        return;
    }
    if (lowered_ && mean.picture() > before_ - kLeastGain * hoped_) {
        // The look was not the cause: restore the former level, and do not lower it again for a while.
        floor_ = from_;
        hopeless_ = kMostPatience;
        settle(floor_, mean);
        raised_ = false;
        return;
    }
    lowered_ = false;
    const bool helps = mean.draw > kLeastDraw * frameWith(mean.picture(), mean.steps) && (hopeless_ == 0 || level_ < floor_);
    if (level_ < kLast && tooLong(level_, mean, 1) && helps) {
        if (raised_) patience_ = std::min(2 * patience_, kMostPatience);  // the better look was too expensive
        const std::size_t to = fitting(level_ + 1, mean, 1);
        hoped_ = mean.draw * (1 - costOf(to) / costOf(level_));
        from_ = level_;
        settle(to, mean);
        kept_ = 0;
        return;
    }
    if (level_ == 0 || kept_ < patience_) return;
    if (const std::size_t better = fitting(0, mean, kEasy); better < level_) settle(better, mean);
}

std::string AdaptiveQuality::text() const {
    if (!lowered()) return {};
    constexpr std::string_view kNoTrails = ", no trails";
    std::string look(kLevels[level_].text);
    if (const auto at = look.find(kNoTrails); keepsTrails && at != std::string::npos) look.erase(at, kNoTrails.size());
    return "slow machine: " + look;
}

}  // namespace gravlab
