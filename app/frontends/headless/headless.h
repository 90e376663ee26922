// OpenGL without a window, through EGL: the counterpart of the window, for films, screenshots and tests. EGL stays in
// headless.cpp.
#pragma once
#include "render/gl_objects.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gravlab {

/// A current OpenGL 4.5 core context with no surface. At most one per thread.
class HeadlessContext {
public:
    /// Tries, in this order: the EGL device that is CUDA device `cudaDevice` (-1: none wanted), other hardware devices,
    /// Mesa's surfaceless platform, software devices. Throws NoDeviceError with the error of each of them.
    explicit HeadlessContext(int cudaDevice = -1);
    ~HeadlessContext();
    HeadlessContext(const HeadlessContext&) = delete;
    HeadlessContext& operator=(const HeadlessContext&) = delete;

    /// "OpenGL 4.5 ... on RENDERER (VENDOR), EGL device of CUDA device 0".
    const std::string& description() const { return description_; }

private:
    struct Egl;
    std::unique_ptr<Egl> egl_;
    std::string description_;
};

/// Whether contexts made from now on report every error of OpenGL, which glErrorCount() counts. True in debug builds; tests
/// set it.
bool& debugContexts();

/// An RGBA8 picture to draw into and to read back.
class OffscreenTarget {
public:
    /// Throws UsageError when a limit of OpenGL is exceeded, GlError where it has no memory.
    OffscreenTarget(int width, int height);
    unsigned framebuffer() const { return target_.framebuffer(); }
    int width() const { return target_.width(); }
    int height() const { return target_.height(); }

    /// Packed RGB rows, top row first. Waits for the draw.
    std::vector<std::uint8_t> read();

    /// Starts a copy of the picture; at most kInFlight may be under way. Does not wait.
    void beginRead();
    /// The oldest copy under way: packed RGB rows, top row first, valid until the next call. Waits for that copy only.
    std::span<const std::uint8_t> endRead();
    std::size_t readsUnderWay() const { return underWay_; }
    static constexpr std::size_t kInFlight = 2;

private:
    void unpack(const std::uint8_t* rgba, std::vector<std::uint8_t>& rgb) const;
    RenderTarget target_;
    std::array<Buffer, kInFlight> copies_;
    std::size_t first_ = 0, underWay_ = 0;
    std::vector<std::uint8_t> rows_;
};

/// Paces frames without a display: the next frame may be made while one is under way.
class OneFrameAhead {
public:
    OneFrameAhead() = default;
    ~OneFrameAhead();
    OneFrameAhead(const OneFrameAhead&) = delete;
    OneFrameAhead& operator=(const OneFrameAhead&) = delete;
    /// A frame was submitted. Waits for the one before it.
    void submitted();

private:
    void* last_ = nullptr;  ///< a GLsync
};

}  // namespace gravlab
