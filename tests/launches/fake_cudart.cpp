// The functions of the CUDA runtime that the program calls, without a device: memory is the host's, kernels do nothing, and
// time advances by a fixed amount per launch. A program that links this file before the runtime enqueues the same work as on
// a GPU, on every machine.
#include "sim/backends/cuda/kernels/blocks.h"

#include <cuda_gl_interop.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string_view>

namespace gravlab {
/// Free memory of the device, which tests change.
std::size_t fakeFreeBytes = std::size_t{80} << 30;
/// Allocations until one fails; 0: none fails.
int fakeAllocationsToFailure = 0;
}  // namespace gravlab

namespace {

using gravlab::cuda::LevelTask;

constexpr double kLaunchMilliseconds = 0.02, kCopyMilliseconds = 0.001;
double now = 0;  // [ms] of the only stream

struct FakeEvent {
    double at = 0;
};
FakeEvent& event(cudaEvent_t handle) { return *reinterpret_cast<FakeEvent*>(handle); }

std::map<const void*, std::string_view>& kernelNames() {
    static auto* const names = new std::map<const void*, std::string_view>;
    return *names;
}

/// Block steps read the number of bodies on each level: half of them on level 0, a quarter on level 1, the others on
/// level 3.
template <class Real>
void giveLevels(const LevelTask<Real>& task) {
    const std::uint32_t half = task.count / 2, quarter = task.count / 4;
    task.sums->bodies[0] = half;
    task.sums->bodies[1] = quarter;
    task.sums->bodies[3] = task.count - half - quarter;
    for (std::uint32_t i = 0; i < task.count; ++i)
        task.levels[i] = static_cast<std::uint8_t>(i < half ? 0 : i < half + quarter ? 1 : 3);
}

cudaError_t launched(const void* kernel, void** arguments) {
    now += kLaunchMilliseconds;
    const std::string_view name = kernelNames()[kernel];
    if (name.find("giveLevelsIf") != name.npos) giveLevels(*static_cast<LevelTask<float>*>(arguments[0]));
    if (name.find("giveLevelsId") != name.npos) giveLevels(*static_cast<LevelTask<double>*>(arguments[0]));
    return cudaSuccess;
}

cudaError_t taken(void** memory, std::size_t bytes) {
    if (gravlab::fakeAllocationsToFailure > 0 && --gravlab::fakeAllocationsToFailure == 0) return cudaErrorMemoryAllocation;
    constexpr std::size_t kAlignment = 256;  // like the runtime's, which CUB needs
    const std::size_t whole = (std::max<std::size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
    *memory = std::aligned_alloc(kAlignment, whole);
    if (!*memory) return cudaErrorMemoryAllocation;
    std::memset(*memory, 0, whole);
    return cudaSuccess;
}

}  // namespace

extern "C" {

// The calls that nvcc adds to each file of kernels.
void** __cudaRegisterFatBinary(void*) {
    static void* handle = nullptr;
    return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void**, const char* host, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*, int*) {
    kernelNames()[host] = name;
}
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host) {
    *kernel = static_cast<cudaKernel_t>(const_cast<void*>(host));
    return cudaSuccess;
}
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, cudaStream_t) { return 0; }
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
    *grid = *block = dim3(1);
    *shared = 0;
    *static_cast<cudaStream_t*>(stream) = nullptr;
    return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3, dim3, void** arguments, size_t, cudaStream_t) {
    return launched(kernel, arguments);
}

// A device as large as an H100.
cudaError_t cudaDriverGetVersion(int* version) {
    *version = CUDART_VERSION;
    return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
    *version = CUDART_VERSION;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
    *count = 1;
    return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
    *device = 0;
    return cudaSuccess;
}
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return cudaSuccess; }
cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr, int, int) {
    *value = 1;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
    *properties = {};
    std::strcpy(properties->name, "no device");
    properties->multiProcessorCount = 132;
    properties->maxThreadsPerBlock = 1024;
    properties->major = 9;
    properties->sharedMemPerBlock = 49152;
    properties->totalGlobalMem = std::size_t{80} << 30;
    properties->maxThreadsPerMultiProcessor = 2048;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
    *value = attribute == cudaDevAttrMultiProcessorCount       ? 132
             : attribute == cudaDevAttrComputeCapabilityMajor  ? 9
             : attribute == cudaDevAttrComputeCapabilityMinor  ? 0
             : attribute == cudaDevAttrMaxSharedMemoryPerBlock ? 49152
             : attribute == cudaDevAttrMaxGridDimX             ? 2147483647
             : attribute == cudaDevAttrClockRate               ? 1980000
             : attribute == cudaDevAttrMemoryClockRate         ? 2619000
             : attribute == cudaDevAttrGlobalMemoryBusWidth    ? 5120
                                                               : 1024;
    return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
    *free = gravlab::fakeFreeBytes;
    *total = std::size_t{80} << 30;
    return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) {
    *attributes = {};
    attributes->maxThreadsPerBlock = 1024;
    attributes->numRegs = 32;
    attributes->ptxVersion = attributes->binaryVersion = 90;
    return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int threads, size_t) {
    *blocks = 2048 / std::max(1, threads);
    return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* kernel, int threads,
                                                                   size_t shared, unsigned) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, shared);
}

