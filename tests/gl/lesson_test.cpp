// Every lesson is played off screen with its own answers; a lesson with a planted mistake is caught.
#include "app/commands/lesson_check.h"
#include "app/frontends/headless/headless.h"
#include "app/lessons/lesson_file.h"
#include "app/lessons/lesson_runner.h"
#include "app/parameters/parameter.h"
#include "app/ui/ui.h"
#include "app/view/base_host.h"
#include "tests/advance.h"
#include "tests/written.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <ranges>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace gravlab {
namespace {

using test::written;

using testing::HasSubstr;

std::string spoilt(const std::string& text) {
    const auto lesson = std::make_shared<Lesson>(parseLesson(text, "spoilt", "spoilt.toml"));
    return playLesson(lesson, {}, 30).failure;
}

const std::string kHead =
    "title = \"T\"\nidea = \"I\"\n[[step]]\ntitle = \"First\"\nsetup = [\"open two-body\"]\n[[step]]\ntitle = \"Second\"\n";

class EachLesson : public testing::TestWithParam<std::string> {};

TEST_P(EachLesson, isReached) {
    const LessonVerdict verdict = playLesson(lessonNamed(GetParam()), {}, kLessonsLimit / 4);
    EXPECT_EQ(verdict.failure, "");
    EXPECT_LT(verdict.seconds, kLessonsLimit / 4) << "all of them together end within " << kLessonsLimit << " s";
}

/// The names alone: this runs at the start of each process of these tests, and the course is only known when all are read.
std::vector<std::string> lessonsOfTheTree() {
    std::vector<std::string> names;
    std::istringstream files{std::string(lessonFile("*"))};
    for (std::string file; std::getline(files, file);) names.push_back(file.substr(0, file.rfind(".toml")));
    return names;
}

INSTANTIATE_TEST_SUITE_P(Lessons, EachLesson, testing::ValuesIn(lessonsOfTheTree()), [](const auto& param) {
    std::string name = param.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

TEST(SpoiltLesson, isCaughtWithStepAndLine) {
    EXPECT_EQ(spoilt(kHead + "until = [\"wait run.step >= 5 within 20\"]\n"), "");
    // The run is paused.
    std::string why =
        spoilt(kHead + "setup = [\"set run.paused true\", \"do reset\"]\nuntil = [\"wait run.step >= 5 within 0.3\"]\n");
    EXPECT_THAT(why, HasSubstr("step 2, 'Second' (line 6)"));
    EXPECT_THAT(why, HasSubstr("line 9, 'wait run.step >= 5 within 0.3'"));
    EXPECT_THAT(why, HasSubstr("expected >= 5"));
    // Its command is refused.
    why = spoilt(kHead + "setup = [\"do lab-cancel\"]\n");
    EXPECT_THAT(why, HasSubstr("step 2, 'Second' (line 6): line 8, 'do lab-cancel': Nothing is being measured."));
    // Its statement is false.
    why = spoilt(kHead + "setup = [\"expect run.integrator == euler\"]\n");
    EXPECT_THAT(why, HasSubstr("run.integrator is leapfrog"));
    // A number does not exist.
    why = spoilt(kHead + "keep = [\"x = twin.apart\"]\n");
    EXPECT_THAT(why, HasSubstr("'x = twin.apart' was not measured"));
    why = spoilt(kHead + "until = [\"wait run.step >= 5 within 20\"]\nkeep = [\"x = 2 * 3\"]\nranges = [\"x = 7 to 8\"]\n");
    EXPECT_THAT(why, HasSubstr("step 2, 'Second' (line 6): x is 6, not within 7 to 8"));
    // It takes longer than the limit of a check.
    const auto lesson = std::make_shared<Lesson>(
        parseLesson(kHead + "until = [\"wait run.time >= 1000 within 100\"]\n", "slow", "slow.toml"));
    EXPECT_THAT(playLesson(lesson, {}, 1).failure, HasSubstr("step 2, 'Second' (line 6): not reached after 1 s"));
}

/// An app with lessons.
class LessonHost : public BaseHost {
public:
    LessonHost(App& app, LessonRunner& runner) : BaseHost(app), runner_(runner) {}
    EffectResult carryOut(const Effect& effect, Ticket ticket) override {
        if (const auto* go = std::get_if<LessonGo>(&effect))
            return runner_.carryOut(*go, app_.document, app_.reports.lesson);
        return BaseHost::carryOut(effect, ticket);
    }

private:
    LessonRunner& runner_;
};

/// A run for a user who watches, with a lesson beside it.
class LessonRun : public testing::Test {
protected:
    /// Makes frames a tenth of a second apart, and returns what became of commands.
    std::vector<Event> frames(int count) {
        std::vector<Event> all;
        for (int i = 0; i < count; ++i) {
            for (const Event& event : controller.apply(host)) all.push_back(event);
            runner.update(app.document, app.reports.lesson, host, seconds_ += 0.1);
            app.advance(true);
        }
        return all;
    }
    void post(const std::string& action, std::vector<Value> arguments = {}) {
        controller.post(Invoke{action, std::move(arguments)}, Sender::panel);
    }
    void open(std::shared_ptr<const Lesson> lesson) { runner.open(app.document, app.reports.lesson, std::move(lesson)); }

    HeadlessContext context{0};
    App app{{.simulation = {.scene = "two-body"}, .watched = true}};
    Controller controller;
    LessonRunner runner{controller};
    LessonHost host{app, runner};

private:
    double seconds_ = 0;
};

/// Text, question and buttons of every step have room, whatever the window, the letters and the selected body.
TEST_F(LessonRun, isReadableInEveryStepAtEverySize) {
    Document& document = written(app);
    document.ui.inWindow = true;
    Ui ui(1, "", app);
    ui.recordItems(true);
    frames(1);
    document.select(0);
    struct Rect {
        float left = 0, top = 0, right = -1, bottom = -1;
        bool is() const { return right >= left; }
        bool within(const Rect& r) const {
            return left >= r.left - 1 && top >= r.top - 1 && right <= r.right + 1 && bottom <= r.bottom + 1;
        }
        bool touches(const Rect& r) const {
            return is() && r.is() && left < r.right && r.left < right && top < r.bottom && r.top < bottom;
        }
    };
    const auto item = [&](std::string_view name) {
        // The last one: an answered prediction has choices, too, above those of the question.
        for (const UiItem& one : ui.items() | std::views::reverse)
            if (one.name == name) return Rect{one.left, one.top, one.right, one.bottom};
        return Rect();
    };
    constexpr std::pair<int, int> kSizes[] = {{1280, 720}, {1024, 768}, {1366, 768}, {1920, 1080}};
    for (const auto& [width, height] : kSizes)
        for (const float scale : {1.0f, 1.5f})
            for (const bool large : {false, true}) {
                document.ui.projector = scale > 1;
                document.ui.depth = large ? Depth::measure : Depth::teach;  // also where everything is shown
                document.ui.measurements = true;
                document.lesson.large = large;
                ui.setSurface(width, height, 1.0 / 60);
                ui.setScale(scale);
                const float letter = large ? 16 * (1 + scale) : 16 * scale;
                for (const std::string& name : lessonNames()) {
                    const auto lesson = lessonNamed(name);
                    document.lesson.lesson = lesson;
                    for (document.lesson.step = 0; document.lesson.step < lesson->steps.size(); ++document.lesson.step)
                        for (const LessonPhase phase : {LessonPhase::predict, LessonPhase::question}) {
                            const LessonStep& step = lesson->steps[document.lesson.step];
                            const auto& asked = phase == LessonPhase::predict ? step.predict : step.question;
                            if (phase == LessonPhase::question && !asked) continue;
                            document.lesson.phase = phase;
                            for (int i = 0; i < (asked ? 3 : 1); ++i) ui.frame(app);
                            SCOPED_TRACE(name + " step " + std::to_string(document.lesson.step + 1) + " at " +
                                         std::to_string(width) + " x " + std::to_string(height) +
                                         (scale > 1 ? ", projector" : "") + (large ? ", present" : ""));
                            const Rect panel = item("panel/lesson"), text = item("lesson_text");
                            ASSERT_TRUE(panel.is());
                            EXPECT_TRUE(panel.within({0, 0, static_cast<float>(width), static_cast<float>(height)}));
                            ASSERT_TRUE(text.is() && text.within(panel));
                            EXPECT_GT(text.right - text.left, 20 * 0.5f * letter);
                            EXPECT_GT(text.bottom - text.top, (asked ? 2.9f * 0.5f : 5) * letter);
                            for (const char* other : {"panel/body", "panel/controls", "panel/conservation", "panel/play",
                                                      "panel/menu", "panel/measurements"})
                                EXPECT_FALSE(panel.touches(item(other))) << other;
                            for (const char* button : {"lesson-back", "lesson-step", "lesson-next"})
                                EXPECT_TRUE(item(button).is() && item(button).within(panel)) << button;
                            // Question and choices stay in sight below the text, which scrolls.
                            for (std::size_t i = 1; asked && i <= asked->choices.size(); ++i) {
                                const Rect choice = item("lesson_choice/" + std::to_string(i));
                                EXPECT_GE(choice.top, text.bottom - 1) << i;
                                EXPECT_LE(choice.bottom, item("lesson-back").top + 1) << i;
                                EXPECT_GT(choice.bottom - choice.top, (12 + (large ? 13 : 11)) * scale) << i;
                            }
                            if (HasFailure()) return;
                        }
                }
            }
}

/// The lesson waits for a student who does nothing, and a teacher may skip steps.
TEST_F(LessonRun, waitsForAStudentAndLetsATeacherJump) {
    LessonRunner::offer(app.reports.lesson);
    const auto act = [&](const std::string& action, std::vector<Value> arguments = {}) {
        post(action, std::move(arguments));
        frames(2);
    };
    EXPECT_EQ(app.document.lesson.offered.size(), lessonNames().size());
    act("lesson", {std::string("leapfrog")});
    ASSERT_TRUE(app.document.lesson.lesson);
    EXPECT_EQ(app.document.lesson.phase, LessonPhase::predict);
    frames(30);
    EXPECT_EQ(app.document.lesson.phase, LessonPhase::predict) << "nobody has said anything";
    act("lesson-answer", {std::int64_t{2}});
    EXPECT_EQ(app.document.lesson.phase, LessonPhase::act);
    written(app).intent.paused = true;
    frames(1000);
    EXPECT_EQ(app.document.lesson.phase, LessonPhase::act);
    EXPECT_TRUE(app.document.lesson.late);
    EXPECT_EQ(reachedOf(app.document.lesson.progress, "leapfrog"), 0);
    act("lesson-step", {std::int64_t{4}});
    EXPECT_EQ(app.document.lesson.step, 3u);
    EXPECT_TRUE(app.document.facts.twin.on) << "the scene of that step is there";
    act("lesson-back");
    EXPECT_EQ(app.document.lesson.step, 2u);
    EXPECT_FALSE(app.document.facts.twin.on);
    act("lesson-close");
    EXPECT_FALSE(app.document.lesson.shown());
    act("lesson-next");
    EXPECT_THAT(app.document.message, HasSubstr("No lesson is open"));
}

/// Frames may be slow: the largest error of few bodies is that of all steps.
TEST(FewBodies, haveTheEnergyErrorOfAllStepsInFramesOfAnyLength) {
    RunRequest request{.scene = "two-body", .backend = "cpu"};
    HeadlessContext context(0);
    OffscreenTarget target(64, 64);
    for (const int steps : {3, 37, 61}) {
        App app({.simulation = request, .watched = true});
        written(app).intent.speed = 0;
        written(app).intent.stepsPerFrame = steps;
        while (app.document.facts.step < 500) app.advance(true);
        Simulation each(request);
        const double start = each.measure().energy();
        double worst = 0;
        while (each.step() < app.document.facts.step) {
            run(each, 1);
            worst = std::max(worst, std::abs(each.measure().energy() - start) / std::abs(start));
        }
        ASSERT_GT(worst, 1e-4);
        RunFacts facts;
        app.services.conservation.readFacts(facts);
        EXPECT_NEAR(facts.energyChange, worst, 1e-9 * worst) << steps << " steps a frame";
    }
}

/// The numbers of a run would reveal the answer of a prediction.
/// A loaded machine measures late: the numbers of a step belong to the state that fulfilled it, never to an earlier one.
TEST_F(LessonRun, keepsNumbersOfTheStateThatFulfilledTheTask) {
    struct Still : BaseHost {
        using BaseHost::BaseHost;
        bool apply(bool) override { return true; }
    };
    Still still(app);
    const auto lesson = std::make_shared<Lesson>(
        parseLesson("title = \"T\"\nidea = \"I\"\n[[step]]\ntitle = \"One\"\nuntil = [\"wait run.time >= 1 within 60\"]\n"
                    "keep = [\"apart = twin.apart\", \"energy = 2 * run.energy_change\"]\n",
                    "late", "late.toml"));
    open(lesson);
    RunFacts& facts = written(app).facts;
    const auto frame = [&] {
        runner.update(app.document, app.reports.lesson, still, 0);
        return app.document.lesson.phase;
    };
    facts.twin.on = true;
    ASSERT_EQ(frame(), LessonPhase::act);
    facts.time = 2;
    facts.twin.apart = 0.1;
    facts.twin.apartTime = facts.twin.time = 0.5;
    facts.energyChange = 0.25;
    facts.energyComes = true;
    facts.energyTime = 2;
    EXPECT_EQ(frame(), LessonPhase::after) << "the distance is one of t = 0.5";
    EXPECT_TRUE(runner.needsFrame());
    facts.twin.apart = 1.4;
    facts.twin.apartTime = 2;
    facts.energyTime = 1.5;
    EXPECT_EQ(frame(), LessonPhase::after) << "the energy is one of t = 1.5";
    facts.energyTime = 2.5;
    EXPECT_EQ(frame(), LessonPhase::done);
    EXPECT_EQ(app.document.lesson.kept.at("apart"), Value(1.4));
    EXPECT_EQ(app.document.lesson.kept.at("energy"), Value(0.5));
    // What will never be measured is not waited for.
    facts.twin.apartTime = 0.5;
    written(app).intent.paused = facts.twin.between = true;
    EXPECT_FALSE(parameter("twin.apart").lags(app.document, 2));
    facts.energyTime.reset();
    EXPECT_TRUE(parameter("run.energy_change").lags(app.document, 2));
    facts.energyComes = false;
    EXPECT_FALSE(parameter("run.energy_change").lags(app.document, 2));
}

TEST_F(LessonRun, standsStillUntilThePredictionIsMade) {
    open(lessonNamed("leapfrog"));
    frames(40);
    ASSERT_EQ(app.document.lesson.phase, LessonPhase::predict);
    EXPECT_TRUE(app.document.intent.paused);
    EXPECT_EQ(app.document.facts.step, 0);
    post("lesson-answer", {std::int64_t{2}});
    frames(40);
    EXPECT_FALSE(app.document.intent.paused);
    for (int i = 0; i < 20000 && app.document.facts.step == 0; ++i) {  // at the scene's pace, by the clock
        frames(1);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_GT(app.document.facts.step, 0);
    // Closing the lesson before an answer lets the run continue.
    open(lessonNamed("leapfrog"));
    frames(10);
    EXPECT_TRUE(app.document.intent.paused);
    post("lesson-close");
    frames(4);
    EXPECT_FALSE(app.document.intent.paused);
}

/// Step 2 refers to the second run that step 1 sets up. When step 1 is skipped, the run is there all the same.
TEST_F(LessonRun, bringsTheSecondRunOfAStepThatWasSkipped) {
    open(lessonNamed("order"));
    frames(30);
    ASSERT_TRUE(app.document.facts.twin.on);
    post("lesson-next");
    frames(60);
    EXPECT_EQ(app.document.lesson.step, 1u);
    EXPECT_TRUE(app.document.facts.twin.on) << app.document.message;
    EXPECT_TRUE(app.document.intent.twin.values.contains("integrator"));
    post("lesson-step", {std::int64_t{4}});
    frames(60);
    EXPECT_TRUE(app.document.facts.twin.on) << app.document.message;
    EXPECT_EQ(app.document.intent.request.integrator, "yoshida4");
}

/// Undo reverses a user's changes in a lesson, and nothing from before the lesson.
TEST_F(LessonRun, beginsInOneChangeWhichUndoDoesNotPass) {
    const auto ask = [&](Command command) {
        controller.post(std::move(command), Sender::key);
        return frames(1).front();
    };
    ask(OpenFile{"plummer"});
    ask(SetParameter{"run.bodies", std::int64_t{100}});
    ask(SetParameter{"run.seed", std::int64_t{7}});
    ask(SetParameter{"run.precision", std::string("fp32")});
    ask(SetParameter{"run.paused", true});
    ask(SetParameter{"look.glow", 0.9});
    ASSERT_EQ(app.document.facts.configuration.bodies, 100u);
    const std::uint64_t earlier = app.document.facts.bodiesId;
    ask(Invoke{"reset"});
    const std::uint64_t before = app.document.facts.bodiesId, ofOneStart = before - earlier;
    open(std::make_shared<Lesson>(
        parseLesson("title = \"T\"\nidea = \"I\"\n[[step]]\ntitle = \"First\"\nsetup = [\"open disc\", "
                    "\"set run.paused true\", \"set look.exposure 2\"]\n",
                    "t", "t.toml")));
    frames(10);
    EXPECT_EQ(app.document.facts.configuration.scene, "disc");
    EXPECT_EQ(app.document.facts.bodiesId, before + ofOneStart) << "runs were built that nobody has seen";
    EXPECT_EQ(app.document.lesson.problem, "");
    const std::size_t bodies = app.document.facts.configuration.bodies;
    const Event early = ask(Invoke{"undo"});
    EXPECT_EQ(early.status, CommandStatus::refused) << early.why;
    EXPECT_THAT(early.why, HasSubstr("before the lesson began"));
    EXPECT_EQ(app.document.look.bloom, 0.9f);
    // All changes made in the lesson are undone.
    ask(SetParameter{"look.glow", 0.5});
    ask(Invoke{"drop-star"});
    ask(Invoke{"drop-star"});
    EXPECT_EQ(app.document.facts.configuration.bodies, bodies + 2);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(Invoke{"undo"}).status, CommandStatus::applied) << i;
    EXPECT_EQ(app.document.facts.configuration.bodies, bodies);
    EXPECT_EQ(app.document.look.bloom, 0.9f);
    EXPECT_EQ(app.document.facts.configuration.scene, "disc");
    EXPECT_EQ(ask(Invoke{"undo"}).status, CommandStatus::refused);
    EXPECT_EQ(app.document.look.exposure, 2);
}

/// A class goes through the lessons in succession.
TEST_F(LessonRun, beginsTheSameWhateverTheOneBeforeLeft) {
    LessonRunner::offer(app.reports.lesson);
    for (const char* name : {"order", "rounding"}) {
        controller.post(SetParameter{"lab.open", true}, Sender::key);
        post("lesson", {std::string(name)});
        frames(80);
        EXPECT_TRUE(app.document.facts.twin.on) << name << ": " << app.document.message;
        EXPECT_FALSE(app.document.labPanel.open) << name << " has its picture back";
    }
    EXPECT_TRUE(app.document.intent.twin.values.contains("precision")) << "the twin of 'order' is here";
}

}  // namespace
}  // namespace gravlab
