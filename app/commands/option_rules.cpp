// Rules for combinations of options: one that has no effect, conflicts or cannot work is refused with a sentence.
#include "app/bench/figure.h"
#include "app/bench/papers.h"
#include "app/commands/command_rows.h"
#include "app/files/open_file.h"
#include "app/files/scene_file.h"
#include "app/files/snapshot_series.h"
#include "app/film/encoders.h"
#include "app/film/film.h"
#include "app/model/film_plan.h"
#include "app/parameters/parameter.h"
#include "app/parameters/quantity.h"
#include "app/plots/page.h"
#include "app/system/file_names.h"
#include "app/tables/own_kernel.h"
#include "app/tables/text_values.h"
#include "sim/backends/backend.h"
#include "sim/core/error.h"
#include "sim/core/names.h"
#include "sim/forces/law.h"
#include "sim/forces/law_numbers.h"
#include "sim/io/file/source.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gravlab {
namespace {

/// Refuses a launch option that none of the possible kernels uses.
void validateLaunch(const Options& o, const std::vector<std::string>& kernelNames) {
    const LaunchRequest& launch = o.simulation.pairs().kernel.launch;
    struct Knob {
        std::string_view option;
        bool (*has)(const KernelRow&);
        bool byNameOnly = false;  ///< kernels with this option are only chosen by name
    };
    std::vector<Knob> knobs;
    for (const LaunchNumber& number : launchNumbers())
        if (launch.*number.wanted || o.has(number.option)) knobs.push_back({number.option, number.has});
    if (o.simulation.pairs().accuracy.value_or(0) > 0) knobs.push_back({"--accuracy", goesByAccuracy});
    if (o.simulation.pairs().opening) knobs.push_back({"--opening", goesByOpening, true});
    if (knobs.empty()) return;

    const std::string_view backendName = chooseBackend(o.simulation.backend, o.simulation.backendOptions).row->name;
    // A file may name a kernel.
    const bool open = o.file.empty() || !o.has("--kernel");
    const auto meant = [&](const KernelRow& row, const Knob& knob) {
        return row.backend == backendName &&
               std::any_of(kernelNames.begin(), kernelNames.end(), [&](const std::string& name) {
                   return (name == "auto" && (!knob.byNameOnly || (!o.file.empty() && open))) || name == "all" ||
                          name == row.name;
               });
    };
    for (const Knob& knob : knobs) {
        bool any = false;
        std::string owners;
        for (const KernelRow& row : trapKernels()) any = any || (knob.has(row) && meant(row, knob));
        for (const KernelRow& row : kernels()) {
            if (!knob.has(row)) continue;
            any = any || meant(row, knob);
            addTo(owners, std::string(row.backend) + " " + std::string(row.name));
        }
        if (any) continue;
        throw UsageError(std::string(knob.option) + " does not apply to the " + std::string(backendName) +
                         " kernels that were chosen; " + (owners.empty() ? "no kernel has it" : "these have it: " + owners));
    }
}

/// Lists that a table of rates cannot use.
void validateRates(const Options& o) {
    const std::pair<const char*, std::size_t> lists[] = {{"--accuracy", o.bench.accuracies.size()},
                                                         {"--dt", o.bench.timeSteps.size()},
                                                         {"--softening", o.bench.softenings.size()}};
    for (const auto& [option, count] : lists)
        if (count > 1) throw UsageError(std::string(option) + " takes one value; a list is for --figure");
}

/// Options for reading a file.
constexpr const char* kReading[] = {"--columns", "--units", "--G",          "--hubble", "--sanitize",
                                    "--region",  "--every", "--every-body", "--bonds"};

/// Options without effect where bodies come from a scene, or from a file.
void validateSource(const Options& o) {
    const bool bodies = !o.file.empty() && !isSceneFile(o.file);
    for (const std::string_view option : kReading)
        if (!bodies && o.has(option) && !(option == "--every" && o.command == Subcommand::run))  // there of --csv
            throw UsageError(std::string(option) + " says how a file with bodies is read, and '" + o.simulation.scene +
                             "' is a scene: leave it out");
    for (const char* option : {"--seed", "--scene-version", "--set"})
        if (bodies && o.has(option))
            throw UsageError(std::string(option) + " does nothing: a file has the bodies that it has");
}

/// The selected scene; null where a file is selected. Throws UsageError where neither exists.
const Scene* requireStart(Options& o, const CommandRow& row, bool commandNamed) {
    try {
        return &sceneNamed(o.simulation.scene);
    } catch (const UsageError&) {  // the name may be a file
    }
    if (row.from == BodiesFrom::sceneOrFile && meansFile(o.simulation.scene)) o.file = o.simulation.scene;
    refuseToReplace({o.file}, o);
    if (!o.file.empty()) return nullptr;
    std::vector<std::string_view> valid;
    if (!commandNamed)
        for (const CommandRow& command : kCommands) valid.push_back(command.name);
    for (const Scene& scene : sceneTable()) valid.push_back(scene.name);
    throw UsageError(unknownName(commandNamed ? "scene" : "command or scene", o.simulation.scene, valid) +
                     (row.from == BodiesFrom::sceneOrFile ? "; nor is there a file of that name" : ""));
}

/// Options without effect under the law of a scene. A file's law is known when it is read.
void validateLaw(const Options& o, const Scene& scene) {
    const RunRequest& s = o.simulation;
    const Law law = s.law.value_or(scene.law);
    if (s.integrator)
        if (const Reason reason = refusal(integrator(*s.integrator), law); !reason.empty()) throw UsageError(reason);
    for (const LawNumber& number : lawNumbers()) {
        if (!(s.*number.asked) || number.acts(law)) continue;
        std::string fitting;
        for (const LawRow& row : laws())
            if (number.acts(row.law)) fitting += (fitting.empty() ? "--law " : " or --law ") + std::string(row.name);
        throw UsageError(std::string(number.option) + " belongs to " + number.of + "; add " + fitting);
    }
    requireSoftened(o.has("--softening"), law);
}

/// Kernels that no table contains, or that the command cannot use.
void validateKernels(const Options& o) {
    const RunRequest& s = o.simulation;
    const std::vector<std::string> kernelNames =
        !o.bench.kernels.empty() ? o.bench.kernels : std::vector<std::string>{nameOf(s.pairs().choice())};
    for (const std::string& name : kernelNames) {
        if (name == "auto" || (name == "all" && o.command == Subcommand::bench)) continue;
        if (namesKernelFile(name)) {
            const bool runs =
                o.command == Subcommand::view || o.command == Subcommand::run || o.command == Subcommand::render;
            const bool measures =
                o.command == Subcommand::bench && o.bench.figure.empty() && o.bench.card.empty() && o.frames == 0;
            if (!runs && !measures)
                throw UsageError("--kernel " + name +
                                 ": the file of a kernel is for 'gravlab', 'gravlab run', 'gravlab render' and 'gravlab "
                                 "bench' of forces; the lab has an editor, page Own");
            if (runs && s.pairs().kernel.launch != LaunchRequest())
                throw UsageError("--kernel " + name +
                                 ": the text says how it is launched, in lines '// gravlab: block=128'");
            continue;
        }
        if (s.backend)
            kernel(*s.backend, name);
        else
            requireKernel(name);
    }
    const BackendRow* named = s.backend ? &backend(*s.backend) : nullptr;
    if (s.backendOptions.threads && named && !named->usesCores && !named->onDevice)
        throw UsageError("--threads does not apply: the " + *s.backend + " backend computes on one thread");
    if (s.backendOptions.simd && named && !named->usesCores)
        throw UsageError("--simd does not apply to the " + *s.backend + " backend; it chooses the CPU's instruction set");

    if (named && !named->onDevice && o.has("--device"))
        throw UsageError("--device chooses a CUDA device and does nothing on the " + *s.backend + " backend");
    validateLaunch(o, kernelNames);
}

/// Numbers of bodies where the scene has a fixed number, or a file has the bodies.
void validateBodies(const Options& o, const Scene* known) {
    std::vector<std::size_t> counts = o.bench.bodies;
    if (o.simulation.bodies) counts.push_back(*o.simulation.bodies);
    if (!o.file.empty() && !isSceneFile(o.file) && o.simulation.bodies)
        throw UsageError("a file has the bodies that it has; leave out -n");
    for (const std::size_t count : counts)
        if (known && known->fixedBodies != 0 && count != known->fixedBodies)
            throw UsageError("scene '" + o.simulation.scene + "' always has " + std::to_string(known->fixedBodies) +
                             " bodies; leave out -n, or choose another scene");
}

}  // namespace

