// GPU time of drawing, whole and by stage, from time stamps. Rule: results arrive some frames later; nothing here waits.
#pragma once
#include "render/draw_method.h"
#include "render/gl_objects.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace gravlab {

/// The stages of a picture, in the order of drawing.
enum class DrawStage {
    bodies,    ///< raster: all sprites; compute: sums of the small ones
    resolve,   ///< compute: sums to light
    large,     ///< compute: sprites too large for sums
    trails,    ///< lines
    develop,   ///< photographs: light without grain, dust and gas
    glow,      ///< smaller pictures, and their sum
    exposure,  ///< the light's median
    tone       ///< to the caller's framebuffer
};
constexpr std::size_t kDrawStages = 8;
std::string_view nameOf(DrawStage stage);

/// The times of one finished frame.
struct DrawTimes {
    DrawMethod path = DrawMethod::raster;
    double milliseconds = 0;
    bool detailed = false;
    bool whole = true;                         ///< all bodies were drawn
    int tag = 0;                               ///< the caller's own
    std::array<double, kDrawStages> stages{};  ///< [ms]; 0 without details
};

class StageTimer {
public:
    /// Also measure stages. The time stamps cost a little, so this is for measurements.
    bool detailed = false;

    /// `whole`: all bodies are drawn. take() returns `tag` with the times.
    void begin(DrawMethod path, bool whole = true, int tag = 0);
    /// Marks the end of the present stage.
    void ended(DrawStage stage);
    void end();
    /// Finished frames since the last call, oldest first.
    std::vector<DrawTimes> take();

private:
    static constexpr std::size_t kDepth = 6;
    struct Frame {
        std::array<TimeStamp, kDrawStages + 2> stamps;  // begin, stages, end
        std::array<bool, kDrawStages> stamped{};
        DrawMethod path = DrawMethod::raster;
        bool detailed = false, whole = true, pending = false;
        int tag = 0;
    };
    static DrawTimes timesOf(const Frame& frame);
    std::array<Frame, kDepth> frames_;
    std::size_t next_ = 0;
    bool measuring_ = false;
};

/// GPU time of one range of commands.
class GpuTimer {
public:
    void begin();
    void end();
    /// The newest finished measurement [ms], once.
    std::optional<double> take();

private:
    static constexpr std::size_t kDepth = 4;
    std::array<TimeStamp, kDepth> starts_, ends_;
    std::array<bool, kDepth> pending_{};
    std::size_t next_ = 0;
    bool measuring_ = false;
};

}  // namespace gravlab
