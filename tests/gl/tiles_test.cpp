// Large pictures in tiles: the plan covers the picture once, and the tiles together equal the picture drawn at once.
#include "app/frontends/headless/tiles.h"
#include "app/frontends/headless/headless.h"
#include "app/model/twin_choice.h"
#include "app/parameters/twin_settings.h"
#include "gl_fixture.h"
#include "sim/api/errors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace gravlab::test {
namespace {

TEST(Tiles, coverThePictureOnceWithBorders) {
    for (const auto& [width, height, inner] : {std::tuple{7680, 4320, 3584},
                                               {1280, 1024, 512},
                                               {1000, 70, 64},
                                               {641, 1081, 256},
                                               {64, 64, 64},
                                               {513, 513, 512}}) {
        const TilePlan plan = planTiles(width, height, inner);
        std::vector<std::uint8_t> covered(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
        for (const Tile& t : plan.tiles) {
            EXPECT_EQ(t.left % 64, 0);
            EXPECT_EQ(t.bottom % 64, 0);
            EXPECT_GE(t.left, 0);
            EXPECT_EQ(t.width % 64, 0) << "else its glow has other steps than its neighbour's";
            EXPECT_EQ(t.height % 64, 0);
            EXPECT_LT(t.left + t.width, width + 64);
            EXPECT_LT(t.bottom + t.height, height + 64);
            EXPECT_LE(t.left, std::max(0, t.innerLeft - kTileBorder));
            EXPECT_GE(t.left + t.width, std::min(width, t.innerLeft + t.innerWidth + kTileBorder));
            EXPECT_LE(t.bottom, std::max(0, t.innerBottom - kTileBorder));
            EXPECT_GE(t.bottom + t.height, std::min(height, t.innerBottom + t.innerHeight + kTileBorder));
            EXPECT_GE(t.width, std::min(width, 512)) << "else the glow has fewer steps";
            for (int y = 0; y < t.innerHeight; ++y)
                for (int x = 0; x < t.innerWidth; ++x)
                    ++covered[static_cast<std::size_t>(t.innerBottom + y) * static_cast<std::size_t>(width) +
                              static_cast<std::size_t>(t.innerLeft + x)];
        }
        EXPECT_EQ(std::count(covered.begin(), covered.end(), 1), static_cast<std::ptrdiff_t>(covered.size()))
            << width << "x" << height << " in " << inner;
    }
}

TEST(Tiles, areUsedForWhatIsTooLargeOnly) {
    EXPECT_EQ(tileSide(1920, 1080, 0, 16384), 0);
    EXPECT_EQ(tileSide(3840, 2160, 0, 16384), 0);
    EXPECT_GT(tileSide(7680, 4320, 0, 16384), 1000);
    EXPECT_GT(tileSide(5000, 100, 0, 8192), 1000) << "wider than the viewport allows";
    EXPECT_EQ(tileSide(1920, 1080, 512, 16384), 512);
    EXPECT_THROW(tileSide(7680, 4320, 9000, 16384), UsageError);
}

struct Difference {
    int most = 0;
    double mean = 0;
};

Difference difference(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
    Difference found;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const int d = std::abs(static_cast<int>(a[i]) - static_cast<int>(b[i]));
        found.most = std::max(found.most, d);
        found.mean += d;
    }
    found.mean /= static_cast<double>(a.size());
    return found;
}

class TilesGl : public GlTest {};

TEST_F(TilesGl, togetherAreThePictureDrawnAtOnce) {
    StartOptions options{.simulation = {.scene = "collision", .bodies = 2000, .backend = "cpu"}};
    options.settings["look.auto_exposure"] = true;  // measured once, for all tiles
    options.settings["look.trails"] = std::int64_t{20};
    options.settings["look.glow"] = 0.8;  // strong, so that a seam would show
    constexpr int kWide = 1088, kHigh = 832;
    App app(options);
    OffscreenTarget target(kWide, kHigh);
    for (int i = 0; i < 4; ++i) {
        if (i > 0) app.advance(false);
        app.draw(target.framebuffer(), kWide, kHigh);
    }
    const std::vector<std::uint8_t> whole = target.read();
    const std::vector<std::uint8_t> parts = drawTiles(app, planTiles(kWide, kHigh, 320), {});
    ASSERT_EQ(parts.size(), whole.size());
    EXPECT_GT(*std::max_element(whole.begin(), whole.end()), 100) << "there must be a picture";
    const Difference found = difference(whole, parts);
    EXPECT_LE(found.most, 3);
    EXPECT_LT(found.mean, 0.5) << "the dither has another pattern, and nothing else may differ much";

    // The comparison notices a seam: tiles without their borders.
    TilePlan bare = planTiles(kWide, kHigh, 320);
    for (Tile& tile : bare.tiles) {
        tile.left = tile.innerLeft;
        tile.bottom = tile.innerBottom;
        tile.width = tile.innerWidth;
        tile.height = tile.innerHeight;
    }
    EXPECT_GT(difference(whole, drawTiles(app, bare, {})).most, 3);
}

TEST_F(TilesGl, piecesOfTheBodiesGiveThePictureOfAll) {
    constexpr std::size_t kFew = 3000, kMany = 20000;
    for (const char* colour : {"photograph", "speed"}) {
        const auto options = [&](std::size_t bodies) {
            StartOptions made{.simulation = {.scene = "plummer", .bodies = bodies, .backend = "cpu"}};
            made.settings["look.colour_mode"] = std::string(colour);
            return made;
        };
        App few(options(kFew)), many(options(kMany));
        OffscreenTarget target(704, 640);
        for (App* app : {&few, &many}) app->draw(target.framebuffer(), 704, 640);
        const std::vector<std::uint8_t> whole = target.read();
        const auto bodies = sceneNamed("plummer").made({.bodies = kMany, .seed = 1});
        std::vector<std::size_t> done;
        few.view.drawPieces(few.document, few.runs, *bodies, 7000, target.framebuffer(), 704, 640,
                            [&](std::size_t count) { done.push_back(count); });
        EXPECT_EQ(done, (std::vector<std::size_t>{6667, 13334, 20000}));
        EXPECT_LE(difference(whole, target.read()).most, 3) << colour;
    }
}

TEST_F(TilesGl, orthographicAndPaperToo) {
    StartOptions options{.simulation = {.scene = "collision", .bodies = 500, .backend = "cpu"}};
    options.settings["camera.orthographic"] = options.settings["look.white_page"] = true;
    App app(options);
    OffscreenTarget target(704, 640);
    app.draw(target.framebuffer(), 704, 640);
    EXPECT_LE(difference(target.read(), drawTiles(app, planTiles(704, 640, 192), {})).most, 3);
}

TEST_F(TilesGl, whatIsDrawnAgainIsWhatWasDrawn) {
    for (const bool twin : {false, true}) {
        StartOptions options{.simulation = {.scene = "collision", .bodies = 500, .backend = "cpu"}};
        if (twin)
            options.twin = parseTwin("integrator=euler");
        else
            options.settings["view.four"] = true;
        App app(options);
        OffscreenTarget target(512, 512), again(512, 512);
        app.draw(target.framebuffer(), 512, 512);
        const std::vector<std::uint8_t> first = target.read();
        EXPECT_GT(*std::max_element(first.begin(), first.end()), 100) << "there must be a picture";
        app.view.drawAgain(app.runs, viewports(app.document, 512, 512, app.document.free), again.framebuffer(), 512, 512);
        EXPECT_LE(difference(first, again.read()).most, 1) << (twin ? "twin" : "four views");
    }
}

}  // namespace
}  // namespace gravlab::test
