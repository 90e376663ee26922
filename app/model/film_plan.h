// How a film goes through simulated time. Rule: one place for windows, panels and the command line; it changes no time step
// of a run that is there.
#pragma once
#include "sim/backends/kernel.h"
#include "sim/scenes/scene.h"

#include <cstdint>
#include <span>

namespace gravlab {

struct Document;

/// What the recorder of a window does, and the panel announces.
struct FilmPlan {
    int stepsPerFrame = 1;
    std::int64_t frames = 0;  ///< 0: until it is stopped
};
/// `fps`: of its encoder, where that has fewer frames a second than are asked for; 0: those.
FilmPlan filmPlan(const Document& document, double fps = 0);

/// Why a film of it cannot be a loop; empty when it can.
Reason noLoop(const Document& document);

/// A film that is a loop, made anew with a time step of its own: `frames` of `stepsPerFrame` steps are one period.
struct LoopPlan {
    std::int64_t frames = 0;
    int stepsPerFrame = 1;
    double timeStep = 0;  ///< [T], not longer than the scene's
};
/// `frames` and `stepsPerFrame`: as asked for; 0: chosen. The usual length is what the scene's story takes. Throws
/// UsageError for a scene without a period, naming those that have one.
LoopPlan loopPlan(const Scene& scene, double framesPerSecond, std::int64_t frames, int stepsPerFrame);

/// Sizes of films and pictures to choose from.
struct PictureSize {
    const char *name, *idea;
    int width, height;  ///< 0: those of the window
};
std::span<const PictureSize> pictureSizes();

}  // namespace gravlab
