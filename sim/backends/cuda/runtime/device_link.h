// A way between the device of rank 0 and those of other ranks. Rule: all ranks begin the same operations, and none waits for
// ever.
#pragma once
#include "sim/backends/ranks/transport.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

namespace gravlab::cuda {

/// One operation is under way at a time; its memory is complete before and stays until its end. Each call throws DeviceError
/// when the way fails, or when a rank stays away; the link is of no use then.
class DeviceLink {
public:
    virtual ~DeviceLink() = default;
    virtual std::string name() const = 0;  ///< "NCCL 2.28.9"
    struct Piece {
        int rank = 0;  ///< the other one
        std::byte* memory = nullptr;
        std::size_t bytes = 0;
    };
    using Pieces = std::vector<Piece>;
    // They begin.
    virtual void broadcast(std::byte* memory, std::size_t bytes) = 0;  ///< rank 0's bytes go to all ranks
    virtual void send(const Pieces& pieces) = 0;
    virtual void receive(const Pieces& pieces) = 0;
    /// Whether the last operation is complete.
    virtual bool reached() = 0;
    void wait() {
        while (!reached()) std::this_thread::yield();
    }

protected:
    using Clock = std::chrono::steady_clock;
    /// When ranks that stay away are given up.
    static Clock::time_point limitOf(std::size_t bytes) {
        return Clock::now() + std::chrono::seconds(10 + static_cast<int>(static_cast<double>(bytes) / kSlowestTransfer));
    }
    static std::size_t bytesOf(const Pieces& pieces) {
        std::size_t bytes = 0;
        for (const Piece& piece : pieces) bytes += piece.bytes;
        return bytes;
    }
};

}  // namespace gravlab::cuda
