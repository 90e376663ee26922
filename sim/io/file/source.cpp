// Opens files, with every refusal in words, and splits them into lines in bounded memory.
#include "sim/io/file/source.h"

#include "sim/api/errors.h"
#include "sim/core/work_watch.h"
#include "sim/io/file/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

namespace gravlab {

// The content of a gzip file, in order, in bounded memory. Rule: refuse a file that unpacks further than any table could.
// Format: RFC 1952; a file may have several members, one after another.
class Gunzip {
public:
    static bool begins(std::string_view head) { return head.starts_with("\x1f\x8b"); }

    /// `start`: the first bytes, which must outlive this object; those left in `fd` follow, -1: none. `name`: for messages.
    Gunzip(std::string name, std::string_view start, int fd) : name_(std::move(name)), waiting_(start), fd_(fd) {
        constexpr int kGzipAlone = 16;
        if (inflateInit2(&stream_, MAX_WBITS + kGzipAlone) != Z_OK) throw std::bad_alloc();
    }
    ~Gunzip() { inflateEnd(&stream_); }
    Gunzip(const Gunzip&) = delete;
    Gunzip& operator=(const Gunzip&) = delete;

    /// Up to `count` bytes; fewer only at the end. Throws InputError for damaged or cut data, other bytes after the end, or
    /// unpacking beyond kMostRatio; IoError when the system cannot read.
    std::size_t read(char* to, std::size_t count);

    static constexpr std::size_t kMostRatio = 200, kFreeBytes = std::size_t{1} << 22;

private:
    [[noreturn]] void fail(const std::string& why) const { throw InputError(name_ + ": " + why); }

    /// Reads more packed bytes; false at the end of the file.
    bool fill() {
        if (!waiting_.empty()) return true;
        if (fd_ < 0) return false;
        buffer_.resize(std::size_t{1} << 16);
        ssize_t got;
        while ((got = ::read(fd_, buffer_.data(), buffer_.size())) < 0 && errno == EINTR) {
        }
        if (got < 0) throw IoError("cannot read '" + name_ + "': " + std::generic_category().message(errno));
        waiting_ = {buffer_.data(), static_cast<std::size_t>(got)};
        return got > 0;
    }

    /// After a member: begins the next one, or finds the end; some programs append zeros. False at the end.
    bool nextMember() {
        while (fill() && waiting_.front() == '\0') waiting_.remove_prefix(1);
        if (!fill()) return false;
        if (waiting_.front() != '\x1f') fail("has bytes after the end of its gzip data: it is damaged");
        if (inflateReset(&stream_) != Z_OK) fail("gzip cannot continue with its next part");
        return inMember_ = true;
    }

    std::string name_;
    std::string_view waiting_;  ///< packed bytes that are not decoded yet
    int fd_;
    std::vector<char> buffer_;
    z_stream stream_{};
    bool inMember_ = true;
    std::uint64_t packed_ = 0, unpacked_ = 0;
};

std::size_t Gunzip::read(char* to, std::size_t count) {
    std::size_t done = 0;
    while (done < count) {
        if (!inMember_ && !nextMember()) break;
        if (!fill()) fail("is cut short: its gzip data ends at byte " + std::to_string(packed_));
        constexpr std::size_t kMost = std::numeric_limits<unsigned>::max();
        const auto in = static_cast<unsigned>(std::min(waiting_.size(), kMost));
        const auto out = static_cast<unsigned>(std::min(count - done, kMost));
        // zlib does not write here; its interface lacks the const.
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(waiting_.data()));
        stream_.avail_in = in;
        stream_.next_out = reinterpret_cast<Bytef*>(to + done);
        stream_.avail_out = out;
        const int result = inflate(&stream_, Z_NO_FLUSH);
        waiting_.remove_prefix(in - stream_.avail_in);
        packed_ += in - stream_.avail_in;
        const std::size_t got = out - stream_.avail_out;
        unpacked_ += got;
        done += got;
        if (result == Z_STREAM_END)
            inMember_ = false;
        else if (result != Z_OK)
            fail("is damaged: its gzip data is invalid at byte " + std::to_string(packed_) +
                 (stream_.msg ? std::string(" (") + stream_.msg + ")" : ""));
        if (unpacked_ > kFreeBytes && unpacked_ / kMostRatio > packed_)
            fail("unpacks to more than " + std::to_string(kMostRatio) +
                 " times its size, as no table of bodies does; unpack it yourself if it is meant");
    }
    return done;
}

