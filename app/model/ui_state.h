// What the panels and the window show, and what is asked of them. Rule: plain data; keys, panels and commands write it, the
// window takes up its part.
#pragma once
#include "app/model/files_state.h"
#include "app/model/film_state.h"

#include <cstddef>
#include <string>

namespace gravlab {

/// Menus that were asked for by keys.
struct MenuWalk {
    bool asked = false;      ///< open the menus, or close them
    std::size_t wanted = 0;  ///< which one
    bool operator==(const MenuWalk&) const = default;
};

/// What is shown and what only a window can do. Keys and buttons write it; the window takes up its part.
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
    bool screenshot = false;                  ///< asked for
    std::string pictureName{};                ///< of its file; empty: by the time
    bool picturePanels = false;               ///< draw them into pictures
    int pictureWidth = 0, pictureHeight = 0;  ///< pixels of pictures; 0: those of the window
    bool projector = false;                   ///< large letters, strong contrast, thick lines
    float textScale = 1;                      ///< of the panels, above what the display asks for
    float scale = 1;                          ///< of panels and of what the pointer has to hit; 1: 96 dots an inch
    bool saveScene = false;                   ///< asked for: a scene file
    std::string sceneName{};                  ///< its name; empty: by the time
    MenuWalk menu;
    bool panelAsked = false;  ///< keys go to the next panel
    bool navigating = false;  ///< arrows, Enter, Space and Esc belong to panels
    float bodyPanel = 0;      ///< height of the panel of a body in the last frame; 0: it is not shown
    FilesState files;
    FilmState film;
    bool operator==(const UiState&) const = default;
};

}  // namespace gravlab
