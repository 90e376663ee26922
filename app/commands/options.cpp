// The command line: which command is meant, what its options say together, and help. The table of commands is in
// command_rows.cpp. Rule: what cannot work is refused here, with a sentence, before anything is made.
#include "app/commands/options.h"

#include "app/bench/figure.h"
#include "app/bench/own_trial.h"
#include "app/bench/papers.h"
#include "app/commands/command_rows.h"
#include "app/control/open_file.h"
#include "app/control/output_names.h"
#include "app/control/parameter.h"
#include "app/control/quantity.h"
#include "app/control/scene_file.h"
#include "app/film/encoders.h"
#include "app/film/film.h"
#include "app/model/film_plan.h"
#include "app/system/numbered_name.h"
#include "app/system/version.h"
#include "app/tables/text_values.h"
#include "sim/backends/backend.h"
#include "sim/core/names.h"
#include "sim/core/validation.h"
#include "sim/forces/law.h"
#include "sim/forces/law_numbers.h"
#include "sim/io/file/source.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>

namespace gravlab {
namespace {

const CommandRow& commandRow(Subcommand command) {
    return *std::find_if(std::begin(kCommands), std::end(kCommands),
                         [command](const CommandRow& row) { return row.command == command; });
}

constexpr std::string_view kExitCodes =
    "Exit codes: 0 done, 2 wrong usage, 3 bad input, 4 no device or display, 5 the device failed,\n"
    "6 reading or writing failed, 7 a check failed, 129 hung up, 130 interrupted, 143 terminated.\n";

/// Puts options that stand for parameters under what these are about; the command's own come first.
void groupOptions(CLI::App& app) {
    struct Group {
        std::string_view prefix;
        const char* title;
    };
    constexpr Group kGroups[] = {{"run.", "Scene, forces and integration"},
                                 {"scene.", "Scene, forces and integration"},
                                 {"look.", "Look"},
                                 {"camera.", "Camera and what is shown"},
                                 {"view.", "Camera and what is shown"},
                                 {"overlay.", "Camera and what is shown"},
                                 {"window.", "Window"},
                                 {"lab.", "Window"},
                                 {"instruments.", "Window"}};
    for (CLI::Option* option : app.get_options())
        for (const Parameter& parameter : parameters()) {
            if (parameter.kept.option.empty() || !option->check_lname(std::string(parameter.kept.option.substr(2))))
                continue;
            for (const Group& group : kGroups)
                if (parameter.path.starts_with(group.prefix)) option->group(group.title);
        }
}

void buildParser(CLI::App& app, const CommandRow& row, Options& options) {
    app.name("gravlab " + std::string(row.name));
    app.description("gravlab " + std::string(row.name) + ": " + std::string(row.idea) + ".");
    app.set_help_flag("-h,--help", "this text");
    app.add_flag_function(
        "--version", [](std::int64_t) {}, "what this binary is");
    app.allow_extras();
    options.command = row.command;
    row.addOptions(app, options);
    groupOptions(app);
    app.footer("Examples:\n" + std::string(row.examples) + "\n" + std::string(kExitCodes));
}

/// All parsers, to look options up in.
class AllParsers {
public:
    /// Made when they are first asked for: to make them takes longer than everything else that happens before a command
    /// runs.
    static const AllParsers& get() {
        static const AllParsers all;
        return all;
    }
    const CLI::App& operator[](std::size_t command) const { return apps_[command]; }
    const CLI::Option* find(const std::string& name) const {
        for (const CLI::App& app : apps_)
            if (const CLI::Option* option = app.get_option_no_throw(name)) return option;
        return nullptr;
    }

private:
    AllParsers() {
        for (std::size_t i = 0; i < apps_.size(); ++i) buildParser(apps_[i], kCommands[i], options_[i]);
    }
    std::array<Options, std::size(kCommands)> options_;
    std::array<CLI::App, std::size(kCommands)> apps_;
};

/// Index of the word that names the command, or args.size(). Words that are the value of an option before it are skipped.
std::size_t findCommandWord(const std::vector<std::string>& args) {
    for (std::size_t i = 0; i < args.size(); ++i) {
        if (args[i] == "--") break;
        if (!args[i].starts_with('-') || args[i].size() < 2) return i;
        const CLI::Option* option = AllParsers::get().find(args[i]);
        if (option && option->get_expected_min() > 0) ++i;
    }
    return args.size();
}

std::string overview() {
    std::string text = "gravlab " + std::string(version()) + ": a real-time N-body laboratory.\n\nCommands:\n";
    for (const CommandRow& row : kCommands) {
        std::string name = "  gravlab " + std::string(row.name);
        name.resize(24, ' ');
        text += name + std::string(row.idea) + "\n";
    }
    return text + "Each has its own help: gravlab run --help. Without a command, view is meant:\n\n";
}

[[noreturn]] void refuseExtra(const CommandRow& row, const std::string& extra) {
    if (!extra.starts_with('-'))
        throw UsageError("unexpected argument '" + extra + "'; 'gravlab " + std::string(row.name) +
                         " --help' shows what it takes");
    const std::string name = extra.substr(0, extra.find('='));
    const AllParsers& parsers = AllParsers::get();
    std::string owners;
    for (std::size_t i = 0; i < std::size(kCommands); ++i)
        if (parsers[i].get_option_no_throw(name)) owners += (owners.empty() ? "" : ", ") + std::string(kCommands[i].name);
    if (!owners.empty())
        throw UsageError("option " + name + " does not apply to '" + std::string(row.name) + "'; it belongs to: " + owners);
    std::vector<std::string> names;
    for (const CLI::Option* option : parsers[static_cast<std::size_t>(&row - kCommands.data())].get_options())
        for (const std::string& longOption : option->get_lnames()) names.push_back("--" + longOption);
    throw UsageError(unknownName("option", name, {names.begin(), names.end()}));
}

/// What a kernel is told and no kernel in question heeds is refused, not ignored.
void validateLaunch(const Options& o, const std::vector<std::string>& kernelNames) {
    const LaunchRequest& launch = o.simulation.kernel.launch;
    struct Knob {
        const char* option;
        bool asked;
        bool (*has)(const KernelRow&);
        bool byNameOnly = false;  ///< those that have it are never chosen unasked
    };
    const Knob knobs[] = {
        {"--block", launch.block || !o.benchBlocks.empty(), [](const KernelRow& row) { return row.blocks.last != 1; }},
        {"--unroll", launch.unroll || !o.benchUnrolls.empty(), [](const KernelRow& row) { return !row.unrolls.empty(); }},
        {"--bodies-per-thread", launch.bodiesPerThread.has_value(),
         [](const KernelRow& row) { return !row.bodiesPerThread.empty(); }},
        {"--split", launch.split || !o.benchSplits.empty(), [](const KernelRow& row) { return row.splits.last != 1; }},
        {"--accuracy", o.simulation.accuracy.value_or(0) > 0, goesByAccuracy},
        {"--opening", o.simulation.opening.has_value(), goesByOpening, true},
    };
    if (std::none_of(std::begin(knobs), std::end(knobs), [](const Knob& knob) { return knob.asked; })) return;

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
        if (!knob.asked) continue;
        bool any = false;
        std::string owners;
        for (const KernelRow& row : trapKernels()) any = any || (knob.has(row) && meant(row, knob));
        for (const KernelRow& row : kernels()) {
            if (!knob.has(row)) continue;
            any = any || meant(row, knob);
            owners += (owners.empty() ? "" : ", ") + std::string(row.backend) + " " + std::string(row.name);
        }
        if (any) continue;
        throw UsageError(std::string(knob.option) + " does not apply to the " + std::string(backendName) +
                         " kernels asked for; " + (owners.empty() ? "no kernel has it" : "these have it: " + owners));
    }
}

/// An option of `bench` that a study sets by itself or has no use for.
struct UnusedOption {
    std::string_view figure;  ///< empty: any figure, and the card
    std::string_view option, why;
};

constexpr std::string_view kStudySteps = "it takes as many steps as its times need";
constexpr std::string_view kStudyLaw = "it measures gravity in the scene's usual form";
constexpr std::string_view kFourCurves = "it compares curves of kernels of its own choice";
constexpr std::string_view kNoLaunch = "its trees walk with their usual launch";
constexpr std::string_view kAllRungs = "it has the rungs of all backends, each launched as usual";
constexpr std::string_view kOwnKernel = "the matrix has a kernel of its own";
constexpr std::string_view kComputed = "it is computed, not timed";
constexpr std::string_view kGroupRungs = "its curves are all ways to find groups, and no forces are computed";
constexpr UnusedOption kUnused[] = {
    {"", "--format", "the name of its file says how it is written"},
    {"", "--steps", kStudySteps},
    {"", "--spread-masses", "its bodies are the scene's"},
    {"", "--set", kStudyLaw},
    {"", "--law", kStudyLaw},
    {"cpu-gpu", "--backend", kFourCurves},
    {"cpu-gpu", "--kernel", kFourCurves},
    {"cpu-gpu", "--block", kFourCurves},
    {"cpu-gpu", "--unroll", kFourCurves},
    {"cpu-gpu", "--split", kFourCurves},
    {"cpu-gpu", "--bodies-per-thread", kFourCurves},
    {"accuracy", "--block", kNoLaunch},
    {"accuracy", "--unroll", kNoLaunch},
    {"accuracy", "--split", kNoLaunch},
    {"accuracy", "--bodies-per-thread", kNoLaunch},
    {"crossover", "--accuracy", "its curves have accuracies of their own"},
    {"crossover", "--block", kNoLaunch},
    {"crossover", "--unroll", kNoLaunch},
    {"crossover", "--split", kNoLaunch},
    {"crossover", "--bodies-per-thread", kNoLaunch},
    {"ladder", "--backend", kAllRungs},
    {"ladder", "--kernel", kAllRungs},
    {"ladder", "--block", kAllRungs},
    {"ladder", "--unroll", kAllRungs},
    {"ladder", "--split", kAllRungs},
    {"ladder", "--bodies-per-thread", kAllRungs},
    {"ladder", "--accuracy", kAllRungs},
    {"matrix", "--kernel", kOwnKernel},
    {"matrix", "--unroll", kOwnKernel},
    {"matrix", "--split", kOwnKernel},
    {"matrix", "--bodies-per-thread", kOwnKernel},
    {"matrix", "--accuracy", kOwnKernel},
    {"energy-dt", "--kernel", kComputed},
    {"energy-dt", "--repeats", kComputed},
    {"energy-softening", "--kernel", kComputed},
    {"energy-softening", "--repeats", kComputed},
    {"groups", "--kernel", kGroupRungs},
    {"groups", "--accuracy", kGroupRungs},
    {"groups", "--block", kGroupRungs},
    {"groups", "--unroll", kGroupRungs},
    {"groups", "--split", kGroupRungs},
    {"groups", "--bodies-per-thread", kGroupRungs},
};

void validateStudy(const Options& o) {
    const std::string study = o.benchFigure.empty() ? "--card" : "--figure " + o.benchFigure;
    const FigureRow* row = o.benchFigure.empty() ? nullptr : &figure(o.benchFigure);
    const bool physics = o.benchFigure.starts_with("energy-");
    const auto refuse = [&](std::string_view option, std::string_view why) {
        throw UsageError(std::string(option) + " does nothing with " + study + ": " + std::string(why));
    };
    for (const UnusedOption& unused : kUnused)
        if ((unused.figure.empty() ? !(physics && unused.option == "--set") : unused.figure == o.benchFigure) &&
            o.has(unused.option))
            refuse(unused.option, unused.why);
    for (const LawNumber& number : lawNumbers())
        if (o.has(number.option)) refuse(number.option, kStudyLaw);
    if (o.has("--until") && !physics) refuse("--until", kStudySteps);
    if (o.besidePapers && !(row && hasPapers(row->name)))
        refuse("--beside", "papers have rates for unroll, block, split, bodies, cpu-gpu and ladder");
    if (o.besidePapers && o.output.ends_with(".csv"))
        refuse("--beside", "it draws into a picture; the numbers of papers are in docs/benchmarks/papers.csv");
    const std::pair<std::string_view, std::size_t> lists[] = {
        {"--block", o.benchBlocks.size()},        {"--unroll", o.benchUnrolls.size()},
        {"--split", o.benchSplits.size()},        {"--threads", o.benchThreads.size()},
        {"--accuracy", o.benchAccuracies.size()}, {"--dt", o.benchTimeSteps.size()},
        {"--softening", o.benchSoftenings.size()}};
    for (const auto& [option, count] : lists)
        if (count > 1 && (!row || std::ranges::find(row->walks, option) == row->walks.end()))
            throw UsageError(study + " takes one " + std::string(option));
    if (row && row->oneNumberOfBodies && o.benchBodies.size() > 1) throw UsageError(study + " takes one -n");
}

/// Lists that a table of rates has no use for.
void validateRates(const Options& o) {
    if (o.besidePapers) throw UsageError("--beside does nothing without --figure");
    const std::pair<const char*, std::size_t> lists[] = {{"--accuracy", o.benchAccuracies.size()},
                                                         {"--dt", o.benchTimeSteps.size()},
                                                         {"--softening", o.benchSoftenings.size()}};
    for (const auto& [option, count] : lists)
        if (count > 1) throw UsageError(std::string(option) + " takes one value; a list is for --figure");
    for (const char* option : {"--until", "--csv"})
        if (o.has(option)) throw UsageError(std::string(option) + " needs --figure NAME");
}

/// Options that say how a file is read.
constexpr const char* kReading[] = {"--columns", "--units", "--G", "--hubble", "--sanitize"};

/// What does nothing where bodies come from a scene, or from a file.
void validateSource(const Options& o) {
    const bool bodies = !o.file.empty() && !isSceneFile(o.file);
    for (const char* option : kReading)
        if (!bodies && o.has(option))
            throw UsageError(std::string(option) + " says how a file with bodies is read, and '" + o.simulation.scene +
                             "' is a scene: leave it out");
    for (const char* option : {"--seed", "--scene-version", "--set"})
        if (bodies && o.has(option))
            throw UsageError(std::string(option) + " does nothing: a file has the bodies that it has");
}

/// An option of `run` that does nothing without another.
struct Companion {
    const char *option, *needs;
};
constexpr Companion kCompanions[] = {{"--every", "--csv"}, {"--snapshots", "--snapshot-every"}};
constexpr const char* kOutputs[] = {"--csv",    "--final", "--plots",      "--checkpoint", "--snapshots",
                                    "--output", "--card",  "--screenshot", "--worksheet"};

/// What would be left out in silence.
void validateCompany(const Options& o) {
    for (const Companion& row : kCompanions)
        if (o.has(row.option) && !o.has(row.needs))
            throw UsageError(std::string(row.option) + " does nothing without " + row.needs);
    const std::pair<const char*, const std::string*> names[] = {{"--csv", &o.csv},
                                                                {"--final", &o.finalFile},
                                                                {"--plots", &o.plots},
                                                                {"--checkpoint", &o.checkpoint},
                                                                {"--output", &o.output},
                                                                {"--card", &o.benchCard},
                                                                {"--screenshot", &o.screenshot},
                                                                {"--snapshots", &o.snapshots},
                                                                {"--worksheet", &o.worksheet}};
    for (const auto& [option, name] : names)
        if (o.has(option) && name->empty()) throw UsageError(std::string(option) + " '': a file needs a name");
    const BackendRow* named = o.simulation.backend ? findBackend(*o.simulation.backend) : nullptr;
    if (o.has("--units") && o.has("--G")) throw UsageError("--units and --G exclude each other; give one of them");
    if (named && !named->onDevice && o.has("--device"))
        throw UsageError("--device chooses a CUDA device and does nothing on the " + *o.simulation.backend + " backend");
    if (o.has("--linking") && o.has("--linking-length"))
        throw UsageError("--linking and --linking-length exclude each other; give one of them");
    if (o.command == Subcommand::list && o.json && o.has("--markdown"))
        throw UsageError("--json and --markdown exclude each other; give one of them");
    if (o.command == Subcommand::render && o.has("--ahead") && !o.has("--select"))
        throw UsageError("--ahead shows the path of one body: add --select ID");
    if (o.command != Subcommand::bench) return;
    for (const char* option : {"--size", "--stages", "--splat", "--steps-per-frame", "--time-budget", "--fps", "--ui"})
        if (o.frames == 0 && o.has(option)) throw UsageError(std::string(option) + " needs --frames COUNT");
    if (!o.benchFigure.empty() || !o.benchCard.empty())
        validateStudy(o);
    else
        validateRates(o);
    if (o.has("--csv") && !o.output.ends_with(".png"))
        throw UsageError("--csv goes with -o FILE.png; -o FILE.csv is enough");
    if (!o.benchStages && o.benchSizes.size() > 1) throw UsageError("--size takes several sizes only with --stages");
}

/// What only makes sense together.
void validate(Options& o, bool commandNamed) {
    const RunRequest& s = o.simulation;
    validateCompany(o);
    refuseToReplace({o.file, o.script, o.lesson}, o);
    if (o.command == Subcommand::play && o.script.empty())
        throw UsageError("play needs a script: gravlab play FILE, or gravlab play - for standard input");
    if (o.command == Subcommand::play && !o.inWindow) {
        for (const Parameter& row : parameters())
            if (row.kept.window && o.has(row.kept.option))
                throw UsageError(std::string(row.kept.option) + " needs --window");
        for (const char* option : {"--no-config", "--screenshot"})
            if (o.has(option)) throw UsageError(std::string(option) + " needs --window");
    }
    if (o.command == Subcommand::list) {
        if (o.listWhat.empty()) throw UsageError("list what? valid: " + listNames());
        return;
    }
    if (o.command == Subcommand::lesson && o.lesson.empty())
        throw UsageError("lesson needs a name: gravlab lesson NAME; 'gravlab list lessons' shows them");
    if (o.command == Subcommand::lesson && !o.worksheet.empty() && o.worksheet != "-" && !o.worksheet.ends_with(".html") &&
        !o.worksheet.ends_with(".md"))
        throw UsageError("--worksheet '" + o.worksheet + "': expected FILE.html, FILE.md or -");
    if (o.command == Subcommand::check && o.has("--lesson") && !o.checkLessons)
        throw UsageError("--lesson does nothing without --lessons");
    if (o.command == Subcommand::check && o.checkLessons && o.checkPhysics)
        throw UsageError("--lessons and --physics exclude each other; give one of them");
    if (o.command == Subcommand::check && o.checkLessons && o.tolerance)
        throw UsageError("--tolerance does nothing with --lessons: a step is reached or not");
    if (o.command == Subcommand::check || o.command == Subcommand::lesson || o.command == Subcommand::occupancy) return;
    if (o.command == Subcommand::convert && (o.file.empty() || o.output.empty()))
        throw UsageError("convert needs two files: gravlab convert IN OUT");
    if (o.command == Subcommand::info && o.file.empty()) throw UsageError("info needs a file: gravlab info FILE");
    if (o.command == Subcommand::convert || o.command == Subcommand::info || o.command == Subcommand::report) return;

    const Scene* known = nullptr;
    try {
        known = &sceneNamed(s.scene);
    } catch (const UsageError&) {  // may be a file
    }
    if (!known && o.command != Subcommand::bench && meansFile(s.scene)) o.file = s.scene;
    refuseToReplace({o.file}, o);
    if (!known && o.file.empty()) {
        std::vector<std::string_view> valid;
        if (!commandNamed)
            for (const CommandRow& row : kCommands) valid.push_back(row.name);
        for (const Scene& row : sceneTable()) valid.push_back(row.name);
        throw UsageError(unknownName(commandNamed ? "scene" : "command or scene", s.scene, valid) +
                         (o.command == Subcommand::bench ? "" : "; nor is there a file of that name"));
    }
    validateSource(o);
    // Whether signs mean something is for the law to say, which a table cannot name.
    o.read.allowSigns = s.law && lawRow(*s.law).signedSources;
    // A file says its law when it is read.
    const Law usual = o.file.empty() ? known->law : Law::gravity;
    if (s.integrator && o.file.empty())
        if (const Reason reason = refusal(integrator(*s.integrator), s.law.value_or(usual)); !reason.empty())
            throw UsageError(reason);
    for (const LawNumber& number : lawNumbers()) {
        if (!(s.*number.asked) || !o.file.empty() || number.acts(s.law.value_or(usual))) continue;
        std::string fitting;
        for (const LawRow& row : laws())
            if (number.acts(row.law)) fitting += (fitting.empty() ? "--law " : " or --law ") + std::string(row.name);
        throw UsageError(std::string(number.option) + " belongs to " + number.of + "; add " + fitting);
    }
    if (o.file.empty()) requireSoftened(o.has("--softening"), s.law.value_or(usual));
    // A window takes its scene from its configuration, and a file's units are known when it is read.
    if (o.file.empty() && o.command != Subcommand::view && !o.inWindow) takeQuantities(o);
    const std::vector<std::string> kernelNames =
        !o.benchKernels.empty() ? o.benchKernels : std::vector<std::string>{nameOf(s.kernel.choice())};
    for (const std::string& name : kernelNames) {
        if (name == "auto" || (name == "all" && o.command == Subcommand::bench)) continue;
        if (namesKernelFile(name)) {
            const bool runs =
                o.command == Subcommand::view || o.command == Subcommand::run || o.command == Subcommand::render;
            const bool measures =
                o.command == Subcommand::bench && o.benchFigure.empty() && o.benchCard.empty() && o.frames == 0;
            if (!runs && !measures)
                throw UsageError("--kernel " + name +
                                 ": the file of a kernel is for 'gravlab', 'gravlab run', 'gravlab render' and 'gravlab "
                                 "bench' of forces; the lab has an editor, page Own");
            if (runs && s.kernel.launch != LaunchRequest())
                throw UsageError("--kernel " + name +
                                 ": the text says how it is launched, in lines '// gravlab: block=128'");
            continue;
        }
        if (s.backend)
            kernel(*s.backend, name);
        else if (std::ranges::none_of(backends(), [&](const BackendRow& row) { return hasKernel(row.name, name); }))
            findRow(kernels(), "kernel", name);
    }
    const BackendRow* named = s.backend ? &backend(*s.backend) : nullptr;
    if (s.backendOptions.threads && named && !named->usesCores && !named->onDevice)
        throw UsageError("--threads does not apply: the " + *s.backend + " backend computes on one thread");
    if (s.backendOptions.simd && named && !named->usesCores)
        throw UsageError("--simd does not apply to the " + *s.backend + " backend; it chooses the CPU's instruction set");

    validateLaunch(o, kernelNames);
    refuseIdle(o);

    std::vector<std::size_t> counts = o.benchBodies;
    if (s.bodies) counts.push_back(*s.bodies);
    if (!o.file.empty() && !isSceneFile(o.file) && s.bodies)
        throw UsageError("a file has the bodies that it has; leave out -n");
    for (const std::size_t count : counts)
        if (o.file.empty() && known->fixedBodies != 0 && count != known->fixedBodies)
            throw UsageError("scene '" + s.scene + "' always has " + std::to_string(known->fixedBodies) +
                             " bodies; leave out -n, or choose another scene");

    if (o.has("--follow") && o.settings.at("view.follow") == Value(std::string("body")) && !o.has("--select"))
        throw UsageError("--follow body needs --select ID");
    if (!o.twin.on && o.has("--twin-view") && o.file.empty())
        throw UsageError("--twin-view needs a twin: add --twin, such as --twin integrator=euler");
    if (o.command == Subcommand::render) {
        if (o.output.empty()) throw UsageError("render needs -o FILE.png, FILE.mp4 or DIR/%05d.png");
        parseFilmOutput(o.output);
        if (o.has("--fps") && o.output.ends_with(".png"))
            throw UsageError("--fps does not apply: pictures follow each other as fast as who shows them likes");
        const bool still = o.output.ends_with(".png") && o.output.find('%') == std::string::npos;
        const EncoderRow& row = encoderFor(o.output, o.encoder, o.quality);
        if (o.has("--fps") && o.fps > row.mostFps)
            throw UsageError("--fps " + shortestText(o.fps) + ": " + std::string(row.name) + " has at most " +
                             shortestText(row.mostFps) + " frames a second");
        if (o.loop) {
            if (!o.file.empty() && !isSceneFile(o.file))
                throw UsageError("--loop needs a scene by its name: bodies of a file have no known period");
            if (o.twin.on) throw UsageError("--loop and --twin exclude each other: two runs seldom have one period");
            if (s.timeStep) throw UsageError("--loop chooses the time step that fits; leave out --dt");
            if (still) throw UsageError("--loop makes a film; -o FILE.png is one picture");
            if (o.flyPath && o.frames == 0) throw UsageError("--loop with --path needs --frames COUNT");
            if (o.file.empty()) loopPlan(*known, std::min(o.fps, row.mostFps), o.frames, 0);
        }
        if (o.frames == 0 && !still && !o.flyPath && !o.loop)
            throw UsageError("a film needs its length: --frames COUNT, or --loop for one period of the scene");
    }
    if (o.command == Subcommand::bench && !o.benchFigure.empty()) {
        if (!o.output.ends_with(".png") && !o.output.ends_with(".csv"))
            throw UsageError("--figure " + o.benchFigure + " needs -o FILE.png or FILE.csv");
        if (o.benchKernels.size() > 1) throw UsageError("--figure takes one kernel");
    }
    if (o.command == Subcommand::bench && !o.benchCard.empty()) {
        if (!o.benchFigure.empty()) throw UsageError("--card and --figure exclude each other; give one of them");
        if (!o.output.empty()) throw UsageError("--card names its file itself; leave out -o");
        if (!o.benchCard.ends_with(".png") && !o.benchCard.ends_with(".txt"))
            throw UsageError("--card '" + o.benchCard + "': expected FILE.png or FILE.txt");
        if (o.benchKernels.size() > 1 || (!o.benchKernels.empty() && o.benchKernels.front() == "all"))
            throw UsageError("--card takes one kernel");
    }
    if (o.command == Subcommand::run) {
        if (o.steps >= 0 && o.until >= 0) throw UsageError("--steps and --until exclude each other; give one of them");
        if (o.until > 0 && s.timeStep.value_or(1) < 0)
            throw UsageError("--until is never reached with a negative --dt; use --steps");
        // A file that is not there is the better reason.
        if (o.steps < 0 && o.until < 0 && !o.file.empty() && o.file != "-") Source::open(o.file);
        if (o.steps < 0 && o.until < 0) throw UsageError("how long? give --steps COUNT or --until TIME");
        refuseOneFileTwice(o);
        if (!o.finalFile.empty()) formatForWriting(o.finalFile);
        if (!o.checkpoint.empty() && formatForWriting(o.checkpoint).name != "hdf5")
            throw UsageError("--checkpoint '" + o.checkpoint + "': only .hdf5 keeps what going on exactly takes");
        if (o.snapshotEvery > 0) formatForWriting(numberedName("--snapshots", o.snapshots, 0));
    }
}

}  // namespace

