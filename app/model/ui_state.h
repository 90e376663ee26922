// Visibility and sizes of panels and window. Rule: plain data; commands write it, the window follows it.
#pragma once
#include "app/model/files_state.h"
#include "app/model/film_state.h"

/// Panels that an action opens over the picture: name, function that draws it, label, description, text of the default, and
/// what else its parameter has. A row is a flag of UiState, the parameter window.NAME and a place in the frame; Esc closes
/// it.
#define GRAVLAB_PANELS                                                                                   \
    GRAVLAB_PANEL(help, drawHelp, "Keys", "the list of keys", "")                                        \
    GRAVLAB_PANEL(welcome, drawWelcome, "Welcome",                                                       \
                  "the card of the first start: what one sees, how to look around, three things to try", \
                  "(true at the first start)",                                                           \
                  {.kept = {.option = "--no-welcome",                                                    \
                            .configuration = "window.welcome",                                           \
                            .help = "leave out the card that greets at the first start",                 \
                            .window = true}})                                                            \
    GRAVLAB_PANEL(scenes, drawScenes, "Scenes", "the pictures of all scenes, to choose from", "")        \
    GRAVLAB_PANEL(find, drawFind, "Find a command", "the search of actions and settings by words", "")   \
    GRAVLAB_PANEL(about, drawAbout, "About", "which version this is, and what it runs on", "")

namespace gravlab {

/// What a display reports about its panels.
struct PanelState {
    bool inWindow = false;
    bool navigating = false;  ///< arrows, Enter, Space and Esc belong to panels
    float scale = 1;          ///< of panels and of what the pointer has to hit; 1: 96 dots an inch
    bool operator==(const PanelState&) const = default;
};

/// What is visible, and settings that only a window has.
struct UiState : PanelState {
    bool visible = true;        ///< any panel at all
    bool panel = true;          ///< controls and measurements
    bool measurements = false;  ///< shown in front, when controls and measurements do not fit beside each other
    bool conservation = true;   ///< the strip under the picture, in a window
    bool instruments = false;   ///< the radial profile of a galaxy, in place of that strip
    bool timeline = false;      ///< the strip of kept states over the status line
#define GRAVLAB_PANEL(name, ...) bool name = false;
    GRAVLAB_PANELS
#undef GRAVLAB_PANEL
    bool vsync = true;
    bool fullscreen = false;
    bool picturePanels = false;               ///< draw them into pictures
    int pictureWidth = 0, pictureHeight = 0;  ///< pixels of pictures; 0: those of the window
    bool projector = false;                   ///< large letters, strong contrast, thick lines
    float textScale = 1;                      ///< of the panels, above what the display asks for
    FilesState files;
    FilmState film;

#define GRAVLAB_PANEL(name, ...) name ||
    /// Whether a panel of the list above, or a dialog, is open.
    bool asksFirst() const { return GRAVLAB_PANELS files.shown || film.shown; }
#undef GRAVLAB_PANEL
#define GRAVLAB_PANEL(name, ...) name =
    void closePanels() { GRAVLAB_PANELS files.shown = film.shown = false; }
#undef GRAVLAB_PANEL
    bool operator==(const UiState&) const = default;
};

}  // namespace gravlab
