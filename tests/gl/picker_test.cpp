// Selecting one of many bodies, and edits of single ones.
#include "render/picker.h"
#include "app/view/app.h"
#include "edits.h"
#include "gl_fixture.h"
#include "render/centre_finder.h"
#include "render/nearest_bodies.h"
#include "sim/core/random.h"
#include "tests/written.h"

#include <glm/geometric.hpp>
#include <glm/vec4.hpp>

#include <algorithm>
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
    // One body alone at the side, so that no other is within reach.
    bodies[77777] = {0, 1.6f, 1.2f, 0};
    store(bodies);
    for (const bool flat : {false, true}) {
        camera.orthographic = flat;
        const glm::vec2 at = pixelOf({0, 1.6f, 1.2f});
        EXPECT_EQ(pick(at), 77777u);
        EXPECT_EQ(pick(at + glm::vec2(8, -4)), 77777u) << "near is enough";
        EXPECT_EQ(pick(at + glm::vec2(14, 0)), std::nullopt) << "too far";
    }
    // In the crowd the nearest body is found; the host computes it.
    camera.orthographic = false;
    const glm::vec2 cursor(190, 160);
    const std::optional<std::size_t> found = pick(cursor);
    ASSERT_TRUE(found.has_value());
    // When several are under the cursor, the front one is selected.
    std::size_t front = 0, behind = 0;
    float nearest = 1e9f;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const glm::vec3 place(bodies[i].x, bodies[i].y, bodies[i].z);
        const glm::vec2 way = pixelOf(place) - cursor;
        if (std::hypot(way.x, way.y) > Picker::kUnder) continue;
        ++behind;
        const float depth = glm::dot(camera.target - camera.eye(), place - camera.eye());
        if (depth < nearest) {
            nearest = depth;
            front = i;
        }
    }
    ASSERT_GT(behind, 3u);
    EXPECT_EQ(*found, front);
}

TEST_F(PickerTest, FindsNothingInAnEmptySkyOrBehindTheEye) {
    EXPECT_EQ(pick({200, 150}), std::nullopt) << "no bodies at all";
    const glm::vec3 behind = 2.0f * camera.eye();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    store({{behind.x, behind.y, behind.z, 0}, {nan, nan, nan, 0}});
    EXPECT_EQ(pick({200, 150}), std::nullopt);
}

TEST_F(PickerTest, FindsTheOneInFrontAndNotTheOneItHides) {
    const glm::vec3 way = glm::normalize(camera.target - camera.eye());
    const glm::vec3 far = camera.target + way, near = camera.target - way, beside = camera.target + glm::vec3(0, 0, 0.02f);
    for (const bool flat : {false, true}) {
        camera.orthographic = flat;
        const glm::vec2 at = pixelOf(camera.target);
        store({{far.x, far.y, far.z, 0}, {near.x, near.y, near.z, 0}});
        EXPECT_EQ(pick(at), 1u);
        store({{near.x, near.y, near.z, 0}, {far.x, far.y, far.z, 0}});
        EXPECT_EQ(pick(at), 0u) << "whatever their order";
        // Away from the cursor, the distance on the screen decides.
        store({{near.x, near.y, near.z, 0}, {beside.x, beside.y, beside.z, 0}});
        EXPECT_EQ(pick(at + glm::vec2(0, -9)), pixelOf(beside).y < at.y - 1 ? 1u : 0u);
    }
}

