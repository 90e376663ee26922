// `gravlab occupancy`: the occupancy of a launch on a GPU, which may be absent.
#include "app/commands/option_rows.h"
#include "app/commands/subcommand.h"
#include "app/tables/format.h"
#include "app/tables/occupancy.h"
#include "sim/api/errors.h"
#include "sim/core/names.h"

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

struct OccupancyCommand : Subcommand {
    OccupancyAsk ask;
    std::vector<std::size_t> counts;
    std::vector<int> blocks;
    bool json = false;

    void add(OptionRows& rows) override {
        rows.word("GPU", ask.gpu, joined(gpus(), [](const auto& row) { return row.name; }) + " [h200]");
        rows.numbersOfBodies("-n,--bodies", counts, "numbers of bodies [65536]");
        rows.listOf("calculator.block", blocks, "block sizes [32,64,128,256,512,1024]");
        const auto number = [&rows](const char* path, const char* option, auto& to, const char* help) {
            rows.of("calculator." + std::string(path), option, "COUNT", to, help);
        };
        number("registers", "--registers", ask.registers, "registers a thread [64]");
        number("shared", "--shared", ask.shared, "bytes of shared memory a block [16 a thread, a tile of bodies]");
        number("bodies_per_thread", "--bodies-per-thread", ask.bodiesPerThread, "bodies a thread [1]");
        number("split", "--split", ask.split, "parts of the sources [1]");
        number("multiprocessors", "--multiprocessors", ask.multiprocessors,
               "of another GPU, instead of those of the one named");
        number("warps", "--warps", ask.warps, "resident on a multiprocessor at most, likewise");
        number("resident_blocks", "--resident-blocks", ask.blocks, "on a multiprocessor at most, likewise");
        number("register_file", "--register-file", ask.registerFile, "registers of a multiprocessor, likewise");
        number("shared_memory", "--shared-memory", ask.sharedMemory, "bytes of a multiprocessor, likewise");
        rows.flag("--json", json, "as JSON");
    }
    int run() override {
        const GpuRow row = gpuOf(ask);
        if (counts.empty()) counts = {65536};
        if (blocks.empty()) blocks.assign(kTableBlocks.begin(), kTableBlocks.end());
        if (json) {
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
        std::printf("%9s %6s %8s  %9s  %-13s %10s %8s %11s\n", "N", "block", "blocks", "resident", "limit", "occupancy",
                    "waves", "last wave");
        for (const std::size_t bodies : counts)
            for (const int block : blocks) print(planned(row, planOf(ask, bodies, block)), bodies);
        printWaves(row, ask);
        return static_cast<int>(ExitCode::ok);
    }
};

}  // namespace

constinit const CommandRow kOccupancyCommand{"occupancy",
                                             "what a launch finds on a GPU, which need not be here: waves, tail, occupancy",
                                             "  gravlab occupancy t4 -n 4k,64k --block 64,128,256\n"
                                             "  gravlab occupancy a100 --registers 40\n"
                                             "  gravlab occupancy rtx-4090 --multiprocessors 76\n",
                                             made<OccupancyCommand>};

}  // namespace gravlab
