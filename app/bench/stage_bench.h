// What drawing takes on the GPU, stage by stage: the rows of `gravlab bench --frames --stages`.
// Rule: stages and wholes come from different frames, because time stamps between stages cost something themselves, and from
// frames that follow others of their kind: a frame is under way while the next is made, and would be counted as that.
#pragma once
#include "render/stage_timer.h"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace gravlab {

/// Medians [ms] of one number of bodies, size and way of drawing.
struct StageRow {
    std::string scene;
    std::size_t bodies = 0;
    int width = 0, height = 0;
    DrawMethod path = DrawMethod::raster;
    std::array<double, kDrawStages> stages{};
    double sum = 0;      ///< of the stages: about the picture, and the time stamps between them
    double picture = 0;  ///< GPU, from the first command of a picture to its last; without stamps in between
    double panels = 0;   ///< GPU; 0 without panels
    double frame = 0;    ///< host clock, from frame to frame
    std::size_t frames = 0;
};

/// Gathers frames of one row. The caller leaves out the first ones, which compile and allocate.
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

/// What tells whether bodies were drawn in the frames that were timed.
struct DrawnFacts {
    std::string lost{};                 ///< why OpenGL's context is lost; empty while it is whole
    std::size_t bodies = 0, there = 0;  ///< of the run, and in OpenGL's memory
    std::size_t frames = 0, timed = 0;  ///< of each kind
    bool shows = false;                 ///< the last picture has more than one colour
};
/// Why they were not, as part of a sentence; empty when they were.
std::string whyNotDrawn(const DrawnFacts& facts);

std::string stageTable(std::span<const StageRow> rows);
std::string stageCsv(std::span<const StageRow> rows);

}  // namespace gravlab
