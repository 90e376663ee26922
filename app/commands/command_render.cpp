// `gravlab render`: the frame loop without a window, which writes a picture, numbered pictures or a film.
// Rule: frame k (from 0) shows the state after k * stepsPerFrame steps, on every machine and however long it takes.
#include "app/bench/own_trial.h"
#include "app/commands/option_groups.h"
#include "app/files/open_file.h"
#include "app/files/scene_file.h"
#include "app/film/encoders.h"
#include "app/film/film.h"
#include "app/frontends/headless/headless.h"
#include "app/frontends/headless/lost_context.h"
#include "app/frontends/headless/tiles.h"
#include "app/model/document.h"
#include "app/model/film_plan.h"
#include "app/parameters/quantity.h"
#include "app/session/session.h"
#include "app/system/host_clock.h"
#include "app/system/interrupt.h"
#include "app/system/progress.h"
#include "app/tables/colour_mode.h"
#include "app/tables/unit_text.h"
#include "sim/api/errors.h"
#include "sim/core/text.h"
#include "sim/core/validation.h"
#include "sim/scenes/scene.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <utility>

namespace gravlab {
namespace {

constexpr int kOverview = 1024;  // longer side in pixels
// From so many bodies on, a picture of their start is drawn in pieces. The look is that of a picture of fewer.
constexpr std::size_t kInPieces = std::size_t{1} << 28, kForLook = std::size_t{1} << 20;
// Bodies of a piece: three sets of vertices and one of colours take less than 1 GiB.
constexpr std::size_t kPiece = std::size_t{1} << 24;

/// How a film or a picture is written.
struct RenderCommand : Subcommand {
    PictureOptions picture;
    std::string output;
    double fps = 60;
    std::string encoder;  ///< row of encoders(); empty: the first for the file
    double quality = -1;  ///< 0 to 100; below 0: the default
    double seconds = 0;   ///< length of the film [s]; 0: unset
    bool loop = false;    ///< one whole period of the scene
    int tile = 0;         ///< pixels of a tile of a large picture; 0: as large as OpenGL allows

    void add(OptionRows& rows) override;
    void check() override;
    int run() override;

private:
    void refuseIdleLook(const Document& document, bool writes) const;
    void planLoop();
    void planTime(bool still);
    void refuseInPieces(const Document& document, bool writes) const;
    void drawInPieces(App& app, const OffscreenTarget& target) const;

