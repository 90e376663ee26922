// `gravlab view`: the window's turn of the one frame loop.
#include "app/commands/options.h"
#include "app/commands/play.h"
#include "app/control/config.h"
#include "app/control/controller.h"
#include "app/control/open_file.h"
#include "app/control/scene_file.h"
#include "app/frontends/window/lost_context.h"
#include "app/frontends/window/recorder.h"
#include "app/frontends/window/session_files.h"
#include "app/frontends/window/status_report.h"
#include "app/frontends/window/window.h"
#include "app/host_clock.h"
#include "app/interrupt.h"
#include "app/model/look.h"
#include "app/panels/ui.h"
#include "app/picture.h"
#include "app/services/frame_times.h"
#include "app/session/frame_loop.h"
#include "app/timed_name.h"
#include "sim/core/error.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <utility>

namespace gravlab {
namespace {

// After an event the panels need a few frames to settle: hover, then press, then what it opens.
constexpr int kFramesAfterEvent = 4;
constexpr double kIdleWait = 0.25;        // [s] between looks at the clock when nothing moves
constexpr double kAutosaveSeconds = 60;   // what a class would not mind to lose
constexpr double kHiddenWait = 1.0 / 60;  // [s]; no display paces a window that is not shown

/// Connects events for as long as it lives, which is shorter than session and panels do.
class Connection {
public:
    Connection(Window& window, const Session& session, Ui& ui, Controller& controller) : window_(window) {
        window_.attach(session, ui, controller);
    }
    ~Connection() { window_.detach(); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

private:
    Window& window_;
};

PictureTexts describe(const Session& session) {
    const SimulationSettings& s = session.facts().settings;
    return {{"Software", "gravlab"},
            {kSceneFileKey, sceneFileText(session)},
            {"gravlab:scene", s.scene},
            {"gravlab:bodies", std::to_string(s.bodies)},
            {"gravlab:seed", std::to_string(s.seed)},
            {"gravlab:backend", s.backend},
            {"gravlab:kernel", s.kernel.kernel},
            {"gravlab:integrator", s.integrator},
            {"gravlab:step", std::to_string(session.facts().step)},
            {"gravlab:time", std::to_string(session.facts().time)}};
}

void writePicture(const std::string& path, const Window& window, const Session& session) {
    writePng(path, window.read(), window.width(), window.height(), describe(session));
}

/// F12: a failure is a message, not the end.
void takeScreenshot(const Window& window, Session& session, std::string path) {
    if (path.empty()) path = timedName("gravlab", ".png");
    try {
        writePicture(path, window, session);
        session.say("The picture was written to " + path + ".");
    } catch (const IoError& error) {
        session.say(error.what());
    }
}

/// Ctrl E: likewise.
void saveScene(Session& session, std::string path) {
    if (path.empty()) path = timedName("gravlab", ".toml");
    try {
        writeSceneFile(path, session);
        session.say("The scene was written to " + path + "; 'gravlab " + path + "' opens it.");
    } catch (const IoError& error) {
        session.say(error.what());
    }
}

/// The graphics were reset: window, picture and panels are made anew, the run goes on as it was.
void comeBack(Window& window, Session& session, Ui& ui, Controller& controller, const std::string& why) {
    ui.dropPicture();
    session.dropPicture();
    window.detach();
    window.remake();
    session.remakePicture();
    ui.remakePicture(window.description());
    window.attach(session, ui, controller);
    session.say("The picture was made anew, because " + why + "; the run goes on as it was.");
}

/// The frames of a window until it is closed or a signal comes.
void runFrames(const Options& options, Window& window, Session& session, Ui& ui, Controller& controller, SessionFiles& files,
               ConfigKeeper& config, Player* player) {
    constexpr double kScriptWait = 0.02;  // [s] between looks for a line of a script when nothing moves
    Document document{session, ui.state};
    const Post post = [&](std::vector<Command> batch) { controller.post(std::move(batch), Sender::panel); };
    const StatusReport report;
    FrameTimes times;
    ui.recordItems(report.on());
    int framesOwed = kFramesAfterEvent;
    std::int64_t frame = 0;
    double last = hostClock();
    bool projector = false;
    float textScale = 1;
    Recorder recorder;
    while (!session.intent.quit && !window.closing() && InterruptWatch::signal() == 0) {
        const bool busy = session.moving() || window.holdsKeys() || ui.restless() || recorder.needsFrame() ||
                          framesOwed > 0 || options.frames > 0 || controller.posted() || (player && player->needsFrame());
        const bool hidden = window.width() == 0 || window.height() == 0;
        const bool events = window.handleEvents(!busy ? (player ? kScriptWait : kIdleWait) : hidden ? kHiddenWait : 0);
        if (const double now = hostClock(); config.due(now))
            if (const std::string text = config.update(session, ui.state, window.place(), now); !text.empty())
                session.say(text);
        if (player) {
            const bool before = player->needsFrame();
            player->feed(document, hostClock(), 0);
            if (player->ended()) session.intent.quit = true;
            if (before != player->needsFrame()) framesOwed = kFramesAfterEvent;
        }
        if (files.update() || events)
            framesOwed = kFramesAfterEvent;
        else if (!busy)
            continue;
        else
            --framesOwed;

        if (const std::string lost = lostContext(); !lost.empty()) {
            recorder.dropPicture();
            try {
                comeBack(window, session, ui, controller, lost);
            } catch (const DeviceError&) {
                throw;  // the simulation's state went, too
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
        window.holdKeys(time - last);
        const std::vector<Event> done = controller.apply(document);
        if (player) player->look(document, done, hostClock());
        recorder.prepare(session, ui, window.width(), window.height(), window.description());
        session.advance(true);
        session.turn(recorder.pace(time - last));
        session.glide(time - last);
        last = time;
        session.draw(0, window.width(), window.height());
        ++frame;
        const bool lastFrame = frame == options.frames;
        double worked = hostClock() - time;
        if (window.width() > 0 && window.height() > 0) {
            window.beginUi();
            ui.frame(session, post);
            ui.draw();
            if (lastFrame && !options.screenshot.empty()) writePicture(options.screenshot, window, session);
            if (std::exchange(ui.state.screenshot, false))
                takeScreenshot(window, session, std::exchange(ui.state.pictureName, {}));
            if (std::exchange(ui.state.saveScene, false)) saveScene(session, std::exchange(ui.state.sceneName, {}));
            worked = hostClock() - time;
            window.show();
        }
        window.follow(ui.state);
        report.write(session, ui, frame, window.width(), window.height());
        session.frameTook(hostClock() - time, worked);
        recorder.update(session, ui);
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
    Remembered memory{asked, {}, {}, {}};
    // A window that ends by itself is a test or a picture.
    const bool plays = asked.command == Subcommand::play;
    ConfigKeeper config(asked.frames == 0 && !plays && !asked.has("--no-config"), memory);
    std::unique_ptr<Player> player;
    if (plays) player = std::make_unique<Player>(asked.script, true);
    const Options options = withFile(memory.options);
    Window window(options);
    window.moveTo(memory.place);
    Session session(options);
    Ui ui(window.uiScale(), window.description());
    ui.state = memory.ui;
    ui.state.visible = options.showUi;
    constexpr std::size_t kFewBodies = 100;
    if (!options.look.trails && session.facts().settings.bodies <= kFewBodies) session.look.trails = kUsualTrail;
    if (!options.look.overlay) session.overlay.scaleBar = session.overlay.clock = true;
    ui.state.fullscreen = options.fullscreen;
    if (options.rewindMegabytes > 0) {
        session.keepHistory(static_cast<std::size_t>(options.rewindMegabytes) << 20);
        ui.state.timeline = true;
    }
    for (const std::string& note : config.notes()) {
        std::fprintf(stderr, "gravlab: %s\n", note.c_str());
        session.say(note + (config.notes().size() > 1 ? "; more of it in the terminal." : "."));
    }
    Controller own;
    Controller& controller = player ? player->controller() : own;
    const Connection connection(window, session, ui, controller);
    // Nobody is there to lose work when a window ends by itself.
    const double usual = options.frames > 0 || plays ? 0 : kAutosaveSeconds;
    SessionFiles files(session, ui.state.files, options.autosaveSeconds >= 0 ? options.autosaveSeconds : usual);
    try {
        runFrames(options, window, session, ui, controller, files, config, player.get());
    } catch (const Error& error) {
        if (error.code() != ExitCode::deviceFailure) throw;
        const std::string kept = files.rescue();
        throw DeviceError(error.what() + (kept.empty() ? std::string() : ". " + kept));
    }
    config.close(session, ui.state, window.place());
    if (const int signal = InterruptWatch::signal(); signal != 0)
        throw Error(static_cast<ExitCode>(128 + signal),
                    (signal == SIGINT ? "interrupted. " : "terminated. ") + files.leave());
    files.close();
    if (player) player->abandon("the window was closed");
    return player ? player->exitCode() : static_cast<int>(ExitCode::ok);
}

}  // namespace gravlab
