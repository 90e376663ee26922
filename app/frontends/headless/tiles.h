// Large pictures in tiles. Rule: the tiles together equal the picture drawn at once. Each is drawn with a border as wide as
// light spreads, at a position where the steps of the glow match those of the whole.
#pragma once
#include "app/view/app.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace gravlab {

/// One tile, in pixels of the whole picture from its lower left corner.
struct Tile {
    int left = 0, bottom = 0, width = 0,
        height = 0;                      ///< the area that is drawn, border included, in whole steps of the glow
    int innerLeft = 0, innerBottom = 0;  ///< the area that is kept
    int innerWidth = 0, innerHeight = 0;
};

struct TilePlan {
    int width = 0, height = 0;  ///< size of the whole picture
    std::vector<Tile> tiles;
};

/// Largest reach of glow and sprites [pixels].
constexpr int kTileBorder = 384;
/// Larger pictures are drawn in tiles, because the light of one takes 16 bytes per pixel and more.
constexpr std::int64_t kWholePixels = std::int64_t{1} << 24;

/// A plan with tiles of about `inner` pixels a side.
TilePlan planTiles(int width, int height, int inner);

/// The side of tiles for that picture: `wanted`, or 0 when it can be drawn at once. `most`: the largest side that OpenGL
/// draws. Throws UsageError when tiles of that size cannot be drawn.
int tileSide(int width, int height, int wanted, int most);

/// The largest side that the current context can draw.
int largestSide();

/// Throws OutOfMemoryError where a picture does not fit: twice its colours, and the light of one drawn area. `side`: that of
/// tiles, or 0.
void requirePictureMemory(int width, int height, int side);

/// Draws the newest step in tiles: packed RGB rows, top row first. `over` draws panels over a tile: left, top, width,
/// height. App::draw() must have been called before.
std::vector<std::uint8_t> drawTiles(App& app, const TilePlan& plan, const std::function<void(int, int, int, int)>& over);

}  // namespace gravlab
