// NVTX 3, which is headers only. A toolkit without them gives ranges that nobody sees.
#include "sim/backends/profiler_range.h"

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>

namespace gravlab {
ProfilerRange::ProfilerRange(const char* name) { nvtxRangePushA(name); }
ProfilerRange::~ProfilerRange() { nvtxRangePop(); }
}  // namespace gravlab
#else
namespace gravlab {
ProfilerRange::ProfilerRange(const char*) {}
ProfilerRange::~ProfilerRange() = default;
}  // namespace gravlab
#endif
