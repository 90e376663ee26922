// What this binary is.
#include "app/system/built_in.h"

#include "sim/backends/backend.h"

#if defined(__clang__)
#define GRAVLAB_COMPILER "Clang " __clang_version__
#else
#define GRAVLAB_COMPILER "GCC " __VERSION__
#endif

namespace gravlab {

std::string_view version() { return GRAVLAB_VERSION; }

std::string versionText() {
    std::string text = "gravlab " GRAVLAB_VERSION "\n";
    text += "compiler: " GRAVLAB_COMPILER ", " GRAVLAB_BUILD_TYPE "\n";
#if GRAVLAB_HAS_CUDA
    text += "CUDA: yes, toolkit " GRAVLAB_CUDA_VERSION ", architectures " GRAVLAB_CUDA_ARCHITECTURES ", static runtime\n";
#else
    text += "CUDA: no (this build has no CUDA backend)\n";
#endif
    text += "backends:";
    for (const BackendRow& row : backends()) text += " " + std::string(row.name);
    return text + "\n";
}

}  // namespace gravlab
