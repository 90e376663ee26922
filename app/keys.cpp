// The rows. Rule: an action edits intent, look, camera or the state of the panels, and nothing else.
#include "app/keys.h"

#include "app/look.h"
#include "app/ui.h"
#include "render/colour_map.h"

#include <algorithm>

namespace gravlab {
namespace {

constexpr float kExposureStep = 1.25f;

std::ptrdiff_t wrapped(std::ptrdiff_t index, std::size_t size) {
    const auto n = static_cast<std::ptrdiff_t>(size);
    return ((index % n) + n) % n;
}

void changeScene(KeyTarget& t, std::ptrdiff_t by) {
    const auto rows = scenarios();
    const auto found =
        std::find_if(rows.begin(), rows.end(), [&](const Scenario& row) { return &row == t.session.facts().scene; });
    // A file is none of the rows: the next one is the first.
    const std::ptrdiff_t now = found != rows.end() ? found - rows.begin() : by > 0 ? -1 : 0;
    t.session.intent.settings.scene = rows[static_cast<std::size_t>(wrapped(now + by, rows.size()))].name;
}

void nextBackend(KeyTarget& t, int) {
    const auto rows = backends();
    SimulationSettings& wanted = t.session.intent.settings;
    const auto now =
        std::find_if(rows.begin(), rows.end(), [&](const BackendRow& row) { return row.name == wanted.backend; });
    for (std::ptrdiff_t step = 1; step < static_cast<std::ptrdiff_t>(rows.size()); ++step) {
        const BackendRow& row = rows[static_cast<std::size_t>(wrapped((now - rows.begin()) + step, rows.size()))];
        if (!row.unavailable(wanted.backendOptions).empty()) continue;
        wanted.backend = row.name;
        return;
    }
}

void nextKernel(KeyTarget& t, int) {
    const auto rows = kernels();
    const KernelRow* now = t.session.facts().kernel;
    for (std::ptrdiff_t step = 1; step < static_cast<std::ptrdiff_t>(rows.size()); ++step) {
        const KernelRow& row = rows[static_cast<std::size_t>(wrapped(now - rows.data() + step, rows.size()))];
        if (row.backend != now->backend) continue;
        t.session.intent.settings.kernel = {std::string(row.name), {}};
        return;
    }
}

void scaleBodies(KeyTarget& t, bool up) {
    std::size_t& bodies = t.session.intent.settings.bodies;
    bodies = up ? bodies * 2 : std::max<std::size_t>(bodies / 2, 1);
}

constexpr std::string_view kPresets[] = {"collision", "galaxy",        "antennae",     "cartwheel",   "andromeda",
                                         "group",     "expanding-box", "solar-system", "figure-eight"};
constexpr float kFlight = 0.06f;    // part of the distance a key press
constexpr int kAllMarks = 1 << 20;  // more than are ever kept
constexpr double kTurn = 0.2;       // [rad/s]

void toggle(bool& value) { value = !value; }

void singleStep(KeyTarget& t, int) {
    t.session.intent.paused = true;
    ++t.session.intent.singleSteps;
}

void closeOverlay(KeyTarget& t, int) {
    t.ui.help = false;
    t.ui.files.shown = false;
    if (t.session.message().empty()) t.session.clearSelection();
    t.session.dismissMessage();
}

constexpr KeyRow kKeys[] = {
    {"Space", "run or pause", {{Key::space}}, [](KeyTarget& t, int) { t.session.intent.paused = !t.session.intent.paused; }},
    {"N, Right", "one step, then pause", {{Key::letterN}, {Key::right}}, singleStep},
    {"R", "start the scene again", {{Key::letterR}}, [](KeyTarget& t, int) { t.session.intent.reset = true; }},
    {"Home",
     "the scene's own view",
     {{Key::home}},
     [](KeyTarget& t, int) { t.session.camera = sceneCamera(t.session.facts().scene->view); }},
    {"1 .. 9",
     "nine scenes to show: collision, galaxy, antennae, cartwheel, andromeda, group, expanding-box, solar-system, "
     "figure-eight",
     {{Key::digit1, kNoModifier, Key::digit9}, {Key::pad1, kNoModifier, Key::pad9}},
     [](KeyTarget& t, int which) {
         t.session.intent.settings.scene = kPresets[static_cast<std::size_t>(which) % std::size(kPresets)];
     }},
    {"]", "next scene", {{Key::rightBracket}}, [](KeyTarget& t, int) { changeScene(t, 1); }},
    {"[", "previous scene", {{Key::leftBracket}}, [](KeyTarget& t, int) { changeScene(t, -1); }},
    {"Page Up", "twice the bodies", {{Key::pageUp}}, [](KeyTarget& t, int) { scaleBodies(t, true); }},
    {"Page Down", "half the bodies", {{Key::pageDown}}, [](KeyTarget& t, int) { scaleBodies(t, false); }},
    {".", "twice the time step", {{Key::period}}, [](KeyTarget& t, int) { t.session.intent.settings.timeStep *= 2; }},
    {",", "half the time step", {{Key::comma}}, [](KeyTarget& t, int) { t.session.intent.settings.timeStep *= 0.5; }},
    {"B", "next backend that works here", {{Key::letterB}}, nextBackend},
    {"K", "next kernel of this backend", {{Key::letterK}}, nextKernel},
    {"L",
     "open or close the lab",
     {{Key::letterL}},
     [](KeyTarget& t, int) {
         t.session.lab.open = !t.session.lab.open;
         if (t.session.lab.open) t.ui.visible = t.ui.panel = true;
     }},
    {"J",
     "show or hide energy and momenta over time",
     {{Key::letterJ}},
     [](KeyTarget& t, int) { t.ui.conservation = !t.ui.conservation; }},
    {"C",
     "next colour map",
     {{Key::letterC}},
     [](KeyTarget& t, int) {
         t.session.look.colourMap = static_cast<int>(wrapped(t.session.look.colourMap + 1, colourMaps().size()));
     }},
    {"M",
     "next colour mode: what colours say",
     {{Key::letterM}},
     [](KeyTarget& t, int) {
         t.session.colourMode = static_cast<int>(wrapped(t.session.colourMode + 1, colourModes().size()));
     }},
    {"T",
     "trails behind bodies",
     {{Key::letterT}},
     [](KeyTarget& t, int) { t.session.look.trails = t.session.look.trails > 0 ? 0 : kUsualTrail; }},
    {"Left",
     "run backwards, or forwards again",
     {{Key::left}},
     [](KeyTarget& t, int) { t.session.intent.settings.timeStep *= -1; }},
    {"Ctrl Left",
     "back to the kept state before, and pause",
     {{Key::left, kControl}},
     [](KeyTarget& t, int) { --t.session.intent.rewindBy; }},
    {"Ctrl Right",
     "on to the next kept state, and pause",
     {{Key::right, kControl}},
     [](KeyTarget& t, int) { ++t.session.intent.rewindBy; }},
    {"Ctrl Home",
     "back to the oldest kept state",
     {{Key::home, kControl}},
     [](KeyTarget& t, int) { t.session.intent.rewindBy = -kAllMarks; }},
    {"Ctrl End",
     "on to the newest kept state",
     {{Key::end, kControl}},
     [](KeyTarget& t, int) { t.session.intent.rewindBy = kAllMarks; }},
    {"W",
     "fly ahead",
     {{Key::letterW}},
     [](KeyTarget& t, int) {
         t.session.camera.fly({0, 0, kFlight});
     }},
    {"S",
     "fly back",
     {{Key::letterS}},
     [](KeyTarget& t, int) {
         t.session.camera.fly({0, 0, -kFlight});
     }},
    {"A",
     "fly to the left",
     {{Key::letterA}},
     [](KeyTarget& t, int) {
         t.session.camera.fly({-kFlight, 0, 0});
     }},
    {"D",
     "fly to the right",
     {{Key::letterD}},
     [](KeyTarget& t, int) {
         t.session.camera.fly({kFlight, 0, 0});
     }},
    {"Q",
     "turn the camera slowly by itself",
     {{Key::letterQ}},
     [](KeyTarget& t, int) { t.session.rotation = t.session.rotation == 0 ? kTurn : 0; }},
    {"P", "with or without perspective", {{Key::letterP}}, [](KeyTarget& t, int) { toggle(t.session.camera.orthographic); }},
    {"Ctrl 1 .. 9",
     "remember this view",
     {{Key::digit1, kControl, Key::digit9}},
     [](KeyTarget& t, int which) { t.session.views[static_cast<std::size_t>(which)] = t.session.camera; }},
    {"Alt 1 .. 9",
     "back to a remembered view",
     {{Key::digit1, kAlt, Key::digit9}},
     [](KeyTarget& t, int which) {
         const std::optional<Camera>& view = t.session.views[static_cast<std::size_t>(which)];
         if (view)
             t.session.camera = *view;
         else
             t.session.say("No view is remembered there; Ctrl " + std::to_string(which + 1) + " remembers this one.");
     }},
    {"F",
     "keep the selected body in the middle, or let it go",
     {{Key::letterF}},
     [](KeyTarget& t, int) {
         if (t.session.selected())
             toggle(t.session.follow);
         else
             t.session.say("No body is selected: click on one first.");
     }},
    {"Delete",
     "remove the selected body",
     {{Key::remove}},
     [](KeyTarget& t, int) { t.session.intent.touch = Touch::remove; }},
    {"V",
     "hold the selected body at its place, or let it fall",
     {{Key::letterV}},
     [](KeyTarget& t, int) { t.session.intent.touch = Touch::hold; }},
    {"Ctrl V",
     "let the selected body go straight on, or feel forces again",
     {{Key::letterV, kControl}},
     [](KeyTarget& t, int) { t.session.intent.touch = Touch::coast; }},
    {"I",
     "drop a heavy star at rest in the middle of the view",
     {{Key::letterI}},
     [](KeyTarget& t, int) { t.session.intent.touch = Touch::dropStar; }},
    {"Ctrl Z",
     "undo: bring back a removed body, take out a dropped one",
     {{Key::letterZ, kControl}},
     [](KeyTarget& t, int) { t.session.intent.touch = Touch::undo; }},
    {"Y", "legend of the colours", {{Key::letterY}}, [](KeyTarget& t, int) { toggle(t.session.overlay.legend); }},
    {"U",
     "scale bar and clock",
     {{Key::letterU}},
     [](KeyTarget& t, int) { t.session.overlay.scaleBar = t.session.overlay.clock = !t.session.overlay.clock; }},
    {"X", "axes", {{Key::letterX}}, [](KeyTarget& t, int) { toggle(t.session.overlay.axes); }},
    {"Z", "grid", {{Key::letterZ}}, [](KeyTarget& t, int) { toggle(t.session.overlay.grid); }},
    {"E", "automatic exposure", {{Key::letterE}}, [](KeyTarget& t, int) { toggle(t.session.look.autoExposure); }},
    {"Ctrl B", "white background", {{Key::letterB, kControl}}, [](KeyTarget& t, int) { toggle(t.session.look.paper); }},
    {"+",
     "brighter",
     {{Key::equal}, {Key::padPlus}},
     [](KeyTarget& t, int) { t.session.look.exposure = std::min(t.session.look.exposure * kExposureStep, 100.f); }},
    {"-",
     "darker",
     {{Key::minus}, {Key::padMinus}},
     [](KeyTarget& t, int) { t.session.look.exposure = std::max(t.session.look.exposure / kExposureStep, 0.01f); }},
    {"G", "show or hide the panels", {{Key::letterG}}, [](KeyTarget& t, int) { t.ui.panel = !t.ui.panel; }},
    {"Ctrl P",
     "large panels for a projector",
     {{Key::letterP, kControl}},
     [](KeyTarget& t, int) { toggle(t.ui.projector); }},
    {"Tab", "show the picture alone", {{Key::tab}}, [](KeyTarget& t, int) { t.ui.visible = !t.ui.visible; }},
    {"F1, H", "these keys", {{Key::f1}, {Key::letterH}}, [](KeyTarget& t, int) { t.ui.help = !t.ui.help; }},
    {"F11, Alt Enter",
     "full screen",
     {{Key::f11}, {Key::enter, kAlt}},
     [](KeyTarget& t, int) { t.ui.fullscreen = !t.ui.fullscreen; }},
    {"F12", "write a picture into the current folder", {{Key::f12}}, [](KeyTarget& t, int) { t.ui.screenshot = true; }},
    {"Ctrl E",
     "write scene, camera and look as a scene file into the current folder",
     {{Key::letterE, kControl}},
     [](KeyTarget& t, int) { t.ui.saveScene = true; }},
    {"Ctrl S",
     "save the run into the current folder",
     {{Key::letterS, kControl}},
     [](KeyTarget& t, int) { t.ui.files.saveAsked = true; }},
    {"Ctrl O",
     "save and open files",
     {{Key::letterO, kControl}},
     [](KeyTarget& t, int) { t.ui.files.shown = !t.ui.files.shown; }},
    {"Esc", "close the list of keys or a message, select nothing", {{Key::escape}}, closeOverlay},
    {"Ctrl Q", "quit", {{Key::letterQ, kControl}}, [](KeyTarget& t, int) { t.session.intent.quit = true; }},
};

bool matches(const KeyStroke& stroke, Key key, int modifiers) {
    if (stroke.key == Key::none || stroke.modifiers != (modifiers & (kControl | kAlt))) return false;
    const Key last = stroke.last == Key::none ? stroke.key : stroke.last;
    return key >= stroke.key && key <= last;
}

}  // namespace

std::span<const KeyRow> keys() { return kKeys; }

bool pressKey(Key key, int modifiers, KeyTarget target) {
    for (const KeyRow& row : kKeys)
        for (const KeyStroke& stroke : row.strokes)
            if (matches(stroke, key, modifiers)) {
                row.action(target, static_cast<int>(key) - static_cast<int>(stroke.key));
                return true;
            }
    return false;
}

}  // namespace gravlab
