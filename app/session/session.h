// An open document with all that acts on it: commands, script, lessons, files, films and remembered settings.
// Rule: it knows no window system. A window, a script off screen and a check of lessons call turn() once a frame.
#pragma once
#include "app/control/controller.h"
#include "app/files/config.h"
#include "app/lessons/lesson_runner.h"
#include "app/session/player.h"
#include "app/session/recorder.h"
#include "app/session/screen_host.h"
#include "app/session/session_files.h"
#include "app/ui/ui.h"
#include "app/view/app.h"
#include "app/view/base_host.h"
#include "app/view/frame.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace gravlab {

class Session {
public:
    /// `script`: a file, "-" for standard input; empty: none. `clock`: whether it sees the clock of the machine. Throws
    /// InputError.
    explicit Session(const std::string& script = {}, bool clock = true);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    /// Begins the run, whose effects a Host carries out, which is made of the app and these arguments. See App.
    template <class OfHost, class... Arguments>
    void open(const StartOptions& options, Arguments&&... arguments) {
        app = std::make_unique<App>(options);
        host = std::make_unique<OfHost>(*app, std::forward<Arguments>(arguments)...);
        frames_ = std::make_unique<Frame>(*app, controller, *host);
    }
    /// Begins the run for somebody who watches `screen`: with panels of that scale, history, films and files.
    /// `autosaveSeconds`: see SessionFiles.
    void openOnScreen(const StartOptions& options, float scale, double autosaveSeconds);
    /// Opens a lesson. `canonical`: see LessonRunner.
    void teach(std::shared_ptr<const Lesson> lesson, bool canonical = false);

    /// Whether the program ends: the script has ended, or a command has ended the session. An effect that a script did not
    /// wait for still gets its answer.
    bool ends() const;
    /// Whether something waits for a picture, whatever the run does.
    bool needsPicture() const;
    /// Whether a turn is due: the same, or the run moves, or commands wait.
    bool needsTurn() const;
    /// Longest wait for an event of the frontend while nothing needs a turn [s].
    double patience() const;
    /// Takes what has come between two turns: lines of the script, files, settings to remember. `busy`: a turn is needed,
    /// `events`: the frontend has events. Returns whether to make a turn.
    bool look(bool busy, bool events);
    /// One turn: commands with their effects, steps, picture. `to` has no afterCommands and no cameraSeconds. A script off
    /// screen sees the time of its frames.
    Frame::Made turn(const FrameClock& clock, Surfaces to);
    /// Time of a script off screen [s].
    double scriptSeconds() const { return static_cast<double>(turns_) * FrameClock::script().seconds; }

    /// Releases all OpenGL objects while their context, which is lost, is still current; then only remakePicture() may
    /// follow, with the new context in `screen`, and why.
    void dropPicture();
    void remakePicture(const std::string& why);

    /// Writes the settings to remember; those of a script hold for this session alone.
    void remember();
    /// Ends a session on a screen: film, files, script. Returns the exit code. Throws Error: a signal has ended it, with
    /// where the run was saved; or a file could not be written.
    int close();

    Screen screen;  ///< set by the frontend before look()
    Controller controller;
    std::unique_ptr<Player> player;        ///< null: no script
    std::unique_ptr<ConfigKeeper> config;  ///< null: nothing is known of earlier sessions
    std::function<WindowPlace()> place;    ///< of the window, to be remembered
    /// Why an effect is not for the people at the screen; empty: it is. Set it before openOnScreen().
    std::function<Reason(const Effect&)> refuses = [](const Effect&) { return Reason(); };
    std::unique_ptr<App> app;
    std::unique_ptr<Ui> ui;
    std::unique_ptr<LessonRunner> lessons;
    std::unique_ptr<SessionFiles> files;
    std::unique_ptr<Recorder> recorder;
    std::unique_ptr<BaseHost> host;

private:
    std::unique_ptr<Frame> frames_;
    std::int64_t turns_ = 0;
    int owed_ = 0;         ///< turns that an event still needs
    double lookedAt_ = 0;  ///< host clock [s]
};

}  // namespace gravlab
