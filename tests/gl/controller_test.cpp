// The controller: commands in their order, batches that apply whole or not at all, from any thread, and the state after a
// refusal.
#include "app/control/controller.h"

#include "../unit/cli_support.h"
#include "app/control/action.h"
#include "app/control/script.h"
#include "app/model/look.h"
#include "app/model/ui_state.h"
#include "app/parameters/parameter.h"
#include "app/view/base_host.h"
#include "commands_fixture.h"
#include "gl_fixture.h"
#include "sim/api/errors.h"
#include "tests/scarce_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <new>
#include <thread>
#include <type_traits>

namespace gravlab {
namespace {

using testing::HasSubstr;

class ControllerTest : public test::CommandsTest {
protected:
    void SetUp() override {
        GlTest::SetUp();
        begin({.simulation = {.scene = "plummer", .bodies = 64, .backend = "cpu"}});
    }
    std::vector<Event> apply() { return controller->apply(*host); }
    /// The result of one command, posted alone.
    Event ask(Command command) {
        const std::uint64_t ticket = controller->post(std::move(command), Sender::script);
        const std::vector<Event> events = apply();
        EXPECT_EQ(events.size(), 1u);
        EXPECT_EQ(events.front().ticket, ticket);
        return events.front();
    }

    /// The document without the message of a refusal and without values that every frame measures.
    void expectAsItWas(Document before, const std::string& what) {
        const RunFacts& facts = document().facts;
        EXPECT_TRUE(facts.configuration == before.facts.configuration) << what;
        before.message = document().message;
        before.messageAge = document().messageAge;
        before.warning = document().warning;
        before.facts = facts;
        EXPECT_TRUE(document() == before) << what << "\n" << settings();
    }
};

TEST_F(ControllerTest, appliesInTheOrderOfPosting) {
    std::vector<std::uint64_t> tickets;
    for (const double glow : {0.1, 0.2, 0.9})
        tickets.push_back(controller->post(SetParameter{"look.glow", glow}, Sender::panel));
    EXPECT_TRUE(controller->busy());
    const std::vector<Event> events = apply();
    ASSERT_EQ(events.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(events[i].ticket, tickets[i]);
        EXPECT_EQ(events[i].status, CommandStatus::applied);
        EXPECT_EQ(events[i].sender, Sender::panel);
    }
    EXPECT_EQ(app->document.look.bloom, 0.9f);
    EXPECT_FALSE(controller->busy());
    EXPECT_TRUE(apply().empty()) << "each is answered once";
}

TEST_F(ControllerTest, anotherSceneHasItsOwnLookWhateverWasBefore) {
    ask(SetParameter{"run.scene", std::string("galaxy")});
    const RunFacts& facts = document().facts;
    ASSERT_EQ(facts.configuration.scene, "galaxy");
    const Look own = sceneLook(facts.scene->view, facts.configuration.bodies);
    EXPECT_EQ(document().look.photograph.scale, own.photograph.scale) << "arms and gas of plummer's size";
    EXPECT_EQ(document().look.brightness, own.brightness);
}

TEST_F(ControllerTest, batchesAreTakenWholeOrNotAtAll) {
    const std::string all = settings();
    const Document before = document();
    const std::vector<Command> good{SetParameter{"look.glow", 0.8},
                                    SetParameter{"camera.distance", 7.5},
                                    SetParameter{"run.integrator", std::string("yoshida4")},
                                    SetParameter{"run.time_step", 0.005},
                                    SetParameter{"window.text_scale", 2.0},
                                    SetParameter{"film.width", std::int64_t{640}},
                                    SetParameter{"view.four", true}};
    const Command bad[] = {SetParameter{"look.exposure", -1.0},
                           SetParameter{"run.softening", -1.0},
                           SetParameter{"run.nothing", 1.0},
                           SetParameter{"run.step", std::int64_t{3}},
                           SetParameter{"run.exponent", 1.5},
                           SetParameter{"view.selected", std::int64_t{300}},        // no such body
                           SetParameter{"run.kernel", std::string("tiled-split")},  // a valid name, but of no backend here
                           Invoke{"trails"}};
    for (const Command& wrong : bad)
        for (const bool first : {false, true}) {
            std::vector<Command> batch = good;
            batch.insert(first ? batch.begin() : batch.end(), wrong);
            controller->post(batch, Sender::file);
            const std::vector<Event> events = apply();
            ASSERT_EQ(events.size(), batch.size());
            for (const Event& event : events) {
                EXPECT_EQ(event.status, CommandStatus::refused) << commandText(wrong);
                EXPECT_FALSE(event.why.empty());
            }
            expectAsItWas(before, commandText(wrong));
        }
    controller->post(good, Sender::file);
    for (const Event& event : apply()) EXPECT_EQ(event.status, CommandStatus::applied) << event.why;
    EXPECT_NE(settings(), all);
    EXPECT_EQ(app->document.facts.configuration.integrator, "yoshida4");
    EXPECT_EQ(app->document.look.bloom, 0.8f);
}

TEST_F(ControllerTest, batchesReachBothRuns) {
    const auto statusOf = [&](std::vector<Command> batch) {
        controller->post(std::move(batch), Sender::script);
        return apply();
    };
    for (const Event& event :
         statusOf({SetParameter{"run.time_step", 0.01}, SetParameter{"twin.on", true},
                   SetParameter{"twin.integrator", std::string("euler")}, SetParameter{"view.selected", std::int64_t{3}}}))
        EXPECT_EQ(event.status, CommandStatus::applied) << event.why;
    EXPECT_EQ(app->document.facts.configuration.timeStep, 0.01);
    ASSERT_TRUE(app->runs.twin().on());
    EXPECT_EQ(app->document.facts.twin.configuration.integrator, "euler");
    // The first run accepts its change, the second refuses: both stay unchanged.
    const std::string before = settings();
    const std::vector<Event> refused =
        statusOf({SetParameter{"run.time_step", 0.02}, SetParameter{"run.law", std::string("coulomb")},
                  SetParameter{"twin.integrator", std::string("hermite4")}});
    for (const Event& event : refused) EXPECT_EQ(event.status, CommandStatus::refused);
    EXPECT_EQ(settings(), before);
    EXPECT_EQ(app->document.facts.configuration.timeStep, 0.01);
    // A run that started anew could not be restored.
    const std::vector<Event> anew = statusOf({SetParameter{"run.seed", std::int64_t{9}}, SetParameter{"twin.on", false}});
    EXPECT_THAT(anew.back().why, HasSubstr("begins the run anew"));
    EXPECT_EQ(settings(), before);
}

TEST_F(ControllerTest, aComparisonRunChangesTogetherWithTheFirst) {
    const auto expectApplied = [&](std::vector<Command> batch) {
        controller->post(std::move(batch), Sender::script);
        for (const Event& event : apply()) EXPECT_EQ(event.status, CommandStatus::applied) << event.why;
    };
    const auto goOn = [&](int frames) {
        for (int i = 0; i < frames; ++i) {
            apply();
            app->advance(false);
        }
    };
    EXPECT_EQ(ask(SetParameter{"twin.on", true}).status, CommandStatus::applied);
    expectApplied({SetParameter{"run.time_step", 0.02}, SetParameter{"run.softening", 0.2},
                   SetParameter{"twin.time_step", 0.01}, SetParameter{"twin.softening", 0.05},
                   SetParameter{"twin.view", std::string("overlaid")}});
    EXPECT_EQ(app->document.facts.configuration.force.softening, 0.2);
    EXPECT_EQ(app->document.facts.twin.configuration.force.softening, 0.05);
    EXPECT_EQ(app->document.facts.twin.view, TwinView::overlaid);
    // Its view alone, with a setting that it copies from the first.
    expectApplied({SetParameter{"run.integrator", std::string("yoshida4")},
                   SetParameter{"twin.integrator", std::string("same")},
                   SetParameter{"twin.softening", std::string("same")}});
    expectApplied({SetParameter{"run.softening", 0.3}, SetParameter{"twin.view", std::string("side")}});
    EXPECT_EQ(app->document.facts.twin.configuration.integrator, "yoshida4");
    EXPECT_EQ(app->document.facts.twin.configuration.force.softening, 0.3);
    EXPECT_EQ(app->document.facts.twin.view, TwinView::side);
    // Steps have another length while both run.
    goOn(4);
    const std::int64_t first = app->document.facts.step, second = app->document.facts.twin.step;
    EXPECT_EQ(app->document.facts.twin.configuration.timeStep, 0.01);
    EXPECT_NEAR(app->document.facts.twin.time, app->document.facts.time, 1e-12);
    EXPECT_EQ(ask(SetParameter{"twin.time_step", 0.005}).status, CommandStatus::applied);
    goOn(4);
    EXPECT_EQ(app->document.facts.twin.configuration.timeStep, 0.005);
    EXPECT_EQ(app->document.facts.step, first + 4);
    EXPECT_GE(app->document.facts.twin.step, second + 4 * 3);
    EXPECT_NEAR(app->document.facts.twin.time, app->document.facts.time, 1e-12);
    // A change that the second refuses leaves both unchanged and synchronous.
    const std::string before = settings();
    controller->post({SetParameter{"run.softening", 0.4}, SetParameter{"twin.integrator", std::string("hermite4")},
                      SetParameter{"twin.law", std::string("coulomb")}},
                     Sender::script);
    for (const Event& event : apply()) EXPECT_EQ(event.status, CommandStatus::refused);
    EXPECT_EQ(settings(), before);
    EXPECT_EQ(app->document.facts.twin.configuration.force.softening, 0.3);
    expectApplied({SetParameter{"run.time_step", 0.01}, SetParameter{"twin.on", false}});
    EXPECT_FALSE(app->runs.twin().on());
}

TEST_F(ControllerTest, refusalsAreSentencesAndChangeNothing) {
    const Document before = document();
    EXPECT_THAT(ask(SetParameter{"look.glow", 3.0}).why, HasSubstr("at least 0 and at most 1"));
    EXPECT_THAT(ask(Invoke{"stepp"}).why, HasSubstr("did you mean 'step'"));
    EXPECT_THAT(ask(Invoke{"step", {std::string("many")}}).why, HasSubstr("whole number"));
    EXPECT_THAT(ask(Invoke{"step", {std::int64_t{1}, std::int64_t{2}}}).why, HasSubstr("one argument"));
    EXPECT_THAT(ask(Invoke{"drop-star", {std::int64_t{1}}}).why, HasSubstr("no argument"));
    EXPECT_THAT(ask(Invoke{"trails", {std::string("maybe")}}).why, HasSubstr("on or off"));
    EXPECT_THAT(ask(Invoke{"colour-by"}).why, HasSubstr("speed, acceleration"));
    EXPECT_THAT(ask(Invoke{"colour-by", {std::string("taste")}}).why, HasSubstr("valid: speed"));
    EXPECT_THAT(ask(Invoke{"remove"}).why, HasSubstr("No body is selected"));
    EXPECT_THAT(ask(Invoke{"undo"}).why, HasSubstr("nothing to undo"));
    EXPECT_THAT(ask(Invoke{"rewind"}).why, HasSubstr("nothing to go back to"));
    EXPECT_THAT(ask(OpenFile{"plumer"}).why, HasSubstr("did you mean 'plummer'"));
    EXPECT_THAT(ask(OpenFile{"/no/such/file.toml"}).why, HasSubstr("/no/such/file.toml"));
    EXPECT_EQ(ask(OpenFile{"/no/such/file.hdf5"}).status, CommandStatus::refused);
    expectAsItWas(before, "refusals");
}

TEST_F(ControllerTest, actionsTakeWhatTheyAreGiven) {
    EXPECT_EQ(ask(Invoke{"step", {std::int64_t{25}}}).status, CommandStatus::applied);
    EXPECT_TRUE(app->document.intent.paused);
    EXPECT_EQ(app->document.intent.singleSteps, 25);
    app->advance(false);
    EXPECT_EQ(app->document.facts.step, 25);
    for (const char* text : {"on", "on", "off"}) {
        EXPECT_EQ(ask(Invoke{"trails", {std::string(text)}}).status, CommandStatus::applied);
        EXPECT_EQ(app->document.look.trails > 0, std::string(text) == "on");
    }
    EXPECT_EQ(ask(Invoke{"colour-by", {std::string("mass")}}).status, CommandStatus::applied);
    EXPECT_EQ(app->document.shownMode().name, "mass");
    EXPECT_EQ(ask(Invoke{"presets", {std::int64_t{9}}}).status, CommandStatus::applied);
    EXPECT_EQ(app->document.facts.configuration.scene, "figure-eight");
    EXPECT_EQ(ask(OpenFile{"plummer"}).status, CommandStatus::applied);
    EXPECT_EQ(app->document.facts.configuration.scene, "plummer");
    EXPECT_EQ(app->document.facts.step, 0);
}

TEST_F(ControllerTest, editsBodiesAndTakesThemBack) {
    const std::size_t bodies = app->document.facts.configuration.bodies;
    EXPECT_EQ(ask(Invoke{"drop-star"}).status, CommandStatus::applied);
    EXPECT_EQ(app->document.facts.configuration.bodies, bodies + 1);
    EXPECT_EQ(ask(Invoke{"undo"}).status, CommandStatus::applied);
    EXPECT_EQ(app->document.facts.configuration.bodies, bodies);
}

static_assert(std::is_same_v<decltype(App::document), const Document&>, "settings change by commands alone");

/// The lab and the guards of a run are senders as others are.
TEST_F(ControllerTest, theProgramChangesSettingsByCommandsToo) {
    const auto from = [&](Command command, Sender sender) {
        controller->post(std::move(command), sender);
        const std::vector<Event> events = apply();
        EXPECT_EQ(events.size(), 1u);
        EXPECT_EQ(events.front().sender, sender);
        EXPECT_EQ(events.front().status, CommandStatus::applied) << events.front().why;
    };
    ask(SetParameter{"run.kernel", std::string("naive")});
    UseTuned use;
    use.found.backend = "cpu";
    use.found.bodies = 64;
    use.found.kernel.kernel = "openmp";
    from(use, Sender::lab);
    ASSERT_TRUE(document().intent.request.tuning);
    EXPECT_EQ(document().intent.request.tuning->choices().size(), 1u);
    EXPECT_EQ(document().intent.request.pairs().kernel, KernelRequest());
    EXPECT_THAT(ask(Invoke{"undo"}).why, HasSubstr("use kernel openmp of the lab is undone"));
    EXPECT_EQ(app->document.facts.configuration.pairs().kernel.kernel, "naive");
    EXPECT_TRUE(document().intent.request.tuning) << "what was found stays known";
    from(SetParameter{"run.paused", true}, Sender::guard);
    EXPECT_TRUE(app->document.intent.paused);
    EXPECT_THAT(ask(Invoke{"undo"}).why, HasSubstr("set run.kernel naive is undone")) << "a guard's reason stays";
    EXPECT_TRUE(app->document.intent.paused);
}

/// Starts effects, and ends them when the test chooses.
class SlowHost : public BaseHost {
public:
    using BaseHost::BaseHost;
    EffectResult carryOut(const Effect& effect, Ticket ticket) override {
        if (!std::holds_alternative<SaveRun>(effect)) return BaseHost::carryOut(effect, ticket);
        begun.push_back(ticket);
        return {CommandStatus::running, {}, {}};
    }
    std::vector<Ended> ended() override { return std::exchange(done, {}); }
    double progress(Ticket ticket) const override {
        const auto found = parts.find(ticket);
        return found == parts.end() ? -1 : found->second;
    }
    std::vector<Ticket> begun;
    std::vector<Ended> done;
    std::map<Ticket, double> parts;  ///< of each effect that are done
};

TEST_F(ControllerTest, whatIsRunningSaysHowFarItIsAtEachTenth) {
    auto slow = std::make_unique<SlowHost>(*app);
    SlowHost& mine = *slow;
    this->host = std::move(slow);
    std::vector<std::string> answers;
    Script script(
        *controller, Sender::script, [&](const ScriptAnswer& answer) { answers.push_back(jsonText(answer)); }, true);
    const auto turn = [&] {
        const std::vector<Event> events = apply();
        script.look(document(), 0);
        return events;
    };
    script.take(1, "nowait do save a.csv");
    EXPECT_EQ(turn().at(0).progress, -1) << "nobody knows yet";
    const Ticket ticket = mine.begun.at(0);
    std::vector<double> told;
    for (const double part : {0.0, 0.05, 0.31, 0.39, 0.4, 0.2, 0.9, 1.0}) {
        mine.parts[ticket] = part;
        for (const Event& event : turn()) {
            EXPECT_EQ(event.ticket, ticket);
            EXPECT_EQ(event.status, CommandStatus::running);
            told.push_back(event.progress);
        }
    }
    EXPECT_THAT(told, testing::ElementsAre(0.0, 0.31, 0.4, 0.9, 1.0)) << "a tenth more each time, and never back";
    mine.done = {{ticket, {}}};
    const std::vector<Event> last = turn();
    ASSERT_EQ(last.size(), 1u);
    EXPECT_EQ(last[0].progress, -1) << "an end has none";
    EXPECT_THAT(answers,
                testing::ElementsAre(R"({"line":1,"status":"running"})", R"({"line":1,"status":"running","progress":0.0})",
                                     R"({"line":1,"status":"running","progress":0.31})",
                                     R"({"line":1,"status":"running","progress":0.4})",
                                     R"({"line":1,"status":"running","progress":0.9})",
                                     R"({"line":1,"status":"running","progress":1.0})", R"({"line":1,"status":"applied"})"));
    EXPECT_FALSE(script.needsFrame());
}

/// Both answers of a line may come between two looks, where others apply, too.
TEST_F(ControllerTest, aLineThatNobodyWaitsForHasAllItsAnswers) {
    auto slow = std::make_unique<SlowHost>(*app);
    SlowHost& mine = *slow;
    this->host = std::move(slow);
    std::vector<CommandStatus> answers;
    Script script(
        *controller, Sender::script, [&](const ScriptAnswer& answer) { answers.push_back(answer.status); }, true);
    script.take(1, "nowait do save a.csv");
    apply();
    mine.done = {{mine.begun.at(0), {}}};
    apply();
    script.look(document(), 0);
    EXPECT_THAT(answers, testing::ElementsAre(CommandStatus::running, CommandStatus::applied));
    EXPECT_FALSE(script.needsFrame()) << "it would wait for ever";
}

/// A mouse sends hundreds of moves a second.
TEST_F(ControllerTest, aMoveOfThePointerCopiesNoDocument) {
    constexpr std::size_t kLetters = 1'000'003;
    document().ui.files.folder = std::string(kLetters, 'x');
    for (const PointerKind kind : {PointerKind::orbit, PointerKind::pan, PointerKind::zoom, PointerKind::pick})
        controller->post(Pointer{kind, {10, 10}, {1, 1}, {64, 48}}, Sender::pointer);
    const test::ScarceMemory scarce(kLetters + 1);
    EXPECT_EQ(apply().size(), 4u);
    EXPECT_FALSE(scarce.refused());
    EXPECT_THROW(const Document copy = document(), std::bad_alloc) << "a copy would have been noticed";
}

/// The copy that a refusal would restore may not fit into memory.
TEST_F(ControllerTest, aCommandWithoutMemoryForACopyOfTheDocumentFails) {
    constexpr std::size_t kLetters = 1'000'003;
    document().ui.files.folder = std::string(kLetters, 'x');
    const float glow = document().look.bloom;
    for (const bool batch : {false, true}) {
        std::vector<Command> commands(batch ? 2 : 1, SetParameter{"look.glow", 0.125});
        controller->post(commands, Sender::panel);
        const test::ScarceMemory scarce(kLetters + 1);
        std::vector<Event> events;
        ASSERT_NO_THROW(events = apply());
        EXPECT_TRUE(scarce.refused());
        ASSERT_EQ(events.size(), commands.size());
        EXPECT_EQ(events[0].status, CommandStatus::failed);
        EXPECT_THAT(events[0].why, HasSubstr("not enough memory"));
        EXPECT_EQ(document().look.bloom, glow);
    }
    EXPECT_EQ(ask(SetParameter{"look.glow", 0.125}).status, CommandStatus::applied) << "there is memory again";
    EXPECT_EQ(document().ui.files.folder.size(), kLetters);
}

/// A document is copied before each command, and the lab's editor holds up to 3 MiB of text.
TEST_F(ControllerTest, aCommandCopiesNoTextOfTheEditor) {
    constexpr std::size_t kLetters = 1'000'003;
    OwnKernel& own = document().labPanel.own;
    own.text = own.tried = own.exercise = std::string(kLetters, 'x');
    const test::ScarceMemory scarce(kLetters + 1);
    const Document copy = document();
    EXPECT_FALSE(scarce.refused());
    EXPECT_EQ(copy, document());
}

/// A window does not wait for the check of its forces, so its answers say where they came before it.
TEST_F(ControllerTest, answersBeforeTheCheckOfTheForcesSaySo) {
    std::string answer;
    const auto lineOf = [&](const char* text, bool clock) {
        Script script(
            *controller, Sender::script, [&](const ScriptAnswer& given) { answer = jsonText(given); }, clock);
        script.take(1, text);
        apply();
        script.look(document(), 0);
        return answer;
    };
    RunFacts& facts = document().facts;
    facts.step = 3;
    facts.interactionsPerSecond = 2e9;
    facts.forceSeconds = 0.5;
    facts.check.reset();
    EXPECT_EQ(lineOf("get run.rate", true), R"({"line":1,"status":"applied","value":null,"check":"pending"})");
    EXPECT_EQ(lineOf("get run.force_seconds", true), R"({"line":1,"status":"applied","value":null,"check":"pending"})");
    EXPECT_EQ(lineOf("get run.merged", true), R"({"line":1,"status":"applied","value":0,"check":"pending"})");
    EXPECT_EQ(lineOf("get run.step", true), R"({"line":1,"status":"applied","value":3})");
    EXPECT_EQ(lineOf("get run.merged", false), R"({"line":1,"status":"applied","value":0})") << "no clock, no hurry";
    EXPECT_THAT(lineOf("get run.rate", false), HasSubstr(R"("value":null,"why":"run.rate depends on the clock)"));
    const ScratchFolder folder;
    const std::string save = "do save " + (folder / "a.csv").string();
    EXPECT_THAT(lineOf(save.c_str(), true), HasSubstr(R"("check":"pending")"));
    facts.check = ForceCheck{.passed = false};
    EXPECT_EQ(lineOf("get run.rate", true), R"({"line":1,"status":"applied","value":null})") << "of wrong forces";
    facts.check->passed = true;
    EXPECT_EQ(lineOf("get run.rate", true), R"({"line":1,"status":"applied","value":2000000000.0})");
    EXPECT_THAT(lineOf(save.c_str(), true), testing::Not(HasSubstr("check")));
}

/// A file that was read begins its run between the commands, as its own command's effect.
TEST_F(ControllerTest, theRestOfAnEffectChangesTheDocument) {
    auto slow = std::make_unique<SlowHost>(*app);
    SlowHost& mine = *slow;
    this->host = std::move(slow);
    for (const bool refused : {false, true}) {
        const Ticket ticket = controller->post(Invoke{"save", {std::string("a.csv")}}, Sender::script);
        apply();
        EffectResult done;
        done.rest = [refused](Document& now) {
            now.look.bloom = 0.7f;
            return refused ? refusedBecause("no") : EffectResult();
        };
        mine.done = {{ticket, done}};
        document().look.bloom = 0;
        const std::vector<Event> events = apply();
        ASSERT_EQ(events.size(), 1u);
        EXPECT_EQ(events[0].status, refused ? CommandStatus::refused : CommandStatus::applied);
        EXPECT_EQ(app->document.look.bloom, 0.7f);
    }
}

TEST_F(ControllerTest, effectsThatTakeLongerEndWithTheirTicket) {
    auto slow = std::make_unique<SlowHost>(*app);
    SlowHost& mine = *slow;
    this->host = std::move(slow);
    const Ticket first = controller->post(Invoke{"save", {std::string("a.csv")}}, Sender::script);
    const Ticket second = controller->post(Invoke{"save", {std::string("b.csv")}}, Sender::script);
    controller->follow(second);
    std::vector<Event> events = apply();
    ASSERT_EQ(events.size(), 2u);
    for (const Event& event : events) EXPECT_EQ(event.status, CommandStatus::running);
    EXPECT_EQ(mine.begun, (std::vector<Ticket>{first, second}));
    EXPECT_TRUE(controller->busy());
    EXPECT_TRUE(apply().empty()) << "nothing has ended";
    // The second ends first, while others are running; its own reader finds both of its events.
    mine.done = {{second, failedBecause("the disk is full")}};
    controller->post(SetParameter{"look.glow", 0.5}, Sender::panel);
    EXPECT_EQ(apply().size(), 2u);
    events = controller->take(second);
    ASSERT_EQ(events.size(), 2u);
    EXPECT_EQ(events[1].status, CommandStatus::failed);
    EXPECT_EQ(events[1].why, "the disk is full");
    EXPECT_TRUE(controller->take(second).empty());
    EXPECT_TRUE(controller->busy());
    mine.done = {{first, {}}, {first, {}}};
    events = apply();
    ASSERT_EQ(events.size(), 1u) << "once";
    EXPECT_EQ(events[0].ticket, first);
    EXPECT_EQ(events[0].status, CommandStatus::applied);
    EXPECT_FALSE(controller->busy());
}

TEST_F(ControllerTest, aQuestionAboutUnitsThatWasPutAwayStaysAway) {
    auto start = std::make_shared<StartState>();
    start->file.path = "/data/mine.csv";
    start->doubt.question = "are these metres?";
    document().facts.configuration.start = start;
    ASSERT_TRUE(document().unitsInDoubt());
    invoke(actionOf("units-fine"), {}, document());
    EXPECT_FALSE(document().unitsInDoubt());
    ++document().facts.bodiesId;  // a body was removed, or another state restored
    EXPECT_FALSE(document().unitsInDoubt());
    document().facts.configuration.start = nullptr;
}

TEST_F(ControllerTest, aQuestionAboutOrbitsIsAnsweredInOnePress) {
    auto start = std::make_shared<StartState>();
    start->file.path = "/data/pair.csv";
    start->state.bodies.resize(2);
    start->state.bodies.position = {{0, 0, 0, 1}, {1.95, 0, 0, 1e-3}};
    start->state.bodies.velocity = {{0, 0, 0, 1}, {0, 0.16, 0, 1}};
    const RunFacts before = document().facts;
    RunFacts& facts = document().facts;
    facts.configuration.start = start;
    facts.configuration.force = {};
    facts.configuration.timeStep = 0.01;
    facts.integrator = &integrator("leapfrog");
    EXPECT_THAT(document().orbitsInDoubt(), ::testing::HasSubstr("bodies 0 and 1 turn about each other"));
    const std::optional<std::string> integratorBefore = document().intent.request.integrator;
    invoke(actionOf("use-radau15"), {}, document());
    EXPECT_EQ(document().intent.request.integrator, "radau15");
    document().intent.request.integrator = integratorBefore;
    invoke(actionOf("orbits-fine"), {}, document());
    EXPECT_EQ(document().orbitsInDoubt(), "") << "a question that was put away";
    document().ui.files.orbitsLeft.clear();
    facts.integrator = &integrator("radau15");
    EXPECT_EQ(document().orbitsInDoubt(), "");
    document().facts = before;
}

TEST_F(ControllerTest, pointsAtThePicture) {
    const float azimuth = app->document.camera.azimuth;
    EXPECT_EQ(ask(Pointer{PointerKind::orbit, {}, {30, 0}, {100, 100}}).status, CommandStatus::applied);
    EXPECT_NE(app->document.camera.azimuth, azimuth);
    const float distance = app->document.camera.distance;
    EXPECT_EQ(ask(Pointer{PointerKind::zoom, {50, 50}, {0, 2}, {100, 100}}).status, CommandStatus::applied);
    EXPECT_LT(app->document.camera.distance, distance);
}

TEST_F(ControllerTest, isPostedToFromAnyThread) {
    constexpr int kThreads = 4, kEach = 500;
    std::atomic<int> left = kThreads;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
        threads.emplace_back([&, t] {
            for (int i = 1; i <= kEach; ++i)
                controller->post(SetParameter{"camera.distance", static_cast<double>(1000 * (t + 1) + i)}, Sender::socket);
            --left;
        });
    std::vector<Event> all;
    while (left > 0 || controller->busy())
        for (const Event& event : apply()) all.push_back(event);
    for (std::thread& thread : threads) thread.join();
    for (const Event& event : apply()) all.push_back(event);
    ASSERT_EQ(all.size(), static_cast<std::size_t>(kThreads * kEach)) << "none is lost, none is there twice";
    std::vector<double> last(kThreads + 1, 0);
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(all[i].ticket, i + 1);
        const double value = std::get<double>(std::get<SetParameter>(all[i].command).value);
        const auto thread = static_cast<std::size_t>(value / 1000);
        EXPECT_GT(value, last[thread]) << "the commands of a thread keep their order";
        last[thread] = value;
    }
}

TEST_F(ControllerTest, tellsTheStateAsJson) {
    const std::string paths[] = {"run.bodies", "look.glow", "camera.target", "run.rate", "view.selected_mass"};
    const Document& d = document();
    EXPECT_EQ(Controller::state(d, std::span(paths).first(2)), "{\"run.bodies\":64,\"look.glow\":0.3}");
    EXPECT_THAT(Controller::state(d, paths, false), HasSubstr("\"run.rate\":null,\"view.selected_mass\":null"));
    const std::string wrong[] = {"run.bodys"};
    EXPECT_THROW(Controller::state(d, wrong), UsageError);
}

}  // namespace
}  // namespace gravlab
