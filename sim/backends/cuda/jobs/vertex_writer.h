// Hands complete steps to a vertex sink: directly into its device memory, or by a pinned copy where it has none.
// Rule: no call of a frame waits; a later call delivers the copy of a step.
#pragma once
#include "sim/backends/cuda/runtime/memory.h"
#include "sim/core/vertex.h"

#include <optional>

namespace gravlab::cuda {

class VertexWriter {
public:
    explicit VertexWriter(Stream stream) : stream_(stream) {}

    /// Device memory for `count` vertices, which work enqueued on the stream before close() must write. Null when the last
    /// copy is still under way: this step is not shown then.
    ParticleVertex* open(VertexSink& sink, std::size_t count);
    /// Ends open() once the vertices are enqueued: the sink has them in stream order, or a later deliver() hands them over.
    void close(VertexSink& sink);
    /// Gives the memory back when nothing was enqueued after open().
    void abandon(VertexSink& sink) {
        if (direct_) sink.close(stream_);
    }
    /// Hands over the copy under way, if it has arrived, or waits for it. Returns true when the sink got it.
    bool deliver(VertexSink& sink, bool wait);
    /// Forgets the copy under way, for a change of bodies.
    void forget() { copying_ = 0; }
    /// Body-sized copies to the host so far.
    double hostCopies() const { return hostCopies_; }

private:
    Stream stream_;
    bool direct_ = false;
    std::size_t count_ = 0;
    std::size_t copying_ = 0;  ///< vertices of the copy under way
    Copied<ParticleVertex> staging_;
    std::optional<OwnedEvent> copied_;
    double hostCopies_ = 0;
};

}  // namespace gravlab::cuda
