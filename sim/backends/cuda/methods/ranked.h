// Devices of other ranks of a job: each computes parts of the forces of rank 0's device. Rule: data goes by CUDA IPC where
// all ranks map the memory of rank 0, else by NCCL or by an MPI that takes device memory, else through pinned memory and
// messages. No bit depends on that.
#pragma once
#include "sim/backends/cuda/methods/force_method.h"
#include "sim/backends/cuda/runtime/device_link.h"
#include "sim/backends/ranks/job.h"

#include <memory>
#include <string>

namespace gravlab::cuda {

/// Those devices, as rank 0 has them.
struct RankDevices {
    Exchange exchange{1};
    std::unique_ptr<DeviceLink> link;  ///< null: another way
    std::string way;                   ///< follows the number of ranks: " by CUDA IPC"
    bool fast = false;                 ///< no data goes through the host
    std::size_t devices = 1;           ///< ranks may share one
};
constexpr const char* kThroughHost = " through the host's memory";

/// A method that divides the evaluations of `first` among its device and those of the ranks.
template <class Real>
MadeMethod<Real> makeRanked(MadeMethod<Real> first, const MethodParts& parts, RankDevices& ranks);

/// Sends known data to all ranks and back, and takes the first way that brings it unchanged; GRAVLAB_LINK names the first
/// one of ipc, nccl, mpi and host. Throws DeviceError, UsageError.
void linkRanks(RankDevices& ranks, Job& job, int device, Stream stream);

/// The helper of a rank, part `part`, on that device. Throws NoDeviceError, also where the device is no `like`.
std::unique_ptr<Helper> deviceHelper(std::size_t part, int device, const std::string& like, Transfers& beside);

}  // namespace gravlab::cuda
