// Bytes of an input file, in order, with name and position for error messages. Rule: trust no size that the file states.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

class Gunzip;

/// A regular file, the standard input, or memory; gzip data is unpacked while reading. Move-only; one thread.
class Source {
public:
    /// Opens a file for reading; "-" is the standard input. Throws InputError for a missing or unreadable file, a folder, a
    /// pipe or a device: only "-" may be something that cannot be read twice.
    static Source open(const std::filesystem::path& path);
    /// Reads from memory that must outlive this object; `name` is for messages.
    static Source memory(std::string_view bytes, std::string name);

    Source(Source&& other) noexcept;
    Source& operator=(Source&&) = delete;
    ~Source();

    const std::string& name() const { return name_; }
    /// Whether the source is a gzip file, which can only be read in order.
    bool packed() const { return unpacker_ != nullptr; }
    /// Total bytes, as the system reports them; empty for a pipe as standard input, and for packed data.
    std::optional<std::uint64_t> size() const { return size_; }
    /// The first bytes (at most kHeadBytes); read() still returns them.
    std::string_view head() const { return head_; }
    /// Position of the next byte for read().
    std::uint64_t offset() const { return offset_; }
    /// Up to `count` bytes; fewer only at the end. Throws IoError when the system cannot read.
    std::size_t read(void* to, std::size_t count);
    /// Up to `count` bytes from a given position, without moving offset(); only when size() is known. Throws IoError.
    std::size_t readAt(std::uint64_t place, void* to, std::size_t count) const;

    /// The file's path as given; empty for memory and the standard input.
    const std::filesystem::path& path() const { return path_; }
    /// A name for libraries that open files themselves, in this process and its forks. It leads to the open file, even when
    /// path() now names another one. On systems without such names it is path(); check with isSame().
    std::filesystem::path openName() const;
    /// From now on, no output of this process may replace the file.
    void hold() const;
    /// Whether a descriptor leads to the same file.
    bool isSame(int descriptor) const;
    /// Whether path() now names another file, or this file was changed.
    bool replaced() const;
    /// Whether the file was written to after it was opened.
    bool changed() const;
    /// All bytes of a memory source; empty otherwise.
    std::string_view bytes() const { return bytes_; }

    static constexpr std::size_t kHeadBytes = 4096;

private:
    Source() = default;
    /// Reads on from the system's own place, which is `place`, or with `seeks` from any place.
    std::size_t readSystem(char* to, std::size_t count, std::uint64_t place, bool seeks) const;
    void unpack();

    std::string name_;
    std::filesystem::path path_;
    std::optional<std::uint64_t> size_;
    std::vector<char> headBytes_, packedHead_;
    std::unique_ptr<Gunzip> unpacker_;
    std::string_view head_;
    std::string_view bytes_;
    std::uint64_t offset_ = 0;
    struct {
        std::int64_t seconds = 0, nanoseconds = 0;
    } written_;  ///< time of the last write to the file when it was opened
    int fd_ = -1;
    std::shared_ptr<void> owner_;  ///< closes the descriptor; null: the standard input
};

/// Lines of a text source, without their ends ("\n" or "\r\n"); a UTF-8 byte order mark is skipped.
class LineReader {
public:
    explicit LineReader(Source& source);
    /// The next line; false at the end. The view is valid until the next call. Throws InputError for a line longer than
    /// kMaxLineBytes or one with a zero byte.
    bool next(std::string_view& line);
    std::uint64_t number() const { return number_; }  ///< of the last line, from 1
    bool endedWithNewline() const { return ended_; }  ///< whether the last line had its end
    /// Throws InputError naming the file and the last line.
    [[noreturn]] void fail(const std::string& why) const;

    static constexpr std::size_t kMaxLineBytes = std::size_t{1} << 16;

private:
    bool fill();

    Source& source_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0, end_ = 0;
    std::uint64_t number_ = 0;
    bool ended_ = true;
    bool sourceDone_ = false;
};

/// Text from a file, safe for a message: in quotes, control characters and bytes beyond ASCII replaced, 40 at most.
std::string excerpt(std::string_view text);

}  // namespace gravlab
