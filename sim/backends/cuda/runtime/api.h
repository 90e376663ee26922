// The thin table of all CUDA calls that can fail. Calls are counted, and builds with GRAVLAB_FAULTS can make them fail.
// Rule: no other file calls the CUDA runtime. It needs no CUDA header, so that any file may include it.
#pragma once
#include "sim/api/errors.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

struct CUstream_st;
struct CUevent_st;
struct cudaGraphicsResource;

namespace gravlab::cuda {

using Stream = CUstream_st*;
using Event = CUevent_st*;
using GlResource = cudaGraphicsResource*;

/// A cudaError_t; 0 is success.
using Code = int;
constexpr Code kSuccess = 0, kOutOfMemory = 2, kInsufficientDriver = 35, kNoDevice = 100, kInvalidDevice = 101,
               kInvalidGraphicsContext = 219, kUnsupportedPtx = 222, kNoKernelImage = 209, kNotReady = 600;

/// Copies of more than this count as body-sized; facts of a frame (counters, a force check) stay below.
constexpr std::size_t kLargestFact = 8192;

struct Dim {
    unsigned x = 1, y = 1;
};
enum class Copy { toDevice, toHost, onDevice };

/// Limits of a launch of one kernel on one device.
struct KernelFacts {
    int mostThreads = 0;  ///< threads per block, as registers allow
    int registers = 0;    ///< registers per thread
    std::size_t sharedBytes = 0, localBytes = 0;
};

/// Facts of a device that the launch rules need.
struct DeviceFacts {
    std::string name;
    int index = 0, multiprocessors = 0, mostThreads = 0, clockKHz = 0, major = 0, minor = 0;
    int warpsPerMultiprocessor = 0;
    int memoryKHz = 0, memoryBits = 0;  ///< clock and width of the bus; 0: not known
    std::string pciBus;                 ///< "00000000:17:00.0"
    std::size_t sharedBytes = 0;        ///< most shared memory of a block without opting in
    std::size_t memoryBytes = 0;
};

/// Names device memory to other processes of the host.
struct IpcHandle {
    std::byte bytes[64] = {};
};

// Each call returns the code of a CUDA function and does nothing else, except that memory and copies are counted.
#define GRAVLAB_CUDA_CALL(name, function, parameters, arguments) Code name parameters;
#include "sim/backends/cuda/runtime/api_calls.inl"
#undef GRAVLAB_CUDA_CALL
Code deviceCount(int& count);
Code deviceFacts(int device, DeviceFacts& facts);
enum class PeerLink { none, pcie, nvlink };
/// How a device reaches the memory of another one. Nothing is opened.
PeerLink peerLink(int one, int other);
Code openPeer(int other);                         ///< the current device reaches that one's memory from now on
Code allocate(void** memory, std::size_t bytes);  ///< device memory
Code release(void* memory);                       ///< of allocate() and allocateManaged()
Code copyAsync(void* to, const void* from, std::size_t bytes, Copy direction, Stream stream);
Code createStream(Stream& stream);  ///< does not wait for the default stream
Code kernelFacts(KernelFacts& facts, const void* kernel);
Code loadCode(void** library, const void* image);  ///< a cubin or PTX; the image may be freed afterwards
Code unloadCode(void* library);
Code kernelNamed(const void** kernel, void* library, const char* name);  ///< handle for queries and launches
Code globalNamed(void** memory, void* library, const char* name);        ///< a variable of the library on this device
Code glDevices(unsigned& count, int* devices, unsigned most);            ///< CUDA devices of the current OpenGL context
/// Returns the last error and clears it, unless it is one that ends the context.
Code takeLastError();

/// "cudaErrorMemoryAllocation".
std::string errorName(Code code);
/// Cause and fix in one sentence, with number and name.
std::string errorSentence(Code code);
/// True for errors after which nothing on the device works until the program starts again.
bool endsContext(Code code);

/// Numbers of calls since the start of the program.
struct CallCounts {
    std::int64_t calls = 0, failures = 0, launches = 0;
    std::int64_t copiesToHost = 0, bodySizedCopiesToHost = 0;
};
CallCounts callCounts();
/// Calls of one CUDA function, by its name ("cudaMalloc").
std::int64_t callsOf(std::string_view cudaFunction);

/// True in builds with GRAVLAB_FAULTS.
bool faultsAvailable();
/// Makes calls fail: "cudaMalloc:3:2" lets the third call from now return 2, "cudaMalloc:3+:2" also all later ones. Commas
/// separate several faults; "" removes all. The environment variable GRAVLAB_FAULT is read at the first call. Throws
/// UsageError for unknown functions and in builds without faults.
void planFaults(std::string_view plan);

/// Throws DeviceError naming file, line, expression, cause and fix unless `code` is success. Clears the last error.
void check(Code code, const char* expression, const char* file, int line);

}  // namespace gravlab::cuda

#define CUDA_CHECK(call) ::gravlab::cuda::check((call), #call, __FILE__, __LINE__)
