// `gravlab play`: a script off screen, or in a window (command_view.cpp).
// Rule: off screen a frame is a sixtieth of a second and a fixed number of steps, whatever the machine: a script that is
// played twice gives the same answers.
#include "app/commands/options.h"
#include "app/commands/play.h"
#include "app/commands/wait_notice.h"
#include "app/control/open_file.h"
#include "app/control/picture_texts.h"
#include "app/control/scene_file.h"
#include "app/frontends/headless/headless.h"
#include "app/frontends/window/beside_picture.h"
#include "app/frontends/window/lost_context.h"
#include "app/system/host_clock.h"
#include "app/system/interrupt.h"
#include "app/ui/ui.h"
#include "app/system/picture.h"
#include "app/services/spot_check.h"
#include "app/services/trajectory_prediction.h"
#include "app/view/workspace.h"
#include "sim/core/error.h"
#include "sim/core/text.h"
#include "sim/io/checkpoint.h"

#include <cstdio>
#include <string>
#include <utility>

namespace gravlab {
namespace {

constexpr double kFrame = 1.0 / 60;  ///< [s]
// Panels that fit themselves to their content know its size from the frame before.
constexpr int kBuilt = 3;
constexpr double kLook = 0.1;  ///< [s] between looks for a signal while no line comes

/// A workspace without a window that a script drives.
class Stage {
public:
    explicit Stage(const Options& options)
        : context_(options.simulation.backendOptions.device),
          target_(options.width, options.height),
          workspace_(options),
          ui_(1, context_.description(), workspace_.ui) {
        ui_.state.visible = false;
    }

    Workspace& workspace() { return workspace_; }
    double seconds() const { return static_cast<double>(frames_) * kFrame; }

    /// A frame for a wait: the steps, the camera, and what only a picture can tell.
    void frame() {
        if (const std::string lost = lostContext(); !lost.empty()) throw DeviceError("the picture of the script " + lost);
        workspace_.advance(false);
        // The check of the forces comes when the device is done; a script must not see how long that takes.
        if (!workspace_.facts.check) workspace_.host.settle();
        alarm_ = spotCheck_.update(workspace_.host.simulation());
        workspace_.turn(kFrame);
        const bool shown = workspace_.selected || workspace_.follow || workspace_.followedCentre || workspace_.ahead.wanted;
        workspace_.draw(target_.framebuffer(), shown ? target_.width() : 0, shown ? target_.height() : 0);
        ++frames_;
    }

    /// What the check of the forces has to say of the last frame.
    const std::string& alarm() const { return alarm_; }

    /// Writes what a command has asked for; gives why not.
    std::string serve() {
        try {
            UiState& ui = workspace_.ui;
            if (std::exchange(ui.files.saveAsked, false)) return "off screen 'do save' needs a FILE";
            if (const std::string path = std::exchange(ui.files.saveAs, {}); !path.empty())
                writeSnapshot(path, checkpointOf(workspace_.host.simulation()), {.keepPrevious = true});
            if (std::exchange(ui.saveScene, false)) {
                if (ui.sceneName.empty()) return "off screen 'do save-scene' needs a FILE.toml";
                writeSceneFile(std::exchange(ui.sceneName, {}), workspace_);
            }
            if (std::exchange(ui.screenshot, false)) {
                if (ui.pictureName.empty()) return "off screen 'do picture' needs a FILE.png";
                writePicture(std::exchange(ui.pictureName, {}));
            }
            if (!ui.files.openAsked.empty()) reopen(ui.files);
            if (std::exchange(ui.film.toggle, false))
                return "films are recorded in a window; 'gravlab render' makes them off screen";
        } catch (const DeviceError&) {
            throw;
        } catch (const Error& error) {
            return error.what();
        }
        return {};
    }

private:
    /// The file of the bodies on screen again, in the units that were said.
    void reopen(FilesState& files) {
        const StartFile last = workspace_.facts.configuration.start->file;
        const ReadOptions read{
            .columns = last.columns, .sanitize = last.sanitize, .units = std::exchange(files.openUnits, {})};
        if (!takeStart(workspace_, openStart(std::exchange(files.openAsked, {}), read), [&] { return workspace_.apply(); }))
            throw UsageError(workspace_.message);
    }

    /// As F12 writes it where a size or panels were asked for; else what a film of the script would show.
    void writePicture(const std::string& path) {
        const UiState& state = workspace_.ui;
        const bool own = state.pictureWidth > 0 && state.pictureHeight > 0;
        workspace_.draw(target_.framebuffer(), target_.width(), target_.height());
        if (own || state.picturePanels) {
            OffscreenTarget target(own ? state.pictureWidth : target_.width(), own ? state.pictureHeight : target_.height());
            BesidePicture beside(target, context_.description());
            for (int built = 0; built < (state.picturePanels ? kBuilt : 1); ++built)
                beside.draw(workspace_, state.picturePanels, kFrame);
            writePng(path, target.read(), target.width(), target.height(), pictureTexts(workspace_, path));
            return;
        }
        const bool over = ui_.state.visible || workspace_.overlayDraws() || workspace_.fourViewed() || workspace_.selected;
        for (int built = 0; over && built < kBuilt; ++built) {
            ui_.setSurface(target_.width(), target_.height(), kFrame);
            ui_.frame(workspace_);
        }
        if (over) ui_.draw();
        writePng(path, target_.read(), target_.width(), target_.height(), pictureTexts(workspace_, path));
    }

    HeadlessContext context_;
    OffscreenTarget target_;
    Workspace workspace_;
    Ui ui_;
    SpotCheck spotCheck_;
    std::string alarm_;
    std::int64_t frames_ = 0;
};

}  // namespace

int playCommand(const Options& asked) {
    if (asked.inWindow) return viewCommand(asked);
    const InterruptWatch watch;
    Player player(asked.script, false);
    Stage stage(withFile(asked));
    Workspace& workspace = stage.workspace();
    WaitNotice notice;
    while (!player.ended()) {
        InterruptWatch::check();
        player.feed(workspace, stage.seconds(), kLook, [&] { return stage.serve(); });
        if (const std::string text = notice.update(player.waitsAt(), player.waitsFor(), hostClock()); !text.empty())
            std::fprintf(stderr, "gravlab: %s\n", printable(text).c_str());
        if (!player.needsFrame()) continue;
        const std::vector<Event> events = workspace.apply(player.controller());
        stage.frame();
        if (!stage.alarm().empty()) {
            player.abandon(stage.alarm());
            throw Error(ExitCode::checkFailed, stage.alarm());
        }
        player.look(workspace, events, stage.seconds());
    }
    return player.exitCode();
}

}  // namespace gravlab
