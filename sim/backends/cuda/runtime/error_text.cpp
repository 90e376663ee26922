// Meaning of CUDA's error codes for a user. Rule: one sentence gives cause and fix.
#include "sim/api/errors.h"
#include "sim/backends/cuda/runtime/api.h"

#include <cstring>

namespace gravlab::cuda {
namespace {

struct Meaning {
    Code code;
    bool endsContext;
    const char* sentence;
};

constexpr Meaning kMeanings[] = {
    {2, false, "the GPU has not enough free memory; use fewer bodies or close other programs that use the GPU"},
    {4, true, "the CUDA driver is shutting down; start the program again"},
    {9, false, "the launch asks for more threads or shared memory than the device has; choose a smaller block"},
    {35, false,
     "the NVIDIA driver is missing or too old for this build; install a newer one (525 or later for CUDA 12, 580 or later "
     "for CUDA 13)"},
    {46, false,
     "the GPU is in use by another program in exclusive mode, or unavailable; close that program, or choose another GPU "
     "with --device"},
    {98, false, "this build holds no such kernel; build it again"},
    {100, false, "the driver sees no GPU that CUDA can use; check nvidia-smi and CUDA_VISIBLE_DEVICES"},
    {101, false, "there is no GPU of that index; see 'gravlab list devices'"},
    {209, false,
     "this build holds no code for this GPU; build again with -DCMAKE_CUDA_ARCHITECTURES set to its architecture"},
    {219, false, "the OpenGL context cannot share memory with CUDA; run OpenGL on the NVIDIA GPU"},
    {222, false, "the driver is too old for this build's intermediate code; install a newer driver"},
    {304, false,
     "the operating system refused to share memory between OpenGL and CUDA, as when OpenGL runs on another GPU or in "
     "software; run OpenGL on the GPU that computes"},
    {700, true, "a kernel touched memory outside its arrays, which is a defect; start again and please report it"},
    {701, false, "the launch needs more registers than the device has for that block; choose a smaller block"},
    {702, true,
     "a kernel ran longer than the display driver allows; start again with fewer bodies, or compute on a GPU without a "
     "display"},
    {716, true, "a kernel touched a misaligned address, which is a defect; start again and please report it"},
    {719, true, "a kernel failed; start again, and look for hardware errors with nvidia-smi if it comes back"},
    {802, false, "the GPU's interconnect is not ready; wait for the fabric manager service"},
    {803, false, "driver and kernel module have different versions; restart the machine after the driver update"},
    {804, false, "the driver's compatibility package does not support this GPU; update the driver itself"},
    {999, true,
     "the driver reports an unknown error, as after a suspend or under WSL2 with OpenGL; start again, or restart the "
     "machine"},
};

const Meaning* meaningOf(Code code) {
    for (const Meaning& meaning : kMeanings)
        if (meaning.code == code) return &meaning;
    return nullptr;
}

}  // namespace

std::string errorSentence(Code code) {
    const Meaning* meaning = meaningOf(code);
    return std::string(meaning ? meaning->sentence : "an unexpected CUDA error; please report it") + " (CUDA error " +
           std::to_string(code) + ", " + errorName(code) + ")";
}

bool endsContext(Code code) {
    const Meaning* meaning = meaningOf(code);
    // 710 to 720 are the faults of a running kernel.
    return (meaning && meaning->endsContext) || (code >= 710 && code <= 720);
}

void check(Code code, const char* expression, const char* file, int line) {
    if (code == kSuccess) return;
    takeLastError();
    const char* slash = std::strrchr(file, '/');
    const std::string text =
        errorSentence(code) + " in " + expression + " at " + (slash ? slash + 1 : file) + ":" + std::to_string(line);
    if (code == kOutOfMemory) throw OutOfMemoryError(text);
    throw DeviceError(text);
}

}  // namespace gravlab::cuda
