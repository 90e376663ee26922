#include "sim/io/file/read_files.h"

#include "sim/api/errors.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>

namespace gravlab {
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
