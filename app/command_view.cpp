// `gravlab view`: the window's turn of the one frame loop.
#include "app/frame_loop.h"
#include "app/open_file.h"
#include "app/options.h"
#include "app/picture.h"
#include "app/status_report.h"
#include "app/ui.h"
#include "app/window.h"
#include "sim/error.h"

#include <chrono>
#include <ctime>

namespace gravlab {
namespace {

// After an event the panels need a few frames to settle: hover, then press, then what it opens.
constexpr int kFramesAfterEvent = 4;
constexpr double kIdleWait = 0.25;        // [s] between looks at the clock when nothing moves
constexpr double kHiddenWait = 1.0 / 60;  // [s]; no display paces a window that is not shown

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Connects events for as long as it lives, which is shorter than session and panels do.
class Connection {
public:
    Connection(Window& window, Session& session, Ui& ui) : window_(window) { window_.attach(session, ui); }
    ~Connection() { window_.detach(); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

private:
    Window& window_;
};

PictureTexts describe(const Session& session) {
    const SimulationSettings& s = session.facts().settings;
    return {{"Software", "gravlab"},
            {"gravlab:scene", s.scene},
            {"gravlab:bodies", std::to_string(s.bodies)},
            {"gravlab:seed", std::to_string(s.seed)},
            {"gravlab:backend", s.backend},
            {"gravlab:kernel", s.kernel.kernel},
            {"gravlab:integrator", s.integrator},
            {"gravlab:step", std::to_string(session.facts().step)},
            {"gravlab:time", std::to_string(session.facts().time)}};
}

std::string timedName() {
    const std::time_t seconds = std::time(nullptr);
    std::tm parts{};
    localtime_r(&seconds, &parts);
    char text[64];
    std::strftime(text, sizeof text, "gravlab-%Y%m%d-%H%M%S.png", &parts);
    return text;
}

void writePicture(const std::string& path, const Window& window, const Session& session) {
    writePng(path, window.read(), window.width(), window.height(), describe(session));
}

/// F12: a failure is a message, not the end.
void takeScreenshot(const Window& window, Session& session) {
    const std::string path = timedName();
    try {
        writePicture(path, window, session);
        session.say("The picture was written to " + path + ".");
    } catch (const IoError& error) {
        session.say(error.what());
    }
}

}  // namespace

int viewCommand(const Options& asked) {
    const Options options = withFile(asked);
    Window window(options);
    Session session(options);
    Ui ui(window.uiScale(), window.description());
    ui.state.visible = options.showUi;
    ui.state.fullscreen = options.fullscreen;
    const Connection connection(window, session, ui);
    const StatusReport report;
    ui.recordItems(report.on());

    int framesOwed = kFramesAfterEvent;
    std::int64_t frame = 0;
    double last = now();
    while (!session.intent.quit && !window.closing()) {
        const bool busy = session.moving() || ui.restless() || framesOwed > 0 || options.frames > 0;
        const bool hidden = window.width() == 0 || window.height() == 0;
        if (window.handleEvents(!busy ? kIdleWait : hidden ? kHiddenWait : 0))
            framesOwed = kFramesAfterEvent;
        else if (!busy)
            continue;
        else
            --framesOwed;

        const double time = now();
        if (const std::optional<float> scale = window.takeScale()) ui.setScale(*scale);
        session.apply();
        session.advance(true);
        session.glide(time - last);
        last = time;
        session.draw(0, window.width(), window.height());
        ++frame;
        const bool lastFrame = frame == options.frames;
        if (window.width() > 0 && window.height() > 0) {
            window.beginUi();
            ui.frame(session);
            ui.draw();
            if (lastFrame && !options.screenshot.empty()) writePicture(options.screenshot, window, session);
            if (ui.state.screenshot) takeScreenshot(window, session);
            ui.state.screenshot = false;
            window.show();
        }
        window.follow(ui.state);
        report.write(session, ui, frame, window.width(), window.height());
        if (lastFrame) break;
    }
    return static_cast<int>(ExitCode::ok);
}

}  // namespace gravlab
