// Picking among many bodies, and Session's edits of single ones.
#include "render/picker.h"
#include "app/frame_loop.h"
#include "gl_fixture.h"
#include "sim/random.h"

#include <glm/vec4.hpp>

#include <cmath>

namespace gravlab::test {
namespace {

class PickerTest : public GlTest {
protected:
    std::optional<std::size_t> pick(glm::vec2 cursor, glm::vec2 size = {400, 300}) {
        picker_.emplace();
        picker_->ask(*buffer_, camera.projection(size.x / size.y) * camera.view(), cursor, size, 12);
        std::optional<std::size_t> body = 12345;
        EXPECT_TRUE(picker_->take(body, true));
        std::optional<std::size_t> again;
        EXPECT_FALSE(picker_->take(again, true)) << "an answer is given once";
        picker_.reset();
        return body;
    }
    /// Pixels from the upper left corner.
    glm::vec2 pixelOf(glm::vec3 place, glm::vec2 size = {400, 300}) const {
        const glm::vec4 clip = camera.projection(size.x / size.y) * camera.view() * glm::vec4(place, 1);
        return {(0.5f + 0.5f * clip.x / clip.w) * size.x, (0.5f - 0.5f * clip.y / clip.w) * size.y};
    }
    std::optional<Picker> picker_;
};

TEST_F(PickerTest, FindsTheRightOneOfManyBodies) {
    std::vector<ParticleVertex> bodies;
    for (std::uint64_t i = 0; i < 100000; ++i) {
        Random random(3, i);
        bodies.push_back({static_cast<float>(random.uniform(-1, 1)), static_cast<float>(random.uniform(-1, 1)),
                          static_cast<float>(random.uniform(-1, 1)), 0});
    }
    // One alone at the side, so that nothing else is within reach.
    bodies[77777] = {0, 1.6f, 1.2f, 0};
    store(bodies);
    for (const bool flat : {false, true}) {
        camera.orthographic = flat;
        const glm::vec2 at = pixelOf({0, 1.6f, 1.2f});
        EXPECT_EQ(pick(at), 77777u);
        EXPECT_EQ(pick(at + glm::vec2(8, -4)), 77777u) << "near is enough";
        EXPECT_EQ(pick(at + glm::vec2(14, 0)), std::nullopt) << "too far";
    }
    // In the crowd: what is found is the nearest, worked out on the host.
    camera.orthographic = false;
    const glm::vec2 cursor(190, 160);
    const std::optional<std::size_t> found = pick(cursor);
    ASSERT_TRUE(found.has_value());
    float least = 1e9f;
    for (const ParticleVertex& v : bodies) {
        const glm::vec2 way = pixelOf({v.x, v.y, v.z}) - cursor;
        least = std::min(least, std::hypot(way.x, way.y));
    }
    const ParticleVertex& v = bodies[*found];
    const glm::vec2 way = pixelOf({v.x, v.y, v.z}) - cursor;
    EXPECT_NEAR(std::hypot(way.x, way.y), least, 0.08f);
}

TEST_F(PickerTest, FindsNothingInAnEmptySkyOrBehindTheEye) {
    EXPECT_EQ(pick({200, 150}), std::nullopt) << "no bodies at all";
    const glm::vec3 behind = 2.0f * camera.eye();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    store({{behind.x, behind.y, behind.z, 0}, {nan, nan, nan, 0}});
    EXPECT_EQ(pick({200, 150}), std::nullopt);
}

TEST_F(PickerTest, WatchesOneBody) {
    store({{1, 2, 3, 4}, {5, 6, 7, 8}});
    Picker picker;
    ParticleVertex vertex{};
    EXPECT_FALSE(picker.takeWatched(vertex, true));
    picker.watch(*buffer_, 1);
    ASSERT_TRUE(picker.takeWatched(vertex, true));
    EXPECT_EQ(vertex.y, 6);
    picker.watch(*buffer_, 2);  // there is none
    EXPECT_FALSE(picker.takeWatched(vertex, true));
}

class TouchTest : public ::testing::Test {
protected:
    void SetUp() override {
        context_ = std::make_unique<HeadlessContext>();
        Options options;
        options.simulation.scene = "plummer";
        options.simulation.bodies = 200;
        options.simulation.backend = "cpu";
        session_ = std::make_unique<Session>(options);
        target_ = std::make_unique<OffscreenTarget>(320, 200);
    }
    void TearDown() override {
        session_.reset();
        target_.reset();
        context_.reset();
    }
    void frame(int steps = 0) {
        session_->intent.stepsPerFrame = steps;
        session_->apply();
        session_->advance(false);
        session_->draw(target_->framebuffer(), 320, 200);
    }
    ParticleSet bodies() {
        ParticleSet set;
        session_->simulation().snapshot(set);
        return set;
    }
    void clickOn(std::size_t index) {
        const Double4 x = bodies().position[index];
        const glm::vec4 clip = session_->camera.projection(1.6f) * session_->camera.view() *
                               glm::vec4(static_cast<float>(x.x), static_cast<float>(x.y), static_cast<float>(x.z), 1);
        session_->pickAt({(0.5f + 0.5f * clip.x / clip.w) * 320, (0.5f - 0.5f * clip.y / clip.w) * 200}, {320, 200});
    }
    std::unique_ptr<HeadlessContext> context_;
    std::unique_ptr<Session> session_;
    std::unique_ptr<OffscreenTarget> target_;
};

TEST_F(TouchTest, ReadsTheBodyThatWasClicked) {
    frame(3);
    clickOn(42);
    frame();
    ASSERT_TRUE(session_->selected().has_value());
    const BodyReadout& read = *session_->selected();
    const ParticleSet set = bodies();
    const auto i = static_cast<std::size_t>(read.id);
    EXPECT_NEAR(read.mass, 1.0 / 200, 1e-9);
    EXPECT_NEAR(static_cast<double>(read.position.x), set.position[i].x, 1e-5);
    const Double4& v = set.velocity[i];
    ASSERT_TRUE(read.speed.has_value());
    EXPECT_NEAR(*read.speed, std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z), 1e-9);
    EXPECT_LT(*read.energy, 0) << "bodies of a Plummer sphere are bound";
    session_->pickAt({2, 2}, {320, 200});
    frame();
    EXPECT_FALSE(session_->selected().has_value()) << "a click on the empty sky";
}

TEST_F(TouchTest, FollowsWithoutLag) {
    clickOn(7);
    frame();
    ASSERT_TRUE(session_->selected().has_value());
    session_->follow = true;
    for (int i = 0; i < 5; ++i) {
        frame(2);
        const Double4 x = bodies().position[session_->selected()->id];
        EXPECT_NEAR(static_cast<double>(session_->camera.target.x), x.x, 1e-5);
    }
}

TEST_F(TouchTest, RemovesAndUndoes) {
    frame(5);
    clickOn(10);
    frame();
    ASSERT_TRUE(session_->selected().has_value());
    const std::uint32_t id = session_->selected()->id;
    const ParticleSet before = bodies();
    const auto index = static_cast<std::size_t>(id);
    session_->intent.touch = Touch::remove;
    frame();
    EXPECT_EQ(bodies().size(), 199u);
    EXPECT_EQ(session_->facts().settings.bodies, 199u);
    EXPECT_FALSE(session_->selected().has_value());
    EXPECT_EQ(session_->facts().step, 5) << "the run goes on from where it was";
    frame(1);
    EXPECT_EQ(session_->facts().step, 6);
    EXPECT_EQ(session_->message(), "");
    session_->intent.touch = Touch::undo;
    frame();
    const ParticleSet after = bodies();
    ASSERT_EQ(after.size(), 200u);
    EXPECT_EQ(after.id.back(), id);
    EXPECT_NEAR(after.position.back().x, before.position[index].x, 1e-6);
    EXPECT_NEAR(after.velocity.back().y, before.velocity[index].y, 1e-6);
    session_->intent.touch = Touch::undo;
    frame();
    EXPECT_NE(session_->message().find("nothing to undo"), std::string::npos);
}

TEST_F(TouchTest, DropsAStarAndTakesItOutAgain) {
    session_->camera.target = {0.5f, 0.25f, -0.125f};
    session_->intent.touch = Touch::dropStar;
    frame();
    ParticleSet set = bodies();
    ASSERT_EQ(set.size(), 201u);
    EXPECT_EQ(set.position.back().x, 0.5);
    EXPECT_NEAR(set.position.back().w, 0.01, 1e-6);
    EXPECT_EQ(set.id.back(), 200u);
    frame(2);
    session_->intent.touch = Touch::undo;
    frame();
    EXPECT_EQ(bodies().size(), 200u);
    session_->intent.touch = Touch::remove;
    frame();
    EXPECT_NE(session_->message().find("click on one first"), std::string::npos);
    EXPECT_EQ(bodies().size(), 200u);
}

TEST_F(TouchTest, ANewSceneForgetsSelectionAndUndo) {
    session_->intent.touch = Touch::dropStar;
    frame();
    clickOn(3);
    frame();
    session_->intent.settings.scene = "figure-eight";
    frame();
    EXPECT_FALSE(session_->selected().has_value());
    EXPECT_EQ(bodies().size(), 3u);
    session_->intent.touch = Touch::undo;
    frame();
    EXPECT_EQ(bodies().size(), 3u);
    session_->intent.touch = Touch::dropStar;
    frame();
    EXPECT_EQ(bodies().size(), 4u);
    session_->intent.reset = true;
    frame();
    EXPECT_EQ(bodies().size(), session_->facts().settings.bodies);
    frame(1);
}

}  // namespace
}  // namespace gravlab::test
