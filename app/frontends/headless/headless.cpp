// The only file that knows EGL. A context needs no surface: everything is drawn into framebuffer objects.
#include "app/frontends/headless/headless.h"
#include "app/tables/format.h"

#include "render/gl_limits.h"
#include "sim/api/errors.h"

#define EGL_NO_X11
#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <cstring>
#include <string_view>

extern "C" const char* gravlab_open_egl();  // see third_party/late.cmake

namespace gravlab {
namespace {

bool contains(const char* extensions, std::string_view name) {
    std::string_view rest = extensions ? extensions : "";
    while (!rest.empty()) {
        const std::size_t space = rest.find(' ');
        if (rest.substr(0, space) == name) return true;
        rest = space == std::string_view::npos ? std::string_view{} : rest.substr(space + 1);
    }
    return false;
}

template <class Function>
Function procedure(const char* name) {
    return reinterpret_cast<Function>(eglGetProcAddress(name));
}

/// One way to open a display, in the order of preference.
struct Candidate {
    EGLenum platform;
    void* native;
    std::string name;
};

struct Devices {
    std::vector<Candidate> matching, hardware, software;
};

Devices listDevices(const char* clientExtensions, int cudaDevice) {
    Devices found;
    const auto queryDevices = procedure<PFNEGLQUERYDEVICESEXTPROC>("eglQueryDevicesEXT");
    const auto queryString = procedure<PFNEGLQUERYDEVICESTRINGEXTPROC>("eglQueryDeviceStringEXT");
    const auto queryAttribute = procedure<PFNEGLQUERYDEVICEATTRIBEXTPROC>("eglQueryDeviceAttribEXT");
    if (!contains(clientExtensions, "EGL_EXT_platform_device") || !queryDevices || !queryString || !queryAttribute)
        return found;
    EGLint count = 0;
    if (!queryDevices(0, nullptr, &count) || count <= 0) return found;
    std::vector<EGLDeviceEXT> devices(static_cast<std::size_t>(count));
    if (!queryDevices(count, devices.data(), &count)) return found;
    devices.resize(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < devices.size(); ++i) {
        const char* extensions = queryString(devices[i], EGL_EXTENSIONS);
        EGLAttrib cuda = -1;
        const bool hasCuda =
            contains(extensions, "EGL_NV_device_cuda") && queryAttribute(devices[i], EGL_CUDA_DEVICE_NV, &cuda) == EGL_TRUE;
        Candidate candidate{EGL_PLATFORM_DEVICE_EXT, devices[i], "EGL device " + std::to_string(i)};
        if (hasCuda) candidate.name += ", CUDA device " + std::to_string(cuda);
        if (contains(extensions, "EGL_MESA_device_software")) {
            candidate.name += " (software)";
            found.software.push_back(candidate);
        } else if (hasCuda && cuda == cudaDevice) {
            found.matching.push_back(candidate);
        } else {
            found.hardware.push_back(candidate);
        }
    }
    return found;
}

std::vector<Candidate> candidates(const char* clientExtensions, int cudaDevice) {
    Devices devices = listDevices(clientExtensions, cudaDevice);
    std::vector<Candidate> all = std::move(devices.matching);
    all.insert(all.end(), devices.hardware.begin(), devices.hardware.end());
    if (contains(clientExtensions, "EGL_MESA_platform_surfaceless"))
        all.push_back({EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, "Mesa surfaceless"});
    all.insert(all.end(), devices.software.begin(), devices.software.end());
    return all;
}

std::string hexCode() { return formatted("0x%04x", static_cast<unsigned>(eglGetError())); }

}  // namespace

struct HeadlessContext::Egl {
    EGLDisplay display = EGL_NO_DISPLAY;
    EGLContext context = EGL_NO_CONTEXT;

