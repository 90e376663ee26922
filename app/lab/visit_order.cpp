#include "app/lab/visit_order.h"

#include "app/tables/format.h"
#include "sim/backends/tile_partition.h"

#include <algorithm>

namespace gravlab {
namespace {

/// Blocks start in the order of their indices, as many at once as fit.
struct Waves {
    double atOnce = 1;
    int of(int block) const { return static_cast<int>(block / atOnce); }
};

VisitOrder notKnown(std::string why) {
    VisitOrder order{.unknown = std::move(why)};
    return order;
}

/// One thread visits all rows, or each row up to the diagonal.
VisitOrder byOneThread(std::uint32_t n, bool once) {
    VisitOrder order;
    order.threads = order.waves = 1;
    order.range = n;
    order.once = once;
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t first = once ? i + 1 : 0;
        const double begin = order.length, end = begin + (n - first);
        if (first < n) order.tiles.push_back({i, i + 1, first, n, begin, end, 0, 0, false});
        if (first < n && once) order.tiles.push_back({first, n, i, i + 1, begin, end, 0, 0, true});
        order.length = end;
    }
    return order;
}

VisitOrder byTargets(const LaunchConfig& launch, const LaunchFacts& facts, std::uint32_t n) {
    VisitOrder order{.threads = facts.threads, .bodiesPerThread = std::max(1, launch.bodiesPerThread)};
    const auto targets = static_cast<std::uint32_t>(order.threads * order.bodiesPerThread);
    const auto split = static_cast<std::uint32_t>(std::max(1, facts.gridY));
    // As in the method: ranges of a multiple of 8 sources do not cut unrolled loops.
    order.range = split == 1 ? n : ((n + split - 1) / split + 7) / 8 * 8;
    order.tile = facts.sharedBytes > 0 ? static_cast<std::uint32_t>(order.threads) : 0;
    const std::uint32_t step = order.tile > 0 ? order.tile : order.range;
    const Waves waves{std::max(1.0, static_cast<double>(facts.residentBlocks) * facts.multiprocessors)};
    const std::uint32_t across = (n + targets - 1) / targets;
    for (std::uint32_t y = 0; y < split; ++y)
        for (std::uint32_t x = 0; x < across; ++x) {
            const auto block = static_cast<int>(y * across + x);
            const int wave = waves.of(block);
            order.waves = std::max(order.waves, wave + 1);
            const std::uint32_t last = std::min(n, (y + 1) * order.range);
            for (std::uint32_t from = y * order.range; from < last; from += step) {
                const std::uint32_t end = std::min(last, from + step);
                const double begun = static_cast<double>(wave) * order.range + (from - y * order.range);
                order.tiles.push_back({x * targets, std::min(n, (x + 1) * targets), from, end, begun, begun + (end - from),
                                       block, wave, false});
                order.length = std::max(order.length, begun + (end - from));
            }
        }
    return order;
}

/// As in symmetric.cuh: a warp holds a tile and visits a chunk of the following bodies, cyclically; the first blocks compute
/// each tile with itself. With an even number of tiles, only one side computes the farthest tile.
VisitOrder byPairTiles(const LaunchConfig& launch, const LaunchFacts& facts, Precision precision, std::uint32_t n) {
    const int usual = precision == Precision::fp64 ? kSymmetricBodies<double> : kSymmetricBodies<float>;
    const TilePartition cut = tilePartition(n, 32 * (launch.bodiesPerThread > 1 ? launch.bodiesPerThread : usual));
    const auto tile = static_cast<std::uint32_t>(cut.tile), tiles = static_cast<std::uint32_t>(cut.tiles),
               chunk = static_cast<std::uint32_t>(cut.chunk), range = static_cast<std::uint32_t>(cut.range);
    const int warps = std::max(1, facts.threads / 32);
    VisitOrder order{
        .threads = 32, .bodiesPerThread = static_cast<int>(tile) / 32, .tile = tile, .range = chunk, .once = true};
    const Waves waves{std::max(1.0, static_cast<double>(facts.residentBlocks) * facts.multiprocessors)};
    double begun = 0;  // start time of the wave
    int wave = 0;
    double longest = 0;
    const auto add = [&](std::uint32_t unit, std::uint32_t row, std::uint32_t column, std::uint32_t width, bool own) {
        const int block = static_cast<int>(unit) / warps;
        if (waves.of(block) != wave) {
            wave = waves.of(block);
            begun += longest;
            longest = 0;
        }
        longest = std::max(longest, static_cast<double>(width));
        order.length = std::max(order.length, begun + width);
        order.waves = wave + 1;
        const std::uint32_t rowEnd = std::min(n, row + tile), columnEnd = std::min(n, column + width);
        if (row >= n || column >= n) return;
        const double end = begun + (columnEnd - column);
        order.tiles.push_back({row, rowEnd, column, columnEnd, begun, end, block, wave, false});
        if (!own) order.tiles.push_back({column, columnEnd, row, rowEnd, begun, end, block, wave, true});
    };
    for (std::uint32_t k = 0; k < tiles; ++k) add(k, k * tile, k * tile, tile, true);
    for (std::uint32_t first = 0; first < range; first += chunk)
        for (std::uint32_t k = 0; k < tiles; ++k) {
            const std::uint32_t ahead = range - (tiles % 2 == 0 && k >= tiles / 2 ? tile : 0);
            if (first >= ahead) continue;
            const std::uint32_t partner = ((k + 1) * tile + first) % (tiles * tile);
            add((first / chunk + 1) * tiles + k, k * tile, partner, chunk, false);
        }
    return order;
}

}  // namespace

