// Which kernel runs how. Rule: what the device cannot do is refused here, before anything is launched.
#include "sim/cuda/launch_choice.h"

#include "sim/cuda/force.h"
#include "sim/kernel_rows.h"
#include "sim/names.h"

#include <algorithm>
#include <cstdlib>

namespace gravlab::cuda {
namespace {

std::string listed(std::span<const int> values) {
    std::string text;
    for (const int value : values) text += (text.empty() ? "" : ", ") + std::to_string(value);
    return text;
}

int nearest(std::span<const int> values, int wanted) {
    return *std::min_element(values.begin(), values.end(), [&](int a, int b) {
        return std::llabs(static_cast<long long>(a) - wanted) < std::llabs(static_cast<long long>(b) - wanted);
    });
}

void requireListed(const KernelRow& row, const char* what, std::span<const int> values, int wanted) {
    static constexpr int kOne[] = {1};
    if (values.empty()) values = kOne;
    if (std::find(values.begin(), values.end(), wanted) != values.end()) return;
    throw UsageError(std::string(what) + " " + std::to_string(wanted) + " is not built for kernel '" +
                     std::string(row.name) + "': valid are " + listed(values) +
                     "; nearest: " + std::to_string(nearest(values, wanted)));
}

bool accepts(std::span<const int> values, int wanted) {
    return wanted == 1 || std::find(values.begin(), values.end(), wanted) != values.end();
}

/// The plainest row, from the bottom of the ladder, whose ideas cover the launch.
const KernelRow& plainestRow(const LaunchConfig& launch) {
    const std::span<const KernelRow> rows = cudaKernelRows();
    for (const KernelRow& row : rows)
        if (row.splits.contains(launch.split) && accepts(row.bodiesPerThread, launch.bodiesPerThread)) return row;
    return rows.front();
}

/// What measures best for so many bodies; see docs/benchmarks.
LaunchConfig measuredBest(std::size_t bodies, const DeviceFacts& device) {
    // Blocks enough for four on each multiprocessor, so that none idles.
    const int wantedBlocks = 4 * device.multiprocessors;
    LaunchConfig launch{.block = 128, .unroll = 8, .bodiesPerThread = bodies < 8192 ? 1 : 4, .split = 1};
    const std::size_t targets = static_cast<std::size_t>(launch.block) * static_cast<std::size_t>(launch.bodiesPerThread);
    const int blocks = static_cast<int>(std::min<std::size_t>((bodies + targets - 1) / targets, 1u << 20));
    // Ranges of fewer than 8 sources cost more to add up than they save.
    const int mostSplit = static_cast<int>(std::clamp<std::size_t>(bodies / 8, 1, 128));
    launch.split = std::clamp((wantedBlocks + blocks - 1) / std::max(1, blocks), 1, mostSplit);
    return launch;
}

}  // namespace

std::size_t sharedBytes(const LaunchConfig& launch) { return static_cast<std::size_t>(launch.block) * sizeof(Float4); }

Choice choose(const KernelChoice& wanted, std::size_t bodies, const DeviceFacts& device) {
    Choice choice;
    choice.launch = wanted.launch;
    if (wanted.kernel != "auto") {
        choice.row = &kernel("cuda", wanted.kernel);
    } else {
        if (wanted.launch == LaunchConfig{}) choice.launch = measuredBest(bodies, device);
        choice.row = &plainestRow(choice.launch);
    }
    const KernelRow& row = *choice.row;
    const LaunchConfig& launch = choice.launch;

    requireListed(row, "unroll", row.unrolls, launch.unroll);
    requireListed(row, "bodies per thread", row.bodiesPerThread, launch.bodiesPerThread);
    if (!row.splits.contains(launch.split))
        throw UsageError("split " + std::to_string(launch.split) + " is outside of what kernel '" + std::string(row.name) +
                         "' can do: " + std::to_string(row.splits.first) + " to " + std::to_string(row.splits.last) +
                         "; nearest: " + std::to_string(std::clamp(launch.split, row.splits.first, row.splits.last)));
    if (bodies > 0 && static_cast<std::size_t>(launch.split) > bodies)
        throw UsageError("split " + std::to_string(launch.split) +
                         " is more than there are bodies; nearest: " + std::to_string(bodies));

    choice.kernel = tiledKernel(launch.unroll, launch.bodiesPerThread);
    KernelFacts facts;
    CUDA_CHECK(kernelFacts(facts, choice.kernel));
    const int byShared = static_cast<int>(device.sharedBytes / sizeof(Float4));
    int most = std::min({device.mostThreads, facts.mostThreads, byShared});
    if (row.blocks.last > 0) most = std::min(most, row.blocks.last);
    if (launch.block < row.blocks.first || launch.block > most)
        throw UsageError(
            "block " + std::to_string(launch.block) + " is impossible: " + device.name + " takes " +
            std::to_string(row.blocks.first) + " to " + std::to_string(most) + " threads for kernel '" +
            std::string(row.name) + "' with " + std::to_string(facts.registers) +
            " registers a thread; nearest: " + std::to_string(std::clamp(launch.block, row.blocks.first, most)));
    CUDA_CHECK(residentBlocks(choice.residentBlocks, choice.kernel, launch.block, sharedBytes(launch)));
    choice.residentBlocks = std::max(1, choice.residentBlocks);
    return choice;
}

}  // namespace gravlab::cuda
