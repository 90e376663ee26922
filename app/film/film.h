// Frames to files: one picture, numbered pictures, or a film through ffmpeg. Rule: a file is complete or does not exist; a
// writer destroyed before finish() removes everything, unless it is set to keep a partial film.
#pragma once
#include "app/film/encoders.h"
#include "app/system/file_names.h"
#include "app/system/picture.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace gravlab {

/// The meaning of -o.
struct FilmOutput {
    enum class Kind { picture, pictures, film } kind = Kind::picture;
    std::string path;      ///< picture, film: the file
    NumberedParts frames;  ///< pictures: the pattern of their names
};

/// Parses FILE.png, FILE.mp4 (or .mov, .mkv, .webm, .gif) and DIR/%05d.png: one %d or %0Nd, N up to 9, in the last component
/// of the path. %% is a percent sign. Throws UsageError, with what is allowed, for other texts.
FilmOutput parseFilmOutput(const std::string& text);

struct FilmSettings {
    FilmOutput output{};
    int width = 0, height = 0;
    double fps = 60;
    std::string ffmpeg = "ffmpeg";  ///< program, searched in PATH
    std::string encoder{};          ///< row of encoders(); empty: the first for the file
    double quality = -1;            ///< 0 to 100; below 0: the default
    /// Keep a film that ends early, because the encoder died or finish() was not called, up to that point and playable.
    /// Otherwise it is removed.
    bool keepsPart = false;
    /// Numbered pictures replace no file until keep() confirms that they are right.
    bool held = false;
};

/// Receives frames of packed RGB rows, top row first.
class FilmWriter {
public:
    virtual ~FilmWriter() = default;
    /// Throws IoError; the error of a dead encoder includes the end of its output.
    virtual void write(std::span<const std::uint8_t> rgb) = 0;
    /// Confirms the frames so far: held pictures replace their targets. Throws IoError.
    virtual void keep() {}
    /// Moves the result into place. Throws IoError. Waits for the encoder.
    virtual void finish() = 0;
    /// Texts stored in pictures (mp4 drops them). Set them before the first write.
    PictureTexts texts;
    /// Set it before destruction, on any thread: then no partial film is kept, and no write waits for the encoder.
    std::atomic<bool> discarded = false;
    /// True when only the last frame is kept, so that the others need not be drawn.
    virtual bool lastFrameOnly() const { return false; }
};

/// Checks everything possible before the first frame: folder, size, encoder. Throws UsageError (odd sizes for mp4, an
/// invalid fps) or IoError.
std::unique_ptr<FilmWriter> makeFilmWriter(const FilmSettings& settings);

/// A film through an ffmpeg process, which starts at once. Throws UsageError or IoError.
std::unique_ptr<FilmWriter> makeEncodedWriter(const FilmSettings& settings);

}  // namespace gravlab
