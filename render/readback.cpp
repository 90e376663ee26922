#include "render/readback.h"

#include "render/gl_limits.h"

namespace gravlab {

bool passed(GLsync fence, bool wait) {
    constexpr GLuint64 kSecond = 1'000'000'000;  // [ns]
    GLenum done = GL_TIMEOUT_EXPIRED;
    // A hundred million bodies take software OpenGL many seconds. In a lost context the wait ends with GL_WAIT_FAILED.
    do {
        done = glClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, wait ? kSecond : 0);
    } while (wait && done == GL_TIMEOUT_EXPIRED);
    return done == GL_ALREADY_SIGNALED || done == GL_CONDITION_SATISFIED;
}

Readback::Readback(std::size_t bytes, bool hostSide) {
    allocate(buffer_, bytes, nullptr, GL_DYNAMIC_STORAGE_BIT | (hostSide ? GL_CLIENT_STORAGE_BIT | GL_MAP_READ_BIT : 0),
             "an answer");
}

Readback::~Readback() {
    if (fence_) glDeleteSync(fence_);
}

void Readback::sent() {
    if (fence_) glDeleteSync(fence_);
    fence_ = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
}

bool Readback::arrived(bool wait) {
    if (!fence_ || !passed(fence_, wait)) return false;
    glDeleteSync(fence_);
    fence_ = nullptr;
    return true;
}

void Readback::write(const void* data, std::size_t bytes) {
    glNamedBufferSubData(buffer_.id(), 0, static_cast<GLsizeiptr>(bytes), data);
}

void Readback::copy(std::size_t from, std::size_t bytes, void* to) const {
    glGetNamedBufferSubData(buffer_.id(), static_cast<GLintptr>(from), static_cast<GLsizeiptr>(bytes), to);
}

}  // namespace gravlab
