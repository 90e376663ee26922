// The table of film encoders: the options for ffmpeg, and the encoders that this machine's ffmpeg has. Rule: an unavailable
// encoding is refused before the first frame, with the available ones.
#pragma once
#include "sim/backends/kernel.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// A row of the table. Rows that this ffmpeg lacks are listed with the reason.
struct EncoderRow {
    std::string_view name, idea;
    std::string_view codec;       ///< ffmpeg's name; empty: needs no ffmpeg
    std::string_view extensions;  ///< of possible files, separated by spaces; the first is the usual one
    std::string_view pixels;      ///< ffmpeg's pixel format
    /// Arguments before the file's name, for a quality of 0 (small) to 100 (best).
    std::vector<std::string> (*words)(double quality);
    bool lossless = false;  ///< quality does not apply, and colours stay RGB
    /// The filter of frames, unless it is just the conversion into `pixels`.
    std::string (*filter)(double quality) = nullptr;
    bool anySize = false;  ///< widths and heights may be odd
    double mostFps = 1e9;  ///< most frames per second that its files can have

    bool takesOddSizes() const { return lossless || anySize; }
};

constexpr double kUsualQuality = 80;

std::span<const EncoderRow> encoders();
/// The row with that name. Throws UsageError naming the valid ones and the nearest.
const EncoderRow& encoder(std::string_view name);
/// Whether a file of that name can hold the row's films.
bool fits(const EncoderRow& row, std::string_view file);

/// The call of ffmpeg up to its input: raw RGB frames of that size ("256x256") from a file or pipe, without sound.
std::vector<std::string> inputWords(const std::string& ffmpeg, const std::string& size, const std::string& fps,
                                    const std::string& from);
/// Arguments of ffmpeg between input and output: filter, codec and their options.
std::vector<std::string> encodingWords(const EncoderRow& row, double quality);

/// Why `ffmpeg` (a program in PATH) cannot use this encoder here; empty when it has encoded a frame. Tries once per process,
/// for some tenths of a second, five seconds without a reply, less after a signal.
Reason unavailable(const EncoderRow& row, const std::string& ffmpeg = "ffmpeg");
/// The same without waiting: empty during the trial, which the first call starts for all rows.
std::optional<Reason> triedEncoder(const EncoderRow& row, const std::string& ffmpeg = "ffmpeg");

/// The first row for a file of that name. Throws UsageError.
const EncoderRow& encoderFor(std::string_view file);
/// The row `name`, or the first row for that file when `name` is empty. Throws UsageError when file, name and quality (below
/// 0: unset) contradict each other.
const EncoderRow& encoderFor(std::string_view file, std::string_view name, double quality);
/// The same among the encoders that work here. Throws IoError listing these when the requested one does not work, Error
/// after a signal.
const EncoderRow& encoderHere(std::string_view file, std::string_view name, const std::string& ffmpeg = "ffmpeg");
/// The first encoder that works here, without waiting: null during the trial. Numbered pictures always work.
const EncoderRow* workingEncoder(const std::string& ffmpeg = "ffmpeg");

/// "gravlab-galaxy-20260131-235959.mp4" in the current folder, or a folder of numbered pictures.
std::string filmName(const std::string& scene, const EncoderRow& row);

}  // namespace gravlab
