// Saving that is all or nothing: at any instant the target is the old or the new complete file, also after kill -9.
// Rule: nothing is final before commit(); a failure before that leaves the old file as it was.
#pragma once
#include "sim/io/file/byte_sink.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace gravlab {

struct AtomicOptions {
    bool keepPrevious = false;    ///< keep the file that is replaced as previousOf(target)
    bool durable = true;          ///< wait until the disk has the file; false for one of hundreds that can be made again
    bool mayReplaceRead = false;  ///< allow replacing a file that this process reads
};

/// A file being written beside its target. Bytes enter a temporary in the target's folder (named by process, created
/// exclusively, locked while in use). commit() flushes, syncs, renames it over the target and syncs the folder.
///
/// A symbolic link is followed: its target is replaced, the link stays. A pipe or a device is written directly, because
/// there is nothing to replace; "-" is the standard output. Waits for the disk. One thread uses one AtomicFile; when several
/// processes save to one target, the last one wins.
class AtomicFile : public ByteSink {
public:
    /// Creates the temporary. Throws IoError naming the cause: no such folder, no permission, a folder as target, and so on.
    /// Throws UsageError when it would replace a file that this process reads.
    explicit AtomicFile(const std::filesystem::path& target, const AtomicOptions& options = {});
    /// Removes the temporary unless commit() succeeded.
    ~AtomicFile() override;
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    using ByteSink::write;
    /// Throws IoError (disk full, quota, file size limit); the target is still the old file.
    void write(const void* bytes, std::size_t count) override;
    /// Replaces the target by the bytes written so far. Throws IoError. Only when the last call fails, the sync of the
    /// folder, is the new file already in place; the text says so.
    void commit();
    /// The first half of commit(), with all that can fail for lack of space: the bytes are on the disk, beside the old file.
    void stage();

    /// The path for a program that opens its output by name; commit() moves the file into place after that program has
    /// ended. For a pipe or a device it is the target itself. Do not call write() before or after.
    std::filesystem::path handOver();
    /// Keeps the bytes written so far as partialOf(target), for work that stops early; the target does not change. Returns
    /// the name; empty for a target that is written directly and has the bytes already. Throws IoError.
    std::string keepPartial();

private:
    [[noreturn]] void fail(const char* doing, int error);
    void openTemporary();
    void openStraight();
    void writeAll(const char* bytes, std::size_t count);
    void flush();
    void linkPrevious();
    void syncFolder();
    void discard() noexcept;

    std::string name_;                 // as the user wrote it, for messages
    std::filesystem::path target_;     // links followed
    std::filesystem::path folder_;     // of target_
    std::filesystem::path temporary_;  // empty: written directly
    std::vector<char> buffer_;
    AtomicOptions options_;
    int fd_ = -1;
    bool staged_ = false;
};

/// Several outputs of one piece of work: all are complete on the disk before the first replaces an old file.
class OutputSet {
public:
    /// Adds a file, open for writing as long as the set lives. Throws IoError, also for a file that is in the set already.
    AtomicFile& add(const std::filesystem::path& target, const AtomicOptions& options = {});
    /// Moves all files into place. On failure (IoError) before the first rename, all old files stay.
    void commit();
    /// AtomicFile::keepPartial() of all files; returns their names.
    std::vector<std::string> keepPartial();

private:
    struct Output {
        std::filesystem::path target;
        std::unique_ptr<AtomicFile> file;
    };
    std::vector<Output> outputs_;
};

/// Throws UsageError when replacing `target` would lose a file that this process reads.
void requireReplaceable(const std::filesystem::path& target, const AtomicOptions& options);

/// Whether two names lead to one file, device or pipe, through links, "." and "..", existing or not; `-` is only itself.
bool sameFile(const std::filesystem::path& a, const std::filesystem::path& b);

/// Throws IoError unless a file can be created at this path: its folder exists and is writable, and the path is not a
/// folder. Call it before work whose result is saved later; creates nothing.
void requireFolder(const std::filesystem::path& file);

/// The name for the kept bytes of an unfinished file: "run.csv" -> "run.csv.partial".
std::filesystem::path partialOf(const std::filesystem::path& target);

/// Replaces `target` by `bytes`, all or nothing. Throws IoError.
void writeFileAtomically(const std::filesystem::path& target, std::string_view bytes, const AtomicOptions& options = {});

/// The name under which AtomicOptions::keepPrevious keeps the replaced file: "run.hdf5" -> "run_prev.hdf5".
std::filesystem::path previousOf(const std::filesystem::path& target);

/// Removes temporaries of ended processes from `folder`: regular files of this user, named by this program, whose process
/// has ended and whose lock is free. A process calls it in each folder before its first save there. Returns the number of
/// removed files; 0 for an unreadable folder. Never throws.
std::size_t sweepStaleTemporaries(const std::filesystem::path& folder) noexcept;

// Files that this process reads because a user named them: no output may replace one of them. Device, inode and birth
// identify a file, so links and other names are the same file.

/// Remembers the regular file behind a descriptor, under the name that opened it. Skips a file that this process has
/// written: after saving, opening and saving again, the user still has the first file's content. Any thread.
void noteRead(int descriptor, const std::string& name);
/// The name of the read file that would be lost if `output` were replaced; empty: none. Any thread.
std::string readAs(const std::filesystem::path& output);
/// Throws UsageError when `output` would replace such a file.
void requireNotRead(const std::filesystem::path& output);
/// Remembers that this process has written that file. Any thread.
void noteWritten(int descriptor);

}  // namespace gravlab
