// `gravlab run`: its options are in run_options.cpp, its work is in command_run.cpp.
#pragma once
#include "app/commands/option_groups.h"

#include <cstdint>
#include <string>

namespace gravlab {

struct RunCommand : Subcommand {
    std::int64_t steps = -1;  ///< -1: unset
    std::string csv, finalFile;
    std::string events;                            ///< table of contacts; empty: none
    std::string series;                            ///< list of the numbered files; empty: none
    std::string plots;                             ///< folder for pictures of the run; empty: none
    std::int64_t every = 1;                        ///< steps from a row of the table to the next
    std::int64_t snapshotEvery = 0;                ///< 0: none, or by simulated time
    std::string snapshots = "snapshot_%08d.hdf5";  ///< name pattern, by step
    std::string checkpoint;                        ///< file for autosaves and interrupts; empty: the state folder
    double autosaveSeconds = 0;                    ///< 0: no autosave

    void add(OptionRows& rows) override;
    void check() override;
    int run() override;
};

}  // namespace gravlab
