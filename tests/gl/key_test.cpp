// Keys: each stroke of the table posts its own row, which acts or says why it does not; grey values of lists are refused. No
// window is needed for that; tests/gui tests that a window forwards its keys.
#include "app/control/action.h"
#include "app/control/controller.h"
#include "app/model/ui_state.h"
#include "app/parameters/parameter.h"
#include "app/runs/device_parts.h"
#include "app/ui/input.h"
#include "app/ui/ui.h"
#include "app/view/base_host.h"
#include "edits.h"
#include "gl_fixture.h"
#include "tests/written.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace gravlab {
namespace {

using test::written;

class KeyTest : public test::GlTest {
protected:
    void begin(const char* scene, const char* backend = "cpu", const char* integrator = "") {
        StartOptions options{.simulation = {.scene = scene, .backend = backend}};
        if (*integrator) options.simulation.integrator = integrator;
        if (!sceneNamed(scene).fixedBodies) options.simulation.bodies = 60;
        app = std::make_unique<App>(options);
        host = std::make_unique<test::WithoutFiles>(*app);
        controller = std::make_unique<Controller>();
    }
    void TearDown() override {
        app.reset();
        GlTest::TearDown();
    }
    std::vector<Event> apply() { return controller->apply(*host); }
    Event ask(Command command) {
        controller->post(std::move(command), Sender::script);
        return apply().front();
    }
    std::string settings() {
        const Document& document = app->document;
        std::string text = app->document.message;
        for (const Parameter& row : parameters())
            if (!row.fact()) text += row.path + " " + valueText(row.get(document)) + "\n";
        return text;
    }

    /// One frame after a key; whether the key changed anything.
    bool press(Key key, int modifiers = kNoModifier) {
        pressKey(key, modifiers, *controller);
        const std::vector<Event> events = apply();
        app->advance(true);
        return events.size() == 1 && events[0].status == CommandStatus::applied;
    }
    /// Runs frames until the condition holds; false when it never does.
    bool until(const std::function<bool()>& met) {
        OffscreenTarget picture(64, 48);
        for (const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2); !met();) {
            if (std::chrono::steady_clock::now() > end) return false;
            apply();
            app->advance(true);
            written(*app).turn(0.05);
            app->draw(picture.framebuffer(), 64, 48);
        }
        return true;
    }
    Value value(const char* path) {
        const Document& document = app->document;
        return parameter(path).get(document);
    }
    double number(const char* path) { return numberOf(value(path)).value(); }

    std::unique_ptr<App> app;
    std::unique_ptr<BaseHost> host;
    std::unique_ptr<Controller> controller;
};

TEST_F(KeyTest, aPointerThatMovesAndClicksBetweenTwoFramesMeansWhatIsUnderIt) {
    begin("plummer");
    Ui ui(1, context_->description(), *app);
    ui.setSurface(1280, 720, 1.0 / 60);
    OffscreenTarget target(1280, 720);
    const auto frame = [&] {
        app->draw(target.framebuffer(), 1280, 720);
        ui.frame(*app);
        ui.draw();
    };
    const auto move = [&](float x, float y) { ui.take(PointerEvent{.at = {x, y}}); };
    const glm::vec2 kPanel{150, 60}, kPicture{640, 250};
    frame();
    for (const bool over : {true, false, true}) {
        const glm::vec2 from = over ? kPicture : kPanel, to = over ? kPanel : kPicture;
        move(from.x, from.y);
        for (int i = 0; i < 2; ++i) frame();
        EXPECT_EQ(ui.focus().pointer, !over);
        move(to.x, to.y);
        EXPECT_EQ(ui.focus().pointer, over) << "before the frame that draws the pointer there";
    }
}

