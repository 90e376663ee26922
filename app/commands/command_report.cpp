// `gravlab report`: facts about this build and machine for the report of a fault, as text to paste.
// Rule: it contains no name of a user or host; the home folder is written as ~.
#include "app/commands/subcommand.h"
#include "app/files/config.h"
#include "app/film/encoders.h"
#include "app/frontends/headless/headless.h"
#include "app/system/built_in.h"
#include "app/system/file_names.h"
#include "sim/api/errors.h"
#include "sim/backends/backend.h"
#include "sim/core/text.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace gravlab {
namespace {

/// Variables that change the behaviour of the program, OpenGL or CUDA.
constexpr std::string_view kReportedVariables[] = {
    "GRAVLAB_",        "CUDA_",      "NVIDIA_",   "LIBGL_", "MESA_", "GALLIUM_", "EGL_",      "__GL",
    "__EGL",           "OMP_",       "DISPLAY=",  "LD_",    "LANG=", "LC_ALL=",  "XDG_SESSI", "WAYLAND_DISPLAY",
    "XDG_CONFIG_HOME", "XDG_CACHE_", "XDG_STATE_"};

/// The text with ~ in place of the home folder, and without control sequences of terminals.
std::string withoutHome(std::string text) {
    const char* const home = std::getenv("HOME");
    const std::string folder = home ? home : "";
    for (std::size_t at = 0; folder.size() > 1 && (at = text.find(folder, at)) != std::string::npos; ++at)
        text.replace(at, folder.size(), "~");
    return printable(text);
}

void reportSection(const char* name) {
    std::printf("\n%s\n", name);
    std::fflush(stdout);  // a driver may end the program in the next line
}

void reportLine(std::string_view name, const std::string& text) {
    std::printf("  %-12.*s %s\n", static_cast<int>(name.size()), name.data(), withoutHome(text).c_str());
}

/// Prints the lines of a text file, or a line that reports its absence.
void reportFile(std::string_view name, const std::string& path, std::size_t most) {
    std::ifstream file(path);
    if (!file) return reportLine(name, "no " + path);
    for (std::string text; most > 0 && std::getline(file, text); --most) reportLine(std::exchange(name, ""), text);
}

/// The value of KEY=VALUE or KEY: VALUE, without quotes.
std::string valueIn(const char* path, std::string_view key) {
    std::ifstream file(path);
    for (std::string text; std::getline(file, text);) {
        if (!text.starts_with(key)) continue;
        text.erase(0, text.find_first_of("=:") + 1);
        std::erase(text, '"');
        return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
    }
    return "unknown";
}

void reportSystem() {
    reportSection("System");
    utsname name{};
    uname(&name);
    reportLine("system", valueIn("/etc/os-release", "PRETTY_NAME"));
    reportLine("kernel", std::string(name.sysname) + " " + name.release + " " + name.machine);
    reportLine("processor", valueIn("/proc/cpuinfo", "model name") + ", " +
                                std::to_string(std::thread::hardware_concurrency()) + " threads");
    reportLine("memory", valueIn("/proc/meminfo", "MemTotal") + ", available " + valueIn("/proc/meminfo", "MemAvailable"));
}

void reportBackends(const BackendOptions& options) {
    reportSection("Backends and devices");
    for (const BackendRow& row : backends()) {
        const Reason reason = row.unavailable(options);
        reportLine(row.name, reason.empty() ? "available" : reason);
        reportLine("", row.devices());
    }
    reportFile("driver", "/proc/driver/nvidia/version", 1);
}

void reportOpenGl() {
    reportSection("OpenGL without a window");
    try {
        const HeadlessContext context;
        reportLine("context", context.description());
    } catch (const Error& error) {
        reportLine("none", error.what());
    }
}

void reportFilms() {
    reportSection("Encoders of films");
    for (const EncoderRow& row : encoders()) {
        const Reason reason = unavailable(row);
        reportLine(row.name, reason.empty() ? "available" : reason);
    }
}

void reportEnvironment() {
    reportSection("Environment");
    std::set<std::string> found;
    for (char** variable = environ; variable && *variable; ++variable)
        if (std::ranges::any_of(kReportedVariables,
                                [&](std::string_view name) { return std::string_view(*variable).starts_with(name); }))
            found.insert(*variable);
    for (const std::string& variable : found) reportLine("", variable);
}

void reportFolders() {
    reportSection("Files");
    const std::filesystem::path configuration = configFile(), cache = userFolder("XDG_CACHE_HOME", ".cache"),
                                state = userFolder("XDG_STATE_HOME", ".local/state");
    std::error_code unreadable;
    const auto files = std::distance(std::filesystem::directory_iterator(state, unreadable), {});
    reportLine("state", state.string() + ", files: " + std::to_string(unreadable ? 0 : files));
    reportLine("tuning", (cache / "tune.json").string() + (std::filesystem::exists(cache / "tune.json") ? "" : ", none"));
    reportLine("settings", configuration.string());
    reportFile("", configuration.string(), 200);
}

struct ReportCommand : Subcommand {
    int run() override {
        std::printf(
            "Paste this below what you did, what you expected and what happened. It names no user and no host, and writes "
            "your\n"
            "home folder as ~; read it once before you post it, because settings can hold other paths.\n");
        reportSection("Program");
        std::printf("%s", versionText().c_str());
        reportSystem();
        reportBackends(start.simulation.backendOptions);
        reportOpenGl();
        reportFilms();
        reportEnvironment();
        reportFolders();
        return static_cast<int>(ExitCode::ok);
    }
};

}  // namespace

constinit const CommandRow kReportCommand{"report",
                                          "write what a report of a fault needs: this build, this machine, its settings",
                                          "  gravlab report > report.txt\n", made<ReportCommand>};

}  // namespace gravlab
