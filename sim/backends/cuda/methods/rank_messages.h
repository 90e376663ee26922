// What rank 0 and the helpers of other ranks send about devices. Rule: no message has an address.
#pragma once
#include "sim/backends/cuda/kernels/tree_part.h"
#include "sim/backends/cuda/methods/force_method.h"
#include "sim/backends/cuda/runtime/nccl_library.h"
#include "sim/backends/exchange.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace gravlab::cuda {

/// Memory of rank 0's device that ranks of its host map: positions and |a| of the last evaluation, then results. Ranks that
/// cannot have one of their own, and a link or messages bring what it holds.
struct Zone {
    std::size_t count = 0, vector = 0;  ///< bodies, and bytes of a vector
    Split cut = Split::targets;
    std::size_t ranges = 1;              ///< of sums over targets
    std::size_t node = 0, allNodes = 0;  ///< bytes of a node of sums by pairs, and the nodes of all helpers

    std::size_t lengths() const { return padded(static_cast<std::uint32_t>(count)) * vector; }
    std::size_t results() const { return lengths() + padded(static_cast<std::uint32_t>(count)) * sizeof(float); }
    std::size_t treeBytes() const { return count * (vector + sizeof(float) + sizeof(std::uint32_t)); }
    std::size_t bytes() const {
        return results() + std::max({node * allNodes, cut == Split::keyRanges ? treeBytes() : 0, ranges * count * vector});
    }
    /// Packed results of a tree, after those of `before` bodies.
    PackedTree packed(std::byte* memory, std::size_t before) const {
        std::byte* const at = memory + results() + before * sizeof(Float4);
        std::byte* const lengths = memory + results() + count * sizeof(Float4);
        return {reinterpret_cast<Float4*>(at), reinterpret_cast<float*>(lengths) + before,
                reinterpret_cast<std::uint32_t*>(lengths + count * sizeof(float)) + before};
    }
};

inline std::vector<SpanNode> nodesOf(std::span<const std::size_t> bounds, std::size_t k) {
    return spanNodes(static_cast<int>(bounds[k]), static_cast<int>(bounds[k + 1]));
}

/// What a rank says of its part, before the data where messages bring them.
struct RankAnswer {
    ForceWork work;
    std::uint32_t bodies = 0;             ///< of a tree's part
    TreeCounts counts[kCountedSlices]{};  ///< where they were wanted
};

using Pieces = DeviceLink::Pieces;
/// Where the results of part k are in the zone at `memory`; those of a tree are packed after `before` bodies.
inline Pieces resultsOf(const Zone& zone, std::byte* memory, std::span<const std::size_t> bounds, std::size_t k,
                        std::size_t before, std::size_t bodies) {
    Pieces made;
    const auto add = [&](void* at, std::size_t bytes) {
        if (bytes > 0) made.push_back({static_cast<int>(k), static_cast<std::byte*>(at), bytes});
    };
    std::byte* const results = memory + zone.results();
    if (zone.cut == Split::keyRanges) {
        const PackedTree packed = zone.packed(memory, before);
        add(packed.sums, bodies * sizeof *packed.sums);
        add(packed.lengths, bodies * sizeof *packed.lengths);
        add(packed.bodies, bodies * sizeof *packed.bodies);
    } else if (zone.cut == Split::tilePairs) {
        std::size_t nodes = 0;
        for (std::size_t part = 1; part < k; ++part) nodes += nodesOf(bounds, part).size();
        for (std::size_t i = 0; i < nodesOf(bounds, k).size(); ++i) add(results + (nodes + i) * zone.node, zone.node);
    } else {
        for (std::size_t range = 0; range < zone.ranges; ++range)
            add(results + (range * zone.count + bounds[k]) * zone.vector, (bounds[k + 1] - bounds[k]) * zone.vector);
    }
    return made;
}

/// How the data of ranks goes, in the order of trials; a message says which.
enum class Way : std::uint8_t { ipc, nccl, mpi, host };
constexpr std::string_view kWayNames[] = {"ipc", "nccl", "mpi", "host"};
constexpr std::size_t kLinkWays = static_cast<std::size_t>(Way::host);

/// Data of HelperMessage::Kind::create, before the row's name; without a name it is a trial of the way.
struct RankedFacts {
    LaunchPlan plan;  ///< without its addresses
    bool doubles = false;
    Zone zone;
    Way way = Way::host;  ///< nccl and mpi: the link brings the data; else the handle, where it is mapped, or messages
    IpcHandle handle;
    // Of a trial.
    NcclId id;
    int ranks = 0, channel = 0;
    std::size_t nameLength = 0;
};
/// The answer to the first trial.
struct TrialAnswer {
    bool mapped = false;
    bool has[kLinkWays]{};  ///< libraries of the ways
    char device[128]{};     ///< its host and its place there
};

/// Data of HelperMessage::Kind::force, before bounds and, where messages bring them, positions and lengths.
struct RankedForce {
    ForceRequest request;  ///< without its addresses
    std::size_t parts = 0;
    bool lengths = false, counts = false;
};

/// Differs for each device of all hosts.
std::string deviceName(int device);

/// The link of a trial, on any rank. Throws DeviceError.
std::unique_ptr<DeviceLink> makeLink(const RankedFacts& facts, int rank, Transfers& beside, int device);
/// Sends known data to all ranks and back; all of them call it. On rank 0: bytes per second, or 0 where data came back
/// changed. Throws DeviceError.
double tryLink(DeviceLink& link, int rank, int ranks, Stream stream);

// Known data of a rank, kSlotBytes of device memory.
constexpr std::size_t kSlotBytes = 16384;
bool holds(const std::byte* memory, std::size_t rank, Stream stream);
void fill(std::byte* memory, std::size_t rank, Stream stream);

/// Device memory under a name; the size is that of whole allocations of the driver, so that the name is of nothing else.
struct NamedMemory {
    explicit NamedMemory(std::size_t bytes = 0) : memory((bytes + kWhole - 1) / kWhole * kWhole) {
        if (bytes > 0 && nameMemory(handle, memory.data()) != kSuccess) takeLastError();  // no rank can map it
    }
    static constexpr std::size_t kWhole = std::size_t{2} << 20;
    DeviceArray<std::byte> memory;
    IpcHandle handle;
};

/// Bytes on their way between a device and a message.
class Staging {
public:
    std::span<const std::byte> fetched(const void* from, std::size_t bytes, Stream stream) {
        fit(bytes);
        CUDA_CHECK(copyAsync(pinned_.data(), from, bytes, Copy::toHost, stream));
        CUDA_CHECK(waitForStream(stream));
        return {pinned_.data(), bytes};
    }
    void put(void* to, MessageReader& from, std::size_t bytes, Stream stream) {
        fit(bytes);
        CUDA_CHECK(waitForStream(stream));  // it may still read the memory
        from.get(std::span(pinned_.data(), bytes));
        CUDA_CHECK(copyAsync(to, pinned_.data(), bytes, Copy::toDevice, stream));
    }

private:
    void fit(std::size_t bytes) {
        if (pinned_.size() < bytes) pinned_ = PinnedArray<std::byte>(bytes);
    }
    PinnedArray<std::byte> pinned_;
};

}  // namespace gravlab::cuda
