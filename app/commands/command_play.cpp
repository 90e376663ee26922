// `gravlab play`: a script off screen, or in a window (command_view.cpp).
// Rule: off screen, a frame is a sixtieth of a second and a fixed number of steps on every machine. A repeated script
// therefore gives the same answers.
#include "app/commands/command_view.h"
#include "app/files/open_file.h"
#include "app/files/scene_file.h"
#include "app/frontends/headless/headless.h"
#include "app/frontends/headless/lost_context.h"
#include "app/frontends/headless/picture_copy.h"
#include "app/session/session.h"
#include "app/system/host_clock.h"
#include "app/system/interrupt.h"
#include "app/system/picture.h"
#include "app/system/progress.h"
#include "app/ui/ui.h"
#include "sim/api/errors.h"
#include "sim/core/text.h"

#include <optional>
#include <string>

namespace gravlab {
namespace {

constexpr double kLook = 0.1;  ///< [s] between checks for a signal while no line arrives

/// OpenGL off screen, and the size of its pictures.
struct OffscreenPicture {
    OffscreenPicture(int device, const PictureOptions& size) : context(device), target(size.width, size.height) {}
    HeadlessContext context;
    OffscreenTarget target;
};

/// The host of a script without a window.
class OffscreenHost : public BaseHost {
public:
    /// `picture`: empty until the first picture where the options say so. It must outlive the app.
    OffscreenHost(App& app, std::optional<OffscreenPicture>& picture, const PictureOptions& size)
        : BaseHost(app), picture_(picture), size_(size) {
        if (picture_) openPanels();
    }

    /// The target of frames during a wait, where some results need a picture.
    Surfaces surfaces() {
        const Document& d = app_.document;
        const bool shown = d.selected || d.follow || d.followedCentre || d.ahead.wanted;
        if (!picture_ && !shown) return {};
        OffscreenTarget& target = openPicture();
        return {
            .framebuffer = target.framebuffer(), .width = shown ? target.width() : 0, .height = shown ? target.height() : 0};
    }
    bool hasPicture() const { return picture_.has_value(); }

    bool apply(bool again) override {
        if (app_.document.intent.twin.on) openPicture();
        return BaseHost::apply(again);
    }

    EffectResult carryOut(const Effect& effect, Ticket ticket) override {
        const bool exchanges = std::holds_alternative<ShareBodies>(effect) || std::holds_alternative<TakeBodies>(effect) ||
                               std::holds_alternative<ReplaceBodies>(effect);
        const bool writes = std::holds_alternative<SaveRun>(effect) || std::holds_alternative<SaveScene>(effect);
        if (!exchanges && !writes && !std::holds_alternative<Restart>(effect) && !std::holds_alternative<Quit>(effect))
            openPicture();
        if (const auto* picture = std::get_if<SavePicture>(&effect)) {
            if (picture->file.empty()) return failedBecause("off screen 'do picture' needs a FILE.png");
            writePicture(picture->file);
            return {};
        }
        const auto* measure = std::get_if<Measure>(&effect);
        if (std::holds_alternative<TryKernel>(effect) || (measure && measure->lasts()))
            return failedBecause(
                "the lab measures in a window; off screen there are 'gravlab bench', 'gravlab tune' and 'gravlab run "
                "--kernel "
                "FILE.cu'");
        EffectResult done = BaseHost::carryOut(effect, ticket);
        if (!std::holds_alternative<FindGroups>(effect)) return done;
        // No frame follows during this effect, so the groups are found at this line's step.
        GroupFinder& finder = app_.services.groupFinder;
        app_.findGroups();
        return finder.problem().empty() ? EffectResult() : failedBecause(finder.problem());
    }

private:
    /// Opens OpenGL, and draws from then on. Trails begin here.
    OffscreenTarget& openPicture() {
        if (!picture_) {
            picture_.emplace(app_.document.intent.request.backendOptions.device, size_);
            app_.remakePicture();
            openPanels();
        }
        return picture_->target;
    }
    void openPanels() { ui_.emplace(1.0f, picture_->context.description(), app_); }