TEST_F(PickerTest, FindsWhatALookAtEveryBodyFinds) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const glm::vec2 size(400, 300);
    int found = 0, crowded = 0;
    for (const std::size_t count :
         {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{5}, std::size_t{4099}, std::size_t{200'003}}) {
        std::vector<ParticleVertex> bodies;
        for (std::uint64_t i = 0; i < count; ++i) {
            Random random(11, i);
            // Most in the middle, some behind the camera, some far out.
            const double wide = i % 7 == 0 ? 20 : i % 5 == 0 ? 0.05 : 1;
            const auto place = [&] { return static_cast<float>(wide * random.normal()); };
            bodies.push_back({place(), place(), place(), 0});
            if (i % 11 == 3) bodies[i] = bodies[i - 1];
            if (i % 1000 == 999) bodies[i].y = nan;
        }
        store(bodies);
        for (std::uint64_t k = 0; k < 24; ++k) {
            Random random(12, k);
            camera.orthographic = k % 4 == 1;
            const glm::mat4 clipFromWorld = camera.projection(size.x / size.y) * camera.view();
            glm::vec2 cursor(static_cast<float>(random.uniform(-5, 405)), static_cast<float>(random.uniform(-5, 305)));
            if (k % 3 == 0) cursor = pixelOf({bodies[k % count].x, bodies[k % count].y, bodies[k % count].z}, size);
            if (!(std::abs(cursor.x) < 1e6f && std::abs(cursor.y) < 1e6f)) continue;
            std::optional<std::size_t> want;
            float away = 0, depth = 0;
            for (std::size_t i = 0; i < count; ++i) {
                const glm::vec4 clip = clipFromWorld * glm::vec4(bodies[i].x, bodies[i].y, bodies[i].z, 1);
                if (!(clip.w > 0) || clip.z < -clip.w) continue;
                const glm::vec2 turned(cursor.x, size.y - cursor.y);
                const float seen = glm::distance((0.5f + 0.5f * glm::vec2(clip) / clip.w) * size, turned);
                if (!(seen <= 12)) continue;
                const float beyond = std::max(seen - Picker::kUnder, 0.0f);
                crowded += want && beyond == 0 && away == 0;
                if (want && (beyond > away || (beyond == away && clip.z >= depth))) continue;
                want = i, away = beyond, depth = clip.z;
            }
            EXPECT_EQ(pick(cursor, size), want) << count << " bodies, cursor " << cursor.x << ", " << cursor.y;
            found += want.has_value();
        }
    }
    EXPECT_GT(found, 30) << "hardly any was there to be found";
    EXPECT_GT(crowded, 1000) << "none was in front of another";
}

TEST_F(PickerTest, WatchesOneBody) {
    store({{1, 2, 3, 4}, {5, 6, 7, 8}});
    Picker picker;
    ParticleVertex vertex{};
    EXPECT_FALSE(picker.takeWatched(vertex, true));
    picker.watch(*buffer_, 1);
    ASSERT_TRUE(picker.takeWatched(vertex, true));
    EXPECT_EQ(vertex.y, 6);
    picker.watch(*buffer_, 2);  // there is no such body
    EXPECT_FALSE(picker.takeWatched(vertex, true));
}

TEST_F(PickerTest, FindsTheNearestOfManyBodies) {
    std::vector<ParticleVertex> bodies;
    for (std::uint64_t i = 0; i < 50000; ++i) {
        Random random(5, i);
        bodies.push_back({static_cast<float>(random.uniform(-1, 1)), static_cast<float>(random.uniform(-1, 1)),
                          static_cast<float>(random.uniform(-1, 1)), 0});
    }
    const float nan = std::numeric_limits<float>::quiet_NaN();
    bodies[5] = {nan, 0, 0, 0};
    bodies[49000] = bodies[7];  // at the same place
    store(bodies);
    NearestBodies search;
    std::vector<NearBody> found;
    EXPECT_FALSE(search.take(found, true));
    for (const std::size_t me : {std::size_t{7}, std::size_t{49999}}) {
        search.ask(*buffer_, me);
        ASSERT_TRUE(search.take(found, true));
        ASSERT_EQ(found.size(), NearestBodies::kMost);
        std::vector<float> away;
        for (std::size_t i = 0; i < bodies.size(); ++i)
            if (i != me && i != 5)
                away.push_back(
                    std::hypot(bodies[i].x - bodies[me].x, bodies[i].y - bodies[me].y, bodies[i].z - bodies[me].z));
        std::sort(away.begin(), away.end());
        for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k].distance, away[k], 1e-6f);
        EXPECT_EQ(found[0].index == 49000u, me == 7);
    }
    store({{1, 2, 3, 0}, {1, 2, 5, 0}});
    search.ask(*buffer_, 1);
    ASSERT_TRUE(search.take(found, true));
    ASSERT_EQ(found.size(), 1u) << "there is one other";
    EXPECT_EQ(found[0].distance, 2);
    search.ask(*buffer_, 2);  // there is no such body
    ASSERT_TRUE(search.take(found, true));
    EXPECT_TRUE(found.empty());
}

