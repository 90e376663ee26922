// Which display shows a window, and its refresh rate. Knows no window system.
#pragma once
#include <algorithm>
#include <span>

namespace gravlab {

/// A rectangle in the units of the window system.
struct Rectangle {
    int x = 0, y = 0, width = 0, height = 0;
    bool holdsMiddleOf(const Rectangle& other) const {
        const int px = other.x + other.width / 2, py = other.y + other.height / 2;
        return px >= x && px < x + width && py >= y && py < y + height;
    }
};

/// Mode of a display that is on.
struct DisplayMode {
    Rectangle place;
    int rate = 0;            ///< pictures per second; 0: unknown
    void* handle = nullptr;  ///< handle of the window system
};

/// The display that shows the middle of `place`; null when none does.
inline const DisplayMode* displayUnder(std::span<const DisplayMode> displays, const Rectangle& place) {
    const auto found = std::find_if(displays.begin(), displays.end(),
                                    [&](const DisplayMode& display) { return display.place.holdsMiddleOf(place); });
    return found == displays.end() ? nullptr : &*found;
}

/// The same, but the first display for a window outside all of them; null: no display is on.
inline const DisplayMode* displayFor(std::span<const DisplayMode> displays, const Rectangle& window) {
    const DisplayMode* under = displayUnder(displays, window);
    return under || displays.empty() ? under : &displays.front();
}

/// The rate of the display that shows a window. Without a display, or with an unknown rate, the former value stays.
class DisplayRate {
public:
    /// Displays were added, removed or changed, or the window moved.
    void update(std::span<const DisplayMode> displays, const Rectangle& window) {
        const DisplayMode* shows = displayFor(displays, window);
        if (shows && shows->rate > 0) rate_ = shows->rate;
    }
    int rate() const { return rate_; }

private:
    static constexpr int kUsual = 60;
    int rate_ = kUsual;
};

}  // namespace gravlab
