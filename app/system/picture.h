// Pictures on the host and as PNG files that contain their settings. libpng stays in picture.cpp.
#pragma once
#include "sim/io/file/byte_sink.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// Packed RGB rows, 8 bits, top row first, and the texts of the file (PNG text chunks: keyword and text).
struct Picture {
    int width = 0, height = 0;
    std::vector<std::uint8_t> rgb;
    std::map<std::string, std::string> texts;
};

using PictureTexts = std::map<std::string, std::string>;

/// Writes a PNG. Throws IoError.
void writePng(ByteSink& file, std::span<const std::uint8_t> rgb, int width, int height, const PictureTexts& texts = {});
/// The same as a file, all or nothing (see AtomicFile). `durable`: waits for the disk. Throws IoError.
void writePng(const std::string& path, std::span<const std::uint8_t> rgb, int width, int height,
              const PictureTexts& texts = {}, bool durable = true);

/// Throws InputError when the file cannot be opened or is not a PNG, IoError when reading fails.
Picture readPng(const std::string& path);
/// The same from memory; `name` is for messages. Throws InputError.
Picture decodePng(std::string_view bytes, const std::string& name);
/// Reads only the texts before the pixels, where writePng() puts all of them. Throws like readPng().
PictureTexts readPngTexts(const std::string& path);

}  // namespace gravlab
