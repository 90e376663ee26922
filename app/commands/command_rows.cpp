// The options of each command. Rule: a bad value is refused here, with a sentence, before anything is made.
#include "app/commands/command_rows.h"

#include "app/bench/figure.h"
#include "app/control/open_file.h"
#include "app/control/parameter.h"
#include "app/control/quantity.h"
#include "app/control/scene_data.h"
#include "app/control/twin_settings.h"
#include "app/film/encoders.h"
#include "app/system/numbered_name.h"
#include "app/system/version.h"
#include "app/tables/occupancy.h"
#include "app/tables/own_kernel.h"
#include "app/tables/text_values.h"
#include "sim/backends/groups.h"
#include "sim/core/names.h"
#include "sim/io/formats/units.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>

namespace gravlab {
namespace {

constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
constexpr std::array<std::string_view, 3> kFormats{"table", "csv", "json"};

template <std::size_t n>
std::size_t indexOf(std::string_view kind, std::string_view name, const std::array<std::string_view, n>& valid) {
    const auto found = std::find(valid.begin(), valid.end(), name);
    if (found == valid.end()) throw UsageError(unknownName(kind, name, {valid.begin(), valid.end()}));
    return static_cast<std::size_t>(found - valid.begin());
}

/// The long name in "-n,--bodies", for messages.
std::string longName(const std::string& names) { return names.substr(names.rfind(',') + 1); }

/// An option with one value; when it is given twice the last one counts. `take` gets the option's name and the text.
void addValue(CLI::App& app, const std::string& names, const std::string& type,
              std::function<void(const std::string&, const std::string&)> take, const std::string& help) {
    app.add_option_function<std::string>(
           names, [take, name = longName(names)](const std::string& text) { take(name, text); }, help)
        ->type_name(type)
        ->take_last();
}

/// Numbers of an option that asks for what a row of the table of parameters holds: its range stands there alone.
int wholeOf(std::string_view path, const std::string& option, const std::string& text) {
    const Bounds& bounds = parameter(path).bounds;
    return static_cast<int>(
        parseInteger(option, text, static_cast<std::int64_t>(bounds.least), static_cast<std::int64_t>(bounds.most)));
}
double realOf(std::string_view path, const std::string& option, const std::string& text) {
    return std::get<double>(optionValue(parameter(path), option, text));
}

/// An option with a list of values, separated by commas or spaces.
void addList(CLI::App& app, const std::string& names, const std::string& type,
             std::function<void(const std::string&, const std::vector<std::string>&)> take, const std::string& help) {
    app.add_option_function<std::vector<std::string>>(
           names,
           [take, name = longName(names)](const std::vector<std::string>& texts) {
               const std::vector<std::string> pieces = splitList(texts);
               if (pieces.empty()) throw UsageError(name + " needs at least one value");
               take(name, pieces);
           },
           help)
        ->type_name(type)
        ->expected(1, 1 << 20);
}

/// Of a flag; in some cases at least, as its row says.
bool isUsuallyOn(const Parameter& row) { return row.usual.starts_with("true") || row.usual.starts_with("(true"); }

/// What help says of a row: what it is, what is allowed where that is short, and the usual value.
std::string helpText(const Parameter& row) {
    std::string text(row.kept.help.empty() ? row.idea : row.kept.help);
    const bool named = row.kind == Kind::choice || row.kind == Kind::names;
    if (named && row.names.empty()) text += ": " + allowedText(row);
    if (std::isfinite(row.bounds.least) && std::isfinite(row.bounds.most) && row.bounds.most <= 100 && row.shown.scale == 1)
        text += ", " + shortestText(row.bounds.least) + " to " + shortestText(row.bounds.most);
    if (row.kind == Kind::flag && row.kept.on.empty()) return text;
    if (row.kind == Kind::flag) return text + " [" + std::string(isUsuallyOn(row) ? row.kept.on : row.kept.off) + "]";
    const bool words = row.usual.starts_with('(');
    return text + " [" + std::string(words ? row.usual.substr(1, row.usual.size() - 2) : row.usual) + "]";
}

std::string placeholder(const Parameter& row) {
    if (!row.kept.placeholder.empty()) return std::string(row.kept.placeholder);
    return row.kind == Kind::integer ? "COUNT" : row.kind == Kind::number ? "NUMBER" : "NAME";
}

/// The option of a parameter. `when` stands before what help says.
void addParameter(CLI::App& app, Options& o, const Parameter& row, const std::string& when = {}) {
    std::string names(row.kept.option);
    if (!row.kept.alias.empty()) names += "," + std::string(row.kept.alias);
    if (row.kind == Kind::flag && row.kept.on.empty()) {
        // Whoever gives a flag wants what is not so anyway.
        const bool given = !isUsuallyOn(row);
        app.add_flag_callback(
            names, [&o, &row, given] { o.settings[row.path] = given; }, when + helpText(row));
        return;
    }
    const auto take = [&o, &row, flag = sharing(row, &Kept::option)](const std::string&, const std::string& text) {
        // To name the file of a kernel at the command line is consent to compile it; nothing else is.
        if (keepQuantity(o, row, row.kept.option, text)) return;
        const bool file = row.path == "run.kernel" && namesKernelFile(text);
        const Value value = file ? Value(text) : optionValue(row, row.kept.option, text);
        if (row.ask) return row.ask(o.simulation, value);
        o.settings[row.path] = value;
        if (flag) o.settings[flag->path] = true;
    };
    if (row.kind == Kind::names)
        addList(
            app, names, placeholder(row),
            [take](const std::string& name, const std::vector<std::string>& texts) {
                std::string joined;
                for (const std::string& text : texts) joined += (joined.empty() ? "" : ",") + text;
                take(name, joined);
            },
            when + helpText(row));
    else
        addValue(app, names, placeholder(row), take, when + helpText(row));
}

/// The options of all rows that have one and for which `wanted` holds.
template <class Wanted>
void addParameters(CLI::App& app, Options& o, Wanted wanted) {
    for (const Parameter& row : parameters()) {
        const bool others = row.kind == Kind::flag && sharing(row, &Kept::option);
        if (row.kept.option.starts_with("--") && !others && wanted(row)) addParameter(app, o, row);
    }
}

void addScene(CLI::App& app, Options& o, const std::string& fallback) {
    app.add_option_function<std::string>(
           "SCENE", [&o](const std::string& text) { o.simulation.scene = text; },
           "starting state, see 'gravlab list scenes' [" + fallback + "]")
        ->type_name("");
    o.simulation.scene = fallback;
}

/// How a file is read, wherever one is.
void addReading(CLI::App& app, Options& o) {
    ReadOptions& r = o.read;
    addValue(
        app, "--columns", "LIST", [&r](auto&, auto& text) { r.columns = text; },
        "columns of a table: x,y,z,vx,vy,vz,m,id,group; '-' skips one [the file's header]");
    addValue(
        app, "--units", "NAME", [&r](auto&, auto& text) { r.units = unitSystem(text).name; },
        "units of the file: nbody, solar, solar-day, cluster, galactic, gadget, si, cgs [the file's own, or G = 1]");
    addValue(
        app, "--G", "VALUE", [&r](auto& name, auto& text) { r.gravity = parsePositive(name, text); },
        "constant of gravity in the file's units");
    addValue(
        app, "--hubble", "NAME", [&r](auto& name, auto& text) { r.ignoreHubble = ignoresHubble(name, text); },
        "HubbleParam of a Gadget file: apply, lengths and masses are in units over h, or ignore it [apply]");
    app.add_flag("--sanitize", r.sanitize, "leave out bodies with bad values instead of refusing the file");
}

void addSceneOrFile(CLI::App& app, Options& o, const std::string& fallback) {
    app.add_option_function<std::string>(
           "SCENE",
           [&o](const std::string& text) {
               o.simulation.scene = text;
               o.given.push_back("SCENE");
           },
           "starting state, see 'gravlab list scenes', or a FILE with bodies [" + fallback + "]")
        ->type_name("");
    o.simulation.scene = fallback;
    addReading(app, o);
}

/// What is computed, whoever does it.
bool isPhysics(const Parameter& row) { return row.ask && !row.kept.scene.empty(); }

/// A number of the scene.
void addSet(CLI::App& app, Options& o) {
    RunRequest& s = o.simulation;
    app.add_option_function<std::vector<std::string>>(
           "--set",
           [&s](const std::vector<std::string>& texts) {
               for (const std::string& text : texts) {
                   const std::size_t equals = text.find('=');
                   if (equals == std::string::npos || equals == 0)
                       throw UsageError("--set '" + text + "' must be NAME=VALUE, such as --set toomre-q=1.5");
                   s.parameters[text.substr(0, equals)] =
                       parseReal("--set " + text.substr(0, equals), text.substr(equals + 1));
               }
           },
           "a number of the scene, see 'gravlab list scenes'; may be given several times")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
}

/// Backend, kernel and physics.
void addRun(CLI::App& app, Options& o) {
    addParameters(app, o, [](const Parameter& row) { return row.ask != nullptr; });
    addSet(app, o);
}

/// A second run of the same start.
void addTwin(CLI::App& app, Options& o, bool picture) {
    std::string others;
    for (const std::string_view key : twinKeys())
        if (key != "integrator" && key != "time_step") others += (others.empty() ? "" : ", ") + std::string(key);
    addValue(
        app, "--twin", "LIST",
        [&o](auto&, auto& text) {
            const TwinView view = o.twin.view;
            o.twin = parseTwin(keepTwinQuantities(o, text));
            o.twin.view = view;
        },
        "run the same start a second time in other settings, such as \"integrator=euler,dt=0.05\"; also " + others);
    if (!picture) return;
    addValue(
        app, "--twin-view", "NAME", [&o](auto&, auto& text) { o.twin.view = twinView(text); },
        "how both share the picture: side or overlay [side]");
}

/// What a picture is like, and how fast it goes on. `window`: with what only a window has a use for.
void addPicture(CLI::App& app, Options& o, bool window) {
    addValue(
        app, "--size", "WxH", [&o](auto& name, auto& text) { std::tie(o.width, o.height) = parseSize(name, text); },
        "pixels [1280x720]");
    addParameters(app, o, [&](const Parameter& row) {
        const bool run = row.ask || row.path.starts_with("scene.") || row.path.starts_with("twin.");
        return !run && (window || !row.kept.window);
    });
    app.add_flag("--path", o.flyPath, "fly along the scene file's camera path; render: --frames is then its length");
}

/// A window, or a film.
void addFrames(CLI::App& app, Options& o) {
    addValue(
        app, "--frames", "COUNT", [&o](auto& name, auto& text) { o.frames = parseInteger(name, text, 1, kAny); },
        "stop after this many frames");
    addValue(
        app, "--ui-scale", "FACTOR",
        [&o](auto& name, auto& text) {
            o.uiScale = std::get<double>(optionValue(parameter("window.text_scale"), name, text));
        },
        "size of the panel's text, 0.5 to 4 [from the display]");
}

/// Of a window that a person or a script drives.
void addWindow(CLI::App& app, Options& o) {
    app.add_flag_callback(
        "--no-config", [] {}, "neither read nor write what the window remembers: $XDG_CONFIG_HOME/gravlab/config.toml");
    addValue(
        app, "--screenshot", "FILE", [&o](auto&, auto& text) { o.screenshot = text; }, "write a PNG of the last frame");
}

void addViewOptions(CLI::App& app, Options& o) {
    addSceneOrFile(app, o, "collision");
    addRun(app, o);
    addTwin(app, o, true);
    addPicture(app, o, true);
    addFrames(app, o);
    addValue(
        app, "--autosave", "SECONDS", [&o](auto& name, auto& text) { o.autosaveSeconds = parseNonNegative(name, text); },
        "save the run that often, to be offered after a crash; 0 is off [60; off with --frames]");
    addValue(
        app, "--rewind-memory", "MB",
        [&o](auto& name, auto& text) { o.rewindMegabytes = parseInteger(name, text, 0, 1 << 24); },
        "for states to go back to; 0 keeps none [256]");
    addWindow(app, o);
    addValue(
        app, "--lesson", "NAME", [&o](auto&, auto& text) { o.lesson = text; },
        "begin a lesson, see 'gravlab list lessons', or a FILE.toml with one, see docs/lessons.md");
}

void addPlayOptions(CLI::App& app, Options& o) {
    app.add_option_function<std::string>(
           "SCRIPT", [&o](const std::string& text) { o.script = text; },
           "file of commands, one a line, see docs/scripts.md; '-' is standard input")
        ->type_name("");
    addSceneOrFile(app, o, "collision");
    addRun(app, o);
    addTwin(app, o, true);
    addPicture(app, o, true);
    addWindow(app, o);
    app.add_flag("--window", o.inWindow, "in a window, at the scene's own pace, instead of off screen");
    addValue(
        app, "--share", "DESCRIPTOR",
        [&o](auto& name, auto& text) { o.shared = static_cast<int>(parseInteger(name, text, 3, 1 << 20)); },
        "inherited memory for the lines 'do share' and 'do take', see docs/python.md [none]");
}

void addRenderOptions(CLI::App& app, Options& o) {
    addSceneOrFile(app, o, "collision");
    addRun(app, o);
    addTwin(app, o, true);
    addPicture(app, o, false);
    addFrames(app, o);
    addValue(
        app, "-o,--output", "FILE", [&o](auto&, auto& text) { o.output = text; },
        "FILE.png, a film FILE.mp4, .mov, .mkv, .webm or .gif (needs ffmpeg), or numbered frames DIR/%05d.png");
    addValue(
        app, "--fps", "RATE", [&o](auto& name, auto& text) { o.fps = realOf("film.frames_per_second", name, text); },
        "frames a second of the film [60; 50 in .gif, which has no more]");
    addValue(
        app, "--encoder", "NAME", [&o](auto&, auto& text) { o.encoder = encoder(text).name; },
        "of the film, see 'gravlab list encoders' [the first that works here and fits the file]");
    addValue(
        app, "--quality", "NUMBER",
        [&o](auto& name, auto& text) {
            o.quality = parseReal(name, text);
            if (!(o.quality >= 0 && o.quality <= 100)) throw UsageError(name + " must be from 0 to 100");
        },
        "of the film: 0 makes small files, 100 large ones [80]");
    app.add_flag("--loop", o.loop,
                 "one whole period of the scene, so that the end goes over into the start: without --frames as long as the "
                 "scene's story takes to watch, with a time step that fits");
    addValue(
        app, "--tile", "PIXELS",
        [&o](auto& name, auto& text) { o.tile = static_cast<int>(parseInteger(name, text, 64, 16384)); },
        "draw the picture in parts of that size [only where it is too large for OpenGL, as large as that allows]");
    app.add_flag("--ui", o.showUi, "draw the panel into the picture");
}

void addRunOptions(CLI::App& app, Options& o) {
    addSceneOrFile(app, o, "collision");
    addRun(app, o);
    addTwin(app, o, false);
    addValue(
        app, "--steps", "COUNT", [&o](auto& name, auto& text) { o.steps = parseInteger(name, text, 0, kAny); },
        "number of steps; 0 writes the start itself");
    addValue(
        app, "--until", "TIME",
        [&o](auto& name, auto& text) { o.until = keepUntil(o, text) ? 0 : parseNonNegative(name, text); },
        "simulated time to reach, instead of --steps: 500Myr, or a number in the run's own [T]");
    addValue(
        app, "--csv", "FILE", [&o](auto&, auto& text) { o.csv = text; },
        "energy and momenta: step,time,kinetic,potential,energy,px,py,pz,lx,ly,lz,relative_change,cx,cy,cz,"
        "virial,r10,r50,r90,closest; with --accuracy also force_error,force_error_allowed, of 99 % of the bodies by the "
        "check of "
        "the first force after the row before; with --twin also twin_energy,rms_separation,max_separation, empty where the "
        "runs have "
        "no "
        "common time; '-' is standard output");
    addValue(
        app, "--every", "STEPS", [&o](auto& name, auto& text) { o.every = parseInteger(name, text, 1, kAny); },
        "a row of --csv every so many steps; the first and the last are always there [1]");
    addValue(
        app, "--final", "FILE", [&o](auto&, auto& text) { o.finalFile = text; },
        "final bodies: .csv, .tab, .tipsy, .hdf5 (which goes on exactly) or .ply; '-' is standard output, as csv");
    addValue(
        app, "--plots", "DIR", [&o](auto&, auto& text) { o.plots = text; },
        "pictures of the paths in xy, in three planes and in space, of the energy error over time, also with its sign, and "
        "of many bodies their "
        "rotation, surface density, dispersions and Toomre Q over the radius at the end, also as csv");
    addValue(
        app, "--snapshot-every", "STEPS",
        [&o](auto& name, auto& text) { o.snapshotEvery = parseInteger(name, text, 1, kAny); },
        "a numbered file every so many steps");
    addValue(
        app, "--snapshots", "PATTERN", [&o](auto&, auto& text) { o.snapshots = text; },
        "names of the numbered files, with the step for %08d [snapshot_%08d.hdf5]");
    addValue(
        app, "--checkpoint", "FILE", [&o](auto&, auto& text) { o.checkpoint = text; },
        "hdf5 file that an autosave, an interrupt or a blow-up leaves to go on from [in ~/.local/state/gravlab]");
    addValue(
        app, "--autosave", "SECONDS", [&o](auto& name, auto& text) { o.autosaveSeconds = parseNonNegative(name, text); },
        "save a checkpoint that often; 0 is off [0]");
}

/// The option of a parameter that bench and its figures also take as a list: one value is asked for as everywhere.
template <class Number>
void addValues(CLI::App& app, Options& o, std::string_view option, std::vector<Number>& to) {
    const Parameter& row =
        *std::ranges::find_if(parameters(), [option](const Parameter& one) { return one.ask && one.kept.option == option; });
    addList(
        app, std::string(row.kept.option), "LIST",
        [&o, &row, &to](auto&, auto& texts) {
            for (const std::string& text : texts) {
                const Value value = optionValue(row, row.kept.option, text);
                if (texts.size() == 1) row.ask(o.simulation, value);
                if (const std::optional<double> number = numberOf(value)) to.push_back(static_cast<Number>(*number));
            }
        },
        helpText(row) + "; a list in a figure over it");
}

void addBenchOptions(CLI::App& app, Options& o) {
    addScene(app, o, "plummer");
    addList(
        app, "-n,--bodies", "LIST",
        [&o](auto& name, auto& texts) {
            for (auto& text : texts) o.benchBodies.push_back(parseBodies(name, text));
        },
        "numbers of bodies, separated by commas or spaces");
    constexpr std::string_view kListed[] = {"--bodies",  "--kernel",   "--block", "--unroll",   "--split",
                                            "--threads", "--accuracy", "--dt",    "--softening"};
    addParameters(app, o, [&](const Parameter& row) {
        return row.ask && std::find(std::begin(kListed), std::end(kListed), row.kept.option) == std::end(kListed);
    });
    addSet(app, o);
    addList(
        app, "--kernel", "LIST", [&o](auto&, auto& texts) { o.benchKernels = texts; },
        "kernels; 'all' is every one of the backend [auto]");
    addList(
        app, "--block", "LIST",
        [&o](auto& name, auto& texts) {
            for (auto& text : texts) o.benchBlocks.push_back(static_cast<int>(parseInteger(name, text, 1, 1 << 30)));
        },
        "block sizes, where the kernel has them");
    addList(
        app, "--unroll", "LIST",
        [&o](auto& name, auto& texts) {
            for (auto& text : texts)
                o.benchUnrolls.push_back(
                    text == unrollText(kAutoUnroll) ? kAutoUnroll : static_cast<int>(parseInteger(name, text, 1, 1 << 30)));
        },
        "unroll factors, where the kernel has them; auto is the compiler's choice");
    addList(
        app, "--split", "LIST",
        [&o](auto& name, auto& texts) {
            for (auto& text : texts) o.benchSplits.push_back(static_cast<int>(parseInteger(name, text, 1, 1 << 30)));
        },
        "parts of the sources, where the kernel has them");
    addValues(app, o, "--threads", o.benchThreads);
    addValues(app, o, "--accuracy", o.benchAccuracies);
    addValues(app, o, "--dt", o.benchTimeSteps);
    addValues(app, o, "--softening", o.benchSoftenings);
    addValue(
        app, "--steps", "COUNT", [&o](auto& name, auto& text) { o.steps = parseInteger(name, text, 1, kAny); },
        "steps of one repetition [as many as fit a quarter of a second]");
    addValue(
        app, "--until", "TIME", [&o](auto& name, auto& text) { o.until = parsePositive(name, text); },
        "with --figure energy-dt or energy-softening: simulated time of each run [1]");
    app.add_flag("--spread-masses", o.benchSpreadMasses,
                 "give every body a mass of its own, 0.5 to 1.5 times the scene's: the hardest case for a kernel");
    addValue(
        app, "--repeats", "COUNT",
        [&o](auto& name, auto& text) { o.benchRepeats = static_cast<int>(parseInteger(name, text, 1, 1000)); },
        "repetitions, of which the median counts [5]");
    addValue(
        app, "--format", "NAME",
        [&o](auto&, auto& text) {
            indexOf("format", text, kFormats);
            o.benchFormat = text;
        },
        "table, csv or json [table]");
    addValue(
        app, "--frames", "COUNT", [&o](auto& name, auto& text) { o.frames = parseInteger(name, text, 40, kAny); },
        "time that many whole frames off screen instead: steps, picture and, with --ui, panels");
    addList(
        app, "--size", "LIST",
        [&o](auto& name, auto& texts) {
            for (auto& text : texts) o.benchSizes.push_back(parseSize(name, text));
            std::tie(o.width, o.height) = o.benchSizes.front();
        },
        "with --frames: pixels, WxH; several with --stages [1280x720]");
    app.add_flag("--stages", o.benchStages,
                 "with --frames: time on the GPU of each stage of drawing, both ways, while nothing steps");
    for (const char* path : {"look.splat", "run.steps_per_frame", "run.time_budget"})
        addParameter(app, o, parameter(path), "with --frames: ");
    addValue(
        app, "--fps", "RATE", [&o](auto& name, auto& text) { o.fps = realOf("film.frames_per_second", name, text); },
        "with --frames: wait for each as for a display of that rate [not at all]");
    app.add_flag("--ui", o.showUi, "with --frames: draw the panels too");
    std::string figureNames;
    for (const FigureRow& row : figures()) figureNames += (figureNames.empty() ? "" : ", ") + std::string(row.name);
    addValue(
        app, "--figure", "NAME", [&o](auto&, auto& text) { o.benchFigure = figure(text).name; },
        "measure and draw a study into -o FILE.png or FILE.csv: " + figureNames);
    addValue(
        app, "--csv", "FILE", [&o](auto&, auto& text) { o.csv = text; },
        "with --figure and -o FILE.png: its numbers, too, of the same measurement");
    addValue(
        app, "--beside", "WHAT",
        [&o](auto&, auto& text) {
            if (text != "papers") throw UsageError(unknownName("thing to draw beside", text, {"papers"}));
            o.besidePapers = true;
        },
        "with --figure unroll, block, split, bodies, cpu-gpu or ladder and -o FILE.png: 'papers', what papers 000, 002 and "
        "003 "
        "measured, with unfilled marks, also as shares of what each device can issue");
    addValue(
        app, "--card", "FILE", [&o](auto&, auto& text) { o.benchCard = text; },
        "measure this device and write its card: FILE.png to post, or FILE.txt");
    addValue(
        app, "-o,--output", "FILE", [&o](auto&, auto& text) { o.output = text; }, "write there instead of standard output");
}

void addTuneOptions(CLI::App& app, Options& o) {
    addList(
        app, "-n,--bodies", "LIST",
        [&o](auto& name, auto& texts) {
            for (auto& text : texts) o.benchBodies.push_back(parseBodies(name, text));
        },
        "numbers of bodies [CUDA: 1k,4k,16k,64k,256k; CPU: 1k,4k,16k]");
    for (const char* path : {"run.backend", "run.device", "run.threads", "run.precision"})
        addParameter(app, o, parameter(path));
    addList(
        app, "--kernel", "LIST", [&o](auto&, auto& texts) { o.benchKernels = texts; }, "only these kernels [all]");
    addValue(
        app, "--term-kernel", "TERM=ROW", [&o](auto&, auto& text) { o.simulation.terms = parsedTermRequests(text); },
        "instead, the kernels of a force term beside the pair law; TERM=all for every one");
    addValue(
        app, "--scene", "SCENE", [&o](auto&, auto& text) { o.simulation.scene = sceneNamed(text).name; },
        "with --term-kernel: the scene whose bodies and term are computed");
}

void addListOptions(CLI::App& app, Options& o) {
    app.add_option_function<std::string>(
           "WHAT",
           [&o](const std::string& text) {
               requireList(text);
               o.listWhat = text;
           },
           listNames())
        ->type_name("");
    app.add_flag("--json", o.json, "as JSON");
    app.add_flag_callback(
        "--markdown", [] {}, "as a Markdown table");
}

void addCheckOptions(CLI::App& app, Options& o) {
    app.add_flag("--physics", o.checkPhysics,
                 "instead of the kernels: known systems against their known answers, with tolerances");
    app.add_flag(
        "--lessons", o.checkLessons,
        "instead of the kernels: play every lesson with its own answers, off screen, and name each step that is not "
        "reached");
    addValue(
        app, "--lesson", "NAME", [&o](auto&, auto& text) { o.lesson = text; },
        "play only that one; a FILE.toml is a lesson of one's own");
    for (const char* path : {"run.device", "run.threads", "run.simd"}) addParameter(app, o, parameter(path));
    addValue(
        app, "--tolerance", "ERROR", [&o](auto& name, auto& text) { o.tolerance = parsePositive(name, text); },
        "relative error allowed, instead of the usual limits");
}

void addFingerprintOptions(CLI::App& app, Options& o) {
    addSceneOrFile(app, o, "plummer");
    addParameters(app, o, [](const Parameter& row) { return isPhysics(row) && row.path != "run.precision"; });
    addSet(app, o);
    addValue(
        app, "--steps", "COUNT", [&o](auto& name, auto& text) { o.steps = parseInteger(name, text, 0, 1000000); },
        "steps before the hash [16]");
    app.add_flag("--json", o.json, "as JSON");
    app.add_flag("--all", o.printsAllRows,
                 "instead of a scene: run every kernel, law, precision and integrator of a backend on built-in bodies, and "
                 "write hashes, launches and memory as CSV, to compare two builds on one machine");
    for (const char* path : {"run.backend", "run.device", "run.threads", "run.simd"})
        addParameter(app, o, parameter(path), "with --all: ");
    addList(
        app, "--kernel", "LIST", [&o](auto&, auto& texts) { o.benchKernels = texts; }, "with --all: only these kernels");
    addList(
        app, "--sizes", "LIST",
        [&o](auto& name, auto& texts) {
            for (auto& text : texts) o.benchBodies.push_back(parseBodies(name, text));
        },
        "with --all: numbers of bodies [1 to 16384]");
}

void addMatrixOptions(CLI::App& app, Options& o) {
    addSceneOrFile(app, o, "plummer");
    addParameters(app, o, [](const Parameter& row) { return isPhysics(row) && row.path != "run.precision"; });
    addSet(app, o);
    addValue(
        app, "--value", "NAME", [&o](auto&, auto& text) { o.pairValue = pairValue(text); },
        "force, potential, component (of the force on row i, along x, with its sign) or distance [force]");
    addValue(
        app, "-o,--output", "FILE", [&o](auto&, auto& text) { o.output = text; },
        "FILE.csv, or FILE.npy for NumPy: a row a body, for up to 4,096 bodies");
}

void addLessonOptions(CLI::App& app, Options& o) {
    app.add_option_function<std::string>(
           "NAME", [&o](const std::string& text) { o.lesson = text; },
           "lesson, see 'gravlab list lessons', or a FILE.toml with one")
        ->type_name("");
    addValue(
        app, "--worksheet", "FILE", [&o](auto&, auto& text) { o.worksheet = text; },
        "write it to print: FILE.html or FILE.md; '-' is standard output, as Markdown [-]");
    app.add_flag("--answers", o.answers, "with explanations and answers, for the teacher");
}

void addOccupancyOptions(CLI::App& app, Options& o) {
    OccupancyAsk& ask = o.occupancy;
    std::string names;
    for (const GpuRow& row : gpus()) names += (names.empty() ? "" : ", ") + std::string(row.name);
    app.add_option_function<std::string>(
           "GPU", [&ask](const std::string& text) { ask.gpu = gpu(text).name; }, names + " [h200]")
        ->type_name("");
    addList(
        app, "-n,--bodies", "LIST",
        [&o](auto& name, auto& texts) {
            for (auto& text : texts) o.benchBodies.push_back(parseBodies(name, text));
        },
        "numbers of bodies [65536]");
    addList(
        app, "--block", "LIST",
        [&o](auto& name, auto& texts) {
            for (auto& text : texts) o.benchBlocks.push_back(wholeOf("calculator.block", name, text));
        },
        "block sizes [32,64,128,256,512,1024]");
    const auto number = [&app](const char* option, auto& to, std::string_view path, const char* help) {
        addValue(
            app, option, "COUNT", [&to, path](auto& name, auto& text) { to = wholeOf(path, name, text); }, help);
    };
    number("--registers", ask.registers, "calculator.registers", "registers a thread [64]");
    number("--shared", ask.shared, "calculator.shared", "bytes of shared memory a block [16 a thread, a tile of bodies]");
    number("--bodies-per-thread", ask.bodiesPerThread, "calculator.bodies_per_thread", "bodies a thread [1]");
    number("--split", ask.split, "calculator.split", "parts of the sources [1]");
    number("--multiprocessors", ask.multiprocessors, "calculator.multiprocessors",
           "of another GPU, instead of those of the one named");
    number("--warps", ask.warps, "calculator.warps", "resident on a multiprocessor at most, likewise");
    number("--resident-blocks", ask.blocks, "calculator.resident_blocks", "on a multiprocessor at most, likewise");
    number("--register-file", ask.registerFile, "calculator.register_file", "registers of a multiprocessor, likewise");
    number("--shared-memory", ask.sharedMemory, "calculator.shared_memory", "bytes of a multiprocessor, likewise");
    app.add_flag("--json", o.json, "as JSON");
}

void addGroupsOptions(CLI::App& app, Options& o) {
    GroupsAsk& ask = o.groups;
    addSceneOrFile(app, o, "plummer");
    for (const char* path : {"run.bodies", "run.seed", "run.scene_version", "run.backend", "run.device", "run.threads"})
        addParameter(app, o, parameter(path));
    addSet(app, o);
    addValue(
        app, "--linking", "NUMBER",
        [&ask](auto& name, auto& text) { ask.linking.mean = realOf("groups.linking", name, text); },
        "friends are at most so far apart, in mean distances (V/N)^(1/3) of the box that holds all bodies [0.2]");
    addValue(
        app, "--linking-length", "LENGTH",
        [&ask](auto& name, auto& text) { ask.linking.length = parsePositive(name, text); },
        "the same as a length, in the file's unit, instead of --linking");
    addValue(
        app, "--least", "COUNT",
        [&ask](auto& name, auto& text) { ask.least = static_cast<std::size_t>(parseInteger(name, text, 1, kMaxBodies)); },
        "bodies of a group at least; in smaller ones they have the group -1 [10]");
    std::string rungs;
    for (const GroupRung& rung : groupRungs())
        rungs += (rungs.empty() ? "" : ", ") + std::string(rung.backend) + " " + std::string(rung.name);
    addValue(
        app, "--kernel", "NAME", [&ask](auto&, auto& text) { ask.rung = groupRungNamed(text).name; },
        "how groups are found, see docs/groups.md: " + rungs + " [the last of the backend]");
    addValue(
        app, "--rows", "COUNT",
        [&ask](auto& name, auto& text) { ask.rows = static_cast<std::size_t>(parseInteger(name, text, 0, kMaxBodies)); },
        "of the printed table, the largest groups [12]");
    addValue(
        app, "-o,--output", "FILE", [&o](auto&, auto& text) { o.output = text; },
        "a row a body: id,group, where a group has the id of its first body; '-' is standard output");
    app.add_flag("--json", o.json, "as JSON, with all groups");
}

void addConvertOptions(CLI::App& app, Options& o) {
    app.add_option_function<std::string>(
           "IN", [&o](const std::string& text) { o.file = text; },
           "file of any format that can be read; '-' is standard input, a table")
        ->type_name("");
    app.add_option_function<std::string>(
           "OUT", [&o](const std::string& text) { o.output = text; },
           "file to write: .csv, .tab, .tipsy, .hdf5 or .ply; '-' is standard output, as csv")
        ->type_name("");
    addReading(app, o);
}

void addInfoOptions(CLI::App& app, Options& o) {
    app.add_option_function<std::string>(
           "FILE", [&o](const std::string& text) { o.file = text; },
           "file of any format that can be read; '-' is standard input, a table")
        ->type_name("");
    addReading(app, o);
    app.add_flag("--json", o.json, "as JSON");
}

}  // namespace

const std::array<CommandRow, kCommandCount> kCommands{{
    {"view", Subcommand::view, true, "open the window (the default command)", addViewOptions,
     "  gravlab                              the default scene, at a size that suits this machine\n"
     "  gravlab disc -n 64k --block 256      a disc of 65,536 bodies, 256 threads a block\n"
     "  gravlab picture.png                  the scene of a picture again; a scene file (.toml) likewise\n"
     "  gravlab plummer --backend cpu        the same window, computed on the CPU\n"
     "  gravlab two-body --twin integrator=euler     two runs of one start, side by side\n"
     "  gravlab run.hdf5                     goes on from a file\n"
     "  gravlab stars.csv --units cluster    bodies from a table in pc, km/s and solar masses\n"},
    {"render", Subcommand::render, false, "draw a picture or a film without a window", addRenderOptions,
     "  gravlab render collision -o film.mp4 --frames 600 --steps-per-frame 2\n"
     "  gravlab render disc -o disc.png --frames 200 --size 1920x1080 --ui\n"
     "  gravlab render cube -o frames/%05d.png --frames 120\n"
     "  gravlab render my.toml --path -o flight.webm --encoder vp9 --quality 90\n"
     "  gravlab render galaxy -o poster.png --frames 300 --size 7680x4320\n"
     "  gravlab render two-body -o twins.mp4 --frames 600 --trails 200 --twin integrator=euler --ui\n"},
    {"play", Subcommand::play, false, "do what a script says, line by line, and answer each line in JSON", addPlayOptions,
     "  gravlab play lesson.txt two-body\n"
     "  gravlab play lesson.txt --window\n"
     "  echo 'get run.step' | gravlab play - two-body\n"},
    {"run", Subcommand::run, false, "integrate without graphics, write energies and bodies", addRunOptions,
     "  gravlab run figure-eight --dt 0.001 --until 6.3 --csv energy.csv --every 10\n"
     "  gravlab run plummer -n 4096 --steps 1000 --final bodies.csv\n"
     "  gravlab run six-body --steps 0 --final -\n"
     "  gravlab run disc --until 50 --snapshot-every 100 --final end.hdf5\n"
     "  gravlab run end.hdf5 --until 100 --final later.hdf5\n"
     "  gravlab run two-body --until 20 --twin integrator=euler --csv apart.csv --plots pictures\n"},
    {"bench", Subcommand::bench, false, "check, then time force kernels", addBenchOptions,
     "  gravlab bench --backend cuda -n 1k,64k,1M --block 128,256 --unroll 8,16\n"
     "  gravlab bench --backend cpu --kernel all -n 16384 --format json -o cpu.json\n"
     "  gravlab bench --figure unroll -o unroll.png --csv unroll.csv\n"
     "  gravlab bench --figure threads --threads 1,2,4 -o threads.png\n"
     "  gravlab bench two-body --figure energy-dt --until 6 -o energy.png\n"
     "  gravlab bench --card card.png\n"
     "  gravlab bench collision --frames 600 -n 64k --size 1920x1080 --ui\n"
     "  gravlab bench collision --frames 200 --stages -n 64k,1M --size 1920x1080\n"},
    {"lesson", Subcommand::lesson, false, "print a lesson: a worksheet for students, or with the answers", addLessonOptions,
     "  gravlab lesson leapfrog --worksheet leapfrog.html\n"
     "  gravlab lesson leapfrog --worksheet answers.md --answers\n"
     "  gravlab --lesson leapfrog            goes through it in the window\n"},
    {"occupancy", Subcommand::occupancy, false,
     "what a launch finds on a GPU, which need not be here: waves, tail, occupancy", addOccupancyOptions,
     "  gravlab occupancy t4 -n 4k,64k --block 64,128,256\n"
     "  gravlab occupancy a100 --registers 40\n"
     "  gravlab occupancy rtx-4090 --multiprocessors 76\n"},
    {"tune", Subcommand::tune, false, "find the fastest kernel and launch for this device, for --kernel auto",
     addTuneOptions, "  gravlab tune\n  gravlab tune -n 16k,64k --kernel tiled,tiled-split\n"},
    {"list", Subcommand::list, false, "what this build and machine have", addListOptions,
     "  gravlab list scenes\n  gravlab list kernels --json\n"},
    {"check", Subcommand::check, false, "verify every backend and kernel on this machine", addCheckOptions,
     "  gravlab check\n  gravlab check --physics\n  gravlab check --lessons\n"},
    {"convert", Subcommand::convert, false, "read bodies in one format, write them in another", addConvertOptions,
     "  gravlab convert galaxy.tipsy galaxy.hdf5\n"
     "  gravlab convert stars.csv stars.tab --columns m,x,y,z,vx,vy,vz --units cluster\n"
     "  grep -v '^#' table.txt | gravlab convert - bodies.hdf5\n"},
    {"fingerprint", Subcommand::fingerprint, false,
     "hash what a scene starts from and what the reference backend makes of it", addFingerprintOptions,
     "  gravlab fingerprint plummer -n 1024 --steps 16 --seed 1\n"
     "  gravlab fingerprint --all --backend cuda > before.csv\n"},
    {"groups", Subcommand::groups, false, "find groups of bodies, friends of friends, in a scene or a file",
     addGroupsOptions,
     "  gravlab groups galaxy -n 64k --linking 0.2\n"
     "  gravlab groups stars.csv --units cluster --linking-length 0.05 --least 20 -o groups.csv\n"
     "  gravlab groups plummer -n 1M --backend cuda --kernel bfs-device\n"},
    {"matrix", Subcommand::matrix, false, "write what every body has with every other: force, potential or distance",
     addMatrixOptions,
     "  gravlab matrix plummer -n 256 -o force.csv\n  gravlab matrix disc -n 4096 --value component -o fx.npy\n"},
    {"info", Subcommand::info, false, "say what is in a file", addInfoOptions,
     "  gravlab info run.hdf5\n  gravlab info stars.csv --json\n"},
    {"report", Subcommand::report, false, "write what a report of a fault needs: this build, this machine, its settings",
     [](CLI::App&, Options&) {}, "  gravlab report > report.txt\n"},
}};

}  // namespace gravlab
