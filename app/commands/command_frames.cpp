// `gravlab bench --frames`: whole frames off screen, as in the window: steps within the time budget, picture, panels.
// Rule: one frame may be under way while the next is made, as with a display. The time is that from frame to frame.
#include "app/bench/stage_bench.h"
#include "app/commands/command_bench.h"
#include "app/frontends/headless/headless.h"
#include "app/frontends/headless/lost_context.h"
#include "app/services/spot_check.h"
#include "app/services/telemetry.h"
#include "app/session/session.h"
#include "app/system/host_clock.h"
#include "app/system/interrupt.h"
#include "app/system/progress.h"
#include "app/tables/format.h"
#include "render/finish_drawing.h"
#include "render/particle_renderer.h"
#include "sim/api/errors.h"
#include "sim/io/file/atomic_file.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace gravlab {
namespace {

/// An app off screen that makes the frames of a window.
class Offscreen {
public:
    Offscreen(const StartOptions& start, const PictureOptions& picture, double fps) : picture_(picture), seconds_(1 / fps) {
        session_.open<BaseHost>(start);
        if (picture_.showUi) session_.ui = std::make_unique<Ui>(1.0f, "off screen", app());
    }
    /// `panelTimer` measures the GPU time of the panels; it may be null.
    void makeFrame(GpuTimer* panelTimer = nullptr) { make(FrameClock::window(seconds_), panelTimer); }
    /// Draws only the picture and the panels: nothing is computed or measured beside them.
    void drawFrame(GpuTimer* panelTimer = nullptr) { make(FrameClock::still(), panelTimer); }

    App& app() { return *session_.app; }
    /// Whether the last picture has more than one colour. Waits for it.
    bool shows() {
        const std::vector<std::uint8_t> rgb = target_.read();
        for (std::size_t i = 3; i < rgb.size(); ++i)
            if (rgb[i] != rgb[i - 3]) return true;
        return false;
    }

private:
    void make(const FrameClock& clock, GpuTimer* panelTimer) {
        InterruptWatch::check();
        const auto drawPanels = [&] {
            if (!session_.ui) return;
            session_.ui->setSurface(picture_.width, picture_.height, seconds_);
            session_.ui->frame(app());
            if (panelTimer) panelTimer->begin();
            session_.ui->draw();
            if (panelTimer) panelTimer->end();
        };
        session_.turn(clock, {.framebuffer = target_.framebuffer(),
                              .width = picture_.width,
                              .height = picture_.height,
                              .panels = drawPanels});
        pace_.submitted();
    }

