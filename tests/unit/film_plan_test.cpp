// Films through simulated time: at the pace of the run, and as loops.
#include "app/model/film_plan.h"

#include "app/model/document.h"
#include "sim/api/errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace gravlab {
namespace {

Document documentOf(const char* scene) {
    Document document;
    document.facts.scene = &sceneNamed(scene);
    document.facts.configuration.scene = scene;
    document.facts.configuration.timeStep = document.facts.scene->timeStep;
    return document;
}

TEST(FilmPlanTest, stepsFollowTheSpeedOfTheRunUnlessTheyAreGiven) {
    Document document = documentOf("collision");
    document.facts.configuration.timeStep = 0.01;
    document.intent.stepsPerFrame = 7;
    EXPECT_EQ(filmPlan(document).stepsPerFrame, 7) << "no speed: as the window";
    document.intent.speed = 3;
    EXPECT_EQ(filmPlan(document).stepsPerFrame, 5) << "3 T a second are 300 steps, 60 frames";
    document.facts.configuration.timeStep = -0.01;
    EXPECT_EQ(filmPlan(document).stepsPerFrame, 5) << "backwards, too";
    document.intent.speed = 1e-6;
    EXPECT_EQ(filmPlan(document).stepsPerFrame, 1);
    document.ui.film.stepsPerFrame = 11;
    EXPECT_EQ(filmPlan(document).stepsPerFrame, 11);
    EXPECT_EQ(filmPlan(document).frames, 0) << "until it is stopped";
    document.ui.film.seconds = 1.5;
    EXPECT_EQ(filmPlan(document).frames, 90);
    EXPECT_EQ(filmPlan(document, 50).frames, 75) << "an encoder with fewer frames makes a film that is as long";
}

TEST(FilmPlanTest, aLoopIsAWholePeriodToHalfAFrame) {
    Document document = documentOf("figure-eight");
    document.ui.film.loop = true;
    document.intent.speed = 0.6326;
    for (const double timeStep : {0.005, 0.001, 0.00037}) {
        document.facts.configuration.timeStep = timeStep;
        const FilmPlan plan = filmPlan(document);
        const double frame = plan.stepsPerFrame * timeStep;
        EXPECT_NEAR(static_cast<double>(plan.frames) * frame, document.facts.scene->story.period, 0.5 * frame);
        EXPECT_NEAR(static_cast<double>(plan.frames), 600, 160) << "ten seconds, about";
    }
    document.facts.edited = true;
    EXPECT_THAT(noLoop(document), testing::HasSubstr("by hand"));
    EXPECT_EQ(filmPlan(document).frames, 0);
    const Document other = documentOf("collision");
    EXPECT_THAT(noLoop(other), testing::HasSubstr("no period"));
}

TEST(FilmPlanTest, framesThatAreATimeApartHaveStepsThatAreNotLonger) {
    const LoopPlan plan = loopPlan(0.35, 0.1, 600, 0), backwards = loopPlan(-0.35, 0.1, 600, 2);
    EXPECT_EQ(plan.stepsPerFrame, 4);
    EXPECT_DOUBLE_EQ(plan.timeStep, 0.35 / 4);
    EXPECT_EQ(backwards.stepsPerFrame, 2);
    EXPECT_DOUBLE_EQ(backwards.timeStep, -0.175);
}

TEST(FilmPlanTest, aLoopMadeAnewClosesExactlyWithStepsThatAreNotLonger) {
    for (const Scene& scene : sceneTable()) {
        if (!(scene.story.period > 0)) {
            EXPECT_THROW(loopPlan(scene, 60, 0, 0), UsageError) << scene.name;
            continue;
        }
        EXPECT_NEAR(scene.story.period, scene.story.time, 1e-3) << scene.name;
        for (const std::int64_t frames : {0, 48}) {
            const LoopPlan plan = loopPlan(scene, 50, frames, 0);
            EXPECT_NEAR(static_cast<double>(plan.frames) * plan.stepsPerFrame * plan.timeStep, scene.story.period, 1e-12);
            EXPECT_LE(plan.timeStep, scene.timeStep * (1 + 1e-9)) << scene.name;
            if (frames > 0) {
                EXPECT_EQ(plan.frames, frames);
            } else {
                EXPECT_EQ(plan.frames, std::llround(50 * scene.story.seconds));
            }
        }
    }
    try {
        loopPlan(sceneNamed("collision"), 60, 0, 0);
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("collision"), testing::HasSubstr("figure-eight")));
    }
}

}  // namespace
}  // namespace gravlab