VisitOrder visitOrder(const KernelRow& row, const LaunchConfig& launch, const LaunchFacts& facts, Precision precision,
                      std::size_t bodies) {
    const auto n = static_cast<std::uint32_t>(bodies);
    if (n == 0) return notKnown("There are no bodies.");
    if (row.approximates) return notKnown("A tree skips most pairs, depending on the positions of the bodies.");
    if (row.byCutOff) return notKnown("Cells and lists skip most pairs, depending on the positions of the bodies.");
    if (facts.multiprocessors == 0) {
        const std::string_view name = row.name;
        if (name == "plain" || name == "naive") return byOneThread(n, false);
        if (name == "naive-symmetric") return byOneThread(n, true);
        return notKnown(
            "CPU threads take rows in no fixed order: choose 'naive', which has one thread, or a GPU kernel, which has "
            "blocks.");
    }
    if (facts.gridX == 0 || facts.threads == 0) return notKnown("The launch is unknown.");
    if (row.cut == Split::targets) return byTargets(launch, facts, n);
    if (row.cut == Split::tilePairs) return byPairTiles(launch, facts, precision, n);
    return notKnown("This kernel visits the pairs several times in one launch; 'tiled' or 'symmetric' show an order.");
}

const VisitTile* tileOf(const VisitOrder& order, std::uint32_t i, std::uint32_t j) {
    for (const VisitTile& tile : order.tiles)
        if (i >= tile.row && i < tile.rowEnd && j >= tile.column && j < tile.columnEnd) return &tile;
    return nullptr;
}

std::string visitText(const VisitOrder& order, std::uint32_t i, std::uint32_t j) {
    const VisitTile* const tile = tileOf(order, i, j);
    if (!tile) return {};
    if (order.threads == 1)
        return tile->mirrored ? formatted("The single thread adds the force on %u when it has computed that on %u.", i, j)
                              : formatted("The single thread holds body %u and reads body %u.", i, j);
    const std::string of = formatted("block %d, wave %d of %d", tile->block + 1, tile->wave + 1, order.waves);
    if (order.once) {
        const std::uint32_t held = tile->mirrored ? j : i, partner = tile->mirrored ? i : j;
        const std::string lane = formatted("Lane %u of %s holds body %u in registers; body %u rotates through the warp",
                                           held % 32, of.c_str(), held, partner);
        return lane + (tile->mirrored ? ": this half of the pair is added to the partner, not computed." : ".");
    }
    const std::uint32_t thread = (i - tile->row) % static_cast<std::uint32_t>(order.threads);
    const std::string who = formatted("Thread %u of %s holds body %u; body %u is read ", thread, of.c_str(), i, j);
    if (order.tile == 0) return who + "from memory by every thread of the block.";
    return who + formatted("once by thread %u into shared memory, for the whole block.", j - tile->column);
}

}  // namespace gravlab
