// The three writers. User text is never a format string and never meets a shell.
#include "app/film.h"

#include "sim/error.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

extern char** environ;

namespace gravlab {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAllowed =
    "-o takes FILE.png (the last frame), FILE.mp4 (a film, needs ffmpeg) or DIR/%05d.png (numbered frames)";

bool endsWith(const std::string& text, std::string_view end) {
    return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

[[noreturn]] void refuse(const std::string& text) { throw UsageError("cannot write to '" + text + "'; " + kAllowed); }

/// The folder must be there and writable before the first frame is computed.
void checkFolder(const fs::path& file) {
    const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
    std::error_code error;
    if (!fs::is_directory(folder, error))
        throw IoError("cannot write " + file.string() + ": there is no folder " + folder.string());
    if (access(folder.c_str(), W_OK | X_OK) != 0)
        throw IoError("cannot write " + file.string() + ": the folder does not allow it (" + std::strerror(errno) + ")");
    if (fs::is_directory(file, error)) throw IoError("cannot write " + file.string() + ": it is a folder");
}

/// FILE.png: keeps the newest frame, writes at the end.
class PictureWriter final : public FilmWriter {
public:
    explicit PictureWriter(const FilmSettings& settings) : settings_(settings) { checkFolder(settings.output.path); }
    void write(std::span<const std::uint8_t> rgb) override { newest_.assign(rgb.begin(), rgb.end()); }
    void finish() override { writePng(settings_.output.path, newest_, settings_.width, settings_.height, texts); }
    bool lastFrameOnly() const override { return true; }

private:
    FilmSettings settings_;
    std::vector<std::uint8_t> newest_;
};

/// DIR/%05d.png: one file a frame; makes the folder when it is missing.
class PicturesWriter final : public FilmWriter {
public:
    explicit PicturesWriter(const FilmSettings& settings) : settings_(settings) {
        const fs::path first = settings.output.frame(0);
        const fs::path folder = first.parent_path();
        std::error_code error;
        if (!folder.empty() && !fs::exists(folder, error)) {
            if (!fs::create_directory(folder, error) || error)
                throw IoError("cannot make the folder " + folder.string() + " for the frames: " + error.message());
            madeFolder_ = folder;
        }
        checkFolder(first);
    }
    ~PicturesWriter() override {
        if (finished_) return;
        std::error_code ignored;
        for (std::int64_t i = 0; i < count_; ++i) fs::remove(settings_.output.frame(i), ignored);
        if (!madeFolder_.empty()) fs::remove(madeFolder_, ignored);
    }
    void write(std::span<const std::uint8_t> rgb) override {
        writePng(settings_.output.frame(count_), rgb, settings_.width, settings_.height, texts);
        ++count_;
    }
    void finish() override { finished_ = true; }

private:
    FilmSettings settings_;
    fs::path madeFolder_;
    std::int64_t count_ = 0;
    bool finished_ = false;
};

/// A file descriptor that is closed once.
class Descriptor {
public:
    explicit Descriptor(int value = -1) : value_(value) {}
    ~Descriptor() { close(); }
    Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(value_, other.value_);
        return *this;
    }
    void close() {
        if (value_ >= 0) ::close(value_);
        value_ = -1;
    }
    int value() const { return value_; }

private:
    int value_;
};

/// While it lives, writing into a pipe whose reader died gives EPIPE and no signal, in this thread only.
class PipeSignalBlock {
public:
    PipeSignalBlock() {
        sigemptyset(&pipe_);
        sigaddset(&pipe_, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
    }
    ~PipeSignalBlock() {
        const timespec now{0, 0};
        if (!sigismember(&before_, SIGPIPE))
            while (sigtimedwait(&pipe_, nullptr, &now) == SIGPIPE) {
            }
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    PipeSignalBlock(const PipeSignalBlock&) = delete;
    PipeSignalBlock& operator=(const PipeSignalBlock&) = delete;

private:
    sigset_t pipe_, before_;
};

std::string decimal(double value) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    return {text, end};
}

/// FILE.mp4: an ffmpeg process that reads raw frames from a pipe and writes a hidden file beside the target.
class EncodedWriter final : public FilmWriter {
public:
    explicit EncodedWriter(const FilmSettings& settings) : settings_(settings), target_(settings.output.path) {
        if (settings.width % 2 || settings.height % 2)
            throw UsageError("a film's width and height must be even, and " + std::to_string(settings.width) + "x" +
                             std::to_string(settings.height) + " is not; use --size " +
                             std::to_string(settings.width + settings.width % 2) + "x" +
                             std::to_string(settings.height + settings.height % 2));
        checkFolder(target_);
        temporary_ = target_.parent_path() / ".";
        temporary_ += target_.filename();
        temporary_ += ".part" + std::to_string(getpid());
        start();
    }

    ~EncodedWriter() override {
        if (process_ > 0) {
            kill(process_, SIGKILL);
            waitForEnd();
        }
        std::error_code ignored;
        if (!finished_) fs::remove(temporary_, ignored);
    }

    void write(std::span<const std::uint8_t> rgb) override {
        const PipeSignalBlock noSignal;
        for (std::size_t done = 0; done < rgb.size();) {
            const ssize_t wrote = ::write(frames_.value(), rgb.data() + done, rgb.size() - done);
            if (wrote > 0)
                done += static_cast<std::size_t>(wrote);
            else if (errno != EINTR)
                fail();
        }
    }

