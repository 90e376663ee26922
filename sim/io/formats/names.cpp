// Names of bodies in this program's files: one line each, with id, name and tag separated by tabs.
#include "sim/io/formats/formats.h"

#include "sim/core/text.h"

namespace gravlab {

std::string namesText(const BodyNames& names) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const BodyNames::Row row = names.row(i);
        text += std::to_string(row.id) + "\t" + std::string(row.name) + "\t" + std::string(row.tag) + "\n";
    }
    return text;
}

std::optional<BodyNames> namesFrom(std::string_view text) {
    BodyNames names;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) return std::nullopt;
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end + 1);
        const std::size_t first = line.find('\t'), second = line.find('\t', first + 1);
        const std::optional<std::uint32_t> id = numberFrom<std::uint32_t>(line.substr(0, first));
        if (second == std::string_view::npos || !id ||
            !names.add(*id, line.substr(first + 1, second - first - 1), line.substr(second + 1)))
            return std::nullopt;
    }
    names.sort();
    return names;
}

}  // namespace gravlab
