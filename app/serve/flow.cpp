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

}  // namespace gravlab
