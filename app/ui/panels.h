// The panels: one function and one file each. What they share is here.
#pragma once
#include "app/ui/widgets.h"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace gravlab {

/// Which panels stand at the sides of the picture, and what they take of the surface. Where both have no room one is shown
/// at a time, with tabs; a projector has none there, but keeps the picture and its plots.
struct PanelPlan {
    bool controls = false, measurements = false, tabs = false;
    bool strip = false;         ///< there is room for plots under the picture
    bool stripUnder = false;    ///< only below a lesson's column, too, whose texts speak of curves
    float under = 0;            ///< pixels that such a strip takes of the columns
    bool welcome = false;       ///< the card has the place at the right
    float left = 0, right = 0;  ///< that they take [pixels]
};
PanelPlan planPanels(const Document& document, const UiState& state, ImVec2 surface, float scale);

class ScenePicker;
struct CommandFinder;

/// Menus that were asked for by keys.
struct MenuWalk {
    bool asked = false;      ///< open the menus, or close them
    std::size_t wanted = 0;  ///< which one
};

/// What a panel reads, and where it says what was asked for.
struct PanelContext {
    const Document& document;
    const Readouts& readouts;
    const Facts& facts;
    const UiState& state;
    Widgets& widgets;
    const Post& post;
    const std::string& renderer;  ///< the OpenGL context, for people
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

/// A panel's window: it stays where it is put.
constexpr ImGuiWindowFlags kPanelWindow =
    ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoCollapse;

constexpr float kMargin = 10, kStatusHeight = 26, kMenuHeight = 26, kControlWidth = 282, kMeasureWidth = 282,
                kBodyPanelGap = 44;   // pixels at scale 1
constexpr float kWelcomeWidth = 400;  // of the card beside the picture; below the picture it may be wider
constexpr float kConservationHeight = 150, kTimelineHeight = 16;

/// Pixels at scale 1 that status line and timeline take at the bottom.
float bottomHeight(const UiState& state);

/// The bar at the top, in a window; its height is known before.
float menuHeight(const UiState& state, float scale);
void drawMenuBar(PanelContext& panel);
void drawTabs(PanelContext& panel);          // at the top of the next two, where one is shown at a time
void drawControlPanel(PanelContext& panel);  // left: scene, backend, physics, pace, look
void drawMeasurePanel(PanelContext& panel);  // right: rate, error, plot, time split, where it runs
void drawLabPanel(PanelContext& panel);      // between them: launch, sweeps, matrix
/// Pixels at the bottom that it takes; 0 where it is not open.
float labHeight(const Document& document, const UiState& state, ImVec2 surface, float scale);
/// Pixels at the bottom that the strip of energy and momenta takes; 0 where it is not shown.
float conservationHeight(const Document& document, const UiState& state, ImVec2 surface, float scale);
/// The same for the strip that takes its place.
float instrumentsHeight(const Document& document, const UiState& state, ImVec2 surface, float scale);
void drawConservation(PanelContext& panel);  // bottom strip: energy, momenta and shape over time
void drawInstruments(PanelContext& panel);   // in its place: a galaxy over its radius
void drawTimeline(PanelContext& panel);      // over the status line: kept states
void drawStatusLine(PanelContext& panel);    // bottom
void drawMessage(PanelContext& panel);       // news, or why a change was refused
void drawStory(PanelContext& panel);         // what is offered when a scene has shown what it has
void drawBodyPanel(PanelContext& panel);     // the selected body
void drawHelp(PanelContext& panel);          // the list of keys
void drawWelcome(PanelContext& panel);       // the card of the first start
void drawScenes(PanelContext& panel);        // pictures of all scenes
void drawFind(PanelContext& panel);          // actions and settings by words
void drawAbout(PanelContext& panel);         // version and machine
void drawFiles(PanelContext& panel);         // save, open, recover
void drawFilmPanel(PanelContext& panel);     // recording: settings, progress
void drawLessonPanel(PanelContext& panel);   // right, in place of the measurements: a lesson, or the list of them
/// Points at the control that a step of a lesson is about.
void lightControl(PanelContext& panel);
/// Pixels at scale 1 of the column at the right.
float rightWidth(const Document& document);

}  // namespace gravlab
