// The panels: one function and one file each. Common declarations are here.
#pragma once
#include "app/ui/widgets.h"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace gravlab {

/// The side panels of the picture, and their widths. When both do not fit, a lesson is shown alone; Measure shows one at a
/// time, with tabs.
struct PanelPlan {
    bool controls = false, measurements = false, tabs = false;
    bool lesson = false;  ///< in the place of the measurements: a lesson, or the list of them
    /// The plots under the picture. The profile of a galaxy replaces the others, and a second run the conserved quantities.
    enum class Strip { none, conservation, instruments, twin } strip = Strip::none;
    float stripHeight = 0;      ///< with its margin [pixels]; 0: there is none
    float labHeight = 0;        ///< the same of the lab, which leaves no room for a strip
    bool words = false;         ///< the strip of conserved quantities is a sentence and one curve
    bool welcome = false;       ///< the card replaces the side panels
    float left = 0, right = 0;  ///< widths [pixels]
    float side = 0;             ///< width of a panel of controls or measurements [pixels at scale 1]
};
/// `results`: without them a strip has curves and a page of the lab contents.
PanelPlan planPanels(const Document& document, const UiState& state, ImVec2 surface, float scale,
                     const ServiceResults* results = nullptr);

class ScenePicker;
struct Plot;
struct CommandFinder;

/// Menus requested by keys.
struct MenuWalk {
    bool toggled = false;    ///< open the menus, or close them
    std::size_t wanted = 0;  ///< index of the menu
};

/// What a panel reads, and where it posts commands.
struct PanelContext {
    const Document& document;
    const ServiceResults& readouts;
    const RunFacts& facts;
    const UiState& state;
    Widgets& widgets;
    const Post& post;
    const std::string& renderer;  ///< the OpenGL context, as text
    ImVec2 surface;               ///< pixels
    PanelPlan plan;
    std::span<const Viewport> views;
    const PicturePart& free;                     ///< of the surface: what no panel covers
    float top = 0;                               ///< pixels that the menu bar takes
    MenuWalk& menu;                              ///< panels remember these two between their frames
    float& bodyPanel;                            ///< height of the panel of a body in the last frame; 0: it is not shown
    std::optional<std::array<double, 2>>& pair;  ///< place of the pointer on the matrix
    ScenePicker& picker;
    CommandFinder& finder;
};

/// A panel's window does not move.
constexpr ImGuiWindowFlags kPanelWindow =
    ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoCollapse;
/// It is as high as its contents.
constexpr ImGuiWindowFlags kFittedPanel = kPanelWindow | ImGuiWindowFlags_AlwaysAutoResize;
/// The window "gravlab NAME" during the lifetime of the object; false where nothing of it shows.
class PanelWindow {
public:
    /// The name lives as long as the program.
    PanelWindow(PanelContext& panel, const char* name, ImGuiWindowFlags flags, std::optional<float> alpha = {}) {
        if (alpha) ImGui::SetNextWindowBgAlpha(*alpha);
        shown_ = ImGui::Begin(("gravlab " + std::string(name)).c_str(), nullptr, flags);
        if (shown_) panel.widgets.panel(name);
    }
    ~PanelWindow() { ImGui::End(); }
    PanelWindow(const PanelWindow&) = delete;
    PanelWindow& operator=(const PanelWindow&) = delete;
    explicit operator bool() const { return shown_; }

private:
    bool shown_ = false;
};

/// Gives the next window its place, a width and a largest height [pixels]. `pivot`: the part of the window that is at that
/// place, from (0, 0) for the upper left corner to (1, 1).
void placePanel(ImVec2 at, ImVec2 pivot, float width, float most);

constexpr float kMargin = 10, kStatusHeight = 24, kPlayHeight = 38, kMenuHeight = 26, kSideWidth = 282,
                kBodyPanelGap = 44;   // pixels at scale 1
constexpr float kWelcomeWidth = 400;  // card beside the picture; below the picture it may be wider
constexpr float kBesideCurve = 436;   // of a strip whose curve lies beside the words; in a narrower one it lies below them
constexpr float kBottomHeight = kStatusHeight + kPlayHeight;

/// Height of the menu bar in a window, known before drawing.
float menuHeight(const UiState& state, float scale);
void drawMenuBar(PanelContext& panel);
void drawDevices(PanelContext& panel);       // part of the control panel: devices that divide each force
void drawFields(PanelContext& panel);        // the same: forces from outside
void drawTabs(PanelContext& panel);          // above the next two, when one is shown at a time
void drawControlPanel(PanelContext& panel);  // left: scene, backend, physics, pace, look
void drawMeasurePanel(PanelContext& panel);  // right: rate, error, plot, time split, device
void drawLabPanel(PanelContext& panel);      // between them: launch, sweeps, matrix
void drawConservation(PanelContext& panel);  // bottom strip: energy, momenta and shape over time
void drawInstruments(PanelContext& panel);   // in its place: the radial profile of a galaxy
void drawPlayBar(PanelContext& panel);       // over the status line: run, speed, kept states, time
void drawStatusLine(PanelContext& panel);    // bottom
void drawMessage(PanelContext& panel);       // news, or why a change was refused
void drawStory(PanelContext& panel);         // offers at the end of a scene's story
void drawBodyPanel(PanelContext& panel);     // the selected body
#define GRAVLAB_PANEL(name, draw, ...) void draw(PanelContext& panel);
GRAVLAB_PANELS
#undef GRAVLAB_PANEL
void drawFiles(PanelContext& panel);        // save, open, recover
void drawFilmPanel(PanelContext& panel);    // recording: settings, progress
void drawLessonPanel(PanelContext& panel);  // right, in place of the measurements: a lesson, or the list of them
/// Points at the control of a lesson's step.
void lightControl(PanelContext& panel);
/// Draws the control of that path or action where the control panel does not show it.
void drawControlAlone(PanelContext& panel, std::string_view name);
/// The switch between the depths, at the right end of the menu bar.
void drawDepths(PanelContext& panel);

/// Begins the window "gravlab NAME" there, in small letters. Call endStrip() when it returns true.
bool beginStrip(PanelContext& panel, const char* name);
void endStrip();
/// Draws a plot of a strip into the next `width` pixels of the line.
void drawStripPlot(PanelContext& panel, const Control& control, const Plot& plot, float width, float height, bool legend);

/// The section of the control panel with the settings of the second run.
void drawTwinControls(PanelContext& panel);
/// The differences of the runs, at the top of each picture. Also in films without panels.
void drawTwinLabels(PanelContext& panel);
void drawTwinStrip(PanelContext& panel);

// The pages of the lab, each in its own file.

void drawLabLaunch(PanelContext& panel);      // the launch in numbers, beside the kernel's text
void drawLabSweep(PanelContext& panel);       // sweeps and the search for the fastest launch
void drawLabMatrix(PanelContext& panel);      // the forces of all pairs
void drawLabLadder(PanelContext& panel);      // all rungs, with their texts
void drawLabRecorded(PanelContext& panel);    // rates measured on a named device
void drawLabCalculator(PanelContext& panel);  // a launch on a GPU that may be absent
void drawLabMemory(PanelContext& panel);      // times of the device's memories
void drawLabOwn(PanelContext& panel);         // a user's own kernel
/// A line with the label and a value; a dash where it is empty.
void drawFact(PanelContext& panel, const Control& control, const std::string& value, ImU32 colour = palette::kText);
/// Draws a kernel's text over the rest of the page, with marks where the rung below differs.
void drawKernelText(PanelContext& panel, const KernelRow& row);

}  // namespace gravlab
