// Shares a frame between the steps and their picture, and lowers the look where that lets the story go on.
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
    std::string_view text;  ///< of the status line
    PictureQuality quality;
    double cost;              ///< of a picture, about, in parts of the full one
    double costOfPhotograph;  ///< the same of photographs, most of which are passes over small pictures
    double beyond;            ///< [s] that a frame must take before the look is lowered so far
};
std::span<const QualityRung> qualityRungs();

/// Of how many bodies one is drawn while the camera moves, where a picture of all takes that long on the GPU.
int thinnedBy(std::size_t bodies, double wholeMilliseconds);

class AdaptiveQuality {
public:
    static constexpr double kFrame = 1.0 / 30;          ///< [s] that a frame should take
    static constexpr double kLongest = 1.0 / 10;        ///< and may take where the steps do not keep up with their pace
    static constexpr double kStepsToPicture = 5.0 / 3;  ///< time of the steps to that of the picture, where both want more

    bool on = true;           ///< off: full look, whatever it takes
    bool photograph = false;  ///< whether the pictures are photographs
    /// Begins with a low look and raises it after the first picture: a full one of software OpenGL may take a second.
    void startLow();
    /// The steps of the frame that begins took the host that long [s]; `behind`: they wanted more.
    void stepped(double seconds, bool behind);
    /// A frame took this long until it was shown, and until it was handed to the display; the GPU drew the picture for that
    /// long [s]. What is left of it was spent waiting for the display, and counts nothing.
    void frame(double seconds, double workSeconds, double drawSeconds);
    /// The rung of the next frame.
    const QualityRung& rung() const;
    /// Most time that the steps of a frame may take [s].
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
    static constexpr std::size_t kWindow = 12;         ///< frames of a judgement
    static constexpr double kLongEnough = 0.4;         ///< [s] of two frames at least, that are one, too
    static constexpr std::size_t kFirstPatience = 60;  ///< frames on a rung before a better look is tried
    static constexpr std::size_t kMostPatience = 1800;

    std::size_t rung_ = 0;
    std::size_t frames_ = 0, sinceChange_ = 0, patience_ = kFirstPatience;
    bool raised_ = false, lowered_ = false, behind_ = false, everBehind_ = false, starting_ = false;
    double steps_ = 0;             ///< of the frame under way [s]
    double picture_ = kFrame / 2;  ///< what a frame takes beside its steps, over the last frames [s]
    double before_ = 0;            ///< the same before the look was lowered
    double hoped_ = 0;             ///< that lowering it should save of it
    double sum_ = 0, drawSum_ = 0, stepSum_ = 0;
    std::size_t from_ = 0;                  ///< the rung before the look was lowered
    std::size_t floor_ = 0, hopeless_ = 0;  ///< lowering below `floor_` did not help, and is not tried for so many frames
};

}  // namespace gravlab