TEST_F(PickerTest, FindsTheCentresOfAllBodiesAndOfAGalaxy) {
    std::vector<ParticleVertex> bodies;
    std::vector<BodyTag> tags;
    glm::dvec3 sum(0);
    double mass = 0;
    for (std::uint64_t i = 0; i < 30000; ++i) {
        Random random(9, i);
        const bool second = i % 3 == 0;
        const double m = second ? 2 : 1;
        const glm::dvec3 x = glm::dvec3(random.normal(), random.normal(), random.normal()) * 0.3 +
                             (second ? glm::dvec3(5, 0, 1) : glm::dvec3(-1, 2, 0));
        bodies.push_back({static_cast<float>(x.x), static_cast<float>(x.y), static_cast<float>(x.z), 0});
        tags.push_back({static_cast<float>(m), second ? 1.0f : 0.0f});
        sum += m * x;
        mass += m;
    }
    // Stars that escape, all to one side.
    for (std::size_t i = 3; i < 9000; i += 9) bodies[i].x += 100;
    for (std::size_t i = 3; i < 9000; i += 9) sum.x += 2 * 100;
    store(bodies);
    CentreFinder finder;
    glm::vec3 centre{0};
    finder.ask(*buffer_, -1, {0, 0, 0}, 0);
    EXPECT_FALSE(finder.take(centre, true)) << "tags are not known yet";
    finder.setTags(tags);
    finder.ask(*buffer_, -1, {0, 0, 0}, 0);
    ASSERT_TRUE(finder.take(centre, true));
    EXPECT_NEAR(centre.x, sum.x / mass, 1e-4);
    EXPECT_NEAR(centre.y, sum.y / mass, 1e-4);
    EXPECT_NEAR(centre.z, sum.z / mass, 1e-4);
    // Escaping stars shift the plain mean of the galaxy, but not its dense centre.
    finder.ask(*buffer_, 1, {0, 0, 0}, 0);
    ASSERT_TRUE(finder.take(centre, true));
    EXPECT_GT(centre.x, 6);
    for (int round = 0; round < 40; ++round) {
        finder.ask(*buffer_, 1, centre, 1);
        ASSERT_TRUE(finder.take(centre, true));
    }
    EXPECT_NEAR(centre.x, 5, 0.03f);
    EXPECT_NEAR(centre.z, 1, 0.03f);
    finder.ask(*buffer_, 7, {0, 0, 0}, 0);
    EXPECT_FALSE(finder.take(centre, true)) << "a galaxy without bodies has no centre";
}

class TouchTest : public ::testing::Test {
protected:
    void SetUp() override {
        context_ = std::make_unique<HeadlessContext>();
        app_ = std::make_unique<App>(StartOptions{.simulation = {.scene = "plummer", .bodies = 200, .backend = "cpu"}});
        target_ = std::make_unique<OffscreenTarget>(320, 200);
    }
    void TearDown() override {
        app_.reset();
        target_.reset();
        context_.reset();
    }
    void frame(int steps = 0) {
        written(*app_).intent.stepsPerFrame = steps;
        app_->apply();
        app_->advance(false);
        app_->draw(target_->framebuffer(), 320, 200);
    }
    ParticleSet bodies() { return app_->runs.simulation().bodies(); }
    void clickOn(std::size_t index) {
        const Double4 x = bodies().position[index];
        const glm::vec4 clip = app_->document.camera.projection(1.6f) * app_->document.camera.view() *
                               glm::vec4(static_cast<float>(x.x), static_cast<float>(x.y), static_cast<float>(x.z), 1);
        written(*app_).pickAt({(0.5f + 0.5f * clip.x / clip.w) * 320, (0.5f - 0.5f * clip.y / clip.w) * 200}, {320, 200});
    }
    std::unique_ptr<HeadlessContext> context_;
    std::unique_ptr<App> app_;
    Edits edits_;
    std::unique_ptr<OffscreenTarget> target_;
};

TEST_F(TouchTest, ReadsTheBodyThatWasClicked) {
    frame(3);
    clickOn(42);
    frame();
    ASSERT_TRUE(app_->document.selected.has_value());
    const BodyReadout& read = *app_->document.selected;
    const ParticleSet set = bodies();
    const auto i = static_cast<std::size_t>(read.id);
    EXPECT_NEAR(read.mass.value(), 1.0 / 200, 1e-9);
    EXPECT_NEAR(static_cast<double>(read.position.x), set.position[i].x, 1e-5);
    const Double4& v = set.velocity[i];
    ASSERT_TRUE(read.speed.has_value());
    EXPECT_NEAR(*read.speed, std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z), 1e-9);
    EXPECT_LT(*read.energy, 0) << "bodies of a Plummer sphere are bound";
    written(*app_).pickAt({2, 2}, {320, 200});
    frame();
    EXPECT_FALSE(app_->document.selected.has_value()) << "a click on the empty sky";
}

