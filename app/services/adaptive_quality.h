// Divides a frame between the steps and their picture, and lowers the look where that keeps simulated time at its pace.
// Rule: no clock, no OpenGL: times come in, a level and a budget come out. Steps have at least half of each frame.
#pragma once
#include "render/particle_renderer.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace gravlab {

/// A step of the ladder, from the full look down.
struct QualityLevel {
    std::string_view text;  ///< text of the status line
    PictureQuality quality;
    double cost;              ///< estimated cost of a picture, as a fraction of the full look's
    double costOfPhotograph;  ///< the same for photographs, most of which are passes over small pictures
    double beyond;            ///< [s] length of a frame beyond which the look is lowered to this level
};
std::span<const QualityLevel> qualityLevels();

/// Every how many bodies one is drawn while the camera moves. `wholeMilliseconds`: GPU time of a picture of all bodies.
int thinnedBy(std::size_t bodies, double wholeMilliseconds);

class AdaptiveQuality {
public:
    static constexpr double kFrame = 1.0 / 30;          ///< [s] wanted length of a frame
    static constexpr double kLongest = 1.0 / 8;         ///< [s] longest frame where the steps do not keep up with their pace
    static constexpr double kStepsToPicture = 5.0 / 3;  ///< ratio of the two times where both want more
    static constexpr double kHold = 30;                 ///< [s] of frames with one look before another is chosen

    bool on = true;            ///< off: full look, however long a frame takes
    bool photograph = false;   ///< whether the pictures are photographs
    bool keepsTrails = false;  ///< trails of few bodies stay on every level
    /// Begins with a low look and raises it after the first picture: a full picture of software OpenGL may take a second.
    void startLow();
    /// The picture is of another size or number of bodies: the next choice waits for the first frames alone.
    void chooseAnew();
    /// The steps of the frame that begins took `seconds` on the host; `behind`: they needed more.
    void stepped(double seconds, bool behind);
    /// The frame took `seconds` until it was shown and `workSeconds` until it was handed to the display. The GPU drew its
    /// picture in `drawSeconds`. The rest was spent waiting for the display and does not count.
    void frame(double seconds, double workSeconds, double drawSeconds);
    /// The level for the next frame.
    const QualityLevel& level() const;
    /// Longest time that the steps of a frame may take [s].
    double budget() const;
    /// Whether the look is lowered.
    bool lowered() const { return on && level_ > 0; }
    /// A sentence for the status line; empty at the full look.
    std::string text() const;

private:
    /// Times of frames: sums, or means of a frame [s].
    struct Times {
        std::size_t frames = 0, late = 0;  ///< late: the steps did not keep up
        double whole = 0, draw = 0, steps = 0;
        double picture() const { return std::max(whole - steps, 0.0); }
        Times mean() const;
    };
    void settle(std::size_t level, const Times& mean);
    void choose(const Times& mean);
    double frameWith(double picture, double steps) const;
    double costOf(std::size_t level) const;
    bool tooLong(std::size_t level, const Times& mean, double part) const;
    std::size_t fitting(std::size_t from, const Times& mean, double part) const;

    std::size_t level_ = 0;
    Times recent_, held_;  ///< of the last frames; of all frames since the last choice
    double heldSeconds_ = 0;
    bool first_ = true, changed_ = true, raised_ = false, lowered_ = false, behind_ = false, lagging_ = false;
    int kept_ = 0, patience_ = 1;  ///< choices with this level, and those before a better look is tried
    double steps_ = 0;             ///< time of the steps of the current frame [s]
    double picture_ = kFrame / 2;  ///< mean time of a frame beside its steps, over the last frames [s]
    double before_ = 0;            ///< the same before the look was lowered
    double hoped_ = 0;             ///< time that lowering the look should save of it [s]
    std::size_t from_ = 0;         ///< the level before the look was lowered
    std::size_t floor_ = 0;
    int hopeless_ = 0;  ///< lowering below `floor_` did not help and is not tried again in this number of choices
};

}  // namespace gravlab
