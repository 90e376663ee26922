// From a run to a file and back. Rule: saved, loaded and continued equals never having stopped, bit for bit, where the
// kernel is deterministic.
#pragma once
#include "sim/io/snapshot.h"
#include "sim/run/simulation.h"

#include <functional>
#include <memory>
#include <string>

namespace gravlab {

/// The run as it is now, for any format; in hdf5 it is a checkpoint. Waits for the last complete step.
Snapshot checkpointOf(Simulation& simulation);
/// The same without waiting for the bodies: what comes back gives the whole once, on any thread, and waits there.
std::function<Snapshot()> checkpointAsync(Simulation& simulation);
/// The same for a state that Simulation::state() gave earlier, under the effective settings that held then.
Snapshot checkpointOf(RunConfiguration configuration, RunState state);

/// What a file offers a run.
struct LoadedStart {
    RunRequest request;              ///< the file's own where it is a checkpoint, else nothing is asked for; `start` is set
    std::vector<std::string> notes;  ///< the question about units, where there is one, last
};

/// What a checkpoint states twice in different ways, in sentences; what its settings say is taken.
std::vector<std::string> contradictionsOf(const Snapshot& snapshot);

/// Makes a start of a file's content. `name` is what people call the file. A checkpoint keeps scene, view and settings;
/// other bodies get a view, a softening and a time step that suit them, and a note that says so.
/// Throws InputError for a checkpoint whose settings make no sense.
/// `file`: where the bodies are to be found again; its print is filled in. Without a path they are nowhere.
LoadedStart startFrom(Snapshot&& snapshot, const std::string& name, StartFile file = {});

}  // namespace gravlab
