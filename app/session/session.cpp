#include "app/session/session.h"

#include "app/system/host_clock.h"
#include "app/system/interrupt.h"
#include "app/system/progress.h"
#include "sim/api/errors.h"

#include <cstddef>

namespace gravlab {
namespace {

// After an event, the panels need a few frames to settle: hover, then press, then the opened list.
constexpr int kTurnsAfterEvent = 4;
constexpr double kIdleWait = 0.25;    // [s] between checks of the clock when nothing moves
constexpr double kScriptWait = 0.02;  // [s] between checks for a line of a script when nothing moves
constexpr double kLastCheck = 1;      // [s]; a script's window ends within two seconds of its last line

}  // namespace

Session::Session(const std::string& script, bool clock) {
    if (!script.empty()) player = std::make_unique<Player>(script, clock, controller);
}

Session::~Session() = default;

void Session::openOnScreen(const StartOptions& options, float scale, double autosaveSeconds) {
    app = std::make_unique<App>(options);
    ui = std::make_unique<Ui>(scale, screen.renderer, *app);
    if (options.rewindMegabytes > 0) app->runs.keepHistory(static_cast<std::size_t>(options.rewindMegabytes) << 20);
    for (const std::string& note : config ? config->notes() : std::vector<std::string>()) {
        notify(note);
        app->reports.news.warn(note + (config->notes().size() > 1 ? "; more of it in the terminal." : "."));
    }
    files = std::make_unique<SessionFiles>(*app, autosaveSeconds);
    recorder = std::make_unique<Recorder>();
    lessons = std::make_unique<LessonRunner>(controller);
    LessonRunner::offer(app->reports.lesson);
    host = std::make_unique<ScreenHost>(*app, ScreenHost::Parts{*ui, *files, *recorder, *lessons, screen, refuses});
    frames_ = std::make_unique<Frame>(*app, controller, *host);
    owed_ = kTurnsAfterEvent;
    lookedAt_ = hostClock();
}

void Session::teach(std::shared_ptr<const Lesson> lesson, bool canonical) {
    if (!lessons) lessons = std::make_unique<LessonRunner>(controller, canonical);
    lessons->open(app->document, app->reports.lesson, std::move(lesson));
}

bool Session::ends() const {
    if (player && player->finishes()) return false;
    return host->quits() || (player && player->ended());
}

bool Session::needsPicture() const {
    return app->document.messageLight() < 1 || ui->restless() || recorder->needsFrame() || owed_ > 0 ||
           lessons->needsFrame();
}

bool Session::needsTurn() const {
    return needsPicture() || app->moving() || controller.posted() || (player && player->needsFrame());
}

double Session::patience() const { return player ? kScriptWait : kIdleWait; }

bool Session::look(bool busy, bool events) {
    const double now = hostClock();
    if (config && !player && config->due(now))
        if (const std::string text = config->update(app->document, place(), now); !text.empty())
            app->reports.news.warn(text);
    const bool fades = app->reports.news.fadeMessage(now - std::exchange(lookedAt_, now));
    if (player) {
        const bool before = player->needsFrame();
        player->feed(app->document, *host, now, 0);
        if (before != player->needsFrame()) owed_ = kTurnsAfterEvent;
    }
    if (files->update() || events)
        owed_ = kTurnsAfterEvent;
    else if (fades)
        owed_ = 1;
    else if (!busy)
        return false;
    else
        --owed_;
    return true;
}

Frame::Made Session::turn(const FrameClock& clock, Surfaces to) {
    const bool realTime = clock.steps == FrameClock::Steps::realTime;
    to.afterCommands = [&] {
        if (player && realTime) player->look(app->document, hostClock());
        if (lessons && lessons->update(app->document, app->reports.lesson, *host, hostClock())) owed_ = kTurnsAfterEvent;
        if (recorder) recorder->prepare(*app);
    };
    if (recorder) to.cameraSeconds = [&] { return recorder->pace(clock.seconds); };
    Frame::Made made = frames_->make(clock, to);
    if (!made.alarm.empty()) return made;
    ++turns_;
    if (player && !realTime) player->look(app->document, scriptSeconds());
    if (recorder && made.drawn) recorder->update(*app);
    return made;
}

void Session::dropPicture() {
    recorder->dropPicture();
    ui->dropPicture();
    app->dropPicture();
}

void Session::remakePicture(const std::string& why) {
    app->remakePicture();
    ui->remakePicture(screen.renderer);
    app->reports.news.warn("The picture was made anew, because " + why + "; the run continues unchanged.");
    owed_ = kTurnsAfterEvent;
}

void Session::remember() {
    if (config && !player) config->close(app->document, place());
}

int Session::close() {
    notify(recorder->close());
    remember();
    if (const int signal = InterruptWatch::signal(); signal != 0)
        throw Error(static_cast<ExitCode>(128 + signal), std::string(InterruptWatch::word()) + ". " + files->leave());
    const std::string lost = files->close();
    if (player) {
        player->abandon("the window was closed");
        if (!files->requireSoundForces(kLastCheck))
            notify(
                "the window ended before the check of its forces; 'wait run.check != pending' in the script waits for it");
    }
    if (!lost.empty()) throw IoError(lost);
    return player ? player->exitCode() : static_cast<int>(ExitCode::ok);
}

}  // namespace gravlab
