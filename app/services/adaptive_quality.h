// Lowers the look while a picture takes too long to hold the wanted rate, and raises it when there is time again.
// Rule: no clock, no OpenGL: times come in, a rung comes out. The look goes first, then the simulation's share of a frame.
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
    double cost;  ///< of a picture, about, in parts of the full one
};
std::span<const QualityRung> qualityRungs();

class AdaptiveQuality {
public:
    static constexpr double kFrame = 1.0 / 30;  ///< [s] that a frame may take

    bool on = true;  ///< off: full look, whatever it takes
    /// A frame took this long until it was shown, and until it was handed to the display; the GPU drew the picture for that
    /// long [s]. What is left of it was spent waiting for the display, and counts nothing.
    void frame(double seconds, double workSeconds, double drawSeconds);
    /// The rung of the next frame.
    const QualityRung& rung() const;
    /// Most time that the simulation should take of a frame [s], given what is asked for.
    double budget(double asked) const;
    /// Whether the look or the simulation's share is lowered.
    bool lowered() const { return on && (rung_ > 0 || share_ < 1); }
    /// A sentence for the status line; empty at the full look.
    std::string text() const;

private:
    void settle(std::size_t rung);
    static constexpr std::size_t kWindow = 12;         ///< frames of a judgement
    static constexpr std::size_t kFirstPatience = 60;  ///< frames on a rung before a better look is tried
    static constexpr std::size_t kMostPatience = 1800;

    std::size_t rung_ = 0;
    double share_ = 1;  ///< of the simulation's asked time
    std::size_t frames_ = 0, sinceChange_ = 0, patience_ = kFirstPatience;
    bool raised_ = false;
    double sum_ = 0, drawSum_ = 0;
};

}  // namespace gravlab