    void finish() override {
        frames_.close();
        if (waitForEnd() != 0) fail();
        std::error_code error;
        fs::rename(temporary_, target_, error);
        if (error) throw IoError("cannot put the film in its place " + target_.string() + ": " + error.message());
        finished_ = true;
    }

private:
    std::vector<std::string> arguments() const {
        const std::string size = std::to_string(settings_.width) + "x" + std::to_string(settings_.height);
        // bt709 is named twice, for the conversion and for the player: else HD players show other colours than were drawn.
        return {settings_.ffmpeg,
                "-hide_banner",
                "-nostdin",
                "-nostats",
                "-v",
                "error",
                "-y",
                "-f",
                "rawvideo",
                "-pixel_format",
                "rgb24",
                "-video_size",
                size,
                "-framerate",
                decimal(settings_.fps),
                "-i",
                "pipe:0",
                "-an",
                "-vf",
                "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p",
                "-colorspace",
                "bt709",
                "-color_primaries",
                "bt709",
                "-color_trc",
                "bt709",
                "-color_range",
                "tv",
                "-c:v",
                "libx264",
                "-preset",
                "fast",
                "-crf",
                "17",
                "-movflags",
                "+faststart",
                "-f",
                "mp4",
                "file:" + temporary_.string()};
    }

    void start() {
        // Made by us first: a name that cannot be written is reported with the system's reason, before any work.
        Descriptor file(open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
        if (file.value() < 0) throw IoError("cannot write " + target_.string() + ": " + std::strerror(errno));
        file.close();
        try {
            spawn();
        } catch (...) {
            std::error_code ignored;
            fs::remove(temporary_, ignored);
            throw;
        }
    }

    void spawn() {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) throw IoError(std::string("cannot make a pipe to ffmpeg: ") + std::strerror(errno));
        Descriptor readEnd(ends[0]);
        frames_ = Descriptor(ends[1]);
        fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);  // fewer switches between the two processes; the default also works
        messages_ = Descriptor(open((fs::temp_directory_path()).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));

        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, readEnd.value(), 0);
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
        if (messages_.value() >= 0) posix_spawn_file_actions_adddup2(&actions, messages_.value(), 2);
        posix_spawnattr_t attributes;
        posix_spawnattr_init(&attributes);
        sigset_t none, defaults;
        sigemptyset(&none);
        sigemptyset(&defaults);
        sigaddset(&defaults, SIGPIPE);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &defaults);
        // A group of its own: Ctrl+C reaches us alone, and we end the encoder.
        posix_spawnattr_setpgroup(&attributes, 0);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);

        std::vector<std::string> words = arguments();
        std::vector<char*> argv;
        for (std::string& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        const int error = posix_spawnp(&process_, settings_.ffmpeg.c_str(), &actions, &attributes, argv.data(), environ);
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&actions);
        if (error != 0) {
            process_ = -1;
            throw IoError("cannot start " + settings_.ffmpeg + " (" + std::strerror(error) +
                          "); install ffmpeg, or write numbered pictures with -o DIR/%05d.png");
        }
    }

    /// Exit status of the encoder; 128 + n when signal n ended it.
    int waitForEnd() {
        if (process_ <= 0) return status_;
        int raw = 0;
        while (waitpid(process_, &raw, 0) < 0 && errno == EINTR) {
        }
        process_ = -1;
        status_ = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
        return status_;
    }

    [[noreturn]] void fail() {
        frames_.close();
        const int status = waitForEnd();
        std::string said;
        if (messages_.value() >= 0) {
            constexpr off_t kTail = 600;
            const off_t size = lseek(messages_.value(), 0, SEEK_END);
            char text[kTail];
            const off_t from = std::max<off_t>(0, size - kTail);
            const ssize_t got = pread(messages_.value(), text, sizeof text, from);
            if (got > 0) said.assign(text, static_cast<std::size_t>(got));
            while (!said.empty() && said.back() == '\n') said.pop_back();
        }
        throw IoError("ffmpeg stopped with status " + std::to_string(status) + " while writing " + target_.string() +
                      (said.empty() ? std::string(" and said nothing") : "; it said: " + said));
    }

    FilmSettings settings_;
    fs::path target_, temporary_;
    Descriptor frames_, messages_;
    pid_t process_ = -1;
    int status_ = 0;
    bool finished_ = false;
};

}  // namespace

std::string FilmOutput::frame(std::int64_t number) const {
    std::string figures = std::to_string(number);
    if (figures.size() < static_cast<std::size_t>(digits))
        figures.insert(0, static_cast<std::size_t>(digits) - figures.size(), '0');
    return before + figures + after;
}

FilmOutput parseFilmOutput(const std::string& text) {
    FilmOutput output;
    const std::size_t name = text.find_last_of('/') + 1;
    bool numbered = false;
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            plain += text[i];
            continue;
        }
        if (i + 1 < text.size() && text[i + 1] == '%') {
            plain += '%';
            ++i;
            continue;
        }
        std::size_t end = i + 1;
        int digits = 1;
        if (end + 1 < text.size() && text[end] == '0' && text[end + 1] >= '1' && text[end + 1] <= '9') {
            digits = text[end + 1] - '0';
            end += 2;
        }
        if (numbered || i < name || end >= text.size() || text[end] != 'd') refuse(text);
        numbered = true;
        output.digits = digits;
        output.before = std::exchange(plain, {});
        i = end;
    }
    if (numbered) {
        if (!endsWith("_" + plain, ".png")) refuse(text);
        output.kind = FilmOutput::Kind::pictures;
        output.after = plain;
        return output;
    }
    output.path = plain;
    const std::string file = plain.substr(std::min(plain.size(), plain.find_last_of('/') + 1));
    if (endsWith(file, ".png"))
        output.kind = FilmOutput::Kind::picture;
    else if (endsWith(file, ".mp4"))
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
    return std::make_unique<EncodedWriter>(settings);
}

}  // namespace gravlab