    const PictureOptions picture_;
    const double seconds_;  ///< of a frame
    OffscreenTarget target_{picture_.width, picture_.height};
    Session session_;
    OneFrameAhead pace_;
};

/// Sleeps until the next refresh of a display with `rate` pictures a second since `start` [s].
void waitForDisplay(double rate, double start) {
    const double passed = hostClock() - start;
    std::this_thread::sleep_for(std::chrono::duration<double>((std::floor(passed * rate) + 1) / rate - passed));
}

/// Makes at least `frames` frames, and continues until the energy of the start is known. A noticeable wait is reported and
/// has a limit: the sum for very many bodies then continues in a fiftieth of the time.
void warmUp(Offscreen& screen, int frames) {
    constexpr double kNoticed = 2, kLongest = 10;  // [s]
    const double start = hostClock();
    bool said = false;
    for (int frame = 0; frame < frames || screen.app().services.conservation.busy(); ++frame) {
        InterruptWatch::check();
        screen.makeFrame();
        if (frame >= frames && hostClock() - start > kLongest) {
            notify("it is not known yet; the sum continues in a fiftieth of the time");
            return;
        }
        if (said || hostClock() - start < kNoticed || frame < frames) continue;
        said = true;
        notify("the energy of the start is measured first");
    }
}

void timeWholeFrames(const BenchCommand& command, const StartOptions& start) {
    const PictureOptions& picture = command.picture;
    Offscreen screen(start, picture, command.fps);
    App& app = screen.app();
    FrameTimes times;
    // The energy of the start is measured beside the first frames, and needs much of a device's time.
    warmUp(screen, 1);
    const std::int64_t firstStep = app.runs.simulation().step();
    const WorkTotals before = app.runs.simulation().backend().totals();
    const double begun = hostClock();
    double last = begun;
    for (std::int64_t frame = 0; frame < picture.frames; ++frame) {
        screen.makeFrame();
        if (start.has("--fps")) waitForDisplay(command.fps, begun);
        const double time = hostClock();
        times.add(time - last);
        last = time;
    }
    const double seconds = hostClock() - begun;
    if (const std::string alarm = SpotCheck().settle(app.runs.simulation()); !alarm.empty())
        throw Error(ExitCode::checkFailed, alarm);
    const double steps = static_cast<double>(app.runs.simulation().step() - firstStep) / seconds;
    const WorkTotals after = app.runs.simulation().backend().totals();
    const double pairs = after.evaluated() - before.evaluated(), busy = after.forceSeconds - before.forceSeconds;
    const RunFacts& facts = app.document.facts;
    const bool copied = app.document.copyVertices && backend(facts.configuration.backend).onDevice;
    std::printf("%s, %zu bodies, %s / %s, %dx%d%s%s: %s, %s steps/s\n", facts.configuration.scene.c_str(),
                facts.configuration.bodies, facts.configuration.backend.c_str(), std::string(facts.kernel->name).c_str(),
                picture.width, picture.height, picture.showUi ? " with panels" : "",
                copied ? ", vertices copied through the host" : "", times.text().c_str(),
                steps < 1000 ? formatted("%.4g", steps).c_str() : rateText(steps).text);
    std::printf("forces: %.4g G interactions/s while they run, %.4g by the clock on the wall\n",
                busy > 0 ? 1e-9 * pairs / busy : 0, 1e-9 * pairs / seconds);
}

/// Throws where the timed frames show no bodies: an empty picture has deceptively short times.
void requireDrawn(Offscreen& screen, const StageSamples& samples, std::int64_t frames) {
    App& app = screen.app();
    const std::string why = whyNotDrawn({.lost = lostContext(),
                                         .bodies = app.document.facts.configuration.bodies,
                                         .there = app.runs.first().vertices().frontCount(),
                                         .frames = static_cast<std::size_t>(frames),
                                         .timed = std::min(samples.pictures(), samples.detailed()),
                                         .shows = screen.shows()});
    if (!why.empty()) throw Error(ExitCode::deviceFailure, "drawing was not timed: " + why);
}

constexpr double kTurnSeconds = 0.25;  ///< the camera turns for that time between two pictures [s]

/// One row: successive pictures with nothing else on the GPU. The camera rotates slightly between them, so that no picture
/// repeats. Whole pictures come first, then their stages.
StageRow timeStages(const StartOptions& start, const PictureOptions& picture, double fps) {
    Offscreen screen(start, picture, fps);
    App& app = screen.app();
    ParticleRenderer& renderer = app.runs.first().renderer();
    renderer.reusePictures(false);
    app.view.thinWhileMoving(false);
    StageSamples samples;
    GpuTimer panelTimer;
    constexpr int kLeftOut = 20;
    const auto draw = [&] {
        app.turn(kTurnSeconds);
        screen.drawFrame(&panelTimer);
    };
    const auto take = [&](bool keep) {
        for (const DrawTimes& times : renderer.takeTimes())
            if (keep) samples.add(times);
        if (const std::optional<double> panelTime = panelTimer.take(); panelTime && keep) samples.addPanels(*panelTime);
    };
    // This is one frame as in a window. A paused run is measured in its next frames, which would fall between two stages.
    screen.makeFrame(&panelTimer);
    app.runs.simulation().backend().wait();
    for (const bool detailed : {false, true}) {
        renderer.timeStages(detailed);
        for (int frame = 0; frame < kLeftOut; ++frame) draw();
        finishDrawing();
        take(false);
        double last = hostClock();
        for (std::int64_t frame = 0; frame < picture.frames; ++frame) {
            draw();
            const double time = hostClock();
            if (!detailed && frame > 0) samples.addFrame(1e3 * (time - last));  // each frame waits for the one before
            last = time;
            take(true);
        }
        finishDrawing();
        take(true);
    }
    requireDrawn(screen, samples, picture.frames);
    StageRow row{.scene = app.document.facts.configuration.scene,
                 .bodies = app.document.facts.configuration.bodies,
                 .width = picture.width,
                 .height = picture.height,
                 .path = renderer.path().path()};
    samples.finish(row);
    return row;
}

int timeAllStages(const BenchCommand& command, const std::vector<std::optional<std::size_t>>& counts) {
    if (command.format == "json") throw UsageError("--stages writes a table or csv, not json");
    AtomicFile out(command.output.empty() ? "-" : command.output);
    std::vector<std::pair<int, int>> sizes = command.sizes;
    if (sizes.empty()) sizes = {{command.picture.width, command.picture.height}};
    const auto found = command.start.settings.find("look.splat");
    const std::string way = found == command.start.settings.end() ? "auto" : std::get<std::string>(found->second);
    std::vector<StageRow> rows;
    for (const std::optional<std::size_t>& count : counts)
        for (const auto& [width, height] : sizes)
            for (const DrawMethodRow& wish : drawMethodRows()) {
                if (way == "auto" ? wish.wish == DrawMethodRequest::automatic : wish.name != way) continue;
                StartOptions start = command.start;
                start.holdRate = false;
                start.simulation.bodies = count;
                start.settings["look.splat"] = std::string(wish.name);
                start.settings["run.paused"] = true;
                start.settings["camera.rotation"] = 1e-3 / kTurnSeconds;  // [rad/s]
                PictureOptions picture = command.picture;
                picture.width = width;
                picture.height = height;
                rows.push_back(timeStages(start, picture, command.fps));
                if (rows.back().path == DrawMethod::raster && wish.wish == DrawMethodRequest::compute)
                    notify("no row for compute: the rasteriser drew it");
            }
    out.write(command.format == "csv" ? stageCsv(rows) : stageTable(rows));
    out.commit();
    return static_cast<int>(ExitCode::ok);
}

}  // namespace

int timeFrames(const BenchCommand& command) {
    const InterruptWatch watch;
    const HeadlessContext context(command.start.simulation.backendOptions.device);
    notify(context.description());
    std::vector<std::optional<std::size_t>> counts(command.counts.begin(), command.counts.end());
    if (counts.empty()) counts = {command.start.simulation.bodies};
    if (command.stages) return timeAllStages(command, counts);
    for (const std::optional<std::size_t>& count : counts) {
        StartOptions start = command.start;
        start.holdRate = false;
        start.simulation.bodies = count;
        if (!command.kernels.empty() && command.kernels.front() != "auto")
            start.simulation.pairs().kernel.kernel = command.kernels.front();
        timeWholeFrames(command, start);
    }
    return static_cast<int>(ExitCode::ok);
}

}  // namespace gravlab
