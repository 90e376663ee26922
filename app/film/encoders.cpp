// The rows, and trials of this machine's ffmpeg.
#include "app/film/encoders.h"

#include "app/system/child_process.h"
#include "app/system/file_names.h"
#include "app/system/interrupt.h"

#include "sim/api/errors.h"
#include "sim/core/names.h"
#include "sim/core/text.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <future>
#include <initializer_list>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

namespace gravlab {
namespace {

/// Maps quality 0..100 to a scale on which less is better, from `worst` to `best`.
std::string onScale(double quality, double worst, double best) {
    return std::to_string(static_cast<int>(std::lround(worst + (best - worst) * quality / 100)));
}

std::vector<std::string> h264Words(double q) { return {"-preset", "fast", "-crf", onScale(q, 45, 10)}; }
std::vector<std::string> h265Words(double q) {
    return {"-preset", "fast", "-crf", onScale(q, 48, 12), "-tag:v", "hvc1", "-x265-params", "log-level=error"};
}
std::vector<std::string> vp9Words(double q) {
    return {"-b:v", "0", "-crf", onScale(q, 60, 12), "-deadline", "good", "-cpu-used", "4", "-row-mt", "1"};
}
std::vector<std::string> av1Words(double q) { return {"-preset", "8", "-crf", onScale(q, 63, 12)}; }
std::vector<std::string> proresWords(double q) {
    // proxy, LT, standard, HQ
    return {"-profile:v", std::to_string(std::clamp(static_cast<int>(q / 25), 0, 3)), "-vendor", "apl0"};
}
std::vector<std::string> ffv1Words(double) { return {"-level", "3", "-g", "1", "-slices", "4", "-slicecrc", "1"}; }
std::vector<std::string> nvencWords(double q) { return {"-rc", "vbr", "-b:v", "0", "-cq", onScale(q, 48, 12)}; }

std::vector<std::string> pngWords(double) { return {}; }

std::vector<std::string> gifWords(double) { return {"-loop", "0"}; }
/// One palette per frame: a common palette would need all frames in memory first. A fixed dither pattern does not flicker
/// from frame to frame.
std::string gifFilter(double q) {
    return "split[frames][seen];[seen]palettegen=stats_mode=single:max_colors=" + onScale(q, 32, 256) +
           ":reserve_transparent=0[colours];[frames][colours]paletteuse=new=1:dither=bayer:bayer_scale=" + onScale(q, 2, 5);
}

constexpr EncoderRow kEncoders[] = {
    {"h264", "plays everywhere", "libx264", "mp4 mov mkv", "yuv420p", h264Words},
    {"h265", "half the size of h264, slower", "libx265", "mp4 mov mkv", "yuv420p", h265Words},
    {"av1", "the smallest files", "libsvtav1", "mp4 webm mkv", "yuv420p", av1Words},
    {"vp9", "for web pages", "libvpx-vp9", "webm mkv mp4", "yuv420p", vp9Words},
    {"prores", "for editing: large, every frame by itself", "prores_ks", "mov mkv", "yuv422p10le", proresWords},
    {"ffv1", "every pixel as drawn, very large", "ffv1", "mkv", "bgr0", ffv1Words, true},
    {"nvenc", "h264 on an NVIDIA GPU that has an encoder", "h264_nvenc", "mp4 mov mkv", "yuv420p", nvencWords},
    {.name = "gif",
     .idea = "for slides and mails; repeats by itself: large, 256 colours, at most 50 frames/s",
     .codec = "gif",
     .extensions = "gif",
     .pixels = "pal8",
     .words = gifWords,
     .filter = gifFilter,
     .anySize = true,
     .mostFps = 50},  // delays count in hundredths of a second, and players slow down files with a delay of one
    {"png", "numbered pictures, every pixel as drawn; needs no ffmpeg", "", "png", "", pngWords, true},
};

/// The result of a call of a program.
struct Answer {
    std::string text, failure;
};

// ffmpeg replies within a tenth of a second; a sleeping disk may take some seconds.
constexpr std::chrono::seconds kAnswerTime{5};

/// Reads until the other end closes. False after a timeout or a signal.
bool readAll(int from, std::string& text) {
    const auto end = std::chrono::steady_clock::now() + kAnswerTime;
    char block[4096];
    while (std::chrono::steady_clock::now() < end && InterruptWatch::signal() == 0) {
        constexpr int kLookMilliseconds = 100;
        pollfd ready{.fd = from, .events = POLLIN, .revents = 0};
        if (::poll(&ready, 1, kLookMilliseconds) <= 0) continue;
        const ssize_t got = read(from, block, sizeof block);
        if (got == 0) return true;
        if (got > 0) text.append(block, static_cast<std::size_t>(got));
        if (got < 0 && errno != EINTR) return true;
    }
    return false;
}

/// The output of a program called with these arguments, and its exit status; `failure` says why there is no output.
struct Spoken : Answer {
    int status = 0;
};
Spoken ask(const std::vector<std::string>& words) {
    const std::string& program = words.front();
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return {{{}, program + " cannot be run: " + std::generic_category().message(errno)}};
    ChildProcess process;
    const int error = process.start(program, words, {.out = ends[1], .error = ends[1]});
    close(ends[1]);
    Spoken answer;
    if (error != 0) {
        answer.failure = program + " is not installed";
    } else {
        if (!readAll(ends[0], answer.text)) {
            process.kill();
            answer.failure = program + " does not answer";
        }
        answer.status = process.wait();
    }
    close(ends[0]);
    return answer;
}

/// The first error of ffmpeg, which causes the others, without the memory address before it.
std::string complaint(std::string_view said) {
    std::string_view line = trimmed(said.substr(0, said.find('\n')));
    if (const std::size_t bracket = line.find("] "); line.starts_with('[') && bracket != std::string_view::npos)
        line.remove_prefix(bracket + 2);
    while (line.ends_with('.')) line.remove_suffix(1);
    return printable(line);
}

/// Lets ffmpeg encode one frame to nowhere. Some encoders are compiled in but lack their driver or device.
Reason tryFrame(const EncoderRow& row, const std::string& ffmpeg) {
    std::vector<std::string> words = inputWords(ffmpeg, "256x256", "25", "/dev/zero");
    for (std::string& word : encodingWords(row, kUsualQuality)) words.push_back(std::move(word));
    for (const char* word : {"-frames:v", "1", "-f", "null", "-"}) words.emplace_back(word);
    const Spoken answer = ask(std::move(words));
    if (!answer.failure.empty()) return answer.failure;
    if (WIFEXITED(answer.status) && WEXITSTATUS(answer.status) == 0) return {};
    const std::string why = complaint(answer.text);
    return std::string(row.codec) + " does not work here" + (why.empty() ? "" : ": " + why);
}

/// The known encoders of a program; tried once per process, by threads that end by themselves.
class Trials {
public:
    std::shared_future<Reason> of(const EncoderRow& row, const std::string& ffmpeg) {
        const std::lock_guard lock(mutex_);
        Known& known = known_[ffmpeg];
        if (!known.list.valid())
            known.list = std::async(std::launch::async, [ffmpeg] {
                return ask({ffmpeg, "-hide_banner", "-v", "error", "-encoders"});
            });
        std::shared_future<Reason>& found = known.rows[row.name];
        if (!found.valid())
            found = std::async(std::launch::async, [&row, ffmpeg, list = known.list]() -> Reason {
                const Spoken& answer = list.get();
                if (!answer.failure.empty()) return answer.failure;
                if (answer.text.find(" " + std::string(row.codec) + " ") == std::string::npos)
                    return "the " + ffmpeg + " here was built without " + std::string(row.codec);
                return tryFrame(row, ffmpeg);
            });
        return found;
    }

private:
    struct Known {
        std::shared_future<Spoken> list;
        std::map<std::string_view, std::shared_future<Reason>> rows;
    };
    std::mutex mutex_;
    std::map<std::string, Known> known_;
};

Trials& trials() {
    static Trials all;
    return all;
}

std::string extensionOf(std::string_view file) {
    const std::size_t dot = file.rfind('.');
    return dot == std::string_view::npos ? std::string() : std::string(file.substr(dot + 1));
}

}  // namespace

std::span<const EncoderRow> encoders() { return kEncoders; }

const EncoderRow& encoder(std::string_view name) { return findRow(encoders(), "encoder", name); }

bool fits(const EncoderRow& row, std::string_view file) {
    const std::string extension = extensionOf(file);
    return !extension.empty() && (" " + std::string(row.extensions) + " ").find(" " + extension + " ") != std::string::npos;
}

std::vector<std::string> inputWords(const std::string& ffmpeg, const std::string& size, const std::string& fps,
                                    const std::string& from) {
    return {ffmpeg,  "-hide_banner", "-nostdin", "-nostats",   "-v", "error", "-f", "rawvideo", "-pixel_format",
            "rgb24", "-video_size",  size,       "-framerate", fps,  "-i",    from, "-an"};
}

std::vector<std::string> encodingWords(const EncoderRow& row, double quality) {
    std::vector<std::string> words;
    const auto add = [&words](std::initializer_list<std::string> more) { words.insert(words.end(), more); };
    // Name bt709 twice, for the conversion and for the player: otherwise HD players show wrong colours.
    if (row.filter)
        add({"-vf", row.filter(quality)});
    else if (row.lossless)
        add({"-vf", "format=" + std::string(row.pixels)});
    else
        add({"-vf", "scale=out_color_matrix=bt709:out_range=tv,format=" + std::string(row.pixels), "-colorspace", "bt709",
             "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv"});
    add({"-c:v", std::string(row.codec)});
    for (std::string& word : row.words(quality)) words.push_back(std::move(word));
    return words;
}

Reason unavailable(const EncoderRow& row, const std::string& ffmpeg) {
    return row.codec.empty() ? Reason() : trials().of(row, ffmpeg).get();
}

std::optional<Reason> triedEncoder(const EncoderRow& row, const std::string& ffmpeg) {
    if (row.codec.empty()) return Reason();
    std::optional<Reason> found;
    for (const EncoderRow& one : kEncoders) {
        if (one.codec.empty()) continue;
        const std::shared_future<Reason> trial = trials().of(one, ffmpeg);
        if (&one == &row && trial.wait_for(std::chrono::seconds(0)) == std::future_status::ready) found = trial.get();
    }
    return found;
}

const EncoderRow& encoderFor(std::string_view file) {
    for (const EncoderRow& row : kEncoders)
        if (fits(row, file)) return row;
    throw UsageError("no encoder writes '" + std::string(file) + "'; films are .mp4, .mov, .mkv, .webm or .gif");
}

const EncoderRow& encoderFor(std::string_view file, std::string_view name, double quality) {
    const EncoderRow& row = name.empty() ? encoderFor(file) : encoder(name);
    if (!fits(row, file))
        throw UsageError("encoder " + std::string(row.name) + " does not write '" + std::string(file) +
                         "'; its files end in: " + std::string(row.extensions));
    if (row.lossless && quality >= 0)
        throw UsageError("--quality does not apply: " + std::string(row.name) + " keeps every pixel as it is");
    return row;
}

const EncoderRow& encoderHere(std::string_view file, std::string_view name, const std::string& ffmpeg) {
    const EncoderRow& first = encoderFor(file, name, -1);
    const Reason why = unavailable(first, ffmpeg);
    InterruptWatch::check();
    if (why.empty()) return first;
    std::string others;
    for (const EncoderRow& row : kEncoders)
        if (unavailable(row, ffmpeg).empty()) {
            if (name.empty() && fits(row, file)) return row;
            addTo(others, row.name);
        }
    throw IoError("cannot encode " + std::string(file) + " with " + std::string(first.name) + ", because " + why +
                  "; what works here: " + others + (others == "png" ? " (-o DIR/%05d.png)" : ""));
}

std::string filmName(const std::string& scene, const EncoderRow& row) {
    const std::string start = "gravlab-" + plainName(scene);
    if (row.codec.empty()) return timedName(start, "") + "/%05d.png";
    return timedName(start, "." + std::string(row.extensions.substr(0, row.extensions.find(' '))));
}

const EncoderRow* workingEncoder(const std::string& ffmpeg) {
    for (const EncoderRow& row : kEncoders) {
        const std::optional<Reason> why = triedEncoder(row, ffmpeg);
        if (!why) return nullptr;
        if (why->empty()) return &row;
    }
    return nullptr;
}

}  // namespace gravlab
