// Calls of the CUDA runtime that need no code of their own, one row each: the name here, the CUDA function, parameters, and
// the arguments of the CUDA function. Its name is the key of counters and faults.
GRAVLAB_CUDA_CALL(driverVersion, cudaDriverGetVersion, (int& version), (&version))
GRAVLAB_CUDA_CALL(runtimeVersion, cudaRuntimeGetVersion, (int& version), (&version))
GRAVLAB_CUDA_CALL(setDevice, cudaSetDevice, (int device), (device))
GRAVLAB_CUDA_CALL(memoryInfo, cudaMemGetInfo, (std::size_t & free, std::size_t& total), (&free, &total))
// Its pages move between host and device when one reads or writes them.
GRAVLAB_CUDA_CALL(allocateManaged, cudaMallocManaged, (void** memory, std::size_t bytes),
                  (memory, bytes, cudaMemAttachGlobal))
// Host memory that copies reach without a detour.
GRAVLAB_CUDA_CALL(allocatePinned, cudaHostAlloc, (void** memory, std::size_t bytes), (memory, bytes, cudaHostAllocDefault))
GRAVLAB_CUDA_CALL(releasePinned, cudaFreeHost, (void* memory), (memory))
GRAVLAB_CUDA_CALL(nameMemory, cudaIpcGetMemHandle, (IpcHandle & handle, void* memory),
                  (reinterpret_cast<cudaIpcMemHandle_t*>(&handle), memory))
// In another process than that of the memory.
GRAVLAB_CUDA_CALL(mapNamed, cudaIpcOpenMemHandle, (void** memory, const IpcHandle& handle),
                  (memory, std::bit_cast<cudaIpcMemHandle_t>(handle), cudaIpcMemLazyEnablePeerAccess))
GRAVLAB_CUDA_CALL(unmapNamed, cudaIpcCloseMemHandle, (void* memory), (memory))
GRAVLAB_CUDA_CALL(fillAsync, cudaMemsetAsync, (void* memory, int byte, std::size_t bytes, Stream stream),
                  (memory, byte, bytes, stream))
GRAVLAB_CUDA_CALL(destroyStream, cudaStreamDestroy, (Stream stream), (stream))
GRAVLAB_CUDA_CALL(waitForStream, cudaStreamSynchronize, (Stream stream), (stream))
GRAVLAB_CUDA_CALL(createEvent, cudaEventCreate, (Event & event), (&event))  // with timing
GRAVLAB_CUDA_CALL(destroyEvent, cudaEventDestroy, (Event event), (event))
GRAVLAB_CUDA_CALL(recordEvent, cudaEventRecord, (Event event, Stream stream), (event, stream))
// kSuccess when reached, kNotReady before; never waits.
GRAVLAB_CUDA_CALL(queryEvent, cudaEventQuery, (Event event), (event))
GRAVLAB_CUDA_CALL(waitForEvent, cudaEventSynchronize, (Event event), (event))
// Later work of the stream waits for the event.
GRAVLAB_CUDA_CALL(waitInStream, cudaStreamWaitEvent, (Stream stream, Event event), (stream, event, 0))
GRAVLAB_CUDA_CALL(elapsedMilliseconds, cudaEventElapsedTime, (float& milliseconds, Event first, Event last),
                  (&milliseconds, first, last))
// On one multiprocessor.
GRAVLAB_CUDA_CALL(residentBlocks, cudaOccupancyMaxActiveBlocksPerMultiprocessor,
                  (int& blocks, const void* kernel, int threads, std::size_t sharedBytes),
                  (&blocks, kernel, threads, sharedBytes))
GRAVLAB_CUDA_CALL(launch, cudaLaunchKernel,
                  (const void* kernel, Dim grid, unsigned threads, void** arguments, std::size_t sharedBytes, Stream stream),
                  (kernel, dim3(grid.x, grid.y), dim3(threads), arguments, sharedBytes, stream))
// Launches with all blocks of the grid resident at once, or fails.
GRAVLAB_CUDA_CALL(launchCooperative, cudaLaunchCooperativeKernel,
                  (const void* kernel, Dim grid, unsigned threads, void** arguments, std::size_t sharedBytes, Stream stream),
                  (kernel, dim3(grid.x, grid.y), dim3(threads), arguments, sharedBytes, stream))
// Address of a __constant__ or __device__ variable.
GRAVLAB_CUDA_CALL(symbolAddress, cudaGetSymbolAddress, (void** memory, const void* symbol), (memory, symbol))
// Each use overwrites the buffer completely.
GRAVLAB_CUDA_CALL(registerGlBuffer, cudaGraphicsGLRegisterBuffer, (GlResource & resource, unsigned buffer),
                  (&resource, buffer, cudaGraphicsRegisterFlagsWriteDiscard))
GRAVLAB_CUDA_CALL(unregisterGl, cudaGraphicsUnregisterResource, (GlResource resource), (resource))
GRAVLAB_CUDA_CALL(mapGl, cudaGraphicsMapResources, (GlResource & resource, Stream stream), (1, &resource, stream))
GRAVLAB_CUDA_CALL(unmapGl, cudaGraphicsUnmapResources, (GlResource & resource, Stream stream), (1, &resource, stream))
GRAVLAB_CUDA_CALL(mappedPointer, cudaGraphicsResourceGetMappedPointer,
                  (void** memory, std::size_t& bytes, GlResource resource), (memory, &bytes, resource))
