// What is computed: scene, bodies, backend, kernel, physics and pace; and the facts of the run.
#include "app/control/parameter_rows.h"
#include "sim/core/error.h"
#include "sim/core/names.h"
#include "sim/core/validation.h"
#include "sim/forces/law.h"
#include "sim/forces/law_numbers.h"
#include "sim/forces/precision.h"
#include "sim/io/run_settings.h"
#include "sim/io/toml_value.h"
#include "sim/tree/criterion.h"

#include <algorithm>
#include <array>
#include <set>

namespace gravlab {
namespace {

using namespace rows;

/// A name that the scene, backend or machine chooses when nobody does.
template <class Rows, class Get>
Parameter nameRow(Parameter row, Rows table, Get get) {
    row.kind = Kind::choice;
    row.choices = [table] { return namesOf(table()); };
    if (!row.offers)
        row.offers = [table, get](const Document& d) { return offersOf(table(), std::string(get(inForce(d)))); };
    row.get = [get](const Document& d) -> Value { return std::string(get(inForce(d))); };
    return row;
}

/// A whole number in force.
template <class Get>
Parameter wholeRow(Parameter row, Get get) {
    row.kind = Kind::integer;
    row.get = [get](const Document& d) { return wholeValue(static_cast<std::uint64_t>(get(inForce(d)))); };
    return row;
}

/// A number that nobody chose is the word for that.
Value unlessZero(double number) { return number > 0 ? Value(number) : Value(std::string("auto")); }

/// Asks for a value as files do, through the row of the setting.
void take(RunRequest& request, std::string_view key, const Value& value) {
    const auto* text = std::get_if<std::string>(&value);
    const SettingRow& setting = settingRow(key);
    if (!setting.take(request, text ? tomlString(*text) : valueText(value)))
        throw UsageError(std::string(key) + " " + valueText(value) + ": expected " + std::string(setting.expected));
}

void addStart(std::vector<Parameter>& all) {
    all.push_back(
        nameRow({.path = "run.scene",
                 .label = "Scene",
                 .idea = "the starting state; its own time step, softening and view come with it",
                 .usual = "collision",
                 .kept = {.option = "SCENE", .scene = "scene", .configuration = "scene.name", .checkpoint = "scene"},
                 .names = "a scene of 'gravlab list scenes'",
                 .ask = [](RunRequest& r, const Value& v) { r.changeScene(sceneNamed(textOf(v)).name); }},
                sceneTable, [](const RunConfiguration& c) { return c.scene; }));
    Parameter version = wholeRow(
        {.path = "run.scene_version",
         .label = "Version",
         .idea = "of the scene: its start has changed where there are several, and files from then name the one they mean",
         .usual = "(the newest)",
         .otherwise = "auto",
         .kept = {.option = "--scene-version",
                  .scene = "scene_version",
                  .checkpoint = "scene_version",
                  .placeholder = "NUMBER",
                  .help = "version of the scene's start, where it has several"}},
        [](const RunConfiguration& c) { return c.sceneVersion; });
    version.set = [](Document& d, const Value& v) {
        RunRequest wanted = asked(d);
        take(wanted, "scene_version", v);
        sceneNamed(wanted.scene, wanted.sceneVersion);
        asked(d) = std::move(wanted);
    };
    all.push_back(std::move(version));
    Parameter bodies = wholeRow({.path = "run.bodies",
                                 .label = "Bodies",
                                 .idea = "how many; the scene starts again",
                                 .term = "Each body is pulled by each of the others, so twice as many cost four times as "
                                         "much a step, unless far ones are taken together.",
                                 .usual = "(the scene's own for this machine; "
                                          "a window has more where far bodies are together)",
                                 .otherwise = "auto",
                                 .multiples = true,
                                 .kept = {.option = "--bodies",
                                          .scene = "bodies",
                                          .configuration = "scene.bodies",
                                          .checkpoint = "bodies",
                                          .placeholder = "N",
                                          .alias = "-n"}},
                                [](const RunConfiguration& c) { return c.bodies; });
    bodies.set = [](Document& d, const Value& v) {
        const Scene& scene = sceneNamed(asked(d).scene, asked(d).sceneVersion);
        if (!isAuto(v) && scene.fixedBodies != 0 && numberOf(v) != static_cast<double>(scene.fixedBodies))
            throw UsageError("the scene '" + std::string(scene.name) + "' always has " + std::to_string(scene.fixedBodies) +
                             " bodies");
        take(asked(d), "bodies", v);
    };
    all.push_back(std::move(bodies));
    all.push_back(wholeRow(
        {.path = "run.seed",
         .label = "Seed",
         .idea = "same seed, same bodies; the scene starts again",
         .term = "Scenes draw places and velocities by lot; a seed names one of the draws, the same on every machine.",
         .usual = "1",
         .kept = {.option = "--seed", .scene = "seed", .checkpoint = "seed", .placeholder = "NUMBER"}},
        [](const RunConfiguration& c) { return c.seed; }));
}

/// The numbers of scenes: one row a name, whichever scenes have it.
void addSceneNumbers(std::vector<Parameter>& all) {
    std::set<std::string_view> seen;
    for (const Scene& scene : sceneTable())
        for (const SceneParameter& number : scene.parameters) {
            const bool fresh = seen.insert(number.name).second;
            const std::string path = "scene." + std::string(number.name);
            if (!fresh) {
                // Scenes may bound the same name otherwise: the row has all, the scene's own is asked when it is set.
                Parameter& row = *std::find_if(all.begin(), all.end(), [&](const Parameter& p) { return p.path == path; });
                row.bounds.least = std::min(row.bounds.least, number.least);
                row.bounds.most = std::max(row.bounds.most, number.most);
                continue;
            }
            const auto rowOf = [name = number.name](const Scene& of) -> const SceneParameter* {
                for (const SceneParameter& row : of.parameters)
                    if (row.name == name) return &row;
                return nullptr;
            };
            all.push_back({.path = path,
                           .label = number.label,
                           .idea = number.idea,
                           .unit = number.unit,
                           .bounds = {.least = number.least, .most = number.most},
                           .usual = "(the scene's own)",
                           .otherwise = "auto",
                           .kept = {.option = "--set", .scene = "parameters", .checkpoint = "parameters"},
                           .get = [rowOf](const Document& d) -> Value {
                               const SceneParameter* row = rowOf(*d.facts.scene);
                               if (!row) return {};
                               SceneRequest running;
                               running.parameters = inForce(d).parameters;
                               return running.value(*row);
                           },
                           .set =
                               [name = std::string(number.name)](Document& d, const Value& v) {
                                   SceneParameters wanted = asked(d).parameters;
                                   if (isAuto(v))
                                       wanted.erase(name);
                                   else
                                       wanted[name] = std::get<double>(v);
                                   requireParameters(sceneNamed(asked(d).scene, asked(d).sceneVersion), wanted);
                                   asked(d).parameters = std::move(wanted);
                               },
                           .unavailable = [rowOf, name = number.name](const Document& d) -> Reason {
                               const auto found = std::find_if(sceneTable().begin(), sceneTable().end(),
                                                               [&](const Scene& row) { return row.name == asked(d).scene; });
                               if (found != sceneTable().end() && rowOf(*found)) return {};
                               return "the scene '" + asked(d).scene + "' has no number of that name";
                           }});
        }
}

/// Those of the backend in use.
std::vector<SettingChoice> kernelChoices(const Document& d) {
    const KernelRow& now = *d.facts.kernel;
    std::vector<SettingChoice> rows{{"auto", "The backend chooses by N and device.", false, {}}};
    for (const KernelRow* row : listedKernels(now.backend, now.term))
        rows.push_back({std::string(row->name), row->idea, row == &now,
                        row->byCutOff ? refusal(*row, d.facts.configuration.force) : Reason()});
    for (const KernelRow& row : trapKernels())
        if (row.backend == now.backend)
            rows.push_back({std::string(row.name), row.idea, false,
                            "Wrong on purpose, so no run takes it: " + std::string(row.trap) +
                                ". The lab's sweep 'traps' "
                                "measures it."});
    return rows;
}

/// What can be asked for by name; what must not be run is refused with its own sentence.
std::vector<KernelRow> nameableKernels() {
    std::vector<KernelRow> rows;
    for (const KernelRow* row : listedKernels())
        if (row->term == kPairLawTerm) rows.push_back(*row);
    rows.insert(rows.end(), trapKernels().begin(), trapKernels().end());
    return rows;
}

/// Asks for a number of a launch. The word is the compiler's choice; files say "auto" for what they leave open, and 0 here.
void takeKnob(RunRequest& request, std::string_view key, const Value& value) {
    take(request, key, isAuto(value) ? Value(std::int64_t{kAutoUnroll}) : value);
}

void addMachine(std::vector<Parameter>& all) {
    all.push_back(nameRow(
        {.path = "run.backend",
         .label = "Backend",
         .idea = "what computes the forces; the running state moves over",
         .term = "A backend is a kind of hardware with the code for it: 'reference' is plain double precision to check the "
                 "others by, 'cpu' takes all cores and their vector units, 'cuda' an NVIDIA GPU.",
         .usual = "auto",
         .otherwise = "auto",
         .kept = {.option = "--backend", .checkpoint = "backend"},
         .names = "a backend of 'gravlab list backends'",
         .offers = [](const Document& d) { return backendChoices(inForce(d)); },
         .ask = [](RunRequest& r, const Value& v) { r.changeBackend(isAuto(v) ? std::nullopt : std::optional(textOf(v))); }},
        backends, [](const RunConfiguration& c) { return c.backend; }));
    all.push_back(wholeRow({.path = "run.device",
                            .label = "Device",
                            .idea = "CUDA device, see 'gravlab list devices'",
                            .usual = "0",
                            .kept = {.option = "--device", .checkpoint = "device", .placeholder = "INDEX"}},
                           [](const RunConfiguration& c) { return c.backendOptions.device; }));
    Parameter threads = wholeRow({.path = "run.threads",
                                  .label = "Threads",
                                  .idea = "CPU threads",
                                  .usual = "auto",
                                  .otherwise = "auto",
                                  .kept = {.option = "--threads", .checkpoint = "threads"}},
                                 [](const RunConfiguration& c) { return c.backendOptions.threads.value_or(0); });
    threads.get = [](const Document& d) -> Value {
        const std::optional<int> count = inForce(d).backendOptions.threads;
        return count ? wholeValue(static_cast<std::uint64_t>(*count)) : Value(std::string("auto"));
    };
    all.push_back(std::move(threads));
    all.push_back({.path = "run.simd",
                   .label = "SIMD",
                   .idea = "instruction set of the CPU backend",
                   .kind = Kind::text,
                   .usual = "auto",
                   .otherwise = "auto",
                   .kept = {.option = "--simd", .checkpoint = "simd"},
                   .get = [](const Document& d) -> Value { return inForce(d).backendOptions.simd.value_or("auto"); }});
    all.push_back(nameRow({.path = "run.kernel",
                           .label = "Kernel",
                           .idea = "how the backend computes the forces; its launch begins at the usual values",
                           .term = "A kernel is the innermost program: it sums the pulls of all bodies on one. Each row of "
                                   "the list adds one idea to the row before, so that one sees what the idea is worth.",
                           .usual = "auto",
                           .otherwise = "auto",
                           .kept = {.option = "--kernel", .checkpoint = "kernel"},
                           .names = "a kernel of 'gravlab list kernels'",
                           .offers = kernelChoices,
                           .ask =
                               [](RunRequest& r, const Value& v) {
                                   r.kernel = {};
                                   if (!isAuto(v)) r.kernel.kernel = textOf(v);
                               }},
                          nameableKernels, [](const RunConfiguration& c) { return c.kernel.kernel; }));
    all.push_back({.path = "run.term_kernels",
                   .label = "Term kernels",
                   .idea = "how forces beside the pair law are computed, TERM=ROW for each",
                   .term =
                       "Scenes and files may bring force terms beside the pair law, such as springs between bodies. Each "
                       "has kernels of its own; what is left out the backend chooses.",
                   .kind = Kind::text,
                   .usual = "auto",
                   .otherwise = "auto",
                   .kept = {.option = "--term-kernel",
                            .checkpoint = "term_kernels",
                            .placeholder = "TERM=ROW",
                            .help = "kernel of a force term beside the pair law, as in springs=list or "
                                    "springs=list:block=64; several with commas"},
                   .get = [](const Document& d) -> Value {
                       const std::string text = termRequestsText(requestOf(inForce(d)).terms);
                       return text.empty() ? "auto" : text;
                   }});
    struct Knob {
        std::string_view path, label, idea, term, option, key;
        int LaunchConfig::*at;
        std::string_view placeholder;
    };
    constexpr Knob kKnobs[] = {
        {"run.block", "Block",
         "threads a block, which is also the bodies of a tile; on a CPU the bodies that a core takes at a time",
         "A GPU runs threads in blocks that share a small fast memory, where a tile of bodies is read once for all of them. "
         "Large blocks read less from far memory; of small ones more run side by side (occupancy). On a CPU a core takes a "
         "block of bodies at a time.",
         "--block", "block", &LaunchConfig::block, "THREADS"},
        {"run.unroll", "Unroll", "how many pairs the inner loop writes out",
         "A loop that is written out several times has fewer jumps, and independent pairs overlap; too many need more "
         "registers than a thread has. With 1 it is not written out at all, with auto as the compiler likes.",
         "--unroll", "unroll", &LaunchConfig::unroll, "FACTOR"},
        {"run.bodies_per_thread", "Per thread", "targets that one thread holds in registers",
         "Each source that is read then serves several targets, which saves reads; the registers that it takes let fewer "
         "threads run side by side.",
         "--bodies-per-thread", "bodies_per_thread", &LaunchConfig::bodiesPerThread, "COUNT"},
        {"run.split", "Split", "threads that share one target's sources",
         "Few bodies are too few threads to keep a GPU busy. Split, several of them sum one target, each over a part of the "
         "sources.",
         "--split", "split", &LaunchConfig::split, "COUNT"}};
    for (const Knob& knob : kKnobs) {
        Parameter row = wholeRow({.path = std::string(knob.path),
                                  .label = knob.label,
                                  .idea = knob.idea,
                                  .term = knob.term,
                                  .usual = "(the kernel's own)",
                                  .kept = {.option = knob.option, .checkpoint = knob.key, .placeholder = knob.placeholder}},
                                 [at = knob.at](const RunConfiguration& c) { return c.kernel.launch.*at; });
        row.set = [key = knob.key](Document& d, const Value& v) {
            // The kernel and the rest of its launch stay as they are.
            asked(d).kernel = requestOf(inForce(d).kernel);
            takeKnob(asked(d), key, v);
        };
        if (knob.at == &LaunchConfig::unroll) {
            const auto shown = [](std::optional<int> unroll) -> Value {
                if (!unroll) return {};
                return *unroll == kAutoUnroll ? Value(unrollText(*unroll)) : wholeValue(static_cast<std::uint64_t>(*unroll));
            };
            row.otherwise = "auto";
            row.get = [shown](const Document& d) { return shown(inForce(d).kernel.launch.unroll); };
            row.asked = [shown](const Document& d) { return shown(asked(d).kernel.launch.unroll); };
            row.ask = [key = knob.key](RunRequest& r, const Value& v) { takeKnob(r, key, v); };
            row.bounds.least = 1;
        }
        all.push_back(std::move(row));
    }
}

/// A number that is the scene's own unless asked for.
Parameter lawNumberRow(const LawNumber& number) {
    return {.path = "run." + number.key,
            .label = number.label,
            .idea = number.idea,
            .unit = number.unit,
            .usual = "(the scene's own)",
            .otherwise = "auto",
            // What goes through 0 has no part of itself to move by.
            .dragged = number.least < 0 ? Dragged{.speed = 0, .floor = 0.02, .format = "%.2f"} : Dragged{},
            .kept = {.option = number.option, .scene = number.key, .checkpoint = number.key, .help = number.help},
            .get = [&number](const Document& d) -> Value { return inForce(d).force.*number.force; },
            .unavailable = [&number](const Document& d) -> Reason {
                const auto scene = std::find_if(sceneTable().begin(), sceneTable().end(),
                                                [&](const Scene& row) { return row.name == asked(d).scene; });
                const Law law = asked(d).law.value_or(scene == sceneTable().end() ? Law::gravity : scene->law);
                return number.acts(law) ? Reason() : "it belongs to " + std::string(number.of);
            }};
}

void addPhysics(std::vector<Parameter>& all) {
    all.push_back(nameRow({.path = "run.integrator",
                           .label = "Integrator",
                           .idea = "how forces become motion",
                           .term = "A step kicks velocities by the forces and lets bodies drift by their velocities. "
                                   "Symplectic integrators such as leapfrog keep the energy within bounds for ever; those "
                                   "of higher order are more exact a step, and need several forces for it.",
                           .usual = "(the scene's own, mostly leapfrog)",
                           .otherwise = "auto",
                           .kept = {.option = "--integrator", .scene = "integrator", .checkpoint = "integrator"},
                           .offers = [](const Document& d) { return integratorChoices(inForce(d)); }},
                          integrators, [](const RunConfiguration& c) { return c.integrator; }));
    all.push_back({.path = "run.time_step",
                   .label = "Time step",
                   .idea = "simulated time a step; a negative one runs backwards",
                   .term = "Bodies move on as if nothing changed in between, so it must be short against the fastest "
                           "encounter. Half of it costs twice as much and makes leapfrog's error a quarter.",
                   .unit = "T",
                   .bounds = {.zero = false},
                   .usual = "(the scene's own)",
                   .otherwise = "auto",
                   .dragged = {.floor = 1e-7, .format = "%.5g", .least = 1e-12, .most = 1e6},
                   .kept = {.option = "--dt", .scene = "time_step", .checkpoint = "time_step", .placeholder = "TIME"},
                   .get = [](const Document& d) -> Value { return inForce(d).timeStep; }});
    all.push_back(
        {.path = "run.accuracy",
         .label = "Accuracy",
         .idea = "relative error of the force that 99 % of the bodies keep: far ones are taken together",
         .term = "Far groups of bodies pull almost as one body in their middle would; that is taken where the error stays "
                 "below this number, which makes large runs many times faster. Without it every pair is computed.",
         .usual = "auto",
         .otherwise = "auto",
         .dragged = {.floor = 1e-5, .format = "%.1e", .least = kFinestAccuracy, .most = kCoarsestAccuracy},
         .kept = {.option = "--accuracy",
                  .scene = "accuracy",
                  .checkpoint = "accuracy",
                  .help = "relative error of the forces; without it a window takes far bodies of many together, and other "
                          "commands compute every pair"},
         .get = [](const Document& d) { return unlessZero(inForce(d).accuracy); },
         .asked = [](const Document& d) { return unlessZero(asked(d).accuracy.value_or(0)); }});
    all.push_back({.path = "run.exact_forces",
                   .label = "Exact forces",
                   .idea = "compute every pair, also of so many bodies that a window takes far ones together",
                   .term =
                       "A window takes far bodies together where a scene has very many; with this every pair of bodies is "
                       "computed, however long that takes.",
                   .kind = Kind::flag,
                   .usual = "false",
                   .kept = {.option = "--exact",
                            .configuration = "scene.exact_forces",
                            .help = "compute every pair, also where a window takes far bodies together",
                            .window = true},
                   .get = [](const Document& d) -> Value { return !d.facts.kernel->approximates; },
                   .set =
                       [](Document& d, const Value& v) {
                           RunRequest& request = asked(d);
                           request.farField = v != Value(true);
                           request.accuracy.reset();
                           request.opening.reset();
                           // A kernel that was named says the same.
                           if (d.facts.kernel->approximates == (v == Value(true))) request.kernel = {};
                       }});
    all.push_back(
        {.path = "run.opening",
         .label = "Opening angle",
         .idea = "edge of a cell over its distance, for the rows of the tree that go by it",
         .term =
             "A cell of the tree that looks smaller than this pulls as one body; smaller angles are more exact and slower.",
         .usual = "auto",
         .otherwise = "auto",
         .dragged = {.floor = 0.01, .format = "%.2f", .least = kLeastOpening, .most = kMostOpening},
         .kept = {.option = "--opening", .checkpoint = "opening", .placeholder = "THETA"},
         .get = [](const Document& d) { return unlessZero(inForce(d).opening); }});
    all.push_back(
        {.path = "run.softening",
         .label = "Softening",
         .idea = "length that blunts close encounters",
         .term = "Gravity as if every body were a small cloud of this size: far away nothing changes, closer than this the "
                 "pull fades instead of growing without end. It stands for the many stars that a body is a sample of; too "
                 "much of it blurs what is smaller.",
         .unit = "L",
         .bounds = {.least = 0},
         .usual = "(the scene's own)",
         .otherwise = "auto",
         .dragged = {.onRelease = true, .least = 0},
         .kept = {.option = "--softening", .scene = "softening", .checkpoint = "softening", .placeholder = "LENGTH"},
         .get = [](const Document& d) -> Value { return inForce(d).force.softening; }});
    all.push_back({.path = "run.law",
                   .label = "Law",
                   .idea = "how two bodies act on each other",
                   .term = "Gravity and the force between charges fall with the square of the distance, a power law as one "
                           "likes; neutral atoms, as Lennard-Jones has them, attract a little and repel when they touch.",
                   .kind = Kind::choice,
                   .usual = "(the scene's own)",
                   .otherwise = "auto",
                   .kept = {.option = "--law", .scene = "law", .checkpoint = "law"},
                   .choices = [] { return namesOf(laws()); },
                   .offers = [](const Document& d) { return lawChoices(inForce(d)); },
                   .get = [](const Document& d) -> Value { return std::string(lawRow(inForce(d).force.law).name); }});
    for (const LawNumber& number : lawNumbers()) all.push_back(lawNumberRow(number));
    all.push_back({.path = "run.precision",
                   .label = "Precision",
                   .idea = "of forces and bodies: fp32 is fast, fp64 exact, mixed between",
                   .term = "How many digits a number has: fp32 has 7 and is what GPUs are fast in, fp64 has 16. mixed "
                           "computes pairs in fp32 and keeps places and sums in fp64.",
                   .kind = Kind::choice,
                   .usual = "(fp64 up to 256 bodies on the CPU, else fp32)",
                   .otherwise = "auto",
                   .kept = {.option = "--precision", .scene = "precision", .checkpoint = "precision"},
                   .choices = [] { return namesOf(precisions()); },
                   .offers = [](const Document& d) { return precisionChoices(inForce(d)); },
                   .get = [](const Document& d) -> Value { return std::string(nameOf(inForce(d).force.precision)); }});
}

void addPace(std::vector<Parameter>& all) {
    all.push_back(withMember(
        {.path = "run.steps_per_frame",
         .label = "Steps a frame",
         .idea = "with speed 0: at most so many steps between two pictures; off screen exactly so many",
         .term = "More of them show less often what is computed; the physics stays the same.",
         .kind = Kind::integer,
         .bounds = {.least = 1, .most = 1000000},
         .usual = "1",
         .dragged = {.speed = 0.02, .floor = 0.1, .format = "%.0f"},
         .kept = {.option = "--steps-per-frame", .scene = "view.steps_per_frame"}},
        [](Document & d) -> auto& { return d.intent.stepsPerFrame; }));
    all.back().set = [steps = all.back().set](Document& d, const Value& v) {
        steps(d, v);
        d.intent.speed = 0;
    };
    // After the steps, which end it: of both in one file the speed counts.
    all.push_back(
        {.path = "run.speed",
         .label = "Speed",
         .idea = "simulated time a second of watching; the time step stays as it is, and 0 goes by steps a frame",
         .term = "It decides how often a step is made and never how long it is. Where the machine cannot keep up, the line "
                 "below says what it reaches.",
         .unit = "T/s",
         .bounds = {.least = 0},
         .usual = "(the scene's own pace)",
         .otherwise = "auto",
         .dragged = {.speed = 0.02, .floor = 1e-6},
         .kept = {.option = "--speed", .scene = "view.speed", .placeholder = "TIME", .window = true},
         .get = [](const Document& d) -> Value { return d.intent.speed; },
         .set = [](Document& d, const Value& v) { d.intent.speed = isAuto(v) ? ownSpeed(d.facts) : std::get<double>(v); }});
    all.push_back(withMember(
        {.path = "run.time_budget",
         .label = "Time budget",
         .idea =
             "computing time of steps in a frame of a window, longer ones go on in the next; 0 is what the picture leaves",
         .term = "Less of it makes the picture more fluent, more of it the run faster.",
         .unit = "ms",
         .bounds = {.least = 0},
         .usual = "(0; on a GPU that is 33)",
         .dragged = {.floor = 0.05, .format = "%.5g ms"},
         .kept = {.option = "--time-budget", .placeholder = "MS", .window = true}},
        [](Document & d) -> auto& { return d.intent.timeBudgetMs; }));
    all.push_back(withMember(
        {.path = "run.paused", .label = "Paused", .idea = "the run stands still", .kind = Kind::flag, .usual = "false"},
        [](Document & d) -> auto& { return d.intent.paused; }));
}

void addFacts(std::vector<Parameter>& all) {
    const auto add = [&](Parameter row, auto get) { all.push_back(fact(std::move(row), get)); };
    add({.path = "run.step", .label = "Step", .idea = "complete steps since the start", .kind = Kind::integer},
        [](const Document& d) -> Value { return d.facts.step; });
    add({.path = "run.time", .label = "Time", .idea = "simulated", .unit = "T"},
        [](const Document& d) -> Value { return d.facts.time; });
    add({.path = "run.inner_step",
         .label = "Inner step",
         .idea = "length of the newest automatic step; 0 with fixed steps",
         .unit = "T"},
        [](const Document& d) -> Value { return d.facts.innerStep; });
    add({.path = "run.step_progress",
         .label = "Progress",
         .idea = "part of the forces of the step under way",
         .measured = true},
        [](const Document& d) -> Value { return d.facts.stepProgress; });
    add({.path = "run.check",
         .label = "Check",
         .idea = "whether the forces agree with double precision: pending, passed, failed",
         .term = "Accelerations of some bodies are computed once more in double precision: half of the errors are below the "
                 "first number, 99.9 % below the second.",
         .kind = Kind::text},
        [](const Document& d) -> Value {
            const auto& check = d.facts.check;
            return std::string(!check ? "pending" : check->passed ? "passed" : "failed");
        });
    add({.path = "run.rate",
         .label = "Rate",
         .idea = "interactions a second, N*N for each force, of a tree what it evaluates",
         .term = "An interaction is the pull of one body on another. Their time is taken by the clock of the device or of "
                 "the pool, and shown once sampled accelerations agree with double precision.",
         .unit = "1/s",
         .measured = true},
        [](const Document& d) -> Value { return d.facts.interactionsPerSecond; });
    add({.path = "run.force_seconds",
         .label = "Time of a force",
         .idea = "that one force on all bodies takes, by the clock of the device or of the pool",
         .unit = "s",
         .measured = true},
        [](const Document& d) -> Value { return d.facts.forceSeconds > 0 ? Value(d.facts.forceSeconds) : Value(); });
    add({.path = "run.force_error",
         .label = "Error of the force",
         .idea = "relative error against double precision that 99 % of the bodies kept that were last compared",
         .measured = true},
        [](const Document& d) -> Value { return d.facts.check ? Value(d.facts.check->p99) : Value(); });
    add({.path = "run.vector_bodies",
         .label = "Vector",
         .idea = "bodies in one vector register of the CPU, in the precision of the run",
         .kind = Kind::integer},
        [](const Document& d) -> Value {
            const int lanes = d.facts.launch.vectorLanes;
            if (lanes < 1) return {};
            const bool wide = d.facts.configuration.force.precision == Precision::fp64;  // a number takes the room of two
            return std::int64_t{wide ? std::max(lanes / 2, 1) : lanes};
        });
    add({.path = "run.steps_per_second",
         .label = "Steps a second",
         .idea = "complete steps a second",
         .term = "A step brings all bodies from one moment to the next.",
         .unit = "1/s",
         .measured = true},
        [](const Document& d) -> Value { return d.facts.stepsPerSecond; });
    add({.path = "run.speed_reached",
         .label = "Speed reached",
         .idea = "simulated time a second of watching, over the last second",
         .unit = "T/s",
         .measured = true},
        [](const Document& d) -> Value { return d.facts.speed; });
    add({.path = "run.energy_change",
         .label = "Energy",
         .idea = "largest relative change of the energy since the start",
         .term = "The sum of kinetic and potential energy should stay as it was, so what it changes by is the error of time "
                 "step and precision. Above 1e-3 of the start is doubtful; above 1e-1 the picture is not what the law says.",
         .measured = true},
        [](const Document& d) -> Value { return d.facts.energyChange; });
    add({.path = "run.virial_ratio",
         .label = "2T/|W|",
         .idea = "twice the kinetic energy over the potential one, as last measured: 1 in balance",
         .term = "T is the energy of motion, W that of gravity. In a system that neither falls together nor flies apart the "
                 "ratio stays near 1 (the virial theorem); below it gravity wins, above it motion does.",
         .measured = true},
        [](const Document& d) -> Value { return d.facts.virial ? Value(2 * *d.facts.virial) : Value(); });
    add({.path = "run.half_mass_radius",
         .label = "Half-mass radius",
         .idea = "radius around the centre of mass that holds half of the mass, as last measured",
         .term = "It says how large a system is where there is no edge to measure to.",
         .unit = "L",
         .measured = true},
        [](const Document& d) -> Value { return d.facts.halfMassRadius ? Value(*d.facts.halfMassRadius) : Value(); });
    add({.path = "run.backend_reason",
         .label = "Why this backend",
         .idea = "which backend runs and why",
         .kind = Kind::text},
        [](const Document& d) -> Value { return d.facts.backendWhy; });
    add({.path = "run.vertex_path",
         .label = "Vertices",
         .idea = "how vertices reach the picture and why",
         .kind = Kind::text},
        [](const Document& d) -> Value { return d.facts.vertexPath; });
    add({.path = "run.edited", .label = "Edited", .idea = "bodies were changed by hand since the start", .kind = Kind::flag},
        [](const Document& d) -> Value { return d.facts.edited; });
    add({.path = "run.held", .label = "Held bodies", .idea = "bodies that feel no force", .kind = Kind::integer},
        [](const Document& d) -> Value { return wholeValue(d.facts.held.size()); });
}

/// What was asked for, which the row's other word stands for where it was left open.
Value wanted(const Parameter& row, const SettingRow& setting, const RunRequest& request) {
    const Value value = tomlValue(setting.text(request)).value_or(Value());
    const bool none = value == Value(std::string()) || (value == Value(std::int64_t{0}) && row.bounds.least > 0);
    return none && !row.otherwise.empty() ? Value(std::string(row.otherwise)) : value;
}

}  // namespace

std::vector<Parameter> runParameters() {
    std::vector<Parameter> all;
    addStart(all);
    addSceneNumbers(all);
    addMachine(all);
    addPhysics(all);
    addPace(all);
    addFacts(all);
    for (Parameter& row : all) {
        if (!row.path.starts_with("run.") || row.kept.checkpoint.empty()) continue;
        const SettingRow& setting = settingRow(row.kept.checkpoint);
        if (!row.ask) row.ask = [&setting](RunRequest& r, const Value& v) { take(r, setting.key, v); };
        constexpr double kAny = 1e300;  // what a file may say of any finite number
        if (setting.least > -kAny) row.bounds.least = std::max(row.bounds.least, setting.least);
        if (setting.most < kAny) row.bounds.most = setting.most;
        if (!row.asked) row.asked = [row, &setting](const Document& d) { return wanted(row, setting, asked(d)); };
        if (!row.set) row.set = [ask = row.ask](Document& d, const Value& v) { ask(asked(d), v); };
    }
    return all;
}

}  // namespace gravlab
