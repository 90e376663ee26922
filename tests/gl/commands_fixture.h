// A run off screen that commands change.
#pragma once
#include "app/control/controller.h"
#include "app/parameters/parameter.h"
#include "app/view/base_host.h"
#include "gl_fixture.h"
#include "tests/written.h"

#include <memory>
#include <string>
#include <utility>

namespace gravlab::test {

class CommandsTest : public GlTest {
protected:
    void begin(const StartOptions& options) {
        app = std::make_unique<App>(options);
        host = std::make_unique<BaseHost>(*app);
        controller = std::make_unique<Controller>();
    }
    void TearDown() override {
        app.reset();
        GlTest::TearDown();
    }
    Document& document() { return written(*app); }
    /// The first result after that command.
    Event ask(Command command) {
        controller->post(std::move(command), Sender::script);
        return controller->apply(*host).front();
    }
    void frame(bool realTime = false) {
        controller->apply(*host);
        app->advance(realTime);
        const OffscreenTarget target(64, 64);
        app->draw(target.framebuffer(), 64, 64);
    }
    Value read(const char* path) const { return parameter(path).get(app->document); }
    /// All settings, as text.
    std::string settings() {
        std::string text;
        for (const Parameter& row : parameters())
            if (!row.fact()) text += row.path + " " + valueText(row.get(document())) + "\n";
        return text;
    }

    std::unique_ptr<App> app;
    std::unique_ptr<Host> host;
    std::unique_ptr<Controller> controller;
};

}  // namespace gravlab::test