TEST_F(KeyTest, devicesHaveCheckMarksWithTheirSharesWhereThereAreSeveral) {
    begin("plummer");
    EXPECT_TRUE(app->document.facts.devices.empty()) << "a processor has no list";
    written(*app).ui.depth = Depth::measure;
    Ui ui(1, context_->description(), *app);
    ui.recordItems(true);
    OffscreenTarget target(1280, 900);
    std::string posted;
    const auto frame = [&] {
        app->draw(target.framebuffer(), 1280, 900);
        ui.setSurface(1280, 900, 1.0 / 60);
        ui.frame(*app, [&](const std::vector<Command>& batch) { posted = commandText(batch.front()); });
        ui.draw();
    };
    const auto item = [&](std::string_view name) -> std::optional<UiItem> {
        const auto found = std::ranges::find(ui.items(), name, &UiItem::name);
        return found == ui.items().end() ? std::nullopt : std::optional(*found);
    };
    const auto click = [&](const UiItem& at) {
        const glm::vec2 place{(at.left + at.right) / 2, (at.top + at.bottom) / 2};
        ui.take(PointerEvent{.at = place});
        frame();
        for (const auto change : {PointerEvent::Change::press, PointerEvent::Change::release}) {
            ui.take(PointerEvent{.change = change, .at = place});
            frame();
        }
    };
    RunFacts& facts = written(*app).facts;
    for (int k = 0; k < 2; ++k) frame();
    EXPECT_FALSE(item("run.device/0"));
    const double shares[] = {0.5, 0.5, 0};
    facts.devices = deviceParts("0: A, 4 units\n1: B, 4 units\n2: C, 2 units", std::vector{0, 1}, std::vector{4.0, 4.0});
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(facts.devices.at(k).share, shares[k]);
    EXPECT_EQ(facts.devices[1].name, "B");
    facts.configuration.backendOptions = {.device = 0, .helpers = {1}};
    for (int k = 0; k < 2; ++k) frame();
    ASSERT_TRUE(item("run.device/2"));
    click(*item("run.device/2"));
    EXPECT_EQ(posted, "set run.device 0,1,2");
    click(*item("run.device/0"));
    EXPECT_EQ(posted, "set run.device \"1\"") << "the next one holds the bodies";
    facts.configuration.backendOptions.helpers.clear();
    posted.clear();
    frame();
    EXPECT_FALSE(item("run.device/0")->enabled);
    EXPECT_TRUE(deviceParts("none: no driver", {}, {}).empty());
}

TEST_F(KeyTest, everyStrokeDoesItsRowOrSaysWhyNot) {
    std::size_t done = 0, refused = 0;
    for (const Menu& menu : menus())
        for (const Action& action : menu.rows)
            for (const KeyStroke& stroke : action.strokes) {
                if (stroke.key == Key::none) continue;
                const Key last = stroke.last == Key::none ? stroke.key : stroke.last;
                const int place = static_cast<int>(last) - static_cast<int>(stroke.key);
                SCOPED_TRACE(std::string(action.name) + " at place " + std::to_string(place));
                begin("plummer");
                written(*app).camera.azimuth += 0.5f;  // so that the action for the scene's view has an effect
                const std::string before = settings();
                const std::uint64_t bodies = app->document.facts.bodiesId;
                ASSERT_EQ(pressKey(last, stroke.modifiers, *controller), &action);
                const std::vector<Event> events = apply();
                ASSERT_EQ(events.size(), 1u);
                EXPECT_EQ(events[0].sender, Sender::key);
                const auto& command = std::get<Invoke>(events[0].command);
                EXPECT_EQ(command.action, action.name);
                if (hasChoices(action)) {
                    EXPECT_EQ(command.arguments.at(0), Value(std::int64_t{place} + 1));
                }
                if (events[0].status == CommandStatus::applied) {
                    const bool changed = settings() != before || app->document.facts.bodiesId != bodies;
                    // Nothing is open here that could be closed.
                    EXPECT_TRUE(changed || !action.whyNotUndoable.empty() || !action.undoSkips.empty() ||
                                action.name == "close")
                        << "it does nothing";
                    ++done;
                } else {
                    EXPECT_FALSE(events[0].why.empty());
                    EXPECT_EQ(app->document.message, events[0].why) << "who pressed a key reads the sentence";
                    ++refused;
                }
                // A held key repeats its row only where that is wanted.
                EXPECT_EQ(pressKey(last, stroke.modifiers, *controller, true), &action);
                EXPECT_EQ(controller->posted(), action.repeats);
            }
    EXPECT_GT(done, 55u);
    EXPECT_GT(refused, 3u);
    EXPECT_EQ(pressKey(Key::padEnter, kControl, *controller), nullptr);
}

