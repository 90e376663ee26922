#include "app/system/numbered_name.h"

#include "sim/core/error.h"

namespace gravlab {

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