/// 12 pixels at 96 dots an inch are 24 on a display of twice as many.
TEST_F(TouchTest, PicksAsFarAsTheScaleOfThePanelsSays) {
    written(*app_).camera.distance *= 4;  // all bodies are in the middle of the picture
    frame();
    glm::vec2 rightmost{0};
    for (const Double4& x : bodies().position) {
        const glm::vec4 clip = app_->document.camera.projection(1.6f) * app_->document.camera.view() *
                               glm::vec4(static_cast<float>(x.x), static_cast<float>(x.y), static_cast<float>(x.z), 1);
        const glm::vec2 at{(0.5f + 0.5f * clip.x / clip.w) * 320, (0.5f - 0.5f * clip.y / clip.w) * 200};
        if (at.x > rightmost.x) rightmost = at;
    }
    ASSERT_LT(rightmost.x, 300);
    for (const auto& [scale, found] : {std::pair(1.0f, false), std::pair(2.0f, true)}) {
        written(*app_).ui.scale = scale;
        written(*app_).pickAt({rightmost.x + 18, rightmost.y}, {320, 200});
        frame();
        EXPECT_EQ(app_->document.selected.has_value(), found) << scale;
    }
}

TEST_F(TouchTest, FollowsTheCentreOfMass) {
    written(*app_).camera.target = {1, 1, 1};
    written(*app_).followNext();
    ASSERT_EQ(app_->document.followedCentre, Document::kWholeScene);
    frame(2);
    EXPECT_NEAR(app_->document.camera.target.x, 0, 1e-4f);
    EXPECT_NEAR(app_->document.camera.target.z, 0, 1e-4f);
    written(*app_).followNext();
    EXPECT_FALSE(app_->document.followedCentre.has_value()) << "one galaxy has one centre";
    written(*app_).camera.target = {1, 1, 1};
    frame(1);
    EXPECT_EQ(app_->document.camera.target.x, 1);
}

TEST_F(TouchTest, FollowsTheStarThatWasDroppedAndNoGalaxyWithoutBodies) {
    written(*app_).camera.target = {2, 1, 0};
    edits_.make(*app_, "drop-star");
    frame();
    for (int i = 0; i < 3; ++i) written(*app_).followNext();
    ASSERT_EQ(app_->document.followedCentre, std::optional(1)) << "the first is that of the cluster";
    frame();
    EXPECT_NE(app_->document.message.find("galaxy 2"), std::string::npos) << app_->document.message;
    written(*app_).followNext();
    EXPECT_FALSE(app_->document.followedCentre) << app_->document.message;
}

TEST_F(TouchTest, RemovesAndUndoes) {
    frame(5);
    clickOn(10);
    frame();
    ASSERT_TRUE(app_->document.selected.has_value());
    const std::uint32_t id = app_->document.selected->id;
    const ParticleSet before = bodies();
    const auto index = static_cast<std::size_t>(id);
    edits_.make(*app_, "remove");
    frame();
    EXPECT_EQ(bodies().size(), 199u);
    EXPECT_EQ(app_->document.facts.configuration.bodies, 199u);
    EXPECT_FALSE(app_->document.selected.has_value());
    EXPECT_EQ(app_->document.facts.step, 5) << "the run goes on from where it was";
    frame(1);
    EXPECT_EQ(app_->document.facts.step, 6);
    EXPECT_EQ(app_->document.message, "");
    edits_.undo(*app_);
    frame();
    const ParticleSet after = bodies();
    ASSERT_EQ(after.size(), 200u);
    EXPECT_EQ(after.id, before.id) << "it is back at its place";
    EXPECT_NEAR(after.position[index].x, before.position[index].x, 1e-6);
    EXPECT_NEAR(after.velocity[index].y, before.velocity[index].y, 1e-6);
    edits_.undo(*app_);
    frame();
    EXPECT_NE(app_->document.message.find("nothing to undo"), std::string::npos);
}

TEST_F(TouchTest, DropsAStarAndTakesItOutAgain) {
    written(*app_).camera.target = {0.5f, 0.25f, -0.125f};
    edits_.make(*app_, "drop-star");
    frame();
    ParticleSet set = bodies();
    ASSERT_EQ(set.size(), 201u);
    EXPECT_EQ(set.position.back().x, 0.5);
    EXPECT_NEAR(set.position.back().w, 0.01, 1e-6);
    EXPECT_EQ(set.id.back(), 200u);
    frame(2);
    edits_.undo(*app_);
    frame();
    EXPECT_EQ(bodies().size(), 200u);
    edits_.make(*app_, "remove");
    frame();
    EXPECT_NE(app_->document.message.find("click on one first"), std::string::npos);
    EXPECT_EQ(bodies().size(), 200u);
}

