// The rows of the menus Simulation, Bodies and Lab.
#include "app/control/action.h"
#include "app/model/document.h"
#include "app/model/ui_state.h"
#include "app/parameters/parameter.h"
#include "app/parameters/twin_settings.h"
#include "app/tables/drop.h"
#include "app/tables/lab_sweep.h"
#include "sim/api/errors.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

namespace gravlab {
namespace {

constexpr int kAllMarks = 1 << 20;  // exceeds the number of kept states

void nextKernel(KeyTarget& t, int) {
    const auto rows = kernels();
    const KernelRow* now = t.facts.kernel;
    // A user's own kernel is in no list: the first kernel of its backend follows it.
    const auto place = std::find_if(rows.begin(), rows.end(), [&](const KernelRow& row) {
        return row.backend == now->backend && row.name == now->name;
    });
    const auto first = static_cast<std::size_t>(place == rows.end() ? 0 : place - rows.begin());
    for (std::size_t step = 1; step < rows.size(); ++step) {
        const KernelRow& row = rows[(first + step) % rows.size()];
        // The rows never lead to a kernel whose approximation was not requested, nor to one that does not support the law.
        if (row.backend != now->backend || (row.byCutOff && !refusal(row, t.facts.configuration.force).empty()) ||
            (row.approximates && !(t.intent.request.pairs().accuracy.value_or(0) > 0) &&
             !(t.facts.configuration.pairs().accuracy > 0)))
            continue;
        t.intent.request.pairs().kernel = {std::string(row.name), {}};
        return;
    }
}

Reason oneKernel(const KeyTarget& t) {
    const KernelRow* now = t.facts.kernel;
    const auto rows = kernels();
    const auto count =
        std::count_if(rows.begin(), rows.end(), [&](const KernelRow& row) { return row.backend == now->backend; });
    return count > 1 ? Reason() : "The backend '" + std::string(now->backend) + "' has one kernel only.";
}

/// The newest request, or else the value in force.
double timeStep(const KeyTarget& t) { return t.intent.request.timeStep.value_or(t.facts.configuration.timeStep); }

template <double factor>
void scaleTimeStep(KeyTarget& t, int) {
    t.intent.request.timeStep = factor * timeStep(t);
}

void singleStep(KeyTarget& t, int) {
    t.intent.paused = true;
    ++t.intent.singleSteps;
}

/// The argument as a count of at least 1. Throws UsageError.
int timesOf(const Value& argument) {
    constexpr std::int64_t kMost = 1000000000;
    const auto* count = std::get_if<std::int64_t>(&argument);
    if (!count || *count < 1 || *count > kMost)
        throw UsageError("'" + valueText(argument) + "': expected a whole number from 1 to 1000000000");
    return static_cast<int>(*count);
}

void openLab(KeyTarget& t) {
    t.labPanel.open = true;
    t.ui.visible = t.ui.panel = true;
}

Reason noneSelected(const KeyTarget& t) {
    return t.selected ? Reason() : Reason("No body is selected: click on one first.");
}

/// Throws UsageError, with what is expected, for anything but three finite numbers.
glm::dvec3 vectorOf(const Value& value, const std::string& expected) {
    const auto* list = std::get_if<std::vector<double>>(&value);
    if (!list || list->size() != 3 || !std::ranges::all_of(*list, [](double v) { return std::isfinite(v); }))
        throw UsageError("'" + valueText(value) + "': expected " + expected);
    return {(*list)[0], (*list)[1], (*list)[2]};
}

struct PageRow {
    LabPage page;
    std::string_view label, idea;
};
constexpr PageRow kPages[] = {
    {LabPage::launch, "Launch", "what the hardware does with the kernel, beside its text"},
    {LabPage::sweep, "Sweep", "measure over block size, unroll factor, bodies or split"},
    {LabPage::matrix, "Matrix", "the forces of all pairs as a live picture"},
    {LabPage::ladder, "Ladder", "the text and idea of every kernel, also of those that cannot run here"},
    {LabPage::recorded, "Recorded", "what was measured on a named device, as curves"},
    {LabPage::calculator, "Calculator", "waves, tail and occupancy of a launch on any GPU"},
    {LabPage::memory, "Memory", "latency of each memory, reads at strides, ways to the host"},
    {LabPage::own, "Own", "a kernel of one's own: written, compiled, tried and measured"}};

/// Where frames advance by steps, the factor applies to the speed that they reached.
template <double factor>
void scaleSpeed(KeyTarget& t, int) {
    const double now = t.intent.speed > 0 ? t.intent.speed : t.facts.speed > 0 ? t.facts.speed : ownSpeed(t.facts);
    t.intent.speed = factor * now;
}

/// A row that goes to another kept state, by a number of them; a single one may be given as a count, and repeats.
template <int by>
constexpr Action jumps(std::string_view name, std::string_view label, std::string_view idea, Key key, bool line = false) {
    Action row = does(name, label, idea,
                      {.strokes = {{key, kControl}},
                       .effect = [](const KeyTarget&, int) -> Effect { return JumpTo{.by = by}; },
                       .list = "Kept states",
                       .line = line});
    if (by != 1 && by != -1) return row;
    row.argument = "COUNT";
    row.effectWith = [](const KeyTarget&, const Value& count) -> Effect {
        return JumpTo{.by = by * std::min(timesOf(count), kAllMarks)};
    };
    row.repeats = true;
    return row;
}

/// A prediction comes before the run that answers it.
Reason untilPredicted(const KeyTarget& t) {
    const bool open = t.lesson.lesson && t.lesson.phase == LessonPhase::predict && !t.lesson.guess && t.intent.paused;
    return open ? Reason("First predict: choose an answer of the lesson, or skip the step.") : Reason();
}

constexpr Action kSimulation[] = {
    does("run", "Run", "run or pause",
         {.strokes = {{Key::space}},
          .parameter = "run.paused",
          .act = [](KeyTarget& t, int) { toggle(t.intent.paused); },
          .checked = [](const KeyTarget& t) { return !t.intent.paused; },
          .unavailable = untilPredicted,
          .undoSkips = "A pause is not undone; Space begins and ends it."}),
    does("step", "One step", "one step, then pause",
         {.strokes = {{Key{'N'}}, {Key::right}},
          .act = singleStep,
          .unavailable = untilPredicted,
          .argument = "COUNT",
          .with =
              [](KeyTarget& t, const Value& count) {
                  const int steps = timesOf(count);
                  t.intent.paused = true;
                  t.intent.singleSteps += std::min(steps, std::numeric_limits<int>::max() - t.intent.singleSteps);
              },
          .whyNotUndoable = "Steps are not undone; Ctrl Left goes back to a kept state.",
          .repeats = true}),
    does("reverse", "Backwards", "run backwards, or forwards again",
         {.strokes = {{Key::left}},
          .act = scaleTimeStep<-1.0>,
          .checked = [](const KeyTarget& t) { return timeStep(t) < 0; }}),
    does("reset", "Start again", "start the scene again", {.strokes = {{Key{'R'}}}, .effect = sends<Restart>}),
    jumps<-1>("rewind", "Back one", "back to the kept state before, and pause", Key::left, true),
    jumps<1>("rewind-on", "On one", "on to the next kept state, and pause", Key::right),
    jumps<-kAllMarks>("rewind-oldest", "The oldest", "back to the oldest kept state", Key::home),
    jumps<kAllMarks>("rewind-newest", "The newest", "on to the newest kept state", Key::end),
    scales("faster", "Faster", "twice the simulated time a second; the time step stays", "run.speed", {Key{'.'}}, {},
           scaleSpeed<2.0>, true),
    scales("slower", "Slower", "half the simulated time a second; the time step stays", "run.speed", {Key{','}}, {},
           scaleSpeed<0.5>),
    does("own-speed", "The scene's own speed", "the pace at which this scene is worth watching",
         {.parameter = "run.speed", .act = [](KeyTarget& t, int) { t.intent.speed = ownSpeed(t.facts); }}),
    scales("longer-step", "Twice the time step", "twice the time step", "run.time_step", {Key{'.'}, kControl}, {},
           scaleTimeStep<2.0>, true),
    scales("shorter-step", "Half the time step", "half the time step", "run.time_step", {Key{','}, kControl}, {},
           scaleTimeStep<0.5>),
    nexts("next-backend", "Next backend", "next backend that works here", "run.backend", {Key{'B'}}, 1, true),
    does("next-kernel", "Next kernel", "next kernel of this backend",
         {.strokes = {{Key{'K'}}}, .parameter = "run.kernel", .act = nextKernel, .unavailable = oneKernel}),
    does("twin", "A twin", "the same start a second time in other settings, or none",
         {.strokes = {{Key{'T'}, kControl}},
          .parameter = "twin.on",
          .act = [](KeyTarget& t, int) { t.intent.twin = toggledTwin(t.intent.twin, t.facts.configuration); },
          .checked = [](const KeyTarget& t) { return t.intent.twin.on; },
          .line = true}),
    does("twin-same", "Twin as the first",
         "give the twin the settings of the first run: both then stay equal to the last bit",
         {.act = [](KeyTarget& t, int) { t.intent.twin.values.clear(); },
          .unavailable =
              [](const KeyTarget& t) {
                  const TwinChoice& twin = t.intent.twin;
                  return !twin.on              ? Reason("There is no twin: switch it on first.")
                         : twin.values.empty() ? Reason("The twin differs in nothing already.")
                                               : Reason();
              }}),
    does("twin-view", "Twins overlaid", "twins one over the other, or side by side",
         {.strokes = {{Key{'T'}, kAlt}},
          .parameter = "twin.view",
          .checked = [](const KeyTarget& t) { return t.intent.twin.view == TwinView::overlaid; },
          .unavailable =
              [](const KeyTarget& t) { return t.intent.twin.on ? Reason() : Reason("There is no twin: Ctrl T makes one."); },
          .next = 1}),
};

/// Selects the heaviest body as a first choice.
void selectHeaviest(KeyTarget& t) {
    const std::vector<float>& mass = t.facts.bodies->mass;
    t.select(static_cast<std::size_t>(std::ranges::max_element(mass) - mass.begin()));
}

/// The controller acts: it knows what was changed.
void byController(KeyTarget&, int) {}

constexpr Action kBodies[] = {
    does("select-body", "Find a body",
         "select a body by its name or number; without one the heaviest, whose panel takes names",
         {.parameter = "view.selected",
          .act = [](KeyTarget& t, int) { selectHeaviest(t); },
          .argument = "NAME",
          .with = [](KeyTarget& t, const Value& name) { t.selectId(bodyCalled(t, wordOf(name))); }}),
    does("follow", "Follow", "keep the selected body in the middle, or let it go",
         {.strokes = {{Key{'F'}}},
          .parameter = "view.follow",
          .act = [](KeyTarget& t, int) { toggle(t.follow); },
          .checked = [](const KeyTarget& t) { return t.follow; },
          .unavailable = noneSelected}),
    does("follow-centre", "Follow the centre", "keep the centre of mass, or one galaxy after the other, in the middle",
         {.strokes = {{Key{'F'}, kControl}},
          .parameter = "view.follow",
          .act = [](KeyTarget& t, int) { t.followNext(); },
          .checked = [](const KeyTarget& t) { return t.followedCentre.has_value(); }}),
    does("find-groups", "Find groups",
         "groups of bodies, friends of friends, as they are now: for the colour mode group and the instruments",
         {.effect = sends<FindGroups>,
          .unavailable =
              [](const KeyTarget& t) { return t.facts.findingGroups ? Reason("Groups are being looked for.") : Reason(); },
          .undoSkips = "Finding groups changes nothing that could be undone."}),
    {.name = "path-ahead", .strokes = {{Key{'O'}}}, .parameter = "view.ahead"},
    does("remove", "Remove", "remove the selected body",
         {.strokes = {{Key::remove}},
          .effect = [](const KeyTarget&, int) -> Effect { return EditBodies{"remove"}; },
          .unavailable = noneSelected}),
    does("hold", "Hold", "hold the selected body at its place, or let it fall",
         {.strokes = {{Key{'V'}}},
          .effect = [](const KeyTarget&, int) -> Effect { return EditBodies{"hold"}; },
          .unavailable = noneSelected}),
    does("coast", "Straight on", "let the selected body go straight on, or feel forces again",
         {.strokes = {{Key{'V'}, kControl}},
          .effect = [](const KeyTarget&, int) -> Effect { return EditBodies{"coast"}; },
          .unavailable = noneSelected}),
    does("velocity", "Another velocity",
         "show the velocity of the selected body as an arrow: drag its tip; or give it another one",
         {.act = [](KeyTarget& t, int) { t.overlay.velocities = true; },
          .unavailable = noneSelected,
          .argument = "[VX, VY, VZ]",
          .effectWith = [](const KeyTarget&, const Value& velocity) -> Effect {
              return EditBodies{.row = "aim", .velocity = vectorOf(velocity, "a velocity [VX, VY, VZ] in [L/T]")};
          }}),
    does("pull", "Pull", "pull the selected body by a spring towards the middle of the picture, or towards a place",
         {.effect = [](const KeyTarget&, int) -> Effect { return EditBodies{"pull"}; },
          .unavailable = noneSelected,
          .argument = "[X, Y, Z]",
          .effectWith = [](const KeyTarget&, const Value& place) -> Effect {
              return EditBodies{.row = "pull", .place = vectorOf(place, "a place [X, Y, Z] in [L]")};
          }}),
    does("let-go", "Let go", "end the pull of a body",
         {.act = [](KeyTarget& t, int) { t.pull.end(); },
          .unavailable = [](const KeyTarget& t) { return t.pull.on() ? Reason() : Reason("No body is pulled."); },
          .undoSkips = "The pull has ended; undo takes back all of it."}),
    does("drop-star", "Drop a heavy star", "drop a heavy star at rest in the middle of the view",
         {.strokes = {{Key{'I'}}},
          .effect = [](const KeyTarget&, int) -> Effect { return EditBodies{"drop-star"}; },
          .line = true}),
    does("drop-by-arrow", "Drop by an arrow", "drop by an arrow: star, black hole, round galaxy, disc galaxy, off",
         {.strokes = {{Key{'I'}, kControl}},
          .parameter = "drop.kind",
          .act =
              [](KeyTarget& t, int) {
                  DropTool& tool = t.drop;
                  const int rows = static_cast<int>(dropRows().size());
                  tool.row = tool.on ? tool.row + 1 : 0;
                  tool.on = tool.row < rows;
                  tool.row %= rows;
              },
          .checked = [](const KeyTarget& t) { return t.drop.on; },
          .redirects = true}),
    does("undo", "Undo",
         "take back the last change: a setting, an edit of a body, another scene or number of bodies, a new start, "
         "a jump to a kept state",
         {.strokes = {{Key{'Z'}, kControl}}, .act = byController, .line = true, .repeats = true}),
};

template <Measure::What what>
Effect measure(const KeyTarget&, int) {
    return Measure{what};
}

void beginOwn(KeyTarget& t, int which) {
    const OwnTemplate& row = ownTemplates()[static_cast<std::size_t>(which) % ownTemplates().size()];
    t.labPanel.own.text = std::string(ownTemplateText(row.name));
    t.labPanel.own.file = "own.cu";
    if (row.exercise) {
        t.labPanel.own.exercise = t.labPanel.own.text;
        t.labPanel.own.exerciseSeconds = 0;
    }
    openLab(t);
    t.labPanel.page = LabPage::own;
}

Reason noMatrix(const KeyTarget& t) {
    return t.facts.configuration.bodies <= kMatrixBodies
               ? Reason()
               : "A matrix has at most " + std::to_string(kMatrixBodies) + " bodies.";
}

Reason measuring(const KeyTarget& t) { return t.facts.labBusy ? Reason("Something is being measured.") : Reason(); }

Reason noResults(const KeyTarget& t) { return t.facts.labBest ? Reason() : Reason("There are no results yet."); }

/// Whether the key switched to exact forces of all pairs, and nothing switched back since.
bool inPairs(const KeyTarget& t) { return t.labPanel.beforePairs && !t.intent.request.farField; }

/// Block, unroll and kernel matter most where every pair is computed, for as many bodies as fill the device.
void goToPairs(KeyTarget& t) {
    constexpr std::size_t kMost = 65536;
    const Scene& scene = *t.facts.scene;
    const bool onDevice = backend(t.facts.configuration.backend).onDevice;
    RunRequest& wanted = t.intent.request;
    t.labPanel.beforePairs = wanted;
    t.labPanel.openBeforePairs = t.labPanel.open;
    setParameter(t, "run.exact_forces", true);
    if (scene.fixedBodies == 0) wanted.bodies = std::min(t.facts.configuration.bodies, onDevice ? kMost : scene.bodiesCpu);
    const KernelRequest& tuned = t.labPanel.tunedForPairs;
    if (tuned.kernel && hasKernel(t.facts.configuration.backend, *tuned.kernel)) wanted.pairs().kernel = tuned;
    openLab(t);
    t.labPanel.page = LabPage::launch;
}

/// Changes of the seed, the time step and other settings are kept.
void leavePairs(KeyTarget& t) {
    const RunRequest before = *std::exchange(t.labPanel.beforePairs, std::nullopt);
    RunRequest& wanted = t.intent.request;
    t.labPanel.tunedForPairs = wanted.pairs().kernel;
    wanted.farField = before.farField;
    wanted.pairs() = before.pairs();
    wanted.bodies = wanted.scene == before.scene ? before.bodies : std::nullopt;
    t.labPanel.open = t.labPanel.openBeforePairs;
}

constexpr Action kLab[] = {
    does("lab", "Open the lab", "open or close the lab",
         {.strokes = {{Key{'L'}}},
          .parameter = "lab.open",
          .act =
              [](KeyTarget& t, int) {
                  if (t.labPanel.open)
                      t.labPanel.open = false;
                  else
                      openLab(t);
              },
          .checked = [](const KeyTarget& t) { return t.labPanel.open; }}),
    does("lab-pairs", "Every pair, for tuning",
         "the lab's page Launch with every pair of 65,536 bodies (fewer on a CPU), where kernel, block and unroll "
         "factor count most; again: the bodies and forces before",
         {.strokes = {{Key{'L'}, kControl}},
          .act = [](KeyTarget& t, int) { inPairs(t) ? leavePairs(t) : goToPairs(t); },
          .checked = inPairs,
          .unavailable =
              [](const KeyTarget& t) {
                  return t.facts.labBusy ? Reason("Something is being measured; Cancel ends it.") : Reason();
              }}),
    does("lab-page", "Page", "open the lab at one of its pages",
         {.act =
              [](KeyTarget& t, int which) {
                  openLab(t);
                  t.labPanel.page = kPages[static_cast<std::size_t>(which) % std::size(kPages)].page;
              },
          .choices =
              [](const KeyTarget& t) {
                  std::vector<SettingChoice> all;
                  for (const PageRow& row : kPages)
                      all.push_back({std::string(row.label), row.idea, t.labPanel.open && t.labPanel.page == row.page});
                  return all;
              }}),
    does("lab-measure", "Measure",
         "measure: each point is checked against double precision, warmed up and timed; the picture continues",
         {.effect = measure<Measure::What::sweep>,
          .unavailable =
              [](const KeyTarget& t) {
                  const KernelRow& kernel = rowOf(t.facts, t.labPanel.term);
                  return t.facts.labBusy ? measuring(t) : refusal(sweepFor(t.labPanel.sweep, kernel), kernel);
              },
          .undoSkips = "A measurement changes nothing that could be undone; Cancel ends it.",
          .line = true}),
    does("lab-tune", "Tune",
         "search kernels and launches for this device and number of bodies; the result is stored and used by kernel auto",
         {.effect = measure<Measure::What::tune>,
          .unavailable = measuring,
          .undoSkips = "A search is ended with Cancel; what it has found stays stored."}),
    does("lab-memory", "Time the memories",
         "measure the latency of each memory of the device, reads at strides, and ways to the host",
         {.effect = measure<Measure::What::memory>,
          .unavailable = measuring,
          .undoSkips = "A measurement changes nothing that could be undone; Cancel ends it."}),
    does(
        "lab-cancel", "Cancel", "end the measurement; what was measured stays",
        {.effect = measure<Measure::What::cancel>,
         .unavailable = [](const KeyTarget& t) { return t.facts.labBusy ? Reason() : Reason("Nothing is being measured."); },
         .undoSkips = "A measurement that was ended is started again with Measure."}),
    does("lab-use-best", "Use the best", "take the best point's launch for the running simulation",
         {.act =
              [](KeyTarget& t, int) {
                  RunRequest& wanted = t.intent.request;
                  const LabBest& best = *t.facts.labBest;
                  RunConfiguration tried = t.facts.configuration;
                  for (TermInUse& term : tried.terms)
                      if (term.term == best.term) {
                          term.kernel = best.kernel;
                          wanted.terms[best.term].kernel = requestOf(tried).terms[best.term].kernel;
                      }
                  if (best.threads) wanted.backendOptions.threads = best.threads;
              },
          .unavailable =
              [](const KeyTarget& t) {
                  const auto acts = [&](const TermInUse& term) { return term.term == t.facts.labBest->term; };
                  if (!t.facts.labBest || std::ranges::any_of(t.facts.configuration.terms, acts)) return noResults(t);
                  return "The force term '" + t.facts.labBest->term + "' does not act in this run.";
              }}),
    does("lab-csv", "Numbers as CSV", "write all points with both rates into the current folder",
         {.effect = measure<Measure::What::csv>, .unavailable = noResults, .undoSkips = kFileStays}),
    does("lab-png", "Plot as PNG", "write the plot as a picture into the current folder",
         {.effect = measure<Measure::What::png>, .unavailable = noResults, .undoSkips = kFileStays}),
    does("own-begin", "Own kernel from", "put a text into the lab's editor to begin with; nothing is compiled",
         {.act = [](KeyTarget& t, int which) { beginOwn(t, which); },
          .choices =
              [](const KeyTarget&) {
                  std::vector<SettingChoice> all;
                  for (const OwnTemplate& row : ownTemplates()) all.push_back({std::string(row.name), row.idea});
                  return all;
              },
          .line = true}),
    does("own-open", "Own kernel from a file", "put the text of a file into the lab's editor; nothing is compiled",
         {.act = [](KeyTarget&,
                    int) { throw UsageError("'own-open' needs FILE.cu; or paste a text into the lab's page Own"); },
          .argument = "FILE.cu",
          .effectWith = [](const KeyTarget&, const Value& file) -> Effect { return OpenKernel{wordOf(file)}; }}),
    does("own-try", "Compile and try",
         "compile the text, try it in a process of its own on a copy of the bodies, and let it compute the run when its "
         "forces are right; Ctrl Enter in the editor",
         {.effect = sends<TryKernel>,
          .unavailable =
              [](const KeyTarget& t) {
                  if (t.labPanel.own.trying) return Reason("A text is being tried.");
                  return t.labPanel.own.text->empty() ? Reason("There is no text: begin with one of the list.") : Reason();
              },
          .undoSkips = "A trial leaves everything as it is; take another kernel to end the use of a right one."}),
    does("own-save", "Save own kernel", "write the text into a file; without a name, into own.cu in the current folder",
         {.effect = sends<SaveKernel>,
          .unavailable =
              [](const KeyTarget& t) {
                  return t.labPanel.own.text->empty() ? Reason("There is no text to be saved.") : Reason();
              },
          .argument = "FILE.cu",
          .effectWith = [](const KeyTarget&, const Value& file) -> Effect { return SaveKernel{wordOf(file)}; },
          .undoSkips = kFileStays}),
    does("matrix-csv", "Matrix as CSV", "write the numbers of all pairs into the current folder",
         {.effect = measure<Measure::What::matrixCsv>, .unavailable = noMatrix, .undoSkips = kFileStays, .line = true}),
    does("matrix-npy", "Matrix for NumPy",
         "write the numbers of all pairs into the current folder, as an array of double precision",
         {.effect = measure<Measure::What::matrixNpy>, .unavailable = noMatrix, .undoSkips = kFileStays}),
};

}  // namespace

std::span<const Action> simulationActions() { return kSimulation; }
std::span<const Action> bodyActions() { return kBodies; }
std::span<const Action> labActions() { return kLab; }

}  // namespace gravlab
