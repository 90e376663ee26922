// Drawings of lessons about GPUs. Rule: they have the numbers of the texts beside them, and no answer to a question there.
#include "app/model/recorded.h"
#include "app/plots/diagram_pen.h"
#include "app/tables/format.h"

#include <cmath>

namespace gravlab {
namespace {

constexpr std::size_t kMemoryHue = 0, kSharedHue = 1, kThreadHue = 2, kWaitsHue = 3;  // hues

float nth(int i, float each, float first = 0) { return first + each * static_cast<float>(i); }

/// A row of `count` numbered boxes across the picture.
void bodyRow(DiagramPen& pen, float y, std::size_t hue, int count, const char* letter) {
    const float each = 1 / static_cast<float>(count);
    for (int i = 0; i < count; ++i)
        pen.named(nth(i, each), y, nth(i + 1, each) - 0.1f * each, y + 1.4f, hue, letter + std::to_string(i));
}

/// The multiprocessors of an H200, of which so many have a block.
void multiprocessors(DiagramPen& pen, float y, int filled) {
    constexpr int kAcross = 22, kAll = 132;
    constexpr float kEach = 1.0f / kAcross;
    for (int i = 0; i < kAll; ++i) {
        const float left = nth(i % kAcross, kEach), top = nth(i / kAcross, 0.55f, y);
        pen.box(left, top, left + 0.8f * kEach, top + 0.42f, pen.hue(kThreadHue, i < filled ? 200 : 14),
                i < filled ? pen.hue(kThreadHue) : pen.quiet());
    }
}

}  // namespace

void drawThreadPerPair(DiagramPen& pen) {
    constexpr int kSide = 4;
    constexpr float kLeft = 0.16f, kCell = 0.125f, kTop = 2.6f, kHigh = 1.7f;
    pen.say(0, 0, pen.text(), "p = 4: 4 targets x 4 sources, 16 threads");
    for (int i = 0; i < kSide; ++i) {
        const float y = nth(i, kHigh, kTop), middle = y + 0.5f * kHigh;
        pen.say(0, middle - 0.5f, pen.quiet(), "target " + std::to_string(i), 0, kLeft - 0.01f);
        pen.say(nth(i, kCell, kLeft + 0.5f * kCell), kTop - 1.2f, pen.quiet(), "source " + std::to_string(i), 0.5f,
                kCell - 0.01f);
        for (int j = 0; j < kSide; ++j)
            pen.named(nth(j, kCell, kLeft), y, nth(j + 1, kCell, kLeft) - 0.008f, y + kHigh - 0.2f, kThreadHue,
                      "t" + std::to_string(kSide * i + j));
        pen.line(nth(kSide, kCell, kLeft), middle - 0.1f, 0.76f, middle - 0.1f, pen.hue(kSharedHue));
        pen.named(0.76f, y, 0.995f, y + kHigh - 0.2f, kSharedHue, "sum of 4");
    }
    const float below = nth(kSide, kHigh, kTop) + 0.2f;
    pen.say(0, below, pen.hue(kThreadHue), "a thread: one force, then it waits");
    pen.say(0, below + 1.3f, pen.hue(kSharedHue), "shared memory: 4 forces of a target are added");
    pen.say(0, below + 2.6f, pen.text(), "Two barriers for every pair of a thread.");
}

void drawThreadPerBody(DiagramPen& pen) {
    constexpr int kBodies = 12;
    constexpr float kEach = 1.f / kBodies;
    pen.say(0, 0, pen.text(), "12 bodies, 12 threads: each reads all 12");
    pen.say(0, 1.4f, pen.hue(kMemoryHue), "global memory: sources");
    bodyRow(pen, 2.7f, kMemoryHue, kBodies, "");
    for (const int thread : {1, 6})
        for (int j = 0; j < kBodies; ++j)
            pen.line(nth(j, kEach, 0.46f * kEach), 4.15f, nth(thread, kEach, 0.46f * kEach), 7.9f, pen.hue(kThreadHue, 130),
                     0.06f);
    bodyRow(pen, 7.95f, kThreadHue, kBodies, "t");
    pen.say(0, 9.7f, pen.hue(kThreadHue), "threads: a target each, in registers");
    pen.say(0, 11, pen.text(), "12 x 12 reads of 16 bytes; N x N for N bodies.");
}

void drawTileAndBarriers(DiagramPen& pen) {
    constexpr int kWarps = 4;
    constexpr float kLeft = 0.15f, kLane = 1.7f, kTop = 1.5f;
    constexpr float kFirst = 0.33f, kSecond = 0.67f, kThird = 0.85f;
    constexpr float kRead[kWarps] = {0.28f, 0.31f, 0.24f, 0.33f}, kLoop[kWarps] = {0.62f, 0.56f, 0.67f, 0.6f};
    for (int warp = 0; warp < kWarps; ++warp) {
        const float y = nth(warp, kLane, kTop), under = y + 1.3f;
        pen.say(0, y + 0.15f, pen.text(), "warp " + std::to_string(warp), 0, kLeft - 0.01f);
        pen.named(kLeft, y, kRead[warp], under, kMemoryHue, "read");
        pen.named(kFirst + 0.005f, y, kLoop[warp], under, kThreadHue, "forces");
        pen.named(kSecond + 0.005f, y, kSecond + kRead[warp] - kLeft, under, kMemoryHue, "read");
        pen.named(kThird + 0.005f, y, 1, under, kThreadHue, "forces");
        if (kRead[warp] < kFirst)
            pen.box(kRead[warp], y + 0.5f, kFirst, under - 0.5f, pen.hue(kWaitsHue, 60), pen.hue(kWaitsHue, 90));
        if (kLoop[warp] < kSecond)
            pen.box(kLoop[warp], y + 0.5f, kSecond, under - 0.5f, pen.hue(kWaitsHue, 60), pen.hue(kWaitsHue, 90));
    }
    const float end = nth(kWarps, kLane, kTop);
    constexpr const char* kNames[] = {"1", "2", "1"};
    constexpr float kPlaces[] = {kFirst, kSecond, kThird};
    for (int i = 0; i < 3; ++i) {
        pen.line(kPlaces[i], kTop - 0.2f, kPlaces[i], end, pen.hue(kSharedHue), 0.22f);
        pen.say(kPlaces[i], 0, pen.hue(kSharedHue), std::string("barrier ") + kNames[i], 0.5f, 0.2f);
    }
    pen.say(0, end + 0.3f, pen.hue(kMemoryHue), "read: a source for each thread, into shared memory");
    pen.say(0, end + 1.6f, pen.hue(kThreadHue), "forces: each thread loops over all p of the tile");
    pen.say(0, end + 2.9f, pen.hue(kWaitsHue), "thin: the warp waits for the slowest of its block");
}

void drawMemoryLevels(DiagramPen& pen) {
    struct Level {
        const char *name, *row, *size;
        std::size_t hue;
    };
    constexpr Level kLevels[] = {{"registers", "register", "255 a thread", kThreadHue},
                                 {"shared memory", "shared", "227 KB a block", kSharedHue},
                                 {"L1 cache", "l1", "256 KB", kWaitsHue},
                                 {"L2 cache", "l2", "50 MB", kWaitsHue},
                                 {"memory", "memory", "141 GB", kMemoryHue}};
    constexpr float kLeft = 0.28f, kDecades = 2.9f;  // of clocks, over the rest of the width
    pen.say(0, 0, pen.text(), "Clocks until a number is there, on an H200");
    float y = 1.6f;
    for (const Level& level : kLevels) {
        const double clocks = recordedNumber("nvidia-h200-memory " + std::string(level.row) + " of=clocks");
        const float right = kLeft + (1 - kLeft) * static_cast<float>(std::log10(clocks)) / kDecades;
        pen.say(0, y, pen.hue(level.hue), level.name, 0, kLeft - 0.02f);
        pen.say(0, y + 1.1f, pen.quiet(), level.size, 0, kLeft - 0.02f);
        pen.box(kLeft, y + 0.15f, right, y + 1.75f, pen.hue(level.hue, 80), pen.hue(level.hue));
        pen.say(kLeft + 0.015f, y + 0.45f, pen.text(), formatted("%.3g", clocks));
        y += 2.5f;
    }
    pen.say(0, y, pen.quiet(), "The scale is logarithmic.");
}

void drawBodiesPerThread(DiagramPen& pen) {
    constexpr float kRight = 0.3f;
    const auto thread = [&](float y, int bodies) {
        const float high = nth(bodies, 1.7f), middle = y + 0.5f * high;
        pen.named(0, middle - 0.8f, kRight, middle + 0.8f, kSharedHue, "one read: 16 bytes");
        pen.box(0.48f, y - 0.2f, 1, y + high, pen.hue(kThreadHue, 22), pen.hue(kThreadHue));
        for (int b = 0; b < bodies; ++b) {
            const float top = nth(b, 1.7f, y);
            pen.line(kRight, middle, 0.5f, top + 0.65f, pen.hue(kSharedHue));
            pen.named(0.5f, top, 0.98f, top + 1.4f, kThreadHue, "pair with body " + std::to_string(b));
        }
        return y + high;
    };
    pen.say(0, 0, pen.text(), "b = 1: 16 bytes of shared memory for each pair");
    const float below = thread(1.5f, 1) + 0.5f;
    pen.say(0, below, pen.text(), "b = 4: 4 bytes for each pair");
    const float end = thread(below + 1.5f, 4) + 0.4f;
    pen.say(0, end, pen.hue(kThreadHue), "a thread, with b bodies in its registers");
    pen.say(0, end + 1.3f, pen.text(), "The same bodies are b times fewer threads.");
}

void drawUnroll(DiagramPen& pen) {
    constexpr float kLeft = 0.13f, kInstruction = (0.9f - kLeft) / 68;
    const auto loop = [&](float y, int factor) {
        float x = kLeft;
        const auto part = [&](int instructions, std::size_t hue) {
            const float right = x + kInstruction * static_cast<float>(instructions);
            pen.named(x, y, right - 0.003f, y + 1.5f, hue, std::to_string(instructions));
            x = right;
        };
        pen.say(0, y + 0.25f, pen.text(), "u = " + std::to_string(factor), 0, kLeft - 0.01f);
        for (int pair = 0; pair < 4; ++pair) {
            part(14, kThreadHue);
            if ((pair + 1) % factor == 0) part(3, kWaitsHue);
        }
        pen.say(x + 0.015f, y + 0.25f, pen.text(), std::to_string(56 + 12 / factor), 0, 0.08f);
    };
    pen.say(0, 0, pen.text(), "Instructions of four pairs");
    loop(1.5f, 1);
    loop(3.5f, 2);
    loop(5.5f, 4);
    pen.say(0, 7.5f, pen.hue(kThreadHue), "14: distance, root, force, sum");
    pen.say(0, 8.8f, pen.hue(kWaitsHue), "3: count, compare, jump back");
}

void drawBlocks(DiagramPen& pen) {
    struct Row {
        int threads, blocks;
    };
    float y = 0;
    for (const Row& of : {Row{32, 128}, {128, 32}, {512, 8}}) {
        pen.say(0, y, pen.text(),
                formatted("p = %d: %d blocks of %d warp%s", of.threads, of.blocks, of.threads / 32,
                          of.threads == 32 ? "" : "s"));
        multiprocessors(pen, y + 1.4f, of.blocks);
        y += 5.1f;
    }
    pen.say(0, y, pen.quiet(), "4,096 bodies on 132 multiprocessors; full: it has a block");
}

void drawWaves(DiagramPen& pen) {
    constexpr float kLeft = 0.17f;
    pen.say(0, 0, pen.text(), "1,057 blocks on 1,056 places");
    pen.say(kLeft, 1.4f, pen.quiet(), "132 multiprocessors with 8 places each");
    pen.say(0, 3.2f, pen.text(), "wave 1", 0, kLeft - 0.01f);
    pen.named(kLeft, 2.7f, 1, 4.7f, kThreadHue, "1,056 blocks");
    pen.say(0, 5.5f, pen.text(), "wave 2", 0, kLeft - 0.01f);
    pen.box(kLeft, 5, 1, 7, pen.hue(kThreadHue, 10), pen.quiet());
    pen.box(kLeft, 5, kLeft + 0.008f, 7, pen.hue(kThreadHue), pen.hue(kThreadHue));
    pen.say(kLeft + 0.03f, 5.5f, pen.quiet(), "1 block; 1,055 places are empty", 0, 0.78f);
    pen.say(0, 7.5f, pen.text(), "Both waves take the time of a block.");
}

void drawPairOnce(DiagramPen& pen) {
    constexpr int kBodies = 12, kRow = 2, kColumn = 8;
    constexpr float kLeft = 0.1f, kCell = 0.6f / kBodies, kHigh = 1.05f, kTop = 1.4f;
    pen.say(0, 0, pen.text(), "12 bodies: 132 forces, 66 pairs");
    for (int i = 0; i < kBodies; ++i)
        for (int j = 0; j < kBodies; ++j) {
            const float x = nth(j, kCell, kLeft), y = nth(i, kHigh, kTop);
            const bool shown = (i == kRow && j == kColumn) || (i == kColumn && j == kRow);
            pen.box(x, y, x + kCell, y + kHigh,
                    pen.hue(i < j ? kThreadHue : kMemoryHue, shown    ? 255
                                                             : i == j ? 0
                                                             : i < j  ? 90
                                                                      : 22),
                    pen.quiet());
        }
    const float up = nth(kRow, kHigh, kTop), low = nth(kColumn, kHigh, kTop);
    pen.line(nth(kColumn + 1, kCell, kLeft), up + 0.5f, 0.74f, up + 0.5f, pen.hue(kThreadHue));
    pen.say(0.75f, up, pen.hue(kThreadHue), "8 pulls 2", 0, 0.25f);
    pen.line(nth(kRow + 1, kCell, kLeft), low + 0.5f, 0.74f, low + 0.5f, pen.hue(kMemoryHue));
    pen.say(0.75f, low, pen.hue(kMemoryHue), "2 pulls 8", 0, 0.25f);
    pen.say(0.75f, low + 1.2f, pen.text(), "the same,", 0, 0.25f);
    pen.say(0.75f, low + 2.4f, pen.text(), "reversed", 0, 0.25f);
    const float below = nth(kBodies, kHigh, kTop) + 0.3f;
    pen.say(0, below, pen.hue(kThreadHue), "computed once, added to both bodies");
}

void drawRace(DiagramPen& pen) {
    struct Bar {
        int lane;
        float from, to;
        std::size_t hue;
        const char* what;
    };
    constexpr Bar kBars[] = {{0, 0.16f, 0.4f, kMemoryHue, "reads 5"},  {0, 0.41f, 0.58f, kThreadHue, "adds 2"},
                             {0, 0.59f, 0.8f, kSharedHue, "writes 7"}, {1, 0.24f, 0.48f, kMemoryHue, "reads 5"},
                             {1, 0.49f, 0.66f, kThreadHue, "adds 3"},  {1, 0.67f, 0.88f, kSharedHue, "writes 8"}};
    pen.say(0, 0, pen.text(), "Two threads add to one partner's sum, 5");
    for (const Bar& bar : kBars) {
        const float y = nth(bar.lane, 1.9f, 1.4f);
        pen.say(0, y + 0.25f, pen.text(), "thread " + std::to_string(bar.lane), 0, 0.15f);
        pen.named(bar.from, y, bar.to, y + 1.5f, bar.hue, bar.what);
    }
    pen.say(0, 5.4f, pen.hue(kSharedHue), "The sum is 8 and not 10: the 2 is lost.");
}

void drawHubWarp(DiagramPen& pen) {
    constexpr int kLanes = 32;
    constexpr float kTop = 1.5f, kHigh = 8, kEach = 0.86f / kLanes, kBond = 0.16f;
    pen.say(0, 0, pen.text(), "The bonds of 32 lanes; time runs down");
    for (int lane = 0; lane < kLanes; ++lane) {
        const float x = nth(lane, kEach), right = x + 0.8f * kEach;
        pen.box(x, kTop, right, kTop + kHigh, pen.hue(kWaitsHue, lane == 0 ? 0 : 40), pen.hue(kWaitsHue, 0));
        pen.box(x, kTop, right, kTop + (lane == 0 ? kHigh : kBond), pen.hue(kThreadHue), pen.hue(kThreadHue));
    }
    pen.say(0.87f, kTop - 0.3f, pen.quiet(), "1", 0, 0.12f);
    pen.say(0.87f, kTop + kHigh - 0.8f, pen.quiet(), "999", 0, 0.12f);
    pen.say(0.43f, kTop + 0.5f * kHigh - 0.5f, pen.hue(kWaitsHue), "31 lanes wait", 0.5f);
    pen.say(0, kTop + kHigh + 0.3f, pen.hue(kThreadHue), "lane 0: the hub, a bond after another");
}

}  // namespace gravlab
