// PNG through libpng, in memory; only the last lines of this file use files. Rule: libpng reports errors by longjmp, so no
// object with a destructor is made between setjmp and the last png_ call.
#include "app/system/picture.h"

#include "sim/api/errors.h"
#include "sim/io/file/atomic_file.h"
#include "sim/io/file/source.h"

#include <png.h>

#include <csetjmp>
#include <cstdio>
#include <cstring>

namespace gravlab {
namespace {

// Pictures of stars compress little: higher levels cost three times the time for a few percent.
constexpr int kCompression = 4;
// Size limit of one unpacked text or other chunk beside the pixels, and limit of their number.
constexpr png_alloc_size_t kMostChunkBytes = 1 << 20;
constexpr png_uint_32 kMostChunks = 64;

struct Reader {
    std::span<const std::uint8_t> file;
    std::size_t at = 0;
};

void append(png_structp png, png_bytep data, std::size_t size) {
    auto* file = static_cast<std::vector<std::uint8_t>*>(png_get_io_ptr(png));
    file->insert(file->end(), data, data + size);
}

void take(png_structp png, png_bytep data, std::size_t size) {
    auto* reader = static_cast<Reader*>(png_get_io_ptr(png));
    if (size > reader->file.size() - reader->at) png_error(png, "the file ends early");
    std::memcpy(data, reader->file.data() + reader->at, size);
    reader->at += size;
}

struct Message {
    char text[160] = "";
};

[[noreturn]] void fail(png_structp png, png_const_charp text) {
    std::snprintf(static_cast<Message*>(png_get_error_ptr(png))->text, sizeof(Message::text), "%s", text);
    longjmp(png_jmpbuf(png), 1);
}

void stayQuiet(png_structp, png_const_charp) {}

bool encode(std::vector<std::uint8_t>& file, const std::vector<png_bytep>& rows, std::vector<png_text>& texts, int width,
            Message& message) {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &message, fail, stayQuiet);
    png_infop info = png ? png_create_info_struct(png) : nullptr;
    if (!info || setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &info);
        return false;
    }
    png_set_write_fn(png, &file, append, nullptr);
    png_set_compression_level(png, kCompression);
    png_set_IHDR(png, info, static_cast<png_uint_32>(width), static_cast<png_uint_32>(rows.size()), 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    if (!texts.empty()) png_set_text(png, info, texts.data(), static_cast<int>(texts.size()));
    png_write_info(png, info);
    png_write_image(png, const_cast<png_bytepp>(rows.data()));
    png_write_end(png, nullptr);
    png_destroy_write_struct(&png, &info);
    return true;
}

/// Two calls: the first reads size and texts, the second the rows.
struct Decoder {
    png_structp png = nullptr;
    png_infop info = nullptr;
    Message message;
    ~Decoder() { png_destroy_read_struct(&png, &info, nullptr); }

    bool header(Reader& reader, png_uint_32& width, png_uint_32& height) {
        png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &message, fail, stayQuiet);
        info = png ? png_create_info_struct(png) : nullptr;
        if (!info || setjmp(png_jmpbuf(png))) return false;
        png_set_read_fn(png, &reader, take);
        // A text of settings has some kilobytes; packed ones could grow to any size, in any number.
        png_set_chunk_malloc_max(png, kMostChunkBytes);
        png_set_chunk_cache_max(png, kMostChunks);
        png_read_info(png, info);
        png_set_expand(png);
        png_set_strip_16(png);
        png_set_strip_alpha(png);
        png_set_gray_to_rgb(png);
        png_read_update_info(png, info);
        width = png_get_image_width(png, info);
        height = png_get_image_height(png, info);
        return true;
    }
    bool image(std::vector<png_bytep>& rows) {
        if (setjmp(png_jmpbuf(png))) return false;
        png_read_image(png, rows.data());
        png_read_end(png, info);
        return true;
    }
};

std::vector<png_bytep> rowPointers(std::uint8_t* rgb, int width, int height) {
    std::vector<png_bytep> rows;
    for (int y = 0; y < height; ++y) rows.push_back(rgb + static_cast<std::size_t>(3) * static_cast<std::size_t>(width * y));
    return rows;
}

}  // namespace

