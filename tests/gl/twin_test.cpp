// Twins in a workspace: both pictures, both hues, one clock, and a first run that continues whatever the twin does.
#include "app/parameters/twin_settings.h"
#include "edits.h"

#include "app/files/scene_file.h"
#include "app/frontends/headless/headless.h"
#include "app/services/trajectory_prediction.h"
#include "app/ui/ui.h"
#include "app/view/app.h"
#include "render/vertex_sample.h"
#include "sim/api/errors.h"
#include "tests/written.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

namespace gravlab::test {
namespace {

using testing::HasSubstr;

constexpr int kTwinWidth = 402, kTwinHeight = 200;

StartOptions optionsOf(const char* scene, const char* twin, TwinView view = TwinView::side) {
    StartOptions options{.simulation = {.scene = scene, .backend = "cpu", .backendOptions = {.threads = 1}}};
    if (twin) options.twin = parseTwin(twin);
    options.twin.view = view;
    return options;
}

class TwinPictureTest : public ::testing::Test {
protected:
    std::vector<std::uint8_t> picture(App& app) {
        app.draw(target_.framebuffer(), kTwinWidth, kTwinHeight);
        return target_.read();
    }
    static void film(App& app, int frames) {
        for (int i = 0; i < frames; ++i) {
            app.apply();
            app.advance(false);
        }
    }
    /// Pixels of a region that satisfy a condition.
    template <class Meets>
    static int count(const std::vector<std::uint8_t>& rgb, int left, int right, Meets meets) {
        int found = 0;
        for (int y = 0; y < kTwinHeight; ++y)
            for (int x = left; x < right; ++x) {
                const std::uint8_t* p = &rgb[static_cast<std::size_t>(3 * (y * kTwinWidth + x))];
                found += meets(int{p[0]}, int{p[1]}, int{p[2]});
            }
        return found;
    }
    HeadlessContext context_;
    OffscreenTarget target_{kTwinWidth, kTwinHeight};
};

bool bright(int r, int g, int b) { return std::max({r, g, b}) > 120; }
bool blue(int r, int g, int b) { return b > 90 && b > r + 40 && b >= g; }
bool orange(int r, int, int b) { return r > 90 && r > b + 60; }

TEST_F(TwinPictureTest, SideBySideShowsBothWithALineBetween) {
    App app(optionsOf("two-body", ""));
    film(app, 20);
    const auto rgb = picture(app);
    EXPECT_GT(count(rgb, 0, 200, bright), 4);
    EXPECT_GT(count(rgb, 202, kTwinWidth, bright), 4);
    // The same settings: the two halves are the same picture.
    int different = 0;
    for (int y = 0; y < kTwinHeight; ++y)
        for (int x = 0; x < 3 * 200; ++x)
            different += std::abs(int{rgb[static_cast<std::size_t>(3 * y * kTwinWidth + x)]} -
                                  int{rgb[static_cast<std::size_t>(3 * (y * kTwinWidth + 202) + x)]}) > 2;
    EXPECT_EQ(different, 0);
    EXPECT_EQ(count(rgb, 200, 202, [](int r, int g, int b) { return r > 60 && g > 60 && b > 60; }), 2 * kTwinHeight);
}

TEST_F(TwinPictureTest, AnotherIntegratorShowsAnotherPicture) {
    App app(optionsOf("two-body", "integrator=euler"));
    film(app, 400);
    ASSERT_TRUE(app.runs.twin().on());
    EXPECT_EQ(app.document.facts.time, app.runs.twin().simulation().time());
    const auto rgb = picture(app);
    int different = 0;
    for (int y = 0; y < kTwinHeight; ++y)
        for (int x = 0; x < 3 * 200; ++x)
            different += std::abs(int{rgb[static_cast<std::size_t>(3 * y * kTwinWidth + x)]} -
                                  int{rgb[static_cast<std::size_t>(3 * (y * kTwinWidth + 202) + x)]}) > 40;
    EXPECT_GT(different, 20);
    EXPECT_GT(app.runs.twin().watch().curve().worst(), 0.1);
    EXPECT_GT(app.runs.twin().watch().curve().worstTwinChange(), 0.1);
    EXPECT_LT(app.runs.twin().watch().curve().worstChange(), 3e-3);
}

TEST_F(TwinPictureTest, OverlaidRunsHaveAHueEachWhereTheyAreApart) {
    App app(optionsOf("two-body", "integrator=euler", TwinView::overlaid));
    written(app).look.bloom = 0;
    const auto together = picture(app);
    EXPECT_EQ(count(together, 0, kTwinWidth, orange), 0) << "where both are in one place, the hues add up to white";
    EXPECT_GT(count(together, 0, kTwinWidth, bright), 4);
    film(app, 400);
    const auto apart = picture(app);
    EXPECT_GT(count(apart, 0, kTwinWidth, blue), 4);
    EXPECT_GT(count(apart, 0, kTwinWidth, orange), 4);
    written(app).look.paper = true;
    const auto page = picture(app);
    EXPECT_EQ(page[0], 255);
    EXPECT_GT(count(page, 0, kTwinWidth, [](int r, int, int b) { return b > r + 60; }), 4);
    EXPECT_GT(count(page, 0, kTwinWidth, [](int r, int, int b) { return r > b + 60; }), 4);
}

TEST_F(TwinPictureTest, ARefusedTwinLeavesTheFirstRunGoing) {
    App app(optionsOf("two-body", nullptr));
    film(app, 3);
    written(app).intent.twin = parseTwin("kernel=tiled");
    film(app, 1);
    EXPECT_FALSE(app.runs.twin().on());
    EXPECT_FALSE(app.document.intent.twin.on);
    EXPECT_THAT(app.document.message, HasSubstr("kernel"));
    film(app, 1);
    EXPECT_EQ(app.document.facts.step, 5);
    // A running twin keeps its old settings.
    written(app).intent.twin = parseTwin("integrator=euler");
    film(app, 1);
    ASSERT_TRUE(app.runs.twin().on());
    EXPECT_EQ(app.runs.twin().simulation().step(), 6) << "begun at step 5";
    takeTwin(written(app).intent.twin, "kernel", "\"tiled\"");
    film(app, 1);
    ASSERT_TRUE(app.runs.twin().on());
    EXPECT_EQ(app.runs.twin().simulation().configuration().integrator, "euler");
    EXPECT_EQ(app.document.intent.twin.values.size(), 1u);
    EXPECT_THROW(App(optionsOf("two-body", "kernel=tiled")), UsageError) << "on the command line it is a mistake";
}

TEST_F(TwinPictureTest, ResetSceneBodiesAndEditsCarryOver) {
    StartOptions options = optionsOf("plummer", "softening=0.2");
    options.simulation.bodies = 60;
    App app(options);
    test::Edits edits;
    film(app, 4);
    EXPECT_GT(app.runs.twin().watch().curve().worst(), 0);
    app.apply(true);
    film(app, 1);
    EXPECT_EQ(app.document.facts.step, 1);
    EXPECT_EQ(app.runs.twin().simulation().step(), 1);
    edits.make(app, "drop-star");
    film(app, 1);
    EXPECT_EQ(app.document.facts.configuration.bodies, 61u);
    EXPECT_EQ(app.runs.twin().simulation().configuration().bodies, 61u);
    edits.undo(app);
    film(app, 1);
    EXPECT_EQ(app.runs.twin().simulation().configuration().bodies, 60u);
    written(app).intent.request.bodies = 80;
    film(app, 1);
    EXPECT_EQ(app.runs.twin().simulation().configuration().bodies, 80u);
    EXPECT_EQ(app.runs.twin().simulation().configuration().force.softening, 0.2);
    written(app).intent.request.timeStep = -0.5 * app.document.facts.configuration.timeStep;
    film(app, 2);
    EXPECT_EQ(app.runs.twin().simulation().configuration().timeStep, app.document.facts.configuration.timeStep);
    EXPECT_NEAR(app.runs.twin().simulation().time(), app.document.facts.time, 1e-14);
    written(app).intent.request.changeScene("figure-eight");
    film(app, 2);
    EXPECT_EQ(app.runs.twin().simulation().configuration().scene, "figure-eight");
    EXPECT_EQ(app.runs.twin().simulation().step(), 2);
    picture(app);
    written(app).intent.twin.on = false;
    film(app, 1);
    EXPECT_FALSE(app.runs.twin().on());
    picture(app);
}

TEST_F(TwinPictureTest, LabelsNameATimeStepThatStillWaits) {
    App app(optionsOf("two-body", "integrator=euler"));
    film(app, 3);
    const std::pair<std::string, std::string>& labels = app.runs.twin().labels();
    written(app).intent.request.timeStep = 0.03;
    app.apply();
    EXPECT_NE(app.runs.twin().simulation().configuration().timeStep, 0.03) << "it waits for the next step";
    EXPECT_EQ(labels, std::pair(std::string("leapfrog"), std::string("euler")));
    takeTwin(written(app).intent.twin, "time_step", "0.06");
    app.apply();
    EXPECT_EQ(labels, std::pair(std::string("leapfrog, dt 0.03"), std::string("euler, dt 0.06")));
    film(app, 2);
    EXPECT_EQ(labels.second, "euler, dt 0.06");
}

TEST_F(TwinPictureTest, UndoGivesEachRunItsOwnBodyBack) {
    StartOptions options = optionsOf("plummer", "softening=0.5");
    options.simulation.bodies = 30;
    App app(options);
    test::Edits edits;
    film(app, 30);
    const auto placeOf = [](Simulation& simulation, std::uint32_t id) {
        ParticleSet bodies = simulation.bodies();
        for (std::size_t i = 0; i < bodies.size(); ++i)
            if (bodies.id[i] == id) return bodies.position[i].x;
        return 1e9;
    };
    const double here = placeOf(app.runs.simulation(), 3), there = placeOf(app.runs.twin().simulation(), 3);
    ASSERT_NE(here, there);
    written(app).intent.stepsPerFrame = 0;
    written(app).selectId(3);
    edits.make(app, "remove");
    film(app, 1);
    ASSERT_EQ(placeOf(app.runs.twin().simulation(), 3), 1e9);
    edits.undo(app);
    film(app, 1);
    EXPECT_EQ(placeOf(app.runs.simulation(), 3), here);
    EXPECT_EQ(placeOf(app.runs.twin().simulation(), 3), there);
}

TEST_F(TwinPictureTest, AWindowKeepsBothAtOneTimeWhateverItsBudget) {
    StartOptions options = optionsOf("plummer", "dt=0.0078125");
    options.simulation.bodies = 200;
    options.simulation.timeStep = 1.0 / 64;
    options.settings["run.steps_per_frame"] = std::int64_t{20};
    options.settings["run.time_budget"] = 0.5;
    App app(options);
    const auto measured = [&] { return app.runs.twin().watch().curve().points().size() > 1; };
    for (int i = 0; i < 20000 && (app.document.facts.step < 40 || !measured()); ++i) {
        app.apply();
        app.advance(true);
        const double behind = app.document.facts.time - app.runs.twin().simulation().time();
        EXPECT_GE(behind, 0);
        if (app.runs.twin().even()) {
            EXPECT_EQ(behind, 0);
        }
    }
    EXPECT_GE(app.document.facts.step, 40);
    EXPECT_TRUE(measured());
}

/// The twin makes two steps for one of the first run, and a frame has time for one step.
TEST_F(TwinPictureTest, AWindowWithoutTimeForBothStillBringsThemTogether) {
    StartOptions options = optionsOf("plummer", "dt=0.0078125");
    options.simulation.bodies = 200;
    options.simulation.timeStep = 1.0 / 64;
    options.settings["run.steps_per_frame"] = std::int64_t{20};
    App app(options);
    written(app).intent.timeBudgetMs = 1e-6;
    int together = 0;
    for (int i = 0; i < 400; ++i) {
        app.apply();
        app.advance(true);
        together += app.runs.twin().even() ? 1 : 0;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_GT(app.document.facts.step, 20);
    EXPECT_GT(together, 20);
    EXPECT_GT(app.runs.twin().watch().curve().points().size(), 2u);
}

/// The picture waits for the twin; without a twin nothing needs to wait.
TEST_F(TwinPictureTest, ATwinThatGoesWhileItWaitsLeavesTheNewestStep) {
    StartOptions options = optionsOf("two-body", "dt=0.002");
    options.simulation.timeStep = 0.1;
    App app(options);
    written(app).intent.timeBudgetMs = 1e-6;
    written(app).splat = DrawMethodRequest::raster;
    picture(app);  // the first publishes by itself
    for (int i = 0; i < 2000 && (app.document.facts.step < 4 || app.runs.twin().even()); ++i) {
        app.apply();
        app.advance(true);
    }
    ASSERT_FALSE(app.runs.twin().even());
    const auto step = static_cast<int>(app.document.facts.step);
    written(app).intent.paused = true;
    written(app).intent.twin.on = false;
    film(app, 1);
    ASSERT_FALSE(app.runs.twin().on());
    ASSERT_EQ(app.document.facts.step, step);
    options.twin = {};
    App alone(options);
    written(alone).splat = DrawMethodRequest::raster;
    film(alone, step - 1);
    const auto before = picture(alone);
    film(alone, 1);
    const auto now = picture(alone);
    ASSERT_NE(now, before) << "a step that nobody sees proves nothing";
    EXPECT_EQ(picture(app), now);
}

TEST_F(TwinPictureTest, MarksAndPathsStayWithinTheFirstPicture) {
    App app(optionsOf("two-body", ""));
    test::Edits edits;
    Ui ui(1, context_.description(), app);
    written(app).ui.visible = false;
    written(app).selectId(0);
    edits.make(app, "hold");
    film(app, 2);
    written(app).panBy({100, 0}, {100, 100}, {kTwinWidth, kTwinHeight});  // the middle comes to the edge between the two
    const auto framed = [&] {
        for (int i = 0; i < 2; ++i) {
            app.draw(target_.framebuffer(), kTwinWidth, kTwinHeight);
            ui.setSurface(kTwinWidth, kTwinHeight, 1.0 / 60);
            ui.frame(app);
            ui.draw();
        }
        return target_.read();
    };
    const auto difference = [](const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b, int left, int right) {
        int found = 0;
        for (int y = 0; y < kTwinHeight; ++y)
            for (int x = 3 * left; x < 3 * right; ++x) {
                const auto at = static_cast<std::size_t>(3 * y * kTwinWidth + x);
                found += a[at] != b[at];
            }
        return found;
    };
    written(app).ahead.wanted = true;
    written(app).ahead.duration = 7;
    written(app).selectId(1);
    const auto marked = framed();
    ASSERT_TRUE(app.services.trajectory.path().complete);
    written(app).ahead.wanted = false;
    written(app).clearSelection();
    written(app).intent.stepsPerFrame = 0;
    edits.undo(app);  // a released body has no mark
    film(app, 1);
    const auto plain = framed();
    ASSERT_TRUE(app.document.facts.held.empty());
    EXPECT_GT(difference(marked, plain, 150, 200), 100) << "the path leads to the edge";
    EXPECT_EQ(difference(marked, plain, 200, kTwinWidth), 0);
}

TEST_F(TwinPictureTest, TheStripIsAPanelLikeOthersAndThickerForProjectors) {
    constexpr int kWide = 1280, kHigh = 800;
    StartOptions options = optionsOf("two-body", "integrator=euler");
    App app(options);
    written(app).ui.depth = Depth::measure;
    film(app, 300);
    OffscreenTarget target(kWide, kHigh);
    Ui ui(1, context_.description(), app);
    ui.recordItems(true);
    const auto item = [&](std::string_view name) -> const UiItem* {
        const auto found =
            std::find_if(ui.items().begin(), ui.items().end(), [&](const UiItem& it) { return it.name == name; });
        return found == ui.items().end() ? nullptr : &*found;
    };
    // Only curves have colours in a plot: the number of coloured pixels.
    const auto curves = [&](bool projector) {
        written(app).ui.projector = projector;
        ui.setScale(1);
        for (int i = 0; i < 2; ++i) {
            app.draw(target.framebuffer(), kWide, kHigh);
            ui.setSurface(kWide, kHigh, 1.0 / 60);
            ui.frame(app);
            ui.draw();
        }
        const UiItem* const plot = item("twin_energies");
        if (!plot) return 0;
        const std::vector<std::uint8_t> rgb = target.read();
        int found = 0;
        for (int y = static_cast<int>(plot->top); y < static_cast<int>(plot->bottom); ++y)
            for (int x = static_cast<int>(plot->left); x < static_cast<int>(plot->right); ++x) {
                const std::uint8_t* p = &rgb[static_cast<std::size_t>(3 * (y * kWide + x))];
                found += std::max({p[0], p[1], p[2]}) - std::min({p[0], p[1], p[2]}) > 60;
            }
        return found;
    };
    const int usual = curves(false);
    ASSERT_GT(usual, 100);
    const UiItem* const panel = item("panel/divergence");
    ASSERT_NE(panel, nullptr) << "the window's tests of the layout do not see it";
    EXPECT_GT(panel->right - panel->left, 300);
    EXPECT_LE(panel->bottom, kHigh);
    EXPECT_GT(curves(true), 1.4 * usual);
}

TEST_F(TwinPictureTest, ASceneFileCarriesTheTwin) {
    App app(optionsOf("two-body", "integrator=euler,dt=0.03,threads=1", TwinView::overlaid));
    const std::string text = sceneFileText(app.document);
    EXPECT_THAT(text, HasSubstr("[twin]\nview = \"overlaid\"\nintegrator = \"euler\"\ntime_step = 0.03\n"));
    EXPECT_EQ(text.find("threads"), std::string::npos) << "a machine's own settings stay there";
    StartOptions read;
    takeSceneText(text, "test", read);
    EXPECT_TRUE(read.twin.on);
    EXPECT_EQ(read.twin.view, TwinView::overlaid);
    EXPECT_EQ(read.twin.values.at("integrator"), Value("euler"));
    StartOptions given{.twin = parseTwin("precision=fp32"), .given = {"--twin"}};
    takeSceneText(text, "test", given);
    EXPECT_EQ(given.twin, parseTwin("precision=fp32")) << "the command line goes before the file";
    const auto refusal = [](const std::string& file) -> std::string {
        StartOptions options;
        try {
            takeSceneText(file, "my.toml", options);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_THAT(refusal("scene = \"disc\"\n[twin]\ndt = \"often\"\n"), HasSubstr("my.toml, line 3"));
    EXPECT_THAT(refusal("[twin]\nseed = 3\n"), HasSubstr("valid: integrator"));
    EXPECT_THAT(refusal("[twin]\n[twin]\n"), HasSubstr("twice"));
    EXPECT_THAT(refusal("[triplet]\n"), HasSubstr("[view], [twin] and [camera.path]"));
}

TEST_F(TwinPictureTest, ADroppedSceneIsTakenWholeBesideATwinThatDoesNotSuitIt) {
    App app(optionsOf("two-body", "integrator=hermite4"));
    const auto dropped = [&](const std::string& text) {
        StartOptions scene = sceneBase(app.document);
        takeSceneText(text, "my.toml", scene);
        const bool taken = takeScene(written(app), scene, [&](bool again) { return app.apply(again); });
        film(app, 1);
        return taken;
    };
    ASSERT_TRUE(dropped("scene = \"plummer\"\nbodies = 30\nlaw = \"coulomb\"\n[view]\ndistance = 3\npaper = true\n"));
    EXPECT_EQ(app.document.facts.configuration.bodies, 30u);
    EXPECT_EQ(app.document.camera.distance, 3);
    EXPECT_TRUE(app.document.look.paper);
    EXPECT_FALSE(app.runs.twin().on());
    EXPECT_EQ(app.document.message, "");
    // A file whose settings are reduced with a message is accepted, too.
    ASSERT_TRUE(dropped("scene = \"two-body\"\ntime_step = 0.01\n[view]\ndistance = 4\n[twin]\ntime_step = 0.0314\n"));
    EXPECT_EQ(app.document.camera.distance, 4);
    EXPECT_TRUE(app.runs.twin().on());
    EXPECT_FALSE(dropped("scene = \"disc\"\nbodies = 600\nintegrator = \"radau15\"\n[twin]\ndt = 1\n"));
    EXPECT_EQ(app.document.camera.distance, 4);
    EXPECT_TRUE(app.runs.twin().on()) << "what is refused leaves the twin, too";
    EXPECT_THAT(app.document.message, HasSubstr("radau15"));
}

TEST_F(TwinPictureTest, AClickOnEitherPictureFindsTheBody) {
    App app(optionsOf("two-body", ""));
    app.draw(target_.framebuffer(), kTwinWidth, kTwinHeight);
    const auto views = viewports(app.document, kTwinWidth, kTwinHeight, app.document.free);
    for (const bool twin : {false, true}) {
        const glm::vec2 cursor(views[twin].corner().x + 30, 50);
        const Document::SurfaceSpot spot = app.document.spotAt(cursor, {kTwinWidth, kTwinHeight});
        EXPECT_EQ(spot.run, twin ? 1u : 0u);
        EXPECT_EQ(spot.cursor, glm::vec2(30, 50));
        EXPECT_EQ(spot.size, glm::vec2(200, kTwinHeight));
    }
    // The wheel keeps the point under the pointer: the middle of a picture is the camera's target.
    const glm::vec3 before = app.document.camera.target;
    written(app).zoomAt(2, {301, 100}, {kTwinWidth, kTwinHeight});
    EXPECT_NEAR(glm::length(app.document.camera.target - before), 0, 0.02f * app.document.camera.distance);
}

TEST(VertexSample, TakesTheSameBodiesOfBoth) {
    const HeadlessContext context;
    const auto one = makeHostParticleBuffer(), other = makeHostParticleBuffer();
    constexpr std::size_t kBodies = 100001;
    for (const auto& [buffer, shift] : {std::pair(one.get(), 0.0f), std::pair(other.get(), 0.5f)}) {
        const VertexSpan span = buffer->open(kBodies, nullptr);
        for (std::size_t i = 0; i < kBodies; ++i) span.data[i] = {static_cast<float>(i) + shift, 0, 0, 0};
        buffer->close(nullptr);
    }
    VertexSample sample;
    std::vector<ParticleVertex> a, b;
    EXPECT_FALSE(sample.take(a, &b, true));
    sample.ask(*one, other.get());
    ASSERT_TRUE(sample.take(a, &b, true));
    ASSERT_EQ(a.size(), VertexSample::kBodies);
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(b[i].x - a[i].x, 0.5f);
    EXPECT_LT(a.front().x, 100);
    EXPECT_GT(a.back().x, 95000) << "evenly spread";
    const std::vector<ParticleVertex> both = a;
    sample.ask(*one);
    ASSERT_TRUE(sample.take(a, &b, true));
    EXPECT_TRUE(b.empty()) << "of one buffer";
    ASSERT_EQ(a.size(), both.size());
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].x, both[i].x);
}

}  // namespace
}  // namespace gravlab::test
