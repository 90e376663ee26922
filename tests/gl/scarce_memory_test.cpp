// A workspace without memory in the middle of a frame: a window shows a message and continues, a film ends.
#include "tests/scarce_memory.h"
#include "app/frontends/headless/headless.h"
#include "app/parameters/twin_settings.h"
#include "app/runs/history.h"
#include "app/system/host_clock.h"
#include "app/view/base_host.h"
#include "app/view/frame.h"
#include "tests/written.h"

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
        StartOptions options{.simulation = {.scene = "plummer", .bodies = kOddCount, .backend = "cpu"}};
        options.settings["run.time_budget"] = 1e6;  // all steps of a frame, however slow the machine is
        if (twin) options.twin = parseTwin(twin);
        app_ = std::make_unique<App>(options);
    }
    /// A frame of a window, long after the one before it.
    void frame(double seconds = 10) {
        testClock += seconds;
        app_->apply();
        app_->advance(true);
    }
    HeadlessContext context_;
    std::unique_ptr<App> app_;

private:
    HostClockSource source_ = hostClockSource();
};

TEST_F(ScarceSession, keepsItsHistoryShorter) {
    open(nullptr);
    app_->runs.keepHistory(std::size_t{64} << 20);
    const auto kept = [&] { return app_->runs.history()->marks().size(); };
    for (int i = 0; i < 2000 && kept() < 4; ++i) {
        frame();
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    ASSERT_GE(kept(), 4u);
    const std::size_t budget = app_->runs.history()->budget();
    // A measurement beside the run requests as many bytes, and may be the request that fails.
    for (int round = 0; round < 50 && app_->runs.history()->budget() == budget; ++round) {
        for (int i = 0; i < round % 3; ++i) frame();  // the two alternate; not always the same one comes first
        const ScarceMemory scarce(kOddCount * sizeof(Double4));
        for (int i = 0; i < 2000 && !scarce.refused(); ++i) ASSERT_NO_THROW(frame());
        ASSERT_TRUE(scarce.refused());
        frame();  // the state being compressed is finished
    }
    EXPECT_LT(app_->runs.history()->budget(), budget);
    const std::int64_t step = app_->document.facts.step;
    frame();
    EXPECT_EQ(app_->document.facts.step, step + 1);
}

TEST_F(ScarceSession, staysWhereItIsWhenThePresentCannotBeKept) {
    open(nullptr);
    app_->runs.keepHistory(std::size_t{64} << 20);
    for (int i = 0; i < 2000 && app_->runs.history()->marks().size() < 2; ++i) {
        frame();
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    const auto first = app_->runs.history()->marks().front().step;
    app_->advance(true);  // a step that is not kept
    const std::int64_t step = app_->document.facts.step;
    EffectResult done;
    {
        const ScarceMemory scarce(kOddCount * sizeof(Double4));
        ASSERT_NO_THROW(done = app_->runs.jump({.state = 0}));
        ASSERT_TRUE(scarce.refused());
    }
    EXPECT_EQ(done.status, CommandStatus::failed);
    EXPECT_THAT(done.why, HasSubstr("not enough memory to go there"));
    EXPECT_EQ(app_->runs.simulation().step(), step);
    EXPECT_EQ(app_->document.intent.request, app_->runs.simulation().request());
    app_->runs.jump({.state = 0});
    EXPECT_EQ(app_->runs.simulation().step(), first);
}

TEST_F(ScarceSession, goesOnWithoutMemoryForItsInstruments) {
    open(nullptr);
    for (int i = 0; i < 5; ++i) frame(0.01);  // the run has all the memory that it needs
    app_->services.instruments.on = true;
    bool refused = false;
    for (int i = 0; i < 200 && !refused; ++i) {
        const ScarceMemory scarce(kOddCount * sizeof(Double4));
        ASSERT_NO_THROW(frame());
        refused = scarce.refused();
    }
    ASSERT_TRUE(refused);
    EXPECT_THAT(app_->document.message, HasSubstr("not enough memory to measure"));
    const std::int64_t step = app_->document.facts.step;
    for (int i = 0; i < 2000 && !app_->services.instruments.newest(); ++i) {
        frame();
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    EXPECT_GT(app_->document.facts.step, step);
    EXPECT_TRUE(app_->services.instruments.newest()) << "there is memory again";
}

/// The comparison copies both states.
TEST_F(ScarceSession, goesOnWithoutItsTwinAndMakesNoStepTwice) {
    open("softening=0.2");
    written(*app_).intent.stepsPerFrame = 4;
    // After a comparison no other is running.
    const auto points = [&] { return app_->runs.twin().watch().curve().points().size(); };
    for (int i = 0; i < 2000 && points() < 3; ++i) frame();
    ASSERT_GE(points(), 3u);
    // Another measurement beside the run requests as many bytes, and may be the request that fails.
    std::int64_t step = app_->document.facts.step;
    for (int round = 0; round < 200 && app_->runs.twin().on(); ++round) {
        // A running comparison must end before the next one can fail.
        std::this_thread::sleep_for(std::chrono::milliseconds(2 * round));
        for (int i = 0; i <= round % 3; ++i) frame(1e-3);  // the requested state is copied, and no other is due
        const ScarceMemory scarce(kOddCount * sizeof(Double4));
        // However long the last comparison seems to have taken, the next is due once none is running.
        for (int i = 0; i < 2000 && !scarce.refused(); ++i) {
            step = app_->document.facts.step;
            ASSERT_NO_THROW(frame(1e6));
            EXPECT_EQ(app_->document.facts.step, step + 4);
        }
        ASSERT_TRUE(scarce.refused());
    }
    EXPECT_FALSE(app_->runs.twin().on());
    EXPECT_THAT(app_->document.message, HasSubstr("not enough memory for a twin"));
    // Its end is a command, which the next frame applies. One posted before it does not start the twin again.
    struct Noting : BaseHost {
        using BaseHost::BaseHost;
        bool apply(bool again) override {
            const bool taken = BaseHost::apply(again);
            started = started || app_.runs.twin().on();
            return taken;
        }
        bool started = false;
    };
    Controller controller;
    Noting host(*app_);
    controller.post(SetParameter{"look.glow", 0.5}, Sender::panel);
    testClock += 10;
    const std::vector<Event> events = Frame(*app_, controller, host).make(FrameClock::window(10), {}).events;
    ASSERT_EQ(events.size(), 2u);
    EXPECT_EQ(events[0].status, CommandStatus::applied);
    EXPECT_EQ(events[1].sender, Sender::guard);
    EXPECT_EQ(commandText(events[1].command), "set twin.on false");
    EXPECT_EQ(events[1].status, CommandStatus::applied) << events[1].why;
    EXPECT_FALSE(host.started) << "a command after the failure";
    EXPECT_FALSE(app_->runs.twin().on());
    EXPECT_FALSE(app_->document.intent.twin.on);
    EXPECT_THAT(app_->document.message, HasSubstr("not enough memory for a twin"));
    EXPECT_EQ(app_->document.facts.step, step + 8);
    controller.post(SetParameter{"twin.on", true}, Sender::panel);
    controller.apply(host);
    EXPECT_TRUE(app_->runs.twin().on()) << "a user may start it again";
}

/// A film of two runs cannot become a film of one.
TEST_F(ScarceSession, endsAFilmWithItsTwin) {
    open("softening=0.2");
    app_->advance(false);
    const ScarceMemory scarce(kOddCount * sizeof(Double4));
    bool ended = false;
    for (int i = 0; i < 20 && !scarce.refused(); ++i) {
        try {
            app_->advance(false);
        } catch (const std::bad_alloc&) {
            ended = true;
        }
    }
    ASSERT_TRUE(scarce.refused());
    EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace gravlab::test
