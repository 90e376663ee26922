// The choice of a draw method, from given times.
#include "render/draw_method.h"

#include <gmock/gmock.h>

namespace gravlab {
namespace {

using testing::HasSubstr;

/// Runs frames until the trial is over; returns their number.
int decide(DrawMethodChooser& chooser, const PictureLoad& load, double raster, double compute) {
    int frames = 0;
    do {
        const DrawMethod path = chooser.next(load);
        chooser.measured(path, path == DrawMethod::raster ? raster : compute);
        ++frames;
    } while (chooser.measuring() && frames < 1000);
    return frames;
}

const PictureLoad kLoad{.bodies = 1000, .pixels = 1e6, .spriteRadius = 2, .glow = true};

TEST(DrawMethodChooser, keepsTheFasterWay) {
    for (const auto& [raster, compute, want] :
         {std::tuple{8.0, 1.0, DrawMethod::compute}, {1.0, 8.0, DrawMethod::raster}, {1.0, 0.99, DrawMethod::raster}}) {
        DrawMethodChooser chooser;
        chooser.setWish(DrawMethodRequest::automatic, {});
        EXPECT_EQ(decide(chooser, kLoad, raster, compute),
                  static_cast<int>(2 * (DrawMethodChooser::kWarmUp + DrawMethodChooser::kCounted)));
        EXPECT_EQ(chooser.next(kLoad), want);
        EXPECT_THAT(chooser.why(), HasSubstr("ms per picture"));
    }
}

TEST(DrawMethodChooser, leavesOutWarmUpAndOutliers) {
    DrawMethodChooser chooser;
    chooser.setWish(DrawMethodRequest::automatic, {});
    for (int frame = 0; frame == 0 || chooser.measuring(); ++frame) {
        const DrawMethod path = chooser.next(kLoad);
        const std::size_t turn =
            static_cast<std::size_t>(frame) % (DrawMethodChooser::kWarmUp + DrawMethodChooser::kCounted);
        const bool odd = turn < DrawMethodChooser::kWarmUp || turn == 4;
        chooser.measured(path, path == DrawMethod::raster ? (odd ? 0.1 : 4) : (odd ? 500 : 2));
    }
    EXPECT_EQ(chooser.next(kLoad), DrawMethod::compute);
}

TEST(DrawMethodChooser, measuresAgainWhenTheLoadChangesMuch) {
    DrawMethodChooser chooser;
    chooser.setWish(DrawMethodRequest::automatic, {});
    decide(chooser, kLoad, 8, 1);
    PictureLoad load = kLoad;
    load.bodies = 1400;
    load.spriteRadius = 3.9;
    for (std::size_t i = 0; i < 2 * DrawMethodChooser::kRest; ++i) chooser.next(load);
    EXPECT_FALSE(chooser.measuring()) << "a small change";
    for (PictureLoad other :
         {PictureLoad{100000, 1e6, 2, true}, {1000, 4e6, 2, true}, {1000, 1e6, 9, true}, {1000, 1e6, 2, false}}) {
        decide(chooser, kLoad, 8, 1);
        for (std::size_t i = 0; i < DrawMethodChooser::kRest; ++i) chooser.next(kLoad);
        decide(chooser, kLoad, 8, 1);
        for (std::size_t i = 0; i < DrawMethodChooser::kRest; ++i) chooser.next(kLoad);
        chooser.next(other);
        EXPECT_TRUE(chooser.measuring());
        decide(chooser, other, 1, 8);
        EXPECT_EQ(chooser.next(other), DrawMethod::raster);
        EXPECT_FALSE(chooser.measuring()) << "not again so soon";
        for (std::size_t i = 0; i < DrawMethodChooser::kRest; ++i) chooser.next(other);
    }
}

TEST(DrawMethodChooser, veryManyBodiesAreNeverDrawnByTheRasteriserToTimeIt) {
    PictureLoad load = kLoad;
    load.bodies = 100'000'000;
    for (const auto& [raster, compute, want] :
         {std::tuple{780.0, 12.0, DrawMethod::compute}, {5.0, 12.0, DrawMethod::raster}}) {
        DrawMethodChooser chooser;
        chooser.setWish(DrawMethodRequest::automatic, {});
        int frames = 0, samples = 0;
        do {
            EXPECT_EQ(chooser.next(load), DrawMethod::compute);
            EXPECT_EQ(chooser.path(), DrawMethod::compute) << "pictures beside the window, too";
            EXPECT_TRUE(chooser.measuring());
            if (chooser.wantsSample()) chooser.measuredSample(raster), ++samples;
            chooser.measured(DrawMethod::compute, compute);
        } while (chooser.measuring() && ++frames < 1000);
        EXPECT_EQ(samples, static_cast<int>(DrawMethodChooser::kWarmUp + DrawMethodChooser::kCounted));
        EXPECT_EQ(chooser.next(load), want) << chooser.why();
        EXPECT_FALSE(chooser.wantsSample());
        EXPECT_THAT(chooser.why(), HasSubstr("12 ms per picture by compute shaders, about"));
    }
    DrawMethodChooser silent;
    silent.setWish(DrawMethodRequest::automatic, {});
    for (std::size_t i = 0; i <= DrawMethodChooser::kPatience; ++i) silent.next(load);
    EXPECT_FALSE(silent.measuring());
    EXPECT_EQ(silent.next(load), DrawMethod::compute);
}

TEST(DrawMethodChooser, doesAsAskedAndSaysWhy) {
    DrawMethodChooser chooser;
    chooser.setWish(DrawMethodRequest::compute, {});
    EXPECT_EQ(chooser.next(kLoad), DrawMethod::compute);
    EXPECT_FALSE(chooser.measuring());
    EXPECT_THAT(chooser.why(), HasSubstr("as chosen"));
    chooser.setWish(DrawMethodRequest::raster, {});
    EXPECT_EQ(chooser.next(kLoad), DrawMethod::raster);
    chooser.setWish(DrawMethodRequest::compute, "there is no room");
    EXPECT_EQ(chooser.next(kLoad), DrawMethod::raster);
    EXPECT_THAT(chooser.why(), HasSubstr("because there is no room"));
    chooser.setWish(DrawMethodRequest::automatic, "there is no room");
    EXPECT_EQ(chooser.next(kLoad), DrawMethod::raster);
    EXPECT_FALSE(chooser.measuring());
}

TEST(DrawMethodChooser, staysWithTheRasteriserWhenTimersDoNotAnswerOrThereIsNothing) {
    DrawMethodChooser chooser;
    chooser.setWish(DrawMethodRequest::automatic, {});
    PictureLoad nothing;
    chooser.next(nothing);
    EXPECT_FALSE(chooser.measuring());
    for (std::size_t i = 0; i <= DrawMethodChooser::kPatience; ++i) chooser.next(kLoad);
    EXPECT_FALSE(chooser.measuring());
    EXPECT_EQ(chooser.next(kLoad), DrawMethod::raster);
    EXPECT_THAT(chooser.why(), HasSubstr("timers"));
}

}  // namespace
}  // namespace gravlab
