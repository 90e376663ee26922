// What the writers of films share. Rule: whatever can be known to fail is known before the first frame is computed.
#pragma once
#include "app/film/film.h"

#include <filesystem>
#include <memory>

namespace gravlab {

/// Throws IoError unless the file's folder is there and may be written.
void checkFolder(const std::filesystem::path& file);

/// A film through an ffmpeg process, which starts at once. Throws UsageError or IoError.
std::unique_ptr<FilmWriter> makeEncodedWriter(const FilmSettings& settings);

}  // namespace gravlab
