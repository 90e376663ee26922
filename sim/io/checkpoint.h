// From a run to a file and back. Rule: a saved, loaded and continued run equals an uninterrupted one, bit for bit, where the
// kernel is deterministic.
#pragma once
#include "sim/io/snapshot.h"
#include "sim/run/simulation.h"

#include <functional>
#include <string>

namespace gravlab {

/// The present run, for any format; in hdf5 it is a checkpoint. Waits for the last complete step.
Snapshot checkpointOf(Simulation& simulation);
/// The same without waiting for the bodies. Call the returned function once, on any thread: it waits and gives all.
std::function<Snapshot()> checkpointAsync(Simulation& simulation);
/// Where the bodies of the run can be read in pieces; null where they cannot, and for fewer bodies.
BodyPieces* piecesOf(Simulation& simulation, std::size_t fewest = std::size_t{1} << 24);
/// The same for a file in hdf5 of very many bodies: they are read while it is written, so the run must not go on before.
Snapshot checkpointInPieces(Simulation& simulation, std::size_t fewest = std::size_t{1} << 24);
/// The same for an earlier result of Simulation::state(), with the configuration of that time.
Snapshot checkpointOf(RunConfiguration configuration, RunState state);

/// A run that starts from a file.
struct LoadedStart {
    RunRequest request;              ///< the file's own for a checkpoint, else empty; `start` is set
    std::vector<std::string> notes;  ///< the question about units, if any, is the last
};

/// What a checkpoint states twice with different values, in sentences; its settings win.
std::vector<std::string> contradictionsOf(const Snapshot& snapshot);

/// Makes a start from a file's content. `name` is the file's name for people. A checkpoint keeps scene, view and settings.
/// Other bodies get a suitable view, softening and time step, and a note about it. Throws InputError for a checkpoint with
/// invalid settings. `file`: where the bodies can be read again; this fills in its fingerprint. Without a path they cannot.
LoadedStart startFrom(Snapshot&& snapshot, const std::string& name, StartFile file = {});

}  // namespace gravlab
