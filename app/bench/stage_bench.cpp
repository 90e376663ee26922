// Medians and their table.
#include "app/bench/stage_bench.h"

#include "app/tables/format.h"

namespace gravlab {
namespace {

/// All times of a row, in the order of the columns.
std::vector<std::string> timesOf(const StageRow& row) {
    std::vector<double> times(row.stages.begin(), row.stages.end());
    times.insert(times.end(), {row.sum, row.picture, row.panels, row.frame});
    std::vector<std::string> texts;
    for (const double time : times) texts.push_back(formatted("%.3f", time));
    return texts;
}

/// Their names.
std::vector<std::string> timeNames() {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < kDrawStages; ++i) names.emplace_back(nameOf(static_cast<DrawStage>(i)));
    names.insert(names.end(), {"sum", "picture", "panels", "frame"});
    return names;
}

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
    std::vector<std::vector<std::string>> cells{{"bodies", "size", "way"}};
    const auto add = [&](const std::vector<std::string>& more) {
        cells.back().insert(cells.back().end(), more.begin(), more.end());
    };
    add(timeNames());
    for (const StageRow& row : rows) {
        cells.push_back(
            {std::to_string(row.bodies), formatted("%dx%d", row.width, row.height), std::string(nameOf(row.path))});
        add(timesOf(row));
    }
    return alignedText(cells, true) +
           "Medians in ms of a paused run that a camera turns about. Stages, picture and panels: time on the GPU. Frame: "
           "host,\n"
           "from one to the next.\n"
           "Between stages lie time stamps; picture, panels and frame come from frames without. So sum and picture differ\n"
           "by what the stamps take.\n";
}

std::string stageCsv(std::span<const StageRow> rows) {
    std::string text = "scene,bodies,width,height,way";
    for (const std::string& name : timeNames()) text += "," + name + "_ms";
    text += ",frames\n";
    for (const StageRow& row : rows) {
        text += row.scene + formatted(",%zu,%d,%d,", row.bodies, row.width, row.height) + std::string(nameOf(row.path));
        for (const std::string& time : timesOf(row)) text += "," + time;
        text += "," + std::to_string(row.frames) + "\n";
    }
    return text;
}

}  // namespace gravlab
