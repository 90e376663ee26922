// A twin beside `gravlab run`: its steps, its columns and its picture.
// Rule: numbers are of common times; where a row's time is none of them, the twin's cells are empty.
#pragma once
#include "app/services/divergence.h"
#include "app/services/twin_run.h"
#include "sim/io/file/atomic_file.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace gravlab {

class TwinRecord {
public:
    /// Starts with the first run, where that is. Throws as Simulation does.
    TwinRecord(Simulation& first, const TwinChoice& choice);

    /// Names of the cells of a row, each with its comma in front, in these units.
    static std::string columns(const SceneUnits& units);
    /// The cells of a row, likewise. Waits for a copy of both states and sums energies over all pairs.
    std::string cells(Simulation& first, const SceneUnits& units);

    /// Lets the twin follow for so long at most. True when it has caught up.
    bool catchUp(Simulation& first, double seconds) { return run_.catchUp(first, seconds); }
    /// The last step of the first run up to `end` whose time both can be at.
    std::int64_t lastMeeting(const Simulation& first, std::int64_t end) const;
    /// Takes the present time into the curve, where it is one of both.
    void record(Simulation& first);
    /// Writes divergence.png into the folder. Its name. Throws IoError.
    std::string write(const std::filesystem::path& folder, Simulation& first, OutputSet& outputs) const;
    /// One sentence: settings, energy and how far apart.
    std::string summary(Simulation& first);
    std::string note() const { return run_.note(); }

private:
    TwinRun run_;
    Divergence curve_;
    double energy0_ = 0, twinEnergy0_ = 0;
};

}  // namespace gravlab
