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
enum class DrawMethod {
    raster,  ///< point sprites and passes over the picture, by the rasteriser
    compute  ///< sums of small sprites and compute passes; large sprites and trails still by the rasteriser
};
constexpr std::size_t kDrawMethods = 2;
std::string_view nameOf(DrawMethod path);

/// What is asked for.
enum class DrawMethodRequest { automatic, raster, compute };
/// A row of the table of wishes.
struct DrawMethodRow {
    std::string_view name, idea;
    DrawMethodRequest wish;
};
std::span<const DrawMethodRow> drawMethodRows();

/// What the time of a picture goes with.
struct PictureLoad {
    std::size_t bodies = 0;
    double pixels = 0;        ///< of the picture
    double spriteRadius = 0;  ///< of a body at the camera's target [px]
    bool glow = false;
};

/// Draws some frames each way, keeps the faster one, and does so again when the load has become another one. Very many
/// bodies are drawn by compute shaders meanwhile, and the rasteriser is timed with a sample: a picture of a hundred million
/// by it takes an NVIDIA H200 0.8 s.
class DrawMethodChooser {
public:
    /// `obstacle`: why the compute path cannot be taken here; empty when it can.
    void setWish(DrawMethodRequest wish, std::string obstacle);
    /// The way for the next frame.
    DrawMethod next(const PictureLoad& load);
    /// What a finished frame took on the GPU.
    void measured(DrawMethod path, double milliseconds);
    /// Whether the next frame shall time a sample of the bodies by the rasteriser, beside its picture.
    bool wantsSample() const;
    /// What all bodies would take by the rasteriser, in proportion to a sample.
    void measuredSample(double milliseconds);
    /// True while frames are drawn for the sake of measuring; whoever idles should draw on.
    bool measuring() const { return trial_ != Trial::none; }
    DrawMethod path() const { return path_; }
    /// One sentence: which way and why. Changes seldom.
    const std::string& why() const { return why_; }

    static constexpr std::size_t kWarmUp = 2;               ///< results left out: shaders are compiled, memory is taken
    static constexpr std::size_t kCounted = 5;              ///< results of which the median counts
    static constexpr std::size_t kPatience = 64;            ///< frames without a result after which timers are not trusted
    static constexpr std::size_t kSampledFrom = 1'000'000;  ///< bodies from which the rasteriser gets a sample of them
    static constexpr std::size_t kRest = 120;               ///< frames between two trials at least

private:
    enum class Trial { none, raster, compute };
    bool another(const PictureLoad& load) const;
    void begin(const PictureLoad& load);
    bool enough(DrawMethod path) const;
    void note(DrawMethod path, double milliseconds);
    void finish();
    void keep(DrawMethod path, std::string why);

    DrawMethodRequest wish_ = DrawMethodRequest::automatic;
    std::string obstacle_;
    Trial trial_ = Trial::none;
    DrawMethod path_ = DrawMethod::raster;
    PictureLoad tried_;
    bool known_ = false, sampled_ = false;
    std::array<std::vector<double>, kDrawMethods> times_;
    std::size_t framesOfTrial_ = 0, framesSince_ = 0;
    std::string why_;
};

}  // namespace gravlab
