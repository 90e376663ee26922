#include "app/frontends/headless/tiles.h"

#include "app/frontends/headless/headless.h"
#include "app/system/interrupt.h"
#include "render/gl_limits.h"
#include "sim/api/errors.h"
#include "sim/core/validation.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

namespace gravlab {
namespace {

// The glow has five halvings of a quarter picture: where a tile begins, every step of the glow begins too.
constexpr int kStep = 64;

int roundedUp(int value) { return (value + kStep - 1) / kStep * kStep; }

// Shorter pictures have a glow with fewer steps.
constexpr int kLeastDrawn = 512;

struct Piece {
    int from, drawn, inner, length;
};

std::vector<Piece> cut(int length, int most) {
    const int count = (length + most - 1) / most, inner = roundedUp((length + count - 1) / count);
    std::vector<Piece> pieces;
    for (int at = 0; at < length; at += inner) {
        const int here = std::min(inner, length - at), to = std::min(length, at + here + kTileBorder);
        const int from = std::max(0, std::min(at - kTileBorder, (to - kLeastDrawn) / kStep * kStep));
        // Use whole steps also at the far end, even beyond the picture: otherwise the steps of the glow become longer there.
        const int drawn = roundedUp(std::max(to, std::min(length, from + kLeastDrawn)) - from);
        pieces.push_back({from, drawn, at, here});
    }
    return pieces;
}

}  // namespace

TilePlan planTiles(int width, int height, int inner) {
    inner = roundedUp(std::max(inner, kStep));
    TilePlan plan{.width = width, .height = height, .tiles = {}};
    for (const Piece& y : cut(height, inner))
        for (const Piece& x : cut(width, inner))
            plan.tiles.push_back({x.from, y.from, x.drawn, y.drawn, x.inner, y.inner, x.length, y.length});
    return plan;
}

int largestSide() { return glLimits().pictureSide; }

int tileSide(int width, int height, int wanted, int most) {
    // The largest bodies reach beyond the picture on both sides, so the viewport does, too.
    const int room = most / 2 - 2 * kTileBorder;
    const bool whole = static_cast<std::int64_t>(width) * height <= kWholePixels && std::max(width, height) <= most / 2;
    if (wanted == 0 && whole) return 0;
    const int side = wanted > 0 ? wanted : std::min(room, 3584);
    if (side < 1 || side > room)
        throw UsageError("--tile " + std::to_string(side) + " cannot be drawn here; parts may be up to " +
                         std::to_string(std::max(room, 0)) + " pixels");
    return std::max(width, height) <= side ? 0 : side;
}

void requirePictureMemory(int width, int height, int side) {
    const double pixels = static_cast<double>(width) * height,
                 drawn = side > 0 ? std::min<double>(pixels, 1.0 * side * side) : pixels;
    requireHostMemory(6 * pixels + 16 * drawn, "the pixels of the picture", "choose a smaller picture");
}

std::vector<std::uint8_t> drawTiles(App& app, const TilePlan& plan, const std::function<void(int, int, int, int)>& over) {
    const auto wide = static_cast<std::size_t>(plan.width);
    std::vector<std::uint8_t> whole(3 * wide * static_cast<std::size_t>(plan.height));
    std::unique_ptr<OffscreenTarget> target;
    const auto part = [](int value, int of) { return static_cast<float>(value) / static_cast<float>(of); };
    for (const Tile& tile : plan.tiles) {
        InterruptWatch::check();
        if (!target || target->width() != tile.width || target->height() != tile.height) {
            target.reset();  // release it first, because one target is large
            target = std::make_unique<OffscreenTarget>(tile.width, tile.height);
        }
        auto views = viewports(app.document, tile.width, tile.height, {});
        views.front().camera.part = {part(tile.left, plan.width), part(tile.bottom, plan.height),
                                     part(tile.width, plan.width), part(tile.height, plan.height)};
        app.view.drawAgain(app.runs, views, target->framebuffer(), tile.width, tile.height);
        if (over) over(tile.left, plan.height - tile.bottom - tile.height, tile.width, tile.height);
        const std::vector<std::uint8_t> rgb = target->read();
        for (int row = 0; row < tile.innerHeight; ++row) {
            const int y = tile.innerBottom + row;  // rows count from below
            const auto from =
                static_cast<std::size_t>(tile.height - 1 - (y - tile.bottom)) * static_cast<std::size_t>(tile.width) +
                static_cast<std::size_t>(tile.innerLeft - tile.left);
            const auto to = static_cast<std::size_t>(plan.height - 1 - y) * wide + static_cast<std::size_t>(tile.innerLeft);
            std::memcpy(whole.data() + 3 * to, rgb.data() + 3 * from, 3 * static_cast<std::size_t>(tile.innerWidth));
        }
    }
    return whole;
}

}  // namespace gravlab