// Memory.
cudaError_t cudaMalloc(void** memory, size_t bytes) {
    return bytes > gravlab::fakeFreeBytes ? cudaErrorMemoryAllocation : taken(memory, bytes);
}
cudaError_t cudaMallocManaged(void** memory, size_t bytes, unsigned) { return taken(memory, bytes); }
cudaError_t cudaHostAlloc(void** memory, size_t bytes, unsigned) { return taken(memory, bytes); }
cudaError_t cudaFree(void* memory) {
    std::free(memory);
    return cudaSuccess;
}
cudaError_t cudaFreeHost(void* memory) { return cudaFree(memory); }
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t*, void*) { return cudaErrorNotSupported; }
cudaError_t cudaIpcOpenMemHandle(void**, cudaIpcMemHandle_t, unsigned) { return cudaErrorNotSupported; }
cudaError_t cudaIpcCloseMemHandle(void*) { return cudaErrorNotSupported; }
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t) {
    now += kCopyMilliseconds;
    std::memcpy(to, from, bytes);
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* memory, int byte, size_t bytes, cudaStream_t) {
    now += kCopyMilliseconds;
    std::memset(memory, byte, bytes);
    return cudaSuccess;
}
cudaError_t cudaGetSymbolAddress(void** memory, const void*) {
    static void* const symbol = [] {
        void* made = nullptr;
        taken(&made, 65536);
        return made;
    }();
    *memory = symbol;
    return cudaSuccess;
}

// One stream, whose work is done when it is enqueued.
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
    *stream = nullptr;
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }
cudaError_t cudaEventCreate(cudaEvent_t* handle) {
    *handle = reinterpret_cast<cudaEvent_t>(new FakeEvent);
    return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t handle) {
    delete &event(handle);
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t) {
    event(handle).at = now;
    return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t first, cudaEvent_t last) {
    *milliseconds = static_cast<float>(event(last).at - event(first).at);
    return cudaSuccess;
}
cudaError_t cudaLaunchKernel(const void* kernel, dim3, dim3, void** arguments, size_t, cudaStream_t) {
    return launched(kernel, arguments);
}
cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3, dim3, void** arguments, size_t, cudaStream_t) {
    return launched(kernel, arguments);
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
const char* cudaGetErrorName(cudaError_t) { return "cudaErrorOfNoDevice"; }
const char* cudaGetErrorString(cudaError_t) { return "there is no device"; }

// No run-time compilation, no OpenGL.
cudaError_t cudaLibraryLoadData(cudaLibrary_t*, const void*, cudaJitOption*, void**, unsigned, cudaLibraryOption*, void**,
                                unsigned) {
    return cudaErrorNotSupported;
}
cudaError_t cudaLibraryUnload(cudaLibrary_t) { return cudaSuccess; }
cudaError_t cudaLibraryGetKernel(cudaKernel_t*, cudaLibrary_t, const char*) { return cudaErrorNotSupported; }
cudaError_t cudaLibraryGetGlobal(void**, size_t*, cudaLibrary_t, const char*) { return cudaErrorNotSupported; }
cudaError_t cudaGLGetDevices(unsigned* count, int*, unsigned, cudaGLDeviceList) {
    *count = 0;
    return cudaSuccess;
}
cudaError_t cudaGraphicsGLRegisterBuffer(cudaGraphicsResource**, GLuint, unsigned) { return cudaErrorNotSupported; }
cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t) { return cudaErrorNotSupported; }
cudaError_t cudaGraphicsMapResources(int, cudaGraphicsResource_t*, cudaStream_t) { return cudaErrorNotSupported; }
cudaError_t cudaGraphicsUnmapResources(int, cudaGraphicsResource_t*, cudaStream_t) { return cudaErrorNotSupported; }
cudaError_t cudaGraphicsResourceGetMappedPointer(void**, size_t*, cudaGraphicsResource_t) { return cudaErrorNotSupported; }

}  // extern "C"
