// The options of each command, and the table of commands. Rule: a bad value is refused here with a sentence, before anything
// is created. option_rules.cpp checks combinations of options.
#include "app/commands/command_rows.h"

#include "app/bench/figure.h"
#include "app/commands/option_rows.h"
#include "app/files/scene_data.h"
#include "app/film/encoders.h"
#include "app/parameters/quantity.h"
#include "app/parameters/setting_choices.h"
#include "app/tables/occupancy.h"
#include "app/tables/text_values.h"
#include "sim/backends/groups.h"
#include "sim/core/error.h"
#include "sim/core/names.h"
#include "sim/io/formats/units.h"

#include <algorithm>
#include <array>
#include <limits>

namespace gravlab {
namespace {

constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();

/// "unroll, block, ...": names of a table's rows.
template <class Table>
std::string namesIn(const Table& table) {
    return joined(table, [](const auto& row) { return row.name; });
}

/// Options for reading a file.
void addReading(OptionRows& rows, const std::string& every = "--every") {
    ReadOptions& r = rows.options().read;
    rows.text("--columns", "LIST", r.columns,
              "columns of a table: x,y,z,vx,vy,vz,m,id,group; '-' skips one [the file's header]");
    rows.rowOf("--units", "NAME", r.units, unitSystem,
               "units of the file: nbody, solar, solar-day, cluster, galactic, gadget, si, cgs [the file's own, or G = 1]")
        .excludes("--G");
    rows.read("--G", "VALUE", r.gravity, parsePositive, "constant of gravity in the file's units");
    rows.read("--hubble", "NAME", r.ignoreHubble, ignoresHubble,
              "HubbleParam of a Gadget file: apply, lengths and masses are in units over h, or ignore it [apply]");
    rows.flag("--sanitize", r.sanitize, "leave out bodies with bad values instead of refusing the file");
    rows.read("--region", "X0:X1,Y0:Y1,Z0:Z1", r.part.region, parsedRegion,
              "read only the bodies in that box, in the file's numbers; an empty end is open: -5:5,:,0:");
    rows.whole(every, "COUNT", r.part.every, 1, kAny,
               "read one body of each COUNT: the first, the one COUNT places later, and so on [1]");
}

void addScene(OptionRows& rows, const std::string& fallback, const std::string& orFile = {}) {
    std::string& scene = rows.options().simulation.scene = fallback;
    rows.word("SCENE", scene, "starting state, see 'gravlab list scenes'" + orFile + " [" + fallback + "]");
}

void addSceneOrFile(OptionRows& rows, const std::string& fallback, const std::string& every = "--every") {
    addScene(rows, fallback, ", or a FILE with bodies");
    addReading(rows, every);
}

/// Bonds between the bodies of a file, for commands that move them.
void addBonds(OptionRows& rows) {
    rows.text("--bonds", "FILE", rows.options().read.bonds,
              "a table of bonds between the bodies of a file, by their ids: i,j,length,stiffness,damping,breaking,law");
}

/// Kernels by their names.
OptionRows::Row addKernelList(OptionRows& rows, const std::string& help) {
    const auto take = [&o = rows.options()](auto&, auto& texts) { o.bench.kernels = texts; };
    return rows.list("--kernel", "LIST", take, help);
}

/// Numbers of the scene.
void addSet(OptionRows& rows) {
    rows.pairs("--set", rows.options().simulation.parameters, "toomre-q=1.5",
               "a number of the scene, see 'gravlab list scenes'; may be given several times");
}

/// Backend, kernel and physics.
void addRun(OptionRows& rows) {
    rows.ofAll([](const Parameter& row) { return row.ask != nullptr; });
    addSet(rows);
}

/// The physics, which is independent of the backend.
void addPhysics(OptionRows& rows) {
    rows.ofAll([](const Parameter& row) { return row.ask && !row.kept.scene.empty() && row.path != "run.precision"; });
    addSet(rows);
}

/// A second run of the same start.
void addTwin(OptionRows& rows, bool picture) {
    Options& o = rows.options();
    const std::string others = joined(twinKeys(), [](std::string_view key) {
        return key != "integrator" && key != "time_step" ? key : std::string_view();
    });
    rows.value(
        "--twin", "LIST",
        [&o](auto&, auto& text) {
            const TwinView view = o.twin.view;
            o.twin = parseTwin(keepTwinQuantities(o, text));
            o.twin.view = view;
        },
        "run the same start a second time in other settings, such as \"integrator=euler,dt=0.05\"; also " + others);
    if (!picture) return;
    rows.read(
        "--twin-view", "NAME", o.twin.view, [](auto&, auto& text) { return twinView(text); },
        "how both share the picture: side or overlay [side]");
}

/// The look of a picture, and its pace. `window`: also options that only a window needs.
void addPicture(OptionRows& rows, bool window) {
    Options& o = rows.options();
    rows.value(
        "--size", "WxH", [&o](auto& name, auto& text) { std::tie(o.width, o.height) = parseSize(name, text); },
        "pixels [1280x720]");
    rows.ofAll([&](const Parameter& row) {
        const bool run = row.ask || row.path.starts_with("scene.") || row.path.starts_with("twin.");
        return !run && (window || !row.kept.window);
    });
    rows.flag("--path", o.flyPath, "fly along the scene file's camera path; render: --frames is then its length");
}

/// A window, or a film.
void addFrames(OptionRows& rows) {
    Options& o = rows.options();
    rows.whole("--frames", "COUNT", o.frames, 1, kAny, "stop after this many frames");
    rows.of("window.text_scale", "--ui-scale", "FACTOR", o.uiScale, "size of the panel's text, 0.5 to 4 [from the display]");
}

/// A window that a user or a script controls.
void addWindow(OptionRows& rows) {
    rows.flag("--no-config", "neither read nor write what the window remembers: $XDG_CONFIG_HOME/gravlab/config.toml");
    rows.output("--screenshot", "FILE", rows.options().screenshot, "write a PNG of the last frame");
}

void addViewOptions(OptionRows& rows) {
    Options& o = rows.options();
    addSceneOrFile(rows, "collision");
    addBonds(rows);
    addRun(rows);
    addTwin(rows, true);
    addPicture(rows, true);
    addFrames(rows);
    rows.read("--autosave", "SECONDS", o.autosaveSeconds, parseNonNegative,
              "save the run that often, to be offered after a crash; 0 is off [60; off with --frames]");
    rows.whole("--rewind-memory", "MB", o.rewindMegabytes, 0, 1 << 24, "for states to go back to; 0 keeps none [256]");
    addWindow(rows);
    rows.text("--lesson", "NAME", o.lesson,
              "begin a lesson, see 'gravlab list lessons', or a FILE.toml with one, see docs/lessons.md");
}

void addPlayOptions(OptionRows& rows) {
    Options& o = rows.options();
    rows.word("SCRIPT", o.play.script, "file of commands, one a line, see docs/scripts.md; '-' is standard input")
        .required("play needs a script: gravlab play FILE, or gravlab play - for standard input");
    addSceneOrFile(rows, "collision");
    addBonds(rows);
    addRun(rows);
    addTwin(rows, true);
    addPicture(rows, true);
    addWindow(rows);
    rows.flag("--window", o.play.inWindow, "in a window, at the scene's own pace, instead of off screen");
    rows.whole("--share", "DESCRIPTOR", o.play.shared, 3, 1 << 20,
               "inherited memory for the lines 'do share' and 'do take', see docs/python.md [none]");
}

void addRenderOptions(OptionRows& rows) {
    Options& o = rows.options();
    addSceneOrFile(rows, "collision");
    addBonds(rows);
    addRun(rows);
    addTwin(rows, true);
    addPicture(rows, false);
    addFrames(rows);
    rows.output("-o,--output", "FILE", o.output,
                "FILE.png, a film FILE.mp4, .mov, .mkv, .webm or .gif (needs ffmpeg), or numbered frames DIR/%05d.png");
    rows.of("film.frames_per_second", "--fps", "RATE", o.render.fps,
            "frames a second of the film [60; 50 in .gif, which has no more]");
    rows.rowOf("--encoder", "NAME", o.render.encoder, encoder,
               "of the film, see 'gravlab list encoders' [the first that works here and fits the file]");
    rows.value(
        "--quality", "NUMBER",
        [&o, &range = parameter("film.quality").bounds](auto& name, auto& text) {
            o.render.quality = parseReal(name, text);
            if (!(o.render.quality >= range.least && o.render.quality <= range.most))
                throw UsageError(name + " must be from " + shortestText(range.least) + " to " + shortestText(range.most));
        },
        "of the film: 0 makes small files, 100 large ones [80]");
    rows.flag("--loop", o.render.loop,
              "one whole period of the scene, so that the end goes over into the start: without --frames as long as the "
              "scene's story takes to watch, with a time step that fits")
        .excludes("--twin", "--loop and --twin exclude each other: two runs seldom have one period")
        .excludes("--dt", "--loop chooses the time step that fits; leave out --dt");
    rows.whole("--tile", "PIXELS", o.render.tile, 64, 16384,
               "draw the picture in parts of that size [only where it is too large for OpenGL, as large as that allows]");
    rows.flag("--ui", o.showUi, "draw the panel into the picture");
}

void addRunOptions(OptionRows& rows) {
    Options& o = rows.options();
    addSceneOrFile(rows, "collision", "--every-body");  // --every is of --csv
    addBonds(rows);
    addRun(rows);
    addTwin(rows, false);
    rows.whole("--steps", "COUNT", o.steps, 0, kAny, "number of steps; 0 writes the start itself").excludes("--until");
    rows.value(
        "--until", "TIME", [&o](auto& name, auto& text) { o.until = keepUntil(o, text) ? 0 : parseReal(name, text); },
        "simulated time to reach, instead of --steps: 500Myr, or a number in the run's own [T]; below 0 with a negative "
        "--dt");
    rows.output("--csv", "FILE", o.csv,
                "energy and momenta: step,time,kinetic,potential,energy,px,py,pz,lx,ly,lz,relative_change,cx,cy,cz,"
                "virial,r10,r50,r90,closest; with contacts also bodies,lost; with --accuracy also "
                "force_error,force_error_allowed, of 99 % of the bodies by "
                "the check of the first force after the row before; with --twin also "
                "twin_energy,rms_separation,max_separation, empty where the runs have no common time; '-' is standard "
                "output");
    rows.whole("--every", "STEPS", o.run.every, 1, kAny,
               "a row of --csv every so many steps; the first and the last are always there [1]")
        .needs("--csv");
    rows.output("--events", "FILE", o.run.events,
                "contacts of bodies with radii, a row each: step,time,event,first,second,speed,lost,x,y,z,mass,radius");
    rows.output("--final", "FILE", o.run.finalFile,
                "final bodies: .csv, .tab, .tipsy, .gadget, .hdf5 (which continues exactly) or .ply; '-' is standard "
                "output, as csv");
    rows.output("--plots", "DIR", o.run.plots,
                "pictures of the paths in xy, in three planes and in space, of the energy error over time, also with its "
                "sign, and of many bodies their rotation, surface density, dispersions and Toomre Q over the radius at the "
                "end, also as csv");
    rows.whole("--snapshot-every", "STEPS", o.run.snapshotEvery, 1, kAny, "a numbered file every so many steps");
    rows.output("--snapshots", "PATTERN", o.run.snapshots,
                "names of the numbered files, with the step for %08d [snapshot_%08d.hdf5]")
        .needs("--snapshot-every");
    rows.output("--series", "FILE", o.run.series,
                "list of the numbered files with their times, which ParaView opens: FILE.xdmf, or FILE.ply.series")
        .needs("--snapshot-every");
    rows.output("--checkpoint", "FILE", o.checkpoint,
                "hdf5 file that an autosave, an interrupt or a blow-up leaves to continue from [in ~/.local/state/gravlab]");
    rows.read("--autosave", "SECONDS", o.autosaveSeconds, parseNonNegative, "save a checkpoint that often; 0 is off [0]");
}

void addBenchOptions(OptionRows& rows) {
    constexpr std::array<std::string_view, 3> kFormats{"table", "csv", "json"};
    Options& o = rows.options();
    addScene(rows, "plummer");
    rows.numbersOfBodies("-n,--bodies", o.bench.bodies, "numbers of bodies, separated by commas or spaces");
    constexpr std::string_view kListed[] = {"--bodies",  "--kernel",   "--block", "--unroll",   "--split",
                                            "--threads", "--accuracy", "--dt",    "--softening"};
    rows.ofAll([&](const Parameter& row) {
        return row.ask && std::find(std::begin(kListed), std::end(kListed), row.kept.option) == std::end(kListed);
    });
    addSet(rows);
    addKernelList(rows, "kernels; 'all' is every one of the backend [auto]");
    rows.listOf("run.block", o.bench.blocks, "block sizes, where the kernel has them");
    rows.listOf<int>("run.unroll", o.bench.unrolls,
                     "unroll factors, where the kernel has them; auto is the compiler's choice", kAutoUnroll);
    rows.listOf("run.split", o.bench.splits, "parts of the sources, where the kernel has them");
    rows.settingOrList("run.threads", o.bench.threads);
    rows.settingOrList("run.accuracy", o.bench.accuracies);
    rows.settingOrList("run.time_step", o.bench.timeSteps);
    rows.settingOrList("run.softening", o.bench.softenings);
    rows.whole("--steps", "COUNT", o.steps, 1, kAny, "steps of one repetition [as many as fit a quarter of a second]");
    rows.read("--until", "TIME", o.until, parsePositive,
              "with --figure energy-dt or energy-softening: simulated time of each run [1]")
        .needs("--figure");
    rows.flag("--spread-masses", o.bench.spreadMasses,
              "give every body a mass of its own, 0.5 to 1.5 times the scene's: the hardest case for a kernel");
    rows.whole("--repeats", "COUNT", o.bench.repeats, 1, 1000, "repetitions, of which the median counts [5]");
    rows.value(
        "--format", "NAME",
        [&o, kFormats](auto&, auto& text) {
            if (std::ranges::find(kFormats, text) == kFormats.end())
                throw UsageError(unknownName("format", text, {kFormats.begin(), kFormats.end()}));
            o.bench.format = text;
        },
        "table, csv or json [table]");
    rows.whole("--frames", "COUNT", o.frames, 40, kAny,
               "time that many whole frames off screen instead: steps, picture and, with --ui, panels");
    rows.list(
            "--size", "LIST",
            [&o](auto& name, auto& texts) {
                for (auto& text : texts) o.bench.sizes.push_back(parseSize(name, text));
                std::tie(o.width, o.height) = o.bench.sizes.front();
            },
            "with --frames: pixels, WxH; several with --stages [1280x720]")
        .needs("--frames");
    rows.flag("--stages", o.bench.stages,
              "with --frames: time on the GPU of each stage of drawing, both ways, while nothing steps")
        .needs("--frames");
    for (const char* path : {"look.splat", "look.copy_vertices", "run.steps_per_frame", "run.time_budget"})
        rows.of(parameter(path), "with --frames: ").needs("--frames");
    rows.of("film.frames_per_second", "--fps", "RATE", o.render.fps,
            "with --frames: wait for each as for a display of that rate [not at all]")
        .needs("--frames");
    rows.flag("--ui", o.showUi, "with --frames: draw the panels too").needs("--frames");
    rows.rowOf("--figure", "NAME", o.bench.figure, figure,
               "measure and draw a study into -o FILE.png, .svg or .pdf, or FILE.csv: " + namesIn(figures()))
        .excludes("--card");
    rows.output("--csv", "FILE", o.csv, "with --figure and a picture as -o: its numbers, too, of the same measurement")
        .needs("--figure");
    rows.value(
            "--from", "FILE", [&o](auto&, auto& text) { o.file = text; },
            "with --figure and a picture as -o: measure nothing, and draw the numbers that --csv wrote into this FILE")
        .needs("--figure");
    rows.value(
            "--beside", "WHAT",
            [&o](auto&, auto& text) {
                if (text != "papers") throw UsageError(unknownName("thing to draw beside", text, {"papers"}));
                o.bench.besidePapers = true;
            },
            "with --figure unroll, block, split, bodies, cpu-gpu or ladder and a picture as -o: 'papers', what papers 000, "
            "002 and 003 measured, with unfilled marks, also as shares of what each device can issue")
        .needs("--figure");
    rows.output("--card", "FILE", o.bench.card, "measure this device and write its card: FILE.png to post, or FILE.txt")
        .excludes("--output", "--card names its file itself; leave out -o");
    rows.output("-o,--output", "FILE", o.output, "write there instead of standard output");
}

void addTuneOptions(OptionRows& rows) {
    Options& o = rows.options();
    rows.numbersOfBodies("-n,--bodies", o.bench.bodies, "numbers of bodies [CUDA: 1k,4k,16k,64k,256k; CPU: 1k,4k,16k]");
    for (const char* path : {"run.backend", "run.device", "run.threads", "run.precision"}) rows.of(parameter(path));
    addKernelList(rows, "only these kernels [all]");
    rows.value(
        "--term-kernel", "TERM=ROW", [&o](auto&, auto& text) { o.simulation.terms = parsedTermRequests(text); },
        "instead, the kernels of a force term beside the pair law; TERM=all for every one");
    rows.rowOf(
        "--scene", "SCENE", o.simulation.scene, [](auto& text) -> auto& { return sceneNamed(text); },
        "with --term-kernel: the scene whose bodies and term are computed");
}

void addListOptions(OptionRows& rows) {
    Options& o = rows.options();
    rows.word("WHAT", o.listWhat, listNames()).required("list what? valid: " + listNames());
    rows.flag("--json", o.json, "as JSON").excludes("--markdown");
    rows.flag("--markdown", "as a Markdown table");
}

void addCheckOptions(OptionRows& rows) {
    Options& o = rows.options();
    rows.flag("--physics", o.check.physics,
              "instead of the kernels: known systems against their known answers, with tolerances");
    rows.flag("--lessons", o.check.lessons,
              "instead of the kernels: play every lesson with its own answers, off screen, and name each step that is not "
              "reached")
        .excludes("--physics")
        .excludes("--tolerance", "--tolerance does nothing with --lessons: a step is reached or not");
    addKernelList(rows, "only these kernels, of a force term as TERM:ROW [all]").excludes("--physics").excludes("--lessons");
    rows.text("--lesson", "NAME", o.lesson, "play only that one; a FILE.toml is a lesson of one's own").needs("--lessons");
    for (const char* path : {"run.device", "run.threads", "run.simd"}) rows.of(parameter(path));
    rows.read("--tolerance", "ERROR", o.check.tolerance, parsePositive,
              "relative error allowed, instead of the usual limits");
}

void addFingerprintOptions(OptionRows& rows) {
    Options& o = rows.options();
    addSceneOrFile(rows, "plummer");
    addPhysics(rows);
    rows.whole("--steps", "COUNT", o.steps, 0, 1000000, "steps before the hash [16]");
    rows.flag("--json", o.json, "as JSON");
    rows.flag("--all", o.printsAllRows,
              "instead of a scene: run every kernel, law, precision and integrator of a backend on built-in bodies, and "
              "write hashes, launches and memory as CSV, to compare two builds on one machine");
    for (const char* path : {"run.backend", "run.device", "run.threads", "run.simd"})
        rows.of(parameter(path), "with --all: ");
    addKernelList(rows, "with --all: only these kernels");
    rows.numbersOfBodies("--sizes", o.bench.bodies, "with --all: numbers of bodies [1 to 16384]");
}

void addMatrixOptions(OptionRows& rows) {
    Options& o = rows.options();
    addSceneOrFile(rows, "plummer");
    addPhysics(rows);
    rows.read(
        "--value", "NAME", o.pairValue, [](auto&, auto& text) { return pairValue(text); },
        "force, potential, component (of the force on row i, along x, with its sign) or distance [force]");
    rows.output("-o,--output", "FILE", o.output, "FILE.csv, or FILE.npy for NumPy: a row a body, for up to 4,096 bodies");
}

void addLessonOptions(OptionRows& rows) {
    Options& o = rows.options();
    rows.word("NAME", o.lesson, "lesson, see 'gravlab list lessons', or a FILE.toml with one")
        .required("lesson needs a name: gravlab lesson NAME; 'gravlab list lessons' shows them");
    rows.output("--worksheet", "FILE", o.sheet.worksheet,
                "write it to print: FILE.html or FILE.md; '-' is standard output, as Markdown [-]");
    rows.flag("--answers", o.sheet.answers, "with explanations and answers, for the teacher");
}

void addOccupancyOptions(OptionRows& rows) {
    Options& o = rows.options();
    OccupancyAsk& ask = o.occupancy;
    rows.word("GPU", ask.gpu, namesIn(gpus()) + " [h200]");
    rows.numbersOfBodies("-n,--bodies", o.bench.bodies, "numbers of bodies [65536]");
    rows.listOf("calculator.block", o.bench.blocks, "block sizes [32,64,128,256,512,1024]");
    const auto number = [&rows](const char* path, const char* option, auto& to, const char* help) {
        rows.of("calculator." + std::string(path), option, "COUNT", to, help);
    };
    number("registers", "--registers", ask.registers, "registers a thread [64]");
    number("shared", "--shared", ask.shared, "bytes of shared memory a block [16 a thread, a tile of bodies]");
    number("bodies_per_thread", "--bodies-per-thread", ask.bodiesPerThread, "bodies a thread [1]");
    number("split", "--split", ask.split, "parts of the sources [1]");
    number("multiprocessors", "--multiprocessors", ask.multiprocessors, "of another GPU, instead of those of the one named");
    number("warps", "--warps", ask.warps, "resident on a multiprocessor at most, likewise");
    number("resident_blocks", "--resident-blocks", ask.blocks, "on a multiprocessor at most, likewise");
    number("register_file", "--register-file", ask.registerFile, "registers of a multiprocessor, likewise");
    number("shared_memory", "--shared-memory", ask.sharedMemory, "bytes of a multiprocessor, likewise");
    rows.flag("--json", o.json, "as JSON");
}

void addGroupsOptions(OptionRows& rows) {
    Options& o = rows.options();
    GroupsAsk& ask = o.groups;
    addSceneOrFile(rows, "plummer");
    for (const char* path : {"run.bodies", "run.seed", "run.scene_version", "run.backend", "run.device", "run.threads"})
        rows.of(parameter(path));
    addSet(rows);
    rows.of("groups.linking", "--linking", "NUMBER", ask.linking.mean,
            "friends are at most so far apart, in mean distances (V/N)^(1/3) of the box that holds all bodies [0.2]")
        .excludes("--linking-length");
    rows.value(
        "--linking-length", "LENGTH",
        [&ask](auto& name, auto& text) {
            ask.length = text;
            if (isQuantity(text)) return requireDimension(name, text, "L");
            ask.linking.length = parsePositive(name, text);
            ask.length.clear();
        },
        "the same as a length, 5kpc or a number in the file's unit, instead of --linking");
    rows.of("groups.least", "--least", "COUNT", ask.least,
            "bodies of a group at least; in smaller ones they have the group -1 [10]");
    const std::string rungs =
        joined(groupRungs(), [](const GroupRung& rung) { return std::string(rung.backend) + " " + std::string(rung.name); });
    rows.rowOf("--kernel", "NAME", ask.rung, groupRungNamed,
               "how groups are found, see docs/groups.md: " + rungs + " [the last of the backend]");
    rows.whole("--rows", "COUNT", ask.rows, 0, kMaxBodies, "of the printed table, the largest groups [12]");
    rows.output("-o,--output", "FILE", o.output,
                "a row a body: id,group, where a group has the id of its first body; '-' is standard output");
    rows.flag("--json", o.json, "as JSON, with all groups");
}

void addMemoryOptions(OptionRows& rows) {
    for (const char* path : {"run.backend", "run.device"}) rows.of(parameter(path));
    rows.flag("--json", rows.options().json, "as JSON");
}

constexpr const char* kReadable = "file of any format that can be read; '-' is standard input, a table";

void addConvertOptions(OptionRows& rows) {
    constexpr const char* kBoth = "convert needs two files: gravlab convert IN OUT";
    Options& o = rows.options();
    rows.word("IN", o.file, kReadable).required(kBoth);
    rows.word("OUT", o.output, "file to write: .csv, .tab, .tipsy, .gadget, .hdf5 or .ply; '-' is standard output, as csv")
        .required(kBoth);
    addReading(rows);
}

void addInfoOptions(OptionRows& rows) {
    Options& o = rows.options();
    rows.word("FILE", o.file, kReadable).required("info needs a file: gravlab info FILE");
    addReading(rows);
    rows.flag("--json", o.json, "as JSON");
}

void addGradeOptions(OptionRows& rows) {
    Options& o = rows.options();
    rows.word("FOLDER", o.file, "folder with the kernels, FOLDER/*.cu, see docs/own-kernels.md")
        .required("grade needs a folder with kernels: gravlab grade FOLDER");
    for (const char* path : {"run.bodies", "run.seed", "run.device"}) rows.of(parameter(path));
    rows.read("--seconds", "SECONDS", o.gradeSeconds, parsePositive,
              "longest time of a force; a kernel that takes longer hangs [10]");
    rows.output("--csv", "FILE", o.csv, "the table, a row an error; '-' is standard output");
}

}  // namespace

const std::array<CommandRow, kCommandCount> kCommands{{
    {"view", Subcommand::view, viewCommand, addViewOptions, BodiesFrom::sceneOrFile, nullptr,
     "open the window (the default command)",
     "  gravlab                              the default scene, at a size that suits this machine\n"
     "  gravlab disc -n 64k --block 256      a disc of 65,536 bodies, 256 threads a block\n"
     "  gravlab picture.png                  the scene of a picture again; a scene file (.toml) likewise\n"
     "  gravlab plummer --backend cpu        the same window, computed on the CPU\n"
     "  gravlab two-body --twin integrator=euler     two runs of one start, side by side\n"
     "  gravlab run.hdf5                     continues from a file\n"
     "  gravlab stars.csv --units cluster    bodies from a table in pc, km/s and solar masses\n",
     nullptr, true},
    {"render", Subcommand::render, renderCommand, addRenderOptions, BodiesFrom::sceneOrFile, requireRender,
     "draw a picture or a film without a window",
     "  gravlab render collision -o film.mp4 --frames 600 --steps-per-frame 2\n"
     "  gravlab render disc -o disc.png --frames 200 --size 1920x1080 --ui\n"
     "  gravlab render cube -o frames/%05d.png --frames 120\n"
     "  gravlab render my.toml --path -o flight.webm --encoder vp9 --quality 90\n"
     "  gravlab render galaxy -o poster.png --frames 300 --size 7680x4320\n"
     "  gravlab render two-body -o twins.mp4 --frames 600 --trails 200 --twin integrator=euler --ui\n"},
    {"play", Subcommand::play, playCommand, addPlayOptions, BodiesFrom::sceneOrFile, requirePlay,
     "do what a script says, line by line, and answer each line in JSON",
     "  gravlab play lesson.txt two-body\n"
     "  gravlab play lesson.txt --window\n"
     "  echo 'get run.step' | gravlab play - two-body\n"},
    {"run", Subcommand::run, runCommand, addRunOptions, BodiesFrom::sceneOrFile, requireRun,
     "integrate without graphics, write energies and bodies",
     "  gravlab run figure-eight --dt 0.001 --until 6.3 --csv energy.csv --every 10\n"
     "  gravlab run plummer -n 4096 --steps 1000 --final bodies.csv\n"
     "  gravlab run six-body --steps 0 --final -\n"
     "  gravlab run disc --until 50 --snapshot-every 100 --final end.hdf5\n"
     "  gravlab run end.hdf5 --until 100 --final later.hdf5\n"
     "  gravlab run two-body --until 20 --twin integrator=euler --csv apart.csv --plots pictures\n"},
    {"bench", Subcommand::bench, benchCommand, addBenchOptions, BodiesFrom::scene, requireBench,
     "check, then time force kernels",
     "  gravlab bench --backend cuda -n 1k,64k,1M --block 128,256 --unroll 8,16\n"
     "  gravlab bench --backend cpu --kernel all -n 16384 --format json -o cpu.json\n"
     "  gravlab bench --figure unroll -o unroll.png --csv unroll.csv\n"
     "  gravlab bench --figure threads --threads 1,2,4 -o threads.png\n"
     "  gravlab bench two-body --figure energy-dt --until 6 -o energy.png\n"
     "  gravlab bench --card card.png\n"
     "  gravlab bench collision --frames 600 -n 64k --size 1920x1080 --ui\n"
     "  gravlab bench collision --frames 200 --stages -n 64k,1M --size 1920x1080\n",
     requireStudy},
    {"lesson", Subcommand::lesson, lessonCommand, addLessonOptions, BodiesFrom::nothing, requireLesson,
     "print a lesson: a worksheet for students, or with the answers",
     "  gravlab lesson leapfrog --worksheet leapfrog.html\n"
     "  gravlab lesson leapfrog --worksheet answers.md --answers\n"
     "  gravlab --lesson leapfrog            goes through it in the window\n"},
    {"occupancy", Subcommand::occupancy, occupancyCommand, addOccupancyOptions, BodiesFrom::nothing, nullptr,
     "what a launch finds on a GPU, which need not be here: waves, tail, occupancy",
     "  gravlab occupancy t4 -n 4k,64k --block 64,128,256\n"
     "  gravlab occupancy a100 --registers 40\n"
     "  gravlab occupancy rtx-4090 --multiprocessors 76\n"},
    {"tune", Subcommand::tune, tuneCommand, addTuneOptions, BodiesFrom::scene, nullptr,
     "find the fastest kernel and launch for this device, for --kernel auto",
     "  gravlab tune\n  gravlab tune -n 16k,64k --kernel tiled,tiled-split\n"},
    {"list", Subcommand::list, listCommand, addListOptions, BodiesFrom::nothing, requireList,
     "what this build and machine have", "  gravlab list scenes\n  gravlab list kernels --json\n"},
    {"check", Subcommand::check, checkCommand, addCheckOptions, BodiesFrom::nothing, nullptr,
     "verify every backend and kernel on this machine",
     "  gravlab check\n  gravlab check --physics\n  gravlab check --lessons\n"},
    {"convert", Subcommand::convert, convertCommand, addConvertOptions, BodiesFrom::nothing, nullptr,
     "read bodies in one format, write them in another",
     "  gravlab convert galaxy.tipsy galaxy.hdf5\n"
     "  gravlab convert stars.csv stars.tab --columns m,x,y,z,vx,vy,vz --units cluster\n"
     "  grep -v '^#' table.txt | gravlab convert - bodies.hdf5\n"},
    {"fingerprint", Subcommand::fingerprint, fingerprintCommand, addFingerprintOptions, BodiesFrom::sceneOrFile, nullptr,
     "hash what a scene starts from and what the reference backend makes of it",
     "  gravlab fingerprint plummer -n 1024 --steps 16 --seed 1\n"
     "  gravlab fingerprint --all --backend cuda > before.csv\n"},
    {"groups", Subcommand::groups, groupsCommand, addGroupsOptions, BodiesFrom::sceneOrFile, nullptr,
     "find groups of bodies, friends of friends, in a scene or a file",
     "  gravlab groups galaxy -n 64k --linking 0.2\n"
     "  gravlab groups stars.csv --units cluster --linking-length 0.05 --least 20 -o groups.csv\n"
     "  gravlab groups plummer -n 1M --backend cuda --kernel bfs-device\n"},
    {"matrix", Subcommand::matrix, matrixCommand, addMatrixOptions, BodiesFrom::sceneOrFile, nullptr,
     "write what every body has with every other: force, potential or distance",
     "  gravlab matrix plummer -n 256 -o force.csv\n  gravlab matrix disc -n 4096 --value component -o fx.npy\n"},
    {"memory", Subcommand::memory, memoryCommand, addMemoryOptions, BodiesFrom::nothing, nullptr,
     "time the memories of a device: latency of each level, reads at strides, ways to the host",
     "  gravlab memory\n  gravlab memory --backend cuda --json > memory.json\n"},
    {"info", Subcommand::info, infoCommand, addInfoOptions, BodiesFrom::nothing, nullptr, "say what is in a file",
     "  gravlab info run.hdf5\n  gravlab info stars.csv --json\n"},
    {"report", Subcommand::report, reportCommand, [](OptionRows&) {}, BodiesFrom::nothing, nullptr,
     "write what a report of a fault needs: this build, this machine, its settings", "  gravlab report > report.txt\n"},
    {"grade", Subcommand::grade, gradeCommand, addGradeOptions, BodiesFrom::nothing, requireGrade,
     "check, time and compare the kernels of a folder, for a course",
     "  gravlab grade homework --csv marks.csv\n  gravlab grade homework -n 64k --seconds 2\n"},
}};

const CommandRow& commandRow(Subcommand command) { return *std::ranges::find(kCommands, command, &CommandRow::command); }

}  // namespace gravlab
