#include "app/numbered_name.h"

#include "sim/core/error.h"

namespace gravlab {

std::string numberedName(std::string_view option, std::string_view pattern, std::int64_t number) {
    const auto refuse = [&]() -> std::string {
        throw UsageError(std::string(option) + " '" + std::string(pattern) +
                         "': expected a name with one %d or %05d, such as snapshot_%08d.hdf5");
    };
    std::string name;
    int places = 0;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] != '%') {
            name += pattern[i];
            continue;
        }
        if (++i == pattern.size()) return refuse();
        if (pattern[i] == '%') {
            name += '%';
            continue;
        }
        const bool zeros = pattern[i] == '0';
        std::size_t width = 0;
        for (; i < pattern.size() && pattern[i] >= '0' && pattern[i] <= '9'; ++i) {
            width = 10 * width + static_cast<std::size_t>(pattern[i] - '0');
            if (width > 20) return refuse();
        }
        if (i == pattern.size() || pattern[i] != 'd' || ++places > 1) return refuse();
        std::string digits = std::to_string(number < 0 ? -number : number);
        if (digits.size() < width) digits.insert(0, width - digits.size(), zeros ? '0' : ' ');
        name += (number < 0 ? "-" : "") + digits;
    }
    return places == 1 ? name : refuse();
}

}  // namespace gravlab
