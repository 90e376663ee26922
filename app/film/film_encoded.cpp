// Films: frames through a pipe to an ffmpeg process. User text is never a format string and never passes through a shell.
#include "app/film/film.h"

#include "app/film/encoders.h"
#include "app/system/child_process.h"
#include "app/system/descriptor.h"
#include "app/system/interrupt.h"
#include "sim/api/errors.h"
#include "sim/core/value.h"
#include "sim/io/file/atomic_file.h"
#include "sim/io/file/write_signals.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

namespace gravlab {
namespace {

namespace fs = std::filesystem;

// Longest time without progress of an encoder. The slowest ones compute for some seconds per frame, which uses processor
// time.
constexpr std::chrono::seconds kPatience{60};
constexpr int kLookMilliseconds = 200;

/// FILE.mp4 and similar: an ffmpeg process that reads raw frames from a pipe and writes the temporary of an AtomicFile.
class EncodedWriter final : public FilmWriter {
public:
    explicit EncodedWriter(const FilmSettings& settings)
        : settings_(settings),
          target_(settings.output.path),
          row_(encoderFor(settings.output.path, settings.encoder, settings.quality)) {
        if (!row_.takesOddSizes() && (settings.width % 2 || settings.height % 2))
            throw UsageError("a film's width and height must be even, and " + std::to_string(settings.width) + "x" +
                             std::to_string(settings.height) + " is not; use --size " +
                             std::to_string(settings.width + settings.width % 2) + "x" +
                             std::to_string(settings.height + settings.height % 2));
        // Open the file here first: an unwritable name is then reported with the system's reason, before any work.
        file_.emplace(target_);
        temporary_ = file_->handOver();
        spawn();
    }

    ~EncodedWriter() override {
        if (finished_) return;
        if (settings_.keepsPart && !discarded && written_ > 0) {
            frames_.close();  // the encoder finishes its frames
            waitForEnd();
            keepPart();
        }
        process_.end();
    }

    void write(std::span<const std::uint8_t> rgb) override {
        const WriteSignalsHeld noSignal;
        for (std::size_t done = 0; done < rgb.size();) {
            awaitRoom();
            const ssize_t wrote = ::write(frames_, rgb.data() + done, rgb.size() - done);
            if (wrote > 0)
                done += static_cast<std::size_t>(wrote);
            else if (errno != EINTR && errno != EAGAIN)
                fail();
        }
        ++written_;
    }

    void finish() override {
        frames_.close();
        const int status = waitForEnd();
        InterruptWatch::check();
        if (status != 0) fail();
        std::error_code error;
        if (written_ > 0 && fs::is_regular_file(temporary_, error) && fs::file_size(temporary_, error) == 0 && !error)
            fail();
        file_->commit();
        finished_ = true;
    }

private:
    std::vector<std::string> arguments() const {
        const std::string size = std::to_string(settings_.width) + "x" + std::to_string(settings_.height);
        std::vector<std::string> words = inputWords(settings_.ffmpeg, size, shortestText(settings_.fps), "pipe:0");
        const auto add = [&words](std::initializer_list<std::string> more) { words.insert(words.end(), more); };
        for (std::string& word : encodingWords(row_, settings_.quality >= 0 ? settings_.quality : kUsualQuality))
            words.push_back(std::move(word));
        const std::string extension = target_.extension().string().substr(1);
        if (extension == "mp4" || extension == "mov") {
            // A fragmented file plays without the table that is written at the end.
            if (settings_.keepsPart)
                add({"-g", std::to_string(std::max(1, static_cast<int>(std::lround(settings_.fps)))), "-movflags",
                     "+frag_keyframe+empty_moov+default_base_moof"});
            else
                add({"-movflags", "+faststart"});
        }
        add({"-y", "-f", extension == "mkv" ? "matroska" : extension, "file:" + temporary_.string()});
        return words;
    }

    void spawn() {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) throw IoError(std::string("cannot make a pipe to ffmpeg: ") + std::strerror(errno));
        Descriptor readEnd(ends[0]);
        frames_ = Descriptor(ends[1]);
        fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);  // fewer switches between the two processes; the default also works
        fcntl(ends[1], F_SETFL, O_NONBLOCK);    // awaitRoom() waits, and notices a signal meanwhile
        std::error_code noFolder;
        const fs::path folder = fs::temp_directory_path(noFolder);  // a job system may set a TMPDIR that does not exist
        messages_ = Descriptor(::open(noFolder ? "/tmp" : folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));

        const int messages = messages_ >= 0 ? messages_ : ChildProcess::kOurs;
        const int error = process_.start(settings_.ffmpeg, arguments(), {.in = readEnd, .error = messages});
        if (error != 0)
            throw IoError("cannot start " + settings_.ffmpeg + " (" + std::strerror(error) +
                          "); install ffmpeg, or write numbered pictures with -o DIR/%05d.png");
    }

