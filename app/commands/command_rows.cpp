// The options of each command. Rule: a bad value is refused here, with a sentence, before anything is made.
#include "app/commands/command_rows.h"

#include "app/control/open_file.h"
#include "app/control/option_values.h"
#include "app/encoders.h"
#include "app/lab/figure.h"
#include "app/model/lab_panel.h"
#include "app/model/look.h"
#include "app/numbered_name.h"
#include "app/version.h"
#include "sim/core/names.h"
#include "sim/core/validation.h"
#include "sim/forces/law.h"
#include "sim/forces/law_numbers.h"
#include "sim/forces/precision.h"
#include "sim/io/formats/units.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <limits>

namespace gravlab {
namespace {

constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
constexpr std::array<std::string_view, 3> kFormats{"table", "csv", "json"};
constexpr std::array<std::string_view, 11> kLists{"devices", "backends", "kernels",  "scenes",  "laws",      "integrators",
                                                  "keys",    "encoders", "commands", "actions", "parameters"};

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
    app.add_flag("--sanitize", r.sanitize, "leave out bodies with bad values instead of refusing the file");
}

/// "auto" leaves it to the machine.
std::optional<std::string> nameUnlessAuto(const std::string& text) {
    return text == "auto" ? std::nullopt : std::optional(text);
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

void addBodies(CLI::App& app, Options& o) {
    addValue(
        app, "-n,--bodies", "N", [&o](auto& name, auto& text) { o.simulation.bodies = parseBodies(name, text); },
        "number of bodies: 65536, 64k, 1M [the scene's own]");
}

/// Backend and kernel: whatever a command does with them.
void addMachine(CLI::App& app, Options& o) {
    RunRequest& s = o.simulation;
    addValue(
        app, "--backend", "NAME", [&s](auto&, auto& text) { s.backend = nameUnlessAuto(text); },
        "reference, cpu, cuda, or auto for the best that works here [auto]");
    addValue(
        app, "--device", "INDEX",
        [&s](auto& name, auto& text) { s.backendOptions.device = static_cast<int>(parseWhole("run.device", name, text)); },
        "CUDA device, see 'gravlab list devices' [0]");
    addValue(
        app, "--threads", "COUNT",
        [&s](auto& name, auto& text) { s.backendOptions.threads = static_cast<int>(parseWhole("run.threads", name, text)); },
        "CPU threads [all]");
    addValue(
        app, "--simd", "NAME", [&s](auto&, auto& text) { s.backendOptions.simd = text; },
        "CPU instruction set [the best here]");
    addValue(
        app, "--precision", "NAME", [&s](auto&, auto& text) { s.precision = precision(text).precision; },
        precisionNames() + ", where the backend has it [fp64 up to 256 bodies on the CPU, else fp32]");
    addValue(
        app, "--bodies-per-thread", "COUNT",
        [&s](auto& name, auto& text) {
            s.kernel.launch.bodiesPerThread = static_cast<int>(parseWhole("run.bodies_per_thread", name, text));
        },
        "targets held in registers, where the kernel has it [1]");
    addValue(
        app, "--split", "COUNT",
        [&s](auto& name, auto& text) { s.kernel.launch.split = static_cast<int>(parseWhole("run.split", name, text)); },
        "parts of the sources summed apart, where the kernel has it [1]");
}

/// What is computed, whoever does it.
void addPhysics(CLI::App& app, Options& o) {
    RunRequest& s = o.simulation;
    addValue(
        app, "--law", "NAME", [&s](auto&, auto& text) { s.law = law(text).law; },
        "pair law: gravity, coulomb, power-law or lennard-jones, see 'gravlab list laws' [the scene's own]");
    for (const LawNumber& number : lawNumbers())
        addValue(
            app, number.option, "NUMBER",
            [&s, &number](auto& name, auto& text) { requireLawNumber(number, *(s.*number.asked = parseReal(name, text))); },
            std::string(number.help) + ", " + rangeText(number) + " [the scene's own]");
    addValue(
        app, "--softening", "LENGTH",
        [&s](auto& name, auto& text) { s.softening = parseNumber("run.softening", name, text); },
        "Plummer softening length, 0 allowed [the scene's own]");
    addValue(
        app, "--integrator", "NAME", [&s](auto&, auto& text) { s.integrator = text; },
        "see 'gravlab list integrators' [" + std::string(integrators().front().name) + "]");
    addValue(
        app, "--dt", "TIME", [&s](auto& name, auto& text) { requireTimeStep(*(s.timeStep = parseReal(name, text))); },
        "time step, negative to run backwards [the scene's own]");
    addValue(
        app, "--seed", "NUMBER", [&s](auto& name, auto& text) { s.seed = parseSeed(name, text); },
        "same seed, same bodies [1]");
    addValue(
        app, "--scene-version", "NUMBER",
        [&s](auto& name, auto& text) { s.sceneVersion = static_cast<int>(parseWhole("run.scene_version", name, text)); },
        "version of the scene's start, where it has several [the newest]");
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

/// A second run of the same start.
void addTwin(CLI::App& app, Options& o, bool picture) {
    addValue(
        app, "--twin", "LIST",
        [&o](auto&, auto& text) {
            const TwinView view = o.twin.view;
            o.twin = parseTwin(text);
            o.twin.view = view;
        },
        "run the same start a second time in other settings, such as \"integrator=euler,dt=0.05\"; also precision, "
        "softening, law, exponent, strength, diameter, cut_off, backend, "
        "kernel, threads");
    if (!picture) return;
    addValue(
        app, "--twin-view", "NAME", [&o](auto&, auto& text) { o.twin.view = twinView(text); },
        "how both share the picture: side or overlay [side]");
}

/// One kernel with one launch; a benchmark takes lists instead.
void addKernel(CLI::App& app, Options& o) {
    KernelRequest& k = o.simulation.kernel;
    addValue(
        app, "--kernel", "NAME", [&k](auto&, auto& text) { k.kernel = nameUnlessAuto(text); },
        "force kernel, see 'gravlab list kernels' [auto]");
    addValue(
        app, "--block", "THREADS",
        [&k](auto& name, auto& text) { k.launch.block = static_cast<int>(parseWhole("run.block", name, text)); },
        "threads a block, where the kernel has it");
    addValue(
        app, "--unroll", "FACTOR",
        [&k](auto& name, auto& text) { k.launch.unroll = static_cast<int>(parseWhole("run.unroll", name, text)); },
        "unroll factor, where the kernel has it");
}

void addSurface(CLI::App& app, Options& o) {
    addValue(
        app, "--size", "WxH", [&o](auto& name, auto& text) { std::tie(o.width, o.height) = parseSize(name, text); },
        "pixels [1280x720]");
    addValue(
        app, "--steps-per-frame", "COUNT",
        [&o](auto& name, auto& text) { o.stepsPerFrame = static_cast<int>(parseWhole("run.steps_per_frame", name, text)); },
        "steps of the simulation a frame [1]");
}

void addPicture(CLI::App& app, Options& o) {
    addSurface(app, o);
    addValue(
        app, "--frames", "COUNT", [&o](auto& name, auto& text) { o.frames = parseInteger(name, text, 1, kAny); },
        "stop after this many frames");
    addValue(
        app, "--views", "COUNT",
        [&o](auto& name, auto& text) {
            o.views = static_cast<int>(parseInteger(name, text, 1, 4));
            if (o.views != 1 && o.views != 4) throw UsageError(name + " must be 1 or 4");
        },
        "1, or 4: the planes xy, xz and yz and space at once, with paths, axes and starts [1]");
    addValue(
        app, "--lab", "PAGE",
        [&o](auto&, auto& text) {
            labPage(text);
            o.lab = text;
        },
        "open the lab: launch, sweep or matrix");
    addValue(
        app, "--ui-scale", "FACTOR",
        [&o](auto& name, auto& text) { o.uiScale = parseNumber("window.text_scale", name, text); },
        "size of the panel's text, 0.5 to 4 [from the display]");
}

void addLook(CLI::App& app, Options& o) {
    LookOptions& l = o.look;
    const auto name = [&](const std::string& option, std::string& to, void (*known)(const std::string&),
                          const std::string& help) {
        addValue(
            app, option, "NAME",
            [&to, known](auto&, auto& text) {
                known(text);
                to = text;
            },
            help);
    };
    const auto number = [&](const std::string& option, std::optional<double>& to, std::string_view path,
                            const std::string& help) {
        addValue(
            app, option, "NUMBER", [&to, path](auto& what, auto& text) { to = parseNumber(path, what, text); }, help);
    };
    name("--colour,--color", l.colourMode, requireColourMode,
         "what colours say: speed, acceleration, energy, mass, origin, density, stars, plain or photograph [the scene's "
         "own]");
    name("--map", l.colourMap, requireColourMap, "colour map: glow, starlight, ember, lagoon or plain [glow]");
    name("--tone", l.tone, requireTone, "curve from light to screen: plate, aces, agx, slide or auto [auto]");
    number("--exposure", l.exposure, "look.exposure", "brightness of the picture [1]");
    app.add_flag("--auto-exposure", l.autoExposure, "let brightness follow the picture");
    number("--glow", l.glow, "look.glow", "part of the light that spreads around bright places, 0 to 1 [0.3]");
    number("--body-size", l.bodySize, "look.body_size",
           "radius of a body as drawn, in the scene's length [the scene's own]");
    number("--top-speed", l.topSpeed, "look.top_speed", "speed at the end of the colour map [the scene's own]");
    number("--dust", l.dust, "look.dust", "what the dust of discs takes away in photographs, 0 is none [1]");
    number("--gas", l.gas, "look.gas", "light of gas around young stars in photographs, 0 is none [1]");
    number("--sky", l.sky, "look.sky", "light of stars and galaxies behind photographs, 0 is none [1]");
    number("--dark-matter", l.darkLight, "look.dark_matter", "brightness of bodies of dark haloes, 0 hides them [0.03]");
    addValue(
        app, "--trails", "POINTS",
        [&l](auto& what, auto& text) { l.trails = static_cast<int>(parseWhole("look.trails", what, text)); },
        "length of the line behind each body, a point a frame; 0 is none [0; scenes of up to 100 bodies in a window: 400]");
    number("--distance", l.distance, "camera.distance",
           "of the camera from the centre, in the scene's length [the scene's own]");
    addValue(
        app, "--azimuth", "DEGREES", [&l](auto& what, auto& text) { l.azimuth = parseNumber("camera.azimuth", what, text); },
        "of the camera, seen from above [the scene's own]");
    addValue(
        app, "--elevation", "DEGREES",
        [&l](auto& what, auto& text) { l.elevation = parseNumber("camera.elevation", what, text); },
        "of the camera above the plane, -88 to 88 [the scene's own]");
    addValue(
        app, "--rotate", "DEGREES",
        [&l](auto& what, auto& text) { l.rotation = parseNumber("camera.rotation", what, text); },
        "turn the camera so far every second [0]");
    addValue(
        app, "--select", "ID",
        [&l](auto& what, auto& text) {
            l.select = static_cast<std::uint32_t>(parseInteger(what, text, 0, std::numeric_limits<std::uint32_t>::max()));
        },
        "select this body: a ring about it, and its facts with the panels");
    addValue(
        app, "--ahead", "TIME", [&l](auto& what, auto& text) { l.ahead = text == "auto" ? 0 : parsePositive(what, text); },
        "draw the selected body's path so far ahead; auto is about a turn and a half");
    addValue(
        app, "--follow", "WHAT",
        [&l](auto& what, auto& text) {
            if (text != "body" && text != "centre") parseInteger(what, text, 1, 64);
            l.follow = text;
        },
        "keep in the middle: body (of --select), centre (of mass), or a galaxy by its number from 1");
    app.add_flag("--orthographic", l.orthographic, "no perspective");
    app.add_flag("--path", o.flyPath, "fly along the scene file's camera path; render: --frames is then its length");
    name("--splat", l.splat, requireSplat,
         "how bodies are drawn: raster, compute, or auto for the faster one as measured here [auto; render: raster]");
    app.add_flag("--paper", l.paper, "dark bodies on white, for print and projectors");
    addList(
        app, "--overlay", "LIST", [&l](auto&, auto& texts) { l.overlay = parseOverlay(texts); },
        "legend, scale, clock, axes, grid; all or none [view: scale,clock; render: none]");
}

void addViewOptions(CLI::App& app, Options& o) {
    addSceneOrFile(app, o, "collision");
    addBodies(app, o);
    addMachine(app, o);
    addPhysics(app, o);
    addKernel(app, o);
    addTwin(app, o, true);
    addPicture(app, o);
    addLook(app, o);
    addValue(
        app, "--time-budget", "MS",
        [&o](auto& name, auto& text) { o.timeBudgetMs = parseNumber("run.time_budget", name, text); },
        "simulation time a frame that keeps the window answering [10; on a GPU 33]");
    app.add_flag("--full-quality", o.fullQuality, "keep the full look where 30 frames/s cannot be held with it");
    app.add_flag("--fullscreen", o.fullscreen, "cover the whole screen");
    app.add_flag_callback(
        "--no-ui", [&o] { o.showUi = false; }, "start with the panel hidden");
    app.add_flag_callback(
        "--no-vsync", [&o] { o.vsync = false; }, "do not wait for the display");
    addValue(
        app, "--autosave", "SECONDS", [&o](auto& name, auto& text) { o.autosaveSeconds = parseNonNegative(name, text); },
        "save the run that often, to be offered after a crash; 0 is off [60; off with --frames]");
    addValue(
        app, "--rewind-memory", "MB",
        [&o](auto& name, auto& text) { o.rewindMegabytes = parseInteger(name, text, 0, 1 << 24); },
        "for states to go back to; 0 keeps none [256]");
    app.add_flag_callback(
        "--no-config", [] {}, "neither read nor write what the window remembers: $XDG_CONFIG_HOME/gravlab/config.toml");
    addValue(
        app, "--screenshot", "FILE", [&o](auto&, auto& text) { o.screenshot = text; }, "write a PNG of the last frame");
}

void addPlayOptions(CLI::App& app, Options& o) {
    app.add_option_function<std::string>(
           "SCRIPT", [&o](const std::string& text) { o.script = text; },
           "file of commands, one a line, see docs/scripts.md; '-' is standard input")
        ->type_name("");
    addSceneOrFile(app, o, "collision");
    addBodies(app, o);
    addMachine(app, o);
    addPhysics(app, o);
    addKernel(app, o);
    addTwin(app, o, true);
    addSurface(app, o);
    addLook(app, o);
    app.add_flag("--window", o.inWindow, "in a window, in real time, instead of off screen");
}

void addRenderOptions(CLI::App& app, Options& o) {
    o.showUi = false;
    addSceneOrFile(app, o, "collision");
    addBodies(app, o);
    addMachine(app, o);
    addPhysics(app, o);
    addKernel(app, o);
    addTwin(app, o, true);
    addPicture(app, o);
    addLook(app, o);
    addValue(
        app, "-o,--output", "FILE", [&o](auto&, auto& text) { o.output = text; },
        "FILE.png, a film FILE.mp4, .mov, .mkv or .webm (needs ffmpeg), or numbered frames DIR/%05d.png");
    addValue(
        app, "--fps", "RATE", [&o](auto& name, auto& text) { o.fps = parsePositive(name, text); },
        "frames a second of the film [60]");
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
    addValue(
        app, "--tile", "PIXELS",
        [&o](auto& name, auto& text) { o.tile = static_cast<int>(parseInteger(name, text, 64, 16384)); },
        "draw the picture in parts of that size [only where it is too large for OpenGL, as large as that allows]");
    app.add_flag("--ui", o.showUi, "draw the panel into the picture");
}

void addRunOptions(CLI::App& app, Options& o) {
    addSceneOrFile(app, o, "collision");
    addBodies(app, o);
    addMachine(app, o);
    addPhysics(app, o);
    addKernel(app, o);
    addTwin(app, o, false);
    addValue(
        app, "--steps", "COUNT", [&o](auto& name, auto& text) { o.steps = parseInteger(name, text, 0, kAny); },
        "number of steps; 0 writes the start itself");
    addValue(
        app, "--until", "TIME", [&o](auto& name, auto& text) { o.until = parseNonNegative(name, text); },
        "simulated time to reach, instead of --steps");
    addValue(
        app, "--csv", "FILE", [&o](auto&, auto& text) { o.csv = text; },
        "energy and momenta: step,time,kinetic,potential,energy,px,py,pz,lx,ly,lz,relative_change,cx,cy,cz,"
        "virial,r10,r50,r90,closest; with --twin also twin_energy,rms_separation,max_separation; '-' is standard output");
    addValue(
        app, "--every", "STEPS", [&o](auto& name, auto& text) { o.every = parseInteger(name, text, 1, kAny); },
        "a row of --csv every so many steps; the first and the last are always there [1]");
    addValue(
        app, "--final", "FILE", [&o](auto&, auto& text) { o.finalFile = text; },
        "final bodies: .csv, .tab, .tipsy, .hdf5 (which goes on exactly) or .ply; '-' is standard output, as csv");
    addValue(
        app, "--plots", "DIR", [&o](auto&, auto& text) { o.plots = text; },
        "pictures of the paths in xy, in three planes and in space, of the energy error over time, and of many bodies their "
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

void addBenchOptions(CLI::App& app, Options& o) {
    addScene(app, o, "plummer");
    addList(
        app, "-n,--bodies", "LIST",
        [&o](auto& name, auto& texts) {
            for (auto& text : texts) o.benchBodies.push_back(parseBodies(name, text));
        },
        "numbers of bodies, separated by commas or spaces");
    addMachine(app, o);
    addPhysics(app, o);
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
            for (auto& text : texts) o.benchUnrolls.push_back(static_cast<int>(parseInteger(name, text, 1, 1 << 30)));
        },
        "unroll factors, where the kernel has them");
    addValue(
        app, "--steps", "COUNT", [&o](auto& name, auto& text) { o.steps = parseInteger(name, text, 1, kAny); },
        "steps of one repetition [as many as fit a quarter of a second]");
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
    addValue(
        app, "--splat", "NAME",
        [&o](auto&, auto& text) {
            requireSplat(text);
            o.look.splat = text;
        },
        "with --frames: how bodies are drawn: auto, raster or compute [auto; with --stages both]");
    addValue(
        app, "--steps-per-frame", "COUNT",
        [&o](auto& name, auto& text) { o.stepsPerFrame = static_cast<int>(parseWhole("run.steps_per_frame", name, text)); },
        "with --frames: steps a frame [1]");
    addValue(
        app, "--time-budget", "MS",
        [&o](auto& name, auto& text) { o.timeBudgetMs = parseNumber("run.time_budget", name, text); },
        "with --frames: simulation time a frame [10; on a GPU 33]");
    addValue(
        app, "--fps", "RATE", [&o](auto& name, auto& text) { o.fps = parsePositive(name, text); },
        "with --frames: wait for each as for a display of that rate [not at all]");
    o.showUi = false;
    app.add_flag("--ui", o.showUi, "with --frames: draw the panels too");
    std::string figureNames;
    for (const FigureRow& row : figures()) figureNames += (figureNames.empty() ? "" : ", ") + std::string(row.name);
    addValue(
        app, "--figure", "NAME", [&o](auto&, auto& text) { o.benchFigure = figure(text).name; },
        "measure and draw a study into -o FILE.png or FILE.csv: " + figureNames);
    addValue(
        app, "--card", "FILE", [&o](auto&, auto& text) { o.benchCard = text; },
        "measure this device and write its card: FILE.png to post, or FILE.txt");
    addValue(
        app, "-o,--output", "FILE", [&o](auto&, auto& text) { o.output = text; }, "write there instead of standard output");
}

void addTuneOptions(CLI::App& app, Options& o) {
    RunRequest& s = o.simulation;
    addList(
        app, "-n,--bodies", "LIST",
        [&o](auto& name, auto& texts) {
            for (auto& text : texts) o.benchBodies.push_back(parseBodies(name, text));
        },
        "numbers of bodies [CUDA: 1k,4k,16k,64k,256k; CPU: 1k,4k,16k]");
    addValue(
        app, "--backend", "NAME", [&s](auto&, auto& text) { s.backend = nameUnlessAuto(text); },
        "cpu, cuda, or auto for the best that works here [auto]");
    addValue(
        app, "--device", "INDEX",
        [&s](auto& name, auto& text) { s.backendOptions.device = static_cast<int>(parseWhole("run.device", name, text)); },
        "CUDA device [0]");
    addValue(
        app, "--threads", "COUNT",
        [&s](auto& name, auto& text) { s.backendOptions.threads = static_cast<int>(parseWhole("run.threads", name, text)); },
        "this many CPU threads, instead of searching for the best number");
    addValue(
        app, "--precision", "NAME", [&s](auto&, auto& text) { s.precision = precision(text).precision; },
        precisionNames() + " [fp32]");
    addList(
        app, "--kernel", "LIST", [&o](auto&, auto& texts) { o.benchKernels = texts; }, "only these kernels [all]");
}

void addListOptions(CLI::App& app, Options& o) {
    app.add_option_function<std::string>(
           "WHAT",
           [&o](const std::string& text) {
               indexOf("list", text, kLists);
               o.listWhat = text;
           },
           "devices, backends, kernels, scenes, laws, integrators, keys, encoders or commands")
        ->type_name("");
    app.add_flag("--json", o.json, "as JSON");
    app.add_flag_callback(
        "--markdown", [] {}, "as a Markdown table");
}

void addCheckOptions(CLI::App& app, Options& o) {
    app.add_flag("--physics", o.checkPhysics,
                 "instead of the kernels: known systems against their known answers, with tolerances");
    addValue(
        app, "--device", "INDEX",
        [&o](auto& name, auto& text) {
            o.simulation.backendOptions.device = static_cast<int>(parseWhole("run.device", name, text));
        },
        "CUDA device [0]");
    addValue(
        app, "--threads", "COUNT",
        [&o](auto& name, auto& text) {
            o.simulation.backendOptions.threads = static_cast<int>(parseWhole("run.threads", name, text));
        },
        "CPU threads [all]");
    addValue(
        app, "--simd", "NAME", [&o](auto&, auto& text) { o.simulation.backendOptions.simd = text; },
        "CPU instruction set [the best here]");
    addValue(
        app, "--tolerance", "ERROR", [&o](auto& name, auto& text) { o.tolerance = parsePositive(name, text); },
        "relative error allowed, instead of the usual limits");
}

void addFingerprintOptions(CLI::App& app, Options& o) {
    addSceneOrFile(app, o, "plummer");
    addBodies(app, o);
    addPhysics(app, o);
    addValue(
        app, "--steps", "COUNT", [&o](auto& name, auto& text) { o.steps = parseInteger(name, text, 0, 1000000); },
        "steps before the hash [16]");
    app.add_flag("--json", o.json, "as JSON");
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
     "  gravlab bench --figure unroll -o unroll.png\n"
     "  gravlab bench --card card.png\n"
     "  gravlab bench collision --frames 600 -n 64k --size 1920x1080 --ui\n"
     "  gravlab bench collision --frames 200 --stages -n 64k,1M --size 1920x1080\n"},
    {"tune", Subcommand::tune, false, "find the fastest kernel and launch for this device, for --kernel auto",
     addTuneOptions, "  gravlab tune\n  gravlab tune -n 16k,64k --kernel tiled,tiled-split\n"},
    {"list", Subcommand::list, false, "what this build and machine have", addListOptions,
     "  gravlab list scenes\n  gravlab list kernels --json\n"},
    {"check", Subcommand::check, false, "verify every backend and kernel on this machine", addCheckOptions,
     "  gravlab check\n"},
    {"convert", Subcommand::convert, false, "read bodies in one format, write them in another", addConvertOptions,
     "  gravlab convert galaxy.tipsy galaxy.hdf5\n"
     "  gravlab convert stars.csv stars.tab --columns m,x,y,z,vx,vy,vz --units cluster\n"
     "  grep -v '^#' table.txt | gravlab convert - bodies.hdf5\n"},
    {"fingerprint", Subcommand::fingerprint, false,
     "hash what a scene starts from and what the reference backend makes of it", addFingerprintOptions,
     "  gravlab fingerprint plummer -n 1024 --steps 16 --seed 1\n"},
    {"info", Subcommand::info, false, "say what is in a file", addInfoOptions,
     "  gravlab info run.hdf5\n  gravlab info stars.csv --json\n"},
}};

}  // namespace gravlab
