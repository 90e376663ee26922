// GPU time of drawing by stage: the rows of `gravlab bench --frames --stages`. Rule: stages and whole pictures are timed in
// different frames, because time stamps between stages cost time. Each must follow a frame of its kind, because a frame is
// still drawn while the next is made, and would be counted as that.
#pragma once
#include "render/stage_timer.h"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace gravlab {

/// Medians [ms] for one N, size and method of drawing.
struct StageRow {
    std::string scene;
    std::size_t bodies = 0;
    int width = 0, height = 0;
    DrawMethod path = DrawMethod::raster;
    std::array<double, kDrawStages> stages{};
    double sum = 0;      ///< of the stages: about the picture plus the time stamps
    double picture = 0;  ///< GPU, from the first command of a picture to its last, without time stamps between them
    double panels = 0;   ///< GPU; 0 without panels
    double frame = 0;    ///< host clock, from frame to frame
    std::size_t frames = 0;
};

/// Collects frames of one row. The caller omits the first ones, which compile and allocate.
class StageSamples {
public:
    void add(const DrawTimes& times);
    void addPanels(double milliseconds) { panels_.push_back(milliseconds); }
    void addFrame(double milliseconds) { frames_.push_back(milliseconds); }
    /// Frames of each kind.
    std::size_t pictures() const { return pictures_.size(); }
    std::size_t detailed() const { return stages_[0].size(); }
    /// Fills in the medians.
    void finish(StageRow& row) const;

private:
    std::array<std::vector<double>, kDrawStages> stages_;
    std::vector<double> pictures_, panels_, frames_;
};

/// Facts that tell whether the timed frames drew bodies.
struct DrawnFacts {
    std::string lost{};                 ///< why OpenGL's context is lost; empty while it is valid
    std::size_t bodies = 0, there = 0;  ///< in the run, and in OpenGL's memory
    std::size_t frames = 0, timed = 0;  ///< frames, and those with times
    bool shows = false;                 ///< the last picture has more than one colour
};
/// Why the frames drew no bodies, as a clause; empty when they did.
std::string whyNotDrawn(const DrawnFacts& facts);

std::string stageTable(std::span<const StageRow> rows);
std::string stageCsv(std::span<const StageRow> rows);

}  // namespace gravlab
