// Dropping a body by an arrow, with real keys and mouse in a window of this process: its position, its speed, and what
// removes the arrow.
#include "app/tables/drop.h"
#include "own_window.h"
#include "tests/written.h"

#include <glm/geometric.hpp>
#include <glm/mat4x4.hpp>
#include <glm/vec4.hpp>

#include <chrono>
#include <cmath>
#include <fstream>

namespace gravlab::test {
namespace {

using namespace std::chrono_literals;

constexpr int kWidth = 640, kHeight = 480;

class ArrowWindow : public OwnWindow {
protected:
    void SetUp() override {
        OwnWindow::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        openHere(optionsOf("two-body", 0, kWidth, kHeight));
        written(*app_).ui.visible = false;  // the picture fills the window
        written(*app_).intent.paused = true;
        Process search({"xdotool", "search", "--sync", "--onlyvisible", "--name", "^gravlab$"},
                       {{"DISPLAY", display->name()}}, folder / "window");
        EXPECT_TRUE(until([&] { return search.wait(0ms) != -1; }));
        std::ifstream(folder / "window") >> window;
        ASSERT_FALSE(window.empty()) << "xdotool does not find the window";
        send({"windowfocus", "--sync", window});
        send({"mousemove", "--window", window, "100", "100"});
        // A known pointer means that the first events have arrived.
        ASSERT_TRUE(until([&] { return !ui_->wantsMouse(); }));
    }
    /// Runs frames until the condition holds; false when it never does.
    bool until(const std::function<bool()>& met) {
        for (const auto end = std::chrono::steady_clock::now() + 20s; !met(); frame())
            if (std::chrono::steady_clock::now() > end) return false;
        return true;
    }
    /// Sends events to the display, in this order.
    void send(Arguments arguments) {
        arguments.insert(arguments.begin(), "xdotool");
        Process run(arguments, {{"DISPLAY", display->name()}}, folder / "xdotool.log");
        EXPECT_TRUE(until([&] { return !run.running(); }));
        EXPECT_EQ(run.wait(0ms), 0);
    }
    /// Waits until everything sent has been processed: it arrives in order.
    void settle() {
        for (int i = 0; i < 3; ++i) frame();
    }
    bool dragging() const { return app_->document.drop.dragging(); }
    /// Presses the button and draws an arrow, which stays held.
    void beginArrow() {
        send({"mousemove", "--window", window, "200", "150", "mousedown", "1"});
        ASSERT_TRUE(until([&] { return dragging(); }));
        send({"mousemove", "--window", window, "260", "190", "mousemove", "--window", window, "320", "150"});
        ASSERT_TRUE(until([&] { return glm::length(app_->document.drop.pending().velocity) > 0; }));
        settle();
    }
    ParticleSet bodies() { return app_->runs.simulation().bodies(); }
};

TEST_F(ArrowWindow, dropsABodyOfItsVelocityWhereTheButtonWentDown) {
    send({"key", "ctrl+i"});
    ASSERT_TRUE(until([&] { return app_->document.drop.on; }));
    const std::size_t before = bodies().size();
    beginArrow();
    EXPECT_EQ(bodies().size(), before) << "nothing is dropped on the way";
    send({"mouseup", "1"});
    ASSERT_TRUE(until([&] { return bodies().size() == before + 1; }));
    EXPECT_FALSE(dragging());
    const Double4 x = bodies().position.back(), v = bodies().velocity.back();
    const glm::mat4 view = app_->document.drawnCamera().view();
    const glm::vec4 clip = app_->document.drawnCamera().projection(static_cast<float>(kWidth) / kHeight) * view *
                           glm::vec4(static_cast<float>(x.x), static_cast<float>(x.y), static_cast<float>(x.z), 1);
    EXPECT_NEAR((0.5f + 0.5f * clip.x / clip.w) * kWidth, 200, 1.5);
    EXPECT_NEAR((0.5f - 0.5f * clip.y / clip.w) * kHeight, 150, 1.5);
    // A quarter of the height, to the right: the speed of the scene.
    const glm::vec4 seen = view * glm::vec4(static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z), 0);
    const double speed = app_->document.facts.scene->view.speedScale;
    EXPECT_NEAR(static_cast<double>(seen.x), speed, 0.03 * speed);
    EXPECT_NEAR(static_cast<double>(seen.y), 0, 0.03 * speed);
    EXPECT_NEAR(static_cast<double>(seen.z), 0, 0.03 * speed);
}

TEST_F(ArrowWindow, isTakenBackByEscapeAndByLosingTheKeys) {
    send({"key", "ctrl+i"});
    ASSERT_TRUE(until([&] { return app_->document.drop.on; }));
    const std::size_t before = bodies().size();
    beginArrow();
    send({"key", "Escape"});
    ASSERT_TRUE(until([&] { return !dragging(); }));
    send({"mouseup", "1"});
    settle();
    EXPECT_EQ(bodies().size(), before);
    EXPECT_TRUE(app_->document.drop.on) << "the arrow goes, the tool stays";

    // A focus change to another window counts as a release of the button, although the user did not release it.
    beginArrow();
    send({"windowunmap", "--sync", window});
    ASSERT_TRUE(until([&] { return !dragging(); }));
    settle();
    EXPECT_EQ(bodies().size(), before);
    send({"mouseup", "1", "windowmap", "--sync", window, "windowfocus", "--sync", window});
    settle();
    EXPECT_EQ(bodies().size(), before);

    // The tool is still active.
    beginArrow();
    send({"mouseup", "1"});
    EXPECT_TRUE(until([&] { return bodies().size() == before + 1; }));
}

TEST_F(ArrowWindow, aDragFromTheSelectedBodyPullsItAndUndoTakesThatBack) {
    const auto pixelOf = [&](const Double4& x) {
        const glm::vec4 clip = app_->document.drawnCamera().projection(static_cast<float>(kWidth) / kHeight) *
                               app_->document.drawnCamera().view() *
                               glm::vec4(static_cast<float>(x.x), static_cast<float>(x.y), static_cast<float>(x.z), 1);
        return glm::vec2((0.5f + 0.5f * clip.x / clip.w) * kWidth, (0.5f - 0.5f * clip.y / clip.w) * kHeight);
    };
    written(*app_).select(1);
    ASSERT_TRUE(until([&] { return app_->document.selected && app_->document.selected->placed; }));
    settle();
    const ParticleSet before = bodies();
    const glm::vec2 from = pixelOf(before.position[1]), to = from + glm::vec2(from.x < kWidth / 2.0f ? 120 : -120, 60);
    const auto text = [](float pixels) { return std::to_string(static_cast<int>(std::lround(pixels))); };
    send({"mousemove", "--window", window, text(from.x), text(from.y), "mousedown", "1"});
    settle();
    EXPECT_FALSE(app_->document.pull.on()) << "a press is no drag";
    send({"mousemove", "--window", window, text(to.x), text(to.y)});
    ASSERT_TRUE(until([&] { return app_->document.pull.on(); }));
    EXPECT_EQ(bodies().velocity[1].x, before.velocity[1].x) << "the run is paused";
    written(*app_).intent.paused = false;
    // The other body pulls, too, so the spring holds this one near the pointer.
    EXPECT_TRUE(until([&] { return glm::length(pixelOf(bodies().position[1]) - to) < 40; }));
    send({"mouseup", "1"});
    ASSERT_TRUE(until([&] { return !app_->document.pull.on(); }));
    written(*app_).intent.paused = true;
    send({"key", "ctrl+z"});
    ASSERT_TRUE(until([&] { return bodies().position[1].x == before.position[1].x; }));
    EXPECT_EQ(bodies().velocity[1].y, before.velocity[1].y);
}

}  // namespace
}  // namespace gravlab::test
