// A still picture is drawn in full quality after any reduction; suns and planets have their own look; marks of bodies belong
// to the step that is shown.
#include "app/system/host_clock.h"
#include "app/tables/colour_mode.h"
#include "app/ui/ui.h"
#include "app/view/app.h"
#include "app/view/service_results.h"
#include "gl_fixture.h"
#include "sim/measure/orbit.h"
#include "tests/written.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui_internal.h>
#include <glm/geometric.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace gravlab::test {
namespace {

class StillTest : public ::testing::Test {
protected:
    void open(const char* scene, const Settings& settings = {}) {
        StartOptions options{.simulation = {.scene = scene}};
        if (!sceneNamed(scene).fixedBodies) options.simulation.bodies = 200;
        options.simulation.backend = "cpu";
        options.settings = settings;
        app_ = std::make_unique<App>(options);
        target_ = std::make_unique<OffscreenTarget>(320, 200);
    }
    void frame(bool realTime) {
        app_->apply();
        app_->advance(realTime);
        app_->draw(target_->framebuffer(), 320, 200);
    }
    int lightWidth() {
        GLint width = 0;
        glGetTextureLevelParameteriv(app_->runs.first().renderer().lightTexture(), 0, GL_TEXTURE_WIDTH, &width);
        return width;
    }
    HeadlessContext context_;
    std::unique_ptr<App> app_;
    std::unique_ptr<OffscreenTarget> target_;
};

TEST_F(StillTest, aStatusLineIsOneLineAlsoInASmallWindowAndInLargeLetters) {
    open("solar-system");
    frame(false);
    Ui ui(1, context_.description(), *app_);
    const auto linesOf = [&](int width, int height, float scale, const char* lowered) {
        written(*app_).facts.quality = lowered;
        written(*app_).facts.stepProgress = 0.66;
        ui.setSurface(width, height, 1.0 / 60);
        ui.setScale(scale);
        for (int i = 0; i < 2; ++i) {
            ui.frame(*app_);
            ui.draw();
        }
        const ImGuiWindow* line = ImGui::FindWindowByName("gravlab status");
        return line ? line->ContentSize.y / line->CalcFontSize() : 0;
    };
    constexpr const char* kLowered = "slow machine: picture at 35 %, no trails";
    for (const char* lowered : {"", kLowered}) {
        EXPECT_LT(linesOf(1280, 720, 1, lowered), 1.5f);
        EXPECT_LT(linesOf(800, 600, 1.5f, lowered), 1.5f);
        EXPECT_LT(linesOf(1280, 720, 3, lowered), 1.5f);
        EXPECT_GT(linesOf(1280, 720, 3, lowered), 0.5f);
    }
    ui.recordItems(true);
    linesOf(1280, 800, 4, "");
    for (const UiItem& item : ui.items())
        EXPECT_TRUE(item.right < 1280 - 4 * 70 || (item.name != "reset" && item.name != "run.speed")) << "on the clock";
}

TEST_F(StillTest, aNewcomerMeetsEightControlsAndMeasureIsOnePressAway) {
    open("plummer");
    frame(false);
    Document& document = written(*app_);
    document.ui.inWindow = document.ui.welcome = true;
    document.lesson.offered = {{"leapfrog", "Why leapfrog", "an orbit", 4, 8}};
    Ui ui(1, "", *app_);
    ui.recordItems(true);
    ui.setSurface(1280, 720, 1.0 / 60);
    std::vector<std::string> names;
    const auto look = [&] {
        ui.frame(*app_);
        names.clear();
        for (const UiItem& item : ui.items())
            if (!item.name.starts_with("panel/") && !item.name.starts_with("menu/"))
                names.push_back((item.enabled ? "" : "off ") + item.name);
    };
    const auto has = [&](const std::string& name) {
        return std::ranges::count(names, name) + std::ranges::count(names, "off " + name) > 0;
    };
    look();
    // The switch of depths is one control.
    std::erase_if(names, [](const std::string& name) {
        return name == "depth/teach" || name == "depth/measure" || name.starts_with("off ");
    });
    EXPECT_LE(names.size(), 8u) << testing::PrintToString(names);
    EXPECT_TRUE(has("run") && has("welcome_lesson"));
    document.ui.welcome = false;
    look();
    for (const char* control : {"run.scene", "run.bodies", "look.colour_mode", "depth/measure"})
        EXPECT_TRUE(has(control)) << control;
    EXPECT_FALSE(has("run.block") || has("rate"));
    document.ui.depth = Depth::measure;
    look();
    for (const char* control : {"run.kernel", "run.block", "rate"}) EXPECT_TRUE(has(control)) << control;
}

TEST_F(StillTest, aPausedPictureRefinesItselfAndStaysSoUntilItMoves) {
    open("plummer");
    written(*app_).holdRate = true;
    written(*app_).splat = DrawMethodRequest::raster;
    frame(true);  // another scene is judged anew
    // Simulates a machine where drawing takes a third of a second.
    AdaptiveQuality& quality = app_->view.quality();
    for (int i = 0; i < 2000 && quality.text().find("35 %") == std::string::npos; ++i) {
        const double seconds = 0.3 * quality.level().cost;
        quality.frame(seconds + 0.01, seconds + 0.01, seconds);
    }
    ASSERT_TRUE(quality.lowered());
    for (int i = 0; i < 3; ++i) frame(true);  // the first compiles shaders
    EXPECT_LT(lightWidth(), 320) << "nothing is lowered; the test says nothing";
    EXPECT_FALSE(app_->view.lowered().empty());
    written(*app_).intent.paused = true;
    frame(true);
    EXPECT_LT(lightWidth(), 320) << "not at once: a click may follow";
    EXPECT_TRUE(app_->view.moving(app_->document, app_->runs)) << "an idle window must draw again";
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    frame(true);
    EXPECT_EQ(lightWidth(), 320);
    EXPECT_EQ(app_->view.lowered(), "") << "and the status line no longer says that it is lowered";
    frame(true);
    EXPECT_FALSE(app_->view.moving(app_->document, app_->runs)) << "it would never rest";
    written(*app_).camera.azimuth += 0.3f;
    written(*app_).shown = app_->document.camera;
    frame(true);
    EXPECT_LT(lightWidth(), 320) << "a camera that moves needs its frame rate";
}

TEST_F(StillTest, theOnlyPictureOfARunHasItsBodies) {
    const HostClockSource source = hostClockSource();
    static double clock;
    clock = 1;
    hostClockSource() = [] { return clock; };
    open("galaxy");
    written(*app_).frameAll = true;
    frame(true);  // asks where the bodies of the galaxy are
    written(*app_).intent.request.changeScene("two-body");
    clock += 10;  // the run has no viewers meanwhile
    frame(true);
    EXPECT_NEAR(app_->document.camera.distance / app_->document.facts.scene->view.distance, 1, 0.3) << "not the galaxy's";
    written(*app_).frameAll = true;
    written(*app_).camera.distance = 1e4f;
    clock += 10;
    frame(true);
    EXPECT_NEAR(app_->document.camera.distance / app_->document.facts.scene->view.distance, 1, 0.5);
    hostClockSource() = source;
}

TEST_F(StillTest, sunsAndPlanetsHaveTheirOwnTintsAndSizes) {
    open("solar-system");
    EXPECT_EQ(app_->document.shownMode().name, "celestial");
    written(*app_).look.bloom = 0;
    // From above, with the Sun and Earth apart.
    written(*app_).camera.distance = 6;
    written(*app_).camera.elevation = 1.5f;
    written(*app_).shown = app_->document.camera;
    frame(false);
    const std::vector<std::uint8_t> rgb = target_->read();
    const auto bodies = app_->document.facts.bodies;
    const auto light = [&](int x, int y, int c) {
        return rgb[3 * (static_cast<std::size_t>(y) * 320 + static_cast<std::size_t>(x)) + static_cast<std::size_t>(c)];
    };
    // The width of the glow in the middle, where the Sun is: it is larger than any planet's symbol.
    int wide = 0;
    while (wide < 60 && light(160 + wide, 100, 0) > 100) ++wide;
    EXPECT_GE(wide, 4);
    EXPECT_GE(light(160, 100, 0), light(160, 100, 2)) << "yellow-white";
    // A blue planet is blue and narrower.
    ParticleSet set = app_->runs.simulation().bodies();
    const glm::mat4 clip = app_->document.camera.projection(1.6f) * app_->document.camera.view();
    const Double4 earth = set.position[3];
    const glm::vec4 at =
        clip * glm::vec4(static_cast<float>(earth.x), static_cast<float>(earth.y), static_cast<float>(earth.z), 1);
    const int x = static_cast<int>((0.5f + 0.5f * at.x / at.w) * 320),
              y = static_cast<int>((0.5f - 0.5f * at.y / at.w) * 200);
    EXPECT_GT(light(x, y, 2), light(x, y, 0)) << "Earth";
    EXPECT_GT(light(x, y, 2), 60) << "seen";
    int earths = 0;
    while (earths < 60 && light(x + earths, y, 2) > 60) ++earths;
    EXPECT_LT(earths, wide);
}

TEST_F(StillTest, marksAreThoseOfTheStepThatIsShown) {
    open("solar-system", {{"overlay.shown", std::string("velocities,forces")}});
    written(*app_).selectId(3);
    written(*app_).intent.stepsPerFrame = 5;
    for (int i = 0; i < 3; ++i) frame(false);
    ParticleSet set = app_->runs.simulation().bodies();
    ASSERT_EQ(app_->document.facts.marks.size(), 9u);
    for (const BodyMark& mark : app_->document.facts.marks) {
        const Double4 &x = set.position[mark.index], &v = set.velocity[mark.index];
        EXPECT_EQ(mark.place, glm::dvec3(x.x, x.y, x.z)) << mark.id;
        EXPECT_EQ(mark.velocity, glm::dvec3(v.x, v.y, v.z));
        const Vec3d pull = accelerationOf(set, mark.index, {});
        EXPECT_NEAR(mark.acceleration.x, pull.x, 1e-12 * length(pull));
    }
    ASSERT_TRUE(app_->document.selected->orbit);
    EXPECT_EQ(app_->document.selected->orbit->around, 0u);
    EXPECT_NEAR(app_->document.selected->orbit->orbit.semiMajorAxis, 1, 0.01);
    EXPECT_NEAR(app_->document.selected->orbit->orbit.eccentricity, 0.0167, 2e-3);
    written(*app_).overlay = {};
    frame(false);
    EXPECT_TRUE(app_->document.facts.marks.empty());
}

// A window with a paused run: measurements beside it finish, and nothing of the earlier run remains.

StartOptions plummer(std::size_t bodies) {
    StartOptions options{.simulation = {.scene = "plummer", .bodies = bodies, .backend = "cpu"}};
    return options;
}

double frameClock = 0;  // [s]

class PausedWorkspace : public GlTest {};

TEST_F(PausedWorkspace, measuresTheStartOfTheNextScene) {
    App app(plummer(3000));
    written(app).intent.paused = true;
    written(app).facts.stepProgress = 0.5;  // of a step that the next scene does not make
    written(app).intent.request.scene = "cube";
    ASSERT_TRUE(app.apply()) << app.document.message;
    EXPECT_EQ(app.document.facts.configuration.scene, "cube");
    EXPECT_EQ(app.document.facts.stepProgress, 0);
    // Like a window: a few frames after an event, then frames while they are needed.
    constexpr int kAfterEvent = 3;
    for (int frame = 0; frame < kAfterEvent || (frame < 20000 && app.moving()); ++frame) {
        app.advance(true);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_FALSE(app.services.conservation.points().empty()) << "measured, and never taken";
    EXPECT_EQ(app.document.facts.step, 0);
}

TEST_F(PausedWorkspace, aFilmWaitsForTheBalanceOfTheStartAndAWindowDoesNot) {
    App app(plummer(8192));
    written(app).intent.paused = true;
    app.advance(true);
    requestMeasurements(app, {.balance = true});
    EXPECT_TRUE(app.runs.virial().found().empty()) << "67 million pairs were summed within a frame";
    app.advance(false);
    requestMeasurements(app, {.balance = true});
    EXPECT_FALSE(app.runs.virial().found().empty());
}

TEST_F(PausedWorkspace, onlyADeviceIsGivenStepsAhead) {
    App app(plummer(300));
    ASSERT_TRUE(app.apply());
    app.advance(true);
    app.advanceAhead();  // a picture would wait for these steps
    EXPECT_EQ(app.runs.simulation().step(), app.document.facts.step);
}

TEST_F(PausedWorkspace, whatIsNotGivenStepsAheadKeepsItsPace) {
    const HostClockSource source = hostClockSource();
    frameClock = 100;
    hostClockSource() = [] { return frameClock; };
    {
        App app(plummer(300));
        ASSERT_TRUE(app.apply());
        app.advance(true);
        const std::int64_t begun = app.document.facts.step;
        written(app).intent.speed = 100 * app.document.facts.configuration.timeStep;
        for (int frame = 0; frame < 5; ++frame) {
            frameClock += 0.09;  // the time of the picture
            app.advanceAhead();
            frameClock += 0.01;  // and of its transfer to the display
            ASSERT_TRUE(app.apply());
            app.advance(true);
        }
        EXPECT_NEAR(static_cast<double>(app.document.facts.step - begun), 50, 1);
    }
    hostClockSource() = source;
}

}  // namespace
}  // namespace gravlab::test
