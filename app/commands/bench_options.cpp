// The options of `gravlab bench`, and which of them go together.
#include "app/bench/figure.h"
#include "app/bench/papers.h"
#include "app/commands/command_bench.h"
#include "app/commands/option_groups.h"
#include "app/files/open_file.h"
#include "app/film/film.h"
#include "app/plots/page.h"
#include "sim/api/errors.h"
#include "sim/core/names.h"
#include "sim/forces/law_numbers.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>

namespace gravlab {

void BenchCommand::add(OptionRows& rows) {
    constexpr std::array<std::string_view, 3> kFormats{"table", "csv", "json"};
    addScene(rows, "plummer");
    rows.numbersOfBodies("-n,--bodies", counts, "numbers of bodies, separated by commas or spaces");
    // Lists, and what the pair law alone does not have; --term-kernel field=all times fields.
    constexpr std::string_view kOthers[] = {"--bodies",  "--kernel",   "--block", "--unroll",    "--split",
                                            "--threads", "--accuracy", "--dt",    "--softening", "--field"};
    rows.ofAll([&](const Parameter& row) {
        return row.ask && std::find(std::begin(kOthers), std::end(kOthers), row.storedAs.option) == std::end(kOthers);
    });
    addSet(rows);
    addKernelList(rows, kernels, "kernels; 'all' is every one of the backend [auto]");
    rows.listOf("run.block", blocks, "block sizes, where the kernel has them");
    rows.listOf<int>("run.unroll", unrolls, "unroll factors, where the kernel has them; auto is the compiler's choice",
                     kAutoUnroll);
    rows.listOf("run.split", splits, "parts of the sources, where the kernel has them");
    rows.settingOrList("run.threads", threads);
    rows.settingOrList("run.accuracy", accuracies);
    rows.settingOrList("run.time_step", timeSteps);
    rows.settingOrList("run.softening", softenings);
    rows.whole("--steps", "COUNT", steps, 1, kAnyCount, "steps of one repetition [as many as fit a quarter of a second]");
    rows.read("--until", "TIME", until, parsePositive,
              "with --figure energy-dt or energy-softening: simulated time of each run [1]")
        .needs("--figure");
    rows.flag("--spread-masses", spreadMasses,
              "give every body a mass of its own, 0.5 to 1.5 times the scene's: the hardest case for a kernel");
    rows.whole("--repeats", "COUNT", repeats, 1, 1000, "repetitions, of which the median counts [5]");
    rows.value(
        "--format", "NAME",
        [this, kFormats](auto&, auto& text) {
            if (std::ranges::find(kFormats, text) == kFormats.end())
                throw UsageError(unknownName("format", text, {kFormats.begin(), kFormats.end()}));
            format = text;
        },
        "table, csv or json [table]");
    rows.whole("--frames", "COUNT", picture.frames, 40, kAnyCount,
               "time that many whole frames off screen instead: steps, picture and, with --ui, panels");
    rows.list(
            "--size", "LIST",
            [this](auto& name, auto& texts) {
                for (auto& text : texts) sizes.push_back(parseSize(name, text));
                std::tie(picture.width, picture.height) = sizes.front();
            },
            "with --frames: pixels, WxH; several with --stages [1280x720]")
        .needs("--frames");
    rows.flag("--stages", stages, "with --frames: time on the GPU of each stage of drawing, both ways, while nothing steps")
        .needs("--frames");
    for (const char* path : {"look.splat", "look.copy_vertices", "run.steps_per_frame", "run.time_budget"})
        rows.of(parameter(path), "with --frames: ").needs("--frames");
    rows.of("film.frames_per_second", "--fps", "RATE", fps,
            "with --frames: wait for each as for a display of that rate [not at all]")
        .needs("--frames");
    rows.flag("--ui", picture.showUi, "with --frames: draw the panels too").needs("--frames");
    rows.rowOf("--figure", "NAME", figure, gravlab::figure,
               "measure and draw a study into -o FILE.png, .svg or .pdf, or FILE.csv: " +
                   joined(figures(), [](const FigureRow& row) { return row.name; }))
        .excludes("--card");
    rows.output("--csv", "FILE", csv, "with --figure and a picture as -o: its numbers, too, of the same measurement")
        .needs("--figure");
    rows.text("--from", "FILE", from,
              "with --figure and a picture as -o: measure nothing, and draw the numbers that --csv wrote into this FILE")
        .needs("--figure");
    rows.value(
            "--beside", "WHAT",
            [this](auto&, auto& text) {
                if (text != "papers") throw UsageError(unknownName("thing to draw beside", text, {"papers"}));
                besidePapers = true;
            },
            "with --figure unroll, block, split, bodies, cpu-gpu or ladder and a picture as -o: 'papers', what papers 000 "
            "(G. Bertinelli, a report on N-body in CUDA), 002 (K. Shekofteh, a lecture in Heidelberg) and 003 (a course "
            "report) "
            "measured, with unfilled marks, also as shares of what each device can issue")
        .needs("--figure");
    rows.output("--card", "FILE", card, "measure this device and write its card: FILE.png to post, or FILE.txt")
        .excludes("--output", "--card names its file itself; leave out -o");
    rows.output("-o,--output", "FILE", output, "write there instead of standard output");
}

/// Options that a study sets itself, cannot use, or accepts only one value of.
void BenchCommand::checkStudy() const {
    const std::string study = figure.empty() ? "--card" : "--figure " + figure;
    const FigureRow* row = figure.empty() ? nullptr : &gravlab::figure(figure);
    const auto refuse = [&](std::string_view option, std::string_view why) {
        if (start.has(option))
            throw UsageError(std::string(option) + " does nothing with " + study + ": " + std::string(why));
    };
    constexpr std::string_view kSteps = "it takes as many steps as its times need";
    constexpr std::string_view kLaw = "it measures gravity in the scene's usual form";
    refuse("--format", "the name of its file says how it is written");
    refuse("--steps", kSteps);
    refuse("--spread-masses", "its bodies are the scene's");
    refuse("--law", kLaw);
    for (const LawNumber& number : lawNumbers()) refuse(number.option, kLaw);
    if (!row || !row->computed) {
        refuse("--set", kLaw);
        refuse("--until", kSteps);
    }
    if (row)
        for (const UnusedOptions& unused : row->unused)
            for (const std::string& option : splitList({std::string(unused.options)})) refuse(option, unused.why);
    if (!from.empty()) {
        for (const char* option : {"--bodies", "--kernel", "--block", "--unroll", "--split", "--threads", "--repeats",
                                   "--backend", "--device", "--accuracy", "--csv"})
            refuse(option, "--from measures nothing");
        if (output.ends_with(".csv")) throw UsageError("--from draws numbers again; take -o FILE.png, FILE.svg or FILE.pdf");
    }
    if (!row || !hasPapers(row->name))
        refuse("--beside", "papers have rates for unroll, block, split, bodies, cpu-gpu and ladder");
    if (output.ends_with(".csv"))
        refuse("--beside", "it draws into a picture; the numbers of papers are in docs/benchmarks/papers.csv");
    const std::pair<std::string_view, std::size_t> lists[] = {
        {"--block", blocks.size()},        {"--unroll", unrolls.size()},      {"--split", splits.size()},
        {"--threads", threads.size()},     {"--accuracy", accuracies.size()}, {"--dt", timeSteps.size()},
        {"--softening", softenings.size()}};
    for (const auto& [option, count] : lists)
        if (count > 1 && (!row || std::ranges::find(row->walks, option) == row->walks.end()))
            throw UsageError(study + " takes one " + std::string(option));
    if (row && row->oneNumberOfBodies && counts.size() > 1) throw UsageError(study + " takes one -n");
    if (kernels.size() > 1 || (!row && !kernels.empty() && kernels.front() == "all"))
        throw UsageError((row ? "--figure" : "--card") + std::string(" takes one kernel"));
}

/// Lists that a table of rates cannot use, and a time step, which changes no rate.
void BenchCommand::checkRates() const {
    const std::pair<const char*, std::size_t> lists[] = {
        {"--accuracy", accuracies.size()}, {"--dt", timeSteps.size()}, {"--softening", softenings.size()}};
    for (const auto& [option, count] : lists)
        if (count > 1) throw UsageError(std::string(option) + " takes one value; a list is for --figure");
    if (picture.frames == 0 && start.has("--dt"))
        refuseIdle("--dt", "a rate does not depend on it; it is for --figure and --frames");
    if (!stages && sizes.size() > 1) throw UsageError("--size takes several sizes only with --stages");
}

void BenchCommand::check() {
    refuseToReplace({from}, start);
    const bool rates = figure.empty() && card.empty();
    rates ? checkRates() : checkStudy();
    checkStart(*this, {.files = false,
                       .ownKernels = rates && picture.frames == 0,
                       .allKernels = true,
                       .kernels = kernels,
                       .bodies = counts});
    const bool drawn = !pictureFormat(output).empty();
    if (!csv.empty() && !drawn) throw UsageError("--csv goes with -o FILE.png, FILE.svg or FILE.pdf; -o FILE.csv is enough");
    if (!figure.empty() && !drawn && !output.ends_with(".csv"))
        throw UsageError("--figure " + figure +
                         " needs -o FILE.png or FILE.csv; FILE.svg and FILE.pdf hold the picture as lines and letters");
    if (!card.empty() && pictureFormat(card).empty() && !card.ends_with(".txt"))
        throw UsageError("--card '" + card + "': expected FILE.png, FILE.svg, FILE.pdf or FILE.txt");
    // Where --kernel is a list, --term-kernel pair-law=ROW is a list of one.
    if (const auto& pairs = start.simulation.pairs().kernel.kernel; pairs && kernels.empty()) kernels = {*pairs};
}

constinit const CommandRow kBenchCommand{"bench", "check, then time force kernels",
                                         "  gravlab bench --backend cuda -n 1k,64k,1M --block 128,256 --unroll 8,16\n"
                                         "  gravlab bench --backend cpu --kernel all -n 16384 --format json -o cpu.json\n"
                                         "  gravlab bench --figure unroll -o unroll.png --csv unroll.csv\n"
                                         "  gravlab bench --figure threads --threads 1,2,4 -o threads.png\n"
                                         "  gravlab bench two-body --figure energy-dt --until 6 -o energy.png\n"
                                         "  gravlab bench --card card.png\n"
                                         "  gravlab bench collision --frames 600 -n 64k --size 1920x1080 --ui\n"
                                         "  gravlab bench collision --frames 200 --stages -n 64k,1M --size 1920x1080\n",
                                         made<BenchCommand>};

}  // namespace gravlab
