// Typed launches: a kernel and its one argument. Rule: a kernel with an argument of another type does not compile.
#pragma once
#include "sim/backends/cuda/runtime/api.h"

#include <cstddef>
#include <type_traits>

namespace gravlab::cuda {

/// The machine code of a kernel whose one argument is a Task. Null where it is not built.
template <class Task>
struct Kernel {
    const void* address = nullptr;
    explicit operator bool() const { return address != nullptr; }
};

/// The kernel of a __global__ function; the function's argument decides the type.
template <class Task>
Kernel<Task> kernelOf(void (*function)(Task)) {
    return {reinterpret_cast<const void*>(function)};
}

/// Enqueues the kernel on `task`, which is copied. Throws DeviceError.
template <class Task>
void launchKernel(Kernel<Task> kernel, Dim grid, unsigned threads, const std::type_identity_t<Task>& task,
                  std::size_t sharedBytes, Stream stream) {
    Task copy = task;
    void* arguments[] = {&copy};
    CUDA_CHECK(launch(kernel.address, grid, threads, arguments, sharedBytes, stream));
}

/// Blocks of that many threads, with a thread for each item.
constexpr unsigned blocksFor(std::size_t items, unsigned threads) {
    return static_cast<unsigned>((items + threads - 1) / threads);
}
/// Enqueues the same with a thread for each item.
template <class Task>
void launchEach(Kernel<Task> kernel, std::size_t items, unsigned threads, const std::type_identity_t<Task>& task,
                Stream stream) {
    launchKernel(kernel, {blocksFor(items, threads)}, threads, task, 0, stream);
}

/// Enqueues the first with all blocks of the grid resident at once.
template <class Task>
void launchResident(Kernel<Task> kernel, Dim grid, unsigned threads, const std::type_identity_t<Task>& task,
                    std::size_t sharedBytes, Stream stream) {
    Task copy = task;
    void* arguments[] = {&copy};
    CUDA_CHECK(launchCooperative(kernel.address, grid, threads, arguments, sharedBytes, stream));
}

}  // namespace gravlab::cuda
