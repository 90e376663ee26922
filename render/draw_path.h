// The two ways to the same picture, and how one is chosen: by the clock of the machine that draws.
// Rule: no OpenGL here; times come from outside, so the choice can be tested with any.
#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// Whole pictures: bodies, glow and tone.
enum class DrawPath {
    raster,  ///< point sprites and passes over the picture, by the rasteriser
    compute  ///< sums of small sprites and compute passes; large sprites and trails still by the rasteriser
};
constexpr std::size_t kDrawPaths = 2;
std::string_view nameOf(DrawPath path);

/// What is asked for.
enum class PathWish { automatic, raster, compute };
/// A row of the table of wishes.
struct PathWishRow {
    std::string_view name, idea;
    PathWish wish;
};
std::span<const PathWishRow> pathWishes();

/// What the time of a picture goes with.
struct PictureLoad {
    std::size_t bodies = 0;
    double pixels = 0;        ///< of the picture
    double spriteRadius = 0;  ///< of a body at the camera's target [px]
    bool glow = false;
};

/// Draws some frames each way, keeps the faster one, and does so again when the load has become another one.
class PathChooser {
public:
    /// `obstacle`: why the compute path cannot be taken here; empty when it can.
    void setWish(PathWish wish, std::string obstacle);
    /// The way for the next frame.
    DrawPath next(const PictureLoad& load);
    /// What a finished frame took on the GPU.
    void measured(DrawPath path, double milliseconds);
    /// True while frames are drawn for the sake of measuring; whoever idles should draw on.
    bool measuring() const { return trial_ != Trial::none; }
    DrawPath path() const { return path_; }
    /// One sentence: which way and why. Changes seldom.
    const std::string& why() const { return why_; }

    static constexpr std::size_t kWarmUp = 2;     ///< results left out: shaders are compiled, memory is taken
    static constexpr std::size_t kCounted = 5;    ///< results of which the median counts
    static constexpr std::size_t kPatience = 64;  ///< frames without a result after which timers are not trusted
    static constexpr std::size_t kRest = 120;     ///< frames between two trials at least

private:
    enum class Trial { none, raster, compute };
    bool another(const PictureLoad& load) const;
    void begin(const PictureLoad& load);
    void finish();
    void keep(DrawPath path, std::string why);

    PathWish wish_ = PathWish::automatic;
    std::string obstacle_;
    Trial trial_ = Trial::none;
    DrawPath path_ = DrawPath::raster;
    PictureLoad tried_;
    bool known_ = false;
    std::array<std::vector<double>, kDrawPaths> times_;
    std::size_t framesOfTrial_ = 0, framesSince_ = 0;
    std::string why_;
};

}  // namespace gravlab
