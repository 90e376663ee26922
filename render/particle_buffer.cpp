// The host's vertex sink: persistently mapped buffers that the backend writes and OpenGL reads in place.
#include "render/particle_buffer.h"

#include "render/gl_limits.h"
#include "render/gl_objects.h"
#include "render/readback.h"

#include <algorithm>
#include <array>

namespace gravlab {
namespace {

/// One mapped buffer, and the fence after the last draw that reads it.
struct Slot {
    std::unique_ptr<Buffer> buffer;
    ParticleVertex* data = nullptr;
    std::size_t capacity = 0, count = 0;
    GLsync lastUse = nullptr;

    void forgetFence() {
        if (lastUse) glDeleteSync(lastUse);
        lastUse = nullptr;
    }
    ~Slot() { forgetFence(); }
};

class HostParticleBuffer final : public ParticleBuffer {
public:
    MemorySpace space() const override { return MemorySpace::host; }

    VertexSpan open(std::size_t count, void*) override {
        Slot& slot = slots_[back_];
        if (slot.capacity < count || !slot.buffer) grow(slot, std::max<std::size_t>(count, 1));
        if (slot.lastUse) {
            // The fence is two frames old; a wait here means that the GPU is that far behind.
            passed(slot.lastUse, true);
            slot.forgetFence();
        }
        slot.count = count;
        return {slot.data, count};
    }

    void close(void*) override {
        if (front_ < slots_.size()) {  // every draw of the old front has been issued
            slots_[front_].forgetFence();
            slots_[front_].lastUse = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
        }
        front_ = back_;
        back_ = (back_ + 1) % slots_.size();
        frontChanged();
    }

    unsigned frontBuffer() const override { return front_ < slots_.size() ? slots_[front_].buffer->id() : 0; }
    std::size_t frontCount() const override { return front_ < slots_.size() ? slots_[front_].count : 0; }
    const std::string& path() const override { return path_; }

private:
    void grow(Slot& slot, std::size_t capacity) {
        // When OpenGL's memory is the host's, other code may read the buffer; see Picker.
        const GLbitfield access = GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT |
                                  (glLimits().software ? GL_MAP_READ_BIT : GLbitfield{0});
        const auto bytes = static_cast<GLsizeiptr>(capacity * sizeof(ParticleVertex));
        auto buffer = std::make_unique<Buffer>();
        glNamedBufferStorage(buffer->id(), bytes, nullptr, access);
        void* data = glMapNamedBufferRange(buffer->id(), 0, bytes, access);
        if (!data)
            throw GlError("OpenGL has no " + std::to_string(bytes >> 20) + " MiB for " + std::to_string(capacity) +
                          " vertices; try fewer bodies");
        slot.buffer = std::move(buffer);  // deleting a buffer in use is safe: OpenGL keeps it until the draw ends
        slot.data = static_cast<ParticleVertex*>(data);
        slot.capacity = capacity;
        slot.forgetFence();
    }

    // Three slots, so that the writer never opens the slot drawn last and need not wait.
    std::array<Slot, 3> slots_;
    std::size_t back_ = 0, front_ = ~std::size_t{0};
    std::string path_ = "the CPU writes the bodies straight into memory that OpenGL draws from";
};

}  // namespace

std::unique_ptr<ParticleBuffer> makeHostParticleBuffer() { return std::make_unique<HostParticleBuffer>(); }

#if !GRAVLAB_HAS_CUDA
std::unique_ptr<ParticleBuffer> makeCudaParticleBuffer(int) { return makeHostParticleBuffer(); }
#endif

}  // namespace gravlab
