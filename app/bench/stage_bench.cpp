// Medians and their table.
#include "app/bench/stage_bench.h"

#include "app/tables/format.h"

namespace gravlab {
namespace {

std::string padded(const std::string& text, std::size_t width) {
    return std::string(width > text.size() ? width - text.size() : 1, ' ') + text;
}

std::string millisecondsText(double milliseconds) { return formatted("%.3f", milliseconds); }

constexpr std::size_t kWidth = 10;

}  // namespace

void StageSamples::add(const DrawTimes& times) {
    if (!times.detailed) {
        pictures_.push_back(times.milliseconds);
        return;
    }
    for (std::size_t i = 0; i < kDrawStages; ++i) stages_[i].push_back(times.stages[i]);
}

void StageSamples::finish(StageRow& row) const {
    for (std::size_t i = 0; i < kDrawStages; ++i) row.sum += row.stages[i] = median(stages_[i]);
    row.picture = median(pictures_);
    row.panels = median(panels_);
    row.frame = median(frames_);
    row.frames = pictures() + detailed();
}

std::string whyNotDrawn(const DrawnFacts& facts) {
    if (!facts.lost.empty()) return facts.lost;
    if (facts.there < facts.bodies)
        return "OpenGL has " + std::to_string(facts.there) + " of " + std::to_string(facts.bodies) + " bodies";
    if (2 * facts.timed < facts.frames)
        return "OpenGL timed " + std::to_string(facts.timed) + " pictures of " + std::to_string(facts.frames);
    return facts.shows ? "" : "the last picture is empty";
}

std::string stageTable(std::span<const StageRow> rows) {
    std::string text = padded("bodies", kWidth) + padded("size", kWidth + 2) + padded("way", kWidth);
    for (std::size_t i = 0; i < kDrawStages; ++i) text += padded(std::string(nameOf(static_cast<DrawStage>(i))), kWidth);
    text += padded("sum", kWidth) + padded("picture", kWidth) + padded("panels", kWidth) + padded("frame", kWidth) + "\n";
    for (const StageRow& row : rows) {
        text += padded(std::to_string(row.bodies), kWidth) +
                padded(std::to_string(row.width) + "x" + std::to_string(row.height), kWidth + 2) +
                padded(std::string(nameOf(row.path)), kWidth);
        for (const double stage : row.stages) text += padded(millisecondsText(stage), kWidth);
        for (const double time : {row.sum, row.picture, row.panels, row.frame})
            text += padded(millisecondsText(time), kWidth);
        text += "\n";
    }
    return text +
           "Medians in ms of a paused run that a camera turns about. Stages, picture and panels: time on the GPU. Frame: "
           "host,\n"
           "from one to the next.\n"
           "Between stages lie time stamps; picture, panels and frame come from frames without. So sum and picture differ\n"
           "by what the stamps take.\n";
}

std::string stageCsv(std::span<const StageRow> rows) {
    std::string text = "scene,bodies,width,height,way";
    for (std::size_t i = 0; i < kDrawStages; ++i) text += "," + std::string(nameOf(static_cast<DrawStage>(i))) + "_ms";
    text += ",sum_ms,picture_ms,panels_ms,frame_ms,frames\n";
    for (const StageRow& row : rows) {
        text += row.scene + "," + std::to_string(row.bodies) + "," + std::to_string(row.width) + "," +
                std::to_string(row.height) + "," + std::string(nameOf(row.path));
        for (const double stage : row.stages) text += "," + millisecondsText(stage);
        for (const double time : {row.sum, row.picture, row.panels, row.frame}) text += "," + millisecondsText(time);
        text += "," + std::to_string(row.frames) + "\n";
    }
    return text;
}

}  // namespace gravlab
