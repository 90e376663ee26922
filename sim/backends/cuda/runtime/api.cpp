// The CUDA calls. Rule: a call is a row of api_calls.inl, or has a row of kFunctions and its code here.
#include "sim/backends/cuda/runtime/api.h"

#include "sim/backends/devices.h"
#include "sim/core/fault_plan.h"
#include "sim/core/names.h"
#include "sim/core/text.h"

// It includes GL/gl.h; no OpenGL function is called here.
#include <cuda_gl_interop.h>
#include <cuda_runtime_api.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <unordered_map>

namespace gravlab::cuda {
namespace {

constexpr std::string_view kFunctions[] = {
#define GRAVLAB_CUDA_CALL(name, function, parameters, arguments) #function,
#include "sim/backends/cuda/runtime/api_calls.inl"
#undef GRAVLAB_CUDA_CALL
    "cudaGetDeviceCount",
    "cudaGetDeviceProperties",
    "cudaDeviceEnablePeerAccess",
    "cudaMalloc",
    "cudaFree",
    "cudaMemcpyAsync",
    "cudaStreamCreate",
    "cudaFuncGetAttributes",
    "cudaLibraryLoadData",
    "cudaLibraryUnload",
    "cudaLibraryGetKernel",
    "cudaLibraryGetGlobal",
    "cudaGLGetDevices"};
constexpr std::size_t kFunctionCount = std::size(kFunctions);

constexpr std::size_t indexOf(std::string_view name) {
    for (std::size_t i = 0; i < kFunctionCount; ++i)
        if (kFunctions[i] == name) return i;
    return kFunctionCount;
}

std::array<std::atomic<std::int64_t>, kFunctionCount> calls{};
std::atomic<std::int64_t> failures{0}, copiesToHost{0}, bodySizedCopiesToHost{0};

/// Sizes of the allocations on devices. It is never destroyed: arrays of static storage may be released after main().
struct HeldMemory {
    std::mutex lock;
    std::unordered_map<void*, std::size_t> sizes;
    std::size_t bytes = 0;
};
HeldMemory& heldMemory() {
    static auto* const held = new HeldMemory;
    return *held;
}

#if GRAVLAB_FAULTS
std::mutex faultLock;
FaultPlan faults;
bool environmentRead = false;

FaultPlan parsed(std::string_view plan) { return FaultPlan(plan, "cuda", kFunctions); }

Code injected(std::size_t function) {
    const std::lock_guard hold(faultLock);
    if (!environmentRead) {
        environmentRead = true;
        if (const char* plan = std::getenv("GRAVLAB_FAULT")) faults = parsed(plan);
    }
    return faults.call(function);
}
#endif

template <std::size_t kFunction, class Run>
Code counted(Run run) {
    static_assert(kFunction < kFunctionCount, "the call is missing in kFunctions");
    calls[kFunction].fetch_add(1, std::memory_order_relaxed);
    Code code = kSuccess;
#if GRAVLAB_FAULTS
    code = injected(kFunction);
#endif
    if (code == kSuccess) code = static_cast<Code>(run());
    if (code != kSuccess && code != kNotReady) failures.fetch_add(1, std::memory_order_relaxed);
    return code;
}

}  // namespace

// The function's name is written once and is the key of counters and faults.
#define GRAVLAB_COUNTED(function, ...) counted<indexOf(#function)>([&] { return function(__VA_ARGS__); })

#define GRAVLAB_CUDA_CALL(name, function, parameters, arguments)                \
    Code name parameters {                                                      \
        return counted<indexOf(#function)>([&] { return function arguments; }); \
    }
#include "sim/backends/cuda/runtime/api_calls.inl"
#undef GRAVLAB_CUDA_CALL

Code deviceCount(int& count) {
    count = 0;  // the call leaves it untouched when there is no driver
    return GRAVLAB_COUNTED(cudaGetDeviceCount, &count);
}

Code deviceFacts(int device, DeviceFacts& facts) {
    cudaDeviceProp properties{};
    Code code = GRAVLAB_COUNTED(cudaGetDeviceProperties, &properties, device);
    if (code != kSuccess) return code;
    facts.name = properties.name;
    facts.index = device;
    facts.multiprocessors = properties.multiProcessorCount;
    facts.mostThreads = properties.maxThreadsPerBlock;
    facts.major = properties.major;
    facts.minor = properties.minor;
    facts.sharedBytes = properties.sharedMemPerBlock;
    facts.memoryBytes = properties.totalGlobalMem;
    facts.warpsPerMultiprocessor = properties.maxThreadsPerMultiProcessor / 32;
    facts.pciBus =
        formatted("%08x:%02x:%02x.0", static_cast<unsigned>(properties.pciDomainID),
                  static_cast<unsigned>(properties.pciBusID & 0xff), static_cast<unsigned>(properties.pciDeviceID & 0xff));
    // The clock is a separate attribute since CUDA 13. Without it only the plausibility bound is missing.
    if (cudaDeviceGetAttribute(&facts.clockKHz, cudaDevAttrClockRate, device) != cudaSuccess) facts.clockKHz = 0;
    if (cudaDeviceGetAttribute(&facts.memoryKHz, cudaDevAttrMemoryClockRate, device) != cudaSuccess) facts.memoryKHz = 0;
    if (cudaDeviceGetAttribute(&facts.memoryBits, cudaDevAttrGlobalMemoryBusWidth, device) != cudaSuccess)
        facts.memoryBits = 0;
    return kSuccess;
}

PeerLink peerLink(int one, int other) {
    if (one == other) return PeerLink::none;
    const auto has = [&](cudaDeviceP2PAttr attribute) {
        int value = 0;
        const bool known = cudaDeviceGetP2PAttribute(&value, attribute, one, other) == cudaSuccess;
        if (!known) takeLastError();
        return known && value != 0;
    };
    if (!has(cudaDevP2PAttrAccessSupported)) return PeerLink::none;
    return has(cudaDevP2PAttrNativeAtomicSupported) ? PeerLink::nvlink : PeerLink::pcie;  // only NVLink has these atomics
}

Code openPeer(int other) {
    const Code code = GRAVLAB_COUNTED(cudaDeviceEnablePeerAccess, other, 0u);
    if (code != cudaErrorPeerAccessAlreadyEnabled) return code;
    takeLastError();
    return kSuccess;
}

Code allocate(void** memory, std::size_t bytes) {
    const Code code = GRAVLAB_COUNTED(cudaMalloc, memory, bytes);
    if (code != kSuccess) return code;
    HeldMemory& held = heldMemory();
    const std::lock_guard hold(held.lock);
    held.sizes[*memory] = bytes;
    held.bytes += bytes;
    return code;
}
Code release(void* memory) {
    {
        HeldMemory& held = heldMemory();
        const std::lock_guard hold(held.lock);
        if (const auto found = held.sizes.find(memory); found != held.sizes.end()) {
            held.bytes -= found->second;
            held.sizes.erase(found);
        }
    }
    return GRAVLAB_COUNTED(cudaFree, memory);
}

Code copyAsync(void* to, const void* from, std::size_t bytes, Copy direction, Stream stream) {
    constexpr cudaMemcpyKind kKinds[] = {cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice};
    if (direction == Copy::toHost) {
        copiesToHost.fetch_add(1, std::memory_order_relaxed);
        if (bytes > kLargestFact) bodySizedCopiesToHost.fetch_add(1, std::memory_order_relaxed);
    }
    return GRAVLAB_COUNTED(cudaMemcpyAsync, to, from, bytes, kKinds[static_cast<int>(direction)], stream);
}
Code createStream(Stream& stream) {
    return counted<indexOf("cudaStreamCreate")>([&] { return cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking); });
}

Code kernelFacts(KernelFacts& facts, const void* kernel) {
    cudaFuncAttributes attributes{};
    const Code code = GRAVLAB_COUNTED(cudaFuncGetAttributes, &attributes, kernel);
    facts = {attributes.maxThreadsPerBlock, attributes.numRegs, attributes.sharedSizeBytes, attributes.localSizeBytes};
    return code;
}

// Since CUDA 12.8 the runtime loads code, and its launches accept the kernels found there.
#if CUDART_VERSION >= 12080
Code loadCode(void** library, const void* image) {
    cudaLibrary_t made = nullptr;
    const Code code = counted<indexOf("cudaLibraryLoadData")>(
        [&] { return cudaLibraryLoadData(&made, image, nullptr, nullptr, 0, nullptr, nullptr, 0); });
    *library = made;
    return code;
}
Code unloadCode(void* library) { return GRAVLAB_COUNTED(cudaLibraryUnload, static_cast<cudaLibrary_t>(library)); }
Code kernelNamed(const void** kernel, void* library, const char* name) {
    cudaKernel_t found = nullptr;
    const Code code = counted<indexOf("cudaLibraryGetKernel")>(
        [&] { return cudaLibraryGetKernel(&found, static_cast<cudaLibrary_t>(library), name); });
    *kernel = found;
    return code;
}
Code globalNamed(void** memory, void* library, const char* name) {
    std::size_t bytes = 0;
    return GRAVLAB_COUNTED(cudaLibraryGetGlobal, memory, &bytes, static_cast<cudaLibrary_t>(library), name);
}
#else
Code loadCode(void**, const void*) { return cudaErrorNotSupported; }
Code unloadCode(void*) { return cudaErrorNotSupported; }
Code kernelNamed(const void**, void*, const char*) { return cudaErrorNotSupported; }
Code globalNamed(void**, void*, const char*) { return cudaErrorNotSupported; }
#endif

Code glDevices(unsigned& count, int* devices, unsigned most) {
    count = 0;
    return GRAVLAB_COUNTED(cudaGLGetDevices, &count, devices, most, cudaGLDeviceListAll);
}
Code takeLastError() { return static_cast<Code>(cudaGetLastError()); }

std::string errorName(Code code) { return cudaGetErrorName(static_cast<cudaError_t>(code)); }

CallCounts callCounts() {
    CallCounts counts;
    for (const auto& n : calls) counts.calls += n.load(std::memory_order_relaxed);
    counts.failures = failures;
    counts.launches = calls[indexOf("cudaLaunchKernel")] + calls[indexOf("cudaLaunchCooperativeKernel")];
    counts.copiesToHost = copiesToHost;
    counts.bodySizedCopiesToHost = bodySizedCopiesToHost;
    return counts;
}

std::int64_t callsOf(std::string_view cudaFunction) {
    const std::size_t index = indexOf(cudaFunction);
    if (index == kFunctionCount)
        throw UsageError(unknownName("CUDA function", cudaFunction, {std::begin(kFunctions), std::end(kFunctions)}));
    return calls[index];
}

}  // namespace gravlab::cuda

namespace gravlab {

DeviceUse deviceUse() {
    cuda::HeldMemory& held = cuda::heldMemory();
    const std::lock_guard hold(held.lock);
    return {.launches = cuda::callCounts().launches,
            .copies = cuda::callsOf("cudaMemcpyAsync") + cuda::callsOf("cudaMemsetAsync"),
            .bytes = static_cast<double>(held.bytes)};
}

}  // namespace gravlab

namespace gravlab::cuda {

bool faultsAvailable() {
#if GRAVLAB_FAULTS
    return true;
#else
    return false;
#endif
}

void planFaults([[maybe_unused]] std::string_view plan) {
#if GRAVLAB_FAULTS
    FaultPlan next = parsed(plan);
    const std::lock_guard hold(faultLock);
    environmentRead = true;
    faults = std::move(next);
#else
    throw UsageError("this build cannot make CUDA calls fail: configure it with -DGRAVLAB_FAULTS=ON");
#endif
}

}  // namespace gravlab::cuda
