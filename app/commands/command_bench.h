// The options of `gravlab bench`: a table of rates, a figure, whole frames or a card.
#pragma once
#include "app/commands/subcommand.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gravlab {

/// Empty lists: the usual values.
struct BenchCommand : Subcommand {
    std::vector<std::size_t> counts;  ///< numbers of bodies
    std::vector<int> blocks, unrolls, splits, threads;
    std::vector<double> accuracies, timeSteps, softenings;
    std::vector<std::string> kernels;
    bool spreadMasses = false;
    std::int64_t steps = 0;  ///< of one repetition; 0: as many as take a quarter of a second
    int repeats = 5;
    std::string format = "table";
    std::string output;  ///< empty: standard output

    PictureOptions picture;                  ///< with frames: these are timed instead
    std::vector<std::pair<int, int>> sizes;  ///< of pictures [px]; empty: the size of `picture`
    double fps = 60;                         ///< of the display for which frames wait
    bool stages = false;                     ///< GPU time of each stage of drawing

    std::string figure;         ///< empty: none
    std::string csv, from;      ///< files of a figure's numbers, to write and to draw again
    double until = 0;           ///< end of the runs of a figure [T]; 0: the usual one
    bool besidePapers = false;  ///< draw rates of papers beside those of a figure
    std::string card;           ///< file of the benchmark card; empty: none

    void add(OptionRows& rows) override;
    void check() override;
    int run() override;

private:
    void checkStudy() const;
    void checkRates() const;
};

int drawFigure(const BenchCommand& command);
int timeFrames(const BenchCommand& command);
int measureCard(const BenchCommand& command);

}  // namespace gravlab