TEST_F(KeyTest, whatIsHeldGoesOnByTheClock) {
    begin("plummer");
    const glm::vec3 before = app->document.camera.target;
    EXPECT_EQ(ask(Invoke{"fly-ahead", {0.0}}).status, CommandStatus::applied);
    EXPECT_EQ(app->document.camera.target, before);
    EXPECT_EQ(ask(Invoke{"fly-ahead", {0.5}}).status, CommandStatus::applied);
    EXPECT_NE(app->document.camera.target, before);
    EXPECT_EQ(ask(Invoke{"fly-ahead", {std::string("long")}}).status, CommandStatus::refused);
}

/// Lists of both runs: each grey value is refused, with the same reason.
TEST_F(KeyTest, whatAListGreysIsRefused) {
    begin("figure-eight", "reference", "hermite4");
    ASSERT_EQ(ask(SetParameter{"twin.on", true}).status, CommandStatus::applied);
    for (const std::string run : {"run.", "twin."}) {
        const auto refusedBy = [&](const std::string& list, const std::string& name) {
            const Document& document = app->document;
            for (const SettingChoice& offer : offersOf(parameter(run + list), document))
                if (offer.name == name) return !offer.refused.empty();
            ADD_FAILURE() << run << list << " has no " << name;
            return false;
        };
        EXPECT_TRUE(refusedBy("backend", "cpu")) << run << ": only the reference has hermite4";
        EXPECT_FALSE(refusedBy("backend", "reference")) << run;
        EXPECT_TRUE(refusedBy("law", "coulomb")) << run << ": hermite4 knows gravity only";
        EXPECT_EQ(ask(SetParameter{run + "law", std::string("coulomb")}).status, CommandStatus::refused) << run;
        EXPECT_FALSE(refusedBy("integrator", "radau15")) << run;
    }
}

TEST_F(KeyTest, aTwinTakesSettingsAndFollowsTheFirst) {
    begin("plummer");
    ASSERT_EQ(ask(SetParameter{"twin.on", true}).status, CommandStatus::applied);
    const auto twin = [&]() -> const RunConfiguration& { return app->runs.twin().simulation().configuration(); };
    ask(SetParameter{"twin.integrator", std::string("yoshida4")});
    EXPECT_EQ(twin().integrator, "yoshida4");
    ask(SetParameter{"twin.precision", std::string("fp64")});
    ask(SetParameter{"twin.integrator", std::string("same")});
    EXPECT_EQ(twin().integrator, "leapfrog");
    EXPECT_EQ(twin().force.precision, Precision::fp64);
    app->advance(false);
    EXPECT_EQ(ask(Invoke{"reset"}).status, CommandStatus::applied);
    EXPECT_EQ(app->runs.twin().simulation().step(), 0);
    ask(SetParameter{"run.scene", std::string("figure-eight")});
    EXPECT_EQ(twin().bodies, 3u);
    EXPECT_EQ(ask(Invoke{"twin-same"}).status, CommandStatus::applied);
    EXPECT_THAT(ask(Invoke{"twin-same"}).why, testing::HasSubstr("already"));
    ask(Invoke{"twin"});
    EXPECT_FALSE(app->runs.twin().on());
    EXPECT_THAT(ask(Invoke{"twin-same"}).why, testing::HasSubstr("no twin"));
}

/// The numbers of the present law, by the row's own range.
TEST_F(KeyTest, theNumbersOfALawBelongToIt) {
    begin("lennard-jones");
    EXPECT_EQ(ask(SetParameter{"run.cut_off", 3.0}).status, CommandStatus::applied);
    EXPECT_EQ(app->document.facts.configuration.force.cutOff, 3.0);
    EXPECT_EQ(ask(SetParameter{"run.strength", 0.5}).status, CommandStatus::applied);
    EXPECT_THAT(ask(SetParameter{"run.diameter", 5000.0}).why, testing::HasSubstr("at most"));
    EXPECT_THAT(ask(SetParameter{"run.exponent", 1.5}).why, testing::HasSubstr("power law"));
    EXPECT_EQ(ask(SetParameter{"run.law", std::string("power-law")}).status, CommandStatus::applied);
    EXPECT_EQ(ask(SetParameter{"run.exponent", 1.5}).status, CommandStatus::applied);
    EXPECT_EQ(ask(SetParameter{"run.cut_off", 2.0}).status, CommandStatus::refused);
}

