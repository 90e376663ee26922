#include "app/serve/flow.h"

#include <algorithm>

namespace gravlab {

void Flow::sent(std::uint32_t frame, double now) { out_.emplace_back(frame, now); }

void Flow::acked(std::uint32_t frame, double now) {
    constexpr double kSpan = 5;  // [s]
    const auto found = std::ranges::find(out_, frame, [](const auto& one) { return one.first; });
    if (found == out_.end()) return;
    while (answers_.size() > 64) answers_.pop_front();
    if (now - since_ > kSpan) {
        before_ = std::exchange(delay_, 1);
        since_ = now;
    }
    delay_ = std::min(delay_, now - found->second);
    for (auto one = out_.begin(); one != found + 1; ++one) answers_.push_back(now);
    out_.erase(out_.begin(), found + 1);
}

bool Flow::room(double now, bool spare) const {
    // What a link carries in its own delay and a little more is under way; at least two, so that one is decoded while the
    // next arrives.
    constexpr double kDriver = 0.03, kViewer = 0.1, kSpare = 0.15, kRecent = 0.5;  // [s]
    constexpr double kFew = 2, kMany = 64;
    const auto recent = std::ranges::count_if(answers_, [&](double at) { return now - at < kRecent; });
    const double rate = static_cast<double>(recent) / kRecent,
                 fits = 1 + rate * (delay() + (watches ? kViewer : kDriver) + (spare ? kSpare : 0)) + (spare ? 1 : 0);
    return static_cast<double>(out_.size() + 1) <= std::clamp(fits, kFew, kMany);
}

void RateShare::drawn(bool sent, bool room, double now) {
    constexpr double kSpan = 1, kClean = 10, kHeld = 60;                                  // [s]
    constexpr double kFits = 0.9, kHelps = 0.2, kMore = 1.25, kMost = 0.5, kLeast = 0.1;  // parts
    if (now < begun_) return;  // what is under way has the share from before
    ++all_;
    sent_ += sent ? 1 : 0;
    late_ += room ? 0 : 1;
    if (now - begun_ < kSpan) return;
    const double share = share_;
    const double fits = static_cast<double>(sent_) / all_;
    if (fits >= kFits || late_ == 0) {
        before_ = 0;
    } else if (before_ > 0 && fits < fitted_ * (1 + kHelps * (before_ / share_ - 1))) {
        share_ = std::exchange(before_, 0);  // fewer bits do not help a page that decodes too slowly
        held_ = now + kHeld;
    } else if (now >= held_) {
        if (before_ == 0) before_ = share_, fitted_ = fits;
        share_ = std::max(kLeast, share_ * std::max(kMost, fits));
    }
    if (fits < kFits && late_ > 0) cleanAt_ = now;
    if (now - cleanAt_ > kClean) share_ = std::min(1.0, kMore * share_), cleanAt_ = now;
    begun_ = share_ == share ? now : now + kSpan;
    all_ = sent_ = late_ = 0;
}

}  // namespace gravlab