namespace {

std::string kindOf(mode_t mode) {
    if (S_ISDIR(mode)) return "a folder";
    if (S_ISFIFO(mode)) return "a pipe";
    if (S_ISSOCK(mode)) return "a socket";
    return "a device";
}

}  // namespace

Source Source::open(const std::filesystem::path& path) {
    Source source;
    source.name_ = path.string();
    const bool standardInput = source.name_ == "-";
    if (standardInput) {
        source.name_ = "standard input";
        source.fd_ = STDIN_FILENO;
    } else {
        if (path.empty()) throw InputError("cannot read: the file name is empty");
        if (source.name_.find('\0') != std::string::npos) throw InputError("cannot read: the file name holds a zero byte");
        // Without O_NONBLOCK, opening a pipe without a writer would block before the pipe can be refused.
        source.fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        if (source.fd_ < 0)
            throw InputError("cannot read '" + source.name_ + "': " + std::generic_category().message(errno));
        source.owner_ = {nullptr, [fd = source.fd_](void*) { ::close(fd); }};
        source.path_ = path;
    }
    struct stat about {};
    if (::fstat(source.fd_, &about) != 0)
        throw InputError("cannot read '" + source.name_ + "': " + std::generic_category().message(errno));
    source.written_ = {about.st_mtim.tv_sec, about.st_mtim.tv_nsec};
    if (S_ISREG(about.st_mode)) {
        // Count the bytes that a reader can still get: the standard input may stand in the middle of its file.
        const off_t at = standardInput ? ::lseek(source.fd_, 0, SEEK_CUR) : 0;
        source.size_ = static_cast<std::uint64_t>(std::max<off_t>(about.st_size - std::max<off_t>(at, 0), 0));
    } else if (S_ISDIR(about.st_mode) || !standardInput) {
        throw InputError("cannot read '" + source.name_ + "': it is " + kindOf(about.st_mode) +
                         ", not a file (a table can also come through '-', the standard input)");
    }
    source.headBytes_.resize(kHeadBytes);
    source.headBytes_.resize(source.readSystem(source.headBytes_.data(), kHeadBytes, 0, false));
    source.head_ = {source.headBytes_.data(), source.headBytes_.size()};
    source.unpack();
    return source;
}

Source Source::memory(std::string_view bytes, std::string name) {
    Source source;
    source.name_ = std::move(name);
    source.size_ = bytes.size();
    source.bytes_ = bytes;
    source.head_ = bytes.substr(0, kHeadBytes);
    source.unpack();
    return source;
}

/// A moved vector keeps its memory, so that views of it stay valid.
void Source::unpack() {
    if (!Gunzip::begins(head_)) return;
    packedHead_ = std::move(headBytes_);
    unpacker_ =
        std::make_unique<Gunzip>(name_, fd_ < 0 ? bytes_ : std::string_view(packedHead_.data(), packedHead_.size()), fd_);
    bytes_ = {};
    size_.reset();
    headBytes_.resize(kHeadBytes);
    headBytes_.resize(unpacker_->read(headBytes_.data(), kHeadBytes));
    head_ = {headBytes_.data(), headBytes_.size()};
}

Source::Source(Source&&) noexcept = default;
Source::~Source() = default;

std::filesystem::path Source::openName() const {
    if (path_.empty()) return {};
    const std::filesystem::path name = "/proc/self/fd/" + std::to_string(fd_);
    return ::access(name.c_str(), R_OK) == 0 ? name : path_;
}

void Source::hold() const {
    if (fd_ >= 0) noteRead(fd_, name_);
}

bool Source::isSame(int descriptor) const {
    struct stat mine {
    }, other{};
    return ::fstat(fd_, &mine) == 0 && ::fstat(descriptor, &other) == 0 && mine.st_dev == other.st_dev &&
           mine.st_ino == other.st_ino;
}

bool Source::replaced() const {
    struct stat mine {
    }, now{};
    return changed() || (!path_.empty() && ::fstat(fd_, &mine) == 0 && ::stat(path_.c_str(), &now) == 0 &&
                         (mine.st_dev != now.st_dev || mine.st_ino != now.st_ino));
}

