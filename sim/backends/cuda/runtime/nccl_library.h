// NCCL, opened by name at its first use, so that the program runs without it. Rule: no header of the library here.
#pragma once
#include "sim/backends/cuda/runtime/device_link.h"
#include "sim/backends/cuda/runtime/memory.h"

#include <functional>
#include <string>

namespace gravlab::cuda {

/// "2.28.9"; empty where the library is missing, or older than 2.18.
std::string ncclVersion();

/// Names a communicator to its ranks.
struct NcclId {
    char bytes[128] = {};
};
/// Throws DeviceError.
NcclId newNcclId();

/// A rank's part of a communicator, on a stream of its own.
class Nccl final : public DeviceLink {
public:
    /// Waits for all ranks.
    Nccl(const NcclId& id, int rank, int ranks);
    ~Nccl() override;
    Nccl(const Nccl&) = delete;
    Nccl& operator=(const Nccl&) = delete;
    std::string name() const override { return "NCCL " + ncclVersion(); }
    void broadcast(std::byte* memory, std::size_t bytes) override;
    void send(const Pieces& pieces) override;
    void receive(const Pieces& pieces) override;
    bool reached() override;
    using Transfer = int(void* memory, std::size_t count, int type, int rank, void* communicator, Stream);

private:
    void transfer(const Pieces& pieces, Transfer* call);
    void begin(std::size_t bytes, const std::function<int()>& calls);
    void require(int code);
    void settle();
    [[noreturn]] void fail(const std::string& why);

    void* communicator_ = nullptr;
    bool underWay_ = false;  ///< an operation
    Clock::time_point limit_ = limitOf(0);
    OwnedStream stream_;
    OwnedEvent done_;
};

}  // namespace gravlab::cuda
