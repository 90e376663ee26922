// Trials: first raster, then compute, or both at once with a sample; the median of several frames each.
#include "render/draw_method.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace gravlab {
namespace {

// Beyond these ratios a load counts as different.
constexpr double kBodiesRatio = 1.5, kPixelsRatio = 1.5, kRadiusRatio = 2;
// A smaller gain does not justify a change: in a tie the rasteriser wins, because it is the most tested path of every
// driver.
constexpr double kTie = 0.97;

constexpr DrawMethodRow kWishes[] = {
    {"auto", "both methods are timed on this machine, the faster one is used", DrawMethodRequest::automatic},
    {"raster", "point sprites and passes by the rasteriser", DrawMethodRequest::raster},
    {"compute", "small sprites, glow and tones by compute shaders", DrawMethodRequest::compute},
};

bool apart(double a, double b, double ratio) { return std::max(a, b) > ratio * std::min(a, b); }

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

std::span<const DrawMethodRow> drawMethodRows() { return kWishes; }

std::string_view nameOf(DrawMethod path) { return path == DrawMethod::raster ? "raster" : "compute"; }

void DrawMethodChooser::setWish(DrawMethodRequest wish, std::string obstacle) {
    if (wish == wish_ && obstacle == obstacle_ && !why_.empty()) return;
    wish_ = wish;
    obstacle_ = std::move(obstacle);
    trial_ = Trial::none;
    known_ = false;
    if (!obstacle_.empty())
        keep(DrawMethod::raster, "drawn by the rasteriser, because " + obstacle_);
    else if (wish_ == DrawMethodRequest::raster)
        keep(DrawMethod::raster, "drawn by the rasteriser, as chosen");
    else if (wish_ == DrawMethodRequest::compute)
        keep(DrawMethod::compute, "drawn by compute shaders, as chosen");
    else
        keep(DrawMethod::raster, "drawn by the rasteriser until both methods are timed");
}

void DrawMethodChooser::keep(DrawMethod path, std::string why) {
    path_ = path;
    why_ = std::move(why);
}

bool DrawMethodChooser::another(const PictureLoad& load) const {
    return apart(static_cast<double>(load.bodies), static_cast<double>(tried_.bodies), kBodiesRatio) ||
           apart(load.pixels, tried_.pixels, kPixelsRatio) || apart(load.spriteRadius, tried_.spriteRadius, kRadiusRatio) ||
           load.glow != tried_.glow;
}

void DrawMethodChooser::begin(const PictureLoad& load) {
    tried_ = load;
    sampled_ = load.bodies >= kSampledFrom;
    trial_ = sampled_ ? Trial::compute : Trial::raster;
    if (sampled_) keep(DrawMethod::compute, "drawn by compute shaders until the rasteriser is timed as well");
    framesOfTrial_ = 0;
    for (auto& times : times_) times.clear();
}

DrawMethod DrawMethodChooser::next(const PictureLoad& load) {
    ++framesSince_;
    if (wish_ != DrawMethodRequest::automatic || !obstacle_.empty() || load.bodies == 0) return path_;
    if (trial_ != Trial::none && another(load)) begin(load);  // the measurement belongs to another picture
    if (trial_ == Trial::none && (!known_ || (framesSince_ > kRest && another(load)))) begin(load);
    if (trial_ == Trial::none) return path_;
    if (++framesOfTrial_ > kPatience) {
        trial_ = Trial::none;
        known_ = true;
        framesSince_ = 0;
        keep(sampled_ ? DrawMethod::compute : DrawMethod::raster, std::string("drawn by ") +
                                                                      (sampled_ ? "compute shaders" : "the rasteriser") +
                                                                      ", because this OpenGL's timers give no results");
        return path_;
    }
    return trial_ == Trial::raster ? DrawMethod::raster : DrawMethod::compute;
}

void DrawMethodChooser::measured(DrawMethod path, double milliseconds) {
    const DrawMethod tried = trial_ == Trial::raster ? DrawMethod::raster : DrawMethod::compute;
    if (trial_ == Trial::none || path != tried) return;
    note(path, milliseconds);
}

bool DrawMethodChooser::wantsSample() const { return sampled_ && trial_ == Trial::compute && !enough(DrawMethod::raster); }

void DrawMethodChooser::measuredSample(double milliseconds) {
    if (wantsSample()) note(DrawMethod::raster, milliseconds);
}

bool DrawMethodChooser::enough(DrawMethod path) const {
    return times_[static_cast<std::size_t>(path)].size() >= kWarmUp + kCounted;
}

void DrawMethodChooser::note(DrawMethod path, double milliseconds) {
    times_[static_cast<std::size_t>(path)].push_back(milliseconds);
    if (!enough(path)) return;
    framesOfTrial_ = 0;
    if (trial_ == Trial::raster)
        trial_ = Trial::compute;
    else if (enough(DrawMethod::raster) && enough(DrawMethod::compute))
        finish();
}

void DrawMethodChooser::finish() {
    std::array<double, kDrawMethods> taken{};
    for (std::size_t i = 0; i < kDrawMethods; ++i) taken[i] = median({times_[i].begin() + kWarmUp, times_[i].end()});
    const auto [raster, compute] = taken;
    const DrawMethod faster = compute < kTie * raster ? DrawMethod::compute : DrawMethod::raster;
    char text[160];
    std::snprintf(text, sizeof text, "drawn by %s: %.3g ms per picture, %.3g ms by %s",
                  faster == DrawMethod::compute ? "compute shaders" : "the rasteriser", std::min(raster, compute),
                  std::max(raster, compute), faster == DrawMethod::compute ? "the rasteriser" : "compute shaders");
    if (sampled_) {
        std::snprintf(text, sizeof text,
                      "drawn by %s: %.3g ms per picture by compute shaders, about %.3g ms by the rasteriser",
                      faster == DrawMethod::compute ? "compute shaders" : "the rasteriser", compute, raster);
    } else if (faster == DrawMethod::raster && compute < raster)  // a tie
        std::snprintf(text, sizeof text, "drawn by the rasteriser: %.3g ms per picture, and %.3g ms by compute shaders",
                      raster, compute);
    trial_ = Trial::none;
    known_ = true;
    framesSince_ = 0;
    keep(faster, text);
}

}  // namespace gravlab
