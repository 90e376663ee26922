#include "app/system/timed_name.h"

#include <filesystem>
#include <mutex>
#include <set>
#include <string>

namespace gravlab {

std::string plainName(std::string_view text) {
    std::string name;
    for (const char c : text.substr(0, 40)) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        name += plain ? c : '-';
    }
    return name.empty() ? "run" : name;
}

std::string timeText(std::time_t when, const char* format, bool universal) {
    std::tm parts{};
    universal ? gmtime_r(&when, &parts) : localtime_r(&when, &parts);
    char text[64];
    return {text, std::strftime(text, sizeof text, format, &parts)};
}

namespace {

std::string freeName(std::string_view start, std::string_view end, const std::set<std::string>& given) {
    const std::string stem = std::string(start) + timeText(std::time(nullptr), "-%Y%m%d-%H%M%S");
    std::string name = stem + std::string(end);
    std::error_code unknown;
    // A broken link also occupies a name. If the folder is unreadable, the writer of the file reports why.
    const auto taken = [&] {
        return given.contains(name) || std::filesystem::exists(std::filesystem::symlink_status(name, unknown));
    };
    for (int number = 2; taken(); ++number) name = stem + "-" + std::to_string(number) + std::string(end);
    return name;
}

}  // namespace

std::string timedName(std::string_view start, std::string_view end) {
    static std::mutex mutex;
    static std::set<std::string> given;
    const std::lock_guard lock(mutex);
    return *given.insert(freeName(start, end, given)).first;
}

std::string proposedName(std::string_view start, std::string_view end) { return freeName(start, end, {}); }

}  // namespace gravlab