void requireCompany(Options& o, const CommandRow& row, bool commandNamed) {
    refuseToReplace({o.file, o.play.script, o.lesson}, o);
    if (row.from != BodiesFrom::nothing) {
        const Scene* known = requireStart(o, row, commandNamed);
        validateSource(o);
        // Only the law decides whether signs are allowed; a table of options cannot name it.
        o.read.allowSigns = o.simulation.law && lawRow(*o.simulation.law).signedSources;
        if (known) validateLaw(o, *known);
        if (row.requireFirst) row.requireFirst(o);
        // A window reads its scene from its configuration, and a file's units are known when it is read.
        if (known && row.command != Subcommand::view && !o.play.inWindow) takeQuantities(o);
        validateKernels(o);
        validateBodies(o, known);
        if (o.has("--follow") && o.settings.at("view.follow") == Value(std::string("body")) && !o.has("--select"))
            throw UsageError("--follow body needs --select ID");
        if (!o.twin.on && o.has("--twin-view") && known)
            throw UsageError("--twin-view needs a twin: add --twin, such as --twin integrator=euler");
    }
    if (row.requireCompany) row.requireCompany(o);
    refuseIdle(o);
}

void requirePlay(const Options& o) {
    if (o.play.inWindow) return;
    const auto refuse = [&](std::string_view option) {
        if (o.has(option)) throw UsageError(std::string(option) + " needs --window");
    };
    for (const Parameter& row : parameters())
        if (row.kept.window) refuse(row.kept.option);
    refuse("--no-config");
    refuse("--screenshot");
}

