// Named ranges for NVIDIA's profilers: the work of the program while the device worked. Without a profiler a range costs a
// test of a pointer; a build without CUDA has none.
#pragma once

namespace gravlab {

/// A range from here to the end of the scope. Ranges of one thread are nested: frame, step, slice, check, publish.
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
