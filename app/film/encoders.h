// The table of film encoders: what ffmpeg is asked for, and what the ffmpeg of this machine can do.
// Rule: what cannot be encoded is refused before the first frame, with what can.
#pragma once
#include "sim/backends/kernel.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// A row of the table. Rows that ffmpeg lacks here are listed with the reason.
struct EncoderRow {
    std::string_view name, idea;
    std::string_view codec;       ///< ffmpeg's name; empty: no ffmpeg is needed
    std::string_view extensions;  ///< of files it goes into, separated by spaces; the first is the usual one
    std::string_view pixels;      ///< ffmpeg's pixel format
    /// Words before the file's name, for a quality of 0 (small) to 100 (as good as it gets).
    std::vector<std::string> (*words)(double quality);
    bool lossless = false;  ///< quality does not apply, and colours stay RGB
    /// The filter of frames, where it is another than that into `pixels`.
    std::string (*filter)(double quality) = nullptr;
    bool anySize = false;  ///< widths and heights may be odd
    double mostFps = 1e9;  ///< frames a second that its files can have

    bool takesOddSizes() const { return lossless || anySize; }
};

constexpr double kUsualQuality = 80;

std::span<const EncoderRow> encoders();
/// Throws UsageError naming the valid ones and the nearest.
const EncoderRow& encoder(std::string_view name);
/// Whether the row's films go into a file of that name.
bool fits(const EncoderRow& row, std::string_view file);

/// What ffmpeg is told between input and output: filter, codec and their words.
std::vector<std::string> encodingWords(const EncoderRow& row, double quality);

/// Why `ffmpeg` (a program in PATH) cannot encode so here; empty when it can: it has encoded a frame. Tries once a process,
/// for some tenths of a second, five where it does not answer, less once a signal came.
Reason unavailable(const EncoderRow& row, const std::string& ffmpeg = "ffmpeg");
/// The same without waiting: empty while it is being tried, which the first call begins for all rows.
std::optional<Reason> triedEncoder(const EncoderRow& row, const std::string& ffmpeg = "ffmpeg");

/// The first row for a file of that name. Throws UsageError.
const EncoderRow& encoderFor(std::string_view file);
/// The row `name`, or the first for that file when it is empty. Throws UsageError when file, name or quality (below 0: not
/// given) do not go together.
const EncoderRow& encoderFor(std::string_view file, std::string_view name, double quality);
/// The same, of those that work here. Throws IoError that lists these when the one asked for does not,
/// Error once a signal came.
const EncoderRow& encoderHere(std::string_view file, std::string_view name, const std::string& ffmpeg = "ffmpeg");
/// The first that works here: numbered pictures always do.
const EncoderRow& workingEncoder(const std::string& ffmpeg = "ffmpeg");

/// "gravlab-galaxy-20260131-235959.mp4" in the current folder, or a folder of numbered pictures.
std::string filmName(const std::string& scene, const EncoderRow& row);

}  // namespace gravlab