void requireRender(const Options& o) {
    if (o.has("--ahead") && !o.has("--select")) throw UsageError("--ahead shows the path of one body: add --select ID");
    if (o.output.empty()) throw UsageError("render needs -o FILE.png, FILE.mp4 or DIR/%05d.png");
    parseFilmOutput(o.output);
    const bool pictures = o.output.ends_with(".png"), still = pictures && o.output.find('%') == std::string::npos;
    if (o.has("--fps") && pictures)
        throw UsageError("--fps does not apply: pictures follow each other as fast as who shows them likes");
    const EncoderRow& row = encoderFor(o.output, o.render.encoder, o.render.quality);
    if (o.has("--fps") && o.render.fps > row.mostFps)
        throw UsageError("--fps " + shortestText(o.render.fps) + ": " + std::string(row.name) + " has at most " +
                         shortestText(row.mostFps) + " frames a second");
    if (o.render.loop) {
        if (!o.file.empty() && !isSceneFile(o.file))
            throw UsageError("--loop needs a scene by its name: bodies of a file have no known period");
        if (still) throw UsageError("--loop makes a film; -o FILE.png is one picture");
        if (o.flyPath && o.frames == 0) throw UsageError("--loop with --path needs --frames COUNT");
        if (o.file.empty()) loopPlan(sceneNamed(o.simulation.scene), std::min(o.render.fps, row.mostFps), o.frames, 0);
    }
    if (o.frames == 0 && !still && !o.flyPath && !o.render.loop)
        throw UsageError("a film needs its length: --frames COUNT, or --loop for one period of the scene");
}

