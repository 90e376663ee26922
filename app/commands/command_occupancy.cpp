// `gravlab occupancy`: the occupancy of a launch on a GPU, which may be absent.
#include "app/commands/options.h"
#include "app/tables/format.h"
#include "app/tables/occupancy.h"
#include "sim/core/error.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <string>
#include <vector>

namespace gravlab {
namespace {

using Json = nlohmann::ordered_json;

Json jsonOf(const PlannedLaunch& launch, std::size_t bodies) {
    const LaunchFacts& f = launch.facts;
    Json json{{"bodies", bodies}, {"block", f.threads}, {"blocks", f.blocks()}};
    if (!launch.refusal.empty()) {
        json["refused"] = launch.refusal;
        return json;
    }
    json.update({{"resident_blocks", f.residentBlocks},
                 {"limit", std::string(nameOf(launch.limit))},
                 {"occupancy", f.occupancy()},
                 {"waves", f.waves()},
                 {"last_wave", f.lastWave()},
                 {"fills", f.blocks() >= f.multiprocessors}});
    return json;
}

void print(const PlannedLaunch& launch, std::size_t bodies) {
    const LaunchFacts& f = launch.facts;
    if (!launch.refusal.empty()) {
        std::printf("%9s %6d  does not start: %s\n", grouped(bodies).text, f.threads, launch.refusal.c_str());
        return;
    }
    std::printf("%9s %6d %8s%s %9d  %-13s %8.0f %% %8.2f %9.0f %%\n", grouped(bodies).text, f.threads,
                grouped(static_cast<std::uint64_t>(f.blocks())).text, f.blocks() >= f.multiprocessors ? " " : "!",
                f.residentBlocks, std::string(nameOf(launch.limit)).c_str(), 100 * f.occupancy(), f.waves(),
                100 * f.lastWave());
}

/// Prints N/p for many N and block sizes, with a mark where multiprocessors would have no block.
void printWaves(const GpuRow& row, const OccupancyAsk& ask) {
    std::printf("\nblocks, N/p; ! fewer than %d multiprocessors\n%9s", row.multiprocessors, "N");
    for (const int block : kTableBlocks) std::printf(" %8d ", block);
    std::printf("\n");
    for (const std::size_t bodies : kTableBodies) {
        std::printf("%9s", grouped(bodies).text);
        for (const int block : kTableBlocks) {
            const int count = planned(row, planOf(ask, bodies, block)).facts.blocks();
            std::printf(" %8s%s", grouped(static_cast<std::uint64_t>(count)).text, count >= row.multiprocessors ? " " : "!");
        }
        std::printf("\n");
    }
}

}  // namespace

int occupancyCommand(const Options& options) {
    const OccupancyAsk& ask = options.occupancy;
    const GpuRow row = gpuOf(ask);
    const std::vector<std::size_t> counts =
        options.bench.bodies.empty() ? std::vector<std::size_t>{65536} : options.bench.bodies;
    const std::vector<int> blocks =
        options.bench.blocks.empty() ? std::vector<int>(kTableBlocks.begin(), kTableBlocks.end()) : options.bench.blocks;
    if (options.json) {
        Json rows = Json::array();
        for (const std::size_t bodies : counts)
            for (const int block : blocks) rows.push_back(jsonOf(planned(row, planOf(ask, bodies, block)), bodies));
        std::printf("%s\n", rows.dump(2).c_str());
        return static_cast<int>(ExitCode::ok);
    }
    std::printf(
        "%s, %s: %d multiprocessors of %d lanes at %.2f GHz; each has %d warps, %d blocks, %s registers, %zu KiB shared "
        "memory\n%d registers a thread\n\n",
        std::string(row.title).c_str(), std::string(row.capability).c_str(), row.multiprocessors, row.lanes,
        row.clock * 1e-9, row.warps, row.blocks, grouped(static_cast<std::uint64_t>(row.registers)).text,
        row.sharedBytes / 1024, ask.registers);
    std::printf("%9s %6s %8s  %9s  %-13s %10s %8s %11s\n", "N", "block", "blocks", "resident", "limit", "occupancy", "waves",
                "last wave");
    for (const std::size_t bodies : counts)
        for (const int block : blocks) print(planned(row, planOf(ask, bodies, block)), bodies);
    printWaves(row, ask);
    return static_cast<int>(ExitCode::ok);
}

}  // namespace gravlab