    /// Writes the picture of F12 where a size or panels were set; else the picture that a film of the script would show.
    void writePicture(const std::string& path) {
        const UiState& state = app_.document.ui;
        const bool own = state.pictureWidth > 0 && state.pictureHeight > 0;
        OffscreenTarget& target = openPicture();
        app_.draw(target.framebuffer(), target.width(), target.height());
        if (own || state.picturePanels) {
            const int width = own ? state.pictureWidth : target.width(),
                      height = own ? state.pictureHeight : target.height();
            const std::vector<std::uint8_t> rgb =
                PictureCopy(picture_->context.description()).pixels(app_, width, height, state.picturePanels);
            writePng(path, rgb, width, height, pictureTexts(app_.document, path));
            return;
        }
        const bool over =
            ui_->state.visible || app_.document.overlayDraws() || app_.document.fourViewed() || app_.document.selected;
        if (over) ui_->drawOver(app_, target.width(), target.height(), FrameClock::script().seconds);
        writePng(path, target.read(), target.width(), target.height(), pictureTexts(app_.document, path));
    }

    std::optional<OffscreenPicture>& picture_;
    const PictureOptions& size_;
    std::optional<Ui> ui_;
};

struct PlayCommand : Subcommand {
    WindowOptions window;
    bool inWindow = false;  ///< else off screen
    int shared = -1;        ///< descriptor of memory for bodies; below 0: none

    void add(OptionRows& rows) override {
        rows.word("SCRIPT", window.script, "file of commands, one a line, see docs/scripts.md; '-' is standard input")
            .required("play needs a script: gravlab play FILE, or gravlab play - for standard input");
        addInteractive(rows, window, "--window");
        rows.flag("--window", inWindow, "in a window, at the scene's own pace, instead of off screen");
        rows.whole("--share", "DESCRIPTOR", shared, 3, 1 << 20,
                   "inherited memory for the lines 'do share' and 'do take', see docs/python.md [none]");
    }
    void check() override {
        refuseToReplace({window.script}, start);
        checkStart(*this, {.quantities = !inWindow});
    }
    int run() override;
};

int PlayCommand::run() {
    if (inWindow) return runWindow(start, window);
    const InterruptWatch watch;
    std::optional<OffscreenPicture> picture;  // it outlives what is drawn in it
    Session session(window.script, false);
    Player& player = *session.player;
    start = withFile(start);
    // A client that computes may run where no OpenGL is. Other scripts find out at once that it is missing.
    start.pictureLater = shared >= 0 && !start.twin.on;
    start.settings["window.visible"] = false;  // unless a line shows panels
    start.holdRate = false;
    if (!start.pictureLater) picture.emplace(start.simulation.backendOptions.device, window);
    session.open<OffscreenHost>(start, picture, window);
    session.app->reports.files.shared = shared;
    session.app->runs.whileStepping = [&player] {
        InterruptWatch::check();
        player.requireReader();
    };
    OffscreenHost& host = static_cast<OffscreenHost&>(*session.host);
    WaitNotice notice;
    while (!player.ended()) {
        InterruptWatch::check();
        player.feed(session.app->document, host, session.scriptSeconds(), kLook);
        if (const std::string text = notice.update(player.waitsAt(), player.waitsFor(), hostClock()); !text.empty())
            notify(text);
        if (!player.needsFrame()) continue;
        player.requireReader();
        if (const std::string lost = host.hasPicture() ? lostContext() : ""; !lost.empty())
            throw DeviceError("the picture of the script " + lost);
        const Frame::Made made = session.turn(FrameClock::script(), host.surfaces());
        if (made.alarm.empty()) continue;
        player.abandon(made.alarm);
        throw Error(ExitCode::checkFailed, made.alarm);
    }
    return player.exitCode();
}

}  // namespace

constinit const CommandRow kPlayCommand{"play", "do what a script says, line by line, and answer each line in JSON",
                                        "  gravlab play lesson.txt two-body\n"
                                        "  gravlab play lesson.txt --window\n"
                                        "  echo 'get run.step' | gravlab play - two-body\n",
                                        made<PlayCommand>};

}  // namespace gravlab
