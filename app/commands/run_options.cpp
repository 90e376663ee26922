// The options of `gravlab run`, and which of them go together.
#include "app/commands/command_run.h"
#include "app/files/open_file.h"
#include "app/files/snapshot_series.h"
#include "app/parameters/quantity.h"
#include "app/system/file_names.h"
#include "sim/api/errors.h"
#include "sim/io/file/atomic_file.h"
#include "sim/io/file/source.h"
#include "sim/io/snapshot.h"

namespace gravlab {

void RunCommand::add(OptionRows& rows) {
    addSceneOrFile(rows, "collision", "--every-body");  // --every is of --csv
    addBonds(rows);
    addRun(rows);
    addTwin(rows, false);
    rows.whole("--steps", "COUNT", steps, 0, kAnyCount, "number of steps; 0 writes the start itself").excludes("--until");
    rows.value(
        "--until", "TIME",
        [this](auto& name, auto& text) {
            start.until = keepTime(start, name, text, &StartOptions::until) ? 0 : parseReal(name, text);
        },
        "simulated time to reach, instead of --steps: 500Myr, or a number in the run's own [T]; below 0 with a negative "
        "--dt. The last step is as short as that takes; with --twin it is a whole one");
    rows.output("--csv", "FILE", csv,
                "energy and momenta: step,time,kinetic,potential,energy,px,py,pz,lx,ly,lz,relative_change,cx,cy,cz,"
                "virial,r10,r50,r90,closest; with contacts also bodies,lost; with --accuracy also "
                "force_error,force_error_allowed, of 99 % of the bodies by "
                "the check of the first force after the row before; with --twin also "
                "twin_energy,rms_separation,max_separation, empty where the runs have no common time; '-' is standard "
                "output");
    rows.whole("--every", "STEPS", every, 1, kAnyCount,
               "a row of --csv every so many steps; the first and the last are always there [1]")
        .needs("--csv");
    rows.output("--events", "FILE", events,
                "contacts of bodies with radii, a row each: step,time,event,first,second,speed,lost,x,y,z,mass,radius");
    rows.output("--final", "FILE", finalFile,
                "final bodies: .csv, .tab, .tipsy, .gadget, .hdf5 (which continues exactly) or .ply; '-' is standard "
                "output, as csv");
    rows.output("--plots", "DIR", plots,
                "pictures of the paths in xy, in three planes and in space, of the energy error over time, also with its "
                "sign, and of many bodies their rotation, surface density, dispersions and Toomre Q over the radius at the "
                "end, also as csv");
    rows.value(
        "--snapshot-every", "STEPS",
        [this](auto& name, auto& text) {
            const bool time = isQuantity(text) && keepTime(start, name, text, &StartOptions::snapshotTime);
            snapshotEvery = time ? 0 : parseInteger(name, text, 1, kAnyCount);
        },
        "a numbered file every so many steps; or every 50Myr, at the nearest step");
    rows.output("--snapshots", "PATTERN", snapshots,
                "names of the numbered files, with the step for %08d [snapshot_%08d.hdf5]", true)
        .needs("--snapshot-every");
    rows.output("--series", "FILE", series,
                "list of the numbered files with their times, which ParaView opens: FILE.xdmf, or FILE.ply.series")
        .needs("--snapshot-every");
    rows.output("--checkpoint", "FILE", checkpoint,
                "hdf5 file that an autosave, an interrupt or a blow-up leaves to continue from [in ~/.local/state/gravlab]");
    rows.read("--autosave", "SECONDS", autosaveSeconds, parseNonNegative, "save a checkpoint that often; 0 is off [0]");
}

void RunCommand::check() {
    if (!checkpoint.empty()) start.outputs.push_back({"the file before --checkpoint", previousOf(checkpoint).string()});
    const bool numbered = start.has("--snapshot-every");
    if (numbered && !start.has("--snapshots")) start.outputs.push_back({"--snapshots", snapshots, true});
    checkStart(*this, {.ownKernels = true});
    if (start.until > 0 && start.simulation.timeStep.value_or(1) < 0)
        throw UsageError("--until is never reached with a negative --dt; give a negative time, or --steps");
    if (steps < 0 && !start.has("--until")) {
        if (!start.file.empty() && start.file != "-") Source::open(start.file);  // a missing file is the better reason
        throw UsageError("how long? give --steps COUNT or --until TIME");
    }
    refuseOneFileTwice(start);
    if (!finalFile.empty()) formatForWriting(finalFile);
    if (!checkpoint.empty() && formatForWriting(checkpoint).name != "hdf5")
        throw UsageError("--checkpoint '" + checkpoint + "': only .hdf5 keeps all that an exact continuation needs");
    const std::string first = numbered ? numberedName("--snapshots", snapshots, 0) : "";
    if (numbered) formatForWriting(first);
    if (!series.empty()) requireSeries(series, first);
    refuseIdleThreads(start);
}

}  // namespace gravlab