/// Options that a study sets itself, cannot use, or accepts only one value of.
void requireStudy(const Options& o) {
    if (o.bench.figure.empty() && o.bench.card.empty()) return;
    const std::string study = o.bench.figure.empty() ? "--card" : "--figure " + o.bench.figure;
    const FigureRow* row = o.bench.figure.empty() ? nullptr : &figure(o.bench.figure);
    const bool computed = row && row->computed;
    const auto refuse = [&](std::string_view option, std::string_view why) {
        if (o.has(option)) throw UsageError(std::string(option) + " does nothing with " + study + ": " + std::string(why));
    };
    constexpr std::string_view kSteps = "it takes as many steps as its times need";
    constexpr std::string_view kLaw = "it measures gravity in the scene's usual form";
    refuse("--format", "the name of its file says how it is written");
    refuse("--steps", kSteps);
    refuse("--spread-masses", "its bodies are the scene's");
    refuse("--law", kLaw);
    for (const LawNumber& number : lawNumbers()) refuse(number.option, kLaw);
    if (!computed) {
        refuse("--set", kLaw);
        refuse("--until", kSteps);
    }
    if (row)
        for (const UnusedOptions& unused : row->unused)
            for (const std::string& option : splitList({std::string(unused.options)})) refuse(option, unused.why);
    if (o.has("--from")) {
        for (const char* option : {"--bodies", "--kernel", "--block", "--unroll", "--split", "--threads", "--repeats",
                                   "--backend", "--device", "--accuracy", "--csv"})
            refuse(option, "--from measures nothing");
        if (o.output.ends_with(".csv"))
            throw UsageError("--from draws numbers again; take -o FILE.png, FILE.svg or FILE.pdf");
    }
    if (!row || !hasPapers(row->name))
        refuse("--beside", "papers have rates for unroll, block, split, bodies, cpu-gpu and ladder");
    if (o.output.ends_with(".csv"))
        refuse("--beside", "it draws into a picture; the numbers of papers are in docs/benchmarks/papers.csv");
    const std::pair<std::string_view, std::size_t> lists[] = {
        {"--block", o.bench.blocks.size()},        {"--unroll", o.bench.unrolls.size()},
        {"--split", o.bench.splits.size()},        {"--threads", o.bench.threads.size()},
        {"--accuracy", o.bench.accuracies.size()}, {"--dt", o.bench.timeSteps.size()},
        {"--softening", o.bench.softenings.size()}};
    for (const auto& [option, count] : lists)
        if (count > 1 && (!row || std::ranges::find(row->walks, option) == row->walks.end()))
            throw UsageError(study + " takes one " + std::string(option));
    if (row && row->oneNumberOfBodies && o.bench.bodies.size() > 1) throw UsageError(study + " takes one -n");
}

void requireBench(const Options& o) {
    if (o.bench.figure.empty() && o.bench.card.empty()) validateRates(o);
    const bool drawn = !pictureFormat(o.output).empty();
    if (o.has("--csv") && !drawn)
        throw UsageError("--csv goes with -o FILE.png, FILE.svg or FILE.pdf; -o FILE.csv is enough");
    if (!o.bench.stages && o.bench.sizes.size() > 1) throw UsageError("--size takes several sizes only with --stages");
    if (!o.bench.figure.empty()) {
        if (!drawn && !o.output.ends_with(".csv"))
            throw UsageError("--figure " + o.bench.figure +
                             " needs -o FILE.png or FILE.csv; FILE.svg and FILE.pdf hold the picture as lines and letters");
        if (o.bench.kernels.size() > 1) throw UsageError("--figure takes one kernel");
    }
    if (!o.bench.card.empty()) {
        if (pictureFormat(o.bench.card).empty() && !o.bench.card.ends_with(".txt"))
            throw UsageError("--card '" + o.bench.card + "': expected FILE.png, FILE.svg, FILE.pdf or FILE.txt");
        if (o.bench.kernels.size() > 1 || (!o.bench.kernels.empty() && o.bench.kernels.front() == "all"))
            throw UsageError("--card takes one kernel");
    }
}

void requireRun(const Options& o) {
    if (o.until > 0 && o.simulation.timeStep.value_or(1) < 0)
        throw UsageError("--until is never reached with a negative --dt; give a negative time, or --steps");
    if (o.steps < 0 && !o.has("--until")) {
        if (!o.file.empty() && o.file != "-") Source::open(o.file);  // a missing file is the better reason
        throw UsageError("how long? give --steps COUNT or --until TIME");
    }
    refuseOneFileTwice(o);
    if (!o.run.finalFile.empty()) formatForWriting(o.run.finalFile);
    if (!o.checkpoint.empty() && formatForWriting(o.checkpoint).name != "hdf5")
        throw UsageError("--checkpoint '" + o.checkpoint + "': only .hdf5 keeps all that an exact continuation needs");
    if (o.run.snapshotEvery > 0) formatForWriting(numberedName("--snapshots", o.run.snapshots, 0));
    if (!o.run.series.empty()) requireSeries(o.run.series, numberedName("--snapshots", o.run.snapshots, 0));
}

void requireGrade(const Options& o) {
    if (!o.csv.empty() && o.csv != "-" && !o.csv.ends_with(".csv"))
        throw UsageError("--csv '" + o.csv + "': expected FILE.csv or -");
}

void requireLesson(const Options& o) {
    if (!o.sheet.worksheet.empty() && o.sheet.worksheet != "-" && !o.sheet.worksheet.ends_with(".html") &&
        !o.sheet.worksheet.ends_with(".md"))
        throw UsageError("--worksheet '" + o.sheet.worksheet + "': expected FILE.html, FILE.md or -");
}

}  // namespace gravlab
