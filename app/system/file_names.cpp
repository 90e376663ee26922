#include "app/system/file_names.h"

#include "sim/api/errors.h"

#include <mutex>
#include <set>

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

std::string NumberedParts::name(std::int64_t number) const {
    std::string digits = std::to_string(number < 0 ? -number : number);
    if (digits.size() < width) digits.insert(0, width - digits.size(), zeros ? '0' : ' ');
    return before + (number < 0 ? "-" : "") + digits + after;
}

std::optional<NumberedParts> numberedParts(std::string_view pattern) {
    constexpr std::size_t kWidest = 20;
    NumberedParts parts;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        std::string& text = parts.numbered ? parts.after : parts.before;
        if (pattern[i] != '%') {
            text += pattern[i];
            continue;
        }
        if (++i == pattern.size()) return std::nullopt;
        if (pattern[i] == '%') {
            text += '%';
            continue;
        }
        if (parts.numbered) return std::nullopt;
        parts.numbered = true;
        parts.zeros = pattern[i] == '0';
        for (; i < pattern.size() && pattern[i] >= '0' && pattern[i] <= '9'; ++i) {
            parts.width = 10 * parts.width + static_cast<std::size_t>(pattern[i] - '0');
            if (parts.width > kWidest) return std::nullopt;
        }
        if (i == pattern.size() || pattern[i] != 'd') return std::nullopt;
    }
    return parts;
}

std::string numberedName(std::string_view option, std::string_view pattern, std::int64_t number) {
    const std::optional<NumberedParts> parts = numberedParts(pattern);
    if (!parts || !parts->numbered)
        throw UsageError(std::string(option) + " '" + std::string(pattern) +
                         "': expected a name with one %d or %05d, such as snapshot_%08d.hdf5");
    return parts->name(number);
}

}  // namespace gravlab
