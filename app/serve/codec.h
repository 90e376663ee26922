// Encoders of pictures: rows of a table, each of which is tried by opening it.
#pragma once
#include "app/serve/hub.h"

#include <memory>
#include <string>

namespace gravlab {

class VideoEncoder {
public:
    virtual ~VideoEncoder() = default;
    /// Appends the coded picture; head has key and layer afterwards. `key`: it must need no earlier one. Throws Error.
    virtual void encode(RawPicture& picture, bool key, PictureHead& head, std::string& to) = 0;
    /// [bit/s], not above that of the beginning.
    virtual void setBitRate(int bitRate) = 0;
};
/// `bitRate`: [bit/s]. Null where no encoder of video opens; `why` is the reason.
std::unique_ptr<VideoEncoder> openVideo(int width, int height, double fps, int bitRate, std::string& why);

class VideoDecoder {
public:
    virtual ~VideoDecoder() = default;
    /// Decodes one picture into planes; false where it gives none.
    virtual bool decode(std::string_view coded, RawPicture& to) = 0;
};
std::unique_ptr<VideoDecoder> openDecoder();

/// Why no JPEG can be made here; empty: it can.
std::string jpegMissing();
/// Appends the picture as JPEG: from its planes, or a still from its pixels in full colour.
void encodeJpeg(const RawPicture& picture, std::string& to);

}  // namespace gravlab
