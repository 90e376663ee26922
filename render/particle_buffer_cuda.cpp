// The vertex sink of the CUDA backend: kernels write into OpenGL's own buffers. When CUDA and OpenGL cannot share memory, a
// copy through the host replaces this. Rule: sharing is an optimisation; every failure of it still ends in a picture.
#include "render/particle_buffer.h"

#include "render/gl_objects.h"
#if GRAVLAB_HAS_CUDA
#include "sim/backends/cuda/runtime/api.h"
#endif

#include <algorithm>
#include <array>

namespace gravlab {
#if GRAVLAB_HAS_CUDA
namespace {

using cuda::Code;

std::string rendererName() {
    const GLubyte* name = glGetString(GL_RENDERER);
    return name ? reinterpret_cast<const char*>(name) : "unknown";
}

std::string deviceName(int device) {
    cuda::DeviceFacts facts;
    if (cuda::deviceFacts(device, facts) == cuda::kSuccess) return facts.name;
    cuda::takeLastError();
    return "CUDA device " + std::to_string(device);
}

/// An OpenGL buffer registered with CUDA.
class SharedBuffer {
public:
    SharedBuffer() = default;
    ~SharedBuffer() { unregister(); }
    SharedBuffer(const SharedBuffer&) = delete;
    SharedBuffer& operator=(const SharedBuffer&) = delete;

    /// Allocates `count` vertices; the old contents are lost.
    Code reserve(std::size_t count) {
        if (resource_ && count <= capacity_) return cuda::kSuccess;
        unregister();
        glNamedBufferData(buffer_.id(), static_cast<GLsizeiptr>(count * sizeof(ParticleVertex)), nullptr, GL_DYNAMIC_COPY);
        capacity_ = count;
        const Code code = cuda::registerGlBuffer(resource_, buffer_.id());
        if (code != cuda::kSuccess) resource_ = nullptr;
        return code;
    }
    Code map(ParticleVertex** data, cuda::Stream stream) {
        Code code = cuda::mapGl(resource_, stream);
        if (code != cuda::kSuccess) return code;
        std::size_t bytes = 0;
        code = cuda::mappedPointer(reinterpret_cast<void**>(data), bytes, resource_);
        if (code != cuda::kSuccess) cuda::unmapGl(resource_, stream);
        return code;
    }
    Code unmap(cuda::Stream stream) { return cuda::unmapGl(resource_, stream); }
    void unregister() {
        if (resource_) cuda::unregisterGl(resource_);
        resource_ = nullptr;
    }
    unsigned id() const { return buffer_.id(); }

    std::size_t used = 0;  ///< vertices of the current picture

private:
    Buffer buffer_;
    cuda::GlResource resource_ = nullptr;
    std::size_t capacity_ = 0;
};

class CudaParticleBuffer final : public ParticleBuffer {
public:
    explicit CudaParticleBuffer(int device) : device_(device) {
        Code code = askOpenGl();
        for (SharedBuffer& buffer : buffers_)
            if (code == cuda::kSuccess) code = buffer.reserve(kFirstCapacity);
        if (code == cuda::kSuccess)
            path_ = sharedPath();
        else
            fallBack(code);
    }

    void copies(bool wanted) override {
        if (broken_ || wanted == (host_ != nullptr)) return;
        host_ = wanted ? makeHostParticleBuffer() : nullptr;
        hostWritten_ = false;
        path_ = wanted ? "host copy, as chosen: vertices of " + deviceName(device_) +
                             " pass through host memory once a frame, and OpenGL (" + rendererName() + ") reads them there"
                       : sharedPath();
    }

    ~CudaParticleBuffer() override {
        // CUDA may refuse in a lost context; clear that error so that later calls do not report it.
        for (SharedBuffer& buffer : buffers_) buffer.unregister();
        cuda::takeLastError();
    }

    MemorySpace space() const override { return host_ ? MemorySpace::host : MemorySpace::cudaDevice; }

    VertexSpan open(std::size_t count, void* stream) override {
        if (host_) {
            hostWritten_ = true;
            return host_->open(count, stream);
        }
        SharedBuffer& back = buffers_[back_];
        ParticleVertex* data = nullptr;
        Code code = back.reserve(std::max<std::size_t>(count, 1));
        if (code == cuda::kSuccess) code = back.map(&data, static_cast<cuda::Stream>(stream));
        if (code != cuda::kSuccess) {
            fallBack(code);
            return {};
        }
        back.used = count;
        return {data, count};
    }

    void close(void* stream) override {
        if (host_) {
            host_->close(stream);
            frontChanged();
            return;
        }
        if (const Code code = buffers_[back_].unmap(static_cast<cuda::Stream>(stream)); code != cuda::kSuccess) {
            fallBack(code);
            return;
        }
        front_ = &buffers_[back_];
        back_ = 1 - back_;
        frontChanged();
    }

    // After falling back, show the last shared picture until the first copied one is complete.
    unsigned frontBuffer() const override {
        if (hostWritten_ && host_->frontBuffer()) return host_->frontBuffer();
        return front_ ? front_->id() : 0;
    }
    std::size_t frontCount() const override {
        if (hostWritten_ && host_->frontBuffer()) return host_->frontCount();
        return front_ ? front_->used : 0;
    }
    const std::string& path() const override { return path_; }

private:
    static constexpr std::size_t kFirstCapacity = 1024;

    /// Whether OpenGL runs on this CUDA device. Registration alone does not tell: on another GPU it may succeed and copy
    /// silently.
    Code askOpenGl() const {
        std::array<int, 16> devices{};
        unsigned count = 0;
        const Code code = cuda::glDevices(count, devices.data(), static_cast<unsigned>(devices.size()));
        if (code != cuda::kSuccess) return code;
        const auto end = devices.begin() + std::min<std::ptrdiff_t>(count, static_cast<std::ptrdiff_t>(devices.size()));
        return std::find(devices.begin(), end, device_) != end ? cuda::kSuccess : cuda::kInvalidGraphicsContext;
    }

    std::string sharedPath() const {
        return "zero-copy: " + deviceName(device_) + " stores vertices straight into the buffer that OpenGL (" +
               rendererName() + ") draws";
    }

    void fallBack(Code code) {
        broken_ = true;
        cuda::takeLastError();
        for (SharedBuffer& buffer : buffers_) buffer.unregister();
        cuda::takeLastError();
        host_ = makeHostParticleBuffer();
        path_ = "host copy: " + deviceName(device_) + " cannot store into buffers of this OpenGL (" + rendererName() +
                "), so vertices pass through host memory: " + cuda::errorSentence(code);
    }

    int device_;
    std::array<SharedBuffer, 2> buffers_;
    std::size_t back_ = 0;
    const SharedBuffer* front_ = nullptr;
    std::unique_ptr<ParticleBuffer> host_;  ///< after sharing has failed, or while copies are requested
    bool hostWritten_ = false, broken_ = false;
    std::string path_;
};

}  // namespace

std::unique_ptr<ParticleBuffer> makeCudaParticleBuffer(int cudaDevice) {
    return std::make_unique<CudaParticleBuffer>(cudaDevice);
}
#endif

}  // namespace gravlab
