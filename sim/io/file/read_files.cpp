#include "sim/io/file/read_files.h"

#include "sim/core/error.h"

#include <sys/stat.h>

#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace gravlab {
namespace {

using Identity = std::pair<dev_t, ino_t>;

struct Known {
    std::mutex mutex;
    std::map<Identity, std::string> read;
    std::set<Identity> written;
};

Known& known() {
    static Known files;
    return files;
}

bool isRegular(const struct stat& about) { return S_ISREG(about.st_mode); }
Identity identityOf(const struct stat& about) { return {about.st_dev, about.st_ino}; }

}  // namespace

void noteRead(int descriptor, const std::string& name) {
    struct stat about {};
    if (::fstat(descriptor, &about) != 0 || !isRegular(about)) return;
    Known& files = known();
    const std::lock_guard lock(files.mutex);
    if (!files.written.contains(identityOf(about))) files.read.emplace(identityOf(about), name);
}

std::string readAs(const std::filesystem::path& output) {
    struct stat about {};
    if (output == "-" || ::stat(output.c_str(), &about) != 0 || !isRegular(about)) return {};
    Known& files = known();
    const std::lock_guard lock(files.mutex);
    const auto found = files.read.find(identityOf(about));
    return found == files.read.end() ? std::string() : found->second;
}

void requireNotRead(const std::filesystem::path& output) {
    if (const std::string name = readAs(output); !name.empty())
        throw UsageError("'" + output.string() + "' would replace '" + name + "', which is read; give it another name");
}

void noteWritten(int descriptor) {
    struct stat about {};
    if (::fstat(descriptor, &about) != 0 || !isRegular(about)) return;
    Known& files = known();
    const std::lock_guard lock(files.mutex);
    files.written.insert(identityOf(about));
    files.read.erase(identityOf(about));  // the number of a file that is gone, used again
}

}  // namespace gravlab
