// Named ranges for NVIDIA's profilers: what the program was at while the device worked. Where no profiler looks on they
// cost a test of a pointer, and a build without CUDA has none.
#pragma once

namespace gravlab {

/// From here to the end of the scope. Ranges of one thread lie within each other: frame, step, slice, check, publish.
class ProfilerRange {
public:
#if GRAVLAB_HAS_CUDA
    explicit ProfilerRange(const char* name);
    ~ProfilerRange();
#else
    explicit ProfilerRange(const char*) {}
    ~ProfilerRange() {}
#endif
    ProfilerRange(const ProfilerRange&) = delete;
    ProfilerRange& operator=(const ProfilerRange&) = delete;
};

}  // namespace gravlab
