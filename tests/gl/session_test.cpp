// A session turns without a window: script, files, pictures and panels on a framebuffer of its own.
#include "app/session/session.h"
#include "app/system/picture.h"
#include "gl_fixture.h"
#include "tests/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

namespace gravlab {
namespace {

using testing::HasSubstr;

class SessionTest : public test::GlTest {
protected:
    static constexpr int kWidth = 160, kHeight = 90;

    void SetUp() override {
        GlTest::SetUp();
        folder_ = std::filesystem::path(testing::TempDir()) / ("session_" + std::to_string(getpid()));
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override {
        std::filesystem::remove_all(folder_);
        GlTest::TearDown();
    }
    std::string at(const char* name) const { return (folder_ / name).string(); }
    /// Turns until the script has ended, and returns its answers.
    std::string play(const std::string& script) {
        put(at("script"), script);
        StartOptions options{.simulation = {.scene = "plummer", .bodies = 100, .backend = "cpu"}};
        const OffscreenTarget target(kWidth, kHeight);
        Session session(at("script"));
        session.screen = {target.framebuffer(), kWidth, kHeight, context_->description()};
        session.openOnScreen(options, 1, 0);
        const auto drawPanels = [&] {
            session.ui->setSurface(kWidth, kHeight, 1.0 / 60);
            session.ui->frame(*session.app);
            session.ui->draw();
        };
        testing::internal::CaptureStdout();
        for (int turn = 0; turn < 20000 && !session.ends(); ++turn)
            if (session.look(session.needsTurn(), false))
                session.turn(
                    FrameClock::window(1.0 / 60),
                    {.framebuffer = target.framebuffer(), .width = kWidth, .height = kHeight, .panels = drawPanels});
        EXPECT_TRUE(session.ends());
        EXPECT_EQ(session.close(), 0);
        return testing::internal::GetCapturedStdout();
    }

    std::filesystem::path folder_;
};

TEST_F(SessionTest, writesWhatItsLinesSawAlsoWhereTheNextLineEndsTheRun) {
    const std::string answers =
        play("set look.glow 0.1\nnowait do save " + at("a.csv") + "\nnowait do picture " + at("a.png") +
             "\nopen two-body\ndo picture " + at("b.png") + "\ndo undo\nget run.scene\n");
    EXPECT_EQ(readPngTexts(at("a.png"))["gravlab:scene"], "plummer");
    EXPECT_EQ(readPngTexts(at("b.png"))["gravlab:scene"], "two-body");
    const std::string saved = contentOf(at("a.csv"));
    EXPECT_EQ(std::ranges::count(saved, '\n'), 101) << "a line for each body of the run that was on the screen";
    EXPECT_THAT(answers, HasSubstr("open two-body is undone"));
    EXPECT_THAT(answers, HasSubstr("\"value\":\"plummer\""));
}

}  // namespace
}  // namespace gravlab
