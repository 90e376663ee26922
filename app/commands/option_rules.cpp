// Rules of options that depend on the bodies: an option that does nothing for this scene, file, law or kernel is refused
// with the reason, so that no user misreads a result.
#include "app/commands/option_groups.h"
#include "app/files/open_file.h"
#include "app/files/scene_file.h"
#include "app/parameters/quantity.h"
#include "app/tables/own_kernel.h"
#include "sim/api/errors.h"
#include "sim/backends/backend.h"
#include "sim/backends/division.h"
#include "sim/backends/kernel_rows.h"
#include "sim/core/names.h"
#include "sim/forces/law.h"
#include "sim/forces/law_numbers.h"

#include <algorithm>
#include <span>

namespace gravlab {
namespace {

/// Refuses a launch option that none of the kernels that may run has.
void requireLaunch(const StartOptions& o, const std::vector<std::string>& names) {
    const std::string_view backendName = chooseBackend(o.simulation.backend, o.simulation.backendOptions).row->name;
    const auto named = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
    std::vector<const KernelRow*> all;
    for (const std::span<const KernelRow> rows : {kernels(), trapKernels()})
        for (const KernelRow& row : rows) all.push_back(&row);
    const auto require = [&](std::string_view option, bool (*has)(const KernelRow&), bool mayBeChosen) {
        std::string owners;
        for (const KernelRow* row : all) {
            if (!has(*row)) continue;
            if (row->backend == backendName && (mayBeChosen || named("all") || named(row->name))) return;
            if (row->trap.empty()) addTo(owners, std::string(row->backend) + " " + std::string(row->name));
        }
        throw UsageError(std::string(option) + " does not apply to the " + std::string(backendName) +
                         " kernels that were chosen; " + (owners.empty() ? "no kernel has it" : "these have it: " + owners));
    };
    const auto& pairs = o.simulation.pairs();
    for (const LaunchNumber& number : launchNumbers())
        if (pairs.kernel.launch.*number.wanted || o.has(number.option)) require(number.option, number.has, named("auto"));
    if (pairs.accuracy.value_or(0) > 0) require("--accuracy", goesByAccuracy, named("auto"));
    // Kernels that go by an opening angle are chosen by name, which a file may do.
    const bool byFile = !o.file.empty() && !o.has("--kernel");
    if (pairs.opening) require("--opening", goesByOpening, named("auto") && byFile);
}

/// Options without effect where bodies come from a scene, or from a file.
void requireSource(const StartOptions& o) {
    constexpr const char* kReading[] = {"--columns", "--units", "--G",          "--hubble", "--sanitize",
                                        "--region",  "--every", "--every-body", "--bonds"};
    const bool bodies = !o.file.empty() && !isSceneFile(o.file);
    for (const std::string_view option : kReading)
        if (!bodies && o.has(option) && !(option == "--every" && o.has("--csv")))  // there of --csv
            throw UsageError(std::string(option) + " says how a file with bodies is read, and '" + o.simulation.scene +
                             "' is a scene: leave it out");
    for (const char* option : {"--seed", "--scene-version", "--set"})
        if (bodies && o.has(option)) refuseIdle(option, "a file has the bodies that it has");
}

/// The selected scene; null where a file is selected. Throws UsageError where neither exists.
const Scene* requireStart(StartOptions& o, bool files, bool commandNamed) {
    try {
        return &sceneNamed(o.simulation.scene);
    } catch (const UsageError&) {  // the name may be a file
    }
    if (files && meansFile(o.simulation.scene)) o.file = o.simulation.scene;
    refuseToReplace({o.file}, o);
    if (!o.file.empty()) return nullptr;
    std::vector<std::string_view> valid;
    if (!commandNamed)
        for (const CommandRow* command : commandRows()) valid.push_back(command->name);
    for (const Scene& scene : sceneTable()) valid.push_back(scene.name);
    throw UsageError(unknownName(commandNamed ? "scene" : "command or scene", o.simulation.scene, valid) +
                     (files ? "; nor is there a file of that name" : ""));
}

/// Options without effect under the law of a scene. A file's law is known when it is read.
void requireLawOf(const StartOptions& o, const Scene& scene) {
    const RunRequest& s = o.simulation;
    const Law law = s.law.value_or(scene.law);
    if (s.integrator)
        if (const Reason reason = refusal(integrator(*s.integrator), law); !reason.empty()) throw UsageError(reason);
    for (const LawNumber& number : lawNumbers()) {
        if (!(s.lawNumbers.*number.wanted) || number.acts(law)) continue;
        std::string fitting;
        for (const LawRow& row : laws())
            if (number.acts(row.law)) fitting += (fitting.empty() ? "--law " : " or --law ") + std::string(row.name);
        throw UsageError(std::string(number.option) + " belongs to " + number.of + "; add " + fitting);
    }
    requireSoftened(o.has("--softening"), law);
}

/// Whether several parts of the only device of a CPU are named.
bool namesParts(const RunRequest& s, const BackendRow& row) {
    const std::vector<int>& helpers = s.backendOptions.helpers;
    return row.usesCores && !helpers.empty() && helpers == cpuHelpers(s.backendOptions);
}

/// Kernels that no table contains, or that the command cannot use.
void requireKernels(const StartOptions& o, const StartRules& rules) {
    const RunRequest& s = o.simulation;
    const std::vector<std::string> names =
        !rules.kernels.empty() ? rules.kernels : std::vector<std::string>{nameOf(s.pairs().choice())};
    for (const std::string& name : names) {
        if (name == "auto" || (name == "all" && rules.allKernels)) continue;
        if (namesKernelFile(name)) {
            if (!rules.ownKernels)
                throw UsageError("--kernel " + name +
                                 ": the file of a kernel is for 'gravlab', 'gravlab run', 'gravlab render' and 'gravlab "
                                 "bench' of forces; the lab has an editor, page Own");
            if (s.pairs().kernel.launch != LaunchRequest())
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
    if (named && !named->onDevice && o.has("--device") && !namesParts(s, *named))
        throw UsageError("--device chooses a CUDA device and does nothing on the " + *s.backend + " backend");
    requireLaunch(o, names);
}

/// Numbers of bodies where the scene has a fixed number, or a file has the bodies.
void requireBodies(const StartOptions& o, const Scene* known, std::vector<std::size_t> counts) {
    if (o.simulation.bodies) counts.push_back(*o.simulation.bodies);
    if (!o.file.empty() && !isSceneFile(o.file) && o.simulation.bodies)
        throw UsageError("a file has the bodies that it has; leave out -n");
    for (const std::size_t count : counts)
        if (known && known->fixedBodies != 0 && count != known->fixedBodies)
            throw UsageError("scene '" + o.simulation.scene + "' always has " + std::to_string(known->fixedBodies) +
                             " bodies; leave out -n, or choose another scene");
}

}  // namespace

void checkStart(Subcommand& command, const StartRules& rules) {
    StartOptions& o = command.start;
    const Scene* const known = requireStart(o, rules.files, command.named);
    requireSource(o);
    // Only the law decides whether signs are allowed; a table of options cannot name it.
    o.read.allowSigns = o.simulation.law && lawRow(*o.simulation.law).signedSources;
    if (known) requireLawOf(o, *known);
    if (known && rules.quantities) takeQuantities(o);  // a file's units are known when it is read
    requireKernels(o, rules);
    requireBodies(o, known, rules.bodies);
    if (o.has("--follow") && o.settings.at("view.follow") == Value(std::string("body")) && !o.has("--select"))
        throw UsageError("--follow body needs --select ID");
    if (!o.twin.on && o.has("--twin-view") && known)
        throw UsageError("--twin-view needs a twin: add --twin, such as --twin integrator=euler");
}

void refuseIdle(std::string_view option, std::string_view why) {
    throw UsageError(std::string(option) + " does nothing: " + std::string(why));
}

void refuseHelpers(const StartOptions& o) {
    if (!o.simulation.backendOptions.helpers.empty())
        refuseIdle("--device with several devices",
                   "they divide the forces of a run, and this command uses one; name it alone");
}

void refuseIdleDevice(const StartOptions& o) {
    refuseHelpers(o);
    if (o.has("--device") && !chooseBackend(o.simulation.backend, o.simulation.backendOptions).row->onDevice)
        refuseIdle("--device", "no CUDA device is used here");
}

void refuseIdleThreads(const StartOptions& o) {
    const std::string name = nameOf(o.simulation.pairs().choice());
    const BackendRow& backend = *chooseBackend(o.simulation.backend, o.simulation.backendOptions).row;
    // 'auto' and a file may select a kernel with threads.
    if (!o.has("--kernel") || !o.file.empty() || !backend.usesCores || !hasKernel(backend.name, name)) return;
    const CpuUse use = cpuUse(kernel(backend.name, name));
    if (o.has("--threads") && o.simulation.backendOptions.threads.value_or(1) != 1 && !use.threads)
        refuseIdle("--threads", "the " + name + " kernel computes on one thread");
    if (o.has("--simd") && !use.instructionSets)
        refuseIdle("--simd", "the " + name + " kernel is the same under every instruction set");
}

void refuseIdleLaunch(const StartOptions& o, const KernelRow& runs) {
    if (o.has("--kernel")) return;  // the command line was checked against the named kernel
    const std::string why = "for these bodies the " + std::string(runs.name) +
                            " kernel runs, which has none; name one that has it with --kernel";
    for (const LaunchNumber& number : launchNumbers())
        if (o.has(number.option) && !number.has(runs)) refuseIdle(number.option, why);
}

}  // namespace gravlab
