// Divides a frame between the steps and their picture, and lowers the look where that keeps simulated time at its pace.
// Rule: no clock, no OpenGL: times come in, a rung and a budget come out. Steps have at least half of each frame.
#pragma once
#include "render/particle_renderer.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace gravlab {

/// A step of the ladder, from the full look down.
struct QualityRung {
    std::string_view text;  ///< text of the status line
    PictureQuality quality;
    double cost;              ///< estimated cost of a picture, as a fraction of the full look's
    double costOfPhotograph;  ///< the same for photographs, most of which are passes over small pictures
    double beyond;            ///< [s] length of a frame beyond which the look is lowered to this rung
};
std::span<const QualityRung> qualityRungs();

/// Every how many bodies one is drawn while the camera moves. `wholeMilliseconds`: GPU time of a picture of all bodies.
int thinnedBy(std::size_t bodies, double wholeMilliseconds);

class AdaptiveQuality {
public:
    static constexpr double kFrame = 1.0 / 30;          ///< [s] wanted length of a frame
    static constexpr double kLongest = 1.0 / 10;        ///< [s] longest frame where the steps do not keep up with their pace
    static constexpr double kStepsToPicture = 5.0 / 3;  ///< ratio of the two times where both want more

    bool on = true;            ///< off: full look, however long a frame takes
    bool photograph = false;   ///< whether the pictures are photographs
    bool keepsTrails = false;  ///< trails of few bodies stay on every rung
    /// Begins with a low look and raises it after the first picture: a full picture of software OpenGL may take a second.
    void startLow();
    /// The steps of the frame that begins took `seconds` on the host; `behind`: they needed more.
    void stepped(double seconds, bool behind);
    /// The frame took `seconds` until it was shown and `workSeconds` until it was handed to the display. The GPU drew its
    /// picture in `drawSeconds`. The rest was spent waiting for the display and does not count.
    void frame(double seconds, double workSeconds, double drawSeconds);
    /// The rung for the next frame.
    const QualityRung& rung() const;
    /// Longest time that the steps of a frame may take [s].
    double budget() const;
    /// Whether the look is lowered.
    bool lowered() const { return on && rung_ > 0; }
    /// A sentence for the status line; empty at the full look.
    std::string text() const;

private:
    void settle(std::size_t rung);
    double frameWith(double picture, double steps) const;
    double costOf(std::size_t rung) const;
    bool tooLong(std::size_t rung, double draw, double steps, double part) const;
    std::size_t fitting(std::size_t from, double draw, double steps, double part) const;
    static constexpr std::size_t kWindow = 12;  ///< frames that one judgement averages over
    static constexpr double kLongEnough = 0.4;  ///< [s] two frames that take at least this long are enough for a judgement
    static constexpr std::size_t kFirstPatience = 60;  ///< frames on a rung before a better look is tried
    static constexpr std::size_t kMostPatience = 1800;

    std::size_t rung_ = 0;
    std::size_t frames_ = 0, sinceChange_ = 0, patience_ = kFirstPatience;
    bool raised_ = false, lowered_ = false, behind_ = false, everBehind_ = false, starting_ = false;
    double steps_ = 0;             ///< time of the steps of the current frame [s]
    double picture_ = kFrame / 2;  ///< mean time of a frame beside its steps, over the last frames [s]
    double before_ = 0;            ///< `picture_` before the look was lowered
    double hoped_ = 0;             ///< time that lowering the look should save of `picture_` [s]
    double sum_ = 0, drawSum_ = 0, stepSum_ = 0;
    std::size_t from_ = 0;  ///< the rung before the look was lowered
    std::size_t floor_ = 0,
                hopeless_ = 0;  ///< lowering below `floor_` did not help and is not tried again for `hopeless_` frames
};

}  // namespace gravlab
