// The left panel: every setting that can change during a run. Lists are the program's own tables.
#include "app/bench/sweep_axis.h"
#include "app/runs/divergence.h"
#include "app/services/pace.h"
#include "app/tables/format.h"
#include "app/tables/lab_sweep.h"
#include "app/tables/unit_text.h"
#include "app/ui/panels.h"
#include "app/ui/parameter_widgets.h"
#include "sim/backends/backend.h"
#include "sim/core/text.h"
#include "sim/forces/law_numbers.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace gravlab {
namespace {

constexpr Control kExact{"run.bodies/exact", "Bodies", "The exact number: 65536, 64k (= 65,536) or 1M. Enter applies it"};
constexpr Control kMoreLight{"more_light", "More light", "Dark matter, tone curve, automatic exposure, white page, quality"};
constexpr Control kOverlay{"overlay", "In the picture", "Legend, scale bar, clock, axes, grid, trails, the camera"};

/// The number of bodies: a slider in powers of two, and the exact number beside it.
void drawBodies(PanelContext& p) {
    const Reason fixed = actionOf("more-bodies").unavailable(p.document);
    // More bodies take a minute to build: users can type the number, but not set it by a slip of the mouse.
    constexpr std::size_t kSliderEnd = std::size_t{1} << 22;
    const Control control = controlOf(parameter("run.bodies"));
    p.widgets.label(control, fixed);
    const float width = ImGui::GetContentRegionAvail().x, gap = ImGui::GetStyle().ItemInnerSpacing.x;
    const float exact = 0.46f * width;
    std::size_t bodies = p.facts.configuration.bodies;
    if (p.widgets.powers(control, width - exact - gap, bodies, std::min(kSliderEnd, p.facts.bodiesLimit), fixed))
        set(p, "run.bodies", wholeValue(bodies));
    ImGui::SameLine(0, gap);
    std::string typed;
    if (!p.widgets.field(kExact, exact, grouped(p.facts.configuration.bodies), typed, fixed)) return;
    set(p, "run.bodies", typedValue(typed));
}

/// When a step takes seconds: its duration, and an N that is fast enough to watch.
void drawSlowStep(PanelContext& p) {
    static constexpr Control kFewer{"fewer_bodies", "",
                                    "Start the scene with a number of bodies that this machine moves at a watchable pace"};
    const auto slow = slowStep(p.facts.configuration.bodies, stepCost(p.facts));
    if (!slow || !actionOf("fewer-bodies").unavailable(p.document).empty()) return;
    p.widgets.wrapped(palette::kWarning, formatted("One step takes about %.0f s here; %s bodies make %.0f steps/s.",
                                                   slow->seconds, grouped(slow->bodies).text, slow->stepsPerSecond));
    const std::string label = "Take " + std::string(grouped(slow->bodies)) + " bodies";
    Control button = kFewer;
    button.label = label.c_str();
    if (p.widgets.button(button, ImGui::GetContentRegionAvail().x)) set(p, "run.bodies", wholeValue(slow->bodies));
}

/// The scene's own numbers: dragging shows the value, and releasing restarts the scene.
void drawNumbers(PanelContext& p) {
    for (const SceneParameter& row : p.facts.scene->parameters) {
        const std::string format = "%.3g" + (row.unit.empty() ? "" : " " + std::string(row.unit));
        parameter(p, "scene." + std::string(row.name),
                  {.dragged = DragSpec{.speed = 0,
                                       .floor = (row.most - row.least) / 400,
                                       .format = format.c_str(),
                                       .onRelease = true,
                                       .least = row.least,
                                       .most = row.most}});
    }
}

/// The list of scenes by name, and a button for their pictures.
void drawSceneList(PanelContext& p) {
    const float gap = ImGui::GetStyle().ItemInnerSpacing.x;
    const float button = ImGui::CalcTextSize("All").x + 2 * ImGui::GetStyle().FramePadding.x;
    p.widgets.label(controlOf(parameter("run.scene")));
    parameter(p, "run.scene",
              {.now = Value(std::string(p.facts.scene->name)), .width = ImGui::GetContentRegionAvail().x - button - gap});
    ImGui::SameLine(0, gap);
    action(p, "scenes", button, "All");
}

void drawScene(PanelContext& p) {
    p.widgets.section("Scene");
    drawSceneList(p);
    drawBodies(p);
    drawSlowStep(p);
    if (p.state.depth != Depth::measure) return parameter(p, "look.colour_mode");
    const float side = ImGui::GetFrameHeight();
    typedParameter(p, "run.seed", side);
    action(p, "next-seed", side, "+");
    drawNumbers(p);
    const Letters letters(p.widgets.fonts().small);
    const std::string caption(p.facts.scene->caption);
    p.widgets.wrapped(palette::kMuted, caption);
    const std::string note = predictabilityNote(p.facts.configuration.scene, *p.facts.integrator, p.facts.time,
                                                p.facts.configuration.force.precision != Precision::fp64);
    if (!note.empty()) p.widgets.wrapped(palette::kWarning, note);
}

Reason notTunable(const PanelContext& p, const char* what) {
    return "The kernel '" + std::string(p.facts.kernel->name) + "' has no " + what + ".";
}

/// A list of whole numbers. 0 is the compiler's choice.
void listOf(PanelContext& p, std::string_view path, std::span<const int> values) {
    const std::string now = valueText(parameter(path).get(p.document));
    for (const int value : values) {
        const std::string text = unrollText(value);
        const Value wanted = value == kAutoUnroll ? Value(text) : Value(std::int64_t{value});
        if (p.widgets.choice(text, "", now == text)) set(p, path, wanted);
    }
    p.widgets.endCombo();
}

/// Below a control that does not apply to the kernel in use: a button for the nearest kernel to which it applies.
void offerKernel(PanelContext& p, const char* name, std::string_view axis) {
    const KernelRow* const other = nearestWith(axis, *p.facts.kernel, p.facts.configuration.force);
    if (!other) return;
    const std::string label = std::string(other->name) + " has " + std::string(axis) + ": use it";
    if (p.widgets.button({name, label.c_str(), Tip::ofRow(other->idea)}, ImGui::GetContentRegionAvail().x))
        set(p, "run.kernel", std::string(other->name));
}

/// A launch parameter for which the row has a list of compile-time factors.
void drawFactor(PanelContext& p, std::string_view path, const char* what, std::span<const int> values) {
    const Reason reason = values.size() > 1 ? Reason() : notTunable(p, what);
    const std::string now = reason.empty() ? valueText(parameter(path).get(p.document)) : "-";
    if (p.widgets.beginCombo(controlOf(parameter(path)), now, reason)) listOf(p, path, values);
}

/// A launch parameter with a range: typed, or chosen from powers of two or the only valid values.
void drawRange(PanelContext& p, const Control& list, std::string_view path, const char* what, Range range, int least,
               std::span<const int> only = {}) {
    const Reason reason = range.last != range.first ? Reason() : notTunable(p, what);
    const float side = ImGui::GetFrameHeight();
    const Value now = reason.empty() ? parameter(path).get(p.document) : Value();
    typedParameter(p, path, side, {.unavailable = reason, .now = now});
    if (!p.widgets.beginCombo(list, "", reason, side)) return;
    constexpr int kUsualLimit = 1024;
    std::vector<int> usual(only.begin(), only.end());
    const int most = !only.empty() ? 0 : range.last == 0 ? kUsualLimit : std::min(range.last, kUsualLimit);
    for (int value = least; value <= most; value *= 2)
        if (value >= range.first) usual.push_back(value);
    listOf(p, path, usual);
}

/// The accuracy of the tree, when one is in use or is the scene's default.
void drawFarField(PanelContext& p) {
    const bool far = p.facts.kernel->approximates;
    if (!far && !namesAccuracy(p.facts)) return;
    parameter(p, "run.exact_forces");
    parameter(p, "run.accuracy", {.unavailable = far ? Reason() : "Every pair is computed."});
}

/// Lists of the numbers that the kernel of a term can vary.
void drawTermLaunch(PanelContext& p, const TermInUse& term) {
    const RunConfiguration& now = p.facts.configuration;
    const KernelRow& row = rowOf(p.facts, term.term);
    for (const LaunchNumber& number : launchNumbers()) {
        const SweepAxis& axis = sweepAxis(number.option.substr(2));
        if (!axis.refuses(row).empty()) continue;
        const std::string name = "run.term_kernels/" + term.term + "/" + std::string(axis.name);
        const std::string label = "  " + inLowerCase(parameter("run." + std::string(number.key)).label);
        const int value = term.kernel.launch.*number.now;
        if (!p.widgets.beginCombo({name.c_str(), label.c_str(), Tip::ofRow(axis.label)}, unrollText(value))) continue;
        for (const std::size_t other : axis.values(row, now.bodies)) {
            const int wanted = static_cast<int>(other);
            if (!p.widgets.choice(unrollText(wanted), "", wanted == value)) continue;
            TermRequests requests = requestOf(now).terms;
            requests[term.term].kernel.launch.*number.wanted = wanted;
            set(p, "run.term_kernels", termRequestsText(requests));
        }
        p.widgets.endCombo();
    }
}

/// The kernel of each force term beside the pair law, and its launch.
void drawTerms(PanelContext& p) {
    const RunConfiguration& now = p.facts.configuration;
    for (const TermInUse& term : now.others()) {
        const std::vector<const KernelRow*> rows = listedKernels(now.backend, term.term);
        const std::string name = "run.term_kernels/" + term.term;
        const Reason reason = rows.size() > 1 ? Reason() : "The backend has one kernel for this term.";
        const Control list{name.c_str(), term.term.c_str(), Tip::ofRow(term.description)};
        const bool open = p.widgets.beginCombo(list, term.kernel.kernel, reason);
        for (const KernelRow* row : open ? rows : std::vector<const KernelRow*>()) {
            if (!p.widgets.choice(row->name, row->idea, row->name == term.kernel.kernel,
                                  row->refuses ? row->refuses(*row, now.force) : Reason()))
                continue;
            TermRequests wanted = requestOf(now).terms;
            wanted[term.term] = {.kernel = {.kernel = std::string(row->name)}};
            set(p, "run.term_kernels", termRequestsText(wanted));
        }
        if (open) p.widgets.endCombo();
        drawTermLaunch(p, term);
    }
    if (p.facts.brokenBonds > 0) {
        const std::size_t all = p.facts.brokenBonds + p.facts.bondLines;
        p.widgets.wrapped(palette::kMuted, formatted("%zu of %zu bonds have broken", p.facts.brokenBonds, all));
    }
}

/// The numbers of a launch that the kernel can vary.
void drawLaunch(PanelContext& p) {
    const KernelRow& kernel = *p.facts.kernel;
    static constexpr Control kBlocks{"run.block/list", "", "Usual block sizes"},
        kSplits{"run.split/list", "", "Usual splits"};
    drawRange(p, kBlocks, "run.block", "block size", kernel.blocks, 32, kernel.blockSizes);
    if (!axisRefusal("block", kernel).empty()) offerKernel(p, "run.block/nearest", "block");
    drawFactor(p, "run.unroll", "unroll factor", kernel.unrolls);
    if (!axisRefusal("unroll", kernel).empty()) offerKernel(p, "run.unroll/nearest", "unroll");
    if (kernel.bodiesPerThread.size() > 1)
        drawFactor(p, "run.bodies_per_thread", "targets a thread", kernel.bodiesPerThread);
    if (kernel.splits.first != kernel.splits.last) drawRange(p, kSplits, "run.split", "split", kernel.splits, 1);
}

void drawCompute(PanelContext& p) {
    p.widgets.section("Compute");
    parameter(p, "run.backend");
    drawDevices(p);
    parameter(p, "run.kernel");
    drawFarField(p);
    drawLaunch(p);
    drawTerms(p);
}

/// A number in the units of the scene's clock and scale bar.
void inUnits(PanelContext& p, std::string_view path, const std::string& unit, double scale) {
    DragSpec hand = parameter(path).dragged;
    const std::string format = hand.format + (unit.empty() ? std::string() : " " + unit);
    hand.format = format.c_str();
    parameter(p, path, {.dragged = hand, .shown = DisplayUnit{unit, scale}});
}

void drawTimeStep(PanelContext& p) {
    const SceneUnits& units = p.facts.scene->units;
    const ShownUnit time = unitOfTime(p.facts.configuration.timeStep, units);
    inUnits(p, "run.time_step", units.time.empty() ? "" : time.name, time.scale);
}

void drawSoftening(PanelContext& p) {
    const SceneUnits& units = p.facts.scene->units;
    inUnits(p, "run.softening", std::string(units.length), units.lengthScale);
}

void drawPhysics(PanelContext& p) {
    p.widgets.section("Physics");
    const SceneUnits& units = p.facts.scene->units;
    drawTimeStep(p);
    drawSoftening(p);
    parameter(p, "run.law");
    for (const LawNumber& number : lawNumbers())
        if (number.acts(p.facts.configuration.force.law)) parameter(p, "run." + std::string(number.key));
    drawFields(p);
    parameter(p, "run.contact");
    if (p.facts.configuration.contact.acts()) {
        inUnits(p, "run.radius", std::string(units.length), units.lengthScale);
        for (const char* path : {"run.density", "run.restitution", "run.friction"}) parameter(p, path);
    }
    parameter(p, "run.precision", {.unavailable = fixedPrecision(p.facts.configuration.backend)});
    parameter(p, "run.integrator");
    p.widgets.section("Pace");
    parameter(p, "run.steps_per_frame");
    DragSpec budget = parameter("run.time_budget").dragged;
    if (p.document.intent.timeBudgetMs == 0) budget.format = "auto";  // what the picture leaves
    parameter(p, "run.time_budget", {.dragged = budget});
    if (p.state.inWindow) parameter(p, "window.display_sync");
    if (backend(p.facts.kernel->backend).onDevice) parameter(p, "look.copy_vertices");
}

void drawLook(PanelContext& p) {
    p.widgets.section("Look");
    const ColourMode& mode = p.document.shownMode();
    const Reason given = mode.map.empty() ? Reason() : "Colouring by " + std::string(mode.name) + " has its own colours.";
    parameter(p, "look.colour_mode");
    if (mode.ofGroups || mode.ofDepth) parameter(p, "groups.linking");
    if (mode.ofGroups) parameter(p, "groups.least");
    parameter(p, "look.colour_map", {.unavailable = given});
    parameter(p, "look.exposure");
    parameter(p, "look.body_size");
    if (mode.published == VertexValue::speed && !mode.ofTraits && given.empty()) parameter(p, "look.top_speed");
    parameter(p, "look.glow");
}

void drawMoreLight(PanelContext& p) {
    if (!p.widgets.fold(kMoreLight, false)) return;
    if (p.facts.darkBodies && !p.document.shownMode().photograph) parameter(p, "look.dark_matter");
    if (p.document.shownMode().photograph)
        for (const char* layer : {"look.dust", "look.gas", "look.sky"}) parameter(p, layer);
    parameter(p, "look.tone", {.unavailable = actionOf("tone").unavailable(p.document)});
    parameter(p, "look.auto_exposure");
    parameter(p, "look.white_page");
    parameter(p, "look.hold_rate");
}

void drawOverlayChoice(PanelContext& p) {
    if (!p.widgets.fold(kOverlay, false)) return;
    for (const char* path : {"overlay.legend", "overlay.scale_bar", "overlay.clock", "overlay.axes", "overlay.grid",
                             "overlay.labels", "overlay.velocities", "overlay.forces", "look.trails"})
        parameter(p, path);
    parameter(p, "view.tree_cells");
    if (p.document.tree.boxes == TreeBoxes::level) parameter(p, "view.tree_level");
    if (p.document.look.trails > 0) parameter(p, "look.trail_light");
    if (p.facts.bondLines > 0) parameter(p, "look.bond_light");
    parameter(p, "camera.rotation");
    parameter(p, "camera.orthographic");
}

}  // namespace

