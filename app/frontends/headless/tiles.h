// Large pictures in parts. Rule: the parts together are the picture drawn at once: each is drawn with a border as wide as
// light spreads, on places where the steps of the glow fall on those of the whole.
#pragma once
#include "app/view/app.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace gravlab {

/// One part, in pixels of the whole picture from its lower left corner.
struct Tile {
    int left = 0, bottom = 0, width = 0, height = 0;  ///< what is drawn, border included, in whole steps of the glow
    int innerLeft = 0, innerBottom = 0;               ///< what is kept
    int innerWidth = 0, innerHeight = 0;
};

struct TilePlan {
    int width = 0, height = 0;  ///< of the whole
    std::vector<Tile> tiles;
};

/// Glow and sprites reach no farther.
constexpr int kTileBorder = 384;
/// Larger pictures are drawn in parts, because the light of one is 16 bytes a pixel and more.
constexpr std::int64_t kWholePixels = std::int64_t{1} << 24;

/// Parts of about `inner` pixels a side.
TilePlan planTiles(int width, int height, int inner);

/// The side of parts for that picture: as asked, or 0 when it can be drawn at once. `most`: the largest side that OpenGL
/// draws. Throws UsageError when parts of that size cannot be drawn.
int tileSide(int width, int height, int asked, int most);

/// The largest side that the current context draws.
int largestSide();

/// Throws OutOfMemoryError where a picture does not fit: twice its colours, and the light of what is drawn at once. `side`:
/// of parts, or 0.
void requirePictureMemory(int width, int height, int side);

/// Draws the newest step in parts: packed RGB rows, top row first. `over` draws panels over a part: left, top,
/// width, height. App::draw() must have been called before.
std::vector<std::uint8_t> drawTiles(App& app, const TilePlan& plan, const std::function<void(int, int, int, int)>& over);

}  // namespace gravlab
