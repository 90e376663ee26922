// Pictures on the host and as PNG files that carry their settings. libpng stays in picture.cpp.
#pragma once
#include "sim/io/file/byte_sink.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// Packed RGB rows, 8 bits, top row first, and what the file says about itself (PNG text chunks: keyword and text).
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

/// Throws InputError when the file cannot be opened or is no PNG, IoError when reading fails.
Picture readPng(const std::string& path);
/// The same of a picture that is in memory; `name` is what refusals call it. Throws InputError.
Picture decodePng(std::string_view bytes, const std::string& name);
/// What stands before its pixels only, which are not touched: where writePng() puts all texts. Throws like readPng().
PictureTexts readPngTexts(const std::string& path);

}  // namespace gravlab
