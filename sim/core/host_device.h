// Declares a function for host and device. Rule: such a function uses nothing that only one of them has.
#pragma once

#if defined(__CUDACC__)
#define GRAVLAB_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define GRAVLAB_HOST_DEVICE inline
#endif