    std::size_t inPieces_ = 0;  ///< bodies that are drawn in pieces
};

void RenderCommand::add(OptionRows& rows) {
    addSceneOrFile(rows, "collision");
    addBonds(rows);
    addRun(rows);
    addTwin(rows, true);
    addPicture(rows, picture, false);
    addFrames(rows, picture);
    rows.output("-o,--output", "FILE", output,
                "FILE.png, a film FILE.mp4, .mov, .mkv, .webm or .gif (needs ffmpeg), or numbered frames DIR/%05d.png",
                true);
    rows.value(
            "--until", "TIME",
            [this](auto& name, auto& text) {
                start.until = keepTime(start, name, text, &StartOptions::until) ? 0 : parseReal(name, text);
            },
            "simulated time of the last frame: 1Gyr, or a number in the run's own [T]; with --duration, --frames or --speed")
        .excludes("--loop");
    rows.of(parameter("run.speed"), "of a film, with --duration, --frames or --until: ").excludes("--loop");
    rows.value(
            "--duration", "SECONDS",
            [this](auto& name, auto& text) {
                seconds = parsePositive(name, text.ends_with('s') ? text.substr(0, text.size() - 1) : text);
            },
            "length of the film, 10s or 10, instead of --frames")
        .excludes("--frames");
    rows.of("film.frames_per_second", "--fps", "RATE", fps,
            "frames a second of the film [60; 50 in .gif, which has no more]");
    rows.rowOf("--encoder", "NAME", encoder, gravlab::encoder,
               "of the film, see 'gravlab list encoders' [the first that works here and fits the file]");
    rows.value(
        "--quality", "NUMBER",
        [this, &range = parameter("film.quality").bounds](auto& name, auto& text) {
            quality = parseReal(name, text);
            if (!(quality >= range.least && quality <= range.most))
                throw UsageError(name + " must be from " + shortestText(range.least) + " to " + shortestText(range.most));
        },
        "of the film: 0 makes small files, 100 large ones [80]");
    rows.flag("--loop", loop,
              "one whole period of the scene, so that the end goes over into the start: without --frames as long as the "
              "scene's story takes to watch, with a time step that fits")
        .excludes("--twin", "--loop and --twin exclude each other: two runs seldom have one period")
        .excludes("--dt", "--loop chooses the time step that fits; leave out --dt");
    rows.whole("--tile", "PIXELS", tile, 64, 16384,
               "draw the picture in parts of that size [only where it is too large for OpenGL, as large as that allows]");
    rows.flag("--ui", picture.showUi, "draw the panel into the picture");
}

void RenderCommand::check() {
    start.holdRate = false;
    checkStart(*this, {.ownKernels = true});
    if (start.has("--ahead") && !start.has("--select"))
        throw UsageError("--ahead shows the path of one body: add --select ID");
    if (output.empty()) throw UsageError("render needs -o FILE.png, FILE.mp4 or DIR/%05d.png");
    parseFilmOutput(output);
    const bool pictures = output.ends_with(".png"), still = pictures && output.find('%') == std::string::npos;
    if (start.has("--fps") && pictures)
        throw UsageError("--fps does not apply: pictures follow each other as fast as who shows them likes");
    const EncoderRow& row = encoderFor(output, encoder, quality);
    if (start.has("--fps") && fps > row.mostFps)
        throw UsageError("--fps " + shortestText(fps) + ": " + std::string(row.name) + " has at most " +
                         shortestText(row.mostFps) + " frames a second");
    if (loop) {
        if (!start.file.empty() && !isSceneFile(start.file))
            throw UsageError("--loop needs a scene by its name: bodies of a file have no known period");
        if (still) throw UsageError("--loop makes a film; -o FILE.png is one picture");
        if (start.flyPath && picture.frames == 0) throw UsageError("--loop with --path needs --frames COUNT");
        if (start.file.empty()) loopPlan(sceneNamed(start.simulation.scene), std::min(fps, row.mostFps), picture.frames, 0);
    }
    fps = std::min(fps, row.mostFps);
    if (seconds > 0) picture.frames = std::max<std::int64_t>(std::llround(seconds * fps), 2);
    const bool until = start.has("--until"), speed = start.has("--speed");
    if ((until || speed) && start.has("--dt"))
        throw UsageError("--until and --speed choose the time step that fits; leave out --dt, or count frames and steps");
    if (still && (speed || seconds > 0)) throw UsageError("-o FILE.png is one picture; --until names its time");
    if (until && speed && picture.frames > 0)
        throw UsageError("give two of --until, --speed and the length (--duration or --frames)");
    if (until && !speed && picture.frames == 1) throw UsageError("--until needs at least two frames");
    if (speed && !until && picture.frames == 0 && !start.flyPath)
        throw UsageError("--speed needs the length of the film: --duration, --frames or --until");
    if (picture.frames == 0 && !still && !start.flyPath && !loop && !(until && speed))
        throw UsageError(
            "a film needs its length: --duration SECONDS, --frames COUNT, or --loop for one period of the scene");
    refuseIdleThreads(start);
    if (picture.frames == 0 && !start.flyPath && !loop && !until) picture.frames = 1;  // a still picture
}

/// Refuses options of the look that change nothing in this picture. `writes`: texts or panels are drawn over it.
void RenderCommand::refuseIdleLook(const Document& document, bool writes) const {
    const auto refuse = [this](std::string_view option, bool idle, const std::string& why) {
        if (idle && start.has(option)) refuseIdle(option, why);
    };
    const ColourMode& mode = document.shownMode();
    const std::string shown = "the colours are those of '" + std::string(mode.name) + "'";
    refuse("--map", !mode.map.empty(), shown + ", which have a map of their own");
    refuse("--top-speed", mode.published != VertexValue::speed || mode.ofTraits || !mode.map.empty(), shown);
    for (const std::string_view layer : {"--dust", "--gas", "--sky"})
        refuse(layer, !mode.photograph, shown + "; it belongs to --colour photograph");
    refuse("--dark-matter", !document.facts.darkBodies, "no body is dark matter");
    refuse("--tree-level", document.tree.boxes != TreeBoxes::level, "it belongs to --tree-cells level");
    refuse("--lab", !picture.showUi, "the lab is one of the panels; add --ui");
    refuse("--ui-scale", !writes, "nothing is written over the picture; add --ui or --overlay");
}

/// Chooses frames, steps and time step so that they make one period.
void RenderCommand::planLoop() {
    const auto steps = start.settings.find("run.steps_per_frame");
    const int stepsGiven = steps == start.settings.end() ? 0 : static_cast<int>(std::get<std::int64_t>(steps->second));
    const RunRequest& request = start.simulation;
    const LoopPlan plan = loopPlan(sceneNamed(request.scene, request.sceneVersion), fps, picture.frames, stepsGiven);
    picture.frames = plan.frames;
    start.settings["run.steps_per_frame"] = std::int64_t{plan.stepsPerFrame};
    start.simulation.timeStep = plan.timeStep;
}

/// Chooses frames, steps and time step so that frames are that far apart in simulated time, or the last one is at --until.
void RenderCommand::planTime(bool still) {
    const auto given = [this](const char* path) {
        const auto found = start.settings.extract(path);
        return found ? numberOf(found.mapped()).value_or(0) : 0;
    };
    const int stepsGiven = static_cast<int>(given("run.steps_per_frame"));
    const RunRequest& request = start.simulation;
    const Scene& scene = request.start ? request.start->row : sceneNamed(request.scene, request.sceneVersion);
    const double usual = request.timeStep.value_or(scene.timeStep);
    const double span = start.until - (request.start ? request.start->state.clock.time() : 0);
    double frame = std::copysign(given("run.speed") / fps, usual);
    if (start.has("--until") && !(span / usual > 0))
        throw UsageError("--until " + timeText(start.until, scene.units) +
                         " is never reached: it is not ahead of the start");
    if (start.has("--until") && frame == 0)
        frame =
            still && picture.frames == 0 ? usual * std::max(stepsGiven, 1) : span / static_cast<double>(picture.frames - 1);
    if (!(frame / usual > 0)) throw UsageError("--speed 0 makes no film by simulated time; leave it out");
    if (picture.frames == 0) {
        const double frames = std::ceil(span / frame - 1e-9);
        if (!(frames < 1e9)) throw UsageError("--until needs more frames than can be counted; choose a larger --speed");
        picture.frames = static_cast<std::int64_t>(frames) + 1;
        frame = span / frames;
    }
    const LoopPlan plan = loopPlan(frame, std::abs(usual), picture.frames, stepsGiven);
    start.settings["run.steps_per_frame"] = std::int64_t{plan.stepsPerFrame};
    start.simulation.timeStep = plan.timeStep;
    notify(formatted("%lld frames at %g frames/s, %d step%s of %s from one to the next", static_cast<long long>(plan.frames),
                     fps, plan.stepsPerFrame, plan.stepsPerFrame == 1 ? "" : "s",
                     timeText(plan.timeStep, scene.units).c_str()));
}

void RenderCommand::refuseInPieces(const Document& document, bool writes) const {
    const ColourMode& mode = document.shownMode();
    const bool known = mode.published != VertexValue::acceleration && !mode.ofDensity && !mode.ofGroups && !mode.ofDepth;
    if (known && !writes) return;
    throw UsageError("a picture of " + std::to_string(inPieces_) + " bodies is drawn in pieces: leave out " +
                     (writes ? std::string("--ui, --tile and what is written over it")
                             : "--colour " + std::string(mode.name) + ", which needs all of them at once"));
}

/// Draws the start of the scene with all its bodies, in the look of the app's last picture.
void RenderCommand::drawInPieces(App& app, const OffscreenTarget& target) const {
    constexpr double kBytes = 90;  // a body that no piece can make: scene and piece
    const RunRequest& request = start.simulation;
    const Scene& scene = sceneNamed(request.scene, request.sceneVersion);
    const SceneRequest wanted{inPieces_, request.seed, request.parameters};
    const std::shared_ptr<const MadeBodies> made = scene.made ? scene.made(wanted) : nullptr;
    if (!made) requireHostMemory(kBytes * static_cast<double>(inPieces_), "the bodies of the picture");
    const ParticleSet all = made ? ParticleSet() : scene.build(wanted);
    ProgressLine progress("body drawn", static_cast<std::int64_t>(inPieces_));
    app.view.drawPieces(app.document, app.runs, made ? BodiesToRead(*made) : all, kPiece, target.framebuffer(),
                        target.width(), target.height(), [&](std::size_t drawn) {
                            InterruptWatch::check();
                            progress.show(static_cast<std::int64_t>(drawn));
                        });
}

int RenderCommand::run() {
    const InterruptWatch watch;
    start = withFile(start);
    if (start.flyPath && picture.frames == 0)  // the length of the path, with both ends
        picture.frames = static_cast<std::int64_t>(std::ceil(start.path.back().seconds * fps - 1e-6)) + 1;
    adoptKernelFile(start.simulation);
    const EncoderRow& row = encoderHere(output, encoder);
    if (loop) planLoop();
    if (start.has("--until") || start.has("--speed"))
        planTime(output.ends_with(".png") && output.find('%') == std::string::npos);
    RunRequest& request = start.simulation;
    if (picture.frames == 1 && !request.start && request.bodies.value_or(0) >= kInPieces)
        inPieces_ = std::exchange(*request.bodies, kForLook);
    // This comes first: a missing folder or encoder is found at once.
    const std::unique_ptr<FilmWriter> writer = makeFilmWriter({.output = parseFilmOutput(output),
                                                               .width = picture.width,
                                                               .height = picture.height,
                                                               .fps = fps,
                                                               .ffmpeg = "ffmpeg",
                                                               .encoder = std::string(row.name),
                                                               .quality = quality,
                                                               .held = true});
    const HeadlessContext context(start.simulation.backendOptions.device);
    notify(context.description());
    const int side = tileSide(picture.width, picture.height, tile, largestSide());
    if (side > 0 && start.twin.on)
        throw UsageError("twins cannot be drawn in parts; leave out --tile, or choose a smaller --size than " +
                         std::to_string(picture.width) + "x" + std::to_string(picture.height));
    const TilePlan parts = side > 0 ? planTiles(picture.width, picture.height, side) : TilePlan{};
    if (side > 0) notify(formatted("%dx%d pixels in %zu parts", picture.width, picture.height, parts.tiles.size()));
    requirePictureMemory(picture.width, picture.height, side);
    // For tiles, the whole picture is first drawn small, for the exposure and for everything else that depends on the whole.
    const int shrink = side > 0 ? std::max(1, std::max(picture.width, picture.height) / kOverview) : 1;
    OffscreenTarget target(std::max(picture.width / shrink, 1), std::max(picture.height / shrink, 1));
    start.settings["window.visible"] = picture.showUi;
    Session session;
    session.open<BaseHost>(start);
    App& app = *session.app;
    if (side > 0 && app.document.fourViewed())
        throw UsageError("four views cannot be drawn in parts; leave out --tile, or choose a smaller --size");
    std::unique_ptr<Ui>& panels = session.ui;
    const auto drawPanels = [&] { panels->drawOver(app, picture.width, picture.height, 1 / fps); };
    const bool writes = picture.showUi || app.document.overlayDraws() || app.document.fourViewed() ||
                        app.document.facts.twin.on || app.document.selected;
    refuseIdleLaunch(start, app.runs.simulation().backend().activeKernel());
    refuseIdleLook(app.document, writes);
    if (inPieces_ > 0) refuseInPieces(app.document, writes || side > 0);
    if (writes) {
        const float scale = picture.uiScale > 0 ? static_cast<float>(picture.uiScale) : 1.0f;
        panels = std::make_unique<Ui>(scale, context.description(), app);
        drawPanels();  // the first picture depends on the area that the panels leave free; it is drawn over this
    }
    app.turn(0);  // a camera path starts at its first point
    Document whole = app.document;
    if (inPieces_ > 0) whole.intent.request.bodies = whole.facts.configuration.bodies = inPieces_;
    writer->texts = settingsTexts(whole, output);
    writer->texts["gravlab:steps-per-frame"] = std::to_string(app.document.intent.stepsPerFrame);
    writer->texts["gravlab:frames"] = std::to_string(picture.frames);

    std::deque<PictureTexts> moments;  // step and time of the frames that are not written yet
    const auto write = [&](std::span<const std::uint8_t> rgb) {
        for (auto& [name, text] : moments.front()) writer->texts[name] = text;
        moments.pop_front();
        writer->write(rgb);
    };
    const double begun = hostClock();
    ProgressLine progress("frame", picture.frames, ProgressLine::Where::everyTenth);
    for (std::int64_t frame = 0; frame < picture.frames; ++frame) {
        InterruptWatch::check();
        if (const std::string lost = lostContext(); !lost.empty())
            throw DeviceError("after frame " + std::to_string(frame) + " of " + std::to_string(picture.frames) + " " + lost +
                              "; frames drawn since would be empty, so the film ends here. Start it again");
        const bool kept = !writer->lastFrameOnly() || frame + 1 == picture.frames;
        // Panels show rates of the last frames, so all frames are drawn even when only one is kept.
        const bool drawn = kept || panels;
        const Frame::Made made = session.turn(frame == 0 ? FrameClock::still() : FrameClock::film(1 / fps),
                                              {.framebuffer = target.framebuffer(),
                                               .width = drawn ? target.width() : 0,
                                               .height = drawn ? target.height() : 0,
                                               .panels = [&] {
                                                   if (panels) drawPanels();
                                               }});
        if (!made.alarm.empty()) throw Error(ExitCode::checkFailed, made.alarm + "; no picture was written");
        if (inPieces_ > 0) drawInPieces(app, target);
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

    std::printf("%s: %lld %s of %dx%d to t = %s in %.1f s\n", printable(output).c_str(),
                static_cast<long long>(picture.frames), picture.frames == 1 ? "frame" : "frames", picture.width,
                picture.height, timeText(app.runs.simulation().time(), app.runs.simulation().scene().units).c_str(),
                hostClock() - begun);
    return static_cast<int>(ExitCode::ok);
}

}  // namespace

constinit const CommandRow kRenderCommand{
    "render", "draw a picture or a film without a window",
    "  gravlab render collision -o film.mp4 --frames 600 --steps-per-frame 2\n"
    "  gravlab render galaxy -o film.mp4 --until 1Gyr --duration 10s\n"
    "  gravlab render galaxy -o film.mp4 --speed 100Myr/s --duration 10s\n"
    "  gravlab render disc -o disc.png --frames 200 --size 1920x1080 --ui\n"
    "  gravlab render cube -o frames/%05d.png --frames 120\n"
    "  gravlab render my.toml --path -o flight.webm --encoder vp9 --quality 90\n"
    "  gravlab render galaxy -o poster.png --frames 300 --size 7680x4320\n"
    "  gravlab render two-body -o twins.mp4 --frames 600 --trails 200 --twin integrator=euler --ui\n",
    made<RenderCommand>};

}  // namespace gravlab
