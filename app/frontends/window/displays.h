// Which display shows a window, and how many pictures a second it takes. Knows no window system.
#pragma once
#include <algorithm>
#include <span>

namespace gravlab {

/// In the units of the window system.
struct Rectangle {
    int x = 0, y = 0, width = 0, height = 0;
    bool holdsMiddleOf(const Rectangle& other) const {
        const int px = other.x + other.width / 2, py = other.y + other.height / 2;
        return px >= x && px < x + width && py >= y && py < y + height;
    }
};

/// A display that is on.
struct DisplayMode {
    Rectangle place;
    int rate = 0;            ///< pictures a second; 0: unknown
    void* handle = nullptr;  ///< of the window system
};

/// The display that shows the middle of that place; null when none does.
inline const DisplayMode* displayUnder(std::span<const DisplayMode> displays, const Rectangle& place) {
    const auto found = std::find_if(displays.begin(), displays.end(),
                                    [&](const DisplayMode& display) { return display.place.holdsMiddleOf(place); });
    return found == displays.end() ? nullptr : &*found;
}

/// The same, or the first one for a window outside all of them; null: no display is on.
inline const DisplayMode* displayFor(std::span<const DisplayMode> displays, const Rectangle& window) {
    const DisplayMode* under = displayUnder(displays, window);
    return under || displays.empty() ? under : &displays.front();
}

/// The rate of the display that shows a window. Without a display, or with an unknown rate, it stays as it was.
class DisplayRate {
public:
    /// Displays came, went or changed, or the window moved.
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
