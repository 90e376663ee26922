// The choice of a way to draw, with times that are given.
#include "render/draw_path.h"

#include <gmock/gmock.h>

namespace gravlab {
namespace {

using testing::HasSubstr;

/// Frames until the trial is over; how many were drawn.
int decide(PathChooser& chooser, const PictureLoad& load, double raster, double compute) {
    int frames = 0;
    do {
        const DrawPath path = chooser.next(load);
        chooser.measured(path, path == DrawPath::raster ? raster : compute);
        ++frames;
    } while (chooser.measuring() && frames < 1000);
    return frames;
}

const PictureLoad kLoad{.bodies = 1000, .pixels = 1e6, .spriteRadius = 2, .glow = true};

TEST(PathChooser, keepsTheFasterWay) {
    for (const auto& [raster, compute, want] :
         {std::tuple{8.0, 1.0, DrawPath::compute}, {1.0, 8.0, DrawPath::raster}, {1.0, 0.99, DrawPath::raster}}) {
        PathChooser chooser;
        chooser.setWish(PathWish::automatic, {});
        EXPECT_EQ(decide(chooser, kLoad, raster, compute),
                  static_cast<int>(2 * (PathChooser::kWarmUp + PathChooser::kCounted)));
        EXPECT_EQ(chooser.next(kLoad), want);
        EXPECT_THAT(chooser.why(), HasSubstr("ms a picture"));
    }
}

TEST(PathChooser, leavesOutWarmUpAndOutliers) {
    PathChooser chooser;
    chooser.setWish(PathWish::automatic, {});
    for (int frame = 0; frame == 0 || chooser.measuring(); ++frame) {
        const DrawPath path = chooser.next(kLoad);
        const std::size_t turn = static_cast<std::size_t>(frame) % (PathChooser::kWarmUp + PathChooser::kCounted);
        const bool odd = turn < PathChooser::kWarmUp || turn == 4;
        chooser.measured(path, path == DrawPath::raster ? (odd ? 0.1 : 4) : (odd ? 500 : 2));
    }
    EXPECT_EQ(chooser.next(kLoad), DrawPath::compute);
}

TEST(PathChooser, measuresAgainWhenTheLoadChangesMuch) {
    PathChooser chooser;
    chooser.setWish(PathWish::automatic, {});
    decide(chooser, kLoad, 8, 1);
    PictureLoad load = kLoad;
    load.bodies = 1400;
    load.spriteRadius = 3.9;
    for (std::size_t i = 0; i < 2 * PathChooser::kRest; ++i) chooser.next(load);
    EXPECT_FALSE(chooser.measuring()) << "a small change";
    for (PictureLoad other :
         {PictureLoad{100000, 1e6, 2, true}, {1000, 4e6, 2, true}, {1000, 1e6, 9, true}, {1000, 1e6, 2, false}}) {
        decide(chooser, kLoad, 8, 1);
        for (std::size_t i = 0; i < PathChooser::kRest; ++i) chooser.next(kLoad);
        decide(chooser, kLoad, 8, 1);
        for (std::size_t i = 0; i < PathChooser::kRest; ++i) chooser.next(kLoad);
        chooser.next(other);
        EXPECT_TRUE(chooser.measuring());
        decide(chooser, other, 1, 8);
        EXPECT_EQ(chooser.next(other), DrawPath::raster);
        EXPECT_FALSE(chooser.measuring()) << "not again so soon";
        for (std::size_t i = 0; i < PathChooser::kRest; ++i) chooser.next(other);
    }
}

TEST(PathChooser, doesAsAskedAndSaysWhy) {
    PathChooser chooser;
    chooser.setWish(PathWish::compute, {});
    EXPECT_EQ(chooser.next(kLoad), DrawPath::compute);
    EXPECT_FALSE(chooser.measuring());
    EXPECT_THAT(chooser.why(), HasSubstr("as asked for"));
    chooser.setWish(PathWish::raster, {});
    EXPECT_EQ(chooser.next(kLoad), DrawPath::raster);
    chooser.setWish(PathWish::compute, "there is no room");
    EXPECT_EQ(chooser.next(kLoad), DrawPath::raster);
    EXPECT_THAT(chooser.why(), HasSubstr("because there is no room"));
    chooser.setWish(PathWish::automatic, "there is no room");
    EXPECT_EQ(chooser.next(kLoad), DrawPath::raster);
    EXPECT_FALSE(chooser.measuring());
}

TEST(PathChooser, staysWithTheRasteriserWhenTimersDoNotAnswerOrThereIsNothing) {
    PathChooser chooser;
    chooser.setWish(PathWish::automatic, {});
    PictureLoad nothing;
    chooser.next(nothing);
    EXPECT_FALSE(chooser.measuring());
    for (std::size_t i = 0; i <= PathChooser::kPatience; ++i) chooser.next(kLoad);
    EXPECT_FALSE(chooser.measuring());
    EXPECT_EQ(chooser.next(kLoad), DrawPath::raster);
    EXPECT_THAT(chooser.why(), HasSubstr("timers"));
}

}  // namespace
}  // namespace gravlab
