// A libcuda.so.1 as old as CUDA 11.8: as much of one as the CUDA runtime looks at before it refuses it. The test OldDriver
// starts the program with it, with and without a GPU.
#include <cstring>

namespace {

int refused() { return 3; }  // CUDA_ERROR_NOT_INITIALIZED

}  // namespace

extern "C" {

int cuInit(unsigned) { return 0; }

int cuDriverGetVersion(int* version) {
    *version = 11080;
    return 0;
}

int cuDeviceGetCount(int* count) {
    *count = 1;
    return 0;
}

int cuGetProcAddress_v2(const char* name, void** function, int, unsigned long long, void*) {
    *function = reinterpret_cast<void*>(&refused);
    if (std::strcmp(name, "cuGetProcAddress") == 0) *function = reinterpret_cast<void*>(&cuGetProcAddress_v2);
    if (std::strcmp(name, "cuInit") == 0) *function = reinterpret_cast<void*>(&cuInit);
    if (std::strcmp(name, "cuDriverGetVersion") == 0) *function = reinterpret_cast<void*>(&cuDriverGetVersion);
    if (std::strcmp(name, "cuDeviceGetCount") == 0) *function = reinterpret_cast<void*>(&cuDeviceGetCount);
    return 0;
}

int cuGetProcAddress(const char* name, void** function, int version, unsigned long long flags) {
    return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}
}
