// The computation: scene, bodies, backend, kernel, physics and pace; and the facts of the run.
#include "app/parameters/parameter_rows.h"
#include "sim/api/contact.h"
#include "sim/api/errors.h"
#include "sim/backends/devices.h"
#include "sim/forces/law.h"
#include "sim/forces/law_numbers.h"
#include "sim/forces/precision.h"
#include "sim/io/run_settings.h"
#include "sim/io/shared_bodies.h"
#include "sim/io/toml_value.h"
#include "sim/run/resolve.h"
#include "sim/tree/criterion.h"

#include <algorithm>

namespace gravlab {
namespace {

using namespace rows;

constexpr std::string_view kScenesOwn = "(the scene's own)";

template <auto member>
constexpr auto inForceOf = at<&Document::facts, &RunFacts::configuration, member>;
template <auto member>
constexpr auto inForces = at<&Document::facts, &RunFacts::configuration, &RunConfiguration::force, member>;
template <auto member>
constexpr auto inIntent = at<&Document::intent, member>;
template <auto member>
constexpr auto inFacts = at<&Document::facts, member>;

/// Whether energy and shape of a state at or after `time` are still to be measured.
bool energyLags(const Document& d, double time) {
    const RunFacts& facts = d.facts;
    return facts.energyComes && (!facts.energyTime || facts.precedes(*facts.energyTime, time));
}

std::string_view keyOf(std::string_view path) { return path.substr(std::string_view("run.").size()); }

/// A setting of the run, with the key of its path: it reads the value in force. Without a function in `rest`, it sets the
/// request as files do. Where something else chooses the usual value, it takes auto.
template <class Get>
Parameter& setting(Rows& rows, const std::string& path, std::string_view label, std::string_view idea,
                   std::string_view usual, Get get, Parameter rest) {
    rest.storedAs.checkpoint = settingRow(keyOf(path)).key;
    if (usual == "auto" || usual.starts_with('(')) rest.specialValue = "auto";
    Parameter& row = rows.fact(path, label, idea, get, std::move(rest));
    row.defaultText = usual;
    return row;
}

/// A name of a table; scene, backend or machine choose the default.
template <class Table, class Get>
void nameSetting(Rows& rows, const std::string& path, std::string_view label, std::string_view idea, std::string_view usual,
                 Table table, Get get, Parameter rest) {
    rest.kind = Kind::choice;
    rest.choices = [table] { return namesOf(table()); };
    if (!rest.offers) rest.offers = [table, get](const Document& d) { return offersOf(table(), get(d)); };
    setting(rows, path, label, idea, usual, get, std::move(rest));
}

/// A number that is not set reads as the word auto.
Value unlessZero(double number) { return number > 0 ? Value(number) : Value(std::string("auto")); }

/// Stores a request as files do, through the row of the setting.
void take(RunRequest& request, std::string_view key, const Value& value) {
    const auto* text = std::get_if<std::string>(&value);
    const SettingRow& setting = settingRow(key);
    if (!setting.take(request, text ? tomlString(*text) : valueText(value)))
        throw UsageError(std::string(key) + " " + valueText(value) + ": expected " + std::string(setting.expected));
}

/// The requested scene; null where a file brought its bodies.
const Scene* requestedScene(const Document& d) {
    const auto found = std::ranges::find(sceneTable(), requestOf(d).scene, &Scene::name);
    return found == sceneTable().end() ? nullptr : &*found;
}

void addStart(Rows& rows) {
    nameSetting(rows, "run.scene", "Scene", "the starting state; its own time step, softening and view come with it",
                "collision", sceneTable, inForceOf<&RunConfiguration::scene>,
                {.storedAs = {.option = "SCENE", .scene = "scene", .configuration = "scene.name"},
                 .names = "a scene of 'gravlab list scenes'",
                 .ask = [](RunRequest& r, const Value& v) { r.changeScene(sceneNamed(textOf(v)).name); }});
    setting(rows, "run.scene_version", "Version",
            "version of the scene's start; a file names the version that it was made with", "(the newest)",
            inForceOf<&RunConfiguration::sceneVersion>,
            {.storedAs = {.option = "--scene-version",
                          .scene = "scene_version",
                          .placeholder = "NUMBER",
                          .help = "version of the scene's start, where it has several"},
             .set = [](Document& d, const Value& v) {
                 RunRequest wanted = requestOf(d);
                 take(wanted, "scene_version", v);
                 sceneNamed(wanted.scene, wanted.sceneVersion);
                 requestOf(d) = std::move(wanted);
             }});
    setting(
        rows, "run.bodies", "Bodies", "number of bodies; a change restarts the scene",
        "(the scene's own for this machine; a window has more where far bodies are together)",
        inForceOf<&RunConfiguration::bodies>,
        {.explanation = "Each body is pulled by each of the others, so twice as many cost four times as much a step, "
                        "unless distant bodies are grouped.",
         .multiples = true,
         .storedAs =
             {.option = "--bodies", .scene = "bodies", .configuration = "scene.bodies", .placeholder = "N", .alias = "-n"},
         .set = [](Document& d, const Value& v) {
             const Scene& scene = sceneNamed(requestOf(d).scene, requestOf(d).sceneVersion);
             if (!isAuto(v) && scene.fixedBodies != 0 && numberOf(v) != static_cast<double>(scene.fixedBodies))
                 throw UsageError("the scene '" + std::string(scene.name) + "' always has " +
                                  std::to_string(scene.fixedBodies) + " bodies");
             take(requestOf(d), "bodies", v);
         }});
    setting(rows, "run.seed", "Seed", "same seed, same bodies; the scene starts again", "1",
            inForceOf<&RunConfiguration::seed>,
            {.explanation =
                 "Scenes draw places and velocities at random; a seed names one of the draws, the same on every machine.",
             .storedAs = {.option = "--seed", .scene = "seed", .placeholder = "NUMBER"}});
}

/// The numbers of scenes: one row for each name, shared by all scenes that have it.
void addSceneNumbers(Rows& rows) {
    for (const Scene& scene : sceneTable())
        for (const SceneParameter& number : scene.parameters) {
            const std::string path = "scene." + std::string(number.name);
            if (const auto known = std::ranges::find(rows.all(), path, &Parameter::path); known != rows.all().end()) {
                // Scenes may have different bounds for one name: the row has their union, and setting it checks the scene's
                // own.
                known->bounds.least = std::min(known->bounds.least, number.least);
                known->bounds.most = std::max(known->bounds.most, number.most);
                continue;
            }
            const auto rowOf = [name = number.name](const Scene& of) -> const SceneParameter* {
                const auto row = std::ranges::find(of.parameters, name, &SceneParameter::name);
                return row == of.parameters.end() ? nullptr : &*row;
            };
            rows.own(path, number.label, number.idea, kScenesOwn,
                     {.unit = number.unit,
                      .bounds = {.least = number.least, .most = number.most},
                      .specialValue = "auto",
                      .storedAs = {.option = "--set", .scene = "parameters", .checkpoint = "parameters"},
                      .get = [rowOf](const Document& d) -> Value {
                          const SceneParameter* row = rowOf(*d.facts.scene);
                          if (!row) return {};
                          SceneRequest running;
                          running.parameters = inForce(d).parameters;
                          return running.value(*row);
                      },
                      .set =
                          [name = std::string(number.name)](Document& d, const Value& v) {
                              SceneParameters wanted = requestOf(d).parameters;
                              if (isAuto(v))
                                  wanted.erase(name);
                              else
                                  wanted[name] = std::get<double>(v);
                              requireParameters(sceneNamed(requestOf(d).scene, requestOf(d).sceneVersion), wanted);
                              requestOf(d).parameters = std::move(wanted);
                          },
                      .unavailable = [rowOf](const Document& d) -> Reason {
                          const Scene* of = requestedScene(d);
                          return of && rowOf(*of) ? Reason()
                                                  : "the scene '" + requestOf(d).scene + "' has no number of that name";
                      }});
        }
}

/// Kernels that can be requested by name; a kernel that must not run is refused with its own sentence.
std::vector<KernelRow> nameableKernels() {
    std::vector<KernelRow> rows;
    for (const KernelRow* row : listedKernels())
        if (row->term == kPairLawTerm) rows.push_back(*row);
    rows.insert(rows.end(), trapKernels().begin(), trapKernels().end());
    return rows;
}

/// Stores a number of a launch. The word leaves the choice to the compiler: files write 0 here, and "auto" for an open
/// choice.
void takeKnob(RunRequest& request, std::string_view key, const Value& value) {
    take(request, key, isAuto(value) ? Value(std::int64_t{kAutoUnroll}) : value);
}

Value unrollValue(int unroll) { return unroll == kAutoUnroll ? Value(unrollText(unroll)) : asValue(unroll); }

/// A number of the launch. Setting one leaves the kernel and the other numbers unchanged.
void knob(Rows& rows, const std::string& path, std::string_view label, std::string_view idea, Parameter rest,
          int LaunchConfig::*member) {
    const std::string_view word = rest.specialValue;
    Parameter& row = setting(
        rows, path, label, idea, "(the kernel's own)",
        [member](const Document& d) { return inForce(d).pairs().kernel.launch.*member; }, std::move(rest));
    row.specialValue = word;
    row.set = [key = row.storedAs.checkpoint](Document& d, const Value& v) {
        requestOf(d).pairs().kernel = kernelRequestOf(inForce(d).pairs().kernel);
        takeKnob(requestOf(d), key, v);
    };
}

void addMachine(Rows& rows) {
    nameSetting(
        rows, "run.backend", "Backend", "what computes the forces; the running state moves over", "auto", backends,
        inForceOf<&RunConfiguration::backend>,
        {.explanation =
             "A backend is a kind of hardware with the code for it: 'reference' is plain double precision to check the "
             "others by, 'cpu' takes all cores and their vector units, 'cuda' an NVIDIA GPU.",
         .storedAs = {.option = "--backend"},
         .names = "a backend of 'gravlab list backends'",
         .offers = [](const Document& d) { return backendChoices(inForce(d)); },
         .ask = [](RunRequest& r,
                   const Value& v) { r.changeBackend(isAuto(v) ? std::nullopt : std::optional(textOf(v))); }});
    setting(rows, "run.device", "Device", "CUDA device, see 'gravlab list devices'; several divide each force: 0,1 or all",
            "0", [](const Document& d) { return devicesText(inForce(d).backendOptions); },
            {.explanation = "The first device holds the bodies. The others are its helpers: they get positions, compute a "
                            "part of each force, and give the sums back.",
             .storedAs = {.option = "--device", .placeholder = "LIST"},
             .requested = [](const Document& d) -> Value { return devicesText(requestOf(d).backendOptions); }});
    setting(rows, "run.threads", "Threads", "CPU threads", "auto",
            [](const Document& d) -> Value {
                const std::optional<int> count = inForce(d).backendOptions.threads;
                return count ? asValue(*count) : Value(std::string("auto"));
            },
            {.kind = Kind::integer, .storedAs = {.option = "--threads"}});
    setting(rows, "run.simd", "SIMD", "instruction set of the CPU backend", "auto",
            [](const Document& d) { return inForce(d).backendOptions.simd.value_or("auto"); },
            {.storedAs = {.option = "--simd"}});
    nameSetting(
        rows, "run.kernel", "Kernel", "how the backend computes the forces; its launch begins at the usual values", "auto",
        nameableKernels, [](const Document& d) { return inForce(d).pairs().kernel.kernel; },
        {.explanation = "A kernel is the innermost program: it sums the pulls of all bodies on one. Each row of the list "
                        "adds one idea to the row before, so that one sees what the idea is worth.",
         .storedAs = {.option = "--kernel"},
         .names = "a kernel of 'gravlab list kernels'",
         .offers = [](const Document& d) { return kernelChoices(*d.facts.kernel, inForce(d).force); },
         .ask =
             [](RunRequest& r, const Value& v) {
                 r.pairs().kernel = {};
                 if (!isAuto(v)) r.pairs().kernel.kernel = textOf(v);
             }});
    setting(
        rows, "run.term_kernels", "Term kernels", "how forces beside the pair law are computed, TERM=ROW for each", "auto",
        [](const Document& d) { return termRequestsText(requestOf(inForce(d)).terms); },
        {.explanation = "Scenes and files may bring force terms beside the pair law, such as springs between bodies. "
                        "Each has kernels of its own; the backend chooses those that are not named.",
         .storedAs = {.option = "--term-kernel",
                      .placeholder = "TERM=ROW",
                      .help = "kernel of a force term, as in springs=list or springs=list:block=64; several with commas; "
                              "pair-law=ROW is --kernel ROW"}});
    knob(rows, "run.block", "Block",
         "threads a block, which is also the bodies of a tile; on a CPU the bodies that a core takes at a time",
         {.explanation =
              "A GPU runs threads in blocks that share a small fast memory, where a tile of bodies is read once for all "
              "of them. Large blocks read less from far memory; more small blocks run side by side (occupancy). On a "
              "CPU a core takes a block of bodies at a time.",
          .storedAs = {.option = "--block", .placeholder = "THREADS"}},
         &LaunchConfig::block);
    knob(rows, "run.unroll", "Unroll", "how many pairs the inner loop writes out",
         {.explanation =
              "A loop that is written out several times has fewer jumps, and independent pairs overlap; too many need "
              "more registers than a thread has. With 1 it is not written out at all; auto leaves it to the compiler.",
          .bounds = {.least = 1},
          .specialValue = "auto",
          .storedAs = {.option = "--unroll", .placeholder = "FACTOR"},
          .requested =
              [](const Document& d) {
                  const std::optional<int> unroll = requestOf(d).pairs().kernel.launch.unroll;
                  return unroll ? unrollValue(*unroll) : Value();
              },
          .ask = [](RunRequest& r, const Value& v) { takeKnob(r, "unroll", v); }},
         &LaunchConfig::unroll);
    rows.all().back().get = [](const Document& d) { return unrollValue(inForce(d).pairs().kernel.launch.unroll); };
    knob(rows, "run.bodies_per_thread", "Per thread", "targets that one thread holds in registers",
         {.explanation =
              "Each source that is read then acts on several targets, which saves reads; the registers that it takes let "
              "fewer threads run side by side.",
          .storedAs = {.option = "--bodies-per-thread", .placeholder = "COUNT"}},
         &LaunchConfig::bodiesPerThread);
    knob(rows, "run.split", "Split", "threads that share one target's sources",
         {.explanation = "Few bodies give a GPU too few threads to stay busy. With a split, several threads sum one target, "
                         "each over a part of the sources.",
          .storedAs = {.option = "--split", .placeholder = "COUNT"}},
         &LaunchConfig::split);
}

void addPhysics(Rows& rows) {
    nameSetting(
        rows, "run.integrator", "Integrator", "how forces become motion", "(the scene's own, mostly leapfrog)", integrators,
        inForceOf<&RunConfiguration::integrator>,
        {.explanation = "A step kicks velocities by the forces and lets bodies drift by their velocities. Symplectic "
                        "integrators such as leapfrog keep the energy within bounds for ever; those of higher order are "
                        "more exact a step, and need several forces for it.",
         .storedAs = {.option = "--integrator", .scene = "integrator"},
         .offers = [](const Document& d) { return integratorChoices(inForce(d)); }});
    setting(rows, "run.time_step", "Time step", "simulated time a step; a negative one runs backwards", kScenesOwn,
            inForceOf<&RunConfiguration::timeStep>,
            {.explanation =
                 "Bodies move on as if nothing changed in between, so it must be short against the fastest encounter. "
                 "Half of it costs twice as much and makes leapfrog's error a quarter.",
             .unit = "T",
             .bounds = {.zero = false},
             .dragged = {.floor = 1e-7, .format = "%.5g", .least = 1e-12, .most = 1e6},
             .storedAs = {.option = "--dt", .scene = "time_step", .placeholder = "TIME"}});
    setting(rows, "run.accuracy", "Accuracy",
            "largest relative error of the force on 99 % of the bodies; distant bodies are grouped", "auto",
            [](const Document& d) { return unlessZero(inForce(d).pairs().accuracy); },
            {.explanation =
                 "A distant group of bodies pulls almost like one body at its centre. It is used where the error stays "
                 "below this number, which makes large runs many times faster. Without it every pair is computed.",
             .dragged = {.floor = 1e-5, .format = "%.1e", .least = kFinestAccuracy, .most = kCoarsestAccuracy},
             .storedAs = {.option = "--accuracy",
                          .scene = "accuracy",
                          .help = "relative error of the forces; by default a window uses a tree for many bodies, and other "
                                  "commands compute all pairs"},
             .requested = [](const Document& d) { return unlessZero(requestOf(d).pairs().accuracy.value_or(0)); }});
    rows.own("run.exact_forces", "Exact forces", "compute every pair, also where a window would group distant bodies",
             "false",
             {.explanation = "A window groups distant bodies where a scene has very many; with this option every pair is "
                             "computed, however long that takes.",
              .kind = Kind::flag,
              .storedAs = {.option = "--exact",
                           .configuration = "scene.exact_forces",
                           .help = "compute every pair, also where a window takes far bodies together",
                           .window = true},
              .get = [](const Document& d) -> Value { return !d.facts.kernel->approximates; },
              .set =
                  [](Document& d, const Value& v) {
                      RunRequest& request = requestOf(d);
                      request.farField = v != Value(true);
                      request.pairs().accuracy.reset();
                      request.pairs().opening.reset();
                      // A named kernel implies the same choice, so a conflicting one is dropped.
                      if (d.facts.kernel->approximates == (v == Value(true))) request.pairs().kernel = {};
                  }});
    setting(rows, "run.opening", "Opening angle", "edge of a cell over its distance, for tree kernels with an opening angle",
            "auto", [](const Document& d) { return unlessZero(inForce(d).pairs().opening); },
            {.explanation =
                 "A cell of the tree that looks smaller than this pulls as one body; smaller angles are more exact and "
                 "slower.",
             .dragged = {.floor = 0.01, .format = "%.2f", .least = kLeastOpening, .most = kMostOpening},
             .storedAs = {.option = "--opening", .placeholder = "THETA"}});
    setting(rows, "run.softening", "Softening", "length that blunts close encounters", kScenesOwn,
            inForces<&ForceSettings::softening>,
            {.explanation =
                 "Gravity as if every body were a small cloud of this size: far away nothing changes, closer than this "
                 "the pull fades instead of growing without end. It stands for the many stars that a body is a sample "
                 "of; too much of it blurs what is smaller.",
             .unit = "L",
             .bounds = {.least = 0},
             .dragged = {.onRelease = true, .least = 0},
             .storedAs = {.option = "--softening", .scene = "softening", .placeholder = "LENGTH"}});
    nameSetting(
        rows, "run.law", "Law", "how two bodies act on each other", kScenesOwn, laws,
        [](const Document& d) { return lawRow(inForce(d).force.law).name; },
        {.explanation = "Gravity and the force between charges fall with the square of the distance, a power law with any "
                        "exponent; neutral atoms, as Lennard-Jones has them, attract a little and repel when they touch.",
         .storedAs = {.option = "--law", .scene = "law"},
         .offers = [](const Document& d) { return lawChoices(inForce(d)); }});
    for (const LawNumber& number : lawNumbers())
        setting(rows, "run." + std::string(number.key), number.label, number.idea, kScenesOwn,
                [&number](const Document& d) { return inForce(d).force.*number.force; },
                {.unit = number.unit,
                 // A number that can be 0 or negative cannot move by a fraction of itself.
                 .dragged = number.least < 0 ? DragSpec{.speed = 0, .floor = 0.02, .format = "%.2f"} : DragSpec{},
                 .storedAs = {.option = number.option, .scene = number.key, .help = number.help},
                 .unavailable = [&number](const Document& d) -> Reason {
                     const Scene* scene = requestedScene(d);
                     return number.acts(requestOf(d).law.value_or(scene ? scene->law : Law::gravity))
                                ? Reason()
                                : "it belongs to " + std::string(number.of);
                 }});
    setting(
        rows, "run.fields", "Fields", "forces from outside: haloes, discs, a bar, drags, relativity", kScenesOwn,
        [](const Document& d) { return fieldsText(inForce(d).fields.value_or(std::vector<OuterField>())); },
        {.explanation =
             "Each field acts on every body by itself: a halo, a disc or a bar that is not made of bodies, a drag, "
             "or the first effects of relativity. 'gravlab list fields' has them with their numbers.",
         .storedAs = {.option = "--field",
                      .scene = "fields",
                      .placeholder = "NAME,NUMBER=VALUE,...",
                      .help = "a force from outside, as in nfw,mass=1e12Msun,scale=16kpc; may be given several times and "
                              "replaces the scene's own; none for no such force; see 'gravlab list fields'"},
         .set = [](Document& d, const Value& v) {
             // A mistake is refused here, with the sentence of the field; units are those of the run.
             if (!isAuto(v)) parsedFields(textOf(v), runUnits(d.facts.scene->units));
             take(requestOf(d), "fields", v);
         }});
    nameSetting(
        rows, "run.precision", "Precision", "of forces and bodies: fp32 is fast, fp64 exact, mixed between",
        "(fp64 up to 256 bodies on the CPU, else fp32)", precisions,
        [](const Document& d) { return nameOf(inForce(d).force.precision); },
        {.explanation = "How many digits a number has: fp32 has 7 and is what GPUs are fast in, fp64 has 16. mixed computes "
                        "pairs in fp32 and keeps places and sums in fp64.",
         .storedAs = {.option = "--precision", .scene = "precision"},
         .offers = [](const Document& d) { return precisionChoices(inForce(d)); }});
}

/// Contacts of bodies with radii.
void addContact(Rows& rows) {
    nameSetting(
        rows, "run.contact", "Contact", "what bodies with radii do where they touch", kScenesOwn, contactModes,
        [](const Document& d) { return contactRow(inForce(d).contact.mode).name; },
        {.explanation = "Bodies are points unless they have radii. Two that touch merge if they stay bound, also against "
                        "the tides of a heavier body; otherwise they bounce. Bodies that stick always merge.",
         .storedAs = {.option = "--contact", .scene = "contact"},
         .names = "none, merge, bounce or stick"});
    const auto number = [&](std::string_view key, std::string_view label, std::string_view idea,
                            double ContactSettings::*member, Parameter rest) {
        rest.bounds.least = 0;
        rest.storedAs.scene = key;
        setting(
            rows, "run." + std::string(key), label, idea, kScenesOwn,
            [member](const Document& d) { return inForce(d).contact.*member; }, std::move(rest));
    };
    number("radius", "Radius", "of every body at the start; 0: their own radii", &ContactSettings::radius,
           {.unit = "L",
            .dragged = {.onRelease = true, .least = 0},
            .storedAs = {.option = "--radius", .placeholder = "LENGTH"}});
    number("density", "Density", "gives each body the radius of a sphere of its mass; 0: their own radii",
           &ContactSettings::density,
           {.unit = "M/L^3",
            .dragged = {.onRelease = true, .least = 0},
            .storedAs = {.option = "--density", .placeholder = "DENSITY"}});
    number("restitution", "Restitution", "fraction of the normal speed that a bounce keeps", &ContactSettings::restitution,
           {.bounds = {.most = 1}, .dragged = {.least = 0, .most = 1}, .storedAs = {.option = "--restitution"}});
    number("friction", "Friction", "tangential over normal impulse of a bounce, at most; it makes bodies spin",
           &ContactSettings::friction, {.dragged = {.least = 0}, .storedAs = {.option = "--friction"}});
}

void addPace(Rows& rows) {
    alsoSets(rows.member("run.steps_per_frame", "Steps a frame",
                         "with speed 0: largest number of steps between two pictures; off screen the exact number", "1",
                         inIntent<&Intent::stepsPerFrame>,
                         {.explanation = "More steps a frame show fewer of the computed states; the physics stays the same.",
                          .bounds = {.least = 1, .most = 1000000},
                          .dragged = {.speed = 0.02, .floor = 0.1, .format = "%.0f"},
                          .storedAs = {.option = "--steps-per-frame", .scene = "view.steps_per_frame"}}),
             [](Document& d) { d.intent.speed = 0; });
    // This row follows the steps, which replace the speed: when a file has both, the speed counts.
    rows.member(
        "run.speed", "Speed",
        "simulated time per second of watching; the time step does not change; 0: a number of steps a frame",
        "(the scene's own pace)", inIntent<&Intent::speed>,
        {.explanation = "It sets how often steps are made, never their length. If the machine cannot keep up, the line "
                        "below shows the speed reached.",
         .unit = "T/s",
         .bounds = {.least = 0},
         .specialValue = "auto",
         .dragged = {.speed = 0.02, .floor = 1e-6},
         .storedAs = {.option = "--speed", .scene = "view.speed", .placeholder = "TIME/s", .window = true},
         .set = [](Document& d, const Value& v) { d.intent.speed = isAuto(v) ? ownSpeed(d.facts) : std::get<double>(v); }});
    rows.member(
        "run.time_budget", "Time budget",
        "time for steps in a frame of a window; longer steps continue in the next frame; 0: the time that drawing leaves",
        "(0; on a GPU that is 33)", inIntent<&Intent::timeBudgetMs>,
        {.explanation = "A small budget makes the picture smoother, a large one the run faster.",
         .unit = "ms",
         .bounds = {.least = 0},
         .dragged = {.floor = 0.05, .format = "%.5g ms"},
         .storedAs = {.option = "--time-budget", .placeholder = "MS", .window = true}});
    rows.member("run.paused", "Paused", "the run stands still", "", inIntent<&Intent::paused>);
    rows.member("run.replays", "Replay", "kept states are shown one after the other, while the run stands still", "",
                inIntent<&Intent::replays>, {.set = [](Document& d, const Value& v) {
                    d.intent.paused = (d.intent.replays = std::get<bool>(v)) || d.intent.paused;
                }});
}

/// A measured value of the forces. No rate of a wrong computation counts.
Value onceVerified(const Document& d, double value) {
    return d.facts.check && d.facts.check->passed && value > 0 ? Value(value) : Value();
}

void addFacts(Rows& rows) {
    rows.fact("run.step", "Step", "complete steps since the start", inFacts<&RunFacts::step>);
    rows.fact("run.time", "Time", "simulated", inFacts<&RunFacts::time>, {.unit = "T"});
    rows.fact("run.units", "Units", "units of arrays that a client shares: of lengths, velocities, masses and times",
              [](const Document& d) {
                  const RunFacts& f = d.facts;
                  return f.scene ? arrayUnits(f.configuration, *f.scene).words() : std::string();
              });
    rows.fact("run.inner_step", "Inner step", "length of the newest automatic step; 0 with fixed steps",
              inFacts<&RunFacts::innerStep>, {.unit = "T"});
    rows.measured("run.step_progress", "Progress", "part of the forces of the step under way",
                  inFacts<&RunFacts::stepProgress>);
    rows.fact(
        "run.check", "Check", "whether the forces agree with double precision: pending, passed, failed",
        [](const Document& d) {
            const auto& check = d.facts.check;
            return !check ? "pending" : check->passed ? "passed" : "failed";
        },
        {.explanation = "Accelerations of some bodies are computed once more in double precision: half of the errors are "
                        "below the first number, 99.9 % below the second."});
    rows.fact("run.bonds", "Bonds", "bonds that act in this run; the picture shows them as lines",
              inFacts<&RunFacts::bondLines>);
    rows.fact("run.broken_bonds", "Broken bonds", "bonds that have broken at the ends of steps",
              inFacts<&RunFacts::brokenBonds>);
    rows.measured(
        "run.rate", "Rate", "interactions per second: N*N for each force, or those that a tree evaluates",
        [](const Document& d) { return onceVerified(d, d.facts.interactionsPerSecond); },
        {.explanation = "An interaction is the pull of one body on another. Their time is taken by the clock of the "
                        "device or of the pool, and shown once sampled accelerations agree with double precision.",
         .unit = "1/s"});
    rows.measured("run.force_seconds", "Time of a force",
                  "time of one force on all bodies, by the clock of the device or of the pool",
                  [](const Document& d) { return onceVerified(d, d.facts.forceSeconds); }, {.unit = "s"});
    rows.measured("run.force_error", "Error of the force",
                  "relative error of the force against double precision, for 99 % of the bodies compared last",
                  [](const Document& d) { return d.facts.check ? Value(d.facts.check->p99) : Value(); });
    rows.fact("run.vector_bodies", "Vector", "bodies in one vector register of the CPU, in the precision of the run",
              [](const Document& d) -> Value {
                  const int lanes = d.facts.launch.vectorLanes;
                  if (lanes < 1) return {};
                  // A number of double precision needs the space of two.
                  const bool wide = d.facts.configuration.force.precision == Precision::fp64;
                  return std::int64_t{wide ? std::max(lanes / 2, 1) : lanes};
              },
              {.kind = Kind::integer});
    rows.measured("run.steps_per_second", "Steps a second", "complete steps a second", inFacts<&RunFacts::stepsPerSecond>,
                  {.explanation = "A step brings all bodies from one moment to the next.", .unit = "1/s"});
    rows.measured("run.speed_reached", "Speed reached", "simulated time a second of watching, over the last second",
                  inFacts<&RunFacts::speed>, {.unit = "T/s"});
    rows.measured(
        "run.energy_change", "Energy", "largest relative change of the energy since the start",
        inFacts<&RunFacts::energyChange>,
        {.explanation =
             "The sum of kinetic and potential energy should stay constant, so its change is the error of time step and "
             "precision. Above 1e-3 of the start the run is doubtful; above 1e-1 the picture does not follow the law.",
         .lags = energyLags});
    rows.measured("run.merged", "Merged", "bodies that have merged into others since the start",
                  [](const Document& d) { return d.facts.contacts.merges; }, {.counted = true});
    rows.measured("run.bounced", "Bounced", "bounces of two bodies since the start",
                  [](const Document& d) { return d.facts.contacts.bounces; }, {.counted = true});
    rows.measured(
        "run.energy_lost", "Energy lost", "energy that contacts have taken out of the motion since the start",
        [](const Document& d) { return d.facts.contacts.lost; },
        {.explanation = "Mergers and bounces turn motion into heat; a merged pair also takes its negative potential "
                        "along, so the number may be negative. The energy error counts this energy, so it shows the "
                        "errors of time step and precision alone.",
         .counted = true});
    rows.measured(
        "run.virial_ratio", "2T/|W|", "twice the kinetic energy over the potential one, as last measured: 1 in balance",
        [](const Document& d) { return d.facts.virial ? Value(2 * *d.facts.virial) : Value(); },
        {.explanation = "T is the energy of motion, W that of gravity. In a system that neither falls together nor flies "
                        "apart the ratio stays near 1 (the virial theorem); below it gravity wins, above it motion "
                        "does.",
         .lags = energyLags});
    rows.measured("run.half_mass_radius", "Half-mass radius",
                  "radius around the centre of mass that holds half of the mass, as last measured",
                  inFacts<&RunFacts::halfMassRadius>,
                  {.explanation = "It gives the size of a system that has no edge.", .unit = "L", .lags = energyLags});
    rows.fact("run.backend_reason", "Why this backend", "which backend runs and why", inFacts<&RunFacts::backendWhy>);
    rows.fact("run.vertex_path", "Vertices", "how vertices reach the picture and why", inFacts<&RunFacts::vertexPath>);
    rows.fact("run.edited", "Edited", "bodies were changed by hand since the start", inFacts<&RunFacts::edited>);
    rows.fact("run.held", "Held bodies", "bodies that feel no force", [](const Document& d) { return d.facts.held.size(); });
}

/// The request; an open one reads as the row's other word.
Value wanted(const Parameter& row, const SettingRow& setting, const RunRequest& request) {
    const Value value = tomlValue(setting.text(request)).value_or(Value());
    const bool none = value == Value(std::string()) || (value == Value(std::int64_t{0}) && row.bounds.least > 0);
    return none && !row.specialValue.empty() ? Value(std::string(row.specialValue)) : value;
}

}  // namespace

std::vector<Parameter> runParameters() {
    Rows rows;
    addStart(rows);
    addSceneNumbers(rows);
    addMachine(rows);
    addPhysics(rows);
    addContact(rows);
    addPace(rows);
    addFacts(rows);
    for (Parameter& row : rows.all()) {
        if (!row.path.starts_with("run.") || row.storedAs.checkpoint.empty()) continue;
        const SettingRow& saved = settingRow(row.storedAs.checkpoint);
        if (!row.ask) row.ask = [&saved](RunRequest& r, const Value& v) { take(r, saved.key, v); };
        constexpr double kAny = 1e300;  // covers every finite number that a file may contain
        if (saved.least > -kAny) row.bounds.least = std::max(row.bounds.least, saved.least);
        if (saved.most < kAny) row.bounds.most = saved.most;
        if (!row.requested) row.requested = [row, &saved](const Document& d) { return wanted(row, saved, requestOf(d)); };
        if (!row.set) row.set = [ask = row.ask](Document& d, const Value& v) { ask(requestOf(d), v); };
    }
    return rows.take();
}

}  // namespace gravlab