bool Source::changed() const {
    struct stat now {};
    return !path_.empty() && ::fstat(fd_, &now) == 0 &&
           (now.st_mtim.tv_sec != written_.seconds || now.st_mtim.tv_nsec != written_.nanoseconds ||
            static_cast<std::uint64_t>(now.st_size) != size_);
}

std::size_t Source::readSystem(char* to, std::size_t count, std::uint64_t place, bool seeks) const {
    std::size_t done = 0;
    while (done < count) {
        if (WorkWatch::dropped()) throw IoError("cannot read '" + name_ + "': nobody waits for it any more");
        const ssize_t got = seeks ? ::pread(fd_, to + done, count - done, static_cast<off_t>(place + done))
                                  : ::read(fd_, to + done, count - done);
        if (got == 0) break;
        if (got < 0) {
            if (errno == EINTR) continue;
            if (errno == EIO && size_ == 0u)
                throw InputError("cannot read '" + name_ + "': it is no file of bytes (of /proc?)");
            throw IoError("cannot read '" + name_ + "' at byte " + std::to_string(place + done) + ": " +
                          std::generic_category().message(errno));
        }
        done += static_cast<std::size_t>(got);
    }
    return done;
}

std::size_t Source::read(void* to, std::size_t count) {
    char* out = static_cast<char*>(to);
    std::size_t done = 0;
    const std::string_view kept = fd_ < 0 && !unpacker_ ? bytes_ : head_;
    if (offset_ < kept.size()) {
        done = std::min<std::size_t>(count, kept.size() - offset_);
        std::memcpy(out, kept.data() + offset_, done);
        offset_ += done;
    }
    if ((fd_ >= 0 || unpacker_) && done < count) {
        const std::size_t more =
            unpacker_ ? unpacker_->read(out + done, count - done) : readSystem(out + done, count - done, offset_, false);
        offset_ += more;
        done += more;
    }
    return done;
}

std::size_t Source::readAt(std::uint64_t place, void* to, std::size_t count) const {
    char* out = static_cast<char*>(to);
    if (fd_ < 0) {
        if (place >= bytes_.size()) return 0;
        const std::size_t got = std::min<std::size_t>(count, bytes_.size() - place);
        std::memcpy(out, bytes_.data() + place, got);
        return got;
    }
    return readSystem(out, count, place, true);
}

LineReader::LineReader(Source& source) : source_(source), buffer_(4 * kMaxLineBytes) {
    fill();
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (std::string_view(buffer_.data(), end_).starts_with(kByteOrderMark)) begin_ = kByteOrderMark.size();
}

void LineReader::fail(const std::string& why) const {
    throw InputError(source_.name() + ": line " + std::to_string(number_) + ": " + why);
}

bool LineReader::fill() {
    if (sourceDone_) return false;
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    const std::size_t got = source_.read(buffer_.data() + end_, buffer_.size() - end_);
    sourceDone_ = got < buffer_.size() - end_;
    end_ += got;
    return got > 0;
}

bool LineReader::next(std::string_view& line) {
    const auto newline = [&] { return static_cast<const char*>(std::memchr(buffer_.data() + begin_, '\n', end_ - begin_)); };
    const char* stop = newline();
    while (stop == nullptr && end_ - begin_ <= kMaxLineBytes && fill()) stop = newline();
    if (stop == nullptr && begin_ == end_) return false;
    const char* start = buffer_.data() + begin_;
    ended_ = stop != nullptr;
    if (stop == nullptr) stop = buffer_.data() + end_;
    ++number_;
    const auto length = static_cast<std::size_t>(stop - start);
    if (length > kMaxLineBytes)
        throw InputError(source_.name() + ": line " + std::to_string(number_) + " is longer than " +
                         std::to_string(kMaxLineBytes) + " bytes: this is no table of bodies");
    begin_ += length + (ended_ ? 1 : 0);
    line = {start, length};
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find('\0') != std::string_view::npos)
        throw InputError(source_.name() + ": line " + std::to_string(number_) + " holds a zero byte: this is no text");
    return true;
}

std::string excerpt(std::string_view text) {
    constexpr std::size_t kLongest = 40;
    std::string out = "'";
    for (char c : text.substr(0, kLongest)) out += c >= ' ' && c <= '~' ? c : '?';
    if (text.size() > kLongest) out += "...";
    return out + "'";
}

}  // namespace gravlab
