// `gravlab view`: a session in a window.
#include "app/commands/command_view.h"
#include "app/bench/own_trial.h"
#include "app/files/open_file.h"
#include "app/files/scene_file.h"
#include "app/frontends/headless/lost_context.h"
#include "app/frontends/window/status_report.h"
#include "app/frontends/window/window.h"
#include "app/lessons/lesson_file.h"
#include "app/services/telemetry.h"
#include "app/session/session.h"
#include "app/system/host_clock.h"
#include "app/system/interrupt.h"
#include "app/system/picture.h"
#include "app/system/progress.h"
#include "app/tables/format.h"
#include "sim/api/errors.h"
#include "sim/core/work_watch.h"
#include "sim/io/file/atomic_file.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>

namespace gravlab {
namespace {

constexpr double kAutosaveSeconds = 60;   // [s]; a class can afford to lose this much work
constexpr double kHiddenWait = 1.0 / 60;  // [s]; no display paces a hidden window

/// Connects events during its lifetime, which is shorter than that of document and panels.
class Connection {
public:
    Connection(Window& window, Session& session) : window_(window) {
        window_.attach(*session.app, *session.ui, session.controller);
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
void reopenWindow(Window& window, Session& session, const std::string& why) {
    session.dropPicture();
    window.detach();
    try {
        window.remake();
        session.screen.renderer = window.description();
        session.remakePicture(why);
    } catch (const DeviceError&) {
        throw;  // the simulation's state is lost, too
    } catch (const std::runtime_error& error) {
        throw NoDeviceError(std::string(error.what()) + ". " + session.files->leave());
    }
    window.attach(*session.app, *session.ui, session.controller);
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

/// Shows the states of further files after that of the run, which has the first one.
void replaySeries(App& app, const StartOptions& start, const std::vector<std::string>& files) {
    std::vector<std::string> others = files;  // a file of a snapshot in several files was read with the first of them
    std::erase_if(others, [](const std::string& file) { return !readAs(file).empty(); });
    const std::size_t all = others.size() + 1, kept = app.runs.replay(all, [&](std::size_t i) {
        return i == 0 ? app.runs.simulation().state() : openStart(others[i - 1], start.read).request.start->state;
    });
    if (kept < all)
        app.reports.news.warn(
            formatted("%zu of %zu snapshots are shown, ", kept, all) +
            (kept < History::kMostMarks ? "as many as --rewind-memory MB holds." : "the most of a timeline."));
}

/// Runs the turns of a window until the user closes it or a signal arrives.
void runFrames(const WindowOptions& options, Window& window, Session& session) {
    const StatusReport report;
    FrameTimes times;
    App& app = *session.app;
    Ui& ui = *session.ui;
    ui.recordItems(report.on());
    std::int64_t frame = 0;
    double last = hostClock(), rest = 0;  // host clock; time before the next frame [s]
    std::tuple<bool, float, bool> letters{false, 1, false};
    bool rests = false, leaving = false;
    const auto leaves = [&] { return window.closing() || InterruptWatch::signal() != 0 || session.ends(); };
    const auto needsFrame = [&] { return window.needsFrame() || options.frames > 0 || session.needsPicture(); };
    const auto write = [&] { report.write(app, ui, frame, window.width(), window.height(), rests); };
    // With --screenshot, one more frame is drawn before the window closes.
    while (!(leaving = leaves()) || !options.screenshot.empty()) {
        const bool busy = leaving || needsFrame() || session.needsTurn(),
                   hidden = window.width() == 0 || window.height() == 0;
        const double pause = std::exchange(rest, 0);
        const bool events = window.handleEvents(!busy ? session.patience() : hidden ? kHiddenWait : pause);
        if (const std::string lost = lostContext(); !lost.empty()) reopenWindow(window, session, lost);
        session.screen = {0, window.width(), window.height(), window.description()};
        if (!leaving && !session.look(busy, events)) {
            if (!std::exchange(rests, true)) {
                app.services.telemetry.rest();
                write();
            }
            continue;
        }
        const std::optional<float> scale = window.takeScale();
        constexpr float kWide = 1600;  // pixels at scale 1, from which letters are 15 pixels high
        const bool wide = static_cast<float>(window.width()) >= kWide * window.uiScale() && !ui.state.projector;
        const std::tuple<bool, float, bool> wanted{ui.state.projector, ui.state.textScale, wide};
        if (std::exchange(letters, wanted) != wanted || scale) {
            constexpr float kProjector = 1.5f;
            ui.setScale(window.uiScale() * ui.state.textScale * (ui.state.projector ? kProjector : wide ? 15.0f / 14 : 1));
        }
        const double time = hostClock(), passed = time - std::exchange(last, time);
        window.holdKeys(passed);
        const bool lastFrame = leaving || frame + 1 == options.frames;
        const auto drawPanels = [&] {
            window.beginUi();
            ui.frame(app, [&](std::vector<Command> batch) { session.controller.post(std::move(batch), Sender::panel); });
            ui.draw();
            if (lastFrame && !leaving) session.files->requireSoundForces();
            if (lastFrame && !options.screenshot.empty()) writePicture(options.screenshot, window, app.document);
        };
        const Frame::Made made =
            session.turn(FrameClock::window(passed), {.width = window.width(),
                                                      .height = window.height(),
                                                      // A picture may take seconds, and no one would see it.
                                                      .shouldStop = [&] { return leaves() && options.screenshot.empty(); },
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
        write();
        if (options.frames == 0) rest = app.idleSeconds(made.seconds);
        if (options.frames > 0) times.add(hostClock() - time);
        if (lastFrame) break;
    }
    if (const std::string text = times.text(); options.frames > 0 && !text.empty())
        notify(formatted("frames of %d x %d: %s", window.width(), window.height(), text.c_str()));
}

}  // namespace

int runWindow(const StartOptions& given, const WindowOptions& options) {
    const InterruptWatch watch;
    const auto lesson = options.lesson.empty() ? nullptr : lessonNamed(options.lesson);
    Remembered memory{given, {}, {}};
    // A window with a limited number of frames is a test or a picture; a window with a script looks as a user has it.
    const bool plays = !options.script.empty();
    const bool watched = options.frames == 0;
    memory.options.simulation.farField = watched;
    auto config = std::make_unique<ConfigKeeper>(watched && !options.noConfig, memory);
    if (memory.options.settings.erase("run.exact_forces") > 0) memory.options.simulation.farField = false;
    std::unique_ptr<Window> opened;  // it outlives what is drawn in it
    Session session(options.script);
    StartOptions start = withFile(memory.options);
    start.watched = watched;
    start.still = !options.screenshot.empty();
    adoptKernelFile(start.simulation);
    start.sceneTrails = true;
    start.settings.try_emplace("overlay.shown", std::string("scale,clock,labels"));
    start.settings.try_emplace("window.timeline", start.rewindMegabytes > 0);
    // A named lesson is a guide already, and a session that is not remembered would show the welcome card every time.
    if (config->first() && !lesson && !plays) start.settings.try_emplace("window.welcome", true);
    opened = std::make_unique<Window>(options);
    Window& window = *opened;
    window.moveTo(memory.place);
    const WaitBar waits(window);
    session.config = std::move(config);
    session.place = [&window] { return window.place(); };
    session.screen.renderer = window.description();
    // No user can lose work when a window ends by itself.
    const double usual = options.frames > 0 || plays ? 0 : kAutosaveSeconds;
    session.openOnScreen(start, window.uiScale(), options.autosaveSeconds >= 0 ? options.autosaveSeconds : usual);
    if (!options.series.empty()) replaySeries(*session.app, start, options.series);
    const Connection connection(window, session);
    const LostDisplayWatch display([&] {
        session.remember();
        return session.files->leave();
    });
    if (lesson) session.teach(lesson);
    try {
        runFrames(options, window, session);
    } catch (const Error& error) {
        session.remember();
        if (error.code() != ExitCode::deviceFailure) throw;
        const std::string kept = session.files->rescue();
        throw DeviceError(error.what() + (kept.empty() ? std::string() : ". " + kept));
    }
    return session.close();
}

void addInteractive(OptionRows& rows, WindowOptions& window, const std::string& needs) {
    addSceneOrFile(rows, "collision");
    addBonds(rows);
    addRun(rows);
    addTwin(rows, true);
    addPicture(rows, window, true, needs);
    const auto tie = [&](OptionRows::Row row) {
        if (!needs.empty()) row.needs(needs);
    };
    tie(rows.flag("--no-config", window.noConfig,
                  "neither read nor write what the window remembers: $XDG_CONFIG_HOME/gravlab/config.toml"));
    tie(rows.output("--screenshot", "FILE", window.screenshot, "write a PNG of the last frame"));
}

void ViewCommand::add(OptionRows& rows) {
    addInteractive(rows, window);
    rows.words("FILES", window.series, "further snapshots of the same bodies: all are shown one after the other");
    addFrames(rows, window);
    rows.read("--autosave", "SECONDS", window.autosaveSeconds, parseNonNegative,
              "save the run that often, to be offered after a crash; 0 is off [60; off with --frames]");
    rows.whole("--rewind-memory", "MB", start.rewindMegabytes, 0, 1 << 24, "for states to go back to; 0 keeps none [256]");
    rows.text("--lesson", "NAME", window.lesson,
              "begin a lesson, see 'gravlab list lessons', or a FILE.toml with one, see docs/lessons.md");
}

void ViewCommand::check() {
    refuseToReplace({window.lesson}, start);
    // The window reads its scene from its configuration, so units are known later.
    checkStart(*this, {.quantities = false, .ownKernels = true});
    for (const std::string& file : window.series)
        if (start.file.empty() || isSceneFile(start.file) || !meansFile(file))
            throw UsageError("unexpected argument '" + file + "'; 'gravlab view --help' shows what it takes");
    if (!window.series.empty() && start.rewindMegabytes == 0)
        throw UsageError("several snapshots need memory: leave out --rewind-memory 0");
}

int ViewCommand::run() { return runWindow(start, window); }

constinit const CommandRow kViewCommand{
    "view", "open the window (the default command)",
    "  gravlab                              the default scene, at a size that suits this machine\n"
    "  gravlab disc -n 64k --block 256      a disc of 65,536 bodies, 256 threads a block\n"
    "  gravlab picture.png                  the scene of a picture again; a scene file (.toml) likewise\n"
    "  gravlab plummer --backend cpu        the same window, computed on the CPU\n"
    "  gravlab two-body --twin integrator=euler     two runs of one start, side by side\n"
    "  gravlab run.hdf5                     continues from a file\n"
    "  gravlab view snap_*.hdf5             shows a series, one file after the other; Ctrl Left and Ctrl Right step\n"
    "  gravlab stars.csv --units cluster    bodies from a table in pc, km/s and solar masses\n",
    made<ViewCommand>, true};

}  // namespace gravlab
