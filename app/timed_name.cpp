#include "app/timed_name.h"

#include <ctime>
#include <filesystem>

namespace gravlab {

std::string plainName(std::string_view text) {
    std::string name;
    for (const char c : text.substr(0, 40)) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        name += plain ? c : '-';
    }
    return name.empty() ? "run" : name;
}

std::string timedName(std::string_view start, std::string_view end) {
    const std::time_t seconds = std::time(nullptr);
    std::tm parts{};
    localtime_r(&seconds, &parts);
    char text[64];
    std::strftime(text, sizeof text, "-%Y%m%d-%H%M%S", &parts);
    const std::string stem = std::string(start) + text;
    std::string name = stem + std::string(end);
    std::error_code unknown;
    // Also a link that leads nowhere has the name.
    for (int number = 2; std::filesystem::symlink_status(name, unknown).type() != std::filesystem::file_type::not_found;
         ++number)
        name = stem + "-" + std::to_string(number) + std::string(end);
    return name;
}

}  // namespace gravlab
