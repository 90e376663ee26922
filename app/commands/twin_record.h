// A twin beside `gravlab run`: its steps, its columns and its picture.
// Rule: numbers hold for common times. In a row at another time, the twin's cells are empty.
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
    /// Starts at the state of the first run. Throws as Simulation does.
    TwinRecord(Simulation& first, const TwinChoice& choice);

    /// Names of the cells of a row in these units, each with a comma before it.
    static std::string columns(const SceneUnits& units);
    /// The cells of a row, in the same form. Waits for a copy of both states and sums energies over all pairs.
    std::string cells(Simulation& first, const SceneUnits& units);

    /// Advances the twin for at most `seconds`. Returns true when it has reached the first run.
    bool catchUp(Simulation& first, double seconds) { return run_.catchUp(first, seconds); }
    /// The last step of the first run, up to `end`, whose time both runs can reach.
    std::int64_t lastMeeting(const Simulation& first, std::int64_t end) const;
    /// Adds the present time to the curve, where it is common to both runs.
    void record(Simulation& first);
    /// Writes divergence.png into the folder and returns its name. Throws IoError.
    std::string write(const std::filesystem::path& folder, Simulation& first, OutputSet& outputs) const;
    /// One sentence with settings, energy and distance between the runs.
    std::string summary(Simulation& first);
    std::string note() const { return run_.note(); }

private:
    TwinRun run_;
    Divergence curve_;
    double energy0_ = 0, twinEnergy0_ = 0;
};

}  // namespace gravlab
