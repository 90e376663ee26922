// Functions for the writers of films. Rule: detect every possible failure before the first frame is computed.
#pragma once
#include "app/film/film.h"

#include <memory>

namespace gravlab {

/// A film through an ffmpeg process, which starts at once. Throws UsageError or IoError.
std::unique_ptr<FilmWriter> makeEncodedWriter(const FilmSettings& settings);

}  // namespace gravlab
