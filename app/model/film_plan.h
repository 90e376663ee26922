// How a film advances simulated time. Rule: one place for windows, panels and the command line; it never changes the time
// step of an existing run.
#pragma once
#include "sim/backends/kernel.h"
#include "sim/scenes/scene.h"

#include <cstdint>
#include <span>

namespace gravlab {

struct Document;

/// The plan of a window's recorder, which the panel announces.
struct FilmPlan {
    int stepsPerFrame = 1;
    std::int64_t frames = 0;  ///< 0: until the user stops it
};
/// `fps`: the encoder's limit when it is below the chosen rate; 0: no limit.
FilmPlan filmPlan(const Document& document, double fps = 0);

/// Why this run cannot give a loop; empty when it can.
Reason noLoop(const Document& document);

/// A film that loops, made in a new run with its own time step: `frames` of `stepsPerFrame` steps are one period.
struct LoopPlan {
    std::int64_t frames = 0;
    int stepsPerFrame = 1;
    double timeStep = 0;  ///< [T], not longer than the scene's
};
/// `frames` and `stepsPerFrame`: the user's values; 0: chosen here. The default length is that of the scene's story. Throws
/// UsageError for a scene without a period, naming scenes with one.
LoopPlan loopPlan(const Scene& scene, double framesPerSecond, std::int64_t frames, int stepsPerFrame);
/// Frames that are `frame` [T] apart, by steps of at most `longest`; a negative `frame` runs backwards.
LoopPlan loopPlan(double frame, double longest, std::int64_t frames, int stepsPerFrame);

/// Sizes for films and pictures.
struct PictureSize {
    const char *name, *idea;
    int width, height;  ///< 0: those of the window
};
std::span<const PictureSize> pictureSizes();

}  // namespace gravlab
