// Bodies edited by hand in a workspace: undo restores the fingerprint of the state, a lack of memory causes only a message,
// and edits follow the present law. A changed setting keeps all others that remain valid.
#include "app/frontends/headless/headless.h"
#include "app/runs/run.h"
#include "app/session/session_files.h"
#include "app/tables/drop.h"
#include "app/view/app.h"
#include "edits.h"
#include "sim/api/errors.h"
#include "sim/core/body_edit.h"
#include "sim/core/particles.h"
#include "sim/forces/law.h"
#include "sim/measure/pair_sum.h"
#include "sim/run/fingerprint.h"
#include "tests/scarce_memory.h"
#include "tests/written.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>

namespace gravlab::test {
namespace {

using testing::HasSubstr;

class EditSession : public ::testing::Test {
protected:
    void open(const char* scene, std::size_t bodies = kOddCount) {
        app_ = std::make_unique<App>(StartOptions{.simulation = {.scene = scene, .bodies = bodies, .backend = "cpu"}});
        target_ = std::make_unique<OffscreenTarget>(320, 200);
        edits_.forget();
        frame(2);
    }
    void frame(int steps = 0) {
        written(*app_).intent.stepsPerFrame = steps;
        app_->apply();
        app_->advance(false);
        app_->draw(target_->framebuffer(), 320, 200);
    }
    void edit(std::string_view row) {
        edits_.make(*app_, {.row = row, .velocity = {0.1, -0.2, 0.3}, .order = DropOrder{.row = 0, .mass = 0.5}});
    }
    void undo() { edits_.undo(*app_); }
    ParticleSet bodies() { return app_->runs.simulation().bodies(); }
    std::string hash() { return hashOf(bodies()); }
    /// All light of the picture.
    double light() {
        target_->beginRead();
        const std::span<const std::uint8_t> rgb = target_->endRead();
        return std::accumulate(rgb.begin(), rgb.end(), 0.0);
    }
    HeadlessContext context_;
    std::unique_ptr<App> app_;
    std::unique_ptr<OffscreenTarget> target_;
    Edits edits_;
};

struct EditRow {
    const char* name;
    std::string_view edit;
};
constexpr EditRow kEdits[] = {{"remove", "remove"},       {"hold", "hold"},     {"coast", "coast"},
                              {"drop-star", "drop-star"}, {"launch", "launch"}, {"velocity", "aim"}};

TEST_F(EditSession, undoGivesBackTheStateToItsFingerprint) {
    for (const char* scene : {"plummer", "charges"})
        for (const EditRow& row : kEdits) {
            open(scene);
            const std::string before = hash();
            written(*app_).select(77);
            edit(row.edit);
            EXPECT_NE(hash(), before) << row.name << " did nothing";
            EXPECT_EQ(app_->document.message, "") << row.name;
            undo();
            EXPECT_EQ(hash(), before) << scene << ": " << row.name;
            EXPECT_EQ(app_->document.message, "") << row.name;
        }
}

TEST_F(EditSession, undoOfSeveralGoesBackThroughAll) {
    open("plummer");
    std::vector<std::string> states{hash()};
    for (const std::size_t body : {kOddCount - 1, std::size_t{0}, std::size_t{600}}) {
        written(*app_).select(body);
        edit("remove");
        states.push_back(hash());
    }
    for (std::size_t i = states.size() - 1; i-- > 0;) {
        undo();
        EXPECT_EQ(hash(), states[i]) << i;
    }
    undo();
    EXPECT_THAT(app_->document.message, HasSubstr("nothing to undo"));
}

/// The selection can name a body that another edit or a return to an earlier state has removed.
TEST_F(EditSession, anEditOfABodyThatIsNotThereIsUndoneAsNothing) {
    open("plummer");
    const std::string before = hash();
    for (const char* row : {"remove", "hold", "aim"}) {
        written(*app_).select(5);
        written(*app_).selected->id = 1000000;
        edit(row);
        EXPECT_EQ(hash(), before);
        undo();
        EXPECT_EQ(hash(), before);
        EXPECT_EQ(bodies().size(), kOddCount);
    }
}

TEST_F(EditSession, undoSaysWhyTheOthersAreNotWhereTheyWere) {
    open("plummer");
    written(*app_).select(5);
    const std::string before = hash();
    edit("remove");
    frame(3);
    undo();
    EXPECT_EQ(bodies().size(), kOddCount);
    EXPECT_NE(hash(), before);
    EXPECT_THAT(app_->document.message, HasSubstr("3 steps were made since"));
}

TEST_F(EditSession, withoutMemoryTheBodiesStayAndUndoIsNotLost) {
    open("plummer");
    written(*app_).select(5);
    const std::string first = hash();
    for (const EditRow& row : kEdits) {
        const ScarceMemory scarce(kOddCount * sizeof(Double4));
        ASSERT_NO_THROW(edit(row.edit)) << row.name;
        ASSERT_TRUE(scarce.refused()) << row.name;
        EXPECT_THAT(app_->document.message, HasSubstr("not enough memory")) << row.name;
        EXPECT_EQ(hash(), first) << row.name;
        EXPECT_TRUE(app_->document.selected) << row.name;
    }
    written(*app_).dismissMessage();
    edit("hold");
    const std::string held = hash();
    ASSERT_NE(held, first);
    {
        const ScarceMemory scarce(kOddCount * sizeof(Double4));
        ASSERT_NO_THROW(undo());
        ASSERT_TRUE(scarce.refused());
    }
    EXPECT_THAT(app_->document.message, HasSubstr("not enough memory"));
    EXPECT_EQ(hash(), held);
    undo();
    EXPECT_EQ(hash(), first) << "the undo that failed is gone";
}

/// Arrays of bodies before and after, on their path through host, simulation and backend.
TEST_F(EditSession, anyArrayThatFindsNoRoomLeavesTheRunAsItWas) {
    open("plummer");
    const std::string before = hash();
    int refused = 0;
    for (const std::size_t bodies : {kOddCount, kOddCount - 1})
        for (const std::size_t size : {sizeof(Double4), sizeof(std::uint32_t), sizeof(std::uint8_t)}) {
            written(*app_).select(5);
            written(*app_).dismissMessage();
            bool hit = false;
            {
                const ScarceMemory scarce(bodies * size);
                ASSERT_NO_THROW(edit("remove")) << bodies << " times " << size;
                hit = scarce.refused();
            }
            refused += hit;
            EXPECT_EQ(hit, !app_->document.message.empty()) << bodies << " times " << size;
            if (!hit) undo();
            ASSERT_EQ(hash(), before) << bodies << " times " << size;
            ASSERT_EQ(app_->document.facts.configuration.bodies, kOddCount);
            ASSERT_EQ(app_->document.selected.has_value(), hit);
            ASSERT_NO_THROW(frame());
        }
    EXPECT_GT(refused, 3) << "hardly any request was refused: this test shows nothing";
}

TEST_F(EditSession, aStarThatIsDroppedObeysTheLaw) {
    open("charges");
    const ParticleSet before = bodies();
    double charge = 0;
    for (const Double4& x : before.position) charge += std::abs(x.w);
    edit("drop-star");
    const ParticleSet after = bodies();
    ASSERT_EQ(after.size(), before.size() + 1);
    const Double4 &x = after.position.back(), &v = after.velocity.back();
    EXPECT_NEAR(std::abs(x.w), 0.01 * charge, 1e-6 * charge);
    EXPECT_FLOAT_EQ(static_cast<float>(v.w), static_cast<float>(before.velocity[0].w)) << "charge over mass is a body's";
    EXPECT_GT(inertialMass(x, v), 0);

    open("plummer");
    edit("drop-star");
    EXPECT_EQ(bodies().velocity.back().w, 1);
    EXPECT_NEAR(bodies().position.back().w, 0.01, 1e-6);
}

TEST_F(EditSession, readsABodyUnderItsLaw) {
    open("charges");
    written(*app_).select(4);
    frame();
    const ParticleSet now = bodies();
    const BodyReadout& body = *app_->document.selected;
    ASSERT_TRUE(body.mass && body.energy);
    EXPECT_LT(body.source, 0) << "an electron";
    EXPECT_FLOAT_EQ(static_cast<float>(body.source), static_cast<float>(now.position[4].w));
    EXPECT_DOUBLE_EQ(*body.mass, inertialMass(now.position[4], now.velocity[4]));
    EXPECT_NE(*body.mass, body.source);
    EXPECT_DOUBLE_EQ(*body.energy, specificEnergy(now, 4, app_->runs.simulation().terms(), 0));
    EXPECT_TRUE(body.bound) << "it goes round the nucleus";
    const double mass = *body.mass;
    edit("hold");
    frame();
    EXPECT_DOUBLE_EQ(*app_->document.selected->mass, mass) << "a body that is held keeps its mass";
}

TEST_F(EditSession, aTimeStepDropsNeitherTrailsNorRates) {
    open("plummer");
    written(*app_).look.trails = 200;
    written(*app_).look.trailLight = 10;
    for (int i = 0; i < 30; ++i) frame(4);
    app_->draw(target_->framebuffer(), 320, 200);
    const double whole = light(), rate = app_->services.telemetry.interactionsPerSecond;
    ASSERT_GT(rate, 0);
    written(*app_).intent.request.timeStep = 0.5 * app_->document.facts.configuration.timeStep;
    app_->apply();
    app_->draw(target_->framebuffer(), 320, 200);
    EXPECT_GT(light(), 0.98 * whole) << "the trails are gone";
    EXPECT_GT(app_->services.telemetry.interactionsPerSecond, 0);
    written(*app_).intent.request.pairs().kernel = {"naive", {}};
    app_->apply();
    app_->draw(target_->framebuffer(), 320, 200);
    EXPECT_GT(light(), 0.98 * whole);
    EXPECT_EQ(app_->services.telemetry.interactionsPerSecond, 0) << "the rate is another kernel's";
    app_->apply(true);
    app_->draw(target_->framebuffer(), 320, 200);
    EXPECT_LT(light(), 0.9 * whole) << "trails of other bodies";
}

TEST_F(EditSession, aSliderThatIsDraggedCopiesNoBodies) {
    open("plummer");
    SessionFiles files(*app_, 0);
    const auto watch = [&] {
        files.update();
        app_->runs.first().feed().pump(app_->runs.simulation());
    };
    files.update();
    app_->runs.first().feed().serve(app_->runs.simulation());
    watch();  // the initial state has been sampled
    const ScarceMemory scarce(kOddCount * sizeof(Double4));
    for (int i = 0; i < 5; ++i) {
        written(*app_).intent.request.timeStep = 1.01 * app_->document.facts.configuration.timeStep;
        app_->apply();
        watch();
    }
    EXPECT_FALSE(scarce.refused()) << "all bodies were copied";
    EXPECT_EQ(app_->document.message, "");
}

TEST(StaleParts, areWhatAChangeMakesWrong) {
    const RunConfiguration before;
    const auto after = [&](auto change) {
        RunConfiguration now = before;
        change(now);
        const StaleParts stale = staleAfter(before, now);
        return std::pair(stale.vertices, stale.rates);
    };
    EXPECT_EQ(after([](RunConfiguration&) {}), std::pair(false, false));
    EXPECT_EQ(after([](RunConfiguration& s) { s.timeStep = 0.5; }), std::pair(false, false));
    EXPECT_EQ(after([](RunConfiguration& s) { s.force.softening = 0.5; }), std::pair(true, false));
    EXPECT_EQ(after([](RunConfiguration& s) { s.force.exponent = 0.5; }), std::pair(true, false));
    EXPECT_EQ(after([](RunConfiguration& s) { s.force.law = kLaw<Coulomb>; }), std::pair(true, true));
    EXPECT_EQ(after([](RunConfiguration& s) { s.force.precision = Precision::fp64; }), std::pair(true, true));
    EXPECT_EQ(after([](RunConfiguration& s) { s.backend = "reference"; }), std::pair(true, true));
    EXPECT_EQ(after([](RunConfiguration& s) { s.backendOptions.threads = 3; }), std::pair(true, true));
    EXPECT_EQ(after([](RunConfiguration& s) { s.pairs().kernel.kernel = "tiled"; }), std::pair(false, true));
    EXPECT_EQ(after([](RunConfiguration& s) { s.integrator = "euler"; }), std::pair(false, true));
}

// Drops by an arrow and paths ahead.

class LaunchSession : public EditSession {
protected:
    void open(const char* scene, std::size_t bodies) {
        app_ = std::make_unique<App>(StartOptions{.simulation = {.scene = scene, .bodies = bodies, .backend = "cpu"}});
        target_ = std::make_unique<OffscreenTarget>(320, 200);
    }
};

TEST_F(LaunchSession, dropsAGalaxyAndTakesItOutAgain) {
    open("plummer", 2000);
    frame(2);
    DropTool& tool = written(*app_).drop;
    tool.on = true;
    tool.row = 2;
    tool.press(app_->document.camera, {160, 100}, {320, 200}, app_->document.dropScene());
    tool.move({200, 100});
    edits_.make(*app_, {.row = "launch", .order = written(*app_).drop.release()});
    frame();
    EXPECT_EQ(bodies().size(), 2100u);
    EXPECT_EQ(app_->document.facts.configuration.bodies, 2100u);
    EXPECT_EQ(app_->document.facts.step, 2) << "the run goes on";
    frame(2);
    EXPECT_EQ(app_->document.message, "");
    edits_.undo(*app_);
    frame();
    EXPECT_EQ(bodies().size(), 2000u);
}

TEST_F(LaunchSession, showsThePathUnderTheArrowThatTheBodyThenTakes) {
    open("two-body", 0);
    DropTool& tool = written(*app_).drop;
    tool.on = true;
    tool.press(app_->document.camera, {220, 60}, {320, 200}, app_->document.dropScene());
    tool.move({240, 80});
    frame();
    for (int i = 0; i < 500 && (app_->services.dropPath.path().points.size() < 5 || app_->services.dropPath.busy()); ++i) {
        frame();
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    const Trajectory path = app_->services.dropPath.path();
    ASSERT_GT(path.points.size(), 50u);
    EXPECT_EQ(path.bodies, 3u);
    edits_.make(*app_, {.row = "launch", .order = written(*app_).drop.release()});
    frame();
    ASSERT_EQ(bodies().size(), 3u);
    const TrajectoryPoint& there = path.points[40];
    const auto steps = static_cast<int>(std::llround(there.time / app_->document.facts.configuration.timeStep));
    frame(steps);
    const Double4 x = bodies().position[2];
    EXPECT_NEAR(distance(xyz(x), there.place), 0, 1e-6);
    EXPECT_TRUE(app_->services.dropPath.path().points.empty()) << "the path goes with the arrow";
}

TEST_F(LaunchSession, showsThePathOfTheSelectedBody) {
    open("figure-eight", 0);
    written(*app_).ahead.wanted = true;
    frame();
    EXPECT_TRUE(app_->services.trajectory.path().points.empty()) << "nothing is selected";
    written(*app_).select(1);
    frame();
    const Trajectory path = app_->services.trajectory.path();
    ASSERT_TRUE(path.complete) << "a film waits for it";
    ASSERT_GT(path.points.size(), 100u);
    EXPECT_EQ(path.points.front().time, 0);
    frame(20);
    const Double4 x = bodies().position[1];
    double nearest = 1e9;
    for (const TrajectoryPoint& p : path.points) nearest = std::min(nearest, distance(xyz(x), p.place));
    EXPECT_LT(nearest, 0.02);
    written(*app_).select(2);
    frame();
    const TrajectoryPoint& start = app_->services.trajectory.path().points.front();
    EXPECT_NEAR(start.place.x, bodies().position[2].x, 1e-9) << "another body has another path";
    written(*app_).ahead.wanted = false;
    frame();
    EXPECT_TRUE(app_->services.trajectory.path().points.empty());
}

TEST_F(LaunchSession, refusesAnIdThatIsNotThere) {
    open("figure-eight", 0);
    EXPECT_THROW(written(*app_).selectId(7), UsageError);
    written(*app_).selectId(2);
    EXPECT_EQ(app_->document.selected->id, 2u);
}

}  // namespace
}  // namespace gravlab::test
