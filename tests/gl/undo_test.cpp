// Undo: each row of both tables is restored to its earlier state, or says why not.
#include "app/control/action.h"
#include "app/model/ui_state.h"
#include "commands_fixture.h"
#include "edits.h"
#include "tests/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <set>
#include <thread>

namespace gravlab {
namespace {

using test::written;

using testing::HasSubstr;

class UndoTest : public test::CommandsTest {
protected:
    void begin(const char* scene) {
        StartOptions options{.simulation = {.scene = scene, .backend = "cpu"}};
        if (!sceneNamed(scene).fixedBodies) options.simulation.bodies = 64;
        CommandsTest::begin(options);
    }
    /// All settings, and the bodies.
    std::string state() {
        std::string text = settings();
        ParticleSet bodies = app->runs.simulation().bodies();
        for (std::size_t i = 0; i < bodies.size(); ++i)
            for (const Double4& v : {bodies.position[i], bodies.velocity[i]})
                text +=
                    shortestText(v.x) + " " + shortestText(v.y) + " " + shortestText(v.z) + " " + shortestText(v.w) + "\n";
        return text;
    }
    /// Other values that a row accepts, the likeliest first.
    std::vector<Value> othersOf(const Parameter& row) {
        const Value now = row.get(document());
        std::vector<Value> values;
        if (row.kind == Kind::flag) values.emplace_back(now != Value(true));
        if (row.kind == Kind::choice)
            for (const SettingChoice& offer : offersOf(row, document()))
                if (offer.refused.empty() && Value(offer.name) != now) values.emplace_back(offer.name);
        if (row.kind == Kind::number)
            for (const double factor : {0.5, 2.0, 0.75}) values.emplace_back(numberOf(now).value_or(1) * factor);
        if (row.kind == Kind::number) values.insert(values.end(), {Value(0.25), Value(1.5)});
        if (row.kind == Kind::integer) {
            const auto whole = static_cast<std::int64_t>(numberOf(now).value_or(1));
            values.insert(values.end(), {Value(whole + 1), Value(whole * 2), Value(std::int64_t{2}), Value(std::int64_t{1}),
                                         Value(std::int64_t{1024})});
        }
        if (row.kind == Kind::names)
            values.insert(values.end(), {Value(row.choices().back()), Value(row.choices().front())});
        if (row.kind == Kind::list) values.emplace_back(std::vector<double>{0.5, -1, 2});
        return values;
    }
};

TEST_F(UndoTest, takesEveryParameterBack) {
    // Rows of another machine, scene or law than those tried here, or with a single value.
    std::set<std::string> never;
    for (const Parameter& row : parameters())
        if (!row.fact()) never.insert(row.path);
    for (const char* scene : {"collision", "lennard-jones", "figure-eight", "power-law"}) {
        begin(scene);
        ASSERT_EQ(ask(SetParameter{"view.selected", std::int64_t{1}}).status, CommandStatus::applied);
        for (const Parameter& row : parameters()) {
            if (row.fact() || row.path == "run.paused" || row.path == "run.replays") continue;  // no changes
            for (const Value& value : othersOf(row)) {
                const std::string before = state(), set = settings();
                if (ask(SetParameter{row.path, value}).status != CommandStatus::applied || state() == before) continue;
                const Event event = ask(Invoke{"undo"});
                EXPECT_EQ(event.status, CommandStatus::applied) << row.path << " " << valueText(value) << ": " << event.why;
                EXPECT_THAT(event.why, HasSubstr("set " + row.path));
                if (event.why.find("rounding") != std::string::npos) {
                    ASSERT_EQ(settings(), set) << row.path;
                    begin(scene);
                    ask(SetParameter{"view.selected", std::int64_t{1}});
                } else
                    ASSERT_EQ(state(), before) << row.path << " " << valueText(value) << " in " << scene;
                never.erase(row.path);
                break;
            }
        }
    }
    // Valid with a row that approximates far bodies, and finer than the values tried above.
    begin("collision");
    ASSERT_EQ(ask(SetParameter{"run.precision", std::string("fp32")}).status, CommandStatus::applied);
    ASSERT_EQ(ask(SetParameter{"run.kernel", std::string("tree")}).status, CommandStatus::applied);
    const auto takesBack = [&](const char* path, const Value& value) {
        SCOPED_TRACE(path);
        const std::string set = settings();
        ASSERT_EQ(ask(SetParameter{path, value}).status, CommandStatus::applied);
        EXPECT_NE(settings(), set);
        EXPECT_EQ(ask(Invoke{"undo"}).status, CommandStatus::applied);
        EXPECT_EQ(settings(), set);
        never.erase(path);
    };
    takesBack("run.accuracy", 5e-3);
    takesBack("run.exact_forces", true);
    // Only bodies with radii can touch.
    ASSERT_EQ(ask(SetParameter{"run.radius", 1e-3}).status, CommandStatus::applied);
    takesBack("run.contact", std::string("bounce"));
    // Only a run with a force term beside the pair law has a choice.
    begin("cloth");
    takesBack("lab.term", std::string("bonds"));
    for (auto row = never.begin(); row != never.end();)
        row = row->starts_with("scene.") || parameter(*row).kind == Kind::text ? never.erase(row) : std::next(row);
    const std::set<std::string> known{
        "run.paused", "run.replays",           "run.device",         "run.unroll",  "run.block",
        "run.split",  "run.bodies_per_thread", "look.copy_vertices", "lab.recorded"};
    for (const std::string& path : never) EXPECT_TRUE(known.contains(path)) << path << " was never taken back";
}

TEST_F(UndoTest, takesEveryActionBackOrSaysWhyNot) {
    std::size_t taken = 0, said = 0;
    for (const Menu& menu : menus())
        for (const Action& action : menu.rows) {
            SCOPED_TRACE(std::string(action.name));
            if (!app || !action.whyNotUndoable.empty() || app->document.facts.configuration.scene != "plummer")
                begin("plummer");
            host = std::make_unique<test::RunsAlone>(*app);
            controller = std::make_unique<Controller>();
            written(*app).selectId(5);
            written(*app).dismissMessage();
            std::vector<Value> arguments;
            for (const SettingChoice& choice : choicesOf(action, document()))
                if (choice.refused.empty()) arguments = {choice.name};
            const std::string before = state();
            if (action.name == "undo" || (hasChoices(action) && arguments.empty())) continue;
            if (ask(Invoke{std::string(action.name), arguments}).status != CommandStatus::applied) continue;
            const Event event = ask(Invoke{"undo"});
            const std::string why = std::string(action.whyNotUndoable) + std::string(action.undoSkips);
            if (!why.empty()) {
                EXPECT_EQ(event.why, why);
                EXPECT_EQ(event.status, CommandStatus::refused);
                ++said;
            } else if (event.status == CommandStatus::refused) {
                EXPECT_EQ(event.why, "There is nothing to undo.") << "it changed something";
                EXPECT_EQ(state(), before);
            } else {
                EXPECT_EQ(state(), before);
                ++taken;
            }
        }
    EXPECT_GT(taken, 40u);
    EXPECT_GT(said, 12u);
}

TEST_F(UndoTest, takesADragForOneChange) {
    begin("plummer");
    ask(SetParameter{"look.glow", 0.6});
    for (const double glow : {0.5, 0.4, 0.2}) ask(SetParameter{"look.glow", glow, glow < 0.5});
    ask(SetParameter{"look.exposure", 2.0, true});  // another one, whatever its message
    EXPECT_EQ(ask(Invoke{"undo"}).why, "set look.exposure 2.0 is undone");
    EXPECT_EQ(ask(Invoke{"undo"}).why, "set look.glow 0.5 is undone");
    EXPECT_EQ(app->document.look.bloom, 0.6f);
    EXPECT_EQ(ask(Invoke{"undo"}).status, CommandStatus::applied);
    EXPECT_EQ(app->document.look.bloom, 0.3f);
    EXPECT_EQ(ask(Invoke{"undo"}).why, "There is nothing to undo.");
}

TEST_F(UndoTest, takesAFlightByHeldKeysForOneChange) {
    begin("plummer");
    ask(SetParameter{"look.glow", 0.1});
    const std::string before = state();
    for (int frame = 0; frame < 60; ++frame)
        for (const char* row : {"fly-ahead", "fly-left"}) ask(Invoke{row, {0.016}});
    EXPECT_NE(state(), before);
    EXPECT_EQ(ask(Invoke{"undo"}).why, "do fly-ahead is undone");
    EXPECT_EQ(state(), before);
    EXPECT_EQ(ask(Invoke{"undo"}).why, "set look.glow 0.1 is undone");
}

TEST_F(UndoTest, goesOnBehindWhatLasts) {
    begin("plummer");
    written(*app).selectId(5);
    const std::string before = state();
    ask(Invoke{"remove"});
    EXPECT_NE(state(), before);
    ask(Pointer{PointerKind::zoom, {50, 50}, {0, 2}, {100, 100}});  // the pointer itself undoes it
    ask(Pointer{PointerKind::zoom, {50, 50}, {0, -2}, {100, 100}});
    ask(Invoke{"menus"});
    ask(Invoke{"step"});
    ask(Invoke{"step"});
    EXPECT_THAT(ask(Invoke{"undo"}).why, HasSubstr("Steps are not undone"));
    EXPECT_EQ(ask(Invoke{"undo"}).status, CommandStatus::applied);
    ParticleSet bodies = app->runs.simulation().bodies();
    EXPECT_EQ(bodies.size(), 64u);
    EXPECT_EQ(app->document.selected->id, 5u);
    // Bodies of an earlier run are gone.
    ask(Invoke{"remove"});
    controller->post(Invoke{"reset"}, Sender::lesson);
    controller->apply(*host);
    EXPECT_THAT(ask(Invoke{"undo"}).why, HasSubstr("begun anew"));
}

TEST_F(UndoTest, takesBackWhatWasOpened) {
    begin("plummer");
    ask(SetParameter{"run.softening", 0.3});
    ask(SetParameter{"run.softening", 0.5});
    const std::string file = testing::TempDir() + "undo_" + std::to_string(getpid()) + ".csv";
    put(file, "m,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n1,1,0,0,0,1,0\n");
    for (const std::string& opened : {std::string("two-body"), std::string("plummer"), file}) {
        SCOPED_TRACE(opened);
        app->advance(false);
        const std::string before = state();
        ASSERT_EQ(ask(OpenFile{opened}).status, CommandStatus::applied);
        EXPECT_NE(state(), before);
        EXPECT_EQ(ask(Invoke{"undo"}).why, "open " + opened + " is undone");
        EXPECT_EQ(state(), before);
    }
    std::filesystem::remove(file);
    EXPECT_EQ(ask(Invoke{"undo"}).why, "set run.softening 0.5 is undone") << "of the run that came back";
    EXPECT_EQ(document().facts.configuration.force.softening, 0.3);
}

TEST_F(UndoTest, leavesARunThatOtherSendersBegan) {
    begin("plummer");
    ask(SetParameter{"look.glow", 0.1});
    ask(SetParameter{"run.softening", 0.3});
    ask(SetParameter{"run.bodies", std::int64_t{32}});
    controller->post(SetParameter{"run.scene", std::string("two-body")}, Sender::lesson);
    controller->apply(*host);
    const double softening = document().facts.configuration.force.softening;
    for (int change = 0; change < 2; ++change) {
        const Event event = ask(Invoke{"undo"});
        EXPECT_EQ(event.status, CommandStatus::refused);
        EXPECT_THAT(event.why, HasSubstr("changed a run that has ended"));
    }
    EXPECT_EQ(document().facts.configuration.scene, "two-body");
    EXPECT_EQ(document().facts.configuration.force.softening, softening);
    EXPECT_EQ(ask(Invoke{"undo"}).why, "set look.glow 0.1 is undone") << "no setting of a run";
}

TEST_F(UndoTest, bringsBackSizesAndAutomaticColoursAndNoPause) {
    begin("planetesimals");
    const auto radii = [&] {
        ParticleSet bodies = app->runs.simulation().bodies();
        std::set<double> all;
        for (const Surface& surface : bodies.surface) all.insert(surface.radius);
        return all;
    };
    const std::set<double> before = radii();
    ask(SetParameter{"run.radius", 3.0});
    EXPECT_EQ(radii(), std::set<double>{3.0});
    ask(SetParameter{"look.colour_mode", std::string("mass")});
    ask(Invoke{"pause"});
    const bool paused = document().intent.paused;
    EXPECT_EQ(ask(Invoke{"undo"}).why, "set look.colour_mode mass is undone");
    EXPECT_EQ(document().intent.paused, paused);
    EXPECT_LT(document().colourMode, 0) << "the scene chooses, as before";
    EXPECT_EQ(ask(Invoke{"undo"}).why, "set run.radius 3.0 is undone");
    EXPECT_EQ(radii(), before);
    begin("plummer");
    ask(SetParameter{"run.density", 1.0});
    ask(Invoke{"undo"});
    EXPECT_TRUE(ParticleSet(app->runs.simulation().bodies()).surface.empty()) << "points as before";
}

TEST_F(UndoTest, saysThatBodiesAreRoundedOnlyWhereTheyAre) {
    begin("plummer");
    ask(SetParameter{"run.bodies", std::int64_t{300}});
    ASSERT_EQ(document().facts.configuration.force.precision, Precision::fp32);
    const std::string before = state();
    ask(SetParameter{"run.bodies", std::int64_t{100}});
    ASSERT_EQ(document().facts.configuration.force.precision, Precision::fp64);
    EXPECT_EQ(ask(Invoke{"undo"}).why, "set run.bodies 100 is undone");
    EXPECT_EQ(state(), before);
}

TEST_F(UndoTest, ofANewStartBringsBackItsCurves) {
    begin("plummer");
    document().intent.stepsPerFrame = 1;
    const auto& points = app->services.conservation.points();
    const auto measure = [&](std::size_t count) {
        for (int k = 0; k < 20000 && points.size() < count; ++k) {
            app->advance(true);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    };
    measure(2);
    const std::vector<ConservationPoint> known = points;
    const std::int64_t left = document().facts.step;
    for (int start = 0; start < 2; ++start) {
        ask(Invoke{"reset"});
        app->advance(true);
        measure(1);
    }
    for (int start = 0; start < 2; ++start) ASSERT_EQ(ask(Invoke{"undo"}).why, "do reset is undone");
    ASSERT_EQ(document().facts.step, left);
    app->advance(true);
    ASSERT_GE(points.size(), known.size());
    for (std::size_t i = 0; i < known.size(); ++i) {
        EXPECT_EQ(points[i].step, known[i].step);
        EXPECT_EQ(points[i].change, known[i].change);
    }
}

TEST_F(UndoTest, takesBackANewStartWithTheEditsBeforeIt) {
    begin("plummer");
    ask(Invoke{"step"});
    written(*app).selectId(5);
    ask(Invoke{"remove"});
    ask(Invoke{"step"});
    const std::string before = state();
    ASSERT_GT(document().intent.singleSteps, 0);
    ASSERT_EQ(ask(Invoke{"reset"}).status, CommandStatus::applied);
    EXPECT_EQ(document().intent.singleSteps, 0) << "steps that the run before did not make";
    EXPECT_NE(state(), before);
    EXPECT_EQ(ask(Invoke{"undo"}).why, "do reset is undone");
    EXPECT_EQ(state(), before);
    EXPECT_THAT(ask(Invoke{"undo"}).why, HasSubstr("Steps are not undone"));
    EXPECT_EQ(ask(Invoke{"undo"}).status, CommandStatus::applied);
    ParticleSet bodies = app->runs.simulation().bodies();
    EXPECT_EQ(bodies.size(), 64u) << "the body that was removed before the new start";
}

TEST_F(UndoTest, statesOfFilesAreKeptInTheOrderOfTheirTimesAndShown) {
    begin("plummer");
    app->runs.keepHistory(std::size_t{64} << 20);
    Simulation& simulation = app->runs.simulation();
    std::vector<RunState> states(3, simulation.state());
    for (std::size_t i = 0; i < states.size(); ++i) {
        states[i].clock = {.t0 = 3.0 - static_cast<double>(i), .timeStep = states[i].clock.timeStep};
        for (Double4& body : states[i].bodies.position) body.x += 10 * static_cast<double>(i);
    }
    const std::vector<Double4> last = states[0].bodies.position, middle = states[1].bodies.position;
    states[2].bodies.position.pop_back();  // the first one has a body less
    states[2].bodies.velocity.pop_back();
    states[2].bodies.id.pop_back();
    states[2].bodies.group.pop_back();
    const auto given = [&](std::size_t i) { return states[i]; };
    EXPECT_EQ(app->runs.replay(3, given), 3u);
    EXPECT_EQ(simulation.time(), 1);
    EXPECT_EQ(app->document.facts.bodies->id.size(), last.size() - 1);
    app->advance(true);
    EXPECT_EQ(simulation.time(), 2);
    EXPECT_NEAR(simulation.bodies().position[0].x, middle[0].x, 1e-5);
    EXPECT_TRUE(app->document.intent.paused && app->runs.moving());
    ask(SetParameter{"run.replays", false});
    ASSERT_EQ(ask(GoTo{2}).status, CommandStatus::applied);
    EXPECT_NEAR(simulation.bodies().position[0].x, last[0].x, 1e-5);
    // A file that comes twice changes no time, and no more is read than the memory holds.
    states[1].clock.t0 = 3;
    EXPECT_EQ(app->runs.replay(3, given), 3u);
    EXPECT_EQ(app->runs.history()->marks().back().time, 3);
    app->runs.keepHistory(4 * 32 * last.size());
    std::vector<std::size_t> read;
    app->runs.replay(101, [&](std::size_t i) {
        read.push_back(i);
        return states[i % 3];
    });
    EXPECT_THAT(read, testing::ElementsAre(22, 48, 74, 100));
}

TEST_F(UndoTest, goesBackToWhereARewindBegan) {
    begin("plummer");
    app->runs.keepHistory(std::size_t{64} << 20);
    ask(SetParameter{"run.speed", 0.0});
    const auto frames = [&](std::size_t marks) {
        for (int i = 0; i < 20000 && app->runs.history()->marks().size() < marks; ++i) {
            controller->apply(*host);
            app->advance(true);
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    };
    frames(3);
    written(*app).selectId(5);
    ask(Invoke{"remove"});
    ask(Invoke{"step"});
    app->advance(true);
    const std::int64_t here = app->document.facts.step;
    const std::string before = state();
    // Several jumps in succession are undone together.
    ASSERT_EQ(ask(GoTo{0}).status, CommandStatus::applied);
    ASSERT_EQ(ask(GoTo{1}).status, CommandStatus::applied);
    ASSERT_NE(app->document.facts.step, here);
    ASSERT_EQ(app->document.facts.configuration.bodies, 64u);
    const Event event = ask(Invoke{"undo"});
    EXPECT_EQ(event.status, CommandStatus::applied) << event.why;
    EXPECT_EQ(app->document.facts.step, here);
    EXPECT_EQ(state(), before);
    // Changes before it can be undone, too: the bodies are the earlier ones.
    EXPECT_THAT(ask(Invoke{"undo"}).why, HasSubstr("Steps are not undone"));
    EXPECT_EQ(ask(Invoke{"undo"}).status, CommandStatus::applied);
    EXPECT_EQ(app->document.facts.configuration.bodies, 64u);
    // The run continues from a restored state: this is another branch, and undo still works.
    ASSERT_EQ(ask(GoTo{0}).status, CommandStatus::applied);
    EXPECT_THAT(ask(Invoke{"undo"}).why, HasSubstr("go to kept state 1 is undone"));
    EXPECT_EQ(app->document.facts.step, here);
}

TEST_F(UndoTest, theBalanceOfTheStartIsSaidOfGravityAlone) {
    const auto said = [&](const char* scene, std::size_t count) {
        app = std::make_unique<App>(StartOptions{.simulation = {.scene = scene, .bodies = count, .backend = "cpu"}});
        return !app->runs.virial().read(true).empty();
    };
    EXPECT_TRUE(said("plummer", 512));
    EXPECT_FALSE(said("cloth", 512)) << "bonds hold the cloth together";
}

TEST_F(UndoTest, aPullBringsItsBodyAndIsTakenBackWhole) {
    begin("cloth");
    const auto frames = [&](int count) {
        for (document().intent.stepsPerFrame = 1; count > 0; --count) app->advance(false);
    };
    const auto awayFrom = [&](const glm::dvec3& place) {
        ParticleSet bodies = app->runs.simulation().bodies();
        return distance(xyz(bodies.position.at(7)), Vec3d{place.x, place.y, place.z});
    };
    EXPECT_EQ(ask(Invoke{"pull"}).status, CommandStatus::refused) << "no body is selected";
    EXPECT_EQ(ask(Invoke{"let-go"}).status, CommandStatus::refused) << "no body is pulled";
    frames(3);
    ASSERT_EQ(ask(SetParameter{"view.selected", std::int64_t{7}}).status, CommandStatus::applied);
    const std::string before = state();
    EXPECT_THAT(ask(Invoke{"pull", {std::vector<double>{1, 2}}}).why, HasSubstr("a place [X, Y, Z]"));
    ASSERT_EQ(ask(Invoke{"pull", {std::vector<double>{0, -1.5, 1}}}).status, CommandStatus::applied);
    const double far = awayFrom({0, -1.5, 1});
    frames(150);
    EXPECT_LT(awayFrom({0, -1.5, 1}), 0.6 * far) << "the cloth holds it back";
    ASSERT_EQ(ask(Invoke{"pull", {std::vector<double>{0, 0, 1}}}).status, CommandStatus::applied);
    frames(150);
    EXPECT_LT(awayFrom({0, 0, 1}), 0.6 * far) << "the end has moved";
    ASSERT_EQ(ask(Invoke{"let-go"}).status, CommandStatus::applied);
    const double gone = awayFrom({0, 0, 1});
    frames(50);
    EXPECT_GT(awayFrom({0, 0, 1}), 1.2 * gone) << "the cloth takes it back";
    // All of the pull is one change, which undo takes back with the steps since.
    const Event event = ask(Invoke{"undo"});
    EXPECT_EQ(event.status, CommandStatus::applied) << event.why;
    EXPECT_EQ(document().facts.step, 3);
    EXPECT_EQ(state(), before);

    // A held body stays; a pull of a body that is gone ends.
    ASSERT_EQ(ask(Invoke{"hold"}).status, CommandStatus::applied);
    ASSERT_EQ(ask(Invoke{"pull", {std::vector<double>{0, 0, 1}}}).status, CommandStatus::applied);
    const double held = awayFrom({0, 0, 1});
    frames(10);
    EXPECT_EQ(awayFrom({0, 0, 1}), held);
    ASSERT_EQ(ask(Invoke{"remove"}).status, CommandStatus::applied);
    frames(1);
    EXPECT_FALSE(document().pull.on());
}

}  // namespace
}  // namespace gravlab
