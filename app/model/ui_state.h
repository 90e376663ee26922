// Visibility and sizes of panels and window. Rule: plain data; commands write it, the window follows it.
#pragma once
#include "app/model/files_state.h"
#include "app/model/film_state.h"

namespace gravlab {

/// What is visible, and settings that only a window has.
struct UiState {
    bool visible = true;        ///< any panel at all
    bool panel = true;          ///< controls and measurements
    bool measurements = false;  ///< shown in front, when controls and measurements do not fit beside each other
    bool conservation = true;   ///< the strip under the picture, in a window
    bool instruments = false;   ///< the radial profile of a galaxy, in place of that strip
    bool timeline = false;      ///< the strip of kept states over the status line
    bool help = false;          ///< the list of keys
    bool welcome = false;       ///< the card of the first start
    bool scenes = false;        ///< the pictures of all scenes
    bool find = false;          ///< the search of commands
    bool about = false;         ///< version and machine
    bool inWindow = false;
    bool vsync = true;
    bool fullscreen = false;
    bool picturePanels = false;               ///< draw them into pictures
    int pictureWidth = 0, pictureHeight = 0;  ///< pixels of pictures; 0: those of the window
    bool projector = false;                   ///< large letters, strong contrast, thick lines
    float textScale = 1;                      ///< of the panels, above what the display asks for
    float scale = 1;                          ///< of panels and of what the pointer has to hit; 1: 96 dots an inch
    bool navigating = false;                  ///< arrows, Enter, Space and Esc belong to panels
    FilesState files;
    FilmState film;
    bool operator==(const UiState&) const = default;
};

}  // namespace gravlab
