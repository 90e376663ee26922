// The rows of the menus View, Look and Window.
#include "app/control/action.h"
#include "app/model/camera_path.h"
#include "app/model/look.h"
#include "app/model/ui_state.h"
#include "app/parameters/parameter.h"
#include "render/colour_map.h"
#include "sim/api/errors.h"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace gravlab {
namespace {

constexpr std::string_view kKeysGo = "Where the keys go is not undone; Esc leaves menus and panels.";

constexpr float kExposureStep = 1.25f;
constexpr double kTextStep = 1.125;
constexpr float kFlight = 0.06f;     // fraction of the distance for each key press
constexpr double kFlightRate = 1.5;  // and for each second while the key is held: equals 25 presses a second
constexpr double kTurn = 0.2;        // [rad/s]

template <double factor>
void scaleText(KeyTarget& t, int) {
    const Bounds& range = parameter("window.text_scale").bounds;
    t.ui.textScale = static_cast<float>(std::clamp(t.ui.textScale * factor, range.least, range.most));
}

/// An exposure beyond the ends of these keys stays.
template <bool brighter>
void scaleExposure(KeyTarget& t, int) {
    float& exposure = t.look.exposure;
    exposure = brighter ? std::min(exposure * kExposureStep, std::max(exposure, 100.f))
                        : std::max(exposure / kExposureStep, std::min(exposure, 0.01f));
}

template <int x, int z>
void fly(KeyTarget& t, float way) {
    t.frameAll = false;
    t.camera.fly({x * way, 0, z * way});
}
/// A row that flies in that direction while its key is held.
template <int x, int z>
constexpr Action flies(std::string_view name, std::string_view label, std::string_view idea, Key key) {
    return does(name, label, idea,
                {.strokes = {{key}},
                 .act = [](KeyTarget& t, int) { fly<x, z>(t, kFlight); },
                 .argument = "SECONDS",
                 .with =
                     [](KeyTarget& t, const Value& argument) {
                         constexpr double kLongest = 3600;  // [s]
                         const std::optional<double> seconds = numberOf(argument);
                         if (!seconds || !(*seconds >= 0 && *seconds <= kLongest))
                             throw UsageError("'" + valueText(argument) + "': expected seconds from 0 to 3600");
                         fly<x, z>(t, static_cast<float>(kFlightRate * *seconds));
                     },
                 .list = "Fly",
                 .holds = true});
}

/// One of the nine slots for views.
template <bool empty>
std::vector<SettingChoice> places(const KeyTarget& t) {
    std::vector<SettingChoice> all;
    for (const auto& view : t.views) {
        const std::string number = std::to_string(all.size() + 1);
        all.push_back({.name = "View " + number, .idea = "camera and distance", .chosen = view.has_value()});
        if (!empty && !view) all.back().refused = "No view is remembered there; Ctrl " + number + " remembers this one.";
    }
    return all;
}

constexpr Action kView[] = {
    does("home", "The scene's own view", "the scene's own view, from which the camera keeps everything in the picture",
         {.strokes = {{Key::home}},
          .act =
              [](KeyTarget& t, int) {
                  t.followCentre(std::nullopt);
                  t.camera = sceneCamera(t.facts.scene->view);
                  t.frameAll = true;
              }}),
    does("remember-view", "Remember this view", "remember this view",
         {.strokes = {{Key{'1'}, kControl, Key{'9'}}},
          .act = [](KeyTarget& t, int which) { t.views[static_cast<std::size_t>(which)] = t.camera; },
          .choices = places<true>,
          .whyNotUndoable = "A view stays remembered until another one takes its place."}),
    does("recall-view", "Back to a view", "back to a remembered view",
         {.strokes = {{Key{'1'}, kAlt, Key{'9'}}},
          .act =
              [](KeyTarget& t, int which) {
                  t.frameAll = false;
                  if (const auto& view = t.views[static_cast<std::size_t>(which)]) t.camera = *view;
              },
          .choices = places<false>}),
    does("turn", "Turn slowly", "turn the camera slowly by itself",
         {.strokes = {{Key{'Q'}}},
          .parameter = "camera.rotation",
          .act = [](KeyTarget& t, int) { t.rotation = t.rotation == 0 ? kTurn : 0; },
          .checked = [](const KeyTarget& t) { return t.rotation != 0; },
          .line = true}),
    does("fly-path", "Fly along the path", "fly along the remembered views or the scene file's camera path, or stop",
         {.strokes = {{Key{'W'}, kAlt}},
          .act =
              [](KeyTarget& t, int) {
                  if (const std::string why = toggleTour(t.tour, t.views); !why.empty()) t.warn(why);
              },
          .checked = [](const KeyTarget& t) { return t.tour.playing; },
          .undoSkips = "A flight is not undone; Home is the own view of the scene."}),
    does("flat", "Without perspective", "with or without perspective",
         {.strokes = {{Key{'P'}}}, .parameter = "camera.orthographic"}),
    does("four-views", "Four views",
         "four views at once: the planes xy, xz and yz and space, with paths and the places where bodies began",
         {.strokes = {{Key::f4}},
          .parameter = "view.four",
          .act = [](KeyTarget& t, int) { t.showFourViews(!t.fourViews); },
          .checked = [](const KeyTarget& t) { return t.fourViewed(); },
          .unavailable =
              [](const KeyTarget& t) {
                  return t.facts.twin.on ? Reason("Two runs share the picture: Ctrl T ends the twin.") : Reason();
              }}),
    flies<0, 1>("fly-ahead", "Ahead", "fly ahead", Key{'W'}),
    flies<0, -1>("fly-back", "Back", "fly back", Key{'S'}),
    flies<-1, 0>("fly-left", "Left", "fly to the left", Key{'A'}),
    flies<1, 0>("fly-right", "Right", "fly to the right", Key{'D'}),
    {.name = "legend", .strokes = {{Key{'Y'}}}, .parameter = "overlay.legend", .line = true},
    does("scale-and-clock", "Scale bar and clock", "scale bar and clock",
         {.strokes = {{Key{'U'}}},
          .parameter = "overlay.clock",
          .act = [](KeyTarget& t, int) { t.overlay.scaleBar = t.overlay.clock = !t.overlay.clock; },
          .checked = [](const KeyTarget& t) { return t.overlay.clock; }}),
    {.name = "axes", .strokes = {{Key{'X'}}}, .parameter = "overlay.axes"},
    {.name = "grid", .strokes = {{Key{'Z'}}}, .parameter = "overlay.grid"},
    {.name = "labels", .strokes = {{Key{'N'}, kAlt}}, .parameter = "overlay.labels"},
    {.name = "velocities", .idea = "arrows of velocities", .strokes = {{Key{'V'}, kAlt}}, .parameter = "overlay.velocities"},
    {.name = "forces", .idea = "arrows of forces", .parameter = "overlay.forces"},
    {.name = "tree-cells",
     .idea = "boxes of the cells of an octree over the bodies",
     .parameter = "view.tree_cells",
     .line = true},
    nexts("next-tree-cells", "Next of these",
          "cells of a tree: those of one level, those that act on the selected body, none", "view.tree_cells",
          {Key{'Z'}, kAlt}),
};

constexpr Action kLook[] = {
    {.name = "colour-by", .parameter = "look.colour_mode"},
    nexts("next-colour-mode", "Next of these", "next colour mode: what colours say", "look.colour_mode", {Key{'M'}}),
    does("colour-map", "Colour map", "colours from low to high", {.parameter = "look.colour_map", .line = true}),
    nexts("next-colour-map", "Next of these", "next colour map", "look.colour_map", {Key{'C'}}),
    does("tone", "Tone curve", "how light becomes what the screen shows",
         {.parameter = "look.tone",
          .unavailable =
              [](const KeyTarget& t) { return t.look.paper ? Reason("A white page has its own curve.") : Reason(); }}),
    does("trails", "Trails", "trails behind bodies",
         {.strokes = {{Key{'T'}}},
          .parameter = "look.trails",
          .act =
              [](KeyTarget& t, int) {
                  t.look.trails = t.look.trails > 0 ? 0 : kUsualTrail;
                  t.ownTrails = false;
              },
          .checked = [](const KeyTarget& t) { return t.look.trails > 0; },
          .line = true}),
    does("auto-exposure", "Automatic exposure", "automatic exposure",
         {.strokes = {{Key{'E'}}}, .parameter = "look.auto_exposure"}),
    scales("brighter", "Brighter", "brighter", "look.exposure", {Key::equal}, {Key::padPlus}, scaleExposure<true>),
    scales("darker", "Darker", "darker", "look.exposure", {Key{'-'}}, {Key::padMinus}, scaleExposure<false>),
    {.name = "paper", .strokes = {{Key{'B'}, kControl}}, .parameter = "look.white_page", .line = true},
};

constexpr Action kWindow[] = {
    {.name = "depth", .parameter = "window.depth"},
    {.name = "panels", .idea = "show or hide the panels", .strokes = {{Key{'G'}}}, .parameter = "window.panels"},
    {.name = "conservation",
     .idea = "show or hide energy and momenta over time",
     .strokes = {{Key{'J'}}},
     .parameter = "window.conservation"},
    does("instruments", "Instruments",
         "profiles of a galaxy, in place of the energy: rotation, density, dispersions, Toomre Q",
         {.strokes = {{Key{'J'}, kControl}},
          .parameter = "window.instruments",
          .unavailable =
              [](const KeyTarget& t) {
                  return t.facts.configuration.bodies < kFewestOfCurves && !t.ui.instruments
                             ? Reason("So few bodies have no curves over a radius.")
                             : Reason();
              }}),
    does("picture-alone", "Picture alone", "show the picture alone",
         {.strokes = {{Key::tab}}, .act = [](KeyTarget& t, int) { toggle(t.ui.visible); }}),
    {.name = "full-screen", .strokes = {{Key::f11}, {Key::enter, kAlt}}, .parameter = "window.full_screen", .line = true},
    {.name = "projector", .strokes = {{Key{'P'}, kControl}}, .parameter = "window.projector"},
    scales("larger-text", "Larger text", "larger panels and letters", "window.text_scale", {Key::equal, kControl},
           {Key::padPlus, kControl}, scaleText<kTextStep>),
    scales("smaller-text", "Smaller text", "smaller panels and letters", "window.text_scale", {Key{'-'}, kControl},
           {Key::padMinus, kControl}, scaleText<1 / kTextStep>),
    {.name = "display-sync", .parameter = "window.display_sync"},
    does("menus", "Menus by keyboard", "open the menus: arrows, Enter, Esc; Alt by itself does the same",
         {.strokes = {{Key::f10}},
          .act = [](KeyTarget& t, int) { t.ui.visible = true; },
          .effect = sends<WalkMenus>,
          .undoSkips = kKeysGo,
          .line = true,
          .redirects = true}),
    does("next-panel", "Panels by keyboard", "into the panels, and to the next one: arrows, Enter or Space, Esc to leave",
         {.strokes = {{Key::f6}},
          .act = [](KeyTarget& t, int) { t.ui.visible = t.ui.panel = true; },
          .effect = sends<NextPanel>,
          .undoSkips = kKeysGo,
          .redirects = true}),
};

}  // namespace

std::span<const Action> viewActions() { return kView; }
std::span<const Action> lookActions() { return kLook; }
std::span<const Action> windowActions() { return kWindow; }

}  // namespace gravlab
