// Options without effect: they are refused with the reason, so that no user misreads a result.
// Rule: a row is an option that a command inherits from similar commands, or one that needs another.
#include "app/commands/options.h"

#include "app/model/document.h"
#include "app/model/options.h"
#include "app/tables/colour_mode.h"
#include "sim/backends/backend.h"
#include "sim/backends/kernel_rows.h"
#include "sim/core/error.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace gravlab {
namespace {

struct Idle {
    Subcommand command;
    std::string_view option;
    bool (*idle)(const Options&);  ///< null: always
    std::string_view why;
};

constexpr std::string_view kNoStep = "no step is made", kEveryPair = "every pair is computed",
                           kOfAllRows = "the reference backend makes it; add --all for the rows of a backend";
bool oneRun(const Options& o) { return !o.printsAllRows; }
bool ofDistances(const Options& o) { return o.pairValue == PairValue::distance; }
bool asJson(const Options& o) { return o.json; }
bool withoutDevice(const Options& o) {
    return !chooseBackend(o.simulation.backend, o.simulation.backendOptions).row->onDevice;
}

constexpr Idle kIdle[] = {
    {Subcommand::matrix, "--accuracy", nullptr, kEveryPair},
    {Subcommand::matrix, "--dt", nullptr, kNoStep},
    {Subcommand::matrix, "--field", nullptr, "the pairs are those of the pair law"},
    {Subcommand::bench, "--field", nullptr, "it times the pair law; --term-kernel field=all times fields"},
    {Subcommand::matrix, "--integrator", nullptr, kNoStep},
    {Subcommand::matrix, "--softening", ofDistances, "a distance is not softened"},
    {Subcommand::matrix, "--contact", nullptr, kNoStep},
    {Subcommand::matrix, "--radius", nullptr, kNoStep},
    {Subcommand::matrix, "--density", nullptr, kNoStep},
    {Subcommand::matrix, "--restitution", nullptr, kNoStep},
    {Subcommand::matrix, "--friction", nullptr, kNoStep},
    {Subcommand::fingerprint, "--accuracy", nullptr, kEveryPair},
    {Subcommand::fingerprint, "--backend", oneRun, kOfAllRows},
    {Subcommand::fingerprint, "--kernel", oneRun, kOfAllRows},
    {Subcommand::fingerprint, "--device", oneRun, kOfAllRows},
    {Subcommand::fingerprint, "--threads", oneRun, kOfAllRows},
    {Subcommand::fingerprint, "--simd", oneRun, kOfAllRows},
    {Subcommand::fingerprint, "--sizes", oneRun, kOfAllRows},
    {Subcommand::groups, "--rows", asJson, "--json has all groups"},
    {Subcommand::groups, "--device", withoutDevice, "no CUDA device is used here"},
    {Subcommand::memory, "--device", withoutDevice, "no CUDA device is used here"},
};

[[noreturn]] void refuse(std::string_view option, std::string_view why) {
    throw UsageError(std::string(option) + " does nothing: " + std::string(why));
}

/// Threads and instruction sets apply only to some kernels; `auto` and a file may select one of these.
void refuseIdleOfKernel(const Options& o) {
    const std::string name = nameOf(o.simulation.pairs().choice());
    const BackendRow& backend = *chooseBackend(o.simulation.backend, o.simulation.backendOptions).row;
    if (!o.has("--kernel") || !o.file.empty() || !backend.usesCores || !hasKernel(backend.name, name)) return;
    const CpuUse use = cpuUse(kernel(backend.name, name));
    if (o.has("--threads") && o.simulation.backendOptions.threads.value_or(1) != 1 && !use.threads)
        refuse("--threads", "the " + name + " kernel computes on one thread");
    if (o.has("--simd") && !use.instructionSets)
        refuse("--simd", "the " + name + " kernel is the same under every instruction set");
}

}  // namespace

void refuseIdle(const Options& o) {
    for (const Idle& row : kIdle)
        if (row.command == o.command && o.has(row.option) && (!row.idle || row.idle(o))) refuse(row.option, row.why);
    if (o.command == Subcommand::run || o.command == Subcommand::render) refuseIdleOfKernel(o);
}

void refuseIdleLaunch(const Options& o, const KernelRow& runs) {
    if (o.has("--kernel")) return;  // the command line was checked against the named kernel
    const std::string why = "for these bodies the " + std::string(runs.name) +
                            " kernel runs, which has none; name one that has it with --kernel";
    for (const LaunchNumber& number : launchNumbers())
        if (o.has(number.option) && !number.has(runs)) refuse(number.option, why);
}

void refuseIdleLook(const Options& o, const Document& document, bool panels) {
    const ColourMode& mode = document.shownMode();
    const std::string shown = "the colours are those of '" + std::string(mode.name) + "'";
    const bool ofSpeed = mode.published == VertexValue::speed && !mode.ofTraits && mode.map.empty();
    if (o.has("--map") && !mode.map.empty()) refuse("--map", shown + ", which have a map of their own");
    if (o.has("--top-speed") && !ofSpeed) refuse("--top-speed", shown);
    for (const std::string_view layer : {"--dust", "--gas", "--sky"})
        if (o.has(layer) && !mode.photograph) refuse(layer, shown + "; it belongs to --colour photograph");
    const auto& groups = document.facts.bodies->group;
    if (o.has("--dark-matter") && std::ranges::none_of(groups, isDark)) refuse("--dark-matter", "no body is dark matter");
    if (o.has("--tree-level") && document.tree.boxes != TreeBoxes::level)
        refuse("--tree-level", "it belongs to --tree-cells level");
    if (o.has("--lab") && !o.showUi) refuse("--lab", "the lab is one of the panels; add --ui");
    if (o.has("--ui-scale") && !panels) refuse("--ui-scale", "nothing is written over the picture; add --ui or --overlay");
}

}  // namespace gravlab
