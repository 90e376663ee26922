// A workspace without memory in the middle of a frame: a window shows a message and continues, a film ends.
#include "tests/scarce_memory.h"
#include "app/control/twin_settings.h"
#include "app/frontends/headless/headless.h"
#include "app/services/instruments.h"
#include "app/services/rewind.h"
#include "app/services/twin.h"
#include "app/system/host_clock.h"
#include "app/view/workspace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace gravlab::test {
namespace {

using testing::HasSubstr;

std::atomic<double> testClock = 1000;  // sums beside the run read it, too

class ScarceSession : public ::testing::Test {
protected:
    void SetUp() override {
        hostClockSource() = [] { return testClock.load(); };
    }
    void TearDown() override { hostClockSource() = source_; }
    void open(const char* twin) {
        Options options;
        options.simulation.scene = "plummer";
        options.simulation.bodies = kOddCount;
        options.simulation.backend = "cpu";
        options.settings["run.time_budget"] = 1e6;  // all steps of a frame, however slow the machine is
        if (twin) options.twin = parseTwin(twin);
        workspace_ = std::make_unique<Workspace>(options);
    }
    /// A frame of a window, long after the one before it.
    void frame(double seconds = 10) {
        testClock += seconds;
        workspace_->apply();
        workspace_->advance(true);
    }
    HeadlessContext context_;
    std::unique_ptr<Workspace> workspace_;

private:
    HostClockSource source_ = hostClockSource();
};

TEST_F(ScarceSession, keepsItsHistoryShorter) {
    open(nullptr);
    workspace_->host.keepHistory(std::size_t{64} << 20);
    const auto kept = [&] { return workspace_->host.history()->marks().size(); };
    for (int i = 0; i < 2000 && kept() < 4; ++i) {
        frame();
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    ASSERT_GE(kept(), 4u);
    const std::size_t budget = workspace_->host.history()->budget();
    // A measurement beside the run requests as many bytes, and may be the request that fails.
    for (int round = 0; round < 50 && workspace_->host.history()->budget() == budget; ++round) {
        for (int i = 0; i < round % 3; ++i) frame();  // the two alternate; not always the same one comes first
        const ScarceMemory scarce(kOddCount * sizeof(Double4));
        for (int i = 0; i < 2000 && !scarce.refused(); ++i) ASSERT_NO_THROW(frame());
        ASSERT_TRUE(scarce.refused());
        frame();  // the state being compressed is finished
    }
    EXPECT_LT(workspace_->host.history()->budget(), budget);
    const std::int64_t step = workspace_->facts.step;
    frame();
    EXPECT_EQ(workspace_->facts.step, step + 1);
}

TEST_F(ScarceSession, staysWhereItIsWhenThePresentCannotBeKept) {
    open(nullptr);
    workspace_->host.keepHistory(std::size_t{64} << 20);
    for (int i = 0; i < 2000 && workspace_->host.history()->marks().size() < 2; ++i) {
        frame();
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    const auto first = workspace_->host.history()->marks().front().step;
    workspace_->advance(true);  // a step that is not kept
    const std::int64_t step = workspace_->facts.step;
    EffectResult done;
    {
        const ScarceMemory scarce(kOddCount * sizeof(Double4));
        ASSERT_NO_THROW(done = workspace_->host.jump({.state = 0}));
        ASSERT_TRUE(scarce.refused());
    }
    EXPECT_EQ(done.status, CommandStatus::failed);
    EXPECT_THAT(done.why, HasSubstr("not enough memory to go there"));
    EXPECT_EQ(workspace_->host.simulation().step(), step);
    EXPECT_EQ(workspace_->intent.request, workspace_->host.simulation().request());
    workspace_->host.jump({.state = 0});
    EXPECT_EQ(workspace_->host.simulation().step(), first);
}

TEST_F(ScarceSession, goesOnWithoutMemoryForItsInstruments) {
    open(nullptr);
    for (int i = 0; i < 5; ++i) frame(0.01);  // the run has all the memory that it needs
    workspace_->instruments.on = true;
    bool refused = false;
    for (int i = 0; i < 200 && !refused; ++i) {
        const ScarceMemory scarce(kOddCount * sizeof(Double4));
        ASSERT_NO_THROW(frame());
        refused = scarce.refused();
    }
    ASSERT_TRUE(refused);
    EXPECT_THAT(workspace_->message, HasSubstr("not enough memory to measure"));
    const std::int64_t step = workspace_->facts.step;
    for (int i = 0; i < 2000 && !workspace_->instruments.profile(); ++i) {
        frame();
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    EXPECT_GT(workspace_->facts.step, step);
    EXPECT_TRUE(workspace_->instruments.profile()) << "there is memory again";
}

/// The comparison copies both states.
TEST_F(ScarceSession, goesOnWithoutItsTwinAndMakesNoStepTwice) {
    open("softening=0.2");
    workspace_->intent.stepsPerFrame = 4;
    // After a comparison no other is running.
    const auto points = [&] { return workspace_->host.twin().watch().curve().points().size(); };
    for (int i = 0; i < 2000 && points() < 3; ++i) frame();
    ASSERT_GE(points(), 3u);
    // Another measurement beside the run requests as many bytes, and may be the request that fails.
    std::int64_t step = workspace_->facts.step;
    for (int round = 0; round < 200 && workspace_->host.twin().on(); ++round) {
        // A running comparison must end before the next one can fail.
        std::this_thread::sleep_for(std::chrono::milliseconds(2 * round));
        for (int i = 0; i <= round % 3; ++i) frame(1e-3);  // the requested state is copied, and no other is due
        const ScarceMemory scarce(kOddCount * sizeof(Double4));
        // However long the last comparison seems to have taken, the next is due once none is running.
        for (int i = 0; i < 2000 && !scarce.refused(); ++i) {
            step = workspace_->facts.step;
            ASSERT_NO_THROW(frame(1e6));
            EXPECT_EQ(workspace_->facts.step, step + 4);
        }
        ASSERT_TRUE(scarce.refused());
    }
    EXPECT_FALSE(workspace_->host.twin().on());
    EXPECT_FALSE(workspace_->intent.twin.on);
    EXPECT_THAT(workspace_->message, HasSubstr("not enough memory for a twin"));
    frame();
    EXPECT_EQ(workspace_->facts.step, step + 8);
}

/// A film of two runs cannot become a film of one.
TEST_F(ScarceSession, endsAFilmWithItsTwin) {
    open("softening=0.2");
    workspace_->advance(false);
    const ScarceMemory scarce(kOddCount * sizeof(Double4));
    bool ended = false;
    for (int i = 0; i < 20 && !scarce.refused(); ++i) {
        try {
            workspace_->advance(false);
        } catch (const std::bad_alloc&) {
            ended = true;
        }
    }
    ASSERT_TRUE(scarce.refused());
    EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace gravlab::test
