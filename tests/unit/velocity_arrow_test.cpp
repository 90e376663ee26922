// The arrow of a velocity, dragged by its tip, and the places of labels.
#include "app/model/document.h"
#include "app/ui/overlay_space.h"
#include "sim/api/errors.h"
#include "sim/core/body_edit.h"
#include "tests/bodies.h"

#include <gtest/gtest.h>
#include <glm/geometric.hpp>
#include <glm/mat4x4.hpp>

#include <algorithm>
#include <cmath>

namespace gravlab {
namespace {

constexpr glm::vec2 kSurface{800, 600};

/// One selected body of `figure-eight`, whose arrow is shown.
Document withArrow() {
    Document document;
    document.facts.scene = &sceneNamed("figure-eight");
    document.camera = document.shown = Camera{.distance = 4};
    document.overlay.velocities = true;
    document.facts.marks = {{.id = 3, .place = {0.5, 0.2, 0}, .velocity = {0.3, -0.4, 0.1}}};
    document.selected = BodyReadout{.id = 3};
    return document;
}

glm::vec2 onPicture(const Document& document, const glm::dvec3& point) {
    const Document::SurfaceSpot spot = document.spotAt({400, 300}, kSurface);
    const glm::vec4 clip =
        spot.camera.projection(spot.size.x / spot.size.y) * spot.camera.view() * glm::vec4(glm::vec3(point), 1);
    return {(0.5f + 0.5f * clip.x / clip.w) * spot.size.x, (0.5f - 0.5f * clip.y / clip.w) * spot.size.y};
}

TEST(VelocityArrowTest, theTipStaysUnderTheCursor) {
    Document document = withArrow();
    const auto tip = [&] {
        const BodyMark mark = *document.selectedArrow();
        return mark.place + document.arrowScale().velocity * mark.velocity;
    };
    const glm::vec2 from = onPicture(document, tip());
    EXPECT_TRUE(document.onArrowTip(from + glm::vec2(5, -5), kSurface));
    EXPECT_FALSE(document.onArrowTip(from + glm::vec2(40, 0), kSurface));
    document.startAim(from, kSurface);
    document.moveAim(from + glm::vec2(60, -35));
    ASSERT_TRUE(document.aim.dragging());
    const glm::vec2 now = onPicture(document, tip());
    EXPECT_NEAR(now.x, from.x + 60, 0.05);
    EXPECT_NEAR(now.y, from.y - 35, 0.05);
    const glm::dvec3 velocity = document.aim.velocity();
    EXPECT_EQ(document.aim.release(), std::optional(velocity));
    EXPECT_FALSE(document.aim.release()) << "once";
}

TEST(VelocityArrowTest, aClickOnTheTipChangesNothing) {
    Document document = withArrow();
    document.startAim({400, 300}, kSurface);
    EXPECT_FALSE(document.aim.release());
    document.startAim({400, 300}, kSurface);
    document.moveAim({500, 300});
    document.aim.cancel();
    EXPECT_FALSE(document.aim.release());
    document.overlay.velocities = false;
    EXPECT_FALSE(document.selectedArrow()) << "an arrow that is not shown is not there to be taken";
}

TEST(BodyPullTest, theEndOfTheSpringIsUnderTheCursorAtTheDepthOfTheBody) {
    Document document = withArrow();
    document.selected->placed = true;
    document.selected->position = {0.5f, 0.2f, 0.7f};  // nearer than the target of the camera
    const glm::dvec3 place(document.selected->position);
    const glm::vec2 from = onPicture(document, place);
    EXPECT_TRUE(document.onSelected(from + glm::vec2(5, -5), kSurface));
    EXPECT_FALSE(document.onSelected(from + glm::vec2(40, 0), kSurface));
    ASSERT_TRUE(document.startPull(from + glm::vec2(5, -5), kSurface));
    EXPECT_FALSE(document.pull.on()) << "the host begins it, or refuses";
    document.movePull(from + glm::vec2(60, -35));
    document.pull.begin(3, std::nullopt);
    const glm::vec2 now = onPicture(document, document.pull.place());
    EXPECT_NEAR(now.x, from.x + 60, 0.05);
    EXPECT_NEAR(now.y, from.y - 35, 0.05);
    const glm::vec3 ahead = glm::normalize(document.camera.target - document.camera.eye());
    EXPECT_NEAR(glm::dot(glm::dvec3(ahead), document.pull.place() - place), 0, 1e-6);
    document.pull.begin(3, glm::dvec3(1, 2, 3));
    document.movePull(from);
    EXPECT_EQ(document.pull.place(), glm::dvec3(1, 2, 3)) << "a place of a command is not under the pointer";
    document.pull.end();
    EXPECT_FALSE(document.pull.on() || document.pull.gripped());
    document.selected->placed = false;
    EXPECT_FALSE(document.startPull(from, kSurface));
}

TEST(LabelsTest, touchNeitherEachOtherNorOtherBodiesAndHeavierOnesComeFirst) {
    std::vector<LabelWish> wishes;
    for (int i = 0; i < 40; ++i)
        wishes.push_back({ImVec2(400 + 37 * std::sin(i * 2.1f), 300 + 29 * std::cos(i * 1.7f)), ImVec2(50, 14), 40.0 - i});
    const auto places = placeLabels(wishes, ImVec2(0, 0), ImVec2(800, 600), 12);
    ASSERT_EQ(places.size(), wishes.size());
    EXPECT_TRUE(places.front()) << "the heaviest always has room";
    int placed = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (!places[i]) continue;
        ++placed;
        for (std::size_t k = 0; k < i; ++k)
            if (places[k]) {
                EXPECT_TRUE(std::abs(places[i]->x - places[k]->x) >= 56 || std::abs(places[i]->y - places[k]->y) >= 20)
                    << i << " lies on " << k << ", or so near that both read as one";
            }
    }
    EXPECT_GT(placed, 3);
    EXPECT_LT(placed, 40) << "there is no room for all; the test says nothing";
    const auto outside = placeLabels({{ImVec2(-5, 10), ImVec2(50, 14), 1}, {ImVec2(795, 595), ImVec2(50, 14), 1}},
                                     ImVec2(0, 0), ImVec2(800, 600), 12);
    EXPECT_FALSE(outside[0]);
    ASSERT_TRUE(outside[1]);
    EXPECT_LE(outside[1]->x + 50, 800);
    EXPECT_LE(outside[1]->y + 14, 600);
    const LabelWish moves{.at = ImVec2(100, 100), .size = ImVec2(50, 14), .weight = 1, .trail = ImVec2(3, 0)};
    EXPECT_LT(placeLabels({moves}, ImVec2(0, 0), ImVec2(800, 600), 12)[0]->x + 50, 100) << "beside, away from the trail";
    EXPECT_GT(placeLabels({moves}, ImVec2(90, 90), ImVec2(800, 110), 12)[0]->x, 100) << "no other place has room";
    const auto beside = placeLabels({{ImVec2(100, 100), ImVec2(50, 14), 1, 40}}, ImVec2(0, 0), ImVec2(800, 600), 12);
    ASSERT_TRUE(beside[0]);
    EXPECT_GT(beside[0]->x, 140) << "beyond the disc of a planet";
}

// Edits of many bodies at once, and held bodies.

using namespace testing_support;

TEST(BodyEditTest, manyEditsEqualOneAfterTheOther) {
    const ParticleSet start = unevenBodies(300);
    std::vector<BodyEdit> edits;
    for (std::uint32_t k = 0; k < 120; ++k) {
        edits.push_back({.kind = BodyEdit::Kind::remove, .id = (k * 7) % 300 < 280 ? (k * 2) : 299 - k});
        edits.push_back({.kind = BodyEdit::Kind::add, .id = 1000 + k, .position = {double(k), 0, 0, 1}});
    }
    edits.push_back({.kind = BodyEdit::Kind::remove, .id = 1003});
    edits.push_back({.kind = BodyEdit::Kind::add, .id = 1003, .position = {-1, 0, 0, 1}});
    std::vector<BodyEdit> valid;
    ParticleSet single = start;
    for (const BodyEdit& edit : edits) {
        try {
            applyEdits(single, std::span(&edit, 1));
            valid.push_back(edit);
        } catch (const UsageError&) {
        }
    }
    ASSERT_GT(valid.size(), 200u);
    ParticleSet together = start;
    applyEdits(together, valid);
    ASSERT_EQ(together.id, single.id);
    for (std::size_t i = 0; i < single.size(); ++i) EXPECT_EQ(together.position[i].x, single.position[i].x);
    EXPECT_EQ(together.id.back(), 1003u);
    EXPECT_EQ(together.position.back().x, -1);
}

TEST(BodyEditTest, aBadEditInAListChangesNothing) {
    const ParticleSet start = unevenBodies(3);
    const BodyEdit edits[] = {{.kind = BodyEdit::Kind::remove, .id = 0},
                              {.kind = BodyEdit::Kind::remove, .id = 1},
                              {.kind = BodyEdit::Kind::remove, .id = 2}};
    ParticleSet bodies = start;
    EXPECT_THROW(applyEdits(bodies, edits), UsageError) << "the last one stays";
    EXPECT_EQ(bodies.id, start.id);
    applyEdits(bodies, std::span(edits, 2));
    EXPECT_EQ(bodies.id, std::vector<std::uint32_t>{2});
}

TEST(BodyEditTest, holdsAndReleases) {
    ParticleSet bodies = unevenBodies(5);
    const Double4 before = bodies.velocity[2];
    const BodyEdit still = holdBody(bodies, 2, false), moving = holdBody(bodies, 2, true);
    applyEdits(bodies, std::span(&moving, 1));
    EXPECT_TRUE(isHeld(bodies.velocity[2]));
    EXPECT_EQ(bodies.velocity[2].x, before.x);
    applyEdits(bodies, std::span(&still, 1));
    EXPECT_TRUE(isHeld(bodies.velocity[2]));
    EXPECT_EQ(bodies.velocity[2].x, 0);
    const BodyEdit free = releaseBody(bodies, 2, 0.25);
    applyEdits(bodies, std::span(&free, 1));
    EXPECT_FALSE(isHeld(bodies.velocity[2]));
    EXPECT_EQ(bodies.velocity[2].w, 0.25);
    EXPECT_EQ(std::count_if(bodies.velocity.begin(), bodies.velocity.end(), isHeld), 0);
}

}  // namespace
}  // namespace gravlab
