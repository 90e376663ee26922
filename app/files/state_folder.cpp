#include "app/files/state_folder.h"

#include "app/system/file_names.h"

#include "app/system/progress.h"
#include "sim/api/errors.h"
#include "sim/core/text.h"
#include "sim/io/file/atomic_file.h"
#include "sim/io/file/source.h"
#include "sim/io/toml_value.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace gravlab {
namespace {

namespace fs = std::filesystem;

// The program promised to keep the files of interrupted runs: they stay until they are removed by hand, or exceed this
// limit. The oldest goes first and the newest always stays. docs/reliability.md states the numbers.
constexpr std::uintmax_t kBudgetBytes = std::uintmax_t{4} << 30;
constexpr std::size_t kMostLeft = 20;
constexpr std::size_t kMostRecent = 10;
constexpr std::string_view kRecentName = "recent.txt";
constexpr std::string_view kRunPrefix = "run-", kSessionPrefix = "session-", kMarkSuffix = ".alive";

std::string processText() { return std::to_string(::getpid()); }

/// Newest first.
void sortByTime(std::vector<fs::path>& files) {
    const auto time = [](const fs::path& file) {
        std::error_code ignored;
        return fs::last_write_time(file, ignored);
    };
    std::sort(files.begin(), files.end(), [&](const fs::path& a, const fs::path& b) { return time(a) > time(b); });
}

std::vector<fs::path> filesWith(const fs::path& folder, std::string_view prefix, std::string_view suffix) {
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        const std::string name = at->path().filename().string();
        std::error_code ignored;
        if (name.starts_with(prefix) && name.ends_with(suffix) &&
            at->symlink_status(ignored).type() == fs::file_type::regular)
            found.push_back(at->path());
    }
    return found;
}

fs::path autosaveOf(fs::path mark) { return mark.replace_extension(".hdf5"); }

/// True when no living process holds the mark.
bool orphaned(const fs::path& mark) {
    const Descriptor opened(::open(mark.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    return opened >= 0 && ::flock(opened, LOCK_EX | LOCK_NB) == 0;
}

}  // namespace

void keepWithin(std::uintmax_t bytes, std::vector<fs::path> files, std::size_t most) {
    sortByTime(files);
    std::uintmax_t sum = 0;
    for (std::size_t i = 0; i < files.size(); ++i) {
        std::error_code error;
        const std::uintmax_t size = fs::file_size(files[i], error);
        if (error) continue;
        // The newest stays also where it exceeds the limit alone, and then the others may fill it.
        if (i == 0 && size > bytes) continue;
        sum += size;
        if (i == 0 || (sum <= bytes && i < most)) continue;
        sum -= size;
        if (!fs::remove(files[i], error)) continue;
        if (i >= most)
            notify(formatted("%s was removed: the newest %zu states of interrupted runs are kept", files[i].string().c_str(),
                             most));
        else
            notify(formatted("%s was removed: states of interrupted runs take more than %.3g GB", files[i].string().c_str(),
                             static_cast<double>(bytes) * 1e-9));
    }
}

fs::path stateFolder() {
    const fs::path folder = userFolder("XDG_STATE_HOME", ".local/state");
    if (folder.empty()) throw IoError("there is no folder for autosaves: neither XDG_STATE_HOME nor HOME names one");
    std::error_code error;
    if (fs::create_directories(folder, error)) ::chmod(folder.c_str(), 0700);
    if (error || !fs::is_directory(folder, error))
        throw IoError("cannot make the folder for autosaves " + folder.string() + ": " +
                      (error ? error.message() : "something else has its name"));
    return folder;
}

fs::path leftRunFile(std::string_view scene) {
    const fs::path folder = stateFolder();
    keepWithin(kBudgetBytes, filesWith(folder, kRunPrefix, ".hdf5"), kMostLeft);
    return folder / (std::string(kRunPrefix) + plainName(scene) + "-" + processText() + ".hdf5");
}

SessionLock::SessionLock() {
    mark_ = stateFolder() / (std::string(kSessionPrefix) + processText() + std::string(kMarkSuffix));
    autosave_ = autosaveOf(mark_);
    held_ = Descriptor(::open(mark_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (held_ < 0 || ::flock(held_, LOCK_EX | LOCK_NB) != 0)
        throw IoError("cannot mark this session in " + mark_.string() + ": " + std::strerror(errno));
    // After a crash a process id may be used again: an existing file then belongs to the old session and must not be taken
    // for this one's.
    std::error_code ignored;
    if (fs::exists(autosave_, ignored)) {
        const fs::path kept = mark_.parent_path() / (std::string(kSessionPrefix) + processText() + "-old");
        fs::rename(autosave_, kept.string() + ".hdf5", ignored);
        Descriptor(::open((kept.string() + std::string(kMarkSuffix)).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    }
}

void SessionLock::remove() { forgetSession(autosave_); }

std::vector<std::string> recentFiles() noexcept {
    std::vector<std::string> files;
    try {
        constexpr std::size_t kMostBytes = std::size_t{1} << 16;
        Source source = Source::open(stateFolder() / kRecentName);
        std::string text(kMostBytes, '\0');
        text.resize(source.read(text.data(), text.size()));
        eachLine(text, 1, [&](std::size_t, std::string_view line) {
            const std::optional<Value> path = tomlValue(line);
            if (const auto* name = path ? std::get_if<std::string>(&*path) : nullptr; name && files.size() < kMostRecent)
                files.push_back(*name);
        });
    } catch (const std::exception&) {
        files.clear();  // no files so far
    }
    return files;
}

void rememberFile(const fs::path& file) noexcept {
    try {
        std::vector<std::string> files = recentFiles();
        std::erase(files, file.string());
        files.insert(files.begin(), file.string());
        if (files.size() > kMostRecent) files.resize(kMostRecent);
        std::string text;
        for (const std::string& path : files) text += tomlString(path) + "\n";
        writeFileAtomically((stateFolder() / kRecentName).string(), text);
    } catch (const std::exception& error) {
        notify(formatted("the list of recent files was not kept: %s", error.what()));
    }
}

std::vector<fs::path> crashedSessions() {
    std::vector<fs::path> found;
    for (const fs::path& mark : filesWith(stateFolder(), kSessionPrefix, kMarkSuffix)) {
        if (!orphaned(mark)) continue;
        std::error_code ignored;
        if (fs::exists(autosaveOf(mark), ignored))
            found.push_back(autosaveOf(mark));
        else
            fs::remove(mark, ignored);
    }
    sortByTime(found);
    return found;
}

void forgetAutosave(const fs::path& autosave) noexcept {
    if (autosave.empty()) return;
    std::error_code ignored;
    fs::remove(autosave, ignored);
    fs::remove(previousOf(autosave), ignored);
}

void forgetSession(const fs::path& autosave) noexcept {
    forgetAutosave(autosave);
    std::error_code ignored;
    fs::path mark = autosave;
    if (!mark.empty()) fs::remove(mark.replace_extension(std::string(kMarkSuffix)), ignored);
}

}  // namespace gravlab
