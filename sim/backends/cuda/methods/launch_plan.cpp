// Chooses kernel and launch. Rule: launches that the device cannot run are refused here, before anything is launched.
#include "sim/backends/cuda/methods/launch_plan.h"

#include "sim/api/errors.h"
#include "sim/backends/cuda/kernels/neighbours.h"
#include "sim/backends/kernel_rows.h"
#include "sim/core/thread_pool.h"
#include "sim/forces/sources.h"

#include <algorithm>
#include <mutex>
#include <type_traits>

namespace gravlab::cuda {
namespace {

// Most bodies per multiprocessor for which one resident wave is fastest. 8,192 bodies are 62.06 on each of 132
// multiprocessors: a step takes 37.9 us, 39.2 with `symmetric-equal` and 42.7 with `symmetric`.
constexpr std::size_t kResidentBodies = 63;

// With fewer bodies, all pairs at 3 T pairs/s are as fast as a tree at 1e-3.
constexpr std::size_t kTreePays = 40000;

// 4,096 atoms take 0.175 ms per step by cells and 0.188 by all pairs, 16,384 take 0.19 and 0.60 (NVIDIA H200).
constexpr std::size_t kCellsPay = 8192;

// 2,048 atoms take 0.029 ms per step by lists and 0.017 by all pairs, 4,096 take 0.030 and 0.033 (NVIDIA H200).
constexpr std::size_t kListsPay = 4096;

// Most memory that lists of neighbours take unless they are named: half of a small device.
constexpr double kMostListBytes = 4.0 * (1 << 30);

bool accepts(std::span<const int> values, int wanted) {
    return wanted == 1 || std::find(values.begin(), values.end(), wanted) != values.end();
}

/// The plainest entry with tiles, from the bottom of the ladder, whose ideas cover the launch.
const KernelEntry& plainest(const LaunchConfig& launch) {
    for (const KernelEntry& entry : kernelEntries())
        if (entry.oneSided() && entry.oneSided()->tiles && entry.row.splits.contains(launch.split) &&
            accepts(entry.row.bodiesPerThread, launch.bodiesPerThread))
            return entry;
    return kernelEntry("tiled");
}

/// A tiled launch that fills the device.
LaunchConfig filling(std::size_t bodies, std::size_t sources, const DeviceFacts& device, bool manyInRegisters) {
    // Blocks enough for four on each multiprocessor, so that none idles.
    const int wantedBlocks = 4 * device.multiprocessors;
    LaunchConfig launch{.block = 128, .unroll = 8, .bodiesPerThread = bodies < 8192 || !manyInRegisters ? 1 : 4, .split = 1};
    const std::size_t targets = static_cast<std::size_t>(launch.block) * static_cast<std::size_t>(launch.bodiesPerThread);
    const int blocks = static_cast<int>(std::min<std::size_t>((bodies + targets - 1) / targets, 1u << 20));
    // Ranges of fewer than 8 sources cost more to add up than they save.
    const int mostSplit = static_cast<int>(std::clamp<std::size_t>(sources / 8, 1, 128));
    launch.split = std::clamp((wantedBlocks + blocks - 1) / std::max(1, blocks), 1, mostSplit);
    return launch;
}

std::string whyNotBodies(const KernelEntry& entry, const LaunchConfig& launch, const BodyFacts& bodies,
                         const DeviceFacts& device) {
    if (entry.row.equalMasses && bodies.count > 0 && bodies.equalMass == 0)
        return "the bodies' masses differ; take 'symmetric'";
    if (const LoadedCode* code = entry.loaded(); code && bodies.count > 0 && !code->tried(entry.row, bodies.count))
        return "it has not been tried with " + std::to_string(bodies.count) +
               " bodies, and untried code touches no run; try it again with them";
    if (entry.symmetric() && bodies.count > kMostSymmetricBodies)
        return "it counts up to " + std::to_string(kMostSymmetricBodies) + " bodies; take 'tiled-registers'";
    const int warps = launch.block / 32;
    if (entry.manySteps() && bodies.count > 0 && manyStepsPartition(bodies.count, device.multiprocessors, warps).blocks == 0)
        return std::to_string(bodies.count) + " bodies are more than fit " + device.name + " at once, " +
               std::to_string(kManyStepsBodies * warps * device.multiprocessors) + " with blocks of " +
               std::to_string(launch.block) + " threads; take " +
               (launch.block < entry.row.blocks.last ? "a larger block or " : "") + "'symmetric'";
    return {};
}

/// The launch with the factors of this precision.
LaunchConfig tunable(const KernelEntry& entry, const LaunchConfig& wanted, Precision precision) {
    LaunchConfig launch = gravlab::tunable(entry.row, wanted);
    // Doubles need twice the registers.
    if (entry.symmetric() && precision == Precision::fp64 && launch.bodiesPerThread == kSymmetricBodies<float>)
        launch.bodiesPerThread = kSymmetricBodies<double>;
    return launch;
}

/// Why the factors of a launch, each of which is built, are not built in this combination.
std::string whyNotTogether(const KernelEntry& entry, const LaunchConfig& launch, const ForceSettings& force) {
    const std::string name = "kernel '" + std::string(entry.row.name) + "'";
    if (entry.symmetric()) {
        const bool doubles = force.precision == Precision::fp64;
        const LaunchConfig usual = tunable(entry, {}, force.precision);
        const std::string it = "block " + std::to_string(usual.block) + ", unroll " + std::to_string(usual.unroll) +
                               " and " + std::to_string(usual.bodiesPerThread) + " bodies per thread";
        return name + (doubles ? " has in fp64 no other launch than " + it
                               : " is built with " + it + ", and with one of the three changed: set the others back first");
    }
    if (loopLaw(force) != Law::gravity)
        return name + " with unroll " + unrollText(launch.unroll) + " is built for gravity and charges only; nearest: " +
               std::to_string(nearestOf(Unrolls::values, launch.unroll));
    return std::to_string(launch.bodiesPerThread) + " bodies per thread are not built for " + name +
           " in fp64: they do not fit the registers; nearest: 4";
}

/// The kernel for this force, in the precision of the pairs. Null where the factors are not built.
template <class Real>
const void* machineCode(const KernelEntry& entry, const LaunchConfig& launch, const ForceSettings& force) {
    constexpr bool kDoubles = std::is_same_v<Real, double>;
    if (const MethodCode* code = entry.own()) return code->machineCode(kDoubles ? Precision::fp64 : Precision::fp32);
    if (const LoadedCode* code = entry.loaded()) return kDoubles ? nullptr : code->kernel32;
    if (loopLaw(force) != Law::gravity) {
        const void* address = nullptr;
        withLoopLaw<Real>(force, 0,
                          [&]<class PairLaw>(const PairLaw&) { address = lawKernel<Real, PairLaw>(launch.unroll).address; });
        return address;
    }
    const auto of = [&](const auto& code) {
        if constexpr (kDoubles)
            return code.kernel64(launch).address;
        else
            return code.kernel32(launch).address;
    };
    if (entry.oneSided()) return of(*entry.oneSided());
    if (entry.symmetric()) return of(*entry.symmetric());
    return kDoubles ? nullptr : entry.manySteps()->kernel32(launch).address;
}

}  // namespace

namespace {
/// `massOf(i)`: source of body i.
template <class Mass>
BodyFacts factsOfMasses(std::size_t count, const Mass& massOf) {
    BodyFacts facts{count, count == 0 ? 0 : massOf(0)};
    // Up to kOneWave bodies all blocks run at once, and one with mixed masses delays the others.
    constexpr std::size_t kOneWave = 49152, kTile = kSymmetricTile<float>, kTiles = 256;
    std::size_t mixed = 0;
    bool equal = true;
    std::mutex together;
    parallelFor((count + kTile - 1) / kTile, 0, kTiles, [&](std::size_t firstTile, std::size_t lastTile) {
        std::size_t mixedHere = 0;
        bool equalHere = true;
        double heaviest = 0;
        for (std::size_t first = firstTile * kTile; first < std::min(count, lastTile * kTile); first += kTile) {
            bool alike = true;
            for (std::size_t i = first; i < std::min(count, first + kTile); ++i) {
                alike = alike && massOf(i) == massOf(first);
                equalHere = equalHere && massOf(i) == facts.equalMass;
                heaviest = std::max(heaviest, std::abs(massOf(i)));
            }
            mixedHere += !alike && first + kTile <= count;
        }
        const std::lock_guard lock(together);
        mixed += mixedHere;
        equal = equal && equalHere;
        facts.heaviest = std::max(facts.heaviest, heaviest);
    });
    if (!equal) facts.equalMass = 0;
    facts.sources = {nullptr, sourcesOf(count, massOf).count};
    facts.massRuns = count < kOneWave ? mixed == 0 : mixed * kTile * 8 <= count;
    return facts;
}
}  // namespace

BodyFacts factsOf(std::span<const double> masses) {
    return factsOfMasses(masses.size(), [&](std::size_t i) { return masses[i]; });
}

BodyFacts factsOf(const MadeBodies& bodies) {
    BodyFacts facts = factsOfMasses(bodies.size(), [&](std::size_t i) { return bodies.mass(i); });
    facts.largest = bodies.largest();
    return facts;
}

BodyFacts factsOf(const ParticleSet& bodies) {
    BodyFacts facts = factsOfMasses(bodies.size(), [&](std::size_t i) { return bodies.position[i].w; });
    std::mutex together;
    parallelFor(bodies.size(), 0, 65536, [&](std::size_t first, std::size_t last) {
        double largest = 0;
        for (std::size_t i = first; i < last; ++i) {
            const Double4& body = bodies.position[i];
            largest = std::max({largest, std::abs(body.x), std::abs(body.y), std::abs(body.z)});
        }
        const std::lock_guard lock(together);
        facts.largest = std::max(facts.largest, largest);
    });
    return facts;
}

std::string_view measuredBest(const BodyFacts& bodies, const ForceSettings& force, const DeviceFacts& device) {
    if (bodies.count == 0 || bodies.count > kMostSymmetricBodies || loopLaw(force) != Law::gravity) return {};
    if (bodies.acting() < bodies.count) return {};
    if (force.precision == Precision::fp64)
        return bodies.count < 4096 ? "" : bodies.massRuns ? "symmetric-runs" : "symmetric";
    if (bodies.count <= kResidentBodies * static_cast<std::size_t>(device.multiprocessors)) return "many-steps";
    return bodies.equalMass != 0 ? "symmetric-equal" : bodies.massRuns ? "symmetric-runs" : "symmetric";
}

bool takesLists(const KernelChoice& wanted, std::size_t bodies, const ForceSettings& force) {
    const KernelRow& row = kernelEntry("neighbour-list").row;
    if (wanted.kernel) return *wanted.kernel == row.name;
    return wanted.launch == LaunchConfig{} && bodies >= kListsPay && refusal(row, force).empty() &&
           listBytes(bodies, force) <= kMostListBytes;
}

LaunchPlan choose(const KernelChoice& wanted, const BodyFacts& bodies, const ForceSettings& force,
                  const DeviceFacts& device) {
    const Precision precision = force.precision;
    LaunchPlan plan;
    plan.loop = loopLaw(force);
    plan.precision = precision;
    plan.launch = wanted.launch;
    if (wanted.kernel) {
        plan.entry = &kernelEntry(*wanted.kernel);
    } else if (wanted.allowedError > 0 && wanted.launch == LaunchConfig{} && bodies.acting() >= kTreePays &&
               refusal(kernelEntry("tree").row, force).empty()) {
        plan.entry = &kernelEntry("tree");
    } else if (takesLists(wanted, bodies.count, force)) {
        plan.entry = &kernelEntry("neighbour-list");
    } else if (wanted.launch == LaunchConfig{} && bodies.count >= kCellsPay &&
               refusal(kernelEntry("cells").row, force).empty()) {
        plan.entry = &kernelEntry("cells");
    } else if (wanted.launch != LaunchConfig{}) {
        plan.entry = &plainest(plan.launch);
    } else if (const std::string_view best = measuredBest(bodies, force, device); !best.empty()) {
        plan.entry = &kernelEntry(best);
    } else {
        plan.launch = filling(bodies.count, bodies.acting(), device, plan.loop == Law::gravity);
        plan.entry = &plainest(plan.launch);
    }
    const KernelEntry& entry = *plan.entry;
    const KernelRow& row = entry.row;
    const std::string name = "kernel '" + std::string(row.name) + "'";
    if (const Reason why = refusal(row, force); !why.empty()) throw UsageError(why);
    plan.launch = tunable(entry, plan.launch, precision);
    const LaunchConfig& launch = plan.launch;
    // The mass is rounded as on the device: a checkpoint has no more digits, and a resumed run must give the same bits.
    if (row.equalMasses)
        plan.equalMass = precision == Precision::fp32 ? static_cast<float>(bodies.equalMass) : bodies.equalMass;
    plan.heaviest = bodies.heaviest;
    if (row.byCutOff) plan.listWidth = listWidth(force);
    plan.sources = bodies.sources;
    if (precision == Precision::mixed) plan.units = pairUnits(bodies.largest, bodies.heaviest, force);

    if (!row.blockSizes.empty()) requireListed(row, "block", row.blockSizes, launch.block);
    if (!row.unrolls.empty()) requireListed(row, "unroll", row.unrolls, launch.unroll, unrollText);
    const int only[] = {row.usual.bodiesPerThread};
    requireListed(row, "bodies per thread", row.bodiesPerThread.empty() ? std::span<const int>(only) : row.bodiesPerThread,
                  launch.bodiesPerThread);
    if (const std::string why = whyNotBodies(entry, launch, bodies, device); !why.empty())
        throw UsageError(name + " cannot run: " + why);
    if (!row.splits.contains(launch.split))
        throw UsageError("split " + std::to_string(launch.split) + " is outside of what " + name +
                         " can do: " + std::to_string(row.splits.first) + " to " + std::to_string(row.splits.last) +
                         "; nearest: " + std::to_string(std::clamp(launch.split, row.splits.first, row.splits.last)));
    if (bodies.count > 0 && static_cast<std::size_t>(launch.split) > bodies.count)
        throw UsageError("split " + std::to_string(launch.split) +
                         " is more than there are bodies; nearest: " + std::to_string(bodies.count));

    const bool doubles = precision == Precision::fp64;
    plan.machineCode = doubles ? machineCode<double>(entry, launch, force) : machineCode<float>(entry, launch, force);
    if (!plan.machineCode) throw UsageError(whyNotTogether(entry, launch, force));
    KernelFacts facts;
    CUDA_CHECK(kernelFacts(facts, plan.machineCode));
    const OneSidedCode* const code = entry.oneSided();
    const std::size_t shared = code             ? code->sharedBytes(launch, doubles ? sizeof(double) : sizeof(float))
                                           : entry.loaded() ? entry.loaded()->sharedBytes
                                                : 0;
    const int threads = code ? code->threads(launch) : launch.block;
    if (row.blocks.first != row.blocks.last) {
        int most = std::min(device.mostThreads, facts.mostThreads);
        if (shared > 0 && launch.block > 0)
            most = std::min(most, static_cast<int>(device.sharedBytes / (shared / static_cast<std::size_t>(threads))));
        if (code && code->splitsInBlock && launch.block >= 1 && launch.block <= most && threads > most)
            throw UsageError("block " + std::to_string(launch.block) + " with split " + std::to_string(launch.split) +
                             " is " + std::to_string(threads) + " threads a block: " + device.name + " takes " +
                             std::to_string(most) + " for " + name +
                             "; nearest split: " + std::to_string(most / launch.block));
        if (row.blocks.last > 0) most = std::min(most, row.blocks.last);
        if (launch.block < row.blocks.first || launch.block > most)
            throw UsageError("block " + std::to_string(launch.block) + " is impossible: " + device.name + " takes " +
                             std::to_string(row.blocks.first) + " to " + std::to_string(most) + " threads for " + name +
                             " with " + std::to_string(facts.registers) + " registers a thread; nearest: " +
                             std::to_string(std::clamp(launch.block, row.blocks.first, most)));
    }
    // A block of more threads than the device allows fits no multiprocessor.
    if (threads <= facts.mostThreads) CUDA_CHECK(residentBlocks(plan.residentBlocks, plan.machineCode, threads, shared));
    plan.residentBlocks = std::max(1, plan.residentBlocks);
    return plan;
}

}  // namespace gravlab::cuda
