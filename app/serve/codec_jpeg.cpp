// JPEG by libjpeg-turbo. The only file that knows it.
#include "app/serve/codec.h"
#include "sim/api/errors.h"

#include <turbojpeg.h>

extern "C" const char* gravlab_open_tj();  // see third_party/late.cmake

namespace gravlab {

std::string jpegMissing() {
    const char* why = gravlab_open_tj();
    return why ? std::string("pictures for browsers need libturbojpeg, which cannot be opened (") + why +
                     "); Debian: apt install libturbojpeg0, Ubuntu: libturbojpeg"
               : std::string();
}

void encodeJpeg(const RawPicture& picture, std::string& to) {
    constexpr int kMoving = 75, kStill = 92;
    struct Jpeg {
        tjhandle handle = tjInitCompress();
        unsigned char* bytes = nullptr;
        ~Jpeg() {
            if (bytes) tjFree(bytes);
            if (handle) tjDestroy(handle);
        }
    } jpeg;
    const int width = picture.head.width, height = picture.head.height;
    unsigned long size = 0;
    int failed = -1;
    if (jpeg.handle && !picture.rgba.empty()) {
        failed = tjCompress2(jpeg.handle, picture.rgba.data(), width, 0, height, TJPF_RGBX, &jpeg.bytes, &size, TJSAMP_444,
                             kStill, TJFLAG_BOTTOMUP);
    } else if (jpeg.handle) {
        const unsigned char* y = picture.i420.data();
        const std::size_t luma = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
        const unsigned char* planes[] = {y, y + luma, y + luma + luma / 4};
        failed = tjCompressFromYUVPlanes(jpeg.handle, planes, width, nullptr, height, TJSAMP_420, &jpeg.bytes, &size,
                                         kMoving, TJFLAG_FASTDCT);
    }
    if (failed != 0) throw Error(ExitCode::io, "libturbojpeg makes no picture");
    to.append(reinterpret_cast<const char*>(jpeg.bytes), size);
}

}  // namespace gravlab
