// A window of this process with its app and panels, for what the status file does not say. Rule: one turn of the frame
// loop after another, as the program makes them; events come from the display or through GLFW's own callbacks.
#pragma once
#include "app/control/controller.h"
#include "app/frontends/window/window.h"
#include "app/session/screen_host.h"
#include "app/ui/ui.h"
#include "app/view/frame.h"
#include "gui_fixture.h"

#include <functional>
#include <list>

namespace gravlab::test {

class OwnWindow : public GuiTest {
protected:
    void TearDown() override {
        host_.reset();
        files_.reset();
        if (window_) window_->detach();
        ui_.reset();
        app_.reset();
        window_.reset();
        environment_.clear();
        GuiTest::TearDown();
    }
    /// Windows of this process open on the test's display and do not touch the user's files.
    void moveToDisplay() {
        environment_.emplace_back("DISPLAY", display->name());
        environment_.emplace_back("WAYLAND_DISPLAY", std::nullopt);
        environment_.emplace_back("XDG_CONFIG_HOME", folder / "config");
        environment_.emplace_back("XDG_STATE_HOME", folder / "state");
    }
    StartOptions optionsOf(const char* scene, std::size_t bodies, int width, int height) {
        StartOptions options{.simulation = {.scene = scene, .bodies = bodies, .backend = "cpu"}};
        size_.width = width;
        size_.height = height;
        return options;
    }
    void openHere(const StartOptions& options) {
        moveToDisplay();
        window_ = std::make_unique<Window>(size_);
        app_ = std::make_unique<App>(options);
        ui_ = std::make_unique<Ui>(1.0f, window_->description(), *app_);
        window_->attach(*app_, *ui_, controller_);
        files_ = std::make_unique<SessionFiles>(*app_, 0);
        screen_.renderer = window_->description();
        host_ = std::make_unique<ScreenHost>(*app_, parts());
    }
    ScreenHost::Parts parts() { return {*ui_, *files_, recorder_, lessons_, screen_, refuses_}; }
    /// Runs one iteration of the frame loop. `keys` may press keys after the files that were read are taken, so that the
    /// test knows which of the two comes first.
    bool frame(const std::function<void()>& keys = {}) {
        window_->handleEvents(0);
        screen_.width = window_->width();
        screen_.height = window_->height();
        const bool news = files_->update();
        if (keys) keys();
        const auto drawPanels = [this] {
            window_->beginUi();
            ui_->frame(*app_, [this](std::vector<Command> batch) { controller_.post(std::move(batch), Sender::panel); });
            ui_->draw();
        };
        Frame(*app_, controller_, *host_)
            .make(FrameClock::window(0.02),
                  {.width = window_->width(), .height = window_->height(), .panels = drawPanels, .present = [this] {
                       window_->show();
                   }});
        return news;
    }

    PictureOptions size_;
    std::unique_ptr<Window> window_;
    std::unique_ptr<App> app_;
    std::unique_ptr<Ui> ui_;
    std::unique_ptr<SessionFiles> files_;
    Controller controller_;
    Recorder recorder_;
    LessonRunner lessons_{controller_};
    Screen screen_;
    std::function<Reason(const Effect&)> refuses_ = [](const Effect&) { return Reason(); };
    std::unique_ptr<ScreenHost> host_;
    std::list<EnvironmentVariable> environment_;
};

}  // namespace gravlab::test
