// The two methods of drawing, which give the same picture, and the choice between them by measured time. Rule: no OpenGL
// here; times are arguments, so that tests can choose any.
#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// Methods for whole pictures: bodies, glow and tone.
enum class DrawMethod {
    raster,  ///< point sprites and passes over the picture, by the rasteriser
    compute  ///< sums of small sprites and compute passes; large sprites and trails still by the rasteriser
};
constexpr std::size_t kDrawMethods = 2;
std::string_view nameOf(DrawMethod path);

/// The user's choice.
enum class DrawMethodRequest { automatic, raster, compute };
/// A row of the table of choices.
struct DrawMethodRow {
    std::string_view name, idea;
    DrawMethodRequest wish;
};
std::span<const DrawMethodRow> drawMethodRows();

/// The quantities that determine the time of a picture.
struct PictureLoad {
    std::size_t bodies = 0;
    double pixels = 0;        ///< of the picture
    double spriteRadius = 0;  ///< of a body at the camera's target [px]
    bool glow = false;
};

/// Draws some frames by each method, keeps the faster one, and repeats this when the load has changed. During trials with
/// very many bodies compute shaders draw, and the rasteriser is timed with a sample. A picture of a hundred million bodies
/// takes it 0.8 s on an NVIDIA H200.
class DrawMethodChooser {
public:
    /// `obstacle`: why the compute method is unavailable here; empty when it is available.
    void setWish(DrawMethodRequest wish, std::string obstacle);
    /// The method for the next frame.
    DrawMethod next(const PictureLoad& load);
    /// Records the GPU time of a finished frame.
    void measured(DrawMethod path, double milliseconds);
    /// Whether the next frame shall also time a sample of the bodies with the rasteriser.
    bool wantsSample() const;
    /// Records the rasteriser's time for all bodies, extrapolated from a sample.
    void measuredSample(double milliseconds);
    /// True while frames are drawn in order to be measured; an idle caller should keep drawing.
    bool measuring() const { return trial_ != Trial::none; }
    DrawMethod path() const { return path_; }
    /// One sentence: the method and the reason. Changes seldom.
    const std::string& why() const { return why_; }

    static constexpr std::size_t kWarmUp = 2;   ///< results ignored at first, while shaders compile and memory is allocated
    static constexpr std::size_t kCounted = 5;  ///< results of which the median counts
    static constexpr std::size_t kPatience = 64;  ///< frames without a result after which the timers count as broken
    static constexpr std::size_t kSampledFrom = 1'000'000;  ///< least bodies for which the rasteriser is timed with a sample
    static constexpr std::size_t kRest = 120;               ///< least frames between two trials

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