Options parseOptions(int argc, const char* const* argv) {
    std::vector<std::string> args(argv + std::min(1, argc), argv + argc);
    const std::size_t word = findCommandWord(args);
    const CommandRow* row = &commandRow(Subcommand::view);
    bool named = false;
    if (word < args.size())
        for (const CommandRow& candidate : kCommands)
            if (candidate.name == args[word]) {
                row = &candidate;
                named = true;
            }
    if (named) args.erase(args.begin() + static_cast<std::ptrdiff_t>(word));

    Options options;
    CLI::App app;
    buildParser(app, *row, options);
    const auto asks = [&args](std::string_view flag) {
        return std::find(args.begin(), std::find(args.begin(), args.end(), "--"), flag) !=
               std::find(args.begin(), args.end(), "--");
    };
    if (asks("--version")) {
        std::fputs(versionText().c_str(), stdout);
        options.command = Subcommand::version;
        return options;
    }
    if (asks("--help") || asks("-h")) {
        const std::string text = (named ? "" : overview()) + app.help();
        std::fputs(text.c_str(), stdout);
        options.command = Subcommand::version;
        return options;
    }
    try {
        std::vector<std::string> reversed(args.rbegin(), args.rend());  // the order that CLI11 takes a vector in
        app.parse(reversed);
    } catch (const CLI::ParseError& error) {
        throw UsageError(std::string(error.what()) + "; see 'gravlab " + std::string(row->name) + " --help'");
    }
    for (const std::string& extra : app.remaining())
        if (extra != "--") refuseExtra(*row, extra);
    for (const char* output : kOutputs)
        if (const CLI::Option* option = app.get_option_no_throw(output); option && option->count() > 1)
            throw UsageError(std::string(output) + " is given " + std::to_string(option->count()) +
                             " times, and would write one file: give it once");
    for (const CLI::Option* option : app.get_options())
        if (option->count() > 0)
            for (const std::string& longOption : option->get_lnames()) options.given.push_back("--" + longOption);
    validate(options, named);
    if (options.command == Subcommand::render && options.frames == 0 && !options.flyPath && !options.loop)
        options.frames = 1;  // a still
    return options;
}

}  // namespace gravlab
