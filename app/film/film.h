// Frames to files: one picture, numbered pictures, or a film through ffmpeg.
// Rule: what is written is complete or not there; a writer that is destroyed before finish() takes everything back, unless
// it was told to keep a part.
#pragma once
#include "app/film/encoders.h"
#include "app/system/numbered_name.h"
#include "app/system/picture.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace gravlab {

/// What -o asks for.
struct FilmOutput {
    enum class Kind { picture, pictures, film } kind = Kind::picture;
    std::string path;      ///< picture, film: the file
    NumberedParts frames;  ///< pictures: their names
};

/// Understands FILE.png, FILE.mp4 (or .mov, .mkv, .webm, .gif) and DIR/%05d.png (one %d or %0Nd, N up to 9, in the last part
/// of the path; %% is a percent sign). Anything else throws UsageError saying what is allowed.
FilmOutput parseFilmOutput(const std::string& text);

struct FilmSettings {
    FilmOutput output;
    int width = 0, height = 0;
    double fps = 60;
    std::string ffmpeg = "ffmpeg";  ///< program, searched in PATH
    std::string encoder{};          ///< row of encoders(); empty: the first that fits the file
    double quality = -1;            ///< 0 to 100; below 0: the usual one
    /// A film that ends early, because the encoder died or nobody called finish(), stays as far as it went, and plays.
    /// Else it is taken back.
    bool keepsPart = false;
    /// Numbered pictures replace nothing until keep() says that what they show is right.
    bool held = false;
};

/// Takes frames of packed RGB rows, top row first.
class FilmWriter {
public:
    virtual ~FilmWriter() = default;
    /// Throws IoError; a dead encoder is reported with the end of what it said.
    virtual void write(std::span<const std::uint8_t> rgb) = 0;
    /// What was written so far is right: pictures that were held go to their places. Throws IoError.
    virtual void keep() {}
    /// Puts the result in its place. Throws IoError. Waits for the encoder.
    virtual void finish() = 0;
    /// Carried by pictures (mp4 drops it). Set before the first write.
    PictureTexts texts;
    /// Set before it goes: then a part is not kept either.
    bool discarded = false;
    /// True when only the last frame is kept, so that the others need not be drawn.
    virtual bool lastFrameOnly() const { return false; }
};

/// Checks everything that can be checked before the first frame: folder, size, encoder. Throws UsageError (odd sizes for
/// mp4, an fps that is none) or IoError.
std::unique_ptr<FilmWriter> makeFilmWriter(const FilmSettings& settings);

}  // namespace gravlab
