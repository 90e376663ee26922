// Graphics that are lost for ever: the window ends, and the run is saved.
#include "app/commands/command_view.h"
#include "app/system/host_clock.h"
#include "own_window.h"
#include "sim/api/errors.h"

#include <glad/gl.h>

#include <GLFW/glfw3.h>
#include <gmock/gmock.h>

#include <filesystem>

namespace gravlab::test {
namespace {

using testing::HasSubstr;

HostClockSource usualClock = nullptr;
int framesAsked = 0;

/// The driver's status: the first five frames are good.
GLenum statusOfALostContext() { return ++framesAsked > 5 ? GL_UNKNOWN_CONTEXT_RESET : GL_NO_ERROR; }

/// Called all the time: once there is a window, its context will be lost, and no new one can be made.
double clockThatLosesGraphics() {
    if (glfwGetCurrentContext()) {
        glad_glGetGraphicsResetStatus = statusOfALostContext;
        glfwWindowHint(GLFW_CLIENT_API, GLFW_NO_API);
    }
    return usualClock();
}

class LostWindow : public OwnWindow {
protected:
    void SetUp() override {
        OwnWindow::SetUp();
        usualClock = hostClockSource();
        framesAsked = 0;
    }
    void TearDown() override {
        hostClockSource() = usualClock;
        OwnWindow::TearDown();
    }
};

TEST_F(LostWindow, savesTheRunWhenNoneCanBeOpenedAgain) {
    if (const Reason why = fileFormat("hdf5").unavailable(); !why.empty()) GTEST_SKIP() << why;
    moveToDisplay();
    ViewCommand command;
    command.start = optionsOf("plummer", 64, 320, 240);
    static_cast<PictureOptions&>(command.window) = size_;
    command.window.frames = 20;
    command.window.noConfig = true;
    hostClockSource() = clockThatLosesGraphics;
    std::string said;
    try {
        command.run();
        ADD_FAILURE() << "the window went on";
    } catch (const NoDeviceError& error) {
        said = error.what();
    }
    const std::string before = "continue with: gravlab ";
    ASSERT_THAT(said, HasSubstr(before));
    EXPECT_THAT(said, HasSubstr("OpenGL 4.5")) << "and why it ended";
    const std::string file = said.substr(said.find(before) + before.size());
    ASSERT_TRUE(std::filesystem::exists(file)) << said;
    const Snapshot saved = readSnapshot(file);
    EXPECT_EQ(saved.bodies.size(), 64u);
    EXPECT_GE(saved.step.value_or(0), 1) << "of the present, not of the start";
}

}  // namespace
}  // namespace gravlab::test
