// Unpacks with zlib. Source of the format: RFC 1952; a file may have several members, one after another.
#include "sim/io/file/gunzip.h"

#include "sim/api/errors.h"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <limits>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

namespace gravlab {

struct Gunzip::State {
    std::string name;
    std::string_view waiting;  ///< packed bytes that are not decoded yet
    int fd;
    std::vector<char> buffer;
    z_stream stream{};
    bool inMember = true;
    std::uint64_t packed = 0, unpacked = 0;

    [[noreturn]] void fail(const std::string& why) const { throw InputError(name + ": " + why); }

    /// Reads more packed bytes; false at the end of the file.
    bool fill() {
        if (!waiting.empty()) return true;
        if (fd < 0) return false;
        buffer.resize(std::size_t{1} << 16);
        ssize_t got;
        while ((got = ::read(fd, buffer.data(), buffer.size())) < 0 && errno == EINTR) {
        }
        if (got < 0) throw IoError("cannot read '" + name + "': " + std::generic_category().message(errno));
        waiting = {buffer.data(), static_cast<std::size_t>(got)};
        return got > 0;
    }

    /// After a member: begins the next one, or finds the end; some programs append zeros. False at the end.
    bool nextMember() {
        while (fill() && waiting.front() == '\0') waiting.remove_prefix(1);
        if (!fill()) return false;
        if (waiting.front() != '\x1f') fail("has bytes after the end of its gzip data: it is damaged");
        if (inflateReset(&stream) != Z_OK) fail("gzip cannot continue with its next part");
        inMember = true;
        return true;
    }
};

Gunzip::Gunzip(std::string name, std::string_view start, int fd) : state_(std::make_unique<State>()) {
    state_->name = std::move(name);
    state_->waiting = start;
    state_->fd = fd;
    constexpr int kGzipAlone = 16;
    if (inflateInit2(&state_->stream, MAX_WBITS + kGzipAlone) != Z_OK) throw std::bad_alloc();
}

Gunzip::~Gunzip() { inflateEnd(&state_->stream); }

std::size_t Gunzip::read(char* to, std::size_t count) {
    State& s = *state_;
    std::size_t done = 0;
    while (done < count) {
        if (!s.inMember && !s.nextMember()) break;
        if (!s.fill()) s.fail("is cut short: its gzip data ends at byte " + std::to_string(s.packed));
        constexpr std::size_t kMost = std::numeric_limits<unsigned>::max();
        const auto in = static_cast<unsigned>(std::min(s.waiting.size(), kMost));
        const auto out = static_cast<unsigned>(std::min(count - done, kMost));
        // zlib does not write here; its interface lacks the const.
        s.stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(s.waiting.data()));
        s.stream.avail_in = in;
        s.stream.next_out = reinterpret_cast<Bytef*>(to + done);
        s.stream.avail_out = out;
        const int result = inflate(&s.stream, Z_NO_FLUSH);
        s.waiting.remove_prefix(in - s.stream.avail_in);
        s.packed += in - s.stream.avail_in;
        const std::size_t got = out - s.stream.avail_out;
        s.unpacked += got;
        done += got;
        if (result == Z_STREAM_END)
            s.inMember = false;
        else if (result != Z_OK)
            s.fail("is damaged: its gzip data is invalid at byte " + std::to_string(s.packed) +
                   (s.stream.msg ? std::string(" (") + s.stream.msg + ")" : ""));
        if (s.unpacked > kFreeBytes && s.unpacked / kMostRatio > s.packed)
            s.fail("unpacks to more than " + std::to_string(kMostRatio) +
                   " times its size, as no table of bodies does; unpack it yourself if it is meant");
    }
    return done;
}

}  // namespace gravlab