    /// Waits until the pipe has room. Ends an encoder that neither reads nor computes for kPatience.
    void awaitRoom() {
        Patience patience(*this);
        pollfd end{.fd = frames_, .events = POLLOUT, .revents = 0};
        while (::poll(&end, 1, kLookMilliseconds) <= 0) {
            InterruptWatch::check();
            if (discarded) throw IoError(target_.string() + " is not wanted any more");
            if (patience.over()) giveUp();
        }
    }

    /// Exit status of the encoder; 128 + n when signal n ended it.
    int waitForEnd() {
        if (!process_.running()) return status_;
        Patience patience(*this);
        std::optional<int> raw;
        while (!(raw = process_.poll())) {
            if (!patience.killed && (InterruptWatch::signal() != 0 || discarded || patience.over())) {
                process_.kill();
                patience.killed = true;
            }
            ::poll(nullptr, 0, 10);
        }
        status_ = WIFEXITED(*raw) ? WEXITSTATUS(*raw) : 128 + WTERMSIG(*raw);
        return status_;
    }

    /// Detects an encoder without progress for too long: no processor time used, no byte written.
    class Patience {
    public:
        explicit Patience(const EncodedWriter& writer) : writer_(writer) {}
        bool over() {
            const auto now = std::chrono::steady_clock::now();
            if (now - looked_ < std::chrono::seconds(1)) return false;
            looked_ = now;
            const std::pair<std::uintmax_t, std::uint64_t> state = writer_.signsOfLife();
            if (state != seen_) {
                seen_ = state;
                alive_ = now;
            }
            return now - alive_ > kPatience;
        }
        bool killed = false;

    private:
        const EncodedWriter& writer_;
        std::chrono::steady_clock::time_point alive_ = std::chrono::steady_clock::now(), looked_ = alive_;
        std::pair<std::uintmax_t, std::uint64_t> seen_{};
    };

    /// Bytes written and processor time used [ticks] so far.
    std::pair<std::uintmax_t, std::uint64_t> signsOfLife() const {
        std::error_code error;
        const std::uintmax_t bytes = fs::is_regular_file(temporary_, error) ? fs::file_size(temporary_, error) : 0;
        std::ifstream stat("/proc/" + std::to_string(process_.id()) + "/stat");
        std::string text((std::istreambuf_iterator<char>(stat)), {});
        // After the name in brackets come the state, ten numbers, then user and system time.
        std::istringstream fields(text.substr(std::min(text.rfind(')') + 1, text.size())));
        std::string skipped;
        for (int i = 0; i < 11; ++i) fields >> skipped;
        std::uint64_t user = 0, system = 0;
        fields >> user >> system;
        return {bytes, user + system};
    }

    [[noreturn]] void giveUp() {
        process_.kill();
        waitForEnd();
        throw IoError(settings_.ffmpeg + " has done nothing for " + std::to_string(kPatience.count()) + " s while writing " +
                      target_.string() + " and was ended; choose another --encoder");
    }

    /// Moves the partial film into place. True when there is one.
    bool keepPart() {
        std::error_code error;
        if (fs::is_regular_file(temporary_, error) && (fs::file_size(temporary_, error) == 0 || error)) return false;
        try {
            file_->commit();
            return true;
        } catch (const IoError&) {
            return false;
        }
    }

    [[noreturn]] void fail() {
        frames_.close();
        const int status = waitForEnd();
        const bool kept = settings_.keepsPart && written_ > 0 && keepPart();
        finished_ = kept;
        std::string said;
        if (messages_ >= 0) {
            constexpr off_t kTail = 600;
            const off_t size = lseek(messages_, 0, SEEK_END);
            char text[kTail];
            const off_t from = std::max<off_t>(0, size - kTail);
            const ssize_t got = pread(messages_, text, sizeof text, from);
            if (got > 0) said.assign(text, static_cast<std::size_t>(got));
            while (!said.empty() && said.back() == '\n') said.pop_back();
        }
        const bool tooLarge = status == 128 + SIGXFSZ;
        throw IoError("ffmpeg stopped with status " + std::to_string(status) + " while writing " + target_.string() +
                      (tooLarge       ? ": the file would pass the size limit of this shell: see `ulimit -f`"
                       : said.empty() ? std::string(" and said nothing")
                                      : "; it said: " + said) +
                      (kept ? ". The frames encoded before are kept" : ""));
    }

    FilmSettings settings_;
    fs::path target_;
    std::optional<AtomicFile> file_;
    fs::path temporary_;  ///< the encoder's output
    const EncoderRow& row_;
    Descriptor frames_, messages_;
    std::int64_t written_ = 0;
    ChildProcess process_;
    int status_ = 0;
    bool finished_ = false;
};

}  // namespace

std::unique_ptr<FilmWriter> makeEncodedWriter(const FilmSettings& settings) {
    return std::make_unique<EncodedWriter>(settings);
}

}  // namespace gravlab
