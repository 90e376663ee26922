// How a film shall be, and what is known of the one that is recorded. Rule: plain data; the recorder is elsewhere.
#pragma once
#include <cstdint>
#include <string>

namespace gravlab {

struct FilmState {
    // wanted
    bool shown = false;         ///< the panel of settings
    int width = 0, height = 0;  ///< pixels; 0: those of the window
    int stepsPerFrame = 0;      ///< 0: as the window goes, at the pace of the scene or by its own steps a frame
    double fps = 60;
    double seconds = 0;   ///< length of the film; 0: until it is stopped
    bool loop = false;    ///< one whole period of the scene, so that its end goes over into its start
    double quality = -1;  ///< 0 to 100; below 0: the usual one
    std::string encoder;  ///< row of encoders(); empty: the first that works here
    bool panels = false;  ///< draw them into the film

    // known
    bool active = false;
    bool ending = false;            ///< no frame comes any more; the encoder has some left
    bool waiting = false;           ///< the run waits for the encoder
    std::int64_t frames = 0;        ///< drawn so far
    std::int64_t framesWanted = 0;  ///< 0: until it is stopped
    double secondsLeft = -1;        ///< to wait for the last of these; below 0: not known
    double workPerSecond = -1;      ///< [s] that a second of the film has taken; below 0: not known
    double fpsInUse = 60;
    int stepsInUse = 1;  ///< between two of its frames
    std::string file;    ///< being written, or written last
    bool operator==(const FilmState&) const = default;
};

}  // namespace gravlab
