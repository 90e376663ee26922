// What the panels and the window show. Rule: plain data; commands write it, the window follows it.
#pragma once
#include "app/model/files_state.h"
#include "app/model/film_state.h"

namespace gravlab {

/// What is shown and what only a window can do.
struct UiState {
    bool visible = true;        ///< anything at all
    bool panel = true;          ///< controls and measurements
    bool measurements = false;  ///< in front, where controls and measurements have no room beside each other
    bool conservation = true;   ///< the strip under the picture, in a window
    bool instruments = false;   ///< a galaxy over its radius, in place of that strip
    bool timeline = false;      ///< the strip of kept states over the status line
    bool help = false;          ///< the list of keys
    bool welcome = false;       ///< the card of the first start
    bool scenes = false;        ///< the pictures of all scenes
    bool find = false;          ///< the search of commands
    bool about = false;         ///< what this program is
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
