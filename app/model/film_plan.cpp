#include "app/model/film_plan.h"

#include "app/model/document.h"
#include "sim/api/errors.h"
#include "sim/core/names.h"

#include <algorithm>
#include <cmath>

namespace gravlab {
namespace {

constexpr PictureSize kSizes[] = {
    {"as the window", "what the window has then", 0, 0},
    {"640 x 360", "small", 640, 360},
    {"1280 x 720", "HD", 1280, 720},
    {"1920 x 1080", "full HD", 1920, 1080},
    {"2560 x 1440", "QHD", 2560, 1440},
    {"3840 x 2160", "4K; gravlab render goes up to 8K", 3840, 2160},
    {"1080 x 1080", "square", 1080, 1080},
    {"1080 x 1920", "upright, for telephones", 1080, 1920},
};

constexpr double kMostSteps = 1e6;  // per frame, as in the parameter

int rounded(double steps) { return static_cast<int>(std::lround(std::clamp(steps, 1.0, kMostSteps))); }

/// Steps per frame near `wanted` so that a whole number of frames is nearly `all`: a remainder would be a jump at the seam.
int closing(double all, int wanted) {
    int best = wanted;
    double least = 1;
    for (int steps = (wanted * 4 + 4) / 5; steps <= std::max(wanted, wanted * 5 / 4); ++steps) {
        const double rest = std::abs(all / steps - std::round(all / steps));
        if (rest < least - 1e-9) {
            least = rest;
            best = steps;
        }
    }
    return best;
}

}  // namespace

std::span<const PictureSize> pictureSizes() { return kSizes; }

Reason noLoop(const Document& document) {
    if (!(document.facts.scene && document.facts.scene->story.period > 0))
        return "This scene has no period after which it repeats.";
    return document.facts.edited ? Reason("Bodies were changed by hand, so the scene no longer returns to its start.")
                                 : Reason();
}

FilmPlan filmPlan(const Document& document, double fps) {
    const FilmState& film = document.ui.film;
    const double timeStep = std::abs(document.facts.configuration.timeStep);
    if (!(fps > 0)) fps = std::max(film.fps, 1e-3);
    FilmPlan plan{film.stepsPerFrame, 0};
    if (plan.stepsPerFrame < 1)
        plan.stepsPerFrame = document.intent.speed > 0 && timeStep > 0 ? rounded(document.intent.speed / fps / timeStep)
                                                                       : std::max(document.intent.stepsPerFrame, 1);
    if (film.loop && noLoop(document).empty() && timeStep > 0) {
        const double all = document.facts.scene->story.period / timeStep;
        if (film.stepsPerFrame < 1) plan.stepsPerFrame = closing(all, plan.stepsPerFrame);
        plan.frames = std::max<std::int64_t>(std::llround(all / plan.stepsPerFrame), 1);
    } else if (film.seconds > 0) {
        plan.frames = std::max<std::int64_t>(std::llround(film.seconds * fps), 1);
    }
    return plan;
}

LoopPlan loopPlan(const Scene& scene, double framesPerSecond, std::int64_t frames, int stepsPerFrame) {
    const double period = scene.story.period;
    if (!(period > 0)) {
        const auto periodic = [](const Scene& row) { return row.story.period > 0 ? row.name : std::string_view(); };
        throw UsageError("--loop: '" + std::string(scene.name) + "' has no period after which it repeats; " +
                         "scenes that have one: " + joined(sceneTable(), periodic));
    }
    if (frames < 1) frames = std::max<std::int64_t>(std::llround(scene.story.seconds * framesPerSecond), 2);
    return loopPlan(period / static_cast<double>(frames), scene.timeStep, frames, stepsPerFrame);
}

LoopPlan loopPlan(double frame, double longest, std::int64_t frames, int stepsPerFrame) {
    if (stepsPerFrame < 1)
        stepsPerFrame = static_cast<int>(std::clamp(std::ceil(std::abs(frame) / longest - 1e-9), 1.0, kMostSteps));
    return {frames, stepsPerFrame, frame / stepsPerFrame};
}

}  // namespace gravlab
