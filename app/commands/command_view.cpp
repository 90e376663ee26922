// `gravlab view`: runs the common frame loop in a window.
#include "app/bench/own_trial.h"
#include "app/commands/options.h"
#include "app/commands/play.h"
#include "app/control/controller.h"
#include "app/files/config.h"
#include "app/files/open_file.h"
#include "app/files/scene_file.h"
#include "app/frontends/headless/lost_context.h"
#include "app/frontends/headless/picture_copy.h"
#include "app/frontends/window/recorder.h"
#include "app/frontends/window/session_files.h"
#include "app/frontends/window/status_report.h"
#include "app/frontends/window/window.h"
#include "app/frontends/window/window_host.h"
#include "app/lessons/lesson_file.h"
#include "app/lessons/lesson_runner.h"
#include "app/services/telemetry.h"
#include "app/system/host_clock.h"
#include "app/system/interrupt.h"
#include "app/system/picture.h"
#include "app/tables/format.h"
#include "app/ui/ui.h"
#include "app/view/frame.h"
#include "sim/core/error.h"
#include "sim/core/text.h"
#include "sim/core/work_watch.h"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <utility>

namespace gravlab {
namespace {

// After an event, the panels need a few frames to settle: hover, then press, then the opened list.
constexpr int kFramesAfterEvent = 4;
constexpr double kIdleWait = 0.25;        // [s] between checks of the clock when nothing moves
constexpr double kAutosaveSeconds = 60;   // [s]; a class can afford to lose this much work
constexpr double kLastCheck = 1;          // [s]; a script's window ends within two seconds of its last line
constexpr double kHiddenWait = 1.0 / 60;  // [s]; no display paces a hidden window

/// Connects events during its lifetime, which is shorter than that of document and panels.
class Connection {
public:
    Connection(Window& window, const App& app, Ui& ui, Controller& controller) : window_(window) {
        window_.attach(app, ui, controller);
    }
    ~Connection() { window_.detach(); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

private:
    Window& window_;
};

/// Writes the present window, for --screenshot.
void writePicture(const std::string& path, const Window& window, const Document& document) {
    writePng(path, window.read(), window.width(), window.height(), pictureTexts(document, path));
}

/// Handles a reset of the graphics: window, picture and panels are created again, and the run continues unchanged.
void comeBack(Window& window, App& app, Ui& ui, Controller& controller, const std::string& why) {
    ui.dropPicture();
    app.dropPicture();
    window.detach();
    window.remake();
    app.remakePicture();
    ui.remakePicture(window.description());
    window.attach(app, ui, controller);
    app.reports.news.warn("The picture was made anew, because " + why + "; the run continues unchanged.");
}

/// The window during the creation of many bodies: it shows a bar where that takes longer than a moment.
class WaitBar {
public:
    explicit WaitBar(Window& window)
        : watch_([this, &window](const char* what, std::int64_t done, std::int64_t total) {
              constexpr double kGlance = 0.3, kPause = 0.1;  // [s]
              const double now = hostClock();
              if (begun_ < 0) begun_ = now;
              const bool ends = done >= total, shows = now - begun_ > kGlance && now - shown_ > kPause;
              if (ends ? shown_ > 0 : shows) {
                  const double share = static_cast<double>(done) / static_cast<double>(total);
                  const std::string words =
                      formatted("gravlab: making %lld %s, %.0f %%", static_cast<long long>(total), what, 100 * share);
                  window.showWaiting(words, share);
                  shown_ = now;
              }
              if (ends) begun_ = shown_ = -1;
          }) {}

private:
    double begun_ = -1, shown_ = -1;  ///< host clock [s]; -1: not
    WorkWatch watch_;
};

/// Runs the frames of a window until the user closes it or a signal arrives.
void runFrames(const Options& options, Window& window, App& app, Ui& ui, Controller& controller, SessionFiles& files,
               ConfigKeeper& config, Player* player, LessonRunner& lessons) {
    constexpr double kScriptWait = 0.02;  // [s] between checks for a line of a script when nothing moves
    const Post post = [&](std::vector<Command> batch) { controller.post(std::move(batch), Sender::panel); };
    const StatusReport report;
    FrameTimes times;
    ui.recordItems(report.on());
    int framesOwed = kFramesAfterEvent;
    std::int64_t frame = 0;
    double last = hostClock(), lookedAt = last;
    bool projector = false;
    float textScale = 1;
    Recorder recorder;
    WindowHost host(app, {window, ui, files, recorder, lessons});
    Frame frames(app, controller, host);
    // Something waits for a picture, whatever the run does.
    const auto needsFrame = [&] {
        return window.needsFrame() || app.document.messageLight() < 1 || ui.restless() || recorder.needsFrame() ||
               host.needsFrame() || framesOwed > 0 || lessons.needsFrame() || options.frames > 0;
    };
    // An effect that a script did not wait for still gets its answer.
    const auto leaves = [&] {
        return window.closing() || InterruptWatch::signal() != 0 ||
               (player && player->finishes() ? false : host.quits() || (player && player->ended()));
    };
    bool rests = false;
    double rest = 0;  // [s] before the next frame
    const auto tell = [&] { report.write(app, ui, frame, window.width(), window.height(), rests); };
    bool leaving = false;
    // With --screenshot, one more frame is drawn before the window closes.
    while (!(leaving = leaves()) || !options.screenshot.empty()) {
        const bool busy = leaving || app.moving() || needsFrame() || controller.posted() || (player && player->needsFrame());
        const bool hidden = window.width() == 0 || window.height() == 0;
        const double pause = std::exchange(rest, 0);
        const bool events = window.handleEvents(!busy ? (player ? kScriptWait : kIdleWait) : hidden ? kHiddenWait : pause);
        if (const double now = hostClock(); !player && config.due(now))
            if (const std::string text = config.update(app.document, window.place(), now); !text.empty())
                app.reports.news.warn(text);
        const double seen = std::exchange(lookedAt, hostClock());
        const bool fades = app.reports.news.fadeMessage(lookedAt - seen);
        if (player && !leaving) {
            const bool before = player->needsFrame();
            player->feed(app.document, host, hostClock(), 0);
            if (before != player->needsFrame()) framesOwed = kFramesAfterEvent;
        }
        if (files.update() || events) {
            framesOwed = kFramesAfterEvent;
        } else if (fades) {
            framesOwed = 1;
        } else if (!busy) {
            if (!std::exchange(rests, true)) {
                app.services.telemetry.rest();
                tell();
            }
            continue;
        } else {
            --framesOwed;
        }

        if (const std::string lost = lostContext(); !lost.empty()) {
            recorder.dropPicture();
            try {
                comeBack(window, app, ui, controller, lost);
            } catch (const DeviceError&) {
                throw;  // the simulation's state is lost, too
            } catch (const std::runtime_error& error) {
                throw NoDeviceError(std::string(error.what()) + ". " + files.leave());
            }
            framesOwed = kFramesAfterEvent;
        }
        const double time = hostClock();
        const std::optional<float> scale = window.takeScale();
        if (scale || ui.state.projector != projector || ui.state.textScale != textScale) {
            constexpr float kProjector = 1.5f;
            projector = ui.state.projector;
            textScale = ui.state.textScale;
            ui.setScale(window.uiScale() * textScale * (projector ? kProjector : 1));
        }
        const double passed = time - std::exchange(last, time);
        window.holdKeys(passed);
        const bool lastFrame = leaving || frame + 1 == options.frames;
        const auto joinIn = [&] {
            if (player) player->look(app.document, hostClock());
            if (lessons.update(app.document, app.reports.lesson, host, hostClock())) framesOwed = kFramesAfterEvent;
            recorder.prepare(app);
        };
        const auto drawPanels = [&] {
            window.beginUi();
            ui.frame(app, post);
            ui.draw();
            if (lastFrame && !leaving) files.requireSoundForces();
            if (lastFrame && !options.screenshot.empty()) writePicture(options.screenshot, window, app.document);
            host.takePictures();
        };
        const Frame::Made made =
            frames.make(FrameClock::window(passed), {.width = window.width(),
                                                     .height = window.height(),
                                                     .afterCommands = joinIn,
                                                     // A picture may take seconds, and no one would see it.
                                                     .shouldStop = [&] { return leaves() && options.screenshot.empty(); },
                                                     .cameraSeconds = [&] { return recorder.pace(passed); },
                                                     .mustDraw = [&] { return events || lastFrame || needsFrame(); },
                                                     .panels = drawPanels,
                                                     .ahead = !lastFrame,
                                                     .present = [&] { window.show(); }});
        if (!made.drawn) {
            // Nothing is due on a processor, or the queue of a device lasts longer than this.
            constexpr double kRest = 2e-3;  // [s]
            if (!app.wantsMore() || app.runs.simulation().backend().vertexSpace() != MemorySpace::host)
                rest = std::max(kRest - (hostClock() - time), 0.0);
            continue;
        }
        ++frame;
        window.follow(ui.state);
        rests = false;
        tell();
        if (options.frames == 0) rest = app.restSeconds(hostClock() - time);
        recorder.update(app);
        if (options.frames > 0) times.add(hostClock() - time);
        if (lastFrame) break;
    }
    if (const std::string text = recorder.close(); !text.empty()) std::fprintf(stderr, "gravlab: %s\n", text.c_str());
    if (const std::string text = times.text(); options.frames > 0 && !text.empty())
        std::fprintf(stderr, "gravlab: frames of %d x %d: %s\n", window.width(), window.height(), text.c_str());
}

}  // namespace

int viewCommand(const Options& asked) {
    const InterruptWatch watch;
    const auto lesson = asked.lesson.empty() ? nullptr : lessonNamed(asked.lesson);
    Remembered memory{asked, {}, {}};
    // A window with a limited number of frames is a test or a picture; a window with a script looks as a user has it.
    const bool plays = asked.command == Subcommand::play;
    const bool watched = asked.frames == 0;
    memory.options.simulation.farField = watched;
    ConfigKeeper config(watched && !asked.has("--no-config"), memory);
    if (memory.options.settings.erase("run.exact_forces") > 0) memory.options.simulation.farField = false;
    std::unique_ptr<Player> player;
    Controller controller;
    if (plays) player = std::make_unique<Player>(asked.play.script, true, controller);
    Options options = withFile(memory.options);
    options.watched = watched;
    adoptKernelFile(options.simulation);
    options.sceneTrails = true;
    options.settings.try_emplace("overlay.shown", std::string("scale,clock,labels"));
    options.settings.try_emplace("window.timeline", options.rewindMegabytes > 0);
    // A named lesson is a guide already, and a session that is not remembered would show the welcome card every time.
    if (config.first() && !lesson && !plays) options.settings.try_emplace("window.welcome", true);
    Window window(options);
    window.moveTo(memory.place);
    const WaitBar waits(window);
    App app(options);
    Ui ui(window.uiScale(), window.description(), app);
    if (options.rewindMegabytes > 0) app.runs.keepHistory(static_cast<std::size_t>(options.rewindMegabytes) << 20);
    for (const std::string& note : config.notes()) {
        std::fprintf(stderr, "gravlab: %s\n", printable(note).c_str());
        app.reports.news.warn(note + (config.notes().size() > 1 ? "; more of it in the terminal." : "."));
    }
    const Connection connection(window, app, ui, controller);
    // No user can lose work when a window ends by itself.
    const double usual = options.frames > 0 || plays ? 0 : kAutosaveSeconds;
    SessionFiles files(app, options.autosaveSeconds >= 0 ? options.autosaveSeconds : usual);
    // Settings of a script hold for this session alone.
    const auto remember = [&] {
        if (!plays) config.close(app.document, window.place());
    };
    const LostDisplayWatch display([&] {
        remember();
        return files.leave();
    });
    LessonRunner lessons(controller);
    LessonRunner::offer(app.reports.lesson);
    if (lesson) lessons.open(app.document, app.reports.lesson, lesson);
    try {
        runFrames(options, window, app, ui, controller, files, config, player.get(), lessons);
    } catch (const Error& error) {
        remember();
        if (error.code() != ExitCode::deviceFailure) throw;
        const std::string kept = files.rescue();
        throw DeviceError(error.what() + (kept.empty() ? std::string() : ". " + kept));
    }
    remember();
    if (const int signal = InterruptWatch::signal(); signal != 0)
        throw Error(static_cast<ExitCode>(128 + signal), std::string(InterruptWatch::word()) + ". " + files.leave());
    const std::string lost = files.close();
    if (player) {
        player->abandon("the window was closed");
        if (!files.requireSoundForces(kLastCheck))
            std::fprintf(
                stderr,
                "gravlab: the window ended before the check of its forces; 'wait run.check != pending' in the script "
                "waits for it\n");
    }
    if (!lost.empty()) throw IoError(lost);
    return player ? player->exitCode() : static_cast<int>(ExitCode::ok);
}

}  // namespace gravlab
