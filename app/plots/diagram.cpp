#include "app/plots/diagram.h"

#include "app/plots/canvas.h"
#include "app/plots/diagram_pen.h"
#include "sim/core/names.h"

namespace gravlab {

namespace {

/// A grid with two blocks of two threads, and below it who sees each memory, and for how long.
void drawMemorySpaces(DiagramPen& pen) {
    pen.box(0, 0, 1, 10.6f, pen.hue(0, 26), pen.hue(0));
    pen.say(0.02f, 0.25f, pen.text(), "a launch: a grid of blocks");
    for (int block = 0; block < 2; ++block) {
        const float x = 0.02f + 0.49f * static_cast<float>(block);
        pen.box(x, 1.7f, x + 0.47f, 7.4f, pen.hue(1, 30), pen.hue(1));
        pen.say(x + 0.02f, 1.9f, pen.text(), "block " + std::to_string(block), 0, 0.4f);
        for (int thread = 0; thread < 2; ++thread) {
            const float left = x + 0.015f + 0.225f * static_cast<float>(thread);
            pen.box(left, 3.3f, left + 0.21f, 5.7f, pen.hue(2, 34), pen.hue(2));
            pen.say(left + 0.105f, 3.35f, pen.text(), "thread " + std::to_string(thread), 0.5f, 0.2f);
            pen.say(left + 0.105f, 4.45f, pen.hue(2), "registers", 0.5f, 0.2f);
        }
        pen.say(x + 0.235f, 6, pen.hue(1), "shared memory", 0.5f, 0.45f);
    }
    pen.say(0.5f, 7.7f, pen.hue(3), "caches: L1 of a multiprocessor, L2 of the device", 0.5f, 0.96f);
    pen.say(0.5f, 9.1f, pen.hue(0), "global memory, constant memory", 0.5f, 0.96f);
    struct Row {
        std::size_t hue;
        const char *memory, *scope, *lifetime;
    };
    constexpr Row kRows[] = {
        {2, "registers", "one thread", "the thread"},
        {2, "local memory", "one thread: registers that spill", "the thread"},
        {1, "shared memory", "all threads of a block", "the block"},
        {0, "global memory", "all threads of all launches", "until it is freed"},
        {0, "constant memory", "the same, read only", "the program"},
    };
    constexpr float kScope = 0.27f, kLifetime = 0.77f;
    pen.say(0, 11, pen.quiet(), "memory");
    pen.say(kScope, 11, pen.quiet(), "who sees it");
    pen.say(kLifetime, 11, pen.quiet(), "lives as long as", 0, 1 - kLifetime);
    float y = 12.3f;
    for (const Row& row : kRows) {
        pen.say(0, y, pen.hue(row.hue), row.memory, 0, kScope - 0.02f);
        pen.say(kScope, y, pen.text(), row.scope, 0, kLifetime - kScope - 0.02f);
        pen.say(kLifetime, y, pen.text(), row.lifetime, 0, 1 - kLifetime);
        y += 1.25f;
    }
}

/// The tile of paper 001: N = 12 bodies, p = 4 threads, targets 0 to 3 and sources 8 to 11.
void drawWhoReadsWhat(DiagramPen& pen) {
    constexpr int kBodies = 12, kThreads = 4, kFirst = 8;
    constexpr float kLeft = 0.2f, kTop = 4.4f, high = 1.5f, cell = (1 - kLeft) / kBodies;
    pen.say(0, 0, pen.text(), "N = 12, p = 4: the last tile of block 0");
    pen.say(1, 1.2f, pen.hue(1), "each thread reads one source", 1);
    for (int i = 0; i < kBodies; ++i)
        for (int j = 0; j < kBodies; ++j) {
            const float x = kLeft + cell * static_cast<float>(j), y = kTop + high * static_cast<float>(i);
            const bool own = i < kThreads, tile = own && j >= kFirst;
            pen.box(x, y, x + cell, y + high, pen.hue(own ? 2 : 0, tile ? 150 : own ? 60 : 20), pen.quiet());
        }
    for (int k = 0; k < kBodies; ++k) {
        const float middle = static_cast<float>(k) + 0.5f;
        const float x = kLeft + cell * middle, y = kTop + high * middle - 0.5f;
        const bool read = k >= kFirst;
        pen.say(x, kTop - 1.1f, pen.quiet(), std::to_string(k), 0.5f, cell);
        if (read) pen.say(x, kTop - 2.2f, pen.hue(1), "t" + std::to_string(k - kFirst), 0.5f, cell);
        const std::string target =
            k < kThreads ? "t" + std::to_string(k) + " holds " + std::to_string(k) : std::to_string(k);
        pen.say(kLeft - 0.19f, y, k < kThreads ? pen.hue(2) : pen.quiet(), target, 0, 0.18f);
    }
    const float below = kTop + high * kBodies + 0.3f;
    pen.say(0, below, pen.text(), "Row: target i, in the registers of a thread.");
    pen.say(0, below + 1.2f, pen.text(), "Column: source j, in shared memory.");
}

/// Two frames of the window on a time axis, as a picture of order, not of measured times.
void drawFrame(DiagramPen& pen) {
    struct Bar {
        int lane;
        float from, to;
        std::size_t hue;
        const char* name;
    };
    constexpr const char* kLanes[] = {"host: frame", "host: worker", "GPU: steps", "GPU: copies", "GPU: picture"};
    constexpr Bar kBars[] = {
        {0, 0, 0.08f, 0, "input"},
        {0, 0.08f, 0.23f, 2, "enqueue"},
        {0, 0.23f, 0.37f, 1, "picture"},
        {0, 0.37f, 0.5f, 3, "wait"},
        {0, 0.5f, 0.58f, 0, "input"},
        {0, 0.58f, 0.73f, 2, "enqueue"},
        {0, 0.73f, 0.87f, 1, "picture"},
        {0, 0.87f, 1, 3, "wait"},
        {1, 0.42f, 0.9f, 5, "compress and save"},
        {2, 0, 0.27f, 2, "slices of a force"},
        {2, 0.4f, 0.77f, 2, "slices, vertices"},
        {2, 0.9f, 1, 2, "slices"},
        {3, 0.28f, 0.62f, 5, "copy to the host"},
        {4, 0.27f, 0.4f, 1, "draw"},
        {4, 0.77f, 0.9f, 1, "draw"},
    };
    constexpr float kLeft = 0.24f, kLane = 1.9f;
    for (int lane = 0; lane < static_cast<int>(std::size(kLanes)); ++lane) {
        const float y = 1.4f + kLane * static_cast<float>(lane);
        pen.say(0, y + 0.2f, pen.text(), kLanes[lane], 0, kLeft - 0.02f);
        pen.line(kLeft, y + 1.6f, 1, y + 1.6f, pen.hue(0, 60));
    }
    const float end = 1.4f + kLane * static_cast<float>(std::size(kLanes));
    for (const float x : {kLeft, 0.5f * (1 + kLeft)}) pen.line(x, 1.1f, x, end, pen.quiet());
    for (const Bar& bar : kBars) {
        const float x = kLeft + (1 - kLeft) * bar.from, right = kLeft + (1 - kLeft) * bar.to;
        const float y = 1.4f + kLane * static_cast<float>(bar.lane);
        pen.box(x, y, right, y + 1.45f, pen.hue(bar.hue, 70), pen.hue(bar.hue));
        pen.say(0.5f * (x + right), y + 0.2f, pen.text(), bar.name, 0.5f, right - x - 0.006f);
    }
    pen.say(kLeft, 0, pen.quiet(), "frame k");
    pen.say(0.5f * (1 + kLeft), 0, pen.quiet(), "frame k + 1");
    pen.say(0, end + 0.3f, pen.text(), "A stream runs its work in order: a step's kernels need no other barrier.");
    pen.say(0, end + 1.5f, pen.text(), "Streams overlap: a state is copied while the next step is computed.");
    pen.say(0, end + 2.7f, pen.text(), "The host waits for no step: it enqueues the next slices in time.");
    pen.say(0, end + 3.9f, pen.quiet(), "The picture has the order of the work, and no measured times.");
}

constexpr Diagram kDiagrams[] = {
    {"memory-spaces",
     "A launch is a grid of blocks. Registers belong to a thread, shared memory to a block, global and constant memory to "
     "all.",
     18.7f, drawMemorySpaces},
    {"who-reads-what",
     "Of 12 x 12 pairs, four threads hold targets 0 to 3 in registers; each reads one of sources 8 to 11 into shared "
     "memory.",
     25.2f, drawWhoReadsWhat},
    {"frame",
     "Two frames as a timeline: the host enqueues, the GPU computes slices and draws, a second stream copies meanwhile.",
     16.2f, drawFrame},
    {"thread-per-pair", "16 threads compute the 4 x 4 pairs of a tile; shared memory adds the 4 forces of each target.",
     13.5f, drawThreadPerPair},
    {"thread-per-body", "12 threads hold a target each, and every one reads all 12 sources from global memory.", 12.3f,
     drawThreadPerBody},
    {"tile-and-barriers",
     "Four warps of a block over time: all read, a barrier, all compute, a second barrier, all read the next tile.", 12.5f,
     drawTileAndBarriers},
    {"memory-levels", "The clocks that an instruction waits for a number from each memory of an H200, as bars.", 15.4f,
     drawMemoryLevels},
    {"bodies-per-thread",
     "One read of shared memory serves one pair where a thread has one body, and four pairs where it has four.", 15,
     drawBodiesPerThread},
    {"unroll", "The instructions of four pairs: 14 for each pair, and 3 of the loop for one, two or four pairs.", 10.1f,
     drawUnroll},
    {"blocks", "Of 132 multiprocessors, those with a block: 128 blocks of 1 warp, 32 of 4 warps, 8 of 16 warps.", 16.6f,
     drawBlocks},
    {"waves", "1,057 blocks on 1,056 places: a full wave, and a second one with a single block.", 8.8f, drawWaves},
    {"pair-once", "The forces of 12 bodies as a square: those above its diagonal are those below, reversed.", 15.6f,
     drawPairOnce},
    {"race", "Two threads read the same sum, add to it and write it: the first addition is lost.", 6.7f, drawRace},
    {"hub-warp", "The lanes of a warp over time: one has 999 bonds, and 31 wait after their single bond.", 11.1f,
     drawHubWarp},
};

}  // namespace

std::span<const Diagram> diagrams() { return kDiagrams; }
const Diagram& diagram(std::string_view name) { return findRow(diagrams(), "picture", name); }

float drawDiagram(ImDrawList& ink, const Diagram& which, ImVec2 from, float width, bool light, float line) {
    DiagramPen pen(ink, from, width, light, line > 0 ? line : ImGui::GetFontSize());
    which.draw(pen);
    return which.lines * (line > 0 ? line : ImGui::GetFontSize());
}

std::string diagramPng(const Diagram& which) {
    constexpr float kWidth = 1520, kFont = 40;
    Canvas canvas(static_cast<int>(kWidth) + 2, static_cast<int>(which.lines * kFont) + 2, kFont);
    canvas.list().AddRectFilled(ImVec2(0, 0), canvas.size(), paper::kPaper);
    drawDiagram(canvas.list(), which, ImVec2(1, 1), kWidth, true);
    MemorySink png;
    canvas.write(png, {{"Description", std::string(which.idea)}});
    return png.take();
}

}  // namespace gravlab