TEST_F(TouchTest, ShowsTheNearestBodies) {
    frame(1);
    written(*app_).select(42);
    frame();
    const ParticleSet set = bodies();
    const auto away = [&](std::size_t i) {
        const Double4 &a = set.position[i], &b = set.position[42];
        return std::hypot(a.x - b.x, a.y - b.y, a.z - b.z);
    };
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < set.size(); ++i)
        if (i != 42) order.push_back(i);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return away(a) < away(b); });
    const std::vector<BodyNeighbour>& nearest = app_->document.selected->nearest;
    ASSERT_EQ(nearest.size(), NearestBodies::kMost);
    for (std::size_t k = 0; k < nearest.size(); ++k) {
        EXPECT_EQ(nearest[k].id, set.id[order[k]]);
        EXPECT_NEAR(nearest[k].distance, away(order[k]), 1e-5);
    }
}

TEST_F(TouchTest, HoldsABodyAndLetsItFallAndUndoesBoth) {
    frame(2);
    written(*app_).select(42);
    const ParticleSet before = bodies();
    edits_.make(*app_, "hold");
    frame(4);
    ParticleSet held = bodies();
    EXPECT_EQ(held.position[42].x, before.position[42].x);
    EXPECT_NE(held.position[43].x, before.position[43].x);
    ASSERT_EQ(app_->document.facts.held.size(), 1u);
    ASSERT_TRUE(app_->document.selected.has_value()) << "it stays selected";
    EXPECT_TRUE(app_->document.selected->held);
    EXPECT_FALSE(app_->document.selected->coasting);
    edits_.make(*app_, "hold");
    frame();
    EXPECT_TRUE(app_->document.facts.held.empty());
    EXPECT_EQ(bodies().velocity[42].x, 0) << "it falls from rest";
    EXPECT_EQ(bodies().velocity[42].w, 1);
    edits_.undo(*app_);  // held again
    frame();
    EXPECT_EQ(app_->document.facts.held.size(), 1u);
    edits_.undo(*app_);  // unchanged
    frame();
    EXPECT_TRUE(app_->document.facts.held.empty());
    EXPECT_EQ(bodies().velocity[42].x, before.velocity[42].x);
    EXPECT_EQ(bodies().velocity[42].w, 1);
}

TEST_F(TouchTest, LetsGoOfEveryBodyOfVeryManyThatAreHeld) {
    for (std::size_t i = 0; i < 70; ++i) {
        written(*app_).select(i);
        edits_.make(*app_, "hold");
        app_->apply();
    }
    EXPECT_TRUE(app_->document.selected->held);
    edits_.make(*app_, "hold");
    app_->apply();
    EXPECT_FALSE(app_->document.selected->held);
    EXPECT_EQ(bodies().velocity[69].w, 1);
}

TEST_F(TouchTest, LetsABodyCoastAndKnowsWhereItIs) {
    written(*app_).select(42);
    edits_.make(*app_, "coast");
    frame();
    const ParticleSet before = bodies();
    frame(10);
    const ParticleSet after = bodies();
    ASSERT_EQ(app_->document.facts.held.size(), 1u);
    EXPECT_TRUE(app_->document.selected->coasting);
    const glm::dvec3 at = app_->document.facts.held[0].at(app_->document.facts.time);
    EXPECT_NEAR(at.x, after.position[42].x, 1e-6);
    EXPECT_NE(after.position[42].x, before.position[42].x);
    EXPECT_EQ(after.velocity[42].x, before.velocity[42].x);
    edits_.make(*app_, "hold");  // from moving to standing still
    frame();
    EXPECT_EQ(bodies().velocity[42].x, 0);
    EXPECT_TRUE(app_->document.selected->held);
    app_->apply(true);
    frame();
    EXPECT_TRUE(app_->document.facts.held.empty());
}

TEST_F(TouchTest, ANewSceneForgetsSelectionAndUndo) {
    edits_.make(*app_, "drop-star");
    frame();
    clickOn(3);
    frame();
    written(*app_).intent.request.changeScene("figure-eight");
    frame();
    EXPECT_FALSE(app_->document.selected.has_value());
    EXPECT_EQ(bodies().size(), 3u);
    edits_.undo(*app_);
    frame();
    EXPECT_EQ(bodies().size(), 3u);
    edits_.make(*app_, "drop-star");
    frame();
    EXPECT_EQ(bodies().size(), 4u);
    app_->apply(true);
    frame();
    EXPECT_EQ(bodies().size(), app_->document.facts.configuration.bodies);
    frame(1);
}

}  // namespace
}  // namespace gravlab::test
