// Bytes between the processes of a job. Rule: one thread makes all calls, and none of them waits.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace gravlab {

/// One process of the job. Operations begin, and `done` looks whether they are complete; their bytes stay where they are
/// until then. Operations between two ranks match in their order, and so do broadcasts.
class Transport {
public:
    virtual ~Transport() = default;  ///< leaves the job, after all operations
    virtual int rank() const = 0;
    virtual int ranks() const = 0;
    virtual std::string name() const = 0;
    /// From rank 0 to all others.
    virtual int broadcast(std::span<std::byte> bytes) = 0;
    /// A channel has an order of its own.
    virtual int send(int to, std::span<std::byte> bytes, int channel = 0) = 0;
    virtual int receive(int from, std::span<std::byte> bytes, int channel = 0) = 0;
    virtual bool takesDevices() const { return false; }  ///< bytes may be in memory of a CUDA device
    /// True once for each operation.
    virtual bool done(int operation) = 0;
    /// Ends all processes of the job.
    virtual void abort(int code) = 0;
};
/// A transfer may be as slow as that [bytes/s].
constexpr double kSlowestTransfer = 20e6;
/// Fills in known data for a trial of a way, other data for each number.
inline void writeTrial(std::span<std::byte> to, std::size_t number) {
    const auto factor = static_cast<std::uint32_t>(2654435761u + 2 * number);
    for (std::uint32_t i = 0; i < to.size(); ++i) to[i] = static_cast<std::byte>((i + 1) * factor >> 13);
}

using OpenTransport = std::function<std::unique_ptr<Transport>()>;

/// How many processes mpirun or srun started as one job with this one; 1: none.
int launchedRanks();

/// Joins the job by the library libgravlab_mpi.so. Throws NoDeviceError where it is missing.
std::unique_ptr<Transport> mpiTransport();

}  // namespace gravlab