void drawControlPanel(PanelContext& p) {
    const float s = p.widgets.scale();
    const float limit = p.surface.y - p.top - (kBottomHeight + 2 * kMargin) * s;
    placePanel(ImVec2(kMargin * s, p.top + kMargin * s), ImVec2(0, 0), p.plan.side * s, std::max(limit, 40 * s));
    if (const PanelWindow window(p, "controls", kFittedPanel); window) {
        drawTabs(p);
        drawScene(p);
        if (p.state.depth == Depth::measure)
            for (const auto draw : {drawCompute, drawPhysics, drawTwinControls, drawLook, drawMoreLight, drawOverlayChoice})
                draw(p);
    }
}

void drawControlAlone(PanelContext& p, std::string_view name) {
    static constexpr std::pair<std::string_view, void (*)(PanelContext&)> kOwn[] = {
        {"run.bodies", drawBodies},         {"run.time_step", drawTimeStep}, {"run.softening", drawSoftening},
        {"run.block", drawLaunch},          {"run.unroll", drawLaunch},      {"run.accuracy", drawFarField},
        {"run.exact_forces", drawFarField}, {"run.device", drawDevices},     {"run.term_kernels", drawTerms}};
    static constexpr std::string_view kElsewhere[] = {"run", "step", "reset", "run.speed"};  // in the play bar
    if (std::ranges::count(kElsewhere, name) > 0 || (p.plan.controls && p.state.depth == Depth::measure)) return;
    if (p.plan.controls && (name == "run.bodies" || name == "look.colour_mode")) return;
    const auto own = std::ranges::find(kOwn, name, &std::pair<std::string_view, void (*)(PanelContext&)>::first);
    if (own != std::end(kOwn)) return own->second(p);
    if (findParameter(name)) return parameter(p, name);
    const Action& row = actionOf(name);
    if (!hasChoices(row) && !row.client) action(p, name, 0);
}

}  // namespace gravlab