void writePng(ByteSink& sink, std::span<const std::uint8_t> rgb, int width, int height, const PictureTexts& texts) {
    if (width < 1 || height < 1 ||
        rgb.size() != static_cast<std::size_t>(3) * static_cast<std::size_t>(width) * static_cast<std::size_t>(height))
        throw IoError("cannot write a picture: it has no " + std::to_string(width) + "x" + std::to_string(height) +
                      " pixels");
    std::vector<png_text> chunks;
    for (const auto& [key, text] : texts) {
        png_text chunk{};
        chunk.compression = PNG_ITXT_COMPRESSION_NONE;  // UTF-8
        chunk.key = const_cast<char*>(key.c_str());
        chunk.text = const_cast<char*>(text.c_str());
        chunk.itxt_length = text.size();
        chunks.push_back(chunk);
    }
    std::vector<std::uint8_t> file;
    Message message;
    // libpng only reads through these pointers.
    if (!encode(file, rowPointers(const_cast<std::uint8_t*>(rgb.data()), width, height), chunks, width, message))
        throw IoError(std::string("cannot write a picture: libpng says: ") + message.text);
    sink.write(file.data(), file.size());
}

void writePng(const std::string& path, std::span<const std::uint8_t> rgb, int width, int height, const PictureTexts& texts,
              bool durable) {
    AtomicFile file(path, {.durable = durable});
    writePng(file, rgb, width, height, texts);
    file.commit();
}

namespace {

std::vector<std::uint8_t> bytesOf(const std::string& path) {
    constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
    Source source = Source::open(path);
    source.hold();
    if (source.size().value_or(0) > kMostBytes) throw InputError(path + " is larger than 1 GiB, which no picture is");
    std::vector<std::uint8_t> file(static_cast<std::size_t>(source.size().value_or(0)));
    file.resize(source.read(file.data(), file.size()));
    return file;
}

/// Bytes with the signature of a picture, and their decoder after the header. `path`: the name in messages.
struct Opened {
    std::span<const std::uint8_t> file;
    Reader reader{file};
    Decoder decoder;
    png_uint_32 width = 0, height = 0;

    Opened(std::span<const std::uint8_t> bytes, const std::string& path) : file(bytes) {
        checkLengths(path);
        if (!decoder.header(reader, width, height))
            throw InputError(path + " is no usable PNG picture: " + decoder.message.text);
    }
    /// libpng allocates as much memory as a chunk claims to need. Check all chunks before the pixels, which it reads row by
    /// row.
    void checkLengths(const std::string& path) const {
        constexpr std::size_t kSignature = 8, kFrame = 12;  // length, name, check sum
        for (std::size_t at = kSignature; at + kFrame <= file.size();) {
            const std::size_t length = std::size_t{file[at]} << 24 | std::size_t{file[at + 1]} << 16 |
                                       std::size_t{file[at + 2]} << 8 | std::size_t{file[at + 3]};
            if (std::memcmp(&file[at + 4], "IDAT", 4) == 0) return;
            if (length > file.size() - at - kFrame)
                throw InputError(path + " is no usable PNG picture: the file ends early");
            at += length + kFrame;
        }
    }
    PictureTexts texts() const {
        PictureTexts found;
        png_textp texts = nullptr;
        const int count = png_get_text(decoder.png, decoder.info, &texts, nullptr);
        for (int i = 0; i < count; ++i) found[texts[i].key] = texts[i].text;
        return found;
    }
};

}  // namespace

namespace {

Picture decode(std::span<const std::uint8_t> bytes, const std::string& path) {
    Opened opened(bytes, path);
    // Deflate makes at most 1,032 bytes of one, so a small file cannot claim a large picture.
    constexpr std::uint64_t kMostInflation = 1032, kMostPixels = std::uint64_t{16384} * 16384;
    const std::uint64_t pixels = std::uint64_t{opened.width} * opened.height;
    if (pixels > kMostPixels || pixels / 8 > kMostInflation * opened.file.size())
        throw InputError(path + " is no usable PNG picture: it cannot hold the " + std::to_string(opened.width) + "x" +
                         std::to_string(opened.height) + " pixels that it names");
    Picture picture;
    picture.width = static_cast<int>(opened.width);
    picture.height = static_cast<int>(opened.height);
    picture.rgb.resize(static_cast<std::size_t>(3 * pixels));
    auto rows = rowPointers(picture.rgb.data(), picture.width, picture.height);
    if (!opened.decoder.image(rows)) throw InputError(path + " is no usable PNG picture: " + opened.decoder.message.text);
    picture.texts = opened.texts();
    return picture;
}

}  // namespace

Picture readPng(const std::string& path) { return decode(bytesOf(path), path); }

Picture decodePng(std::string_view bytes, const std::string& name) {
    return decode({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, name);
}

PictureTexts readPngTexts(const std::string& path) {
    const std::vector<std::uint8_t> bytes = bytesOf(path);
    return Opened(bytes, path).texts();
}

}  // namespace gravlab