    /// Returns an empty text on success, else the error. Leaves nothing behind on failure.
    std::string open(const Candidate& candidate) {
        const auto platformDisplay = procedure<PFNEGLGETPLATFORMDISPLAYEXTPROC>("eglGetPlatformDisplayEXT");
        display = platformDisplay ? platformDisplay(candidate.platform, candidate.native, nullptr) : EGL_NO_DISPLAY;
        if (display == EGL_NO_DISPLAY) return "no display (" + hexCode() + ")";
        EGLint major = 0, minor = 0;
        if (!eglInitialize(display, &major, &minor)) {
            display = EGL_NO_DISPLAY;
            return "does not start (" + hexCode() + ")";
        }
        std::string problem = createContext();
        if (!problem.empty()) close();
        return problem;
    }

    std::string createContext() {
        if (!contains(eglQueryString(display, EGL_EXTENSIONS), "EGL_KHR_surfaceless_context"))
            return "cannot draw without a surface (EGL_KHR_surfaceless_context is missing)";
        if (!eglBindAPI(EGL_OPENGL_API)) return "has no desktop OpenGL";
        const EGLint configWanted[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
        EGLConfig config = nullptr;
        EGLint configs = 0;
        if (!eglChooseConfig(display, configWanted, &config, 1, &configs) || configs < 1)
            config = nullptr;  // EGL_NO_CONFIG_KHR
        // With it glGetGraphicsResetStatus reports a reset. Where it is missing, a context without it is made.
        for (const bool robust : {true, false}) {
            context = newContext(config, robust);
            if (context != EGL_NO_CONTEXT) break;
        }
        if (context == EGL_NO_CONTEXT) return "has no OpenGL 4.5 core context (" + hexCode() + ")";
        if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
            return "its context cannot be used (" + hexCode() + ")";
        if (!gladLoadGL(reinterpret_cast<GLADloadfunc>(eglGetProcAddress))) return "its OpenGL functions cannot be found";
        return {};
    }

    EGLContext newContext(EGLConfig config, bool robust) const {
        const EGLint debug = debugContexts() ? EGL_TRUE : EGL_FALSE;
        const EGLint wanted[] = {EGL_CONTEXT_MAJOR_VERSION,
                                 4,
                                 EGL_CONTEXT_MINOR_VERSION,
                                 5,
                                 EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                 EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                 EGL_CONTEXT_OPENGL_DEBUG,
                                 debug,
                                 robust ? EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY : EGL_NONE,
                                 EGL_LOSE_CONTEXT_ON_RESET,
                                 EGL_NONE};
        return eglCreateContext(display, config, EGL_NO_CONTEXT, wanted);
    }

    void close() {
        if (display == EGL_NO_DISPLAY) return;
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        if (context != EGL_NO_CONTEXT) eglDestroyContext(display, context);
        context = EGL_NO_CONTEXT;
        // This does not call eglTerminate: EGL counts displays, not users, and another context of this process may share
        // this one.
        display = EGL_NO_DISPLAY;
    }

    ~Egl() { close(); }
};

bool& debugContexts() {
#ifdef NDEBUG
    static bool wanted = false;
#else
    static bool wanted = true;
#endif
    return wanted;
}

HeadlessContext::HeadlessContext(int cudaDevice) : egl_(std::make_unique<Egl>()) {
    constexpr char kInstall[] =
        "Install a graphics driver, or Mesa for software rendering (Debian, Ubuntu: apt install libegl1 libgl1-mesa-dri)";
    if (const char* why = gravlab_open_egl())
        throw NoDeviceError(std::string("pictures need EGL, which cannot be opened (") + why + "). " + kInstall);
    const char* extensions = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    std::string tried;
    for (const Candidate& candidate : candidates(extensions, cudaDevice)) {
        const std::string problem = egl_->open(candidate);
        if (problem.empty()) {
            const auto text = [](GLenum name) {
                const GLubyte* known = glGetString(name);
                return std::string(known ? reinterpret_cast<const char*>(known) : "?");
            };
            description_ =
                "OpenGL " + text(GL_VERSION) + " on " + text(GL_RENDERER) + " (" + text(GL_VENDOR) + "), " + candidate.name;
            watchGlErrors();
            readGlLimits();
            return;
        }
        tried += (tried.empty() ? ": " : "; ") + candidate.name + " " + problem;
    }
    throw NoDeviceError("no OpenGL 4.5 without a window on this machine" +
                        (tried.empty() ? std::string(": EGL offers no device and no surfaceless platform") : tried) + ". " +
                        kInstall);
}

HeadlessContext::~HeadlessContext() = default;

namespace {

RenderTarget makePicture(int width, int height) {
    const int most = glLimits().pictureSide;
    if (width < 1 || height < 1 || width > most || height > most)
        throw UsageError("a picture of " + std::to_string(width) + "x" + std::to_string(height) +
                         " pixels cannot be drawn here; width and height may be 1 to " + std::to_string(most));
    if (static_cast<std::size_t>(width) * static_cast<std::size_t>(height) > glLimits().readBytes / 4)
        throw UsageError("a picture of " + std::to_string(width) + "x" + std::to_string(height) +
                         " pixels is too large for one copy from OpenGL; it may have " +
                         std::to_string(glLimits().readBytes / 4) + " pixels");
    return RenderTarget(GL_RGBA8, width, height);
}

}  // namespace

OffscreenTarget::OffscreenTarget(int width, int height) : target_(makePicture(width, height)) {
    const std::size_t bytes = std::size_t{4} * static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    for (Buffer& copy : copies_) allocate(copy, bytes, nullptr, GL_MAP_READ_BIT, "a picture");
}

void OffscreenTarget::unpack(const std::uint8_t* rgba, std::vector<std::uint8_t>& rgb) const {
    const auto width = static_cast<std::size_t>(target_.width()), height = static_cast<std::size_t>(target_.height());
    rgb.resize(3 * width * height);
    for (std::size_t y = 0; y < height; ++y) {
        const std::uint8_t* from = rgba + 4 * width * (height - 1 - y);
        std::uint8_t* to = rgb.data() + 3 * width * y;
        for (std::size_t x = 0; x < width; ++x) std::memcpy(to + 3 * x, from + 4 * x, 3);
    }
}

std::vector<std::uint8_t> OffscreenTarget::read() {
    std::vector<std::uint8_t> rgba(static_cast<std::size_t>(4) * static_cast<std::size_t>(width()) *
                                   static_cast<std::size_t>(height()));
    glGetTextureImage(target_.texture(), 0, GL_RGBA, GL_UNSIGNED_BYTE, static_cast<GLsizei>(rgba.size()), rgba.data());
    std::vector<std::uint8_t> rgb;
    unpack(rgba.data(), rgb);
    return rgb;
}

void OffscreenTarget::beginRead() {
    const std::size_t slot = (first_ + underWay_) % kInFlight;
    glBindBuffer(GL_PIXEL_PACK_BUFFER, copies_[slot].id());
    glGetTextureImage(target_.texture(), 0, GL_RGBA, GL_UNSIGNED_BYTE, 4 * width() * height(), nullptr);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    ++underWay_;
}

std::span<const std::uint8_t> OffscreenTarget::endRead() {
    const GLuint copy = copies_[first_].id();
    const auto bytes = static_cast<GLsizeiptr>(4) * width() * height();
    const void* rgba = glMapNamedBufferRange(copy, 0, bytes, GL_MAP_READ_BIT);
    if (!rgba) throw DeviceError("OpenGL did not hand back a drawn picture");
    unpack(static_cast<const std::uint8_t*>(rgba), rows_);
    glUnmapNamedBuffer(copy);
    first_ = (first_ + 1) % kInFlight;
    --underWay_;
    return rows_;
}

OneFrameAhead::~OneFrameAhead() {
    if (last_) glDeleteSync(static_cast<GLsync>(last_));
}

void OneFrameAhead::submitted() {
    constexpr GLuint64 kSecond = 1000000000;
    const GLsync mine = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    glFlush();  // a display's swap flushes too; without it a frame may stay in the driver until the next one is made
    if (const GLsync before = static_cast<GLsync>(last_)) {
        while (glClientWaitSync(before, GL_SYNC_FLUSH_COMMANDS_BIT, kSecond) == GL_TIMEOUT_EXPIRED) {
        }
        glDeleteSync(before);
    }
    last_ = mine;
}

}  // namespace gravlab
