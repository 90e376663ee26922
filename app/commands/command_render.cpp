// `gravlab render`: the window's frame loop without a window, into a picture, numbered pictures or a film.
// Rule: frame k (from 0) shows the state after k * stepsPerFrame steps, whatever the machine and however long it takes.
#include "app/bench/own_trial.h"
#include "app/commands/options.h"
#include "app/control/open_file.h"
#include "app/control/picture_texts.h"
#include "app/film/encoders.h"
#include "app/film/film.h"
#include "app/frontends/headless/headless.h"
#include "app/frontends/headless/tiles.h"
#include "app/frontends/window/lost_context.h"
#include "app/model/camera_path.h"
#include "app/model/film_plan.h"
#include "app/services/spot_check.h"
#include "app/system/interrupt.h"
#include "app/system/progress.h"
#include "app/system/version.h"
#include "app/tables/format.h"
#include "app/ui/ui.h"
#include "app/view/workspace.h"
#include "sim/core/error.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <optional>

namespace gravlab {
namespace {

/// The panels over a film, which has no mouse, no keys and a clock of its own.
class FilmPanels {
public:
    FilmPanels(const Options& options, const std::string& renderer, UiState& state)
        : ui_(options.uiScale > 0 ? static_cast<float>(options.uiScale) : 1.0f, renderer, state) {
        ui_.state.visible = options.showUi;
    }
    void draw(Workspace& workspace, const Options& options) {
        build(workspace, options);
        // Panels that fit themselves to their content know its size from the frame before.
        while (built_ < 3) build(workspace, options);
        ui_.draw();
    }
    /// A part of what draw() built: pixels from the upper left corner.
    void drawPart(int left, int top, int width, int height) { ui_.drawPart(left, top, width, height); }

private:
    void build(Workspace& workspace, const Options& options) {
        ui_.setSurface(options.width, options.height, 1 / options.fps);
        ui_.frame(workspace);
        ++built_;
    }
    Ui ui_;
    std::int64_t built_ = 0;
};

constexpr int kOverview = 1024;  // pixels of the longer side

/// As many as were asked for, or as the camera path lasts, both ends shown.
std::int64_t framesOfPath(const Options& options) {
    if (options.frames > 0) return options.frames;
    return static_cast<std::int64_t>(std::ceil(options.path.back().seconds * options.fps - 1e-6)) + 1;
}

/// Frames, steps and a time step that make one period.
void planLoop(Options& options) {
    const auto steps = options.settings.find("run.steps_per_frame");
    const int asked = steps == options.settings.end() ? 0 : static_cast<int>(std::get<std::int64_t>(steps->second));
    const RunRequest& request = options.simulation;
    const LoopPlan plan = loopPlan(sceneNamed(request.scene, request.sceneVersion), options.fps, options.frames, asked);
    options.frames = plan.frames;
    options.settings["run.steps_per_frame"] = std::int64_t{plan.stepsPerFrame};
    options.simulation.timeStep = plan.timeStep;
}

}  // namespace

int renderCommand(const Options& asked) {
    const InterruptWatch watch;
    Options options = withFile(asked);
    if (options.output.empty()) throw UsageError("render needs -o FILE.png, FILE.mp4 or DIR/%05d.png");
    if (options.flyPath) options.frames = framesOfPath(options);
    adoptKernelFile(options.simulation);
    const EncoderRow& row = encoderHere(options.output, options.encoder);
    options.fps = std::min(options.fps, row.mostFps);
    if (options.loop) planLoop(options);
    if (options.frames < 1) throw UsageError("render needs --frames K with K of at least 1");
    // First of all: a folder that is not there or a missing encoder is known at once.
    const std::unique_ptr<FilmWriter> writer = makeFilmWriter({.output = parseFilmOutput(options.output),
                                                               .width = options.width,
                                                               .height = options.height,
                                                               .fps = options.fps,
                                                               .ffmpeg = "ffmpeg",
                                                               .encoder = std::string(row.name),
                                                               .quality = options.quality,
                                                               .held = true});
    const HeadlessContext context(options.simulation.backendOptions.device);
    std::fprintf(stderr, "gravlab: %s\n", context.description().c_str());
    const int side = tileSide(options.width, options.height, options.tile, largestSide());
    if (side > 0 && options.twin.on)
        throw UsageError("twins cannot be drawn in parts; leave out --tile, or choose a smaller --size than " +
                         std::to_string(options.width) + "x" + std::to_string(options.height));
    const TilePlan parts = side > 0 ? planTiles(options.width, options.height, side) : TilePlan{};
    if (side > 0)
        std::fprintf(stderr, "gravlab: %dx%d pixels in %zu parts\n", options.width, options.height, parts.tiles.size());
    requirePictureMemory(options.width, options.height, side);
    // In parts: the whole is drawn small first, for the light and for what follows the picture.
    const int shrink = side > 0 ? std::max(1, std::max(options.width, options.height) / kOverview) : 1;
    OffscreenTarget target(std::max(options.width / shrink, 1), std::max(options.height / shrink, 1));
    Workspace workspace(options);
    if (side > 0 && workspace.fourViewed())
        throw UsageError("four views cannot be drawn in parts; leave out --tile, or choose a smaller --size");
    std::optional<FilmPanels> panels;
    const bool writes = options.showUi || workspace.overlayDraws() || workspace.fourViewed() || workspace.facts.twin.on ||
                        workspace.selected;
    refuseIdleLaunch(options, workspace.host.simulation().backend().activeKernel());
    refuseIdleLook(options, workspace, writes);
    if (writes) {
        panels.emplace(options, context.description(), workspace.ui);
        panels->draw(workspace, options);  // panels need a frame to find their size; this one is drawn over
    }
    workspace.turn(0);  // a camera path starts at its first point
    writer->texts = settingsTexts(workspace, options.output);
    writer->texts["gravlab:steps-per-frame"] = std::to_string(workspace.intent.stepsPerFrame);
    writer->texts["gravlab:frames"] = std::to_string(options.frames);

    const auto start = std::chrono::steady_clock::now();
    ProgressLine progress("frame", options.frames, ProgressLine::Where::everyTenth);
    SpotCheck spotCheck;
    for (std::int64_t frame = 0; frame < options.frames; ++frame) {
        InterruptWatch::check();
        if (const std::string lost = lostContext(); !lost.empty())
            throw DeviceError("after frame " + std::to_string(frame) + " of " + std::to_string(options.frames) + " " + lost +
                              "; frames drawn since would be empty, so the film ends here. Start it again");
        workspace.apply();
        if (frame > 0) {
            workspace.advance(false);
            workspace.turn(1 / options.fps);
            // The first force is judged before anything that comes of it is drawn.
            const std::string alarm =
                frame == 1 ? spotCheck.settle(workspace.host.simulation()) : spotCheck.update(workspace.host.simulation());
            if (!alarm.empty()) throw Error(ExitCode::checkFailed, alarm + "; no picture was written");
            if (frame == 1) writer->keep();
        }
        const bool kept = !writer->lastFrameOnly() || frame + 1 == options.frames;
        // Panels show rates over the last frames, so these are drawn even when only one is kept.
        if (kept || panels)
            workspace.draw(target.framebuffer(), target.width(), target.height());
        else
            workspace.draw(0, 0, 0);  // trails remember every frame
        if (panels) panels->draw(workspace, options);
        if (kept && side > 0) {
            const auto over = [&](int left, int top, int width, int height) { panels->drawPart(left, top, width, height); };
            writer->write(drawTiles(workspace, parts, panels ? over : std::function<void(int, int, int, int)>()));
        } else if (kept) {
            // One copy stays under way while the next frame is computed.
            target.beginRead();
            if (target.readsUnderWay() == OffscreenTarget::kInFlight) writer->write(target.endRead());
        }
        progress.show(frame + 1);
    }
    while (target.readsUnderWay() > 0) writer->write(target.endRead());
    writer->finish();
    progress.finish();

    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf("%s: %lld %s of %dx%d to t = %g in %.1f s\n", options.output.c_str(), static_cast<long long>(options.frames),
                options.frames == 1 ? "frame" : "frames", options.width, options.height, workspace.host.simulation().time(),
                seconds);
    return static_cast<int>(ExitCode::ok);
}

}  // namespace gravlab