TEST_F(KeyTest, keysHaveTheirEffect) {
    begin("plummer");
    ask(SetParameter{"run.speed", std::string("auto")});
    ASSERT_TRUE(press(Key::space));
    EXPECT_EQ(value("run.paused"), Value(true));
    const double step = number("run.step"), timeStep = number("run.time_step"), speed = number("run.speed");
    press(Key{'N'});
    EXPECT_EQ(number("run.step"), step + 1);
    press(Key::right);
    EXPECT_EQ(number("run.step"), step + 2);
    press(Key{'.'});
    EXPECT_EQ(number("run.speed"), 2 * speed);
    press(Key{','});
    EXPECT_EQ(number("run.speed"), speed);
    EXPECT_EQ(number("run.time_step"), timeStep) << "the pace is not the step";
    press(Key{'.'}, kControl);
    EXPECT_EQ(number("run.time_step"), 2 * timeStep);
    press(Key{','}, kControl);
    EXPECT_EQ(number("run.time_step"), timeStep);
    press(Key{'R'});
    EXPECT_EQ(number("run.step"), 0);
    press(Key::pageUp);
    EXPECT_EQ(number("run.bodies"), 120);
    press(Key::pageDown);
    EXPECT_EQ(number("run.bodies"), 60);
    const int colours = app->document.look.colourMap;
    press(Key{'C'});
    EXPECT_EQ(app->document.look.colourMap, colours + 1);
    const double exposure = number("look.exposure");
    press(Key::equal);
    EXPECT_GT(number("look.exposure"), exposure);
    press(Key{'-'});
    press(Key{'-'});
    EXPECT_LT(number("look.exposure"), exposure);
    press(Key::f1);
    EXPECT_EQ(value("window.help"), Value(true));
    press(Key::escape);
    EXPECT_EQ(value("window.help"), Value(false));
    press(Key{'G'});
    EXPECT_EQ(value("window.panels"), Value(false));
    press(Key::tab);
    EXPECT_EQ(value("window.visible"), Value(false));
    press(Key::tab);
    press(Key{'G'});
    EXPECT_EQ(value("window.panels"), Value(true));
    press(Key{'B'});
    EXPECT_NE(value("run.backend"), Value(std::string("cpu")));
    press(Key{']'});
    EXPECT_NE(value("run.scene"), Value(std::string("plummer")));
    press(Key{'M'});
    EXPECT_EQ(value("look.colour_mode"), Value(std::string("acceleration")));
    press(Key{'X'});
    EXPECT_EQ(value("overlay.axes"), Value(true));
    press(Key{'B'}, kControl);
    EXPECT_EQ(value("look.white_page"), Value(true));
    press(Key{'P'}, kControl);
    EXPECT_EQ(value("window.projector"), Value(true));
    press(Key{'Q'}, kControl);
    EXPECT_TRUE(host->quits());
}

TEST_F(KeyTest, aRunTakesBackendKernelAndIntegrator) {
    begin("plummer");
    app->advance(true);
    const double before = number("run.step");
    const auto checked = [&] { return value("run.check") == Value(std::string("passed")); };
    EXPECT_TRUE(until(checked));
    EXPECT_TRUE(until([&] { return numberOf(value("run.rate")).value_or(0) > 0; })) << "a rate comes after the check";
    EXPECT_EQ(ask(SetParameter{"run.kernel", std::string("naive")}).status, CommandStatus::applied);
    EXPECT_EQ(value("run.kernel"), Value(std::string("naive")));
    EXPECT_TRUE(until(checked));
    EXPECT_EQ(ask(SetParameter{"run.backend", std::string("reference")}).status, CommandStatus::applied);
    EXPECT_EQ(value("run.backend"), Value(std::string("reference")));
    EXPECT_GE(number("run.step"), before) << "the run must go on";
    EXPECT_TRUE(until(checked));
    EXPECT_EQ(ask(SetParameter{"run.integrator", std::string("yoshida4")}).status, CommandStatus::applied);
    EXPECT_TRUE(actionOf("more-bodies").unavailable(app->document).empty());
    EXPECT_EQ(ask(SetParameter{"run.scene", std::string("two-body")}).status, CommandStatus::applied);
    EXPECT_EQ(number("run.bodies"), 2);
    EXPECT_FALSE(actionOf("more-bodies").unavailable(app->document).empty()) << "this scene has two bodies only";
}

