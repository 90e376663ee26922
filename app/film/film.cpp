// Writers of pictures, and the meaning of -o. User text is never a format string.
#include "app/film/film.h"

#include "sim/api/errors.h"
#include "sim/io/file/atomic_file.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

namespace gravlab {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAllowed =
    "-o takes FILE.png (the last frame), FILE.mp4 (a film, also .mov, .mkv, .webm or .gif; needs ffmpeg) or DIR/%05d.png "
    "(numbered frames)";

[[noreturn]] void refuse(const std::string& text) { throw UsageError("cannot write to '" + text + "'; " + kAllowed); }

/// FILE.png: keeps the newest frame, writes at the end.
class PictureWriter final : public FilmWriter {
public:
    explicit PictureWriter(const FilmSettings& settings) : settings_(settings) { requireFolder(settings.output.path); }
    void write(std::span<const std::uint8_t> rgb) override { newest_.assign(rgb.begin(), rgb.end()); }
    void finish() override { writePng(settings_.output.path, newest_, settings_.width, settings_.height, texts); }
    bool lastFrameOnly() const override { return true; }

private:
    FilmSettings settings_;
    std::vector<std::uint8_t> newest_;
};

/// DIR/%05d.png: one file per frame; makes a missing folder. When abandoned, it removes its files, but none that replaced an
/// older file, a link or a device.
class PicturesWriter final : public FilmWriter {
public:
    explicit PicturesWriter(const FilmSettings& settings) : settings_(settings) {
        const fs::path first = settings.output.frames.name(0);
        const fs::path folder = first.parent_path();
        std::error_code error;
        if (!folder.empty() && !fs::exists(folder, error)) {
            if (!fs::create_directory(folder, error) || error)
                throw IoError("cannot make the folder " + folder.string() + " for the frames: " + error.message());
            madeFolder_ = folder;
        }
        requireFolder(first);
    }
    ~PicturesWriter() override {
        if (finished_ || (settings_.keepsPart && !discarded)) return;
        std::error_code ignored;
        for (const std::string& name : made_) fs::remove(name, ignored);
        if (!madeFolder_.empty()) fs::remove(madeFolder_, ignored);
    }
    void write(std::span<const std::uint8_t> rgb) override {
        const std::string name = settings_.output.frames.name(count_);
        std::error_code error;
        const bool isNew = !fs::exists(fs::symlink_status(name, error));
        if (settings_.held)
            writePng(staged_.add(name, {.durable = false}), rgb, settings_.width, settings_.height, texts);
        else
            writePng(name, rgb, settings_.width, settings_.height, texts, false);
        ++count_;
        if (isNew) made_.push_back(name);
    }
    void keep() override {
        settings_.held = false;
        staged_.commit();
    }
    void finish() override {
        keep();
        finished_ = true;
    }

private:
    FilmSettings settings_;
    fs::path madeFolder_;
    OutputSet staged_;
    std::int64_t count_ = 0;
    std::vector<std::string> made_;  ///< files with new names
    bool finished_ = false;
};

}  // namespace

FilmOutput parseFilmOutput(const std::string& text) {
    FilmOutput output;
    const std::optional<NumberedParts> parts = numberedParts(text);
    if (!parts) refuse(text);
    if (parts->numbered) {
        constexpr std::size_t kWidest = 9;
        const bool inFolder = parts->after.find('/') != std::string::npos;
        if (inFolder || parts->width > kWidest || (parts->width > 0 && !parts->zeros) || !parts->after.ends_with(".png"))
            refuse(text);
        output.kind = FilmOutput::Kind::pictures;
        output.frames = *parts;
        return output;
    }
    const std::string& plain = parts->before;
    output.path = plain;
    const std::string file = plain.substr(std::min(plain.size(), plain.find_last_of('/') + 1));
    if (file.size() > 4 && file.ends_with(".png"))
        output.kind = FilmOutput::Kind::picture;
    else if (std::ranges::any_of(encoders(), [&](const EncoderRow& row) { return fits(row, file); }) && file[0] != '.')
        output.kind = FilmOutput::Kind::film;
    else
        refuse(text);
    return output;
}

std::unique_ptr<FilmWriter> makeFilmWriter(const FilmSettings& settings) {
    if (settings.width < 1 || settings.height < 1)
        throw UsageError("a picture needs a width and a height of at least 1 pixel");
    if (!(settings.fps > 0) || !std::isfinite(settings.fps)) throw UsageError("--fps must be a number above 0");
    switch (settings.output.kind) {
        case FilmOutput::Kind::picture:
            return std::make_unique<PictureWriter>(settings);
        case FilmOutput::Kind::pictures:
            return std::make_unique<PicturesWriter>(settings);
        case FilmOutput::Kind::film:
            break;
    }
    return makeEncodedWriter(settings);
}

}  // namespace gravlab
