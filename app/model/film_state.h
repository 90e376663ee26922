// The settings of a film, and the progress of a recording. Rule: plain data; commands set it, the recorder reports.
#pragma once
#include <cstdint>
#include <string>

namespace gravlab {

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

}  // namespace gravlab