TEST_F(KeyTest, aTourGoesAlongRememberedViews) {
    begin("plummer");
    press(Key{'W'}, kAlt);
    EXPECT_THAT(app->document.message, testing::HasSubstr("Ctrl 1"));
    press(Key::escape);
    EXPECT_EQ(app->document.message, "");
    EXPECT_TRUE(press(Key{'1'}, kControl));
    const glm::vec3 before = app->document.camera.target;
    for (int i = 0; i < 4; ++i) press(Key{'W'});
    EXPECT_NE(app->document.camera.target, before);
    EXPECT_TRUE(press(static_cast<Key>('2'), kControl));
    EXPECT_EQ(number("camera.remembered"), 2);
    EXPECT_TRUE(press(Key{'W'}, kAlt));
    EXPECT_EQ(value("camera.flying"), Value(true));
    EXPECT_TRUE(until([&] { return value("camera.flying") == Value(false); }));
    EXPECT_EQ(app->document.message, "");
}

TEST_F(KeyTest, aSweepIsGreyWhereTheKernelCannotVary) {
    begin("plummer");
    const Document& document = app->document;
    std::map<std::string, Reason> refused;
    for (const SettingChoice& offer : offersOf(parameter("lab.sweep"), document)) refused[offer.name] = offer.refused;
    EXPECT_FALSE(refused.at("block").empty());
    EXPECT_FALSE(refused.at("split").empty());
    EXPECT_TRUE(refused.at("unroll").empty());
    EXPECT_TRUE(refused.at("bodies").empty());
}

/// On a slow machine F3, the words and Enter come within one frame, and a key after them.
TEST_F(KeyTest, textMayComeInOneFrameWithTheKeyThatOpensItsField) {
    begin("two-body");
    written(*app).ui.inWindow = true;
    Ui ui(1, "", *app);
    const auto focus = [&] {
        PanelFocus now = ui.focus();
        now.changing = controller->posted();
        return now;
    };
    Input input(
        app->document, app->reports.panels,
        [&](Command command, Sender sender) { controller->post(std::move(command), sender); }, focus,
        [&](const InputEvent& event) { ui.take(event); });
    const auto press = [&](Key key, bool text) {
        KeyEvent event{.physical = key, .printed = text ? key : Key::none};
        input.take(event);
        if (text) input.take(TextEvent{static_cast<unsigned>(key)});
        event.down = false;
        input.take(event);
    };
    const auto frame = [&] {
        apply();
        ui.setSurface(800, 600, 0.02);
        ui.frame(*app, [&](std::vector<Command> batch) { controller->post(std::move(batch), Sender::panel); });
        input.resume();
    };
    for (int i = 0; i < 3; ++i) frame();
    const bool grid = app->document.overlay.grid, trails = app->document.look.trails > 0;
    press(Key::f3, false);
    for (const char letter : {'H', 'E', 'L', 'D', ' ', 'R', 'E', 'L', 'E', 'A', 'S', 'E'})
        press(static_cast<Key>(letter), true);
    for (int i = 0; i < 12; ++i) frame();
    EXPECT_TRUE(app->document.ui.find);
    EXPECT_TRUE(ui.wantsKeyboard());
    press(Key::escape, false);
    press(Key{'Z'}, true);
    for (int i = 0; i < 12 && (input.pending() || controller->posted()); ++i) frame();
    EXPECT_FALSE(app->document.ui.find) << "Esc closes it";
    EXPECT_NE(app->document.overlay.grid, grid) << "Z came after it";
    EXPECT_EQ(app->document.look.trails > 0, trails);
    EXPECT_FALSE(input.pending());
}

}  // namespace
}  // namespace gravlab
