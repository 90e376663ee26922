// The two ways of a vertex into a picture.
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
            copying_ = 0;  // what went the other way until now is old
            return span.data;
        }
        // The sink lost its way into device memory just now and takes host memory from here on.
    }
    if (copying_ > 0) return nullptr;
    if (staging_.size() < count) {
        staging_ = DeviceArray<ParticleVertex>(count);
        pinned_ = PinnedArray<ParticleVertex>(count);
    }
    if (!copied_) copied_.emplace();
    return staging_.data();
}

void VertexWriter::close(VertexSink& sink) {
    if (direct_) {
        sink.close(stream_);
        return;
    }
    CUDA_CHECK(copyAsync(pinned_.data(), staging_.data(), count_ * sizeof(ParticleVertex), Copy::toHost, stream_));
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
    std::copy_n(pinned_.data(), std::min(span.count, copying_), span.data);
    sink.close(nullptr);
    copying_ = 0;
    return true;
}

}  // namespace gravlab::cuda
