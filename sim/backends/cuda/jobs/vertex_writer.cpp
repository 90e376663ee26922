// The two paths of vertices to a sink: device memory and pinned memory.
#include "sim/backends/cuda/jobs/vertex_writer.h"

#include <algorithm>

namespace gravlab::cuda {

ParticleVertex* VertexWriter::open(VertexSink& sink, std::size_t count) {
    count_ = count;
    direct_ = false;
    if (sink.space() == MemorySpace::cudaDevice) {
        const VertexSpan span = sink.open(count, stream_);
        if (span.data) {
            direct_ = true;
            copying_ = 0;  // a pinned copy under way is older than this step
            return span.data;
        }
        // The sink has just lost its access to device memory and accepts host memory from now on.
    }
    if (copying_ > 0) return nullptr;
    staging_.reserve(count);
    if (!copied_) copied_.emplace();
    return staging_.device.data();
}

void VertexWriter::close(VertexSink& sink) {
    if (direct_) {
        sink.close(stream_);
        return;
    }
    staging_.toHost(count_, stream_);
    CUDA_CHECK(recordEvent(*copied_, stream_));
    copying_ = count_;
    ++hostCopies_;
}

bool VertexWriter::deliver(VertexSink& sink, bool wait) {
    if (copying_ == 0 || sink.space() != MemorySpace::host) return false;
    if (wait)
        CUDA_CHECK(waitForEvent(*copied_));
    else if (!copied_->reached())
        return false;
    const VertexSpan span = sink.open(copying_, nullptr);
    std::copy_n(staging_.host.data(), std::min(span.count, copying_), span.data);
    sink.close(nullptr);
    copying_ = 0;
    return true;
}

}  // namespace gravlab::cuda
