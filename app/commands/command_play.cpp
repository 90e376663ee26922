// `gravlab play`: a script off screen, or in a window (command_view.cpp).
// Rule: off screen, a frame is a sixtieth of a second and a fixed number of steps on every machine. A repeated script
// therefore gives the same answers.
#include "app/commands/options.h"
#include "app/commands/play.h"
#include "app/commands/wait_notice.h"
#include "app/control/controller.h"
#include "app/control/open_file.h"
#include "app/control/scene_file.h"
#include "app/frontends/headless/headless.h"
#include "app/frontends/window/beside_picture.h"
#include "app/frontends/window/lost_context.h"
#include "app/system/host_clock.h"
#include "app/system/interrupt.h"
#include "app/system/picture.h"
#include "app/ui/ui.h"
#include "app/view/base_host.h"
#include "app/view/frame.h"
#include "sim/core/error.h"
#include "sim/core/text.h"

#include <cstdio>
#include <string>
#include <utility>

namespace gravlab {
namespace {

constexpr double kLook = 0.1;  ///< [s] between checks for a signal while no line arrives

/// An app without a window that a script controls, and the host of its effects.
class Stage : public BaseHost {
public:
    Stage(App& app, OffscreenTarget& target, const HeadlessContext& context)
        : BaseHost(app), context_(context), target_(target), ui_(1, context.description(), app.document.ui) {
        ui_.state.visible = false;
    }

    /// The target of frames during a wait, where some results need a picture.
    Surfaces surfaces() const {
        const Document& d = app_.document;
        const bool shown = d.selected || d.follow || d.followedCentre || d.ahead.wanted;
        return {.framebuffer = target_.framebuffer(),
                .width = shown ? target_.width() : 0,
                .height = shown ? target_.height() : 0};
    }

    EffectResult carryOut(const Effect& effect, Ticket ticket) override {
        if (const auto* picture = std::get_if<SavePicture>(&effect)) {
            if (picture->file.empty()) return failedBecause("off screen 'do picture' needs a FILE.png");
            writePicture(picture->file);
            return {};
        }
        const auto* measure = std::get_if<Measure>(&effect);
        if (std::holds_alternative<TryKernel>(effect) ||
            (measure && (measure->what == Measure::What::sweep || measure->what == Measure::What::tune)))
            return failedBecause(
                "the lab measures in a window; off screen there are 'gravlab bench', 'gravlab tune' and 'gravlab run "
                "--kernel "
                "FILE.cu'");
        EffectResult done = BaseHost::carryOut(effect, ticket);
        if (!std::holds_alternative<FindGroups>(effect)) return done;
        // No frame follows during this effect, so the groups are found at this line's step.
        GroupFinder& finder = app_.services.groupFinder;
        finder.update(app_.document, app_.runs.simulation(), app_.runs.first().feed(), true);
        return finder.problem().empty() ? EffectResult() : failedBecause(finder.problem());
    }

private:
    /// Writes the picture of F12 where a size or panels were set; else the picture that a film of the script would show.
    void writePicture(const std::string& path) {
        const UiState& state = app_.document.ui;
        const bool own = state.pictureWidth > 0 && state.pictureHeight > 0;
        app_.draw(target_.framebuffer(), target_.width(), target_.height());
        if (own || state.picturePanels) {
            const int width = own ? state.pictureWidth : target_.width(),
                      height = own ? state.pictureHeight : target_.height();
            const std::vector<std::uint8_t> rgb =
                BesidePicture(context_.description()).pixels(app_, width, height, state.picturePanels);
            writePng(path, rgb, width, height, pictureTexts(app_.document, path));
            return;
        }
        const bool over =
            ui_.state.visible || app_.document.overlayDraws() || app_.document.fourViewed() || app_.document.selected;
        if (over) ui_.drawOver(app_, target_.width(), target_.height(), FrameClock::script().seconds);
        writePng(path, target_.read(), target_.width(), target_.height(), pictureTexts(app_.document, path));
    }

    const HeadlessContext& context_;
    OffscreenTarget& target_;
    Ui ui_;
};

}  // namespace

int playCommand(const Options& asked) {
    if (asked.play.inWindow) return viewCommand(asked);
    const InterruptWatch watch;
    Controller controller;
    Player player(asked.play.script, false, controller);
    const Options options = withFile(asked);
    const HeadlessContext context(options.simulation.backendOptions.device);
    OffscreenTarget target(options.width, options.height);
    App app(options);
    Stage stage(app, target, context);
    Frame frames(app, controller, stage);
    WaitNotice notice;
    std::int64_t frame = 0;
    const auto seconds = [&] { return static_cast<double>(frame) * FrameClock::script().seconds; };
    while (!player.ended()) {
        InterruptWatch::check();
        player.feed(app.document, stage, seconds(), kLook);
        if (const std::string text = notice.update(player.waitsAt(), player.waitsFor(), hostClock()); !text.empty())
            std::fprintf(stderr, "gravlab: %s\n", printable(text).c_str());
        if (!player.needsFrame()) continue;
        if (const std::string lost = lostContext(); !lost.empty()) throw DeviceError("the picture of the script " + lost);
        const Frame::Made made = frames.make(FrameClock::script(), stage.surfaces());
        if (!made.alarm.empty()) {
            player.abandon(made.alarm);
            throw Error(ExitCode::checkFailed, made.alarm);
        }
        ++frame;
        player.look(app.document, seconds());
    }
    return player.exitCode();
}

}  // namespace gravlab
