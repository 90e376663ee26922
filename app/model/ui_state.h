// Visibility and sizes of panels and window, the content of the panel of files, and the settings and progress of a film.
// Rule: plain data. Commands write the wishes of the user; the window, SessionFiles and the recorder report the rest.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

/// Panels that an action opens over the picture: name, function that draws it, label, description, text of the default, and
/// what else its parameter has. A row is a flag of UiState, the parameter window.NAME and a place in the frame; Esc closes
/// it.
#define GRAVLAB_PANELS                                                                                   \
    GRAVLAB_PANEL(help, drawHelp, "Keys", "the list of keys", "")                                        \
    GRAVLAB_PANEL(welcome, drawWelcome, "Welcome",                                                       \
                  "the card of the first start: what one sees, how to look around, three things to try", \
                  "(true at the first start)",                                                           \
                  {.storedAs = {.option = "--no-welcome",                                                \
                                .configuration = "window.welcome",                                       \
                                .help = "leave out the card that greets at the first start",             \
                                .window = true}})                                                        \
    GRAVLAB_PANEL(scenes, drawScenes, "Scenes", "the pictures of all scenes, to choose from", "")        \
    GRAVLAB_PANEL(find, drawFind, "Find a command", "the search of actions and settings by words", "")   \
    GRAVLAB_PANEL(about, drawAbout, "About", "which version this is, and what it runs on", "")

namespace gravlab {

/// How much the panels show: Watch the scene and the play bar, Teach also a lesson and a strip in words, Measure everything.
enum class Depth { watch, teach, measure };

/// What is known about files.
struct FilesList {
    /// A file that can be opened.
    struct Entry {
        std::string path, name, detail;  ///< detail: size and date, for people
        bool operator==(const Entry&) const = default;
    };

    bool listed = false;               ///< `entries` belong to the present folder
    std::vector<Entry> entries;        ///< newest first
    std::string folder;                ///< the listed folder
    std::string busy;                  ///< "Opening ...": a job is running; empty: none
    std::vector<std::string> folders;  ///< of `folder`, by name, without ".."
    std::vector<Entry> recent;         ///< files opened or saved last, newest first
    std::string proposed;              ///< a name for saving, without the extension
    std::string recover;               ///< an autosave that can be opened; empty: none
    std::string recoverText;           ///< its origin, for people
    int shared = -1;                   ///< descriptor of memory that a client shares; below 0: none
    bool operator==(const FilesList&) const = default;
};

/// With the wishes of the user.
struct FilesState : FilesList {
    bool shown = false;            ///< visibility of the panel
    std::string ending = ".hdf5";  ///< extension of a file to be saved: it decides the format
    std::string doubtLeft;         ///< file whose question about units was dismissed
    std::string orbitsLeft;        ///< file whose question about orbits was dismissed
    bool operator==(const FilesState&) const = default;
};

/// The state of the recording.
struct FilmProgress {
    bool active = false;
    bool ending = false;            ///< the last frame is drawn; the encoder still works
    bool waiting = false;           ///< the run waits for the encoder
    std::int64_t frames = 0;        ///< drawn so far
    std::int64_t framesWanted = 0;  ///< 0: until the user stops it
    double secondsLeft = -1;        ///< wait for the last of these; below 0: unknown
    double workPerSecond = -1;      ///< computing time per second of the film so far [s]; below 0: unknown
    double fpsInUse = 60;
    int stepsInUse = 1;  ///< between two frames of the film
    std::string file;    ///< the present file, or the last one
    bool operator==(const FilmProgress&) const = default;
};

/// With the wishes of the user.
struct FilmState : FilmProgress {
    bool shown = false;         ///< visibility of the panel of settings
    int width = 0, height = 0;  ///< pixels; 0: those of the window
    int stepsPerFrame = 0;      ///< 0: as in the window, at the pace of the scene or by its steps per frame
    double fps = 60;
    double seconds = 0;   ///< length of the film; 0: until the user stops it
    bool loop = false;    ///< one whole period of the scene, so that the end joins the start
    double quality = -1;  ///< 0 to 100; below 0: the default
    std::string encoder;  ///< row of encoders(); empty: the first that works here
    bool panels = false;  ///< draw panels into the film
    bool operator==(const FilmState&) const = default;
};

/// What a display reports about its panels.
struct PanelState {
    bool inWindow = false;
    bool navigating = false;  ///< arrows, Enter, Space and Esc belong to panels
    float scale = 1;          ///< of panels and of what the pointer has to hit; 1: 96 dots an inch
    bool operator==(const PanelState&) const = default;
};

/// What is visible, and settings that only a window has.
struct UiState : PanelState {
    bool visible = true;  ///< any panel at all
    Depth depth = Depth::watch;
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
