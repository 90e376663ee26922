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

/// How a file is replaced.
struct AtomicOptions {
    bool keepPrevious = false;    ///< keep the file that is replaced as previousOf(target)
    bool durable = true;          ///< wait until the disk has it; false for one of hundreds that can be made again
    bool mayReplaceRead = false;  ///< also a file that this process reads
};

/// A file being written beside its target. Bytes go to a temporary in the target's folder (named by process, created
/// exclusively, locked while in use); commit() flushes, syncs, renames it over the target and syncs the folder.
///
/// A symbolic link is followed: the file it names is replaced, the link stays. A target that exists and is no regular file
/// (a pipe, /dev/null) is written straight, since there is nothing to replace; "-" is the standard output.
/// Waits for the disk. One thread drives one AtomicFile; several processes may save to one target, the last one wins.
class AtomicFile : public ByteSink {
public:
    /// Creates the temporary. Throws IoError naming the cause: no such folder, no permission, a folder as target, ...; and
    /// UsageError where a file that is read would be replaced (read_files.h).
    explicit AtomicFile(const std::filesystem::path& target, const AtomicOptions& options = {});
    /// Removes the temporary when commit() was not reached.
    ~AtomicFile() override;
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    using ByteSink::write;
    /// Throws IoError (disk full, quota, file size limit); the target is still the old file.
    void write(const void* bytes, std::size_t count) override;
    /// Makes the bytes written so far the target. Throws IoError; only if the very last call fails, the sync of the folder,
    /// is the new file already in place, and the text says so.
    void commit();
    /// The first half of commit(), all that can fail for want of space: the bytes are on the disk, beside the old file.
    void stage();

    /// For a program that opens its output by name: the file to write, which commit() puts in place when that program has
    /// ended. The target itself where that is a pipe or a device. No write() before or after.
    std::filesystem::path handOver();
    /// Keeps what was written so far as partialOf(target), for work that ends before its time; the target stays as it was.
    /// Gives the name; empty for a target that was written straight, where everything is already. Throws IoError.
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
    std::filesystem::path temporary_;  // empty: written straight
    std::vector<char> buffer_;
    AtomicOptions options_;
    int fd_ = -1;
    bool staged_ = false;
};

/// Several outputs of one piece of work: all are complete on the disk before the first replaces an old file.
class OutputSet {
public:
    /// A file of the set, open for writing as long as the set lives. Throws IoError, also for a file that the set has
    /// already.
    AtomicFile& add(const std::filesystem::path& target, const AtomicOptions& options = {});
    /// Makes all of them what their names stand for. On failure (IoError) before the first rename, all old files stay.
    void commit();
    /// AtomicFile::keepPartial() of all; the names that came to be.
    std::vector<std::string> keepPartial();

private:
    struct Output {
        std::filesystem::path target;
        std::unique_ptr<AtomicFile> file;
    };
    std::vector<Output> outputs_;
};

/// Throws UsageError where that would lose a file that this process reads (read_files.h).
void requireReplaceable(const std::filesystem::path& target, const AtomicOptions& options);

/// Whether two names lead to the same file, device or pipe, through links, "." and "..", whether or not it exists; `-` is
/// only itself.
bool sameFile(const std::filesystem::path& a, const std::filesystem::path& b);

/// Throws IoError unless a file of that name can be put where it shall be: its folder is there and may be written, and it is
/// no folder itself. Asked before work whose result is saved later; creates nothing.
void requireFolder(const std::filesystem::path& file);

/// Where what is kept of an unfinished file goes: "run.csv" -> "run.csv.partial".
std::filesystem::path partialOf(const std::filesystem::path& target);

/// Replaces `target` by `bytes`, all or nothing. Throws IoError.
void writeFileAtomically(const std::filesystem::path& target, std::string_view bytes, const AtomicOptions& options = {});

/// Where AtomicOptions::keepPrevious keeps the replaced file: "run.hdf5" -> "run_prev.hdf5".
std::filesystem::path previousOf(const std::filesystem::path& target);

/// Removes temporaries that processes which no longer live left in `folder`: regular files of this user, named as ours,
/// whose process is gone and whose lock is free. A process does so itself in each folder that it first saves to.
/// Gives how many were removed; a folder that cannot be read gives 0. Never throws.
std::size_t sweepStaleTemporaries(const std::filesystem::path& folder) noexcept;

}  // namespace gravlab
