// The left panel: everything that can be tuned while it runs. Lists walk the program's own tables.
#include "app/control/option_values.h"
#include "app/control/parameter.h"
#include "app/format.h"
#include "app/model/look.h"
#include "app/panels/panel_twin.h"
#include "app/services/predictability.h"
#include "app/services/quality_ladder.h"
#include "render/colour_map.h"
#include "sim/core/error.h"
#include "sim/forces/law.h"
#include "sim/forces/law_numbers.h"
#include "sim/forces/precision.h"

#include <algorithm>
#include <iterator>
#include <numbers>

namespace gravlab {
namespace {

constexpr Control kPause{"pause", "Pause", "Stop the simulation and keep the picture. Key: Space"};
constexpr Control kRun{"pause", "Run", "Let the simulation run on. Key: Space"};
constexpr Control kStep{"step", "Step", "Make one complete step, then pause. Keys: N, Right"};
constexpr Control kReset{"reset", "Reset", "Start the scene again from t = 0. Key: R"};
constexpr Control kScene{"scene", "Scene",
                         "The starting state. Its own time step, softening and view come with it. Keys: [ ] and 1 .. 9"};
constexpr Control kBodies{"bodies", "Bodies",
                          "How many bodies, in powers of two; taken up when you let go. The scene starts again. "
                          "Keys: Page Up, Page Down"};
constexpr Control kBodiesExact{"bodies_exact", "Bodies", "The exact number: 65536, 64k (= 65,536) or 1M. Enter takes it up"};
constexpr Control kSeed{"seed", "Seed", "Same seed, same bodies. Enter takes it up and the scene starts again"};
constexpr Control kNextSeed{"next_seed", "+", "The next seed"};
constexpr Control kBackend{"backend", "Backend", "What computes the forces. The running state moves over. Key: B"};
constexpr Control kKernel{"kernel", "Kernel", "How this backend computes the forces. Key: K"};
constexpr Control kBlock{"block", "Block", "Threads a block, which is also the bodies of a tile. Enter takes it up"};
constexpr Control kBlockList{"block_list", "", "Usual block sizes"};
constexpr Control kUnroll{"unroll", "Unroll", "How many pairs the inner loop writes out: fewer branches, more registers"};
constexpr Control kBodiesPerThread{"bodies_per_thread", "Per thread", "Targets that one thread holds in registers"};
constexpr Control kSplit{"split", "Split", "Threads that share one target's sources: keeps a large GPU busy at small N"};
constexpr Control kTimeStep{"time_step", "Time step", "Simulated time a step. Drag, or double click to type. Keys: , and ."};
constexpr Control kSoftening{
    "softening", "Softening",
    "Length that blunts close encounters. Drag, or double click to type; the force is checked again"};
constexpr Control kIntegrator{"integrator", "Integrator", "How forces become motion"};
constexpr Control kLaw{"law", "Law", "How two bodies act on each other. The run goes on under it"};
constexpr Control kPrecision{
    "precision", "Precision",
    "fp32 is fast, fp64 exact; mixed has pairs in fp32 and keeps bodies and sums in fp64. The error "
    "of the force is at the right"};
constexpr Control kStepsPerFrame{"steps_per_frame", "Steps a frame",
                                 "At most so many steps between two pictures. Changes the pace, never the result"};
constexpr Control kTimeBudget{"time_budget", "Time budget",
                              "Computing time a frame [ms]. Steps that need longer go on in the next frame, so that the "
                              "window keeps answering"};
constexpr Control kExposure{"exposure", "Exposure", "How bright the picture is. Keys: + and -"};
constexpr Control kPointSize{"point_size", "Body size", "Radius of a body as drawn, in the scene's length"};
constexpr Control kGlow{"glow", "Glow", "Part of the light that spreads around bright places; 0 is off"};
constexpr Control kColourMode{"colour_mode", "Colour by", "What the colour of a body says. Key: M"};
constexpr Control kColours{"colours", "Colours", "Colour map, low to high. Key: C"};
constexpr Control kTone{"tone", "Tone", "How light becomes what the screen shows"};
constexpr Control kAutoExposure{"auto_exposure", "Auto exposure", "Let brightness follow the picture. Key: E"};
constexpr Control kPaper{"paper", "White page", "Dark bodies on white, for print and projectors. Key: Ctrl B"};
constexpr Control kHoldRate{
    "hold_rate", "Hold 30 frames/s",
    "Lower the look while this machine is too slow for it, glow and sharpness first; the line at the "
    "bottom says what is lowered"};
constexpr Control kDarkMatter{"dark_matter", "Dark matter",
                              "Brightness of the bodies of dark haloes; 0 hides them. They pull all the same"};
constexpr Control kMoreLight{"more_light", "More light", "Dark matter, tone curve, automatic exposure, white page, quality"};
constexpr Control kOverlay{"overlay", "In the picture", "Legend, scale bar, clock, axes, grid, trails, the camera"};
constexpr Control kTrails{"trails", "Trails", "Points of the line behind each body, one a frame; 0 is none. Key: T"};
constexpr Control kTrailLight{"trail_light", "Trail light", "Brightness of the trails"};
constexpr Control kRotation{"rotation", "Turning", "How fast the camera turns by itself. Key: Q"};
constexpr Control kOrthographic{"orthographic", "Flat view", "No perspective: equal lengths look equal. Key: P"};
constexpr Control kLegend{"legend", "Legend", "What the colours mean, in the picture. Key: Y"};
constexpr Control kScaleBar{"scale_bar", "Scale", "A bar of known length. Key: U"};
constexpr Control kClock{"clock", "Clock", "The simulated time. Key: U"};
constexpr Control kAxes{"axes", "Axes", "x, y and z from the origin. Key: X"};
constexpr Control kGrid{"grid", "Grid", "A grid in the x-y plane. Key: Z"};
constexpr Control kTopSpeed{"top_speed", "Top speed", "The speed at the end of the colour map"};
constexpr Control kVsync{"vsync", "Display sync",
                         "Wait for the display before showing a picture: no tearing, no wasted power"};

void drawTransport(PanelContext& p) {
    Intent& intent = p.session.intent;
    const float gap = ImGui::GetStyle().ItemSpacing.x;
    const float width = (ImGui::GetContentRegionAvail().x - 2 * gap) / 3;
    if (p.widgets.button(intent.paused ? kRun : kPause, width)) intent.paused = !intent.paused;
    ImGui::SameLine();
    if (p.widgets.button(kStep, width)) {
        intent.paused = true;
        ++intent.singleSteps;
    }
    ImGui::SameLine();
    if (p.widgets.button(kReset, width)) intent.reset = true;
}

/// Text to a value by one of the command line's parsers; a refusal becomes the message that stays on screen.
template <class Take, class Parse>
void takeTyped(PanelContext& p, Take take, const char* name, const std::string& typed, Parse parse) {
    std::string plain;
    std::remove_copy_if(typed.begin(), typed.end(), std::back_inserter(plain), [](char c) { return c == ',' || c == ' '; });
    try {
        take(parse(name, plain));
    } catch (const UsageError& error) {
        p.session.say(error.what());
    }
}

void drawBodies(PanelContext& p) {
    RunRequest& wanted = p.session.intent.request;
    Reason fixed;
    if (p.facts.scene->fixedBodies > 0) {
        fixed = "The scene '" + std::string(p.facts.scene->name) + "' always has " +
                std::to_string(p.facts.scene->fixedBodies) + " bodies.";
    }
    // What is beyond takes a minute to build; it can be typed, but not be hit by a slip of the mouse.
    constexpr std::size_t kSliderEnd = std::size_t{1} << 22;
    p.widgets.label(kBodies, fixed);
    const float width = ImGui::GetContentRegionAvail().x, gap = ImGui::GetStyle().ItemInnerSpacing.x;
    const float exact = 0.46f * width;
    std::size_t bodies = p.facts.configuration.bodies;
    if (p.widgets.powers(kBodies, width - exact - gap, bodies, std::min(kSliderEnd, p.facts.bodiesLimit), fixed))
        wanted.bodies = bodies;
    ImGui::SameLine(0, gap);
    std::string typed;
    if (p.widgets.field(kBodiesExact, exact, grouped(p.facts.configuration.bodies), typed, fixed))
        takeTyped(
            p, [&](std::size_t value) { wanted.bodies = value; }, "bodies", typed, parseBodies);
}

void drawSeed(PanelContext& p) {
    RunRequest& wanted = p.session.intent.request;
    p.widgets.label(kSeed);
    const float side = ImGui::GetFrameHeight(), gap = ImGui::GetStyle().ItemInnerSpacing.x;
    char shown[32];
    std::snprintf(shown, sizeof shown, "%llu", static_cast<unsigned long long>(p.facts.configuration.seed));
    std::string typed;
    if (p.widgets.field(kSeed, ImGui::GetContentRegionAvail().x - side - gap, shown, typed))
        takeTyped(
            p, [&](std::uint64_t value) { wanted.seed = value; }, "seed", typed, parseSeed);
    ImGui::SameLine(0, gap);
    if (p.widgets.button(kNextSeed, side)) ++wanted.seed;
}

/// The scene's own numbers: drag, and the scene starts again when the mouse lets go.
void drawParameters(PanelContext& p) {
    RunRequest& wanted = p.session.intent.request;
    SceneRequest running;
    running.parameters = p.facts.configuration.parameters;
    for (const SceneParameter& row : p.facts.scene->parameters) {
        const Control control{row.name.data(), row.label.data(), Tip::ofRow(row.idea)};
        double value = running.value(row);
        const std::string format = "%.3g" + (row.unit.empty() ? "" : " " + std::string(row.unit));
        const DragRange range{.least = row.least,
                              .most = row.most,
                              .speed = 0,
                              .floor = (row.most - row.least) / 400,
                              .format = format.c_str(),
                              .onRelease = true};
        if (p.widgets.drag(control, value, range)) wanted.parameters[std::string(row.name)] = value;
    }
}

void drawScene(PanelContext& p) {
    RunRequest& wanted = p.session.intent.request;
    p.widgets.section("Scene");
    if (p.widgets.beginCombo(kScene, p.facts.scene->name)) {
        for (const Scene& row : sceneTable())
            if (p.widgets.choice(row.name, row.idea, &row == p.facts.scene)) wanted.changeScene(row.name);
        p.widgets.endCombo();
    }
    drawBodies(p);
    drawSeed(p);
    drawParameters(p);
    ImGui::PushFont(p.widgets.fonts().small);
    const std::string_view caption = p.facts.scene->caption;
    char text[160];
    std::snprintf(text, sizeof text, "%.*s", static_cast<int>(caption.size()), caption.data());
    p.widgets.wrapped(palette::kMuted, text);
    const std::string note = predictabilityNote(p.facts.configuration.scene, *p.facts.integrator, p.facts.time,
                                                p.facts.configuration.force.precision != Precision::fp64);
    if (!note.empty()) p.widgets.wrapped(palette::kWarning, note.c_str());
    ImGui::PopFont();
}

Reason notTunable(const PanelContext& p, const char* what) {
    return "The kernel '" + std::string(p.facts.kernel->name) + "' has no " + what + ".";
}

/// One value of the launch; the rest and the kernel stay as they are.
void askForLaunch(PanelContext& p, int LaunchConfig::*member, int value) {
    KernelChoice kernel = p.facts.configuration.kernel;
    kernel.launch.*member = value;
    p.session.intent.request.kernel = requestOf(kernel);
}

/// A launch value that a row offers as a list of compile-time factors.
void drawFactor(PanelContext& p, const Control& control, const char* what, std::span<const int> values,
                int LaunchConfig::*member) {
    const Reason reason = values.size() > 1 ? Reason() : notTunable(p, what);
    const int now = p.facts.configuration.kernel.launch.*member;
    char shown[16];
    std::snprintf(shown, sizeof shown, "%d", now);
    if (!p.widgets.beginCombo(control, reason.empty() ? shown : "-", reason)) return;
    for (const int value : values) {
        std::snprintf(shown, sizeof shown, "%d", value);
        if (p.widgets.choice(shown, "", value == now)) askForLaunch(p, member, value);
    }
    p.widgets.endCombo();
}

/// A launch value from a range: typed, or one of the usual powers of two.
void drawRange(PanelContext& p, const Control& control, const Control& list, const char* what, Range range, int least,
               int LaunchConfig::*member) {
    const Reason reason = range.last != range.first ? Reason() : notTunable(p, what);
    const int now = p.facts.configuration.kernel.launch.*member;
    p.widgets.label(control, reason);
    const float side = ImGui::GetFrameHeight(), gap = ImGui::GetStyle().ItemInnerSpacing.x;
    char shown[16];
    std::snprintf(shown, sizeof shown, "%d", now);
    std::string typed;
    if (p.widgets.field(control, ImGui::GetContentRegionAvail().x - side - gap, reason.empty() ? shown : "-", typed, reason))
        takeTyped(
            p, [&](int value) { askForLaunch(p, member, value); }, what, typed,
            [](std::string_view name, std::string_view text) {
                return static_cast<int>(parseInteger(name, text, 1, 1 << 30));  // the backend knows the device's own limit
            });
    ImGui::SameLine(0, gap);
    if (!p.widgets.beginCombo(list, "", reason, side)) return;
    constexpr int kUsualLimit = 1024;
    for (int value = least; value <= (range.last == 0 ? kUsualLimit : std::min(range.last, kUsualLimit)); value *= 2) {
        if (value < range.first) continue;
        std::snprintf(shown, sizeof shown, "%d", value);
        if (p.widgets.choice(shown, "", value == now)) askForLaunch(p, member, value);
    }
    p.widgets.endCombo();
}

void drawCompute(PanelContext& p) {
    RunRequest& wanted = p.session.intent.request;
    const KernelRow& kernel = *p.facts.kernel;
    p.widgets.section("Compute");
    if (p.widgets.beginCombo(kBackend, p.facts.configuration.backend)) {
        if (const auto name = p.widgets.chosenOf(backendChoices(p.facts.configuration)); !name.empty())
            wanted.changeBackend(std::string(name));
        p.widgets.endCombo();
    }
    if (p.widgets.beginCombo(kKernel, kernel.name)) {
        if (p.widgets.choice("auto", "The backend chooses by N and device.", false)) wanted.kernel = {};
        for (const KernelRow& row : kernels())
            if (row.backend == kernel.backend && p.widgets.choice(row.name, row.idea, &row == &kernel))
                wanted.kernel = {std::string(row.name), {}};
        p.widgets.endCombo();
    }
    drawRange(p, kBlock, kBlockList, "block size", kernel.blocks, 32, &LaunchConfig::block);
    drawFactor(p, kUnroll, "unroll factor", kernel.unrolls, &LaunchConfig::unroll);
    if (kernel.bodiesPerThread.size() > 1)
        drawFactor(p, kBodiesPerThread, "targets a thread", kernel.bodiesPerThread, &LaunchConfig::bodiesPerThread);
    if (kernel.splits.first != kernel.splits.last) {
        static constexpr Control kSplitList{"split_list", "", "Usual splits"};
        drawRange(p, kSplit, kSplitList, "split", kernel.splits, 1, &LaunchConfig::split);
    }
}

/// Law and precision; what no kernel of the backend has is grey.
void drawForce(PanelContext& p) {
    RunRequest& wanted = p.session.intent.request;
    const RunConfiguration& running = p.facts.configuration;
    const LawRow& now = lawRow(running.force.law);
    if (p.widgets.beginCombo(kLaw, now.name)) {
        if (const auto name = p.widgets.chosenOf(lawChoices(running)); !name.empty()) wanted.law = law(name).law;
        p.widgets.endCombo();
    }
    for (const LawNumber& number : lawNumbers()) {
        if (!number.acts(now.law)) continue;
        double value = running.force.*number.force;
        DragRange range{.least = number.least, .most = number.most};
        if (number.least < 0) range.speed = 0, range.floor = 0.02, range.format = "%.2f";  // goes through 0
        if (p.widgets.drag({number.key, number.label, Tip::ofRow(number.idea)}, value, range)) wanted.*number.asked = value;
    }
    if (!p.widgets.beginCombo(kPrecision, nameOf(running.force.precision), fixedPrecision(running.backend))) return;
    if (const auto name = p.widgets.chosenOf(precisionChoices(running)); !name.empty())
        wanted.precision = precision(name).precision;
    p.widgets.endCombo();
}

/// The ends of a drag as the table of parameters has them.
DragRange ofTable(std::string_view path, DragRange range) {
    constexpr double kLeast = 1e-30, kMost = 1e30;  // what a drag still moves
    const Bounds& bounds = parameter(path).bounds;
    range.least = bounds.aboveLeast ? kLeast : std::max(bounds.least, -kMost);
    range.most = std::min(bounds.most, kMost);
    return range;
}

void drawPhysics(PanelContext& p) {
    RunRequest& wanted = p.session.intent.request;
    p.widgets.section("Physics");
    double step = p.facts.configuration.timeStep, softening = p.facts.configuration.force.softening;
    if (p.widgets.drag(kTimeStep, step, {.least = 1e-12, .most = 1e6, .floor = 1e-7, .format = "%.5g", .bothSigns = true}))
        wanted.timeStep = step;
    if (p.widgets.drag(kSoftening, softening,
                       ofTable("run.softening", {.floor = 1e-4, .format = "%.4g", .onRelease = true})))
        wanted.softening = softening;
    drawForce(p);
    if (p.widgets.beginCombo(kIntegrator, p.facts.integrator->name)) {
        if (const auto name = p.widgets.chosenOf(integratorChoices(p.facts.configuration)); !name.empty())
            wanted.integrator = name;
        p.widgets.endCombo();
    }
    p.widgets.section("Pace");
    p.widgets.drag(kStepsPerFrame, p.session.intent.stepsPerFrame,
                   ofTable("run.steps_per_frame", {.speed = 0.02, .floor = 0.1, .format = "%.0f"}));
    p.widgets.drag(kTimeBudget, p.session.intent.timeBudgetMs,
                   ofTable("run.time_budget", {.floor = 0.05, .format = "%.5g ms"}));
    if (p.state.inWindow) p.widgets.toggle(kVsync, p.state.vsync);
}

void drawLook(PanelContext& p) {
    Look& look = p.session.look;
    p.widgets.section("Look");
    const auto modes = colourModes();
    if (p.widgets.beginCombo(kColourMode, p.session.shownMode().name)) {
        for (std::size_t i = 0; i < modes.size(); ++i)
            if (p.widgets.choice(modes[i].name, modes[i].idea, &modes[i] == &p.session.shownMode()))
                p.session.colourMode = static_cast<int>(i);
        p.widgets.endCombo();
    }
    const auto maps = colourMaps();
    const Reason given = p.session.shownMode().map.empty()
                             ? Reason()
                             : "Colouring by " + std::string(p.session.shownMode().name) + " brings its own colours.";
    const auto index = static_cast<std::size_t>(std::clamp(look.colourMap, 0, static_cast<int>(maps.size()) - 1));
    if (p.widgets.beginCombo(kColours, maps[index].name, given)) {
        for (std::size_t i = 0; i < maps.size(); ++i)
            if (p.widgets.choice(maps[i].name, maps[i].idea, i == index)) look.colourMap = static_cast<int>(i);
        p.widgets.endCombo();
    }
    p.widgets.drag(kExposure, look.exposure, ofTable("look.exposure", {.format = "%.3g"}));
    p.widgets.drag(kPointSize, look.pointSize, ofTable("look.body_size", {.floor = 1e-6, .format = "%.3g"}));
    if (p.session.shownMode().published == VertexValue::speed && !p.session.shownMode().ofTraits && given.empty())
        p.widgets.drag(kTopSpeed, look.valueScale, ofTable("look.top_speed", {.floor = 1e-6, .format = "%.3g"}));
    p.widgets.drag(kGlow, look.bloom, ofTable("look.glow", {.speed = 0, .floor = 0.005, .format = "%.2f"}));
}

void drawMoreLight(PanelContext& p) {
    if (!p.widgets.fold(kMoreLight, false)) return;
    Look& look = p.session.look;
    if (p.session.hasDarkBodies())
        p.widgets.drag(kDarkMatter, look.darkLight, ofTable("look.dark_matter", {.floor = 0.002, .format = "%.3g"}));
    const auto tones = toneCurves();
    if (p.widgets.beginCombo(kTone, tones[static_cast<std::size_t>(look.tone)].name,
                             look.paper ? Reason("A white page has its own curve.") : Reason())) {
        for (const ToneRow& row : tones)
            if (p.widgets.choice(row.name, row.idea, row.curve == look.tone)) look.tone = row.curve;
        p.widgets.endCombo();
    }
    p.widgets.toggle(kAutoExposure, look.autoExposure);
    p.widgets.toggle(kPaper, look.paper);
    p.widgets.toggle(kHoldRate, p.session.quality->on);
}

void drawOverlayChoice(PanelContext& p) {
    OverlayChoice& overlay = p.session.overlay;
    if (!p.widgets.fold(kOverlay, false)) return;
    const struct {
        const Control& control;
        bool& shown;
    } rows[] = {{kLegend, overlay.legend},
                {kScaleBar, overlay.scaleBar},
                {kClock, overlay.clock},
                {kAxes, overlay.axes},
                {kGrid, overlay.grid}};
    for (const auto& row : rows) p.widgets.toggle(row.control, row.shown);
    p.widgets.drag(kTrails, p.session.look.trails, ofTable("look.trails", {.speed = 0.01, .floor = 0.3, .format = "%.0f"}));
    if (p.session.look.trails > 0)
        p.widgets.drag(kTrailLight, p.session.look.trailLight, ofTable("look.trail_light", {.format = "%.3g"}));
    double turn = p.session.rotation * 180 / std::numbers::pi;
    if (p.widgets.drag(kRotation, turn, {.least = -90, .most = 90, .speed = 0, .floor = 0.1, .format = "%.1f deg/s"}))
        p.session.rotation = turn * std::numbers::pi / 180;
    p.widgets.toggle(kOrthographic, p.session.camera.orthographic);
}

}  // namespace

void drawControlPanel(PanelContext& p) {
    const float s = p.widgets.scale();
    const float limit = p.surface.y - p.top - (bottomHeight(p.state) + 2 * kMargin) * s;
    ImGui::SetNextWindowPos(ImVec2(kMargin * s, p.top + kMargin * s));
    ImGui::SetNextWindowSizeConstraints(ImVec2(kControlWidth * s, 0), ImVec2(kControlWidth * s, std::max(limit, 40 * s)));
    constexpr auto kFlags = kPanelWindow | ImGuiWindowFlags_AlwaysAutoResize;
    if (ImGui::Begin("gravlab controls", nullptr, kFlags)) {
        p.widgets.panel("controls");
        drawTransport(p);
        drawScene(p);
        drawCompute(p);
        drawPhysics(p);
        drawTwinControls(p);
        drawLook(p);
        drawMoreLight(p);
        drawOverlayChoice(p);
    }
    ImGui::End();
}

}  // namespace gravlab
