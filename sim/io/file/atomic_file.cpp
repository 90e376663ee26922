// Writes a temporary, syncs, renames, syncs the folder; every failure becomes a sentence.
#include "sim/io/file/atomic_file.h"

#include "sim/api/errors.h"
#include "sim/core/names.h"
#include "sim/core/text.h"
#include "sim/core/work_watch.h"
#include "sim/io/file/file_calls.h"
#include "sim/io/file/write_signals.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <system_error>

namespace gravlab {
namespace {

constexpr std::size_t kWriteBytes = std::size_t{1} << 20;
// Longest write without a word about progress.
constexpr std::size_t kPart = std::size_t{1} << 28;
constexpr std::string_view kTemporaryPrefix = ".gravlab-";
constexpr std::string_view kTemporarySuffix = ".tmp";

int openFile(const char* path, int flags, mode_t mode) { return ::open(path, flags, mode); }
int reserveDisk(int fd, std::size_t bytes) {
    return ::fallocate(fd, 0, ::lseek(fd, 0, SEEK_CUR), static_cast<off_t>(bytes));
}

struct Advice {
    int error;
    const char* text;
};
constexpr Advice kAdvice[] = {
    {ENOSPC, "free some space or choose another folder"},
    {EDQUOT, "the disk quota is used up: free some space or choose another folder"},
    {EFBIG, "the file would pass the size limit of this shell or file system: see `ulimit -f`"},
    {EACCES, "choose a folder you may write to"},
    {EPERM, "choose a folder you may write to"},
    {EROFS, "choose a folder that is not read-only"},
    {ENOENT, "the folder does not exist: create it first"},
    {ENOTDIR, "a part of the path is a file, not a folder"},
    {ENAMETOOLONG, "choose a shorter name"},
    {ELOOP, "a symbolic link points back to itself"},
    {EISDIR, "the target is a folder: add a file name"},
    {ENXIO, "nothing reads from that pipe"},
    {EPIPE, "the reader of the pipe has gone"},
    {EMFILE, "too many open files: see `ulimit -n`"},
    {ENFILE, "the system has too many open files"},
    {EIO, "the disk reports an error: choose another one"},
};

std::string reason(int error) {
    std::string text = std::generic_category().message(error);
    for (const Advice& row : kAdvice)
        if (row.error == error) return text + "; " + row.text;
    return text;
}

// The target of a chain of symbolic links, also when it does not exist yet.
std::filesystem::path linksFollowed(std::filesystem::path path) {
    std::error_code error;
    for (int depth = 0; depth < 40; ++depth) {
        if (std::filesystem::symlink_status(path, error).type() != std::filesystem::file_type::symlink) return path;
        const std::filesystem::path to = std::filesystem::read_symlink(path, error);
        if (error) return path;
        path = to.is_absolute() ? to : path.parent_path() / to;
    }
    return path;  // a loop: the next stat reports it
}

// Whether a name leads to a pipe or a device. The links of /dev/stdout and /dev/fd to a pipe have no path as text.
bool endsInPipe(const std::filesystem::path& path) {
    struct stat about {};
    return ::stat(path.c_str(), &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

// Removes leftovers of earlier processes once per folder, when this process first saves there.
void sweepOnce(const std::filesystem::path& folder) {
    static std::mutex guard;
    static std::set<std::filesystem::path> swept;
    std::error_code error;
    const std::filesystem::path place = std::filesystem::absolute(folder, error);
    {
        const std::lock_guard lock(guard);
        if (!swept.insert(place).second) return;
    }
    sweepStaleTemporaries(folder);
}

std::string temporaryName() {
    static std::atomic<unsigned> counter{0};
    std::random_device random;
    const std::string tail = formatted("%ld-%u-%08x", static_cast<long>(::getpid()), counter++, random());
    return std::string(kTemporaryPrefix) + tail + std::string(kTemporarySuffix);
}

}  // namespace

FileCalls& fileCalls() {
    static FileCalls calls{openFile, ::write, ::fsync, ::close, ::fchmod, ::link, ::rename, ::unlink, reserveDisk};
    return calls;
}

AtomicFile::AtomicFile(const std::filesystem::path& target, const AtomicOptions& options)
    : name_(target.string()), options_(options) {
    buffer_.reserve(kWriteBytes);
    if (name_ == "-") {
        name_ = "the standard output";
        fd_ = ::dup(STDOUT_FILENO);
        if (fd_ < 0) fail("opening it", errno);
        return;
    }
    if (target.empty()) throw IoError("cannot save: the file name is empty");
    if (name_.find('\0') != std::string::npos) throw IoError("cannot save: the file name holds a zero byte");
    target_ = endsInPipe(target) ? target : linksFollowed(target);
    folder_ = target_.has_parent_path() ? target_.parent_path() : std::filesystem::path(".");

    struct stat about {};
    if (::stat(target_.c_str(), &about) != 0) {
        if (errno != ENOENT) fail("looking at it", errno);
        if (!target_.has_filename()) fail("creating it", EISDIR);
        openTemporary();
        return;
    }
    if (S_ISDIR(about.st_mode)) fail("replacing it", EISDIR);
    if (!S_ISREG(about.st_mode)) {
        openStraight();
        return;
    }
    requireReplaceable(target, options_);
    openTemporary();
    // The new file keeps the permissions of the old one.
    if (fileCalls().setMode(fd_, about.st_mode & 0777) != 0) fail("setting its permissions", errno);
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::fail(const char* doing, int error) {
    const bool straight = temporary_.empty() && (fd_ >= 0);
    discard();
    throw IoError("cannot save '" + name_ + "': " + doing + ": " + reason(error) +
                  (straight ? "" : " (what was there before is unchanged)"));
}

void AtomicFile::discard() noexcept {
    if (fd_ >= 0) fileCalls().close(fd_);
    fd_ = -1;
    staged_ = false;
    if (!temporary_.empty()) fileCalls().remove(temporary_.c_str());
    temporary_.clear();
    buffer_.clear();
}

void AtomicFile::openTemporary() {
    sweepOnce(folder_);
    for (int attempt = 0; attempt < 100; ++attempt) {
        const std::filesystem::path path = folder_ / temporaryName();
        fd_ = fileCalls().open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (fd_ >= 0) {
            temporary_ = path;
            // The lock tells a sweeping process that the owner lives, also from another machine or container. On a file
            // system without locks, the process id in the name still helps.
            (void)::flock(fd_, LOCK_EX | LOCK_NB);
            return;
        }
        if (errno != EEXIST && errno != EINTR) fail("creating a temporary file beside it", errno);
    }
    fail("creating a temporary file beside it", EEXIST);
}

void AtomicFile::openStraight() {
    // Without O_NONBLOCK, opening a pipe without a reader would block for ever.
    fd_ = fileCalls().open(target_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);
    if (fd_ < 0) fail("opening it", errno);
    const int flags = ::fcntl(fd_, F_GETFL);
    (void)::fcntl(fd_, F_SETFL, flags & ~O_NONBLOCK);
}

void AtomicFile::write(const void* bytes, std::size_t count) {
    if (fd_ < 0) throw IoError("cannot save '" + name_ + "': it was already closed");
    if (buffer_.size() + count > kWriteBytes) flush();
    const char* from = static_cast<const char*>(bytes);
    if (count >= kWriteBytes)
        writeAll(from, count);
    else
        buffer_.insert(buffer_.end(), from, from + count);
}

void AtomicFile::flush() {
    writeAll(buffer_.data(), buffer_.size());
    buffer_.clear();
}

void AtomicFile::writeAll(const char* bytes, std::size_t count) {
    const WriteSignalsHeld held;
    // A full disk is found before a large write.
    if (count >= kWriteBytes && !temporary_.empty() && fileCalls().reserve(fd_, count) != 0 &&
        (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
        fail(formatted("it needs %.3g MB of disk", static_cast<double>(count) / 1e6).c_str(), errno);
    const std::size_t all = count;
    while (count > 0) {
        const ssize_t done = fileCalls().write(fd_, bytes, std::min(count, kPart));
        if (done < 0) {
            if (errno == EINTR) continue;
            fail("writing", errno);
        }
        // A device that accepts no bytes and reports no error would loop for ever.
        if (done == 0) fail("writing", EIO);
        bytes += done;
        count -= static_cast<std::size_t>(done);
        if (all > kPart)
            WorkWatch::report("bytes written", static_cast<std::int64_t>(all - count), static_cast<std::int64_t>(all));
    }
}

void AtomicFile::stage() {
    if (staged_) return;
    if (fd_ < 0) throw IoError("cannot save '" + name_ + "': it was already closed");
    flush();
    if (!temporary_.empty() && options_.durable) {
        int synced;
        while ((synced = fileCalls().sync(fd_)) != 0 && errno == EINTR) {
        }
        if (synced != 0) fail("bringing it to the disk", errno);
    }
    if (!temporary_.empty()) noteWritten(fd_);
    // NFS reports a full disk only here. After EINTR the descriptor is closed: another close could end another file.
    const int closed = fileCalls().close(fd_);
    const int closeError = errno;
    fd_ = -1;
    if (closed != 0 && closeError != EINTR) fail("closing it", closeError);
    staged_ = true;
}

void AtomicFile::commit() {
    stage();
    if (temporary_.empty()) return;
    requireReplaceable(target_, options_);  // another thread may have opened it for reading since
    if (options_.keepPrevious) linkPrevious();
    if (fileCalls().rename(temporary_.c_str(), target_.c_str()) != 0) fail("replacing the old file", errno);
    temporary_.clear();
    if (options_.durable) syncFolder();
}

std::filesystem::path AtomicFile::handOver() {
    if (fd_ < 0) throw IoError("cannot save '" + name_ + "': it was already closed");
    return temporary_.empty() ? target_ : temporary_;
}

std::string AtomicFile::keepPartial() {
    stage();
    if (temporary_.empty()) return {};
    const std::filesystem::path partial = partialOf(name_);
    if (fileCalls().rename(temporary_.c_str(), partial.c_str()) != 0) fail("keeping what there is of it", errno);
    temporary_.clear();
    return partial.string();
}

void AtomicFile::linkPrevious() {
    struct stat about {};
    if (::stat(target_.c_str(), &about) != 0) return;  // there is no old file
    // Make a second name for the old file and move it into place, so that the target exists at every instant.
    const std::filesystem::path name = folder_ / temporaryName();
    // While another process replaces the file, the name may refer to a file that is already removed.
    constexpr int kTries = 100;
    int linked = fileCalls().link(target_.c_str(), name.c_str());
    for (int attempt = 1; linked != 0 && errno == ENOENT && attempt < kTries; ++attempt)
        linked = fileCalls().link(target_.c_str(), name.c_str());
    if (linked == 0) {
        if (fileCalls().rename(name.c_str(), previousOf(target_).c_str()) == 0) {
            // rename does nothing when both names already refer to the same file.
            (void)fileCalls().remove(name.c_str());
            return;
        }
        const int error = errno;
        (void)fileCalls().remove(name.c_str());
        fail("keeping the previous file", error);
    }
    if (errno != EPERM && errno != EOPNOTSUPP && errno != EMLINK) fail("keeping the previous file", errno);
    // FAT and some network disks have no hard links: for an instant only the previous file exists.
    if (fileCalls().rename(target_.c_str(), previousOf(target_).c_str()) != 0) fail("keeping the previous file", errno);
}

void AtomicFile::syncFolder() {
    const int folder = fileCalls().open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    // A folder that may be written but not read cannot be opened; the rename has succeeded.
    if (folder < 0) return;
    int synced;
    while ((synced = fileCalls().sync(folder)) != 0 && errno == EINTR) {
    }
    const int error = errno;
    (void)fileCalls().close(folder);
    // Some file systems cannot sync a folder and return EINVAL.
    if (synced != 0 && error != EINVAL)
        throw IoError("saved '" + name_ + "', but its folder could not be brought to the disk: " + reason(error) +
                      " (the new file is in place and may be lost in a power cut)");
}

void writeFileAtomically(const std::filesystem::path& target, std::string_view bytes, const AtomicOptions& options) {
    AtomicFile file(target, options);
    file.write(bytes);
    file.commit();
}

std::filesystem::path previousOf(const std::filesystem::path& target) {
    std::filesystem::path previous = target;
    previous.replace_filename(target.stem().string() + "_prev" + target.extension().string());
    return previous;
}

void requireFolder(const std::filesystem::path& file) {
    if (endsInPipe(file)) return;  // pipes and devices are written directly
    const std::filesystem::path target = linksFollowed(file);
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(target, error);
    if (std::filesystem::is_directory(status)) throw IoError("cannot write " + file.string() + ": it is a folder");
    const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : std::filesystem::path(".");
    if (!std::filesystem::is_directory(folder, error))
        throw IoError("cannot write " + file.string() + ": there is no folder " + folder.string());
    if (::access(folder.c_str(), W_OK | X_OK) != 0)
        throw IoError("cannot write " + file.string() + ": the folder does not allow it (" +
                      std::generic_category().message(errno) + ")");
}

std::filesystem::path partialOf(const std::filesystem::path& target) {
    std::filesystem::path partial = linksFollowed(target);
    partial += ".partial";
    return partial;
}

void requireReplaceable(const std::filesystem::path& target, const AtomicOptions& options) {
    if (options.mayReplaceRead) return;
    requireNotRead(target);
    std::error_code none;
    if (options.keepPrevious && std::filesystem::exists(target, none)) requireNotRead(previousOf(linksFollowed(target)));
}

bool sameFile(const std::filesystem::path& a, const std::filesystem::path& b) {
    if (a == b) return true;
    if (a == "-" || b == "-") return false;
    struct stat one {
    }, other{};
    const bool oneThere = ::stat(a.c_str(), &one) == 0, otherThere = ::stat(b.c_str(), &other) == 0;
    if (oneThere && otherThere) return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
    if (oneThere != otherThere) return false;
    // Neither file exists yet: compare name and folder.
    std::error_code error;
    const auto whole = [&](const std::filesystem::path& path) {
        return std::filesystem::weakly_canonical(std::filesystem::absolute(linksFollowed(path), error), error);
    };
    const std::filesystem::path first = whole(a), second = whole(b);
    return !error && first == second;
}

AtomicFile& OutputSet::add(const std::filesystem::path& target, const AtomicOptions& options) {
    for (const Output& output : outputs_)
        if (sameFile(output.target, target))
            throw IoError("cannot save '" + target.string() + "': '" + output.target.string() + "' is the same file");
    outputs_.push_back({target, std::make_unique<AtomicFile>(target, options)});
    return *outputs_.back().file;
}

void OutputSet::commit() {
    for (const Output& output : outputs_) output.file->stage();
    for (const Output& output : outputs_) output.file->commit();
    outputs_.clear();
}

std::vector<std::string> OutputSet::keepPartial() {
    std::vector<std::string> kept;
    std::string failures;
    for (const Output& output : outputs_) {
        try {
            if (std::string name = output.file->keepPartial(); !name.empty()) kept.push_back(std::move(name));
        } catch (const IoError& error) {
            // A file that fails does not stop the others.
            addTo(failures, error.what(), "; ");
        }
    }
    outputs_.clear();
    if (failures.empty()) return kept;
    for (const std::string& name : kept) failures += (&name == &kept.front() ? "; kept: " : ", ") + name;
    throw IoError(failures);
}

std::size_t sweepStaleTemporaries(const std::filesystem::path& folder) noexcept {
    std::size_t removed = 0;
    const std::filesystem::path place = folder.empty() ? std::filesystem::path(".") : folder;
    DIR* entries = ::opendir(place.c_str());
    if (entries == nullptr) return 0;
    const int at = ::dirfd(entries);
    while (const dirent* entry = ::readdir(entries)) {
        const std::string_view name = entry->d_name;
        if (!name.starts_with(kTemporaryPrefix) || !name.ends_with(kTemporarySuffix)) continue;
        long process = 0;
        const char* digits = name.data() + kTemporaryPrefix.size();
        const auto parsed = std::from_chars(digits, name.data() + name.size(), process);
        if (parsed.ec != std::errc{} || *parsed.ptr != '-' || process <= 0) continue;
        if (::kill(static_cast<pid_t>(process), 0) == 0 || errno != ESRCH) continue;
        struct stat about {};
        if (::fstatat(at, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0) continue;
        if (!S_ISREG(about.st_mode) || about.st_uid != ::geteuid()) continue;
        const int fd = ::openat(at, entry->d_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (fd < 0) continue;
        // A held lock means that the owner runs on another machine or in another container.
        if (::flock(fd, LOCK_EX | LOCK_NB) == 0 && ::unlinkat(at, entry->d_name, 0) == 0) ++removed;
        ::close(fd);
    }
    ::closedir(entries);
    return removed;
}

namespace {

/// Device, inode and time of birth, where the system knows it: the inode of a removed file is soon used again.
using Identity = std::array<std::uint64_t, 5>;

/// The identity of a regular file; with an empty `path`, of the descriptor.
std::optional<Identity> identityOf(int at, const char* path) {
    struct statx about {};
    constexpr unsigned kWanted = STATX_TYPE | STATX_INO | STATX_BTIME;
    if (::statx(at, path, *path ? 0 : AT_EMPTY_PATH, kWanted, &about) == 0) {
        if (!S_ISREG(about.stx_mode)) return std::nullopt;
        const bool born = (about.stx_mask & STATX_BTIME) != 0;
        return Identity{about.stx_dev_major, about.stx_dev_minor, about.stx_ino,
                        born ? static_cast<std::uint64_t>(about.stx_btime.tv_sec) : 0, born ? about.stx_btime.tv_nsec : 0};
    }
    struct stat older {};
    if ((*path ? ::stat(path, &older) : ::fstat(at, &older)) != 0 || !S_ISREG(older.st_mode)) return std::nullopt;
    return Identity{major(older.st_dev), minor(older.st_dev), older.st_ino, 0, 0};
}

struct Known {
    std::mutex mutex;
    std::map<Identity, std::string> read;
    std::set<Identity> written;
};

Known& known() {
    static Known files;
    return files;
}

}  // namespace

void noteRead(int descriptor, const std::string& name) {
    const std::optional<Identity> file = identityOf(descriptor, "");
    if (!file) return;
    Known& files = known();
    const std::lock_guard lock(files.mutex);
    if (!files.written.contains(*file)) files.read.emplace(*file, name);
}

std::string readAs(const std::filesystem::path& output) {
    if (output.empty() || output == "-") return {};
    const std::optional<Identity> file = identityOf(AT_FDCWD, output.c_str());
    if (!file) return {};
    Known& files = known();
    const std::lock_guard lock(files.mutex);
    const auto found = files.read.find(*file);
    return found == files.read.end() ? std::string() : found->second;
}

void requireNotRead(const std::filesystem::path& output) {
    if (const std::string name = readAs(output); !name.empty())
        throw UsageError("'" + output.string() + "' would replace '" + name + "', which is read; give it another name");
}

void noteWritten(int descriptor) {
    const std::optional<Identity> file = identityOf(descriptor, "");
    if (!file) return;
    Known& files = known();
    const std::lock_guard lock(files.mutex);
    files.written.insert(*file);
    files.read.erase(*file);
}

}  // namespace gravlab
