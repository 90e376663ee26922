// The numbers that define a run, checked where they enter.
#include "sim/core/validation.h"

#include "sim/api/errors.h"
#include "sim/core/text.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

namespace gravlab {
namespace {

std::string text(double value) { return formatted("%g", value); }

constexpr double kUnknown = std::numeric_limits<double>::infinity();

/// The number after a word at the start of a line; `otherwise` when there is none.
double entryOf(const std::string& path, const std::string& wanted, double otherwise) {
    std::ifstream file(path);
    std::string key;
    double value = 0;
    while (file >> key >> value) {
        if (key == wanted) return value;
        file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return otherwise;
}

/// The number in a file; `otherwise` when it is missing or a word, such as "max".
double numberInText(const std::string& path, double otherwise) {
    double value = 0;
    return std::ifstream(path) >> value ? value : otherwise;
}

/// The file names of the two versions of control groups.
struct GroupFiles {
    const char* folder;
    const char* limit;
    const char* used;
    const char* cache;  ///< in memory.stat: memory that the kernel can reclaim
};
constexpr GroupFiles kUnified{"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"};
constexpr GroupFiles kEarlier{"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                              "total_inactive_file"};

/// Memory that this group and its parents still allow. Inside a container the group's own path may be missing: its files are
/// then at the root.
double groupAllows(const std::string& root, const GroupFiles& files, std::string path) {
    double least = kUnknown;
    while (true) {
        const std::string folder = root + files.folder + path + "/";
        const double limit = numberInText(folder + files.limit, kUnknown);
        const double used = numberInText(folder + files.used, 0), cache = entryOf(folder + "memory.stat", files.cache, 0);
        least = std::min(least, std::max(0.0, limit - std::max(0.0, used - cache)));
        if (path.empty()) return least;
        path.erase(std::min(path.rfind('/'), path.size()));
    }
}

double groupsAllow(const std::string& root) {
    std::ifstream groups(root + "/proc/self/cgroup");
    double least = kUnknown;
    for (std::string line; std::getline(groups, line);) {
        // The line is "0::/path" or "7:cpu,memory:/path".
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const std::string kinds = "," + line.substr(first + 1, second - first - 1) + ",";
        std::string path = line.substr(second + 1);
        if (path == "/") path.clear();
        if (kinds == ",,") least = std::min(least, groupAllows(root, kUnified, path));
        if (kinds.find(",memory,") != std::string::npos) least = std::min(least, groupAllows(root, kEarlier, path));
    }
    return least;
}

}  // namespace

std::string& systemRoot() {
    static std::string root;
    return root;
}

double freeHostBytes(const std::string& root) {
    return std::min(entryOf(root + "/proc/meminfo", "MemAvailable:", kUnknown / 1024) * 1024, groupsAllow(root));
}

void requireBodies(std::size_t bodies) {
    if (bodies == 0) throw UsageError("the number of bodies is 0; give at least 1");
    if (bodies > kMostBodies)
        throw UsageError("the number of bodies is " + std::to_string(bodies) + "; at most " + std::to_string(kMostBodies) +
                         " can be numbered");
}

void requireTimeStep(double timeStep) {
    if (std::isfinite(timeStep) && timeStep != 0) return;
    throw UsageError("the time step is " + text(timeStep) +
                     "; give a finite number other than 0 (a negative one runs backwards)");
}

void requireSoftening(double softening) {
    if (std::isfinite(softening) && softening >= 0) return;
    throw UsageError("the softening is " + text(softening) + "; give a finite length, 0 or more");
}

void requireHostMemory(double bytes, const char* what, const char* advice) {
    const double free = freeHostBytes();
    if (bytes <= free) return;
    const double gibibyte = 1024.0 * 1024 * 1024;
    throw OutOfMemoryError(std::string(what) + " need " + text(bytes / gibibyte) + " GiB of memory, " +
                           text(free / gibibyte) + " GiB are free; " + advice);
}

}  // namespace gravlab
