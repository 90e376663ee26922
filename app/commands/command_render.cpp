// `gravlab render`: the frame loop without a window, which writes a picture, numbered pictures or a film.
// Rule: frame k (from 0) shows the state after k * stepsPerFrame steps, on every machine and however long it takes.
#include "app/bench/own_trial.h"
#include "app/commands/options.h"
#include "app/files/open_file.h"
#include "app/files/scene_file.h"
#include "app/film/encoders.h"
#include "app/film/film.h"
#include "app/frontends/headless/headless.h"
#include "app/frontends/headless/lost_context.h"
#include "app/frontends/headless/tiles.h"
#include "app/model/film_plan.h"
#include "app/system/host_clock.h"
#include "app/system/interrupt.h"
#include "app/system/progress.h"
#include "app/ui/ui.h"
#include "app/view/base_host.h"
#include "app/view/frame.h"
#include "sim/core/error.h"
#include "sim/core/text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <functional>
#include <optional>
#include <span>

namespace gravlab {
namespace {

constexpr int kOverview = 1024;  // longer side in pixels

/// The requested number of frames, or the length of the camera path with both ends.
std::int64_t framesOfPath(const Options& options) {
    if (options.frames > 0) return options.frames;
    return static_cast<std::int64_t>(std::ceil(options.path.back().seconds * options.render.fps - 1e-6)) + 1;
}

/// Chooses frames, steps and time step so that they make one period.
void planLoop(Options& options) {
    const auto steps = options.settings.find("run.steps_per_frame");
    const int asked = steps == options.settings.end() ? 0 : static_cast<int>(std::get<std::int64_t>(steps->second));
    const RunRequest& request = options.simulation;
    const LoopPlan plan =
        loopPlan(sceneNamed(request.scene, request.sceneVersion), options.render.fps, options.frames, asked);
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
    const EncoderRow& row = encoderHere(options.output, options.render.encoder);
    options.render.fps = std::min(options.render.fps, row.mostFps);
    if (options.render.loop) planLoop(options);
    if (options.frames < 1) throw UsageError("render needs --frames K with K of at least 1");
    // This comes first: a missing folder or encoder is found at once.
    const std::unique_ptr<FilmWriter> writer = makeFilmWriter({.output = parseFilmOutput(options.output),
                                                               .width = options.width,
                                                               .height = options.height,
                                                               .fps = options.render.fps,
                                                               .ffmpeg = "ffmpeg",
                                                               .encoder = std::string(row.name),
                                                               .quality = options.render.quality,
                                                               .held = true});
    const HeadlessContext context(options.simulation.backendOptions.device);
    std::fprintf(stderr, "gravlab: %s\n", context.description().c_str());
    const int side = tileSide(options.width, options.height, options.render.tile, largestSide());
    if (side > 0 && options.twin.on)
        throw UsageError("twins cannot be drawn in parts; leave out --tile, or choose a smaller --size than " +
                         std::to_string(options.width) + "x" + std::to_string(options.height));
    const TilePlan parts = side > 0 ? planTiles(options.width, options.height, side) : TilePlan{};
    if (side > 0)
        std::fprintf(stderr, "gravlab: %dx%d pixels in %zu parts\n", options.width, options.height, parts.tiles.size());
    requirePictureMemory(options.width, options.height, side);
    // For tiles, the whole picture is first drawn small, for the exposure and for everything else that depends on the whole.
    const int shrink = side > 0 ? std::max(1, std::max(options.width, options.height) / kOverview) : 1;
    OffscreenTarget target(std::max(options.width / shrink, 1), std::max(options.height / shrink, 1));
    options.settings["window.visible"] = options.showUi;
    App app(options);
    if (side > 0 && app.document.fourViewed())
        throw UsageError("four views cannot be drawn in parts; leave out --tile, or choose a smaller --size");
    std::optional<Ui> panels;
    const auto drawPanels = [&] { panels->drawOver(app, options.width, options.height, 1 / options.render.fps); };
    const bool writes = options.showUi || app.document.overlayDraws() || app.document.fourViewed() ||
                        app.document.facts.twin.on || app.document.selected;
    refuseIdleLaunch(options, app.runs.simulation().backend().activeKernel());
    refuseIdleLook(options, app.document, writes);
    if (writes) {
        panels.emplace(options.uiScale > 0 ? static_cast<float>(options.uiScale) : 1.0f, context.description(), app);
        drawPanels();  // the first picture depends on the area that the panels leave free; it is drawn over this
    }
    app.turn(0);  // a camera path starts at its first point
    writer->texts = settingsTexts(app.document, options.output);
    writer->texts["gravlab:steps-per-frame"] = std::to_string(app.document.intent.stepsPerFrame);
    writer->texts["gravlab:frames"] = std::to_string(options.frames);

    Controller controller;
    BaseHost host(app);
    Frame frames(app, controller, host);
    std::deque<PictureTexts> moments;  // step and time of the frames that are not written yet
    const auto write = [&](std::span<const std::uint8_t> rgb) {
        for (auto& [name, text] : moments.front()) writer->texts[name] = text;
        moments.pop_front();
        writer->write(rgb);
    };
    const double start = hostClock();
    ProgressLine progress("frame", options.frames, ProgressLine::Where::everyTenth);
    for (std::int64_t frame = 0; frame < options.frames; ++frame) {
        InterruptWatch::check();
        if (const std::string lost = lostContext(); !lost.empty())
            throw DeviceError("after frame " + std::to_string(frame) + " of " + std::to_string(options.frames) + " " + lost +
                              "; frames drawn since would be empty, so the film ends here. Start it again");
        const bool kept = !writer->lastFrameOnly() || frame + 1 == options.frames;
        // Panels show rates of the last frames, so all frames are drawn even when only one is kept.
        const bool drawn = kept || panels;
        const Frame::Made made = frames.make(frame == 0 ? FrameClock::still() : FrameClock::film(1 / options.render.fps),
                                             {.framebuffer = target.framebuffer(),
                                              .width = drawn ? target.width() : 0,
                                              .height = drawn ? target.height() : 0,
                                              .panels = [&] {
                                                  if (panels) drawPanels();
                                              }});
        if (!made.alarm.empty()) throw Error(ExitCode::checkFailed, made.alarm + "; no picture was written");
        if (frame == 1) writer->keep();
        if (kept) moments.push_back(momentTexts(app.document));
        if (kept && side > 0) {
            const auto over = [&](int left, int top, int width, int height) { panels->drawPart(left, top, width, height); };
            write(drawTiles(app, parts, panels ? over : std::function<void(int, int, int, int)>()));
        } else if (kept) {
            // One copy stays under way during the next frame.
            target.beginRead();
            if (target.readsUnderWay() == OffscreenTarget::kInFlight) write(target.endRead());
        }
        progress.show(frame + 1);
    }
    while (target.readsUnderWay() > 0) write(target.endRead());
    writer->finish();
    progress.finish();

    std::printf("%s: %lld %s of %dx%d to t = %g in %.1f s\n", printable(options.output).c_str(),
                static_cast<long long>(options.frames), options.frames == 1 ? "frame" : "frames", options.width,
                options.height, app.runs.simulation().time(), hostClock() - start);
    return static_cast<int>(ExitCode::ok);
}

}  // namespace gravlab
